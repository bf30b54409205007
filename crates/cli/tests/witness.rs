//! Witnesses: what they say at loops holds there, whenever runs of the program come to them.

#![allow(missing_docs)]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use common::{folder, labrys, output, program, succeed, text};

/// Runs of a program, each with its own numbers.
const RUNS: u32 = 60;

/// Defines the functions that give numbers: small ones, limits, and any.
const NUMBERS: &str = r#"
#include <stdlib.h>
static unsigned long number(void) {
  static unsigned long state;
  static const unsigned long limits[] = {0, 1, -1ul, 127, 128, 255, 2147483647, 2147483648, 300};
  if (!state) state = strtoul(getenv("RUN"), 0, 10) * 2654435761 + 88172645463325252;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  switch (state >> 60) {
  case 0: case 1: case 2: case 3: case 4: return limits[(state >> 20) % 9];
  case 5: case 6: case 7: case 8: case 9: return (state >> 20) % 12;
  default: return state >> 3;
  }
}
int __VERIFIER_nondet_int(void) { return (int)number(); }
unsigned __VERIFIER_nondet_uint(void) { return (unsigned)number(); }
char __VERIFIER_nondet_char(void) { return (char)number(); }
long __VERIFIER_nondet_long(void) { return (long)number(); }
"#;

/// A program of these tests with its suite, in a folder.
struct Task {
    folder: tempfile::TempDir,
}

impl Task {
    fn new(name: &str) -> Self {
        let folder = folder();
        let source = program(&format!("witness/{name}.c"));
        fs::copy(source, folder.path().join("task.c")).expect("a program");
        let task = Task { folder };
        let words = "cover task.c --abstraction --steps 3000 --quiet --out suite";
        let done = task.labrys(words);
        assert_eq!(done.status.code(), Some(0), "{name}: {}", text(&done));
        task
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn labrys(&self, words: &str) -> Output {
        let mut command = labrys();
        let command = command.env("SOURCE_DATE_EPOCH", "1700000000");
        output(command.args(words.split(' ')).current_dir(self.path()))
    }

    fn witness(&self) -> String {
        let words = "verify-proof suite --solver bitwuzla --witness task.yml";
        let done = self.labrys(words);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done));
        fs::read_to_string(self.path().join("task.yml")).expect("a witness")
    }

    /// The lines, columns and texts of a witness's invariants, the last one first.
    fn invariants(&self) -> Vec<(usize, usize, String)> {
        let witness = self.witness();
        let of = |key: &str| {
            let lines = witness.lines().filter_map(|line| {
                let value = line.trim_start().strip_prefix(key)?;
                Some(serde_json::from_str(value).expect("a number or a text"))
            });
            lines.collect::<Vec<serde_json::Value>>()
        };
        let (lines, columns, values) = (of("line: "), of("column: "), of("value: "));
        let all = lines.iter().zip(&columns).zip(&values).rev();
        let number = |value: &serde_json::Value| value.as_u64().expect("a number") as usize;
        all.map(|((line, column), value)| {
            let value = value.as_str().expect("a text").to_owned();
            (number(line), number(column), value)
        })
        .collect()
    }

    /// Asserts the invariants where the conditions of loops are evaluated, and runs the program.
    fn check(&self, name: &str, least: usize) {
        let invariants = self.invariants();
        assert!(invariants.len() >= least, "{name}: {invariants:?}");
        let source = fs::read_to_string(self.path().join("task.c")).expect("a program");
        let mut source = source;
        for (line, column, value) in invariants {
            let before = source.split_inclusive('\n').take(line - 1);
            let start = before.map(str::len).sum::<usize>() + column - 1;
            let rest = &source[start..];
            let condition = match rest.starts_with("for") {
                true => rest.find(';').expect("a condition") + 1,
                false => rest.strip_prefix("while (").map(|_| 7).expect("a loop"),
            };
            source.insert_str(start + condition, &format!("assert({value}), "));
        }
        let asserted = format!("#include <assert.h>\n{source}");
        fs::write(self.path().join("asserted.c"), asserted).expect("a file");
        fs::write(self.path().join("numbers.c"), NUMBERS).expect("a file");
        let words = "-w -fwrapv -o asserted asserted.c numbers.c";
        succeed(
            Command::new("clang-19")
                .args(words.split(' '))
                .current_dir(self.path()),
        );
        for run in 1..=RUNS {
            let mut command = Command::new(self.path().join("asserted"));
            let done = output(command.env("RUN", run.to_string()));
            assert!(
                done.status.code().is_some(),
                "{name}, run {run}: {}",
                text(&done)
            );
        }
    }
}

#[test]
fn what_a_witness_says_holds_in_all_runs() {
    let tasks = [
        ("loops", 3),
        ("wrap", 1),
        ("casts", 1),
        ("calls", 1),
        ("arrays", 2),
        ("scopes", 2),
        ("mixed", 3),
    ];
    for (name, least) in tasks {
        Task::new(name).check(name, least);
    }
}

#[test]
fn a_witness_has_the_form_of_sv_comp_and_is_repeatable() {
    let task = Task::new("casts");
    let witness = task.witness();
    let uuid = witness.lines().find(|line| line.contains("uuid: "));
    let uuid = uuid.expect("a name");
    let expected = format!(
        r#"- entry_type: invariant_set
  metadata:
    format_version: "2.0"
{uuid}
    creation_time: 2023-11-14T22:13:20Z
    producer:
      name: Labrys
      version: "{}"
    task:
      input_files:
      - "task.c"
      input_file_hashes:
        "task.c": 0
      specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )"
      data_model: LP64
      language: C
  content:
  - invariant:
      type: loop_invariant
      location:
        file_name: "task.c"
        line: 12
        column: 3
        function: main
      value: "#,
        env!("CARGO_PKG_VERSION")
    );
    let hash = witness
        .lines()
        .find_map(|line| line.split_once("\"task.c\": "));
    let hash = hash.expect("a hash").1;
    assert_eq!(hash.len(), 64);
    let found = witness.replace(hash, "0");
    assert!(found.starts_with(&expected), "{found}");
    assert_eq!(uuid.trim().len(), "uuid: ".len() + 36);
    assert_eq!(task.witness(), witness);
}

#[test]
fn a_property_that_is_not_shown_has_no_witness() {
    let task = Task::new("casts");
    let words = "verify-proof suite --solver bitwuzla --witness task.yml --specification";
    let with = |property: &str| {
        let mut command = labrys();
        let command = command.args(words.split(' ')).arg(property);
        output(command.current_dir(task.path()))
    };
    let none = with("CHECK( init(main()), LTL(G ! call(lost())) )");
    assert_eq!(none.status.code(), Some(2), "{}", text(&none));
    assert!(text(&none).contains("the program has no function lost"));
    let called = with("CHECK( init(main()), LTL(G ! call(__VERIFIER_nondet_long())) )");
    assert_eq!(called.status.code(), Some(1), "{}", text(&called));
    assert!(text(&called).contains("do not show that no run calls __VERIFIER_nondet_long"));
    assert!(!task.path().join("task.yml").exists());
    let other = with("CHECK( init(main()), LTL(G ! overflow) )");
    assert_eq!(other.status.code(), Some(0), "{}", text(&other));
    assert!(task.path().join("task.yml").exists());
}
