//! Tests that are written for functions: they hold in any build, optimized or not, and compile whatever
//! the function and its parameters are. Lengths belong to the arrays that they are of.

#![allow(missing_docs)]

mod common;

use common::{all_covered, all_functions, folder, tests_pass};

const SOURCE: &str = r#"
#include <stddef.h>
#include <stdlib.h>
struct pair { int a, b; };
union value { int i; unsigned char c[4]; };
struct bits { unsigned a : 3, b : 5; };
struct range { const int low; int high; };
struct context { int depth; };
/* What nobody writes is copied out. */
void set(struct pair *p) { struct pair t; if (!p) return; t.a = 1; *p = t; }
/* What nobody writes is read from a fresh block. */
int fresh(int n) {
  unsigned char *p = malloc(64);
  if (!p) return -1;
  int first = p[40];
  free(p);
  return n > 3 ? first : -2;
}
int last(union value v) { return v.c[3] == 7 ? 1 : 0; }
int both(struct bits x) { return x.a == 5 && x.b > 3; }
int result(int x) { return x > 4 ? 1 : 0; }
int inside(struct range *r) { if (!r) return -1; return r->low == 3 && r->high > 9; }
/* A compiler may leave out the allocation, with its failure. */
int fits(size_t n) { char *p = malloc(n); if (!p) return -1; free(p); return 0; }
/* The length is that of the text, not of the context before it. */
int count(struct context *c, const char *s, size_t len) {
  int n = 0;
  if (!c || !s) return -1;
  for (size_t i = 0; i < len; i++) {
    if (s[i] == '(') n++;
    if (n == 5) return c->depth;
  }
  return 0;
}
/* Rows: as many as are named. */
int corner(int m[2][3]) { if (!m) return -1; return m[1][2] == 5 ? 1 : 0; }
/* The number is no length of the buffer, whose own length has a place behind it. */
int put(char **buf, size_t *buflen, unsigned len) {
  if (!buf || !buflen || !*buf || !*buflen) return -1;
  if (len < 0x20) { *(*buf)++ = (char)len; (*buflen)--; return 1; }
  if (len < 0x100) { (*buflen)--; return 2; }
  if (len < 0x10000) return 3;
  return 4;
}
"#;

#[test]
fn written_tests_hold_in_any_build() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), SOURCE).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "6000");
    let names = [
        "fresh", "last", "both", "result", "inside", "fits", "count", "corner", "put",
    ];
    all_covered(folder.path(), &told, &names);
    tests_pass(&folder.path().join("out/set/tests/test_set.c"));
    let set = std::fs::read_to_string(folder.path().join("out/set/tests/test_set.c"));
    let set = set.expect("tests");
    assert!(
        set.contains("CHECK(p.a == 1)") && !set.contains("CHECK(p.b"),
        "{set}"
    );
}

/// What C does not let a test assign, in structures, unions and arrays; what it names by a `typedef` of a
/// constant; atomic members, and a structure that each compiler has its own names for.
const QUALIFIED: &str = r#"
#include <stdatomic.h>
#include <stddef.h>
typedef const struct { int a; const char *t; } fixed;
struct members { const unsigned pair[2]; const struct { int a; char *const p; } in[2]; int (*const f)(int); };
int members(const struct members *m) {
  if (!m) return -1;
  if (m->pair[1] == 7 && m->in[1].a == 3) return m->in[1].p && m->in[1].p[0] == 'x';
  return m->f && m->f(1) == 9 ? 2 : 0;
}
int first(const struct { const char *const name; } *p) { return p->name && p->name[0] == 'y' ? 1 : 0; }
int named(fixed *p) { return p->a == 4 && p->t && p->t[1] == 'b' ? 1 : 0; }
union value { const char *const text; const int number; };
struct tagged { int kind; union value u; };
int tagged(struct tagged *t) {
  if (t->kind == 1) return t->u.text && t->u.text[0] == 'n' ? 1 : 0;
  return t->u.number == 77 ? 2 : 0;
}
struct by_value { const int q[2]; char *const p; const volatile unsigned r; };
int by_value(struct by_value b) { return b.q[1] == 4 && b.p && b.p[0] == 'v' && b.r == 6; }
struct atomic { _Atomic struct { int a, b; } s; _Atomic(char *) p; const _Atomic int c; atomic_flag f; };
int atomic(struct atomic *p) {
  if (p->c == 9 && p->p) return atomic_flag_test_and_set(&p->f) ? 2 : 1;
  return 0;
}
static atomic_flag lock = ATOMIC_FLAG_INIT;
int try_lock(void) { return atomic_flag_test_and_set(&lock) ? 1 : 0; }
int number(_Atomic int *n) { return *n == 4 ? 1 : 0; }
volatile int *register_of(int n) { static volatile int all[2]; return n == 3 ? all : 0; }
int swap(int (*f)(_Atomic int *, volatile int *)) { _Atomic int a = 1; volatile int v = 2; return f && f(&a, &v) == 3; }
"#;

#[test]
fn constants_and_atomic_members_are_set_by_their_bytes() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), QUALIFIED).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "3000");
    let names = [
        "members",
        "first",
        "named",
        "tagged",
        "by_value",
        "atomic",
        "number",
        "register_of",
        "swap",
    ];
    all_covered(folder.path(), &told, &names);
    tests_pass(&folder.path().join("out/try_lock/tests/test_try_lock.c"));
}

/// Macros with the names of C and its library, allocations without macros, attributes, a callback with a
/// `va_list`.
const MACROS: &str = r#"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#undef malloc
static void *(*get)(size_t) = malloc;
char *strdup(const char *s) { char *p = get(8); if (p) p[0] = s[0], p[1] = 0; return p; }
#define inline
#define const
#define printf(...) ((void)0)
#define memcmp(a, b, n) 0
#define strcmp(a, b) compare(a, b)
static int compare(char *a, char *b) { while (*a && *a == *b) a++, b++; return *a - *b; }
int *cell(int v) { int *p = malloc(sizeof *p); if (!p) return NULL; *p = v; return p; }
int kept(char *s) { char *p = strdup(s); if (!p) return -1; int q = *p == 'q'; free(p); return q; }
struct pair { int a, b; };
__attribute__((warn_unused_result)) struct pair both(int x) { struct pair p = {x, x > 3}; return p; }
__attribute__((sentinel)) int all(char *a, ...) {
  va_list ap;
  va_start(ap, a);
  char *p = va_arg(ap, char *);
  va_end(ap);
  return p && a ? 1 : 0;
}
__attribute__((format(printf, 2, 3))) int print(int level, char *format, ...) {
  return level > 3 ? format ? 1 : 2 : 0;
}
struct log { void (*f)(int level, const char *format, va_list ap, void *data); void *data; };
void log_to(struct log *l, int level, char *format, va_list ap) { if (l && l->f) l->f(level, format, ap, l->data); }
int same(char *a, char *b) { return strcmp(a, b) ? 0 : 1; }
"#;

#[test]
fn macros_and_attributes_of_the_source_do_not_matter() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), MACROS).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "3000");
    let names = ["cell", "kept", "print", "log_to", "same"];
    all_covered(folder.path(), &told, &names);
    for name in ["both", "all"] {
        tests_pass(
            &folder
                .path()
                .join(format!("out/{name}/tests/test_{name}.c")),
        );
    }
}

/// What calls do depends on where objects lie: which is the upper one, how far apart they are, bits of their
/// addresses.
const ADDRESSES: &str = r#"
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
struct parser { const unsigned char *end; };
struct value { const struct parser *parser; const unsigned char *ptr; unsigned left; };
int chunk(struct value *v) {
  size_t n = *v->ptr & 31;
  if (n > (size_t)(v->parser->end - v->ptr)) return -2;
  v->left--;
  return n == 23;
}
struct encoder { union { unsigned char *ptr; ptrdiff_t needed; } data; const unsigned char *end; };
int room(struct encoder *e, size_t n) {
  ptrdiff_t left = (ptrdiff_t)e->end;
  left -= e->data.needed;
  left -= (ptrdiff_t)n;
  return left < 0 ? 7 : 8;
}
struct node { union { struct { char *name; int n; } element; struct { int ws; char *text; } text; } value; };
int bits(const struct node *d) {
  if (d->value.element.n & 0x1000) return 1;
  return d->value.element.n < 0 ? 2 : d->value.element.n & 0x40 ? 3 : 4;
}
int given_back(struct node *d) { int n = d->value.element.n; free(d); return n < 0 ? 1 : 0; }
"#;

#[test]
fn what_depends_on_places_of_objects_is_not_checked() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), ADDRESSES).expect("a file");
    all_functions(folder.path(), &["lib.c"], "3000");
    for name in ["chunk", "room", "bits", "given_back"] {
        // Wherever the system puts the program.
        for _ in 0..4 {
            tests_pass(
                &folder
                    .path()
                    .join(format!("out/{name}/tests/test_{name}.c")),
            );
        }
    }
}

const FREE: &str = r#"
#include <unistd.h>
int pick(int kind, int low, int high) {
  if (kind == 77) return -1;
  return kind > 1000 ? low : high;
}
int first(int file) {
  char bytes[4];
  if (file == 5) return -2;
  if (read(file, bytes, 4) < 2) return -1;
  return bytes[1] == 'x' ? bytes[0] : 0;
}
"#;

/// What decides nothing in a call, and of which nothing is left behind, is zero in its test.
#[test]
fn inputs_that_change_nothing_are_zeros() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), FREE).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "3000");
    all_covered(folder.path(), &told, &["pick", "first"]);
    let tests = |name: &str| {
        let path = format!("out/{name}/tests/test_{name}.c");
        std::fs::read_to_string(folder.path().join(path)).expect("a file")
    };
    let pick = tests("pick");
    assert!(pick.contains("pick(77, 0, 0)"), "{pick}");
    let first = tests("first");
    // One answer decides; those of the calls that are not made do not.
    for text in ["_errors[0] =", "_results[1] =", "_results[2] ="] {
        assert!(!first.contains(text), "{text} in\n{first}");
    }
}

/// A source that has no library below it, with types and functions of its own under the names of one.
const FREESTANDING: &str = r#"
typedef unsigned long size_t;
typedef long long loff_t;
typedef unsigned short pid_t;
typedef struct { int fd; } FILE;
struct file { loff_t at; pid_t owner; FILE *log; };
int print(FILE *to, const char *format);
int waitpid(int process, int *status, int options);
static int strcmp(const char *a, const char *b) {
  if (!a || !b) return -9;
  while (*a && *a == *b) a++, b++;
  return *a == *b ? 0 : *a < *b ? -1 : 1;
}
void *memset(void *to, int byte, size_t n);
int seek(struct file *f, loff_t by) {
  if (!f || by < 0) return -1;
  if (f->owner != 7) { print(f->log, "not the owner"); return -2; }
  f->at += by;
  return 0;
}
int child(int process) {
  int status = 0;
  if (waitpid(process, &status, 0) < 0) return -1;
  return status == 3 ? 1 : 0;
}
int is_end(const char *word) { return strcmp(word, "end") == 0; }
"#;

#[test]
fn a_source_may_have_the_names_of_a_library() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), FREESTANDING).expect("a file");
    let mut command = common::labrys();
    command.current_dir(folder.path());
    command.args(["cover", "lib.c", "--cc-flag=-ffreestanding"]);
    command.args(["--all-functions", "--steps", "1500", "--out", "out"]);
    let told = common::text(&common::output(&mut command));
    all_covered(folder.path(), &told, &["seek", "child", "is_end", "strcmp"]);
}
