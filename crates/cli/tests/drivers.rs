//! `labrys cover --abstraction` on the driver-style programs: the branches that their comments call
//! dead are proved unreachable, all others are covered.

#![allow(missing_docs)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use labrys_suite::{Suite, TargetStatus};

/// The programs that are decided within a few hundred steps.
const PROGRAMS: [&str; 11] = [
    "floppy",
    "handshake",
    "irql",
    "lock_once",
    "lock_retry",
    "modes",
    "queue",
    "references",
    "states",
    "table",
    "watchdog",
];

/// The line in a location such as `lock.c:12:9 s3 direction 1`; `None` for decisions that the
/// compiler made.
fn line(location: &str) -> Option<usize> {
    let place = location.split(" s").next()?;
    let mut parts = place.rsplit(':');
    let _column = parts.next()?.parse::<usize>().ok()?;
    parts.next()?.parse().ok()
}

#[test]
fn dead_branches_are_proved_and_the_others_covered() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/drivers");
    for name in PROGRAMS {
        let file = folder.join(format!("{name}.c"));
        let suite = tempfile::tempdir().expect("a temporary folder");
        let out = suite.path().join("suite");
        let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
        command
            .arg("cover")
            .arg(&file)
            .args(["--abstraction", "--endless", "-q"]);
        command.args(["--steps", "5000", "--out"]).arg(&out);
        let output = command.output().expect("the command runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{name}: {error}");
        let text = fs::read_to_string(&file).expect("a program");
        let lines = text.lines().enumerate();
        let dead = lines.filter(|(_, line)| line.contains("// never"));
        let dead: BTreeSet<usize> = dead.map(|(at, _)| at + 1).collect();
        assert!(dead.len() > 2, "{name}");
        let summary = Suite::open(&out)
            .expect("a suite")
            .summary
            .expect("a summary");
        let proved = summary.targets.iter();
        let proved = proved.filter(|target| target.status == TargetStatus::Unreachable);
        let proved: BTreeSet<usize> = proved.filter_map(|target| line(&target.location)).collect();
        assert_eq!(proved, dead, "{name}");
        let branches = summary.branches;
        assert_eq!(
            branches.covered + branches.unreachable,
            branches.total,
            "{name}"
        );
    }
}
