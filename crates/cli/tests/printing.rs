//! Standard output and standard error that are closed or full: no panic, no lost result.

#![allow(missing_docs)]

mod common;

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{folder, labrys, labrys_cc, program, succeed};

/// The signal of a pipe that nobody reads.
const SIGPIPE: i32 = 13;

/// Commands that print, by their words; `PROGRAM` and `SUITE` stand for what they work on.
const COMMANDS: &[&[&str]] = &[
    &["sites", "PROGRAM"],
    &["cfg", "PROGRAM"],
    &["cover", "--steps", "5", "--out", "NEW", "PROGRAM"],
    &["cover", "--steps", "5", "--json", "--out", "NEW", "PROGRAM"],
    &["reach", "--target", "main", "--out", "NEW", "PROGRAM"],
    &["replay", "SUITE"],
    &["replay", "--json", "SUITE"],
    &["verify-proof", "SUITE"],
    &["--help"],
    &["--version"],
    &["cover", "--help"],
    &["help", "reach"],
];

struct Case {
    folder: tempfile::TempDir,
}

impl Case {
    fn new() -> Self {
        let folder = folder();
        let source = program("tokens.c");
        let binary = folder.path().join("PROGRAM");
        succeed(labrys_cc().arg(source).args(["-w", "-o"]).arg(&binary));
        let suite = ["cover", "--quiet", "--steps", "20", "--out", "SUITE"];
        let status = labrys()
            .args(suite)
            .arg("PROGRAM")
            .current_dir(folder.path())
            .status();
        assert!(status.is_ok_and(|status| status.code() == Some(0)));
        Case { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A command in the folder, where it may make a new suite.
    fn command(&self, words: &[&str]) -> Command {
        let _ = fs::remove_dir_all(self.path().join("NEW"));
        let mut command = labrys();
        command.args(words).current_dir(self.path());
        command
    }

    /// A command that makes a suite has made it.
    fn check_suite(&self, words: &[&str]) {
        if words[0] == "cover" && words.contains(&"NEW") {
            let suite = labrys_suite::Suite::open(&self.path().join("NEW"));
            let suite = suite.expect("the suite is complete");
            assert!(!suite.cases.is_empty(), "{words:?}");
        }
    }
}

#[test]
fn a_reader_that_left_ends_the_command_by_sigpipe() {
    let case = Case::new();
    for words in COMMANDS {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = case.command(words).stdout(writer).output();
        let output = output.expect("the command runs");
        assert_eq!(
            output.status.signal(),
            Some(SIGPIPE),
            "{words:?} {output:?}"
        );
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!text.contains("error") && !text.contains("panic"), "{text}");
        case.check_suite(words);
    }
}

#[test]
fn a_full_output_is_named() {
    let case = Case::new();
    for words in COMMANDS {
        let full = File::create("/dev/full").expect("a full device");
        let output = case.command(words).stdout(full).output();
        let output = output.expect("the command runs");
        assert_eq!(output.status.code(), Some(5), "{words:?} {output:?}");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("cannot write standard output"), "{text}");
        case.check_suite(words);
    }
}

#[test]
fn messages_that_cannot_be_written_change_nothing() {
    let case = Case::new();
    for words in COMMANDS {
        let expected = case.command(words).output().expect("the command runs");
        let full = File::create("/dev/full").expect("a full device");
        let output = case.command(words).stderr(full).output();
        let output = output.expect("the command runs");
        assert_eq!(output.status, expected.status, "{words:?}");
        case.check_suite(words);
    }
    // An error that cannot be told has its status.
    let status = labrys()
        .args(["sites", "nothing-here"])
        .stderr(File::create("/dev/full").expect("a full device"))
        .stdout(Stdio::null())
        .status()
        .expect("the command runs");
    assert_eq!(status.code(), Some(3));
    let status = labrys_cc()
        .arg("nothing-here.c")
        .stderr(File::create("/dev/full").expect("a full device"))
        .status()
        .expect("the command runs");
    assert_eq!(status.code(), Some(1));
}
