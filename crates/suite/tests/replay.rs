//! The scripts and C files of a suite folder, run by a shell and a C compiler.

#![allow(missing_docs, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use labrys_suite::{
    Config, Coverage, Failure, Harness, Input, InputStream, Invocation, ObjectKind, Outcome,
    SuiteWriter, TestCase, ValueFunction,
};

/// Prints what it gets, then exits with the number of arguments.
const ECHO: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static void show(const char *name, FILE *file) {
  int c;
  printf("%s:", name);
  if (file) while ((c = getc(file)) != EOF) printf(" %02x", c);
  puts("");
}
int main(int count, char **arguments) {
  for (int i = 1; i < count; i++) printf("argument:%s.\n", arguments[i]);
  printf("mode:%s.\n", getenv("MODE") ? getenv("MODE") : "");
  printf("secret:%s.\n", getenv("SECRET") ? getenv("SECRET") : "");
  show("stdin", stdin);
  show("input", fopen("input", "r"));
  show("conf", fopen("etc/conf", "r"));
  fclose(fopen("left-behind", "wx"));
  return count - 1;
}
"#;

const OBJECTS: &str = r#"
#include <stdio.h>
void labrys_symbolic(void *, unsigned long, const char *);
int __VERIFIER_nondet_int(void);
void reach_error(void) { printf("reached\n"); }
int main(void) {
  char text[3];
  labrys_symbolic(text, sizeof text, "text");
  int number = __VERIFIER_nondet_int();
  printf("%.3s %d %d\n", text, number, __VERIFIER_nondet_int());
  if (number == 7) reach_error();
  return 0;
}
"#;

fn compile(folder: &Path, source: &str) -> PathBuf {
    let (file, program) = (folder.join("it's.c"), folder.join("it's a program"));
    fs::write(&file, source).unwrap();
    let status = Command::new("cc")
        .args(["-w", "-o"])
        .arg(&program)
        .arg(&file)
        .status();
    assert!(status.unwrap().success());
    program
}

fn suite(folder: &Path, config: &Config, inputs: &[Input]) -> PathBuf {
    let mut writer = SuiteWriter::create(&folder.join("a suite"), config).unwrap();
    for (id, input) in (1..).zip(inputs) {
        let case = TestCase::new(id, input.clone(), Outcome::Exit(0), Coverage::default());
        writer.add(&case).unwrap();
    }
    let failure = Failure {
        id: 1,
        input: inputs[0].clone(),
        objects: Vec::new(),
        outcome: Outcome::Exit(0),
        kind: "failure".into(),
        location: None,
        detail: String::new(),
        stack: Vec::new(),
        confirmed: true,
        run: 1,
    };
    writer.add_failure(&failure).unwrap();
    writer.folder().to_owned()
}

fn run(script: &Path, arguments: &[&Path]) -> String {
    let output = Command::new(script)
        .args(arguments)
        .env("SECRET", "1")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(errors, "");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs all tests: the script's own lines, and what the program printed, test by test.
fn replay(suite: &Path, arguments: &[&Path]) -> (String, String) {
    let printed = tempfile::tempdir().unwrap();
    let output = Command::new(suite.join("replay.sh"))
        .args(arguments)
        .env("SECRET", "1")
        .env("OUTPUT", printed.path().join("new"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let lines = String::from_utf8(output.stdout).unwrap();
    assert_eq!(run(&suite.join("replay.sh"), arguments), lines);
    let of_test = |line: &str| {
        let test = line.split(':').next().unwrap();
        let file = |end: &str| printed.path().join("new").join(format!("{test}.{end}"));
        assert_eq!(fs::read(file("stderr")).unwrap(), b"");
        fs::read_to_string(file("stdout")).unwrap()
    };
    let texts = lines.lines().map(of_test).collect();
    (lines, texts)
}

#[test]
fn standard_input_is_replayed() {
    let root = tempfile::tempdir().unwrap();
    let program = compile(root.path(), ECHO);
    let inputs = [Input::stdin("a\0\n"), Input::stdin("")];
    let config = Config {
        program: program.to_str().unwrap().to_owned(),
        invocation: Invocation::new(["it's", "$x"]),
        streams: inputs[0].shape(),
        ..Config::default()
    };
    let suite = suite(root.path(), &config, &inputs);
    let head = "argument:it's.\nargument:$x.\nmode:.\nsecret:.\n";
    let (first, second) = (
        "stdin: 61 00 0a\ninput:\nconf:\n",
        "stdin:\ninput:\nconf:\n",
    );
    let lines = "000001: 2\n000002: 2\n".to_owned();
    let expected = (lines, format!("{head}{first}{head}{second}"));
    assert_eq!(replay(&suite, &[]), expected);
    assert_eq!(replay(&suite, &[&program]), expected);
    let reproduced = run(&suite.join("failures/000001/reproduce.sh"), &[]);
    assert_eq!(reproduced, format!("{head}{first}"));
}

#[test]
fn all_streams_are_replayed() {
    let root = tempfile::tempdir().unwrap();
    let program = compile(root.path(), ECHO);
    let inputs = [Input::new(vec![
        InputStream::file("input", *b"\x01"),
        InputStream::file("etc/conf", *b"\xff\n"),
        InputStream::argument(2, b"two'\"\n\n", 10),
        InputStream::environment("MODE", b"$(fast)\n", 10),
        InputStream::stdin(*b"in"),
    ])];
    let config = Config {
        program: program.to_str().unwrap().to_owned(),
        invocation: Invocation::new(["--file=@@"]),
        streams: inputs[0].shape(),
        ..Config::default()
    };
    let suite = suite(root.path(), &config, &inputs);
    let expected = "argument:--file=input.\nargument:two'\"\n\n.\nmode:$(fast)\n.\nsecret:.\n\
        stdin: 69 6e\ninput: 01\nconf: ff 0a\n";
    let reproduced = run(&suite.join("failures/000001/reproduce.sh"), &[]);
    assert_eq!(reproduced, expected);
    let expected = ("000001: 2\n".to_owned(), expected.to_owned());
    assert_eq!(replay(&suite, &[]), expected);
}

#[test]
fn input_objects_are_replayed() {
    let root = tempfile::tempdir().unwrap();
    compile(root.path(), "int main(void) { return 0; }");
    let source = root.path().join("objects.c");
    fs::write(&source, OBJECTS).unwrap();
    let inputs = [Input::objects(*b"abc\x07\0\0\0\xff"), Input::objects("x")];
    let number = ValueFunction {
        name: "__VERIFIER_nondet_int".into(),
        kind: ObjectKind::Signed,
        size: 4,
    };
    let config = Config {
        harness: Harness {
            values: vec![number],
            ..Harness::default()
        },
        streams: inputs[0].shape(),
        ..Config::default()
    };
    let suite = suite(root.path(), &config, &inputs);
    let (lines, printed) = replay(&suite, &[&source]);
    assert_eq!(lines, "000001: 0\n000002: 0\n");
    assert_eq!(printed.replace('\0', ""), "abc 7 255\nreached\nx 0 0\n");
    let reproduced = run(&suite.join("failures/000001/reproduce.sh"), &[&source]);
    assert_eq!(reproduced, "abc 7 255\nreached\n");

    let output = Command::new(suite.join("replay.sh")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("usage:"));
}

#[test]
fn a_program_that_is_not_there_is_asked_for() {
    let root = tempfile::tempdir().unwrap();
    let inputs = [Input::stdin("a")];
    let config = Config {
        program: "sources.c".to_owned(),
        streams: inputs[0].shape(),
        ..Config::default()
    };
    let suite = suite(root.path(), &config, &inputs);
    let output = Command::new(suite.join("replay.sh")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("sources.c cannot be run"), "{errors}");
    assert_eq!(output.stdout, b"");
}
