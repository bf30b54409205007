//! The programs of the walk's benchmark: their known solutions, and those that the stack solves.

#![allow(missing_docs)]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{folder, labrys, output, succeed, text};
use labrys_suite::{Suite, TargetStatus};

/// Lists of functions of one condition.
const LISTS: [&str; 4] = ["coral", "fresh", "held_out", "unseen"];
/// Programs of which every target is reached within a few seconds.
const SOLVED: [&str; 6] = ["blind", "coral", "dart", "hash", "opti", "power"];

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../benchmarks/walk/programs")
        .join(format!("{name}.c"))
}

#[test]
fn known_solutions_are_solutions() {
    let folder = folder();
    for list in LISTS {
        let program = folder.path().join(list);
        let (flags, files) = (["-w", "-DWITNESS", "-o"], [&program, &source(list)]);
        succeed(Command::new("cc").args(flags).args(files).arg("-lm"));
        let run = output(&mut Command::new(&program));
        assert!(run.status.success(), "{list}: {}", text(&run));
    }
}

#[test]
fn the_stack_reaches_every_target() {
    let folder = folder();
    for name in SOLVED {
        let out = folder.path().join(name);
        let options = ["--quiet", "--until-targets", "--time", "30s", "--out"];
        let mut command = labrys();
        command.arg("cover").arg(source(name)).args(options);
        let run = output(command.arg(&out));
        assert_eq!(run.status.code(), Some(0), "{name}: {}", text(&run));
        let suite = Suite::open(&out).expect("a valid suite");
        let targets = suite.summary.expect("a summary").targets;
        let is_open = |status| status != TargetStatus::Reached;
        let open: Vec<_> = targets.iter().filter(|t| is_open(t.status)).collect();
        assert!(!targets.is_empty() && open.is_empty(), "{name}: {open:?}");
    }
}
