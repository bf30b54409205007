//! Functions as entries whose parameters point into one array or are numbers of 128 bits, or that
//! look at the error number; null pointers that end a run before it decides anything of them (`hex`).
//! Numbers that are places in arrays, arrays as long as the code looks for, owners and rings, variables
//! with pointers, arrays without a length. Variables and callbacks that are not the program's alone.

#![allow(missing_docs)]

mod common;

use std::process::Command;

use common::{all_covered, all_covered_with, all_functions, folder, succeed};

const SOURCE: &str = r#"
#include <errno.h>
#include <stddef.h>
struct item { int key; struct item *next; };
struct outer { struct item item; int more; };
static int hex(const unsigned char *at, const unsigned char *last) {
  int value = 0;
  while (at < last && *at >= '0' && *at <= '9') value = value * 10 + *at++ - '0';
  return value;
}
int decode(const unsigned char *input, const unsigned char *input_end) {
  if (!input || !input_end) return -1;
  if (input_end - input < 6) return -2;
  if (input[0] == '\\' && input[1] == 'u') return hex(input + 2, input_end) == 37;
  return 0;
}
int find(int *first, int *last, int key) {
  if (!first || !last) return -1;
  for (; first != last; first++)
    if (*first == key) return 1;
  return 0;
}
int passed_on(const unsigned char *from, const unsigned char *to) {
  if (!from || !to) return -1;
  return hex(from, to) == 21;
}
int apart(int *left, int *right) {
  if (!left || !right) return -1;
  if (left == right) return 1;
  return *left == 5 && *right == 6 ? 2 : 3;
}
int far_apart(const char *from, const char *to) {
  if (!from || !to) return -1;
  return to - from >= 24 ? from[23] == 'x' : 0;
}
int wide(unsigned __int128 sum, __int128 difference, int more) {
  if (sum >> 70) return more == 5;
  return difference < 0;
}
int last_error(int code) {
  if (errno == ETIMEDOUT) return code == 7 ? 1 : 2;
  return errno == EINTR ? 3 : 4;
}
int word(const char **at, const char *limit) {
  if (!at || !*at || !limit) return -1;
  while (*at < limit && **at == ' ') ++*at;
  return limit - *at >= 3 && (*at)[2] == 'x';
}
int after(const char *base, const char *at) {
  if (at - base > 3 && at[-2] == 'x' && base[0] == 'y') return 1;
  return 0;
}
static volatile int event;
int has_event(void) { return event ? 1 : 2; }
static int none(int number) { return number - number; }
int visit(int (*visitor)(int)) {
  if (visitor && visitor(1) == 7) return 1;
  return 0;
}
int visit_all(void) { return visit(none); }
int is_ring(struct outer *outer) {
  if (!outer) return -1;
  return outer->item.next == &outer->item ? outer->item.key == 9 : outer->more == 3;
}
"#;

#[test]
fn parameters_point_into_one_array_and_the_error_number_is_an_input() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), SOURCE).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "9000");
    let names = [
        "hex",
        "decode",
        "find",
        "passed_on",
        "apart",
        "far_apart",
        "wide",
        "last_error",
        "word",
        "after",
        "has_event",
        "visit",
        "is_ring",
    ];
    all_covered(folder.path(), &told, &names);
    let read = |name: &str| {
        let path = format!("out/{name}/tests/test_{name}.c");
        std::fs::read_to_string(folder.path().join(path)).expect("a file")
    };
    let tests = read("decode");
    assert!(tests.contains("((char *)input + 32)"), "{tests}");
    assert!(read("word").contains("((char *)"), "{}", read("word"));
    // Two objects that the code compares only as wholes stay two.
    assert!(!read("apart").contains("(char *)left"));
    assert!(read("last_error").contains("errno = 110;"));
}

const PLACES: &str = r#"
struct window { int before, strstart; unsigned sum; unsigned char *data; short kinds[12]; int kind; };
int at(struct window *w) {
  if (!w || !w->data) return -1;
  if (w->strstart == 0 || w->sum == 1u << 20) return 2;
  return w->data[w->strstart - 1] == 9;
}
int kind(struct window *w) { return w ? w->kinds[w->kind] == 7 : -1; }
int until(struct window *w) {
  if (!w || !w->data) return -1;
  if (w->before < 0) return -2;
  int i = 0;
  while (i < w->before && w->data[i] != 'x') i++;
  return i;
}
int chosen(const long *numbers, unsigned which) { return numbers ? numbers[which] == 1 : -1; }
int back(const int *ends, int from) { return from < 0 ? -1 : ends ? ends[from] == 3 : -2; }
"#;

#[test]
fn numbers_that_are_places_in_arrays_are_at_most_their_elements() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), PLACES).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "4000");
    let names = ["at", "kind", "until", "chosen", "back"];
    all_covered(folder.path(), &told, &names);
    let driver = std::fs::read_to_string(folder.path().join("out/driver.c")).expect("a file");
    let assumed = |name: &str| {
        let call = driver.split("\n/* ").find(|one| one.starts_with(name));
        let lines = call.unwrap_or_default().lines();
        let assumed = lines.filter_map(|line| line.trim().strip_prefix("labrys_assume("));
        assumed.map(str::to_owned).collect::<Vec<_>>()
    };
    // The array that has room, and the choice of it, come behind the number.
    let place = "*(unsigned int *)(o0 + 4) <= (c4 == 2 ? 262152 : 8));";
    let inside = "*(unsigned int *)(o0 + 48) <= 12);";
    let before = "(unsigned int)(*(unsigned int *)(o0) + 1) <= (c4 == 2 ? 262152 : 8) + 1);";
    assert_eq!(assumed("at"), [before, place, inside]);
    assert_eq!(
        assumed("chosen"),
        ["*(unsigned int *)(&a1) <= (c0 == 2 ? 32776 : 8));"]
    );
    // The code asks if they are negative.
    let signed = "(unsigned int)(*(unsigned int *)(&a1) + 1) <= (c0 == 2 ? 65544 : 8) + 1);";
    assert_eq!(assumed("back"), [signed]);
}

const KEPT: &str = r#"
#include <stddef.h>
#include <string.h>
struct engine { struct car *owner; int mode; };
struct car { int kind; struct engine *engine; };
int consistent(struct car *c) {
  if (!c || !c->engine) return 1;
  if (c->engine->owner != c) return 2;
  return c->engine->mode == 3 ? 3 : 4;
}
int answer(const unsigned char *message, int mlen) {
  if (!message || mlen < 12) return -1;
  const unsigned char *at = message + 12;
  if (at + 10 > message + mlen) return -2;
  return at[8] == 16 && at[9] == 7;
}
int is_tag(const char *tag) { return tag && strcmp(tag, "tag:example.org,2002:str") == 0 ? 1 : 0; }
struct link { struct link *prev, *next; void *data; };
struct list { int kind; struct link others[20], all; };
struct task { long key; int time; };
int soonest(struct list *list) {
  int best = -1;
  struct link *one;
  struct task *task;
  if (!list || !list->all.next) return -2;
  for (one = list->all.next; one != &list->all; one = one->next) {
    task = (struct task *)one->data;
    if (task->time == 0) continue;
    if (best == -1 || task->time < best) best = task->time;
  }
  return best == -1 ? 1 : best == 77 ? 2 : 3;
}
int is_empty(struct list *list) {
  struct link *all = &list->all;
  return all->next == all && all->prev == all ? list->kind == 3 : -1;
}
struct table { unsigned size; unsigned short *head; };
void slide(struct table *table, unsigned by) {
  unsigned n = table->size;
  unsigned short *at = &table->head[n];
  do {
    unsigned old = *--at;
    *at = old >= by ? old - by : 0;
  } while (--n);
}
struct channel { int kind; char **domains; int ndomains; };
int domain(struct channel *channel) {
  if (!channel) return -1;
  if (channel->ndomains == -1) return 1;
  return channel->ndomains == 2 && channel->domains && channel->domains[1] ? 2 : 0;
}
"#;

#[test]
fn objects_are_as_programs_keep_them() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), KEPT).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "6000");
    let names = [
        "consistent",
        "answer",
        "is_tag",
        "soonest",
        "is_empty",
        "slide",
        "domain",
    ];
    all_covered(folder.path(), &told, &names);
    let driver = std::fs::read_to_string(folder.path().join("out/driver.c")).expect("a file");
    assert!(!driver.contains("list.others"), "{driver}");
    // Another owner needs nothing behind it.
    assert!(driver.contains("\"c.engine.owner.kind\""), "{driver}");
    assert!(
        !driver.contains("\"c.engine.owner.engine.mode\""),
        "{driver}"
    );
}

/// Variables with pointers: one to a list, a buffer with its length beside it, a structure, functions;
/// one that points where the program wants. Flags and an output of another source.
const VARIABLES: &str = r#"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
extern int flag;
extern FILE *out;
struct node { int key; struct node *next; const char *name; };
static struct node *head;
static char *buffer;
static size_t size;
static int (*hook)(int);
struct { struct node *first; int count; void *cookie; } state;
const char *fixed = "fixed";
int find(int key) {
  struct node *n;
  for (n = head; n; n = n->next)
    if (n->key == key) return n->name ? n->name[0] == 'n' : 0;
  return -1;
}
int put(char c) {
  if (!buffer) return -1;
  if (size < 4) { buffer[size++] = c; return 1; }
  return 0;
}
int call(int x) { return hook ? hook(x) > 3 : 2; }
int inspect(void) {
  if (state.count > 2 && state.first && state.first->key == 99) return 5;
  return state.cookie ? 1 : 0;
}
int still(void) { return fixed[0] == 'g' ? 7 : 8; }
int quiet(void) {
  if (!flag) return 1;
  return flag == 7 && fprintf(out, "seven") == 5;
}
void set(struct node *n, char *b) { head = state.first = n; buffer = state.cookie = b; state.count++; hook = abs; }
void change(const char *text) { fixed = text; }
"#;
const MORE_VARIABLES: &str = r#"
#include <stdio.h>
int flag;
FILE *out;
void begin(FILE *file) { flag++; out = file; }
"#;

#[test]
fn variables_with_null_pointers_are_inputs() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), VARIABLES).expect("a file");
    std::fs::write(folder.path().join("more.c"), MORE_VARIABLES).expect("a file");
    let told = all_functions(folder.path(), &["lib.c", "more.c"], "6000");
    let names = ["find", "put", "call", "inspect", "quiet"];
    let object = folder.path().join("more.o");
    let compile = ["-c", "more.c", "-o", "more.o"];
    succeed(Command::new("gcc").current_dir(folder.path()).args(compile));
    all_covered_with(folder.path(), &told, &names, Some(&object));
    let still = told.lines().find(|line| line.starts_with("still "));
    assert!(still.is_some_and(|line| line.contains("1 of 2")), "{told}");
}

const FLEXIBLE: &str = r#"
#include <stdint.h>
#include <string.h>
#include <stdlib.h>
typedef struct { uint8_t bits; uint8_t pos; uint8_t buf[]; } enc;
void reset(enc *e) {
  if (!e) return;
  memset(e->buf, 0, (size_t)1 << (e->bits & 3));
  e->pos = 0;
}
int peek(enc *e) {
  if (!e || e->pos > 3) return -1;
  return e->buf[e->pos] == 42;
}
struct text { size_t len; char data[]; };
int ends(const struct text *t) {
  if (!t || !t->len) return -1;
  if (t->data[t->len - 1] == '\n') return 1;
  return t->data[0] == 'x' ? 2 : 0;
}
struct item { int key; const char *name; };
struct items { unsigned char kind; struct item items[]; };
int first(struct items *all) {
  if (!all) return -1;
  if (all->kind == 2 && all->items[1].key == 77) return 2;
  return all->items[0].name && all->items[0].name[0] == 'q';
}
struct slots { int n; int *slots[]; };
int slot(struct slots *s) {
  if (!s) return -1;
  return s->slots[1] && *s->slots[1] == 5;
}
struct old { unsigned kind; short last[0]; };
int old(struct old *o) { return o && o->last[2] == 3; }
void done(enc *e) {
  if (e && e->buf[0] == 9) free(e);
}
"#;

#[test]
fn arrays_without_a_length_have_elements() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), FLEXIBLE).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "9000");
    let names = ["reset", "peek", "ends", "first", "slot", "old", "done"];
    all_covered(folder.path(), &told, &names);
    assert!(!told.contains("failure:"), "{told}");
    let test = folder.path().join("out/slot/tests/test_slot.c");
    let test = std::fs::read_to_string(test).expect("a file");
    assert!(test.contains("struct slots *s = calloc(1, 40);"), "{test}");
    assert!(test.contains("  free(s);\n"), "{test}");
}

/// A function of another source whose address this one takes; and a static one of that source.
const PRINTER: &str = r#"
typedef struct buf_t *buf;
void append(buf b, const void *d, unsigned long n);
unsigned long length(buf b);
typedef void (*print_t)(void *ctx, const char *s, unsigned long n);
struct printer { int flags; print_t print; void *ctx; };
void setup(struct printer *g, buf b) { g->print = (print_t)(void *)append; g->ctx = b; }
int kept(struct printer *g, unsigned long *out) {
  if (!g || !out || g->print != (print_t)(void *)append || !g->ctx) return 1;
  *out = length((buf)g->ctx);
  return 0;
}
"#;
const BUFFER: &str = r#"
struct buf_t { unsigned long n; };
typedef void (*print_t)(void *ctx, const char *s, unsigned long n);
static void drop(void *b, const char *d, unsigned long n) {}
print_t dropping(void) { return drop; }
void append(struct buf_t *b, const void *d, unsigned long n) { b->n += n; }
unsigned long length(struct buf_t *b) { return b->n; }
"#;

#[test]
fn functions_of_other_sources_are_there_for_pointers() {
    let folder = folder();
    for (name, text) in [("printer.c", PRINTER), ("buffer.c", BUFFER)] {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let told = all_functions(folder.path(), &["printer.c", "buffer.c"], "6000");
    let object = folder.path().join("buffer.o");
    let mut gcc = Command::new("gcc");
    let source = folder.path().join("buffer.c");
    succeed(gcc.arg("-c").arg(source).arg("-o").arg(&object));
    all_covered_with(folder.path(), &told, &["kept"], Some(&object));
}
