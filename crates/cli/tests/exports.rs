//! Suites in the forms of other tools, and inputs that come from there.

#![allow(missing_docs)]

mod common;

use std::fs;

use common::{Cover, labrys, output, text};
use labrys_suite::{Ktest, StreamKind, Suite};

/// A harness as for KLEE.
const HARNESS: &str = r#"
#include <assert.h>
#include <klee/klee.h>
int main(void) {
  int count;
  unsigned char word[3];
  klee_make_symbolic(&count, sizeof count, "count");
  klee_make_symbolic(word, sizeof word, "word");
  if (count == 12345 && word[0] == 'x' && word[2] == 'z') assert(word[1] != 'y');
  return 0;
}
"#;

/// Reads an option, a file and standard input.
const READER: &str = r#"
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  if (argc != 3 || strcmp(argv[1], "-v")) return 1;
  FILE *file = fopen(argv[2], "r");
  if (!file || getc(file) != '#') return 2;
  return getchar() == '!' ? 3 : 4;
}
"#;

fn read(path: &std::path::Path) -> Ktest {
    Ktest::read(&fs::read(path).expect("a file")).expect("a test of KLEE")
}

#[test]
fn tests_of_klee_have_the_values_and_give_them_back() {
    let cover = Cover::text(HARNESS, "--steps 300 --export ktest --zip");
    let (suite, _) = cover.expect(1);
    assert!(suite.cases.len() > 3);
    for case in &suite.cases {
        let test = read(&cover.out().join(format!("ktest/test{:06}.ktest", case.id)));
        let names: Vec<&str> = test.objects.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["count", "word"]);
        let bytes: Vec<u8> = test
            .objects
            .iter()
            .flat_map(|(_, value)| value.clone())
            .collect();
        assert!(bytes.starts_with(&case.input.streams[0].bytes));
    }
    let archive = fs::read(cover.out().join("ktest.zip")).expect("an archive");
    let name = b"test000001.ktest";
    assert!(archive.windows(name.len()).any(|window| window == name));

    // The failure's test leads another search straight to it.
    let failure = cover.out().join("failures/000001/input.ktest");
    assert_eq!(read(&failure).objects[0].1, 12345_u32.to_le_bytes());
    let options = format!("--runs 1 --input {}", failure.display());
    let (again, _) = Cover::text(HARNESS, &options).expect(1);
    assert_eq!(again.failures[0].input, suite.failures[0].input);
}

#[test]
fn files_and_arguments_have_the_names_of_klees_runtime() {
    let options = "--steps 600 --export ktest --stdin --sym-arg 1:4 -- x @@";
    let cover = Cover::text(READER, options);
    let (suite, _) = cover.expect(0);
    let deepest = suite.cases.iter().find(|case| {
        let status = |code| case.outcome == labrys_suite::Outcome::Exit(code);
        status(3)
    });
    let deepest = deepest.expect("a test with status 3");
    let path = cover
        .out()
        .join(format!("ktest/test{:06}.ktest", deepest.id));
    let test = read(&path);
    let value = |name: &str| {
        let mut objects = test.objects.iter();
        let object = objects.find(|(other, _)| other == name);
        object.unwrap_or_else(|| panic!("no {name}")).1.clone()
    };
    assert!(value("A-data").starts_with(b"#") && value("stdin").starts_with(b"!"));
    assert!(value("arg00").starts_with(b"-v\0"));
    assert_eq!(test.arguments[1..4], ["--sym-arg", "4", "A"]);
    let options = format!(
        "--runs 1 --input {} --stdin --sym-arg 1:4 -- x @@",
        path.display()
    );
    let (again, _) = Cover::text(READER, &options).expect(0);
    assert_eq!(again.cases[0].input, deepest.input);
    assert_eq!(again.cases[0].outcome, deepest.outcome);
}

#[test]
fn any_harness_can_have_tests_of_test_comp() {
    let cover = Cover::text(HARNESS, "--steps 1 --export testcomp");
    cover.expect(0);
    let folder = cover.out().join("test-suite");
    let case = fs::read_to_string(folder.join("testcase-000001.xml")).expect("a test");
    assert!(case.contains("<input variable=\"count\""), "{case}");
    assert!(folder.join("metadata.xml").is_file());
}

#[test]
fn reach_writes_them_too() {
    let cover = Cover::text(HARNESS, "");
    let out = cover.out();
    let reached = output(
        labrys()
            .arg("reach")
            .arg(&cover.program)
            .args(["--target", "program.c:10"])
            .args(["--export", "ktest", "--steps", "2000", "--zip", "--out"])
            .arg(&out),
    );
    let suite = Suite::open(&out).expect("a valid suite");
    assert!(!suite.cases.is_empty(), "{}", text(&reached));
    assert_eq!(suite.cases[0].input.streams[0].kind, StreamKind::Objects);
    assert!(out.join("ktest/test000001.ktest").is_file());
    assert!(out.join("ktest.zip").is_file());
}

#[test]
fn forms_that_do_not_fit_are_refused() {
    for (options, part) in [
        (
            "--export testcomp",
            "no form testcomp: its tests hold values",
        ),
        ("--export c", "no form c: the program asks for no objects"),
        ("--export xml", "possible values: c, testcomp, ktest"),
        ("--steps 1 --zip", "name a form by --export"),
    ] {
        let refused = output(&mut Cover::new("magic.c", options).command());
        assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
        assert!(text(&refused).contains(part), "{}", text(&refused));
    }
    let mut cover = Cover::new("magic.c", "--steps 1");
    cover.expect(0);
    cover.options = ["--resume", "--export", "ktest"].map(str::to_owned).into();
    let refused = output(&mut cover.command());
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused).contains("begun without --export ktest"));
}

#[test]
fn a_damaged_test_of_klee_is_an_error_with_its_name() {
    let cover = Cover::text(HARNESS, "--input cut.ktest");
    fs::write(
        cover.folder.path().join("cut.ktest"),
        b"KTEST\0\0\0\x03\0\0",
    )
    .expect("a file");
    let refused = output(cover.command().current_dir(cover.folder.path()));
    assert_eq!(refused.status.code(), Some(2));
    let words = text(&refused);
    assert!(
        words.contains("--input cut.ktest: it is no test of KLEE: it is cut off"),
        "{words}"
    );
}
