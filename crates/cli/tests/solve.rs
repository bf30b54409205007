//! `labrys solve` on scripts.

#![allow(missing_docs)]

mod common;

use std::process::Output;

use common::{folder, labrys, output};

fn solve(script: &str) -> Output {
    let folder = folder();
    let file = folder.path().join("script.smt2");
    std::fs::write(&file, script).expect("the folder is writable");
    output(labrys().arg("solve").arg(&file))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn decides_bit_vectors_level_by_level() {
    let output = solve(
        "(set-logic QF_BV)
         (declare-const x (_ BitVec 8))
         (assert (= (bvmul x x) #x31))
         (check-sat)
         (push) (assert (= ((_ extract 0 0) x) #b0)) (check-sat) (pop)
         (assert (= x #x07)) (check-sat) (get-value (x))",
    );
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), "sat\nunsat\nsat\n((x #x07))\n");
}

#[test]
fn decides_floats() {
    let output = solve(
        "(set-logic QF_FP)
         (declare-const x (_ FloatingPoint 11 53))
         (assert (fp.eq (fp.add RNE x x) x))
         (assert (not (fp.isZero x)))
         (assert (not (fp.isInfinite x)))
         (check-sat)",
    );
    assert_eq!(text(&output.stdout), "unsat\n");
}

#[test]
fn a_broken_script_is_an_error_with_its_place() {
    let output = solve("(set-logic QF_BV)\n(assert (= a b))\n(check-sat)");
    assert_eq!(output.status.code(), Some(3));
    let message = text(&output.stderr);
    assert!(message.contains("line 2"), "{message}");
    assert!(text(&output.stdout).starts_with("(error \"line 2"));
}

#[test]
fn replies_before_an_error_are_given() {
    let output = solve("(check-sat)\n(get-nothing)\n(check-sat)\n");
    assert_eq!(output.status.code(), Some(3));
    let replies = text(&output.stdout);
    assert!(replies.starts_with("sat\n(error \"line 2"), "{replies}");
    assert_eq!(replies.lines().count(), 2, "{replies}");
}
