//! Programs that a build runs.
//!
//! clang's driver knows start files, libraries and their order. `clang -###` prints the
//! commands it would run; we run them ourselves and so can link the same inputs several times.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::io::{Write as _, stderr};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::io::Errno;
use rustix::process::Signal;

use crate::{Error, response};

/// Writes to standard error.
pub(crate) fn say(text: impl Display) {
    // Where standard error is closed or full, there is no better place to say so.
    let _ = write!(stderr(), "{text}");
}

/// How tools say that the disk is full.
pub(crate) const NO_SPACE: &str = "No space left on device";

/// How lld ends where it can start no thread.
const NO_THREAD: &str = "Resource temporarily unavailable";

/// A tool that got SIGKILL has no words of its own.
const KILLED: &str = "it was killed; if nobody did that, memory ran out: close other programs, or \
                      build with fewer jobs";

/// Longer command lines go through a response file.
const MAX_COMMAND: usize = 96 * 1024;

/// One command.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
}

/// What clang would run.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Compilations, in order.
    pub(crate) compile: Vec<Job>,
    /// The link.
    pub(crate) link: Option<Job>,
    /// The commands as clang prints them.
    pub(crate) text: String,
}

impl Job {
    /// Runs the command with our standard streams; what it says of errors comes at its end.
    pub(crate) fn run(&self, scratch: &Path) -> Result<(), Error> {
        let mut command = self.command(scratch)?;
        command.stdin(Stdio::inherit()).stdout(Stdio::inherit());
        let output = self.finished(command, scratch)?;
        say(String::from_utf8_lossy(&output.stderr));
        match output.status.code() {
            Some(0) => Ok(()),
            code => Err(Error::Reported {
                code: code.unwrap_or(1),
            }),
        }
    }

    /// Runs the command and keeps what it says.
    pub(crate) fn run_captured(&self, scratch: &Path) -> Result<Output, Error> {
        let mut command = self.command(scratch)?;
        command.stdin(Stdio::null());
        self.finished(command, scratch)
    }

    /// A full disk and a lack of threads are errors of their own: what LLVM says of them looks
    /// like a bug. A linker whose output is mapped memory says nothing of a full disk.
    fn finished(&self, mut command: Command, scratch: &Path) -> Result<Output, Error> {
        let output = command.stderr(Stdio::piped()).output();
        let output = output.map_err(|source| self.not_started(source))?;
        if output.status.success() {
            return Ok(output);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        if said.contains(NO_SPACE) || output.status.signal() == Some(Signal::BUS.as_raw()) {
            return Err(Error::Full(scratch.to_path_buf()));
        }
        if said.contains(NO_THREAD) {
            return Err(self.not_started(Errno::AGAIN.into()));
        }
        if output.status.signal() == Some(Signal::KILL.as_raw()) {
            return Err(self.not_started(std::io::Error::other(KILLED)));
        }
        Ok(output)
    }

    /// Its temporary files lie below `scratch`: clang leaves them where a signal ends it.
    fn command(&self, scratch: &Path) -> Result<Command, Error> {
        let mut command = Command::new(&self.program);
        command.env("TMPDIR", scratch);
        let length: usize = self
            .arguments
            .iter()
            .map(|argument| argument.len() + 1)
            .sum();
        if length <= MAX_COMMAND {
            command.args(&self.arguments);
            return Ok(command);
        }
        let io = |source| Error::Io {
            path: scratch.to_path_buf(),
            source,
        };
        let file = tempfile::Builder::new()
            .suffix(".rsp")
            .tempfile_in(scratch)
            .map_err(io)?;
        let (_, path) = file.keep().map_err(|error| io(error.error))?;
        fs::write(&path, response::join(&self.arguments)).map_err(io)?;
        let mut word = OsString::from("@");
        word.push(&path);
        command.arg(word);
        Ok(command)
    }

    fn not_started(&self, source: std::io::Error) -> Error {
        Error::Io {
            path: self.program.clone(),
            source,
        }
    }
}

/// Asks clang what it would run. Temporary files are named below `scratch`.
pub(crate) fn plan(
    clang: &Path,
    mut arguments: Vec<OsString>,
    scratch: &Path,
) -> Result<Plan, Error> {
    arguments.insert(0, "-###".into());
    let job = Job {
        program: clang.to_path_buf(),
        arguments,
    };
    let mut command = job.command(scratch)?;
    command.stdin(Stdio::null());
    let output = command.output().map_err(|source| job.not_started(source))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    for line in text.lines().filter(|line| is_diagnostic(line)) {
        say(format_args!("{line}\n"));
    }
    if !output.status.success() {
        return Err(Error::Reported {
            code: output.status.code().unwrap_or(1),
        });
    }
    Ok(read_plan(&output.stderr, text))
}

fn read_plan(output: &[u8], text: String) -> Plan {
    let lines = output
        .split(|&byte| byte == b'\n')
        .filter(|line| line.starts_with(b" \""));
    let mut jobs: Vec<Job> = lines
        .filter_map(|line| {
            let mut words = response::split(line).into_iter();
            Some(Job {
                program: words.next()?.into(),
                arguments: words.collect(),
            })
        })
        .collect();
    let compiles = |job: &Job| {
        job.arguments
            .first()
            .is_some_and(|first| first == "-cc1" || first == "-cc1as")
    };
    let links = jobs.last().is_some_and(|job| !compiles(job));
    let link = if links { jobs.pop() } else { None };
    Plan {
        compile: jobs,
        link,
        text,
    }
}

/// Messages of the driver begin with its name, or with a place.
fn is_diagnostic(line: &str) -> bool {
    let markers = [
        ": warning: ",
        ": error: ",
        ": note: ",
        ": remark: ",
        ": fatal error: ",
    ];
    !line.starts_with(' ') && markers.iter().any(|marker| line.contains(marker))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_is_killed_is_an_error() {
        let job = |words: &str| Job {
            program: "/bin/sh".into(),
            arguments: ["-c", words].map(OsString::from).into(),
        };
        let scratch = tempfile::tempdir().expect("a folder");
        let killed = job("kill -9 $$").run_captured(scratch.path());
        let said = killed.expect_err("no output").to_string();
        assert!(said.contains("it was killed"), "{said}");
        let failed = job("exit 3").run_captured(scratch.path());
        assert_eq!(failed.expect("its output").status.code(), Some(3));
        let told = job("echo $TMPDIR").run_captured(scratch.path());
        let told = String::from_utf8(told.expect("its output").stdout);
        let folder = format!("{}\n", scratch.path().display());
        assert_eq!(told.as_deref(), Ok(folder.as_str()));
    }

    #[test]
    fn commands_are_read_from_what_clang_prints() {
        let text = "Debian clang version 19.1.7\nTarget: x86_64-pc-linux-gnu\n \
                    (in-process)\n \"/usr/bin/clang\" \"-cc1\" \"-DX=\\\"y\\\"\" \"a.c\"\n \
                    \"/usr/bin/ld.lld\" \"-o\" \"a b\"\n";
        let plan = read_plan(text.as_bytes(), String::new());
        assert_eq!(plan.compile.len(), 1);
        assert_eq!(plan.compile[0].arguments, ["-cc1", "-DX=\"y\"", "a.c"]);
        let link = plan.link.unwrap();
        assert_eq!(link.program, Path::new("/usr/bin/ld.lld"));
        assert_eq!(link.arguments, ["-o", "a b"]);
    }

    #[test]
    fn diagnostics_are_told_from_commands() {
        assert!(is_diagnostic(
            "clang-19: error: no such file or directory: 'x.c'"
        ));
        assert!(!is_diagnostic("Target: x86_64-pc-linux-gnu"));
        assert!(!is_diagnostic(" \"clang\" \"-DX=a: error: b\""));
    }
}
