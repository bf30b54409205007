//! `labrys reach` from functions, through library code, and forward: the verdicts on small programs
//! whose answers are known.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Runs `labrys reach` on a program; the reports by target.
fn reach(folder: &Path, program: &str, arguments: &[&str]) -> BTreeMap<String, serde_json::Value> {
    let source = folder.join("program.c");
    std::fs::write(&source, program).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_labrys"))
        .arg("reach")
        .arg(&source)
        .args(["--json", "--quiet", "--time", "30s", "--out"])
        .arg(folder.join("out"))
        .args(arguments)
        .output()
        .expect("labrys runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let told: serde_json::Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let reports = told["targets"].as_array().expect("a list").iter();
    reports
        .map(|report| {
            let name = report["target"].as_str().expect("a name");
            (name.to_owned(), report.clone())
        })
        .collect()
}

const UNIT: &str = r#"
#include <labrys.h>
struct node { int key; struct node *next; const char *name; };
static int limit = 7;
static int check(int a, signed char b, double c) {
  if (a * 3 == 36 && b < -5 && c == 2.5) labrys_target("numbers");
  if (a > 10 && a < 5) labrys_target("never");
  return 0;
}
static int list(struct node *n, unsigned short want) {
  if (!n) { labrys_target("null"); return 0; }
  if (n->next && n->next->key == want && want == 4711) labrys_target("second");
  if (n->name && n->name[0] == 'x' && n->name[1] == 'y' && !n->name[2]) labrys_target("name");
  if (n == n->next) labrys_target("itself");
  if (limit != 7) labrys_target("limit");
  return n->key;
}
int main(int argc, char **argv) { return check(argc, 1, 1) + list(0, 1); }
"#;

#[test]
fn entries_are_called_with_what_their_types_allow() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut arguments = vec!["--entry", "check", "--entry", "list", "--no-forward"];
    for target in [
        "numbers", "never", "null", "second", "name", "itself", "limit",
    ] {
        arguments.extend(["--target", target]);
    }
    let reports = reach(folder.path(), UNIT, &arguments);
    let verdict = |name: &str| reports[name]["verdict"].as_str().expect("a word");
    for name in ["numbers", "null", "second", "name"] {
        assert_eq!(verdict(name), "reached", "{name}");
    }
    for name in ["never", "itself", "limit"] {
        assert_eq!(verdict(name), "unreachable", "{name}");
        let assumed = reports[name]["assumptions"].as_array().expect("a list");
        assert!(
            assumed
                .iter()
                .any(|one| one == "global variables hold what they hold when the program begins")
        );
    }
    let call = |name: &str| reports[name]["call"].as_str().expect("a call");
    assert!(
        call("numbers").starts_with("check(a = 12, b = -"),
        "{}",
        call("numbers")
    );
    assert!(
        call("numbers").ends_with(", c = 2.5)"),
        "{}",
        call("numbers")
    );
    assert!(
        call("null").starts_with("list(n is null, "),
        "{}",
        call("null")
    );
    assert!(call("name").contains("n.name = \"xy\""), "{}", call("name"));
    // The suite holds the program with the drivers, so that it can be replayed.
    let replayed = Command::new(env!("CARGO_BIN_EXE_labrys"))
        .arg("replay")
        .arg(folder.path().join("out"))
        .output()
        .expect("labrys runs");
    assert!(replayed.status.success(), "{replayed:?}");
    assert!(folder.path().join("out/driver.c").is_file());
}

#[test]
fn any_globals_and_any_entry() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--all-entries", "--globals", "any", "--no-forward"];
    let targets = ["--target", "limit", "--target", "never"];
    let reports = reach(folder.path(), UNIT, &[&arguments[..], &targets].concat());
    assert_eq!(reports["limit"]["verdict"], "reached");
    let call = reports["limit"]["call"].as_str().expect("a call");
    assert!(
        call.starts_with("limit = ") && call.contains("; list("),
        "{call}"
    );
    assert_eq!(reports["never"]["verdict"], "unreachable");
}

#[test]
fn entries_without_drivers_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("program.c");
    std::fs::write(&source, UNIT).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_labrys"))
        .args(["reach", "--entry", "lost", "--target", "name"])
        .arg(&source)
        .output()
        .expect("labrys runs");
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        told.contains("--entry lost: the program does not define it"),
        "{told}"
    );
}

/// The counter is the program's own, and only a function that `qsort` calls changes it.
#[test]
fn library_code_that_calls_back_has_the_effects_of_what_it_calls() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = r#"
#include <labrys.h>
#include <stdlib.h>
static int calls, seen;
static int compare(const void *a, const void *b) {
  calls++;
  if (*(const char *)b == 'z') { seen = 1; labrys_target("inside"); }
  return *(const char *)a - *(const char *)b;
}
int main(void) {
  char text[4];
  labrys_symbolic(text, 4, "text");
  qsort(text, 4, 1, compare);
  if (calls > 2) labrys_target("called");
  if (seen && calls) labrys_target("seen");
  return 0;
}
"#;
    let targets = ["called", "seen", "inside"].map(|name| ["--target", name]);
    let reports = reach(folder.path(), program, &targets.concat());
    for (name, report) in &reports {
        assert_eq!(report["verdict"], "reached", "{name}");
    }
    assert_eq!(reports.len(), 3);
}

/// Writes that are easily overlooked: the error number, by a function that has no other effect; an
/// input of no fixed size; a variable that is filled in a loop which the path steps over.
#[test]
fn side_effects_of_library_functions_are_not_forgotten() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = r#"
#include <labrys.h>
#include <errno.h>
#include <math.h>
static int filled;
static double logarithm(double x) { return log(x); }
int main(void) {
  double x;
  unsigned char n, text[8] = {0};
  labrys_symbolic(&x, sizeof x, "x");
  errno = 0;
  double y = logarithm(x);
  if (errno == EDOM) labrys_target("errno");
  labrys_symbolic(&n, 1, "n");
  labrys_symbolic(text, n & 7, "text");
  if (text[3] == 'q') labrys_target("text");
  for (int i = 0; i < n; i++) labrys_symbolic(&filled, sizeof filled, "filled");
  if (filled == 4711 && n > 20) labrys_target("filled");
  return y > 3;
}
"#;
    let targets = ["errno", "text", "filled"].map(|name| ["--target", name]);
    let arguments = [&["--cc-flag=-lm", "--no-forward"][..], &targets.concat()].concat();
    for (name, report) in reach(folder.path(), program, &arguments) {
        assert_ne!(report["verdict"], "unreachable", "{name}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let program = r#"
#include <labrys.h>
#include <stdio.h>
static int count;
int main(void) {
  printf("abc%n", &count);
  if (count == 3) labrys_target("counted");
  return 0;
}
"#;
    let reports = reach(folder.path(), program, &["--target", "counted"]);
    assert_eq!(reports["counted"]["verdict"], "reached");
}

#[test]
fn what_is_not_found_backward_is_searched_forward() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = r#"
#include <labrys.h>
#include <unistd.h>
int main(void) {
  char text[8] = {0};
  if (read(0, text, 6) < 6) return 1;
  if (text[0] == 'l' && text[2] == 'b' && text[5] == 's') labrys_target("word");
  return 0;
}
"#;
    let reports = reach(folder.path(), program, &["--target", "word"]);
    assert_eq!(reports["word"]["verdict"], "reached");
    assert_eq!(reports["word"]["forward"], true);
}
