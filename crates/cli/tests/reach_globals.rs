//! `labrys reach` and global variables that hold few numbers: what else they may hold in the end,
//! and what a proof may take from it.
//!
//! As in `reach_hidden`, the first byte of the input decides whether anything is done.

mod verdicts;

use verdicts::verdicts;

/// Targets whose name begins with `never` are proved, no others.
fn check(program: &str) {
    let mut wrong = Vec::new();
    for (name, verdict) in verdicts(program) {
        let proved = verdict == "unreachable";
        if proved != name.starts_with("never") {
            wrong.push(format!("{name}: {verdict}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Whatever way a number gets into a variable, the variable may hold it.
#[test]
fn writes_of_other_kinds() {
    let program = r#"
#include <labrys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int copied = 1, filled = 1, pieced = 1, scanned = 1, atomic = 1, exchanged = 1, output = 1;
static int passed = 1, chosen = 1, other = 1, counted = 1, wide = 1, half = 1, sorted[2] = {2, 1};
static int kept = 1, added = 1;
static int list[4] = {1, 1, 1, 1};
static struct pair { int a, b; } pair = {1, 1}, spare = {3, 3};
static union { long whole; int parts[2]; } both = {1};
static struct bits { unsigned a : 3, b : 5; } bits = {1, 1};
static char text[8] = "a";
static char *line;
static struct { int *where; } holder;
static _Thread_local int own = 1;
static void set(int *p, int v) { *p = v; }
static int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }
int main(void) {
  if (getchar() != 'K') return 0;
  int c = getchar() & 3, seven = 7 + 0 * c;
  memcpy(&copied, &seven, sizeof seven);
  if (copied == 7) labrys_target("memcpy");
  memset(&filled, c, sizeof filled);
  if (filled == 0x02020202) labrys_target("memset");
  ((unsigned char *)&pieced)[1] = 2;
  if (pieced == 0x201) labrys_target("byte");
  sscanf("7", "%d", &scanned);
  if (scanned == 7) labrys_target("sscanf");
  __sync_fetch_and_add(&atomic, 6);
  if (atomic == 7) labrys_target("atomic");
  __sync_val_compare_and_swap(&exchanged, 1, 7);
  if (exchanged == 7) labrys_target("exchanged");
  __asm__ volatile("movl $7, %0" : "=m"(output));
  if (output == 7) labrys_target("assembly");
  set(&passed, 7);
  if (passed == 7) labrys_target("passed");
  *(c ? &chosen : &other) = 7;
  if (chosen == 7) labrys_target("chosen");
  holder.where = &kept;
  *holder.where = 7;
  if (kept == 7) labrys_target("kept");
  counted++;
  if (counted == 2) labrys_target("counted");
  added |= 6;
  if (added == 7) labrys_target("added");
  *(long *)&both = 0x700000001;
  if (both.parts[1] == 7) labrys_target("union");
  *(short *)&half = 2;
  if (half == 2) labrys_target("half");
  wide = c ? 5 : 6;
  if (wide == 6) labrys_target("either");
  list[c] = 7;
  if (list[2] == 7) labrys_target("index");
  pair = spare;
  if (pair.a == 3) labrys_target("structure");
  bits.b = c + 3;
  if (bits.b == 5) labrys_target("bits");
  qsort(sorted, 2, sizeof *sorted, compare);
  if (sorted[0] == 1) labrys_target("sorted");
  strcpy(text, "bc");
  if (text[1] == 'c') labrys_target("strcpy");
  size_t size = 0;
  line = NULL;
  if (getline(&line, &size, stdin) > 0 && line) labrys_target("line");
  own = 2;
  if (own == 2) labrys_target("own");
  return 0;
}
"#;
    check(program);
}

/// Variables that other files, libraries and tables name.
#[test]
fn names_that_others_use() {
    let program = r#"
#include <labrys.h>
#include <stdio.h>
#include <unistd.h>
int optind = 1, opterr = 1, optopt = 0;
static int hidden = 1;
extern int visible __attribute__((alias("hidden")));
int weak __attribute__((weak)) = 1;
static int entry = 1, used __attribute__((used)) = 1;
static int *const table[] = {&entry};
static int plain = 1;
int global = 1;
int main(void) {
  if (getchar() != 'K') return 0;
  int c = getchar() & 1;
  char *arguments[] = {"x", "-a", "-c", "b", 0};
  getopt(4, arguments, "a");
  if (optind == 2) labrys_target("library");
  getopt(4, arguments, "a");
  if (optopt == 'c') labrys_target("option");
  visible = 2;
  if (hidden == 2) labrys_target("alias");
  weak = 2;
  if (weak == 2) labrys_target("weak");
  *table[c & 0] = 2;
  if (entry == 2) labrys_target("table");
  __asm__ volatile("movl $2, used(%%rip)" ::: "memory");
  if (used == 2) labrys_target("used");
  if (plain == 2) labrys_target("never written");
  if (c) global = 3;
  if (global == 2) labrys_target("never stored");
  return 0;
}
"#;
    check(program);
}

/// A name that only an alias shows to the library.
#[test]
fn an_alias_that_the_library_sees() {
    let program = r#"
#include <labrys.h>
#include <stdio.h>
#include <unistd.h>
static int hidden = 1;
extern int optind __attribute__((alias("hidden")));
int main(void) {
  if (getchar() != 'K') return 0;
  char *arguments[] = {"x", "-a", "b", 0};
  getopt(3, arguments, "a");
  if (hidden == 2) labrys_target("alias");
  return 0;
}
"#;
    check(program);
}

/// Variables of a section, by the names that the linker gives its ends.
#[test]
fn sections_are_walked_over() {
    let program = r#"
#include <labrys.h>
#include <stdio.h>
static int first __attribute__((section("settings"), used)) = 1;
static int second __attribute__((section("settings"), used)) = 1;
extern int __start_settings[], __stop_settings[];
int main(void) {
  if (getchar() != 'K') return 0;
  for (int *p = __start_settings; p < __stop_settings; p++) *p = 7;
  if (first == 7) labrys_target("first");
  if (second == 7) labrys_target("second");
  return 0;
}
"#;
    check(program);
}

/// Assembly between the functions knows names.
#[test]
fn assembly_of_the_file() {
    let program = r#"
#include <labrys.h>
#include <stdio.h>
int plain = 1;
static int kept __attribute__((used)) = 1;
void poke(void);
__asm__(".text\n.globl poke\npoke:\n  movl $7, plain(%rip)\n  movl $7, kept(%rip)\n  ret\n");
int main(void) {
  if (getchar() != 'K') return 0;
  poke();
  if (plain == 7) labrys_target("plain");
  if (kept == 7) labrys_target("kept");
  return 0;
}
"#;
    if cfg!(target_arch = "x86_64") {
        check(program);
    }
}

/// Numbers change on their way: casts in loops, parameters, results, calls that are not seen.
#[test]
fn numbers_on_their_way() {
    let program = r#"
#include <labrys.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static int turned = 1, looped = 1, narrow = 1, called = 1, returned = 1, behind = 1, again = 1;
static int rung = 1, ended = 1, mismatched = 1, ring, from = 4, to = 5, real = 1;
static unsigned char small = 1;
static double number = 1;
static void on_signal(int s) { rung = s ? 7 : 8; }
__attribute__((noinline)) static void set(int v) { called = v; }
__attribute__((noinline)) static void store(int v) { behind = v; }
static void (*volatile indirect)(int) = store;
__attribute__((noinline)) static int pick(int n) { return n ? (n == 1 ? 20 : pick(n - 1)) : 30; }
__attribute__((noinline)) static int same(int v) { return v; }
__attribute__((noinline)) static void deep(int n, int v) { if (n) deep(n - 1, v + 1); else again = v; }
static void odd();
static void at_end(void) { if (ended == 2) labrys_target("end"); }
int main(void) {
  if (getchar() != 'K') return 0;
  int c = getchar() & 7;
  int x = 128;
  for (int i = 0; i < c; i++) x = (signed char)x;
  turned = x;
  if (turned == -128) labrys_target("turned");
  small = 200;
  looped = (signed char)small;
  if (looped == -56) labrys_target("narrow");
  set(2);
  if (c) set(3);
  if (called == 3) labrys_target("parameter");
  if (called == 4) labrys_target("never passed");
  store(2);
  indirect(7);
  if (behind == 7) labrys_target("indirect");
  returned = pick(c);
  if (returned == 20) labrys_target("result");
  if (returned == 25) labrys_target("never returned");
  deep(c, 1);
  if (again == 4) labrys_target("deep");
  narrow = same(6);
  if (narrow == 6) labrys_target("same");
  signal(SIGUSR1, on_signal);
  if (c == 1) raise(SIGUSR1);
  if (rung == 7) labrys_target("signal");
  if (rung == 9) labrys_target("never rung");
  atexit(at_end);
  ended = 2;
  odd(65537L + c, 1);
  if (mismatched == 1 + (1 << 16)) labrys_target("mismatched");
  ring = from;
  from = to;
  to = ring;
  if (from == 5) labrys_target("swapped");
  if (to == 6) labrys_target("never swapped");
  number = c ? 0.5 : -0.0;
  if (number == 0) labrys_target("zero");
  if (number == 0.5) labrys_target("real");
  if (number > 2) labrys_target("never large");
  real = c == 4;
  if (real) labrys_target("truth");
  if (real == 2) labrys_target("never two");
  return 0;
}
static void odd(v) int v; { mismatched = v; }
"#;
    check(program);
}

/// What proofs take from it: states, settings, structures, in loops that are stepped over.
#[test]
fn few_numbers_are_proofs() {
    let program = r#"
#include <labrys.h>
#include <stdio.h>
enum state { IDLE, NAME, VALUE, END, ERROR = 9 };
static enum state state;
static struct { int depth; unsigned char mode, flags; } options = {1, 2, 0};
static int limit = 100, seen;
static const char *names[3];
static void go(enum state next) { state = next; }
int main(void) {
  int c;
  while ((c = getchar()) != EOF) {
    switch (state) {
    case IDLE: if (c == 'a') go(NAME); break;
    case NAME: if (c == '=') go(VALUE); else if (c == '!') options.mode = 5; break;
    case VALUE: if (c == ';') go(IDLE); else if (c == '.') go(END); break;
    case END: options.flags = 3; break;
    case ERROR: labrys_target("never error");
    }
    if (limit > 100) labrys_target("never limit");
    if (options.mode == 3) labrys_target("never mode");
    if (options.mode == 5 && options.flags == 3) labrys_target("both");
    seen = c == 'q';
    if (names[1]) labrys_target("never named");
  }
  if (seen > 1) labrys_target("never seen");
  if (state > END) labrys_target("never beyond");
  if (options.depth != 1) labrys_target("never deeper");
  return 0;
}
"#;
    check(program);
}
