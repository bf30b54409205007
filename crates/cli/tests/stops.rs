//! A stop is answered at once in every stage, and leaves nothing behind: no process, no temporary
//! file, also not after a kill.

#![allow(missing_docs)]

mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{folder, labrys, labrys_cc, succeed};
use labrys_suite::Suite;
use tempfile::TempDir;

/// More than enough for any stage to come; a build of [`slow_program`] takes longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a process takes to end that got a signal; to go on would take longer.
const SOON: Duration = Duration::from_secs(3);

/// A program that takes long to build: one large function.
fn slow_program() -> String {
    let mut text = String::from(
        "#include <stdio.h>\nint main(void) {\n  unsigned a[64] = {0};\n  for (int round = 0; round \
         < 100; round++) {\n    switch (getchar()) {\n",
    );
    for number in 0..4000 {
        let (from, to) = (number * 7 % 64, number * 13 % 64);
        let _ = writeln!(
            text,
            "    case {number}: if (a[{from}] > {number}u && a[{to}] < 9) {{ a[{from}]--; a[{to}] \
             += a[{from}] * 3; }} break;"
        );
    }
    text.push_str("    }\n  }\n  return a[5] == 77;\n}\n");
    text
}

/// A folder with a program, and one for temporary files.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new(text: &str) -> Self {
        let folder = folder();
        fs::write(folder.path().join("program.c"), text).expect("the folder is writable");
        fs::create_dir(folder.path().join("temporary")).expect("the folder is writable");
        Place { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts a command on the program, with its temporary files in the folder.
    fn start(&self, command: Command, words: &[&str]) -> Child {
        self.ready(command, words)
            .spawn()
            .expect("the command runs")
    }

    fn ready(&self, mut command: Command, words: &[&str]) -> Command {
        command
            .current_dir(self.folder.path())
            .env("TMPDIR", self.path("temporary"))
            .args(words)
            .stdout(Stdio::null());
        command
    }

    /// What is in the folder for temporary files.
    fn temporary(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("temporary")).expect("a folder");
        entries.flatten().map(|entry| entry.path()).collect()
    }

    /// Processes that work with the folder.
    fn processes(&self) -> Vec<String> {
        let word = self.folder.path().display().to_string();
        let entries = fs::read_dir("/proc").expect("processes").flatten();
        let lines = entries.filter_map(|entry| {
            let line = fs::read(entry.path().join("cmdline")).ok()?;
            Some(String::from_utf8_lossy(&line).replace('\0', " "))
        });
        lines.filter(|line| line.contains(&word)).collect()
    }

    /// Waits until a tool of the build runs.
    fn wait_for(&self, tool: &str) {
        let start = Instant::now();
        while !self.processes().iter().any(|line| line.contains(tool)) {
            assert!(start.elapsed() < PATIENCE, "no {tool}");
            sleep(Duration::from_millis(5));
        }
    }
}

fn send(signal: &str, child: &Child) {
    succeed(Command::new("kill").args([signal, &child.id().to_string()]));
}

#[test]
fn builds_stop_and_leave_nothing() {
    let place = Place::new(&slow_program());
    // In the front end, and in the passes for the executables.
    for (signal, status, tool) in [
        ("-INT", 130, "clang"),
        ("-HUP", 129, "lld"),
        ("-TERM", 143, "lld"),
    ] {
        let words = ["cover", "--quiet", "--out", "suite", "program.c"];
        let mut child = place.start(labrys(), &words);
        place.wait_for(tool);
        send(signal, &child);
        let ended = child.wait().expect("it ends");
        assert_eq!(ended.code(), Some(status), "{signal}");
        assert_eq!(place.processes(), [""; 0], "left over after {signal}");
        assert_eq!(place.temporary(), [""; 0].map(PathBuf::from), "{signal}");
        assert!(!place.path("suite").exists());
    }
}

#[test]
fn builds_that_were_put_off_stop_and_leave_nothing() {
    let place = Place::new(&slow_program());
    let mut compiler = labrys_cc();
    compiler.env_remove("LABRYS_WHOLE");
    succeed(&mut place.ready(compiler, &["program.c", "-o", "program"]));
    let mut command = labrys();
    command.env("LABRYS_CACHE", place.path("cache"));
    let mut child = place.start(command, &["cover", "--quiet", "--out", "suite", "program"]);
    place.wait_for("lld");
    send("-INT", &child);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert_eq!(place.processes(), [""; 0]);
    assert_eq!(place.temporary(), [""; 0].map(PathBuf::from));
    assert!(!place.path("suite").exists() && !place.path("cache/executables").exists());
}

#[test]
fn compilers_stop_and_leave_nothing() {
    let place = Place::new(&slow_program());
    let mut child = place.start(labrys_cc(), &["program.c", "-o", "program"]);
    place.wait_for("lld");
    send("-TERM", &child);
    let ended = child.wait().expect("it ends");
    assert!(!ended.success() && ended.code().is_none(), "{ended}");
    assert_eq!(place.temporary(), [""; 0].map(PathBuf::from));
    let start = Instant::now();
    while !place.processes().is_empty() {
        assert!(start.elapsed() < PATIENCE, "{:?}", place.processes());
        sleep(Duration::from_millis(5));
    }
    assert!(!place.path("program").exists());
}

/// Where building for Labrys is put off, clang compiles and links in one command. It leaves its own
/// temporary files, and its compiler goes on.
#[test]
fn compilers_that_put_a_build_off_stop_and_leave_nothing() {
    let place = Place::new(&slow_program());
    for signal in ["-TERM", "-HUP", "-INT"] {
        let mut compiler = labrys_cc();
        compiler.env_remove("LABRYS_WHOLE");
        let mut child = place.start(compiler, &["-O2", "program.c", "-o", "program"]);
        place.wait_for("-emit-obj");
        send(signal, &child);
        let ended = child.wait().expect("it ends");
        assert!(!ended.success() && ended.code().is_none(), "{ended}");
        let start = Instant::now();
        while !place.processes().is_empty() {
            assert!(start.elapsed() < SOON, "{:?}", place.processes());
            sleep(Duration::from_millis(5));
        }
        assert_eq!(place.temporary(), [""; 0].map(PathBuf::from), "{signal}");
        assert!(!place.path("program").exists());
    }
}

#[test]
fn the_next_start_clears_what_a_kill_leaves() {
    let place = Place::new(&slow_program());
    let words = ["cover", "--quiet", "--out", "suite", "program.c"];
    let mut child = place.start(labrys(), &words);
    place.wait_for("lld");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let start = Instant::now();
    while !place.processes().is_empty() {
        assert!(start.elapsed() < PATIENCE, "{:?}", place.processes());
        sleep(Duration::from_millis(5));
    }
    fs::write(place.path("small.c"), "int main(void) { return 0; }\n").expect("a file");
    let words = [
        "cover", "--quiet", "--runs", "2", "--out", "other", "small.c",
    ];
    succeed(&mut place.ready(labrys(), &words));
    assert_eq!(place.temporary(), [""; 0].map(PathBuf::from));
}

#[test]
fn the_time_holds_the_build() {
    let place = Place::new(&slow_program());
    let words = ["cover", "--time", "1s", "--out", "suite", "program.c"];
    let mut command = place.ready(labrys(), &words);
    let ended = command.output().expect("the command runs");
    let text = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(3), "{text}");
    assert!(
        text.contains("the time was over before the program was built"),
        "{text}"
    );
    assert_eq!(place.processes(), [""; 0]);
    assert_eq!(place.temporary(), [""; 0].map(PathBuf::from));
}

/// What is done in a search is kept when it is stopped.
fn stopped_search(words: &[&str], signal: &str, out: &Path, place: &Place) {
    let mut child = place.start(labrys(), words);
    let start = Instant::now();
    while !out.join("cases/000001.json").exists() {
        assert!(start.elapsed() < PATIENCE, "no test");
        sleep(Duration::from_millis(5));
    }
    send(signal, &child);
    let ended = child.wait().expect("it ends");
    assert!(
        ended.code().is_some_and(|code| code < 2),
        "{signal}: {ended}"
    );
    let suite = Suite::open(out).expect("a valid suite");
    assert!(suite.summary.is_some());
    assert_eq!(place.temporary(), [""; 0].map(PathBuf::from), "{signal}");
}

#[test]
fn searches_stop_and_keep_what_they_found() {
    let place = Place::new(
        "#include <stdio.h>\nint main(void) { unsigned h = 5; int c;\n  while ((c = getchar()) != \
         EOF) { h = h * 33 + c; if (h % 65521 == 77) h++; }\n  return h == 0x12345; }\n",
    );
    for signal in ["-HUP", "-TERM"] {
        let name = format!("suite{signal}");
        let words = ["cover", "--quiet", "--out", &name, "program.c"];
        stopped_search(&words, signal, &place.path(&name), &place);
    }
}

/// A run that would take minutes does not keep a stop, or the end of the time, waiting.
#[test]
fn runs_that_are_under_way_are_stopped() {
    let place = Place::new(
        "#include <stdio.h>\n#include <unistd.h>\nint main(void) {\n  if (getchar() == 'x')\n    \
         for (;;) pause();\n  return 0; }\n",
    );
    let start = Instant::now();
    let options = ["cover", "--quiet", "--timeout-run", "1h", "--out"];
    let words = [&options[..], &["stopped", "program.c"]].concat();
    stopped_search(&words, "-TERM", &place.path("stopped"), &place);
    let words = [&options[..], &["timed", "--time", "3s", "program.c"]].concat();
    let status = place.ready(labrys(), &words).status();
    assert_eq!(status.expect("it runs").code(), Some(0));
    let suite = Suite::open(&place.path("timed")).expect("a valid suite");
    assert!(suite.summary.is_some() && !suite.cases.is_empty());
    assert!(suite.failures.is_empty());
    assert!(start.elapsed() < 3 * PATIENCE);
}
