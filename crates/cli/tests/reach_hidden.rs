//! `labrys reach` and what is easy to get wrong backward: places that some run reaches though they
//! hang on addresses, on writes in disguise, on what the system does. None is called unreachable.
//!
//! The first byte of the input decides whether anything is done, and the search backward does not
//! know it: so it looks at each place with all its passes.

mod verdicts;

use verdicts::verdicts;

/// Targets whose name begins with `never` are proved, no others.
fn check(program: &str) {
    for (name, verdict) in verdicts(program) {
        let proved = verdict == "unreachable";
        assert_eq!(proved, name.starts_with("never"), "{name}: {verdict}");
    }
}

/// Two objects may have one address, one after the other or as equal constants, and what is not
/// defined has none.
#[test]
fn addresses_that_are_equal_after_all() {
    let program = r#"
#include <labrys.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
extern int absent(void) __attribute__((weak));
extern int missing __attribute__((weak));
static int variable, other;
static const char *whole, *part;
static const char *const texts[] = {"some text", "text"};
static void *seen;
__attribute__((noinline)) static void choose(int i) { whole = i ? "hello world" : "hello"; }
__attribute__((noinline)) static void end(int i) { part = i ? "world" : "word"; }
__attribute__((noinline)) static void look(void) {
  char here[16];
  __asm__ volatile("" ::"r"(here) : "memory");
  if (seen == here) labrys_target("frame");
  seen = here;
}
int main(void) {
  if (getchar() != 'K') return 0;
  if (!absent) labrys_target("absent");
  if (!&missing) labrys_target("missing");
  choose(1);
  end(1);
  if (whole + 6 == part) labrys_target("part");
  int c = getchar() & 0;
  if (texts[c] + 5 == texts[c + 1]) labrys_target("text");
  look();
  look();
  char *first = malloc(24);
  uintptr_t old = (uintptr_t)first;
  free(first);
  if ((uintptr_t)malloc(24) == old) labrys_target("again");
  char *small = malloc(100), *large = realloc(small, 101);
  if (small == large) labrys_target("grown");
  int *pointer = getchar() == 'x' ? &variable : &other;
  if (!pointer) labrys_target("never");
  return 0;
}
"#;
    check(program);
}

/// Numbers are rounded as the program asks for.
#[test]
fn rounding_may_be_changed() {
    let program = r#"
#include <fenv.h>
#include <labrys.h>
#include <math.h>
#include <stdio.h>
int main(void) {
  if (getchar() != 'K') return 0;
  volatile double given = 1;
  double one = given;
  fesetround(FE_UPWARD);
  if (rint(one + 0.25) == 2) labrys_target("integer");
  fesetround(FE_DOWNWARD);
  if (sqrt(one + 1) * sqrt(one + 1) < 2) labrys_target("root");
  double nothing = one - one;
  if (nothing == 0 && signbit(nothing)) labrys_target("sign");
  return 0;
}
"#;
    check(program);
}

/// The processor's register can be written too.
#[test]
fn rounding_may_be_changed_in_the_processor() {
    let program = r#"
#include <labrys.h>
#include <stdio.h>
#include <xmmintrin.h>
int main(void) {
  volatile float given = 1e-38f;
  float small = given;
  if (getchar() != 'K') return 0;
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  if (small * 0.5f == 0) labrys_target("zero");
  return 0;
}
"#;
    if cfg!(target_arch = "x86_64") {
        check(program);
    }
}

/// Pointers in pieces, in other types, into the middle of structures.
#[test]
fn writes_through_pointers_in_disguise() {
    let program = r#"
#include <labrys.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
struct pair { short a, b; };
struct outer { int n; struct pair pairs[3]; int *p; int tail; };
union word { int *p; uintptr_t n; unsigned char bytes[8]; };
static int first = 1, second = 2, *where = &first;
static struct outer shared;
static struct outer change(struct outer o) { *o.p = 44; o.n++; return o; }
static void turn(void) { where = &second; }
int main(void) {
  if (getchar() != 'K') return 0;
  int a = getchar() & 3, x = 1, y = 2;
  union word one, two;
  one.p = &x;
  memcpy(&two, &one, sizeof one);
  *(int *)two.n = 6;
  if (x == 6) labrys_target("copied");
  for (int i = 0; i < 8; i++) two.bytes[i] ^= 0x55;
  for (int i = 0; i < 8; i++) two.bytes[i] ^= 0x55;
  *two.p = 8;
  if (x == 8) labrys_target("bytes");
  uintptr_t both = (uintptr_t)&x ^ (uintptr_t)&y;
  *(int *)(both ^ (uintptr_t)&y) = 9;
  if (x == 9) labrys_target("xor");
  uintptr_t hidden = ~(uintptr_t)&x;
  *(int *)~hidden = 10;
  if (x == 10) labrys_target("not");
  struct outer o = {.n = 4, .p = &second};
  o = change(o);
  if (second == 44 && o.n == 5) labrys_target("passed");
  ((short *)&o)[2 + a] = 21;
  if (o.pairs[1].a == 21) labrys_target("middle");
  struct outer *back = (struct outer *)((char *)&o.tail - offsetof(struct outer, tail));
  back->n = 99;
  if (o.n == 99) labrys_target("container");
  *where = 5;
  turn();
  *where = 6;
  if (first == 5 && second == 6) labrys_target("turned");
  memcpy(&shared, &o, sizeof o);
  shared.p = &shared.n;
  *shared.p = 17;
  if (shared.n == 17) labrys_target("itself");
  if (first == 6) labrys_target("never");
  return 0;
}
"#;
    check(program);
}

/// Jumps into loops, tables of jumps, variable arguments, recursion with memory of its own.
#[test]
fn control_that_is_not_plain() {
    let program = r#"
#include <labrys.h>
#include <stdarg.h>
#include <stdio.h>
static volatile int still;
static int duff(int n) {
  int s = 0, m = (n + 3) / 4;
  switch (n % 4) {
  case 0: do { s += 1;
  case 3: s += 2;
  case 2: s += 3;
  case 1: s ^= 5;
  } while (--m > 0);
  }
  return s;
}
static int into(int a, int b) {
  int i = 0, x = 0;
  if (a & 1) goto middle;
  for (i = 0; i < b; i++) {
    x += 3;
  middle:
    x ^= a;
    if (x == 12) labrys_target("into");
    x++;
  }
  return x;
}
static int computed(const unsigned char *code) {
  static void *const places[] = {&&add, &&twice, &&end};
  int sum = 1, at = 0;
  goto *places[code[at++] % 3];
add: sum += 5; goto *places[code[at++] % 3];
twice: sum *= 2; if (sum == 12) labrys_target("computed"); goto *places[code[at++] % 3];
end: return sum;
}
static void store(int n, ...) {
  va_list list;
  va_start(list, n);
  for (int i = 0; i < n; i++) *va_arg(list, int *) = i + 7;
  va_end(list);
}
static int descend(int n) {
  static int total, calls;
  calls++;
  if (n > 0) { total += n; descend(n - 1); }
  if (calls == 4 && total == 6) labrys_target("descend");
  return total;
}
static int even(int n);
static int odd(int n) { static int c; if (++c == 3) labrys_target("odd"); return n > 0 ? even(n - 1) : 0; }
static int even(int n) { return n > 0 ? odd(n - 1) : 1; }
int main(void) {
  if (getchar() != 'K') return 0;
  unsigned char code[3] = {getchar(), getchar(), 2};
  int x = 0, y = 0;
  if (duff(code[0] & 15) == 12) labrys_target("duff");
  into(code[0] & 7, code[1] & 7);
  computed(code);
  store(2, &x, &y);
  if (y == 8) labrys_target("variable");
  descend(code[0] & 3);
  odd(code[1] & 7);
  if (still) labrys_target("never");
  return 0;
}
"#;
    check(program);
}
