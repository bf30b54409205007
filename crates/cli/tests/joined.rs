//! Searches that ask about joined paths: what they find, that it repeats, and that what is recorded is
//! true.

#![allow(missing_docs)]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{folder, labrys, output};
use labrys_suite::{Suite, TargetStatus};

/// The goals of `joined.c` of the corpus.
const GOALS: [&str; 5] = ["count", "range", "depth", "checksum", "number"];

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/joined.c")
}

fn cover(out: &Path, words: &str) -> Suite {
    let mut command = labrys();
    command.arg("cover").arg(corpus());
    command.args(["--stdin", "--no-fuzz", "--quiet", "--out"]);
    command.arg(out).args(words.split_whitespace());
    let ended = output(&mut command);
    assert!(ended.status.success(), "{ended:?}");
    Suite::open(out).expect("a suite")
}

fn reached(suite: &Suite) -> Vec<&str> {
    let summary = suite.summary.as_ref().expect("a summary");
    let targets = summary.targets.iter();
    let reached = targets.filter(|target| target.status == TargetStatus::Reached);
    reached.map(|target| &*target.location).collect()
}

#[test]
fn conditions_on_what_many_decisions_computed_are_met() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let suite = cover(&at("joined"), "--runs 2000 --audit");
    let found = reached(&suite);
    assert!(GOALS.iter().all(|goal| found.contains(goal)), "{found:?}");
    let made = |case: &&labrys_suite::TestCase| case.origin.strategy == "joined paths";
    assert!(suite.cases.iter().any(|case| made(&case)));
    let apart = cover(&at("apart"), "--runs 2000 --no-join");
    let found = reached(&apart);
    assert!(!found.contains(&"checksum"), "{found:?}");
    assert!(!apart.cases.iter().any(|case| made(&case)));
}

/// The forward search of `labrys reach` asks about joined paths too.
#[test]
fn targets_behind_what_many_decisions_computed_are_reached() {
    let folder = folder();
    let mut command = labrys();
    command.arg("reach").arg(corpus());
    command.args(["--stdin", "--time", "60s", "--target", "checksum", "--out"]);
    let ended = output(command.arg(folder.path().join("suite")));
    assert!(ended.status.success(), "{ended:?}");
}

#[test]
fn the_same_runs_give_the_same_suite() {
    let folder = folder();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    for out in [&first, &second] {
        let suite = cover(out, "--runs 600 --reproducible");
        assert!(!reached(&suite).is_empty());
    }
    let same = output(Command::new("diff").arg("-r").args([&first, &second]));
    assert!(same.status.success(), "{same:?}");
}

/// A source may be called as one of the executables is.
#[test]
fn a_program_is_called_as_it_likes() {
    for name in ["plain", "checked", "joined", "whole", "frozen"] {
        let folder = folder();
        let source = folder.path().join(name).with_extension("c");
        std::fs::write(&source, "int main(void) { return 0; }\n").expect("written");
        let mut command = labrys();
        command
            .args(["cover", "--runs", "2", "--quiet"])
            .arg(source);
        command.arg("--out").arg(folder.path().join("suite"));
        let ended = output(&mut command);
        assert!(ended.status.success(), "{name}: {ended:?}");
    }
}
