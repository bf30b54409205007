//! Units: functions behind drivers, with stubs in place of others.

#![allow(missing_docs)]

mod common;

use std::path::{Path, PathBuf};
use std::time::Duration;

use common::{
    all_covered, all_functions, folder, labrys, labrys_cc, output, succeed, tests_pass,
    tests_pass_with,
};
use labrys_cc::worker::{News, Order, Pace, Worker};
use labrys_suite::{Suite, TargetStatus, TargetSummary};
use labrys_units::{Around, Bounds, Drivers, Request};

const STUBBED: &str = r#"
struct pair { int a; double b; };
static int helper(int *out, struct pair *pair, const char *text) {
  *out = 3;
  pair->b = 1;
  return text[0];
}
static char *name(void) { return "x"; }
int outer(int n) {
  int got = 0;
  struct pair pair = {1, 2};
  int result = helper(&got, &pair, "abc");
  if (got == 99 && result == -5 && pair.b == 2.5) return 1;
  char *text = name();
  if (text && text[0] == 'q' && text[1] == 'r') return 2;
  return n;
}
int main(void) { return outer(1); }
"#;

/// Builds the unit of a request in a program of this text; its drivers and the executable.
fn unit_of(folder: &Path, text: &str, request: Request) -> (Drivers, PathBuf) {
    let (source, program) = (folder.join("p.c"), folder.join("p"));
    std::fs::write(&source, text).expect("a file");
    succeed(labrys_cc().arg(&source).arg("-o").arg(&program));
    let (unit, frozen) = (folder.join("unit"), folder.join("frozen"));
    let stock = labrys_cc::Frozen::of_executable(&program, &frozen).expect("a program");
    let drivers = stock.describe(&request).expect("drivers");
    assert_eq!(drivers.left_out, []);
    let order = Order::Unit {
        frozen,
        request,
        out: unit.clone(),
    };
    let mut command = labrys();
    command.arg("build-worker");
    let mut worker = Worker::start(command, &order, Pace::Whole, folder).expect("a worker");
    let mut news = std::iter::repeat_with(|| worker.next(Duration::from_secs(60)));
    let last = news.find(|news| !matches!(news, Some(News::Doing(_))));
    assert_eq!(last, Some(Some(News::Done)));
    (drivers, unit)
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn stubs_have_free_results_and_outputs() {
    let folder = folder();
    let request = Request {
        entries: names(&["outer"]),
        stubs: names(&["helper", "name"]),
        bounds: Bounds::default(),
        ..Request::default()
    };
    let (drivers, unit) = unit_of(folder.path(), STUBBED, request);
    let leaves = |number: usize| {
        let names = drivers.stubs[number].leaves.iter();
        names
            .map(|leaf| leaf.name.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(leaves(0), "*out *pair.a *pair.b helper()");
    assert_eq!(leaves(1), "stub() stub()");
    let out = folder.path().join("out");
    let covered = output(labrys().arg("cover").arg(&unit).arg("--out").arg(&out));
    assert!(covered.status.success(), "{covered:?}");
    let suite = Suite::open(&out).expect("a suite");
    let objects = suite.cases.iter().flat_map(|case| &case.objects);
    let free = objects.filter(|object| object.name == "*out").count();
    assert!(free > 0);
    let summary = suite.summary.expect("a summary");
    // The two that are open are of the stub: it writes nothing through null pointers.
    let branches = summary.branches;
    assert_eq!(branches.total - branches.covered, 2, "{summary:?}");
}

const TABLE: &str = r#"
#include <labrys.h>
struct node { struct node *next; int value; };
struct node *one(int key) { return key == 17 ? 0 : (struct node *)1; }
struct node *two(int key) { return key == 18 ? 0 : (struct node *)2; }
struct node *(*const table[])(int) = {one, two};
void first(int key) {
  struct node *found = table[key & 1](key);
  if (found && found->value == 5) labrys_target("first");
}
void second(int key) {
  if (!two(key)) labrys_target("second");
}
int main(int argc, char **argv) { first(argc); second(argc); return 0; }
"#;

#[test]
fn of_functions_in_no_unit_only_the_stubs_are_left() {
    let folder = folder();
    let around = |stubs: &[&str]| Around {
        stubs: names(stubs),
        bound: Vec::new(),
    };
    let request = Request {
        entries: names(&["first", "second"]),
        around: vec![around(&["one", "two"]), around(&[])],
        stubs: names(&["one", "two"]),
        members: names(&["first", "second", "two"]).into_iter().collect(),
        trimmed: true,
        ..Request::default()
    };
    let (drivers, unit) = unit_of(folder.path(), TABLE, request);
    // Both stubs return a node, which is made in one place.
    assert_eq!(drivers.text.matches("What stubs return").count(), 1);
    let sites = common::text(&output(labrys().arg("sites").arg(&unit)));
    let is_there = ["p.c:4:", "p.c:5:"].map(|line| sites.contains(line));
    assert_eq!(is_there, [false, true], "{sites}");
    for entry in ["first", "second"] {
        let out = folder.path().join(entry);
        let mut command = labrys();
        command.arg("cover").arg(&unit).arg("--out").arg(&out);
        let covered = output(command.args(["--steps", "50", "--", entry]));
        let suite = Suite::open(&out).expect("a suite");
        let targets = suite.summary.expect("a summary").targets;
        let reached =
            |one: &TargetSummary| one.location == entry && one.status == TargetStatus::Reached;
        assert!(targets.iter().any(reached), "{}", common::text(&covered));
        // The second unit has the function itself, not its stub.
        let keys = suite.cases.iter().map(|case| case.input.byte(0, 0));
        assert!(entry == "first" || keys.into_iter().any(|key| key == Some(18)));
    }
}

/// A library without main: numbers, strings, lists, structures, enumerations, globals, functions.
const LIBRARY: &str = r#"
#include <stdlib.h>
struct node { int key; struct node *next; const char *name; };
struct point { int x, y; };
struct parts { double a[3]; float f; unsigned bits : 3, more : 5; char tag[4]; };
struct call { int (*compare)(int, int); union { int number; const char *text; } value; };
enum color { RED, GREEN = 7 };
static int level;
static int less(int a, int b) { return a < b; }
int (*table[])(int, int) = {less};
int total(const int *values, size_t count) {
  int sum = 0;
  if (!values) return 0;
  for (size_t i = 0; i < count; i++) sum += values[i];
  return sum == 1234 ? -1 : sum;
}
int list(struct node *n, unsigned short want) {
  if (!n) return 0;
  if (n->next && n->next->key == want && want == 4711) return 1;
  if (n->next && n->next->name == n->name) return 5;
  if (level == 77) { level = 78; n->key = 3; return 6; }
  if (n->name && n->name[0] == '"' && n->name[1] == '?') return 7;
  return n->key;
}
double by_value(struct point p, struct parts q, enum color c) {
  if (p.x == 3 && p.y == -2147483647 - 1) return 0.5;
  if (q.a[1] == 2.5 && q.more == 17 && q.tag[0] == 'x') return 1e300;
  if (c == GREEN) return q.f;
  return 0;
}
static int held(struct call *c) {
  if (!c) return -1;
  if (c->compare && c->compare(c->value.number, 100) && c->value.number == 99) return 2;
  return 0;
}
int ask(struct call *c) { return held(c); }
char *upper(char *text) {
  if (!text) return 0;
  for (char *c = text; *c; c++) if (*c >= 'a' && *c <= 'z') *c -= 32;
  return text;
}
int drop(struct point *p) {
  if (!p) return 1;
  int odd = p->x & 1;
  free(p);
  return odd;
}
void quit(int code) { if (code == 4) exit(3); }
void leave(const char *s) { if (s && s[0] == '/' && s[1] == '*') exit(3); }
int masked(const unsigned char bits[16], int at) { return bits && bits[at & 7] == 9; }
int filled(int bits[static 16], int at) { return bits[at & 7] == 9; }
__attribute__((nonnull)) int given(const char *s, int n) { return n == 3 ? s[0] == 'g' : 0; }
int nothing(void) { return 42; }
"#;

/// A library in a folder, and a call of `labrys cover` on it.
fn cover(folder: &Path, arguments: &[&str]) -> (std::process::Output, String) {
    std::fs::write(folder.join("lib.c"), LIBRARY).expect("a file");
    let mut command = labrys();
    command.current_dir(folder).args(["cover", "lib.c"]);
    let run = output(command.args(arguments));
    let told = common::text(&run);
    (run, told)
}

#[test]
fn every_function_has_tests_that_pass() {
    let folder = folder();
    let (run, told) = cover(
        folder.path(),
        &["--all-functions", "--steps", "4000", "--out", "out"],
    );
    assert_eq!(run.status.code(), Some(0), "{told}");
    let names = [
        "total", "list", "by_value", "held", "upper", "drop", "quit", "leave", "masked", "filled",
        "given", "nothing", "less",
    ];
    for name in names {
        let line = told
            .lines()
            .find(|line| line.starts_with(&format!("{name} ")));
        let words: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
        assert_eq!(words.get(1), words.get(3), "{name}: {told}");
        let suite = folder.path().join("out").join(name);
        tests_pass(&suite.join(format!("tests/test_{name}.c")));
        let mut replay = labrys();
        let replay = replay.current_dir(folder.path()).arg("replay").arg(&suite);
        let replayed = output(replay);
        assert!(replayed.status.success(), "{replayed:?}");
    }
    let read = |path: &str| std::fs::read_to_string(folder.path().join(path)).expect("a file");
    let list = read("out/list/tests/test_list.c");
    for part in [
        "int result = list(0, ",
        "level = 77;",
        "CHECK(level == 78);",
        "CHECK(n.key == 3);",
    ] {
        assert!(list.contains(part), "{part} is not in\n{list}");
    }
    assert!(list.contains(r#"= "\"\?"#), "{list}");
    // A call that ends the program is no test.
    let quit = read("out/quit/tests/test_quit.c");
    assert!(quit.contains("/* Not here: quit(code = 4)"), "{quit}");
    assert!(read("out/nothing/tests/test_nothing.c").contains("CHECK(result == 42);"));
}

/// A library of two sources: a handle behind a `void *` that points back, a table that is larger than
/// arrays of drivers, a stream, an array of arrays, a load before the check of its pointer, a
/// function of the other source, allocations here and there, the difference of two objects, sockets, a header before a string,
/// variable arguments, a function of neither source, macros with the names of those of tests.
const HANDLES: &str = r#"
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
struct stream { int avail; void *state; };
struct state { struct stream *owner; int mode; unsigned char window[70000]; void (*done)(int); };
static int step(struct state *s) { return s->mode == 77; }
int push(struct stream *strm) {
  if (!strm) return 1;
  struct state *s = (struct state *)strm->state;
  if (!s) return 2;
  if (s->owner != strm) return 3;
  if (s->window[3] == 'x') return 4;
  return step(s);
}
int handle(void *p) {
  struct state *s = (struct state *)p;
  return s && s->mode == 5;
}
int table(unsigned *counts) {
  if (!counts) return -1;
  for (int i = 0; i <= 65536; i++) counts[i] = 0;
  return 7;
}
int total(FILE *f) {
  int sum = 0, c;
  if (!f) return -1;
  if (ferror(f)) return -2;
  while ((c = fgetc(f)) >= '0' && c <= '9') sum = sum * 10 + c - '0';
  return c == EOF && sum == 4711 ? 1 : 0;
}
int is_open(FILE *f) { return f ? fputc(3, f) == EOF ? 0 : 1 : -1; }
struct grid { int cells[3][2]; char rows[20][4]; };
int corner(struct grid *g) { return g && g->cells[2][1] == 9 && g->rows[19][3] == 'q'; }
int early(struct stream *strm) {
  int avail = strm->avail;
  if (!strm) return -1;
  avail = strm->avail;
  return avail == 3;
}
void set(struct state *s) { if (s && s->done) s->mode = 1; }
static void *(*give)(size_t) = malloc;
int keep(int n) {
  char *a = malloc(4), *b = give(4);
  int result = !a ? 1 : !b ? 2 : n == 5;
  free(a);
  free(b);
  return result;
}
long gap(char *a, char *b) {
  if (!a || !b) return -1;
  long bytes = (long)b - (long)a;
  free(a);
  return bytes;
}
void *far_away(void);
int borrow(void) {
  void *p = far_away();
  if (!p) return 3;
  free(p);
  return 4;
}
int speak(int kind) {
  int s = socket(1, kind, 0);
  if (s < 0) return errno == EMFILE ? -2 : -1;
  return listen(s, 3) == 7 ? 8 : 9;
}
int listed(const char *format, va_list ap) {
  if (!format) return -1;
  const char *s = format[0] == 's' ? va_arg(ap, const char *) : 0;
  if (s && s[0] == 'k') return 1;
  return va_arg(ap, int) == 4711 ? 2 : 3;
}
int further(int n, ...) {
  va_list ap;
  va_start(ap, n);
  long value = n == 2 ? va_arg(ap, long) : 0;
  va_end(ap);
  return value == 77 ? 5 : 6;
}
#define CHECK(s, i, c) ((s)[i] == (c))
#define TEST(s) CHECK(s, 1, 'z')
#define RUN 9
int relay(int n);
__attribute__((deprecated)) int relays(int n) { return relay(n) == 4711 ? 1 : 0; }
int flagged(const char *s) { return s && s[-1] == 'h' && s[-5] == 'q' ? CHECK(s, 0, 'x') : -1; }
"#;
const OTHER: &str = "
#include <stdlib.h>
void *far_away(void) { return calloc(1, 4); }
static void quiet(int n) { (void)n; }
void loud(int n) { (void)n; }
int not_there(int n);
int relay(int n) { return n > 5 ? not_there(n) : 0; }
void (*choices[2])(int) = {quiet, loud};
";

#[test]
fn drivers_make_what_the_code_uses() {
    let folder = folder();
    std::fs::write(folder.path().join("handles.c"), HANDLES).expect("a file");
    std::fs::write(folder.path().join("other.c"), OTHER).expect("a file");
    let mut command = labrys();
    command.current_dir(folder.path());
    command.args(["cover", "handles.c", "other.c", "--all-functions"]);
    let run = output(command.args(["--steps", "12800", "--out", "out"]));
    let told = common::text(&run);
    // That null pointers are not looked for everywhere is a failure of `early` and `step`.
    assert_eq!(run.status.code(), Some(1), "{told}");
    let other = folder.path().join("other.o");
    let mut gcc = std::process::Command::new("gcc");
    gcc.args(["-c", "-o"])
        .arg(&other)
        .arg(folder.path().join("other.c"));
    succeed(&mut gcc);
    let names = [
        "push", "handle", "table", "total", "is_open", "corner", "set", "step", "keep", "borrow",
        "speak", "flagged", "relays", "gap",
    ];
    for name in names {
        let mut lines = told.lines();
        let line = lines.find(|line| line.starts_with(&format!("{name} ")));
        let words: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
        assert_eq!(words.get(1), words.get(3), "{name}: {told}");
    }
    for name in names.into_iter().chain(["early", "listed", "further"]) {
        let file = format!("out/{name}/tests/test_{name}.c");
        tests_pass_with(&folder.path().join(file), Some(&other));
    }
    let read = |path: &str| std::fs::read_to_string(folder.path().join(path)).expect("a file");
    let keep = read("out/keep/tests/test_keep.c");
    for part in [
        "  unit_failing = unit_allocations + 2;\n  int result = keep(",
        "  unit_failing = 0;\n  CHECK(result == 2);\n",
    ] {
        assert!(keep.contains(part), "{keep}");
    }
    let borrow = read("out/borrow/tests/test_borrow.c");
    let other = "/* Not here: allocation 1 of other sources fails; borrow(): ";
    assert!(borrow.contains(other), "{borrow}");
}

/// Structures as programs keep them: rings, pointers into one array, a type that only a conversion
/// names, a table that nobody writes, more objects behind one pointer than a driver makes, a function
/// in a header, one whose type another pointer has nearly.
const STRUCTURES: &str = r#"
#include <stddef.h>
struct node { struct node *prev, *next; void *data; };
struct owner { int kind; struct node all; };
int is_empty(struct node *head) { return head->next == head && head->prev == head; }
int used(struct owner *o) {
  int n = 0;
  for (struct node *p = o->all.next; p != &o->all && n < 3; p = p->next) n++;
  return n;
}
struct buffer { int kind; struct { int *start, *end, *at; } part; };
int room(struct buffer *b) {
  if (b->part.at == b->part.end) return 0;
  if (b->part.end - b->part.start != 8) return 1;
  return b->part.at == b->part.start ? 2 : 3;
}
typedef struct { int pad[20]; int mode; } file;
int opened(void *p) { return p && ((file *)p)->mode == 3; }
static int steps[4] = {1, 4, 9, 16};
int stepped(int n, unsigned i) { return i < 4 && steps[i] == n; }
struct wide { struct wide *a, *b, *c, *d, *e, *f, *g, *idle; };
int late(struct wide *w, int *q) {
  if (q && *q == 9) return 1;
  return w && w->a && w->b && w->c && w->d && w->e && w->f && w->g;
}
typedef int number;
#include "part.h"
struct other { int n; };
static void clear(struct other *o) { if (o) o->n = 0; }
void (*clears)(struct other *) = clear;
struct hooks { void (*wipe)(struct wide *); };
int wiped(struct hooks *h) { return h && h->wipe ? clipped(5) : 3; }
int far_off(int *values, int n) { return values && values[n * 7919 + 123456789L] == 5; }
int most(unsigned values[8]) { return values && values[5] == 1 && values[6] == 2; }
"#;

#[test]
fn structures_are_made_as_programs_keep_them() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), STRUCTURES).expect("a file");
    // The name of one is that of a function of the C library.
    let part = "static int write(number n) { return n == 78 ? 1 : 2; }\n\
                static int clipped(number n) { return n == 77 ? 1 : write(n); }\n";
    std::fs::write(folder.path().join("part.h"), part).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "8000");
    let names = [
        "is_empty", "used", "room", "opened", "stepped", "late", "most", "clipped", "write",
        "wiped", "far_off",
    ];
    all_covered(folder.path(), &told, &names);
    let read = |name: &str| {
        let path = format!("out/{name}/tests/test_{name}.c");
        std::fs::read_to_string(folder.path().join(path)).expect("a file")
    };
    assert!(!read("stepped").contains("steps["), "{}", read("stepped"));
    assert!(!read("late").contains("idle"), "{}", read("late"));
}

/// A structure that the header only declares: each source has its own.
const BOTH_HEADER: &str = r#"
struct stream { int ready; struct state *state; };
struct pair { int a, b, more[6]; };
"#;
const ONE_SOURCE: &str = r#"
#include "both.h"
struct state { long first, second; struct stream *owner; };
int one(struct stream *s) { return s && s->state && s->state->owner == s ? 1 : 2; }
"#;
const OTHER_SOURCE: &str = r#"
#include "both.h"
struct other { struct stream *owner; int mode; char tail[40]; };
int other(struct stream *s) {
  if (!s || !s->state) return 1;
  struct other *own = (struct other *)s->state;
  if (own->owner != s) return 2;
  if (own->mode < 100) return 3;
  return own->tail[30] == 'x' ? 4 : 5;
}
int sized(const struct pair *p, int plen) {
  if (plen == sizeof *p) return p->more[2] == 7 ? 1 : 2;
  return 3;
}
"#;

#[test]
fn each_source_has_its_own_structure_behind_a_declared_one() {
    let folder = folder();
    for (name, text) in [
        ("both.h", BOTH_HEADER),
        ("one.c", ONE_SOURCE),
        ("other.c", OTHER_SOURCE),
    ] {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let told = all_functions(folder.path(), &["one.c", "other.c"], "3000");
    all_covered(folder.path(), &told, &["one", "other", "sized"]);
}

/// Pointers that are compared, and a union of which a pointer is a part.
const CHOICES: &str = r#"
struct node { struct node *next; int v; };
int five(struct node *p, struct node *q, int n) {
  if (p == 0) return 1;
  if (p->next == q) return q ? 2 : 3;
  if (q && q->next == p) return 4;
  if (p == q) return 5;
  return n > 3 ? p->v > n : 6;
}
struct tagged { int kind; union { long number; char *text; } as; };
int shown(struct tagged *t) {
  int n = 0;
  switch (t->kind) {
  case 1: n = 5; break;
  case 2: n = 3; break;
  case 3: n = 9; break;
  case 4: n = 7; break;
  case 5: n = 2; break;
  }
  return t->as.text ? n + 10 : n;
}
"#;

#[test]
fn a_choice_is_made_where_the_code_asks_for_it() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), CHOICES).expect("a file");
    let mut command = labrys();
    command.current_dir(folder.path());
    command.args(["cover", "lib.c", "--all-functions"]);
    // There are 60 choices: a flip of each would take more runs, of which five are for each test that is kept.
    let run = output(command.args(["--runs", "120", "--out", "out"]));
    let told = common::text(&run);
    assert!(told.contains("22 of 22 branches"), "{told}");
    for name in ["five", "shown"] {
        tests_pass(
            &folder
                .path()
                .join(format!("out/{name}/tests/test_{name}.c")),
        );
    }
}

#[test]
fn the_same_steps_give_the_same_tests() {
    let folder = folder();
    for out in ["a", "b"] {
        let arguments = [
            "--entry", "list", "--entry", "upper", "--steps", "400", "--out", out,
        ];
        let (run, told) = cover(folder.path(), &arguments);
        assert_eq!(run.status.code(), Some(0), "{told}");
    }
    let read = |path: &str| std::fs::read(folder.path().join(path)).expect("a file");
    for file in [
        "list/tests/test_list.c",
        "upper/tests/test_upper.c",
        "upper/inputs/000001",
    ] {
        assert_eq!(
            read(&format!("a/{file}")),
            read(&format!("b/{file}")),
            "{file}"
        );
    }
}

#[test]
fn functions_that_a_diff_touches() {
    let folder = folder();
    let line = LIBRARY
        .lines()
        .position(|line| line.contains("c->compare &&"));
    let line = line.expect("a line") + 1;
    let diff = format!("--- a/lib.c\n+++ b/lib.c\n@@ -{line} +{line} @@\n-  old\n+  new\n");
    std::fs::write(folder.path().join("change"), diff).expect("a file");
    let (run, told) = cover(folder.path(), &["--diff", "change", "--steps", "400"]);
    assert_eq!(run.status.code(), Some(0), "{told}");
    assert!(
        folder.path().join("labrys-out/tests/test_held.c").is_file(),
        "{told}"
    );
    std::fs::write(folder.path().join("empty"), "").expect("a file");
    let (run, told) = cover(folder.path(), &["--diff", "empty", "--out", "other"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(
        told.contains("it touches no function of this program"),
        "{told}"
    );
}

#[test]
fn sources_are_compiled_as_the_build_says() {
    let folder = folder();
    let source = folder.path().join("p.c");
    std::fs::write(
        &source,
        "#include \"limit.h\"\nint f(int a) { return a > LIMIT * 2; }\n",
    )
    .expect("a file");
    std::fs::create_dir(folder.path().join("inc")).expect("a folder");
    std::fs::write(
        folder.path().join("inc/limit.h"),
        "#define LIMIT (EDGE + 0)\n",
    )
    .expect("a file");
    let database = format!(
        r#"[{{"directory": "{0}", "file": "p.c", "command": "cc -Iinc -DEDGE=21 -c -o p.o p.c"}}]"#,
        folder.path().display()
    );
    std::fs::write(folder.path().join("compile_commands.json"), database).expect("a file");
    std::fs::write(folder.path().join("q.c"), "int g(void) { return 1; }\n").expect("a file");
    let call = |arguments: &[&str]| {
        let mut command = labrys();
        output(
            command
                .current_dir(folder.path())
                .arg("cover")
                .args(arguments),
        )
    };
    let done = call(&["p.c", "-p", ".", "--entry", "f", "--out", "out"]);
    assert_eq!(done.status.code(), Some(0), "{}", common::text(&done));
    let other = call(&["q.c", "-p", ".", "--entry", "g", "--out", "b"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(
        common::text(&other).contains("has no entry for q.c"),
        "{}",
        common::text(&other)
    );
    let none = call(&["p.c", "-p", "inc", "--entry", "f", "--out", "c"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(common::text(&none).contains("cannot read compile_commands.json there"));
}

#[test]
fn what_is_no_entry_is_named() {
    let folder = folder();
    for (arguments, expected) in [
        (
            &["--entry", "lost"][..],
            "--entry lost: the program does not define it",
        ),
        (&["--entry", "main"], "a driver does not call main"),
        (&["--entry", "exit"], "there is only a declaration"),
        (&["--entry", "list", "--", "x"], "there are no ARGS"),
        (&["--diff", "missing"], "--diff missing: "),
    ] {
        let (run, told) = cover(folder.path(), arguments);
        assert_eq!(run.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(expected), "{expected} is not in {told}");
    }
}

/// A library whose other half is not there, and pointers to functions that it has none for.
const HALF: &str = r#"
#include <stddef.h>
struct point { int x; double y; };
extern int read_level(struct point *out, int n);
extern char *fetch(const char *key);
extern int shared_flag;
struct ops { int (*compare)(const void *, const void *); void (*log)(int, const char *); };
int work(int a) {
  struct point p = {0, 0};
  if (read_level(&p, a) == 7 && p.x == 12) return 1;
  char *text = fetch("k");
  if (text && text[0] == 'z') return 2;
  return shared_flag;
}
int run(struct ops *o, const int *v, size_t n) {
  if (!o || !o->compare || n < 2 || !v) return -1;
  if (o->compare(&v[0], &v[1]) <= 5) return 0;
  if (o->log) o->log(1, "x");
  return o->compare(v, v) == -3 ? 9 : 1;
}
int find(const void *data, size_t size) {
  const char *c = data;
  if (c && size > 2 && c[1] == 'q') return 3;
  return 0;
}
"#;

#[test]
fn doubles_stand_for_functions_that_are_not_there() {
    let folder = folder();
    std::fs::write(folder.path().join("half.c"), HALF).expect("a file");
    let mut command = labrys();
    command.current_dir(folder.path());
    command.args([
        "cover",
        "half.c",
        "--all-functions",
        "--steps",
        "4000",
        "--out",
        "out",
    ]);
    let run = output(&mut command);
    let told = common::text(&run);
    assert_eq!(run.status.code(), Some(0), "{told}");
    for name in ["work", "run", "find"] {
        let mut lines = told.lines();
        let line = lines.find(|line| line.starts_with(&format!("{name} ")));
        let words: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
        assert_eq!(words.get(1), words.get(3), "{name}: {told}");
        // Also without the sources that are missing.
        tests_pass(
            &folder
                .path()
                .join(format!("out/{name}/tests/test_{name}.c")),
        );
    }
    let bytes = |out: &str| std::fs::read(folder.path().join(out)).expect("a file");
    let first = bytes("out/run/config.json");
    std::fs::remove_dir_all(folder.path().join("out")).expect("a folder");
    assert_eq!(output(&mut command).status.code(), Some(0));
    assert_eq!(
        first,
        bytes("out/run/config.json"),
        "it depends on the folder of the build"
    );
}

#[test]
fn only_what_changed_is_done_again() {
    let folder = folder();
    let path = folder.path().join("half.c");
    let run = |jobs: &str| {
        let mut command = labrys();
        command.current_dir(folder.path());
        command.args(["cover", "half.c", "--all-functions", "--steps", "3000"]);
        let run = output(command.args(["--jobs", jobs, "--out", "out", "--resume"]));
        let told = common::text(&run);
        assert_eq!(run.status.code(), Some(0), "{told}");
        told
    };
    let unchanged = |told: &str| {
        let lines = told.lines().filter(|line| line.contains("unchanged,"));
        let names = lines.map(|line| line.split(' ').next().unwrap_or_default().to_owned());
        names.collect::<Vec<_>>().join(" ")
    };
    std::fs::write(&path, HALF).expect("a file");
    assert_eq!(unchanged(&run("2")), "");
    let read = |name: &str| {
        let file = format!("out/{name}/tests/test_{name}.c");
        std::fs::read_to_string(folder.path().join(file)).expect("a file")
    };
    let before = read("work");
    // A line more above all, and another condition in one function.
    let changed = format!("\n{}", HALF.replace("c[1] == 'q'", "c[1] == 'r'"));
    std::fs::write(&path, changed).expect("a file");
    let told = run("1");
    assert_eq!(unchanged(&told), "work run");
    assert_eq!(read("work"), before);
    assert!(read("find").contains(", 114"), "{}", read("find"));
    tests_pass(&folder.path().join("out/find/tests/test_find.c"));
    // From another folder than that of the build, and where it was moved to.
    let moved = folder.path().join("moved");
    std::fs::rename(folder.path().join("out"), &moved).expect("a folder");
    let mut replay = labrys();
    let replay = replay.current_dir("/").arg("replay");
    let replayed = output(replay.arg(moved.join("work")));
    assert!(replayed.status.success(), "{replayed:?}");
}

#[test]
fn one_function_goes_on_as_several_do() {
    let folder = folder();
    let run = |arguments: &[&str]| {
        let (run, told) = cover(folder.path(), arguments);
        (run.status.code(), told)
    };
    let store = ["--entry", "total", "--resume", "--out", "out"];
    let (code, told) = run(&store);
    assert_eq!(code, Some(0), "{told}");
    assert!(folder.path().join("out/total/config.json").is_file());
    let (_, told) = run(&store);
    assert!(
        told.contains("unchanged, its tests were run again"),
        "{told}"
    );
    let single = ["--entry", "total", "--out", "single"];
    assert_eq!(run(&single).0, Some(0));
    let (code, told) = run(&[&single[..], &["--resume"]].concat());
    assert_eq!(code, Some(2), "{told}");
    assert!(
        told.contains("that is one itself, of one function"),
        "{told}"
    );
}
