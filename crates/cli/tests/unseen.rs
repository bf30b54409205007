//! What functions of libraries take where nothing follows it is counted under their names.

#![allow(missing_docs)]

mod common;

use common::Cover;
use std::collections::BTreeMap;

/// Concretizations of a single run.
fn counted(program: &str) -> BTreeMap<String, u64> {
    let mut cover = Cover::new(program, "--quiet --runs 1 --input");
    let input = cover.folder.path().join("input");
    std::fs::write(&input, "12 abc\n34 def\n").expect("a file");
    cover.options.push(input.display().to_string());
    let (suite, _) = cover.expect(0);
    suite.summary.expect("a summary").concretizations
}

#[test]
fn functions_of_the_c_library_are_counted_by_name() {
    let counted = counted("unseen.c");
    let external = [
        "access",
        "fnmatch",
        "fork",
        "getsubopt",
        "getw",
        "mktime",
        "preadv",
        "strptime",
        "tsearch",
    ];
    let named = |cause: &str, name: &str| (format!("{cause} {name}"), 1);
    let mut expected: BTreeMap<String, u64> = external
        .into_iter()
        .map(|name| named("external-call", name))
        .collect();
    expected.insert("external-call".into(), external.len() as u64);
    expected.extend(["fopen", "strtold"].map(|name| named("library-argument", name)));
    expected.insert("library-argument".into(), 2);
    assert_eq!(counted, expected);
}

#[test]
fn what_comes_back_by_pipes_files_and_pointers_is_counted() {
    let counted = counted("unseen_own.c");
    let names = [
        "a64l",
        "fgets",
        "fputs",
        "fscanf",
        "getc",
        "read",
        "strsignal",
    ];
    let named = |name: &str| (format!("external-call {name}"), 1);
    let mut expected: BTreeMap<String, u64> = names.into_iter().map(named).collect();
    expected.insert("external-call".into(), names.len() as u64);
    assert_eq!(counted, expected);
}

#[test]
fn what_is_printed_without_labels_is_counted() {
    let counts = counted("unseen_formats.c");
    let counts: Vec<_> = counts.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    let expected = [("library-argument", 3), ("library-argument snprintf", 3)];
    assert_eq!(counts, expected);
}

#[test]
fn wide_streams_are_counted() {
    let counted = counted("unseen.cc");
    let reads = |function: &str| {
        counted
            .keys()
            .any(|key| key.starts_with("external-call ") && key.contains(function))
    };
    assert!(
        reads("basic_istreamIwSt11char_traitsIwEErsERi"),
        "{counted:?}"
    );
    assert!(
        reads("basic_istreamIwSt11char_traitsIwEE6sentryC1"),
        "{counted:?}"
    );
}
