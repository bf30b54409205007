//! The programs of the walk's benchmark: their known solutions, and those that the stack solves.

#![allow(missing_docs)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
    let folder = tempfile::tempdir().expect("a temporary folder");
    for list in LISTS {
        let program = folder.path().join(list);
        let built = Command::new("cc")
            .args(["-w", "-DWITNESS", "-o"])
            .args([&program, &source(list)])
            .arg("-lm")
            .status();
        assert!(built.expect("there is a compiler").success());
        let output = Command::new(&program).output().expect("a program");
        let wrong = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{list}: {wrong}");
    }
}

#[test]
fn the_stack_reaches_every_target() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in SOLVED {
        let out = folder.path().join(name);
        let status = Command::new(env!("CARGO_BIN_EXE_labrys"))
            .arg("cover")
            .arg(source(name))
            .args(["--quiet", "--until-targets", "--time", "30s", "--out"])
            .arg(&out)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert_eq!(status.expect("the command runs").code(), Some(0), "{name}");
        let suite = Suite::open(&out).expect("a valid suite");
        let targets = suite.summary.expect("a summary").targets;
        let is_open = |status| status != TargetStatus::Reached;
        let open: Vec<_> = targets.iter().filter(|t| is_open(t.status)).collect();
        assert!(!targets.is_empty() && open.is_empty(), "{name}: {open:?}");
    }
}
