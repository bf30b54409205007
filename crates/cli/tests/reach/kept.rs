//! `labrys reach` and what loops and calls keep, though they are stepped over: proofs that rest on
//! it, and places that it must not hide.

use crate::command::Program;

/// Checks the verdicts on targets of a program that reads standard input.
fn check(program: &str, reached: &[&str], unreachable: &[&str]) {
    let expected = [("reached", reached), ("unreachable", unreachable)];
    Program::new(program).expect(&["--stdin", "--time", "30s"], &expected);
}

/// A state machine over any number of characters: what its state can be follows from what one
/// round does, but not from what the code before the loop does.
#[test]
fn rounds_of_a_loop_keep_what_none_makes_true() {
    let program = r#"
#include <labrys.h>
#include <stdio.h>
static int state, credit, level;
static const int price[4] = {50, 80, 120, 200};
static void step(int c) {
  switch (state) {
  case 0:
    if (c >= 'a' && c <= 'd') {
      if (credit + price[c - 'a'] <= 500) credit += price[c - 'a'];
      state = 1;
    }
    break;
  case 1: state = c == 'x' ? 3 : 0; break;
  case 3:
    if (credit >= 120) credit -= 120;
    state = 0;
    break;
  default: labrys_target("state");
  }
  if (c == '+' && level < 3) level++;
}
int main(void) {
  int c;
  while ((c = getchar()) != EOF) {
    step(c);
    if (state == 2) labrys_target("two");
    if (state == 3) labrys_target("three");
    if (credit == 130) labrys_target("after");
  }
  if (level > 3) labrys_target("loud");
  if (level == 3) labrys_target("level");
  return 0;
}
"#;
    check(program, &["three", "level"], &["state", "two", "loud"]);
}

/// Conditions that hold only after some rounds, in an inner loop, or because one round changes what
/// the next one looks at, are not taken for kept.
#[test]
fn rounds_do_not_keep_what_takes_several() {
    let program = r#"
#include <labrys.h>
static unsigned char input[4];
static int a, b, c, table[8], *where = &a;
int main(void) {
  labrys_symbolic(input, sizeof input, "input");
  for (int i = 0; i < input[0]; i++) {
    if (c == 4) a = 7;
    if (b == 3) c = 4;
    if (i == 2) b = 3;
    for (int j = 0; j < (i & 3); j++) table[(i + j) & 7] += j;
    if (i == 5) where = &b;
    if (i == 6) *where = 11;
  }
  if (a == 7) labrys_target("chain");
  if (table[input[1] & 7] == 3) labrys_target("table");
  if (b == 11) labrys_target("pointer");
  if (c == 5) labrys_target("never");
  return 0;
}
"#;
    check(program, &["chain", "table", "pointer"], &["never"]);
}

/// A function writes through what it is given, and nowhere else; library functions too.
#[test]
fn calls_write_where_they_are_told() {
    let program = r#"
#include <labrys.h>
#include <stdio.h>
static void count(int *n) { for (int i = 0; i < 10; i++) *n += i; }
static void both(int *n, int *m) { count(n); count(m); }
static void keep(int **to, int *n) { *to = n; }
static int shared;
int main(void) {
  int fixed = 4, sum = 1, other = 2, held = 0, read = 0, *pointer = &other;
  char line[8] = "";
  both(&sum, &shared);
  if (fixed != 4) labrys_target("fixed");
  if (shared == 45) labrys_target("shared");
  if (scanf("%d %7s", &read, line) != 2) return 1;
  if (read == 12) labrys_target("read");
  if (line[1] == 'b') labrys_target("line");
  if (fixed != 4 || other != 2) labrys_target("scanned");
  keep(&pointer, &held);
  *pointer = 3;
  if (held == 3) labrys_target("held");
  if (other == 3) labrys_target("other");
  count(&fixed);
  if (fixed == 49) labrys_target("counted");
  return 0;
}
"#;
    check(
        program,
        &["read", "line", "held", "counted", "shared"],
        &["fixed", "scanned", "other"],
    );
}

/// An index that is a difference of pointers into another object does not hide the object that is
/// written.
#[test]
fn distances_between_other_pointers_hide_no_write() {
    let program = r#"
#include <labrys.h>
#include <string.h>
static char input[8], out[8];
int main(void) {
  char mine[8] = "";
  labrys_symbolic(input, sizeof input, "input");
  input[7] = 0;
  const char *at = strpbrk(input, "x");
  if (!at) return 1;
  mine[at - input] = 5;
  if (mine[2] == 5) labrys_target("mine");
  const char *p = input;
  while (p < input + 7 && *p == 'a') p++;
  out[p - input] = 6;
  if (out[2] == 6) labrys_target("out");
  if (out[3] == 5) labrys_target("never");
  return 0;
}
"#;
    check(program, &["mine", "out"], &["never"]);
}

/// `strtol` tells where the number ends: an address in the text that it was given.
#[test]
fn where_a_number_ends_is_in_its_text() {
    let program = r#"
#include <labrys.h>
#include <stdlib.h>
static char shared[4];
int main(void) {
  char own[4] = "00", *end;
  labrys_symbolic(own, 2, "own");
  shared[0] = own[0];
  strtol(own, &end, 10);
  *end = 'x';
  if (own[2] == 'x') labrys_target("own");
  strtol(shared, &end, 10);
  *end = 'x';
  if (shared[1] == 'x') labrys_target("shared");
  return 0;
}
"#;
    check(program, &["own", "shared"], &[]);
}

/// What the comparison counts that `qsort` or `bsearch` is given, by name or chosen, it counts.
#[test]
fn comparisons_that_the_library_calls_write_too() {
    let program = r#"
#include <labrys.h>
#include <stdio.h>
#include <stdlib.h>
static int sorted, chosen, found;
static int by_name(const void *a, const void *b) {
  if (++sorted == 3) labrys_target("third");
  return *(const char *)a - *(const char *)b;
}
static int up(const void *a, const void *b) {
  chosen++;
  return *(const char *)a - *(const char *)b;
}
static int down(const void *a, const void *b) { return *(const char *)b - *(const char *)a; }
static int equal(const void *a, const void *b) {
  found++;
  return *(const char *)a - *(const char *)b;
}
int main(void) {
  char in[4], key = 'k';
  if (fread(in, 1, 4, stdin) != 4) return 1;
  qsort(in, 4, 1, by_name);
  if (sorted > 4) labrys_target("sorted");
  qsort(in, 3, 1, in[3] & 1 ? up : down);
  if (chosen > 1) labrys_target("chosen");
  if (bsearch(&key, in, 3, 1, equal) && found == 2) labrys_target("found");
  return 0;
}
"#;
    check(program, &["third", "sorted", "chosen", "found"], &[]);
}

/// Behind a call that may end the run only what it lets pass is left, whoever defines the function.
#[test]
fn what_returns_has_met_its_condition() {
    let program = r#"
#include <labrys.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
void reach_error(void) { abort(); }
static void assume(int c) {
  if (!c) exit(0);
}
static int size;
static void check(int c, int most) {
  if (c > most || c < -most) exit(1);
  size++;
}
int main(void) {
  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
  __VERIFIER_assume(x > 3);
  assume(y % 4 == 1);
  check(z, 10);
  if (x < 3) labrys_target("assumed");
  if (x == 4) labrys_target("least");
  if (y == 7) labrys_target("own");
  if (y == 9) labrys_target("nine");
  if (z == -11) labrys_target("checked");
  if (z == -10 && size == 1) labrys_target("edge");
  if (x == 9) reach_error();
  return 0;
}
"#;
    check(
        program,
        &["least", "nine", "edge"],
        &["assumed", "own", "checked"],
    );
    // The program's own function of a name that is known is the target.
    Program::new(program).expect(&["--time", "30s"], &[("reached", &["reach_error"])]);
}

/// A value that is not known is one value, wherever it is read: what nobody wrote, and a number that
/// does not fit.
#[test]
fn values_that_may_be_any_are_one() {
    let program = r#"
#include <labrys.h>
static int first, second;
static void joined(int which) {
  long a, b, x, y;
  if (which) {
    x = a + 1;
    y = a + 2;
  } else {
    x = b + 2;
    y = b + 3;
  }
  if (x != y - 1) labrys_target("unset");
}
int main(void) {
  double d;
  unsigned char which;
  labrys_symbolic(&d, sizeof d, "d");
  labrys_symbolic(&which, 1, "which");
  int n = d;
  first = n;
  if (which > 3) second = n + 1;
  else second = first + 1;
  if (second - first != 1) labrys_target("number");
  joined(which);
  return 0;
}
"#;
    let program = Program::new(program);
    let both = ["unset", "number"];
    program.expect(&["--time", "30s"], &[("unreachable", &both)]);
    let hangs = r#"
#include <labrys.h>
int main(void) {
  int unset;
  if (unset == 1234567891) labrys_target("garbage");
  return 0;
}
"#;
    let target = ["reach", "program.c", "--target", "garbage"];
    let told = Program::new(hangs).labrys(&target);
    let words = String::from_utf8_lossy(&told.stdout);
    let reason = "a path is left that hangs on a value which no input makes";
    assert!(words.contains(reason), "{words}");
}

/// What a function of the program allocates, as `xmalloc` does, is apart from all that is there; what
/// it gives twice, keeps or writes is not.
#[test]
fn what_allocators_give_is_new() {
    let program = r#"
#include <labrys.h>
#include <stdlib.h>
struct node { struct node *next; int value; };
static struct node *all, *once;
static __attribute__((noinline)) void *xmalloc(size_t size) {
  void *given = malloc(size);
  if (!given) exit(1);
  return given;
}
static __attribute__((noinline)) struct node *make(int value) {
  struct node *made = xmalloc(sizeof *made);
  made->value = value;
  made->next = all;
  all = made;
  return made;
}
static __attribute__((noinline)) struct node *shared(void) {
  if (!once) once = make(0);
  return once;
}
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  struct node *first = make(c), *second = make(1);
  second->value = 7;
  if (first->value != c) labrys_target("changed");
  if (first->value == 9) labrys_target("nine");
  all->value = 3;
  if (second->value != 3) labrys_target("lost");
  if (all->next->value == 5) labrys_target("five");
  struct node *third = shared(), *fourth = shared();
  third->value = c;
  if (fourth->value == 11) labrys_target("eleven");
  int *old = xmalloc(40);
  *old = 4;
  free(old);
  int *young = xmalloc(40);
  *young = c;
  if (old == young && *young == 13) labrys_target("reused");
  return 0;
}
"#;
    check(
        program,
        &["nine", "five", "eleven", "reused"],
        &["changed", "lost"],
    );
}

/// From behind, a loop could begin with any number from which its counter comes to the end; what the
/// counter may be is known.
#[test]
fn counters_begin_where_loops_begin() {
    let program = r#"
#include <labrys.h>
static unsigned char in[8];
int main(void) {
  int rounds = 0, times = 0, sum = 0;
  labrys_symbolic(in, 8, "in");
  for (int i = 0; i < 2; i++) rounds++;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) times++;
  for (int i = 0; i < 4; i++) sum += in[i] + 1;
  if (rounds != 2) labrys_target("rounds");
  if (times != 4) labrys_target("times");
  if (sum < 4) labrys_target("least");
  if (sum == 4 + 3 * 255) labrys_target("much");
  if (sum == 4) labrys_target("little");
  return 0;
}
"#;
    check(program, &["much", "little"], &["rounds", "times", "least"]);
}

/// A number that each round changes by a multiple stays odd, or aligned.
#[test]
fn lowest_bits_of_numbers_stay() {
    let program = r#"
#include <labrys.h>
#include <stdio.h>
int main(void) {
  int c, odd = 1;
  unsigned at = 64;
  while ((c = getchar()) != EOF) {
    odd += 2 * c;
    at -= 4 * (unsigned)c;
  }
  if (odd == 0) labrys_target("even");
  if (at == 6) labrys_target("astray");
  if (odd + (int)at == 20) labrys_target("both");
  if (odd == 7 && at == 52) labrys_target("seven");
  if (at == 4) labrys_target("four");
  return 0;
}
"#;
    check(program, &["seven", "four"], &["even", "astray", "both"]);
}
