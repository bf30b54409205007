//! A program under Labrys does not see who started Labrys, and how.

#![allow(missing_docs)]

mod common;

use std::path::Path;
use std::process::{Command, Output};

use common::{folder, output, program};
use labrys_suite::{Outcome, Suite};

/// Runs the command from a shell that first does something.
fn labrys(first: &str, arguments: &[&Path]) -> Output {
    let script = format!("{first} exec \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_labrys")]);
    output(shell.args(arguments))
}

#[test]
fn ignored_signals_and_rights_of_new_files_are_not_handed_on() {
    let program = program("surroundings.c");
    let folder = folder();
    let out = folder.path().join("suite");
    let cover = ["cover", "--runs", "20", "--out"].map(Path::new);
    let background = "trap '' QUIT USR1; umask 077;";
    let made = labrys(background, &[&cover[..], &[&out, &program]].concat());
    assert!(made.status.success(), "{made:?}");
    let suite = Suite::open(&out).expect("a suite");
    let ends = |status| {
        suite
            .cases
            .iter()
            .any(|case| case.outcome == Outcome::Exit(status))
    };
    assert!(ends(0) && ends(10) && ends(100), "{:?}", suite.cases);
    for first in ["", background] {
        let replayed = labrys(first, &[Path::new("replay"), &out]);
        assert!(replayed.status.success(), "{first}: {replayed:?}");
    }
}
