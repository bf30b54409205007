//! A run of an executable that Labrys did not build: it gets the streams of an input as a shell
//! would give them, and only its outcome is seen.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use labrys_suite::{Input, InputStream, Invocation, Outcome, StreamKind};

use crate::{Error, sys};
use labrys_scratch::TemporaryFolder;

/// A program of any compiler, and how it is called.
#[derive(Debug)]
pub struct Native {
    program: PathBuf,
    invocation: Invocation,
    timeout: Duration,
}

impl Native {
    /// A program that is called like this; longer runs are cut off.
    #[must_use]
    pub fn new(program: &Path, invocation: &Invocation, timeout: Duration) -> Self {
        Native {
            program: std::path::absolute(program).unwrap_or_else(|_| program.to_owned()),
            invocation: invocation.clone(),
            timeout,
        }
    }

    /// Runs the program in an empty folder of its own.
    ///
    /// # Errors
    /// If the program cannot be started, or the folder not be written.
    pub fn run(&self, input: &Input) -> Result<Outcome, Error> {
        self.try_run(input)
            .map_err(Error::system("run the program"))
    }

    fn try_run(&self, input: &Input) -> io::Result<Outcome> {
        let scratch = TemporaryFolder::new()?;
        let work = scratch.path().join("work");
        fs::create_dir(&work)?;
        let stdin = scratch.path().join("stdin");
        fs::write(&stdin, b"")?;
        let mut arguments: Vec<OsString> = vec![];
        let resolved = self.invocation.resolved_arguments(&input.shape());
        arguments.extend(resolved.into_iter().map(OsString::from));
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .envs(self.invocation.resolved_environment());
        for stream in &input.streams {
            match &stream.kind {
                StreamKind::Stdin => fs::write(&stdin, &stream.bytes)?,
                StreamKind::File { name } => write_file(&work.join(name), &stream.bytes)?,
                StreamKind::Argument { index } => {
                    arguments[*index as usize - 1] = text(stream, 0);
                }
                StreamKind::Environment { name } => {
                    command.env(name, text(stream, name.len() + 1));
                }
                StreamKind::Objects => {}
            }
        }
        command.args(arguments).current_dir(&work).process_group(0);
        command
            .stdin(File::open(&stdin)?)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        sys::make_neutral(&mut command);
        let status = wait(command.spawn()?, self.timeout)?;
        Ok(status.map_or(Outcome::Timeout, outcome))
    }
}

/// The visible bytes of a string, without the first few.
fn text(stream: &InputStream, from: usize) -> OsString {
    OsString::from_vec(stream.visible().get(from..).unwrap_or_default().to_vec())
}

fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes)
}

/// The status of a process; `None` if it had to be killed.
fn wait(mut child: Child, timeout: Duration) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        let status = child.try_wait()?;
        if status.is_some() || start.elapsed() >= timeout {
            // Whatever it started and did not move elsewhere is in its group.
            if let Ok(id) = libc::pid_t::try_from(child.id()) {
                sys::kill(-id);
            }
            child.wait()?;
            return Ok(status);
        }
        sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

fn outcome(status: ExitStatus) -> Outcome {
    match status.signal() {
        Some(signal) => Outcome::Signal(signal),
        None => Outcome::Exit(status.code().unwrap_or(-1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, input: &Input) -> Outcome {
        let invocation = Invocation::new(["-c", script, "sh", "", "@@"]);
        let native = Native::new(Path::new("/bin/sh"), &invocation, Duration::from_secs(2));
        native.run(input).expect("there is a shell")
    }

    #[test]
    fn streams_arrive_and_outcomes_are_seen() {
        let input = Input::new(vec![
            InputStream::stdin(*b"7"),
            InputStream::file("input", *b"8"),
            InputStream::argument(4, b"9", 20),
        ]);
        assert_eq!(shell("exit $(cat)", &input), Outcome::Exit(7));
        assert_eq!(shell("exit $(cat $2)", &input), Outcome::Exit(8));
        assert_eq!(shell("exit $1", &input), Outcome::Exit(9));
        assert_eq!(shell("kill -SEGV $$", &input), Outcome::Signal(11));
        assert_eq!(shell("sleep 60", &input), Outcome::Timeout);
    }
}
