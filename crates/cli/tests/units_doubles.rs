//! Doubles in tests of functions: what they answer and write, and how they are declared.

#![allow(missing_docs)]

mod common;

use std::path::Path;
use std::process::Command;

use common::{
    all_covered, all_covered_with, all_functions, folder, output, succeed, tests_pass, text,
};

const SOURCE: &str = r#"
#include <stddef.h>
#include <sys/socket.h>
struct bus;
struct backend { int (*open)(struct bus *, const char *); enum mode { OFF, ON } (*mode)(struct bus *); };
struct bus { const struct backend *backend; int state; };
struct item { int number; const char *name; };
struct context { int *place; int count; };
typedef struct { unsigned short size; unsigned char bytes[1]; } blob;
typedef int (*reader)(const char *, size_t, void *);
int board_start(struct bus *);
int next_item(struct item *);
int port_read(void *buffer, unsigned size);
unsigned short next_id(void);
short next_level(void);
int digest(const char *, size_t);
int more(void *iterator);
int is_ready(void);
/* Pointers of an object that is passed on are kept. */
int run(struct bus *b) {
  if (!b || !b->backend || !b->backend->open || !b->backend->mode) return -1;
  if (b->backend->open(b, "bus") < 0) return -2;
  if (board_start(b)) return -3;
  if (b->backend->mode(b) == ON) return b->state > 3 ? 2 : 1;
  return 0;
}
/* In a new object nothing is there to be kept. */
int fresh(void) {
  struct item it;
  if (!next_item(&it)) return -1;
  return it.number == 7 ? it.name == 0 : 2;
}
/* A context is not what a number behind it counts. */
int notify(int (*on)(void *, size_t), struct context *c) {
  if (!on || !c || !c->place) return -1;
  if (on(c, 16)) return -2;
  return *c->place == 5 ? 1 : 0;
}
int frame(void) {
  struct { unsigned char id, length; } f;
  if (port_read(&f, sizeof f)) return -1;
  return f.id == 0x42 && f.length < 10 ? f.length : -2;
}
int receive(int fd) {
  unsigned char b[12];
  if (recv(fd, b, sizeof b, 0) < 12) return -1;
  return b[0] == 'A' && b[11] == 17;
}
/* No more is received than there is room. */
int commas(int fd) {
  char b[12];
  int n = 0;
  ssize_t got = recv(fd, b, sizeof b, 0);
  for (ssize_t i = 0; i < got; i++) n += b[i] == ',';
  return n > 2 ? 1 : 0;
}
int gather(ssize_t (*get)(void *, unsigned char *, int), void *port) {
  unsigned char b[16];
  int n = 0;
  if (!get) return -1;
  while (n < 16) {
    ssize_t got = get(port, b + n, 16 - n);
    if (got <= 0) return -2;
    n += got;
  }
  return b[0] == 'S' && b[15] == 'E' ? 1 : 0;
}
int failed(int fd) {
  int value = 0;
  socklen_t n = sizeof value;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &n)) return -1;
  return value == 77 ? 1 : 0;
}
int first(blob *b) { return b && b->size == 3 && b->bytes[0] == 'x' ? 1 : 0; }
int id(void) { return next_id() == 65278 ? 1 : next_level() == -258 ? 2 : 0; }
static int show(const char *s, size_t n, void *sum) {
  if (!sum || n < 2 || digest(s, n) != 7) return 0;
  *(int *)sum += 1;
  return 1;
}
int each(const char *s, size_t n, reader r, void *sum) {
  if (!s || !r) return -1;
  for (size_t i = 0; i < n; i++) if (s[i] == '/' && r(s, n, sum)) return 1;
  return 0;
}
int total(const char *s, size_t n) { int sum = 0; return each(s, n, show, &sum) + sum; }
int count(void *it) { int n = 0; while (more(it)) n++; return n > 2 ? n : -1; }
int ready(void) { int n = 0; while (!is_ready()) n++; return n > 2 ? 1 : 0; }
int twice(void (*f)(int)) { if (!f) return 0; f(1); return 3; }
"#;

/// Compiles the tests of a function with checks of what it does, and of how functions are called.
fn sanitized(file: &Path) {
    let program = file.with_extension("exe");
    let mut command = Command::new("clang-19");
    command.args([
        "-fsanitize=address,undefined,function",
        "-fno-sanitize-recover=all",
        "-o",
    ]);
    let built = output(command.arg(&program).arg(file));
    assert!(built.status.success(), "{}", text(&built));
    let run = output(&mut Command::new(&program));
    assert!(run.status.success(), "{}: {}", file.display(), text(&run));
}

#[test]
fn what_doubles_do_covers_their_callers_and_holds_in_tests() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), SOURCE).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "6000");
    let names = [
        "run", "fresh", "notify", "frame", "receive", "commas", "gather", "failed", "first", "id",
        "show", "total", "count", "ready", "twice",
    ];
    all_covered(folder.path(), &told, &names);
    // One branch of it is proved: it calls no function that is not known.
    tests_pass(&folder.path().join("out/each/tests/test_each.c"));
    for failure in ["timeout", "overflow"] {
        assert!(!told.contains(failure), "{told}");
    }
    for name in names.into_iter().chain(["each"]) {
        sanitized(
            &folder
                .path()
                .join(format!("out/{name}/tests/test_{name}.c")),
        );
    }
    let run = std::fs::read_to_string(folder.path().join("out/run/tests/test_run.c"));
    let run = run.expect("tests");
    assert!(
        run.contains("int run_callback_1(struct bus *a0, const char *a1) {")
            && run.contains("enum mode run_callback_2(struct bus *a0) {"),
        "{run}"
    );
}

const FILES: &str = r#"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
struct port { int file; struct termios before; int raw; };
int port_open(struct port *p, const char *name) {
  struct termios now;
  if (!p || !name) return -1;
  p->file = open(name, O_RDWR | O_NOCTTY);
  if (p->file < 0) return errno == EBUSY ? -2 : -3;
  if (tcgetattr(p->file, &p->before) < 0) { close(p->file); return -4; }
  now = p->before;
  if (now.c_lflag & ICANON) { now.c_lflag &= ~ICANON; p->raw = 1; }
  if (tcsetattr(p->file, TCSANOW, &now)) { close(p->file); return -5; }
  return 0;
}
long payload(const char *name) {
  struct stat status;
  unsigned char head[4];
  if (!name) return -1;
  int file = open(name, O_RDONLY);
  if (file < 0) return -2;
  if (fstat(file, &status) || !S_ISREG(status.st_mode)) { close(file); return -3; }
  if (lseek(file, 4, SEEK_SET) != 4 || read(file, head, 4) != 4) { close(file); return -4; }
  if (close(file)) return -5;
  return memcmp(head, "LABR", 4) ? -6 : status.st_size > 100;
}
int waits(int file) {
  int other_waits(int);
  if (isatty(file)) return 1;
  return other_waits(file);
}
"#;

const OTHER: &str = r#"
#include <sys/stat.h>
#include <unistd.h>
int other_waits(int file) {
  struct stat status;
  if (isatty(file)) return 2;
  return fstat(file, &status) ? 3 : 4;
}
"#;

/// Files and terminals are outside too. Only what the sources call gets the doubles: what measures the
/// coverage of the tests opens its own files.
#[test]
fn files_and_terminals_answer_anything() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("lib.c"), FILES).expect("a file");
    std::fs::write(at("other.c"), OTHER).expect("a file");
    let told = all_functions(folder.path(), &["lib.c", "other.c"], "3000");
    let mut compile = Command::new("gcc");
    compile
        .args(["-c", "-o"])
        .arg(at("other.o"))
        .arg(at("other.c"));
    succeed(&mut compile);
    let other = at("other.o");
    let names = ["port_open", "payload", "waits"];
    all_covered_with(folder.path(), &told, &names, Some(&other));
    let mut measured = Command::new("gcc");
    measured.current_dir(folder.path());
    measured.args(["--coverage", "-w", "-o", "measured"]);
    measured.arg("out/port_open/tests/test_port_open.c");
    succeed(measured.arg(&other));
    let run = output(Command::new(at("measured")).current_dir(folder.path()));
    assert!(run.status.success(), "{}", text(&run));
    let files = std::fs::read_dir(folder.path()).expect("a folder");
    let mut names = files.map(|file| file.expect("a file").file_name());
    assert!(names.any(|name| name.to_string_lossy().ends_with(".gcda")));
}

const CROWDED: &str = r#"
struct node { struct node *a, *b, *c, *d, *e, *f; int key; };
struct item { int kind, size; };
struct item *item_of(struct node *n);
int kind(struct node *n) {
  if (!n || !n->a || !n->b || !n->c || !n->d || !n->e || !n->f) return -1;
  struct item *i = item_of(n);
  if (!i) return -2;
  if (i->kind == 77) return 1;
  return i->size > 1000 ? 2 : 0;
}
int key(struct node *n) { return n && n->key == 9 ? 1 : 0; }
"#;

/// The objects behind what a missing function answers are no fewer where a parameter has many.
#[test]
fn answers_have_objects_beside_those_of_parameters() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), CROWDED).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "3000");
    all_covered(folder.path(), &told, &["kind", "key"]);
}

const OVERFLOWS: &str = r#"
#include <sys/types.h>
struct port { ssize_t (*read)(struct port *port, void *bytes, size_t size); };
int fill(struct port *port) {
  char bytes[4];
  if (!port || !port->read) return -1;
  return port->read(port, bytes, 16) > 0 && bytes[0] == 'x';
}
"#;

#[test]
fn where_a_double_writes_too_far_its_caller_fails() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), OVERFLOWS).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "300");
    let failures: Vec<&str> = told
        .lines()
        .filter(|line| line.starts_with("failure:"))
        .collect();
    assert!(!failures.is_empty(), "{told}");
    for failure in failures {
        let place = failure.rsplit(' ').next().unwrap_or_default();
        assert!(
            place.starts_with("lib.c:7:") || place.contains("/lib.c:7:"),
            "{told}"
        );
    }
}
