//! Failures by the real command: kinds, places, stacks, inputs.

#![allow(missing_docs)]

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::{folder, labrys, output, program, replay, text};
use labrys_suite::{FailureSummary, Suite, TargetStatus};

/// Covers a program; its failures by kind.
fn failures(name: &str, out: &Path, options: &[&str]) -> BTreeMap<String, FailureSummary> {
    let mut command = labrys();
    command
        .arg("cover")
        .arg(program(name))
        .arg("--out")
        .arg(out);
    let output = output(command.args(options));
    let status = output.status.code();
    assert!(status == Some(0) || status == Some(1), "{output:?}");
    let suite = Suite::open(out).expect("a valid suite");
    let found = suite.summary.expect("a summary").failures;
    assert_eq!(status == Some(1), !found.is_empty());
    found
        .into_iter()
        .map(|failure| (failure.kind.clone(), failure))
        .collect()
}

#[test]
fn every_fault_is_found_confirmed_and_placed() {
    let folder = folder();
    let out = folder.path().join("suite");
    let found = failures("faults.c", &out, &["--steps", "300"]);
    // Kind, line, and what the smallest input begins with.
    let expected: [(&str, u32, &[u8]); 11] = [
        ("SIGABRT", 16, b"ax"),
        ("assertion", 9, b"bM"),
        ("division-by-zero", 18, b"c\x05"),
        ("null-dereference", 8, b"d\x09"),
        ("index-out-of-bounds", 20, b"e"),
        ("heap-buffer-overflow", 21, b"f"),
        ("double-free", 22, b"g\x03"),
        ("heap-use-after-free", 23, b"h\x04"),
        ("shift-out-of-bounds", 24, b"i"),
        ("trap", 25, b"jq"),
        ("memcpy-param-overlap", 26, b"k"),
    ];
    for (kind, line, start) in expected {
        let failure = found
            .get(kind)
            .unwrap_or_else(|| panic!("no {kind} in {found:?}"));
        assert!(failure.confirmed, "{failure:?}");
        let place = failure.location.as_deref().expect("a place");
        assert!(place.contains(&format!("faults.c:{line}:")), "{failure:?}");
        let main = failure.stack.last().expect("a stack");
        assert!(
            main.starts_with("main (") && main.contains("faults.c:"),
            "{failure:?}"
        );
        let input = std::fs::read(out.join(&failure.input)).expect("raw bytes");
        assert!(input.starts_with(start), "{kind}: {input:?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:?}");
    assert!(
        found["assertion"]
            .stack
            .iter()
            .any(|frame| frame.starts_with("check ("))
    );
    assert_eq!(found["double-free"].stack.len(), 1);

    let shown = replay(&out, &["--failure", "1"]);
    let words = text(&shown);
    assert_eq!(shown.status.code(), Some(1), "{words}");
    assert!(
        words.contains("#0 ") && words.contains("checked build: "),
        "{words}"
    );
    let unknown = replay(&out, &["--failure", "99"]);
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn without_oracles_only_what_ends_the_program_counts() {
    let folder = folder();
    let found = failures(
        "faults.c",
        &folder.path().join("suite"),
        &["--steps", "300", "--no-oracles"],
    );
    for kind in [
        "index-out-of-bounds",
        "shift-out-of-bounds",
        "heap-use-after-free",
    ] {
        assert!(!found.contains_key(kind), "{kind}");
    }
    for kind in [
        "SIGABRT",
        "assertion",
        "null-dereference",
        "trap",
        "double-free",
    ] {
        let failure = found
            .get(kind)
            .unwrap_or_else(|| panic!("no {kind} in {found:?}"));
        assert!(
            failure.confirmed && failure.location.is_some(),
            "{failure:?}"
        );
    }
}

#[test]
fn every_target_is_listed_with_its_place() {
    let folder = folder();
    let out = folder.path().join("suite");
    let found = failures("marks.c", &out, &["--steps", "200"]);
    assert!(found.is_empty(), "{found:?}");
    let targets = Suite::open(&out)
        .expect("a suite")
        .summary
        .expect("a summary")
        .targets;
    let expected = [
        ("first", 7, TargetStatus::Reached),
        ("never", 8, TargetStatus::Open),
        ("second", 9, TargetStatus::Reached),
    ];
    assert_eq!(targets.len(), expected.len(), "{targets:?}");
    for (target, (name, line, status)) in targets.iter().zip(expected) {
        let place = target.place.as_deref().expect("a place");
        assert!(place.contains(&format!("marks.c:{line}:")), "{target:?}");
        assert_eq!((target.location.as_str(), target.status), (name, status));
        let input = target.input.as_ref().map(|input| out.join(input));
        assert_eq!(
            input.is_some_and(|input| input.is_file()),
            status == TargetStatus::Reached
        );
    }
}

#[test]
fn a_loop_that_runs_once_too_often_is_found() {
    let folder = folder();
    let found = failures(
        "too_long.c",
        &folder.path().join("suite"),
        &["--steps", "400"],
    );
    let failure = found.get("heap-buffer-overflow").expect("the overflow");
    assert!(failure.confirmed && failure.detail.contains("0 bytes after 24-byte region"));
}

#[test]
fn errors_of_memory_are_seen_in_runs_that_cover_nothing_new() {
    let folder = folder();
    let found = failures("unrelated.c", &folder.path().join("suite"), &[]);
    let failure = found.get("heap-use-after-free").expect("the early release");
    let place = failure.location.as_deref().expect("a place");
    assert!(
        failure.confirmed && place.contains("unrelated.c:2"),
        "{failure:?}"
    );
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        ["heap-buffer-overflow", "heap-use-after-free"]
    );
}

#[test]
fn lengths_of_copies_are_targets() {
    let folder = folder();
    let found = failures("extents.c", &folder.path().join("suite"), &[]);
    let places = found.iter().map(|(kind, failure)| {
        let place = failure.location.as_deref().unwrap_or_default();
        let line = place.rsplit(':').nth(1).unwrap_or_default();
        assert!(failure.confirmed, "{failure:?}");
        (kind.as_str(), line.to_owned())
    });
    let expected = [
        ("heap-buffer-overflow", "16"),
        ("stack-buffer-overflow", "11"),
    ];
    let expected = expected.map(|(kind, line)| (kind, line.to_owned()));
    assert_eq!(places.collect::<Vec<_>>(), expected);
}

/// A failure that rests on the clock of runs, which begins at a fixed time, is not confirmed, and
/// says so; the clock is a plausible one.
#[test]
fn what_rests_on_the_frozen_clock_is_not_confirmed() {
    let folder = folder();
    let program = folder.path().join("clock.c");
    let text_of_program = "#include <stdlib.h>\n#include <stdio.h>\n#include <time.h>\n\
        int main(void) {\n\
          struct tm *now;\n\
          time_t seconds = time(0);\n\
          int c = getchar();\n\
          if (c == 'a' && seconds < 1795478402) abort();\n\
          now = gmtime(&seconds);\n\
          if (c == 'b' && now->tm_year < 124) abort();\n\
          return 0;\n}\n";
    std::fs::write(&program, text_of_program).expect("written");
    let out = folder.path().join("suite");
    let mut command = labrys();
    command.arg("cover").arg(&program).arg("--out").arg(&out);
    let output = output(command.args(["--steps", "100"]));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let suite = Suite::open(&out).expect("a valid suite");
    let found = suite.summary.expect("a summary").failures;
    let [failure] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(!failure.confirmed);
    assert!(failure.detail.contains("clock"), "{failure:?}");
    assert!(text(&output).contains("depends on the clock"));
}
