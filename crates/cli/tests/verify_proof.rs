//! What is proved unreachable is checked again by a second solver; what is no proof is refused.

#![allow(missing_docs)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use common::{Cover, labrys, output, text};
use labrys_suite::Suite;

const STEPS: &str = "--abstraction --steps 2000 --quiet";

fn verify(suite: &Path, more: &[&str]) -> Output {
    output(labrys().arg("verify-proof").arg(suite).args(more))
}

/// What is printed, if the exit status is this.
fn said(suite: &Path, more: &[&str], status: i32) -> String {
    let output = verify(suite, more);
    assert_eq!(output.status.code(), Some(status), "{}", text(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn proof(suite: &Path) -> PathBuf {
    suite.join("proofs/000001.smt2")
}

#[test]
fn a_proof_is_checked_by_a_second_solver() {
    let cover = Cover::new("unreach.c", STEPS);
    let (suite, _) = cover.expect(0);
    let targets = &suite.summary.expect("a summary").targets;
    let places: Vec<_> = targets
        .iter()
        .map(|target| target.proof.as_deref())
        .collect();
    assert_eq!(places, [Some("proofs/000001.smt2")]);
    for more in [&[][..], &["--solver", "bitwuzla"]] {
        let found = said(&cover.out(), more, 0);
        assert!(
            found.contains("s2 direction 1 checked\n1 checked, 0 not checked"),
            "{found}"
        );
    }
    let queries = cover.folder.path().join("queries");
    let found = said(
        &cover.out(),
        &["--json", "--queries", queries.to_str().expect("UTF-8")],
        0,
    );
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    assert_eq!(
        (&found["checked"], &found["refused"]),
        (&1.into(), &0.into())
    );
    let count = fs::read_dir(queries).expect("a folder").count();
    assert_eq!(found["queries"], count);
}

#[test]
fn the_same_search_writes_the_same_certificate_and_resuming_keeps_it() {
    let mut cover = Cover::new("unreach.c", STEPS);
    cover.expect(0);
    let other = Cover::new("unreach.c", STEPS);
    other.expect(0);
    let read = |cover: &Cover| fs::read(proof(&cover.out())).expect("a certificate");
    assert_eq!(read(&cover), read(&other));
    cover.options.push("--resume".to_owned());
    let (suite, _) = cover.expect(0);
    assert_eq!(suite.proofs.len(), 1);
    let found = said(&cover.out(), &[], 0);
    assert!(
        found.contains("1 checked, 0 not checked, 0 not independently"),
        "{found}"
    );
}

#[test]
fn what_is_no_proof_is_refused() {
    let cover = Cover::new("unreach.c", STEPS);
    cover.expect(0);
    let out = cover.out();
    let right = fs::read_to_string(proof(&out)).expect("a certificate");
    let taken = right.replace("s2 direction 1", "s2 direction 0");
    let start = right.find("(define-fun |main b1|").expect("a formula");
    let end = start + right[start..].find(")))\n").expect("its end") + 4;
    let formula = |new: &str| format!("{}{new}{}", &right[..start], &right[end..]);
    let changed = [
        ("no text", String::new(), "no certificate"),
        ("half a text", right[..right.len() / 2].to_owned(), "line"),
        ("a branch that tests take", taken, "does not claim it"),
        (
            "no claim",
            right.replacen("(set-info :unreachable", ";", 1),
            "does not claim it",
        ),
        (
            "nothing is known",
            formula("(define-fun |main b1| () Bool true)\n"),
            "a run",
        ),
        (
            "all is known",
            formula("(define-fun |main b1| () Bool false)\n"),
            "a run",
        ),
        ("a location is missing", formula(""), "a run"),
        (
            "it begins nowhere",
            right.replace("|main b0| () Bool true", "|main b0| () Bool false"),
            "begin",
        ),
        (
            "another frame",
            right.replace("main/b2.0/h", "main/b2.1/h"),
            "the program has no",
        ),
        (
            "an assertion",
            format!("{right}(assert false)(check-sat)"),
            "commands",
        ),
    ];
    for (what, text, reason) in changed {
        fs::write(proof(&out), text).expect("the suite is writable");
        let found = said(&out, &[], 1);
        assert!(
            found.contains("REFUSED") && found.contains(reason),
            "{what}: {found}"
        );
        let line = found.lines().find(|line| line.contains("s2 direction 0"));
        assert!(
            line.is_none_or(|line| line.contains("REFUSED")),
            "{what}: {found}"
        );
    }
    fs::remove_file(proof(&out)).expect("the suite is writable");
    assert!(said(&out, &[], 1).contains("REFUSED (there is no proofs/000001.smt2)"));
    fs::write(proof(&out), &right).expect("the suite is writable");
    said(&out, &[], 0);
}

#[test]
fn a_claim_that_a_test_refutes_is_refused_whatever_its_certificate_says() {
    let cover = Cover::new("unreach.c", STEPS);
    let (suite, _) = cover.expect(0);
    let out = cover.out();
    let text = fs::read_to_string(proof(&out)).expect("a certificate");
    let covered = suite.confirmed_coverage();
    assert!(covered.count() > 5);
    // The summary was lost: the certificate alone makes the claim.
    fs::remove_file(out.join("summary.json")).expect("the suite is writable");
    fs::write(
        proof(&out),
        text.replace("s2 direction 1", "s2 direction 0"),
    )
    .expect("writable");
    let found = said(&out, &[], 1);
    assert!(found.contains("of the suite takes it"), "{found}");
}

#[test]
fn proofs_of_backward_execution_are_listed() {
    let cover = Cover::new("dead.c", "--with backward --steps 1500 --quiet");
    let (suite, _) = cover.expect(0);
    assert!(suite.proofs.is_empty());
    let found = said(&cover.out(), &[], 0);
    assert!(
        found.contains("0 checked, 0 not checked, 3 not independently checkable"),
        "{found}"
    );
}

#[test]
fn what_cannot_be_checked_is_said() {
    let cover = Cover::new("unreach.c", "--steps 50 --quiet");
    cover.expect(0);
    let found = said(&cover.out(), &[], 0);
    assert!(found.starts_with("0 checked"), "{found}");
    let other = common::program("dead.c");
    let other = other.to_str().expect("UTF-8");
    let problem = verify(&cover.out(), &["--program", other]);
    assert_eq!(problem.status.code(), Some(3));
    assert!(
        text(&problem).contains("not the build"),
        "{}",
        text(&problem)
    );
    let nowhere = verify(&cover.folder.path().join("nowhere"), &[]);
    assert_eq!(nowhere.status.code(), Some(2), "{}", text(&nowhere));
    assert!(
        Suite::open(&cover.out())
            .expect("a suite")
            .proofs
            .is_empty()
    );
}

/// Control comes back into `main` only.
#[test]
fn functions_of_a_program_that_jumps_are_proved_by_themselves() {
    let cover = Cover::new("jumps_out.c", STEPS);
    let (suite, _) = cover.expect(0);
    let targets = suite.summary.expect("a summary").targets;
    let proved = targets.iter().map(|target| target.proof.as_deref());
    assert_eq!(
        proved.collect::<Vec<_>>(),
        [Some("proofs/000001.smt2"); 3],
        "{targets:?}"
    );
    let found = said(&cover.out(), &[], 0);
    assert!(found.contains("3 checked, 0 not checked"), "{found}");
}
