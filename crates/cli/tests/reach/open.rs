//! `labrys reach --from-coverage`: what a suite leaves open is decided.

use crate::command::Program;

const PROGRAM: &str = r#"
#include <labrys.h>
static int mode;
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  if (c == 200) return 1;
  if (c > 3) mode = 1;
  else mode = 2;
  if (mode == 3) return 2;
  return c == 7;
}
"#;

/// One run of `cover` leaves branches open; `reach` finds inputs for those that can be taken, and
/// the summary counts the others.
#[test]
fn open_branches_are_decided_and_counted() {
    let program = Program::new(PROGRAM);
    let covered = program.json(&["cover", "program.c", "--runs", "1", "--out", "suite"]);
    let reach = [
        "reach",
        "program.c",
        "--from-coverage",
        "suite",
        "--out",
        "reached",
    ];
    let told = program.json(&reach);
    let with = |verdict: &str| {
        let targets = told["targets"].as_array().expect("a list").iter();
        targets.filter(|one| one["verdict"] == verdict).count()
    };
    let branches = &covered["branches"];
    let open = branches["total"].as_u64().unwrap() - branches["covered"].as_u64().unwrap();
    assert_eq!(
        (with("unreachable"), with("reached")),
        (1, open as usize - 1)
    );
    let summary = std::fs::read_to_string(program.at("reached/summary.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    assert_eq!(summary["branches"]["unreachable"], 1);
    assert_eq!(summary["branches"]["total"], branches["total"]);
}

/// Of checks only their failures are targets: of the others runs do not tell, so they are no branches that
/// a run took.
#[test]
fn checks_in_functions_that_nothing_calls_are_proved() {
    let program = Program::new(
        r#"
#include <labrys.h>
const char *shown(int which) {
  static char texts[4][8] = {"one", "two"};
  return texts[(which + 1) % 4];
}
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  return c == 7;
}
"#,
    );
    program.json(&["cover", "program.c", "--runs", "9", "--out", "suite"]);
    let reach = ["reach", "program.c", "--from-coverage", "suite"];
    let told = program.json(&[&reach[..], &["--out", "reached"]].concat());
    let targets = told["targets"].as_array().expect("a list");
    let is_proved = |one: &serde_json::Value| one["verdict"] == "unreachable";
    assert!(
        !targets.is_empty() && targets.iter().all(is_proved),
        "{told}"
    );
}

/// Of many targets the first looks backward take long; the search forward does not wait for all.
#[test]
fn the_search_forward_begins_before_all_targets_are_looked_at() {
    let condition = |number: usize| format!("  if (c[{}] == {}) n++;\n", number % 4, number % 251);
    let conditions: String = (0..400).map(condition).collect();
    let program = Program::new(&format!(
        "#include <stdio.h>\nint main(void) {{\n  unsigned char c[4] = {{9}};\n  int n = 0;\n  \
         if (fread(c, 1, 4, stdin) != 4) return 1;\n{conditions}  return n;\n}}\n"
    ));
    program.json(&["cover", "program.c", "--runs", "1", "--out", "suite"]);
    let reach = ["reach", "program.c", "--from-coverage", "suite", "--json"];
    let told = program.labrys(&[&reach[..], &["--steps", "300", "--out", "reached"]].concat());
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).expect("JSON");
    assert!(told["runs"].as_u64() > Some(0), "{}", told["runs"]);
}

/// Without ARGS the program is called as in the suite, and the search starts from its tests; tests
/// of another call are left out, which is told.
#[test]
fn the_program_is_called_as_in_the_suite() {
    let program = Program::new(
        r#"
#include <stdio.h>
int main(int argc, char **argv) {
  char line[32];
  FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (!file || !fgets(line, sizeof line, file)) return 3;
  if (line[0] == 'o' && line[1] == 'k') return 1;
  return 0;
}
"#,
    );
    let cover = ["cover", "program.c", "--runs", "1", "--out", "suite"];
    program.labrys(&[&cover[..], &["--", "@@"]].concat());
    let target = ["--target", "program.c:7", "--from-coverage", "suite"];
    let reach = [&["reach", "program.c"], &target[..]].concat();
    let told = program.json(&[&reach[..], &["--out", "reached"]].concat());
    assert_eq!(told["targets"][0]["verdict"], "reached", "{told}");
    let config = std::fs::read_to_string(program.at("reached/config.json")).expect("a file");
    let config: serde_json::Value = serde_json::from_str(&config).expect("JSON");
    assert_eq!(config["invocation"]["arguments"][0], "@@");
    let other = ["--out", "other", "--steps", "1", "--", "x"];
    let output = program.labrys(&[&reach[..], &other].concat());
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(
        words.contains("have other inputs than the program has here"),
        "{words}"
    );
}

/// A line without code is said to be none, and the other targets are looked at; what only proved
/// places lead to is proved with them.
#[test]
fn lines_without_code_and_markers_behind_proofs() {
    let program = r#"
extern void __VERIFIER_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
static int state;

void failed(void) { __VERIFIER_error(); }
int main(void) {
  state = __VERIFIER_nondet_uchar() > 3 ? 1 : 2;
  if (state == 3) failed();
  return 0;
}
"#;
    let reach = ["reach", "program.c", "--target", "program.c:6", "--json"];
    let more = ["--target", "program.c:5", "--quiet", "--out", "reached"];
    let output = Program::new(program).labrys(&[&reach[..], &more].concat());
    let words = String::from_utf8_lossy(&output.stderr);
    let warning = "--target program.c:5: there is no code on that line; near it: 6";
    assert!(words.contains(warning), "{words}");
    assert_eq!(
        output.status.code(),
        Some(1),
        "not all targets were decided"
    );
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(told["targets"][0]["verdict"], "unreachable");
    let summary = told["summary"]["targets"]
        .as_array()
        .expect("a list")
        .iter();
    let error = summary.filter(|one| one["location"] == "__VERIFIER_error");
    let status: Vec<&serde_json::Value> = error.map(|one| &one["status"]).collect();
    assert_eq!(status, ["unreachable"]);
}

/// A failure on the way to a target is the one, at the place, that `labrys cover` tells of.
#[test]
fn failures_are_those_of_cover() {
    let program = r#"
#include <labrys.h>
#include <stdlib.h>
static int look(int *p, unsigned char c) {
  if (c == 77) {
    labrys_target("null");
    p = 0;
  }
  return *p;
}
int main(void) {
  unsigned char c;
  int x = 3;
  labrys_symbolic(&c, 1, "c");
  if (c == 78) labrys_target("abort"), abort();
  return look(&x, c);
}
"#;
    let program = Program::new(program);
    let failures = |arguments: &[&str]| {
        program.json(&[arguments, &["--time", "20s"]].concat());
        let suite = arguments.last().expect("a folder");
        let summary = program.at(suite).join("summary.json");
        let summary = std::fs::read_to_string(summary).expect("a summary");
        let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
        let failures = summary["failures"].as_array().expect("a list").iter();
        let told = |one: &serde_json::Value| format!("{} {}", one["kind"], one["location"]);
        failures
            .map(told)
            .collect::<std::collections::BTreeSet<_>>()
    };
    let covered = failures(&["cover", "program.c", "--out", "covered"]);
    let targets = ["--target", "null", "--target", "abort"];
    let reach = [&["reach", "program.c"], &targets[..], &["--out", "reached"]];
    assert_eq!(failures(&reach.concat()), covered);
    assert_eq!(covered.len(), 2);
}

/// Phase II executes loops that take long, with fewer executions.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs the speed of a release build")]
fn a_long_loop_is_executed() {
    let program = r#"
#include <labrys.h>
int main(void) {
  unsigned x, y, h = 0;
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&y, sizeof y, "y");
  for (unsigned i = 0; i < 4000; i++) h += (x ^ i) & 1 ? 3 : i & 2;
  if (h + y == 12345678 && y > 77) labrys_target("sum");
  return 0;
}
"#;
    let arguments = ["--no-forward", "--time", "300s"];
    Program::new(program).expect(&arguments, &[("reached", &["sum"])]);
}
