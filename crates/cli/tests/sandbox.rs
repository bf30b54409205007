//! Programs do no harm outside: processes, memory of others, segments, files by absolute path.

#![allow(missing_docs)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{folder, labrys, labrys_cc, output, program, succeed, text};
use labrys_executor::{Executor, Launch, Mode, RunLimits};
use labrys_suite::{Input, Outcome, Suite, TargetStatus};

/// Folders for temporary files.
const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// Whether this system lets a user make namespaces.
fn has_namespaces() -> bool {
    let options = ["-U", "-r", "-m", "-p", "-i", "-f", "true"];
    let made = Command::new("unshare").args(options).output();
    let has = made.is_ok_and(|made| made.status.success());
    if !has {
        eprintln!("not tested: this system lets nobody make namespaces");
    }
    has
}

/// Covers the program that tries to do harm; what it managed to do, by its own account, and the
/// text of the command. `home` stands for a folder of the user's.
fn outside(place: &Path, home: &Path, key: &str, launcher: &[&str]) -> (BTreeSet<String>, String) {
    let binary = place.join("outside");
    succeed(
        labrys_cc()
            .arg(program("outside.c"))
            .args(["-w", "-o"])
            .arg(&binary),
    );
    let out = place.join("suite");
    let mut command = match launcher {
        [] => labrys(),
        [name, rest @ ..] => {
            let mut command = Command::new(name);
            command.args(rest).arg(labrys().get_program());
            command
        }
    };
    command
        .args(["cover", "--steps", "150", "--no-fuzz", "--out"])
        .arg(&out);
    let output = output(command.arg(&binary).arg("--").arg(home).arg(key));
    let suite = Suite::open(&out).unwrap_or_else(|_| panic!("{}", text(&output)));
    let targets = suite.summary.expect("a summary").targets.into_iter();
    let reached = targets.filter(|target| target.status == TargetStatus::Reached);
    (
        reached.map(|target| target.location).collect(),
        text(&output),
    )
}

/// A key of System V that nobody has.
fn key() -> String {
    (0x4c41_0000 + std::process::id() % 0x1_0000).to_string()
}

fn has_segment(key: &str) -> bool {
    let list = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
    list.lines()
        .any(|line| line.split_whitespace().next() == Some(key))
}

#[test]
fn nothing_reaches_outside() {
    if !has_namespaces() {
        return;
    }
    let place = folder();
    let target = Path::new(env!("CARGO_BIN_EXE_labrys"))
        .parent()
        .expect("a folder");
    let home = tempfile::tempdir_in(target).expect("a folder");
    let mut bystander = Command::new("sleep").arg("1000").spawn().expect("sleep");
    let key = key();
    let (reached, text) = outside(place.path(), home.path(), &key, &[]);
    let mut expected = vec!["killed", "segment", "shared", "temporary", "working folder"];
    // In a clone below a folder for temporary files the program writes to its own view of that.
    if TEMPORARY
        .iter()
        .any(|folder| home.path().starts_with(folder))
    {
        expected.push("home");
    }
    let expected = expected.into_iter().map(str::to_owned).collect();
    assert_eq!(reached, expected, "{text}");
    assert!(!text.contains("namespaces"), "{text}");
    assert!(bystander.try_wait().expect("a child").is_none(), "killed");
    bystander.kill().expect("it runs");
    bystander.wait().expect("it ends");
    assert!(!has_segment(&key));
    for folder in [Path::new("/tmp"), Path::new("/dev/shm"), home.path()] {
        let file: PathBuf = folder.join("labrys-was-here");
        assert!(!file.exists(), "{}", file.display());
    }
}

/// Leaves processes behind, one of them in a session of its own.
const LEAVES: &str = "#include <unistd.h>
int main(void) {
  for (int i = 0; i < 3; i++)
    if (!fork()) {
      if (i == 2) setsid();
      for (;;) pause();
    }
  return 7;
}
";

/// The first process of a namespace ends what a run left behind, and goes on.
#[test]
fn what_runs_leave_behind_ends_with_them() {
    let place = folder();
    let at = |name: &str| place.path().join(name);
    fs::write(at("main.c"), LEAVES).expect("a file");
    let name = format!("leaves-{}", std::process::id());
    succeed(labrys_cc().arg(at("main.c")).arg("-o").arg(at(&name)));
    let container = labrys_cc::container::Container::open(&at(&name)).expect("an executable");
    let launch = Launch {
        binary: at(&name),
        streams: Input::stdin("").shape(),
        branches: container.program().expect("a model").branch_count(),
        ..Launch::default()
    };
    let mut executor = Executor::start(launch, RunLimits::default()).expect("it starts");
    for mode in [Mode::Symbolic, Mode::Coverage, Mode::Symbolic] {
        let run = executor.run(&Input::stdin("x"), mode).expect("a run");
        assert_eq!(run.outcome, Outcome::Exit(7));
        // The fork server.
        assert!(named(&name) <= 1);
    }
    assert_eq!(executor.restarts() == 0, executor.is_isolated());
}

/// The number of processes that were started by this name.
fn named(name: &str) -> usize {
    let processes = fs::read_dir("/proc").expect("a folder").flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    let starts = |line: &Vec<u8>| line.split(|byte| *byte == 0).next() == Some(name.as_bytes());
    lines.filter(starts).count()
}

/// Runs as before, and says so, where there are no namespaces to be had.
#[test]
fn without_namespaces_it_is_said_once() {
    let limits = "echo 0 > /proc/sys/user/max_pid_namespaces && exec \"$@\"";
    let words = ["-U", "-r", "-m", "sh", "-c", limits, "sh"];
    let allowed = Command::new("unshare")
        .args(words)
        .arg("true")
        .stderr(Stdio::null())
        .status();
    if !allowed.is_ok_and(|status| status.success()) {
        eprintln!("not tested: limits of namespaces cannot be set here");
        return;
    }
    let place = folder();
    let launcher = [&["unshare"][..], &words[..]].concat();
    let binary = place.path().join("program");
    fs::write(place.path().join("a.c"), "int main(void) { return 0; }\n").expect("a file");
    succeed(
        labrys_cc()
            .arg(place.path().join("a.c"))
            .arg("-o")
            .arg(&binary),
    );
    let mut command = Command::new(launcher[0]);
    command.args(&launcher[1..]).arg(labrys().get_program());
    command
        .args(["cover", "--steps", "5", "--out"])
        .arg(place.path().join("suite"));
    let output = output(command.arg(&binary));
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(text.matches("namespaces").count(), 1, "{text}");
    assert!(text.contains("in a container"), "{text}");
}
