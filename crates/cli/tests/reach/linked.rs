//! `labrys reach` where a target hangs on what a function of a library says that has no model:
//! phase II calls the function.

use crate::command::Program;

const ARGUMENTS: [&str; 3] = ["--no-forward", "--time", "90s"];

fn reaches(program: &str, library: Option<&str>, targets: &[&str]) {
    Program::linked(program, library).expect(&ARGUMENTS, &[("reached", targets)]);
}

/// Numbers that only the library knows, with what it keeps from call to call.
#[test]
fn numbers_of_the_c_library() {
    reaches(
        r#"
#include <labrys.h>
#include <stdlib.h>
#include <time.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  unsigned char which;
  unsigned x;
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(&x, sizeof x, "x");
  switch (which) {
  case 0:
    srand48(x);
    if (lrand48() % 500 == 77) labrys_target("lrand48");
    break;
  case 1:
    srand(x);
    rand();
    if (rand() % 500 == 5) labrys_target("rand");
    break;
  case 2: {
    struct tm t = {0};
    t.tm_year = 100 + x % 30;
    t.tm_mon = x / 64 % 12;
    t.tm_mday = x / 1024 % 28;
    long seconds = timegm(&t);
    if (seconds > 1200000000 && t.tm_wday == 3) labrys_target("timegm");
    break;
  }
  case 3: {
    char text[32];
    snprintf(text, sizeof text, "%u.%u.%u.%u", x & 255, x >> 8 & 255, x >> 16 & 255, x >> 24);
    if (inet_addr(text) % 300 == 17) labrys_target("inet_addr");
    break;
  }
  case 4: {
    char text[] = "hello";
    text[x % 5] ^= x >> 8 & 15;
    if (a64l(text) % 200 == 5) labrys_target("a64l");
    break;
  }
  }
  return 0;
}
"#,
        None,
        &["lrand48", "rand", "timegm", "inet_addr", "a64l"],
    );
}

/// Objects of the program that the library reads, writes and keeps; memory of the library that the
/// program reads and writes.
#[test]
fn memory_of_both_sides() {
    reaches(
        r#"
#define _GNU_SOURCE
#include <labrys.h>
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
struct list { struct list *next; unsigned value; };
unsigned sum_of(struct list *list);
void keep(unsigned *place);
void change(unsigned by);
extern unsigned level;
unsigned twice_level(void);
unsigned shown = 3;
unsigned thrice_shown(void);
int main(void) {
  unsigned char which;
  unsigned x;
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(&x, sizeof x, "x");
  switch (which) {
  case 0: {
    char text[40];
    sprintf(text, "%u,%u,7", x % 300, x / 300 % 300);
    unsigned s = 0;
    for (char *part = strtok(text, ","); part; part = strtok(NULL, ","))
      s = s * 3 + atoi(part);
    if (s == 1234) labrys_target("strtok");
    break;
  }
  case 1: {
    char *copy = strdup("a copy");
    copy[1] = x;
    if (strcmp(copy, "a!copy") > 0 && copy[1] == '"') labrys_target("strdup");
    if (strverscmp(copy, "a7copy") == 0) labrys_target("written");
    break;
  }
  case 2: {
    char text[60];
    errno = 0;
    sprintf(text, "%u%u%u", x, x, x);
    strtol(text, 0, 10);
    if (errno == ERANGE) labrys_target("errno");
    break;
  }
  case 3: {
    struct list *all = 0;
    for (int i = 0; i < 3; i++) {
      struct list *one = malloc(sizeof *one);
      one->next = all;
      one->value = x >> i;
      all = one;
    }
    if (sum_of(all) == 100002) labrys_target("list");
    break;
  }
  case 4: {
    unsigned kept = 5;
    keep(&kept);
    kept = x;
    change(7);
    if (kept == 1000) labrys_target("kept");
    break;
  }
  case 5:
    level = x;
    if (twice_level() == 4444 && level == 2223) labrys_target("level");
    break;
  case 6:
    if (thrice_shown() == 9) labrys_target("initial");
    shown = x;
    if (thrice_shown() == 333 && shown == 112) labrys_target("shown");
    break;
  }
  return 0;
}
"#,
        Some(
            r#"
struct list { struct list *next; unsigned value; };
unsigned sum_of(struct list *list) {
  unsigned sum = 0;
  for (; list; list = list->next) sum += list->value;
  return sum;
}
static unsigned *place;
void keep(unsigned *where) { place = where; }
void change(unsigned by) { *place += by; }
unsigned level;
unsigned twice_level(void) { return 2 * level++; }
extern unsigned shown;
unsigned thrice_shown(void) { return 3 * shown++; }
"#,
        ),
        &[
            "strtok", "strdup", "written", "errno", "list", "kept", "level",
        ],
    );
}

/// A loop in which a function of a library is called, and numbers of all kinds.
#[test]
fn loops_and_floats() {
    reaches(
        r#"
#include <labrys.h>
unsigned step(unsigned state, unsigned byte);
double shape(float x, int n, double y);
int main(void) {
  unsigned char which;
  unsigned x;
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(&x, sizeof x, "x");
  if (which == 0) {
    unsigned state = 1;
    for (int i = 0; i < 997; i++)
      state = step(state, x >> (i & 3) * 8 & 255);
    if (state % 20 == 7) labrys_target("loop");
  }
  if (which == 1) {
    double y = shape((int)x % 1000, 3, (int)x / 1000);
    if (y > 5000 && y < 5100) labrys_target("float");
  }
  return 0;
}
"#,
        Some(
            r#"
unsigned step(unsigned state, unsigned byte) { return (state ^ byte) * 16777619u; }
double shape(float x, int n, double y) { return x * n + y / 2; }
"#,
        ),
        &["loop", "float"],
    );
}

/// What crashes, hangs, ends the program, calls back or reads the input is no way to a target; and
/// it harms no other.
#[test]
fn functions_that_do_not_return() {
    let program = r#"
#include <labrys.h>
#include <stdio.h>
struct table { unsigned (*function)(unsigned); };
unsigned pass(unsigned x);
unsigned crash(unsigned x);
unsigned hang(unsigned x);
unsigned leave(unsigned x);
unsigned apply(struct table *table, unsigned x);
unsigned from_input(void);
static unsigned square(unsigned x) { return x * x % 1001; }
int main(void) {
  unsigned char which;
  unsigned x;
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(&x, sizeof x, "x");
  struct table table = {square};
  if (which == 0 && crash(x) == 1) labrys_target("crash");
  if (which == 1 && hang(x) == 1) labrys_target("hang");
  if (which == 2 && leave(x) == 1) labrys_target("leave");
  if (which == 3 && apply(&table, x) == 1002) labrys_target("callback");
  if (which == 4 && from_input() == 5) labrys_target("input");
  if (which == 5 && getchar() == 5) labrys_target("getchar");
  if (which == 6 && crash(x) == 4000) labrys_target("past");
  if (which == 7 && pass(x) == 4711) labrys_target("pass");
  return 0;
}
"#;
    let library = r#"
#include <stdlib.h>
#include <unistd.h>
struct table { unsigned (*function)(unsigned); };
unsigned pass(unsigned x) { return x ^ 4096; }
unsigned crash(unsigned x) { if (x < 2000) abort(); return x > 3000 ? x : 2; }
unsigned hang(unsigned x) { for (;;) ; }
unsigned leave(unsigned x) { exit(x); }
unsigned apply(struct table *table, unsigned x) { return table->function(x); }
unsigned from_input(void) { unsigned char byte = 0; return read(0, &byte, 1) == 1 ? byte : 5000; }
"#;
    let open = ["crash", "hang", "leave", "callback", "input", "getchar"];
    let reached = ["past", "pass"];
    Program::linked(program, Some(library))
        .expect(&ARGUMENTS, &[("not found", &open), ("reached", &reached)]);
}

/// A library that calls the program by a name.
#[test]
fn what_may_call_the_program_by_name_is_not_called() {
    let program = r#"
#include <labrys.h>
#include <stdlib.h>
unsigned bias;
unsigned own(unsigned x) { return x + bias; }
unsigned through(unsigned x);
int main(void) {
  unsigned x;
  labrys_symbolic(&x, sizeof x, "x");
  bias = 1;
  srand48(x);
  if (lrand48() % 100 == 7) labrys_target("known");
  if (through(x) == 2000001) labrys_target("through");
  return 0;
}
"#;
    let library =
        "unsigned own(unsigned x); unsigned through(unsigned x) { return 2 * own(x) + 1; }";
    let expected: [(&str, &[&str]); 2] = [("reached", &["known"]), ("not found", &["through"])];
    Program::linked(program, Some(library)).expect(&ARGUMENTS, &expected);
}
