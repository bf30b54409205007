//! `labrys reach` from functions, through library code, and forward: the verdicts on small programs
//! whose answers are known.

use std::process::Command;

use crate::command::Program;

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
int main(int argc, char **argv) {
  limit = argc;
  return check(argc, 1, 1) + list(0, 1);
}
"#;

#[test]
fn entries_are_called_with_what_their_types_allow() {
    let program = Program::new(UNIT);
    let arguments = ["--entry", "check", "--entry", "list", "--no-forward"];
    let targets = [
        "numbers", "never", "null", "second", "name", "itself", "limit",
    ];
    let reports = program.reach(&arguments, &targets);
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
    let replayed = program.labrys(&["replay", "out"]);
    assert!(replayed.status.success(), "{replayed:?}");
    assert!(program.at("out/driver.c").is_file());
}

#[test]
fn any_globals_and_any_entry() {
    let arguments = ["--all-entries", "--globals", "any", "--no-forward"];
    let reports = Program::new(UNIT).reach(&arguments, &["limit", "never"]);
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
    let arguments = ["reach", "program.c", "--entry", "lost", "--target", "name"];
    let output = Program::new(UNIT).labrys(&arguments);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        told.contains("--entry lost: the program does not define it"),
        "{told}"
    );
}

/// What `printf` writes with %n is found by running the program.
#[test]
fn counting_formats_are_no_proof() {
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
    Program::new(program).expect(&[], &[("reached", &["counted"])]);
}

#[test]
fn what_is_not_found_backward_is_searched_forward() {
    let program = r#"
#include <labrys.h>
#include <stdio.h>
int main(void) {
  char text[8] = {0};
  if (scanf("%7s", text) != 1) return 1;
  if (text[0] == 'l' && text[2] == 'b' && text[5] == 's') labrys_target("word");
  return 0;
}
"#;
    let reports = Program::new(program).reach(&[], &["word"]);
    assert_eq!(reports["word"]["verdict"], "reached");
    assert_eq!(reports["word"]["forward"], true);
}

/// A part of a program, which has no main function.
#[test]
fn an_entry_needs_no_main_function() {
    let text = r#"
#include <labrys.h>
int check(int a) {
  if (a * 3 == 231) labrys_target("found");
  if (a % 2 == 0 && a % 4 == 1) labrys_target("never");
  return 0;
}
"#;
    let expected: [(&str, &[&str]); 2] = [("reached", &["found"]), ("unreachable", &["never"])];
    Program::new(text).expect(&["--entry", "check", "--no-forward"], &expected);
}

/// What devices, other links and other programs decide is open, and what they cannot is proved.
#[test]
fn what_others_decide_is_no_proof() {
    let text = r#"
#include <labrys.h>
struct registers { volatile unsigned control, status; };
static volatile int event;
static int mode;
__attribute__((weak)) const int limit = 4;
__attribute__((weak)) int hook(int x) { (void)x; return 0; }
static int zero(int x) { return x - x; }
int aliased(int x) __attribute__((weak, alias("zero")));
static int (*const table[])(int) = {hook, zero};
__attribute__((weak)) void stop(int x) { if (x == 77) labrys_target("in stop"); for (;;); }
int device(struct registers *r) {
  if (!r) return 0;
  r->control = 1;
  if (!(r->control & 1)) labrys_target("register");
  if (event) labrys_target("event");
  if (mode) labrys_target("mode");
  volatile int own = 3;
  if (own == 4) labrys_target("own");
  return 0;
}
int links(int x) {
  if (hook(x)) labrys_target("hook");
  if (aliased(x)) labrys_target("alias");
  if (table[x & 1](x)) labrys_target("table");
  if (limit == 5) labrys_target("limit");
  if (x < 0) { stop(x); labrys_target("behind stop"); }
  if (x > 10 && x < 5) labrys_target("never");
  if (x == 77) stop(x);
  return 0;
}
int visit(int (*visitor)(int)) {
  if (visitor && visitor(1) == 7) labrys_target("callback");
  return 0;
}
int visit_all(void) { return visit(zero); }
"#;
    let absent = r#"
extern int absent(int) __attribute__((weak));
extern int absent_level __attribute__((weak));
extern int elsewhere;
static int call_if_there(int x) { int (*f)(int) = x > 5 ? absent : zero; return f != 0; }
static int (*stored[])(int) = {zero, absent};
static int *levels[] = {&absent_level};
int refers(int x) {
  if (!absent) labrys_target("absent");
  if (absent && absent(x) == 55) labrys_target("there");
  if (x > 9 && !call_if_there(x)) labrys_target("chosen");
  if (&absent_level == 0) labrys_target("no level");
  if (!stored[x & 1]) labrys_target("stored");
  if (!levels[0]) labrys_target("no stored level");
  if (elsewhere == 4) labrys_target("elsewhere");
  if (x > 5 && x < 3) labrys_target("never there");
  return 0;
}
"#;
    let entries = [
        "--entry",
        "device",
        "--entry",
        "links",
        "--entry",
        "refers",
        "--entry",
        "visit",
        "--no-forward",
    ];
    let open = [
        "register",
        "event",
        "hook",
        "alias",
        "table",
        "limit",
        "behind stop",
        "absent",
        "chosen",
        "no level",
        "stored",
        "no stored level",
        "elsewhere",
    ];
    let expected: [(&str, &[&str]); 3] = [
        ("not found", &open),
        ("unreachable", &["mode", "own", "never", "never there"]),
        ("reached", &["in stop", "callback", "there"]),
    ];
    Program::new(&format!("{text}{absent}")).expect(&entries, &expected);
    // A whole program is linked as it is, and its memory is its own.
    let whole =
        format!("{text}int main(int argc, char **argv) {{ (void)argv; return links(argc); }}");
    let expected: [(&str, &[&str]); 1] =
        [("unreachable", &["hook", "table", "limit", "behind stop"])];
    Program::new(&whole).expect(&[], &expected);
}

const WEAK: &str = r#"
#include <labrys.h>
__attribute__((weak)) int hook(int x) { return x - x; }
int entry(int x) {
  if (hook(x)) labrys_target("hook");
  return 0;
}
"#;

/// A weak definition that another file of the program replaces is decided.
#[test]
fn strong_definitions_stand_for_weak_ones() {
    let program = Program::new(WEAK);
    std::fs::write(program.at("strong.c"), "int hook(int x) { return x * 0; }").expect("a file");
    let expected: [(&str, &[&str]); 1] = [("unreachable", &["hook"])];
    program.expect(&["strong.c", "--entry", "entry"], &expected);
}

/// Weak definitions are told from others in objects and archives too.
#[test]
fn weak_definitions_of_archives_are_open() {
    let mut program = Program::new(WEAK);
    let main =
        "int entry(int); int main(int argc, char **argv) { (void)argv; return entry(argc); }";
    std::fs::write(program.at("main.c"), main).expect("a file");
    let run = |tool: &str, arguments: &[&str]| {
        let mut command = Command::new(tool);
        let status = command
            .args(arguments)
            .current_dir(program.folder())
            .status();
        assert!(
            status.expect("the tool runs").success(),
            "{tool} {arguments:?}"
        );
    };
    let compiler = env!("CARGO_BIN_EXE_labrys-cc");
    run(compiler, &["-g", "-c", "program.c", "main.c"]);
    run("ar", &["rc", "library.a", "program.o"]);
    run(compiler, &["-g", "-o", "program", "main.o", "library.a"]);
    program.subject = "program";
    let expected: [(&str, &[&str]); 1] = [("not found", &["hook"])];
    program.expect(&["--entry", "entry", "--no-forward"], &expected);
    let expected: [(&str, &[&str]); 1] = [("unreachable", &["hook"])];
    std::fs::remove_dir_all(program.at("out")).expect("removed");
    program.expect(&[], &expected);
}

/// Memory at fixed addresses holds what devices have there: anything, also where the program wrote.
#[test]
fn registers_hold_anything() {
    let program = r#"
#include <labrys.h>
#include <stdint.h>
#define STATUS (*(volatile uint32_t *)0x40000000)
#define LEVEL (*(uint32_t *)0x40000104)
int f(int x) {
  if (STATUS == 7) labrys_target("status");
  if (LEVEL == 9 && x == 4) labrys_target("level");
  if (x > 5 && x < 3) labrys_target("never");
  STATUS = 3;
  if (STATUS == 4) labrys_target("written");
  return 0;
}
int main(int argc, char **argv) { return f(argc); }
"#;
    let targets = ["status", "level", "never", "written"];
    let reports = Program::new(program).reach(&["--entry", "f", "--time", "20s"], &targets);
    let verdict = |name: &str| reports[name]["verdict"].as_str().expect("a word");
    assert_eq!(verdict("status"), "reached");
    assert_eq!(verdict("level"), "reached");
    assert_eq!(verdict("never"), "unreachable");
    assert_eq!(verdict("written"), "not found");
}
