//! Calls of a program's own functions: what crashes or hangs there has no value, and harms no
//! later call.

#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use labrys_abi::{CONTROL_FD, STATUS_FD};
use labrys_executor::MarkedFunctions;

/// The program, compiled once by every process that runs tests.
fn binary() -> PathBuf {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    let compile = || {
        let name = format!("calls.{}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let status = Command::new("cc")
            .args(["-O1", "-w"])
            .arg(format!("-DCONTROL_FD={CONTROL_FD}"))
            .arg(format!("-DSTATUS_FD={STATUS_FD}"))
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/calls.c"))
            .arg("-o")
            .arg(&path)
            .status();
        assert!(status.unwrap().success());
        path
    };
    BINARY.get_or_init(compile).clone()
}

#[test]
fn calls_are_answered_by_one_process() {
    let mut calls = MarkedFunctions::of(&binary());
    assert_eq!(calls.signature("@sum").as_deref(), Some("lll"));
    assert_eq!(calls.call("@sum", &[40, 2]), Some(42));
    let process = calls.call("@process", &[1]);
    assert!(process.is_some());
    assert_eq!(calls.call("@process", &[2]), process);
}

#[test]
fn what_is_not_in_the_table_has_no_value() {
    let mut calls = MarkedFunctions::of(&binary());
    for name in ["sum", "@none", "@"] {
        assert_eq!(calls.signature(name), None);
        assert_eq!(calls.call(name, &[1, 2]), None);
    }
    assert_eq!(calls.call("@sum", &[1]), None);
    assert_eq!(calls.call("@sum", &[1, 2, 3]), None);
    let mut nothing = MarkedFunctions::of(Path::new("/nonexistent"));
    assert_eq!(nothing.call("@sum", &[1, 2]), None);
}

#[test]
fn a_call_that_crashes_or_hangs_has_no_value_and_the_next_has() {
    let mut calls = MarkedFunctions::of(&binary());
    let mut processes = BTreeSet::new();
    for (number, function) in (0..).zip(["@crash", "@hang", "@crash"]) {
        processes.insert(calls.call("@process", &[number]).unwrap());
        assert_eq!(calls.call(function, &[number]), None);
        assert_eq!(calls.call("@sum", &[number, 1]), Some(number + 1));
    }
    assert_eq!(processes.len(), 3);
}

#[test]
fn functions_that_keep_crashing_are_left_alone_and_known_answers_stay() {
    let mut calls = MarkedFunctions::of(&binary());
    let mut processes = BTreeSet::new();
    for number in 0..300 {
        processes.extend(calls.call("@process", &[number]));
        assert_eq!(calls.call("@crash", &[number]), None);
    }
    assert_eq!(processes.len(), 200);
    assert!(calls.call("@process", &[7]).is_some());
    assert_eq!(calls.call("@sum", &[1, 1]), None);
    assert_eq!(calls.signature("@sum").as_deref(), Some("lll"));
}
