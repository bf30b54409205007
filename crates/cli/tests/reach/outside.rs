//! `labrys reach` and code that is not in the picture: what it may call, when, and what proofs it
//! leaves; and proofs over callers, where most of the program is stepped over.

use crate::command::Program;

/// Functions whose address is taken are called by the program's own calls only, unless library code
/// is there that calls what it gets; a signal handler may run anywhere.
#[test]
fn handlers_and_callbacks() {
    let program = r#"
#include <labrys.h>
#include <signal.h>
#include <stdlib.h>
static volatile int rung;
static int quiet, ended;
static int first(long x) { if (x == 9) labrys_target("table"); return x; }
static int second(long x) { if (x == 5) labrys_target("five"); return x; }
static int (*table[2])(long) = {first, second};
static void on_signal(int number) {
  if (number == SIGUSR1) labrys_target("handler");
  rung = 1;
}
static void at_end(void) {
  if (ended == 2) labrys_target("end");
}
static void with(int flag) { if (flag > 1) labrys_target("flag"); }
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  signal(SIGUSR1, on_signal);
  atexit(at_end);
  if (c == 3) raise(SIGUSR1);
  if (rung) labrys_target("rung");
  if (quiet) labrys_target("quiet");
  table[c & 1](c & 7);
  with(c > 5);
  ended = c & 2;
  return 0;
}
"#;
    let reached = ["five", "handler", "rung", "end"];
    let unreachable = ["quiet", "table", "flag"];
    let expected: [(&str, &[&str]); 2] = [("reached", &reached), ("unreachable", &unreachable)];
    Program::new(program).expect(&["--time", "30s"], &expected);
}

/// What the library says of strings, characters and floats is known; a place behind a call that may
/// end the run is reached where a decision behind it was.
#[test]
fn the_library_is_known() {
    let program = r#"
#include <ctype.h>
#include <labrys.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void say(int n) { if (n == 77) exit(1); puts("x"); }
static int colour(const char *s) {
  if (!strcmp(s, "red")) return 0;
  if (!strcmp(s, "green")) return 1;
  return -1;
}
int main(void) {
  char word[9];
  double x;
  labrys_symbolic(word, sizeof word, "word");
  labrys_symbolic(&x, sizeof x, "x");
  word[8] = 0;
  say(word[0]);
  int found = colour(word);
  if (found == 1) labrys_target("green");
  if (found > 1) labrys_target("no_colour");
  if (strlen(word) > 8) labrys_target("too_long");
  if (strlen(word) == 7 && strchr(word, '=') == word + 3) labrys_target("equals");
  if (!strcmp(word, "ab") && word[1] == 'a') labrys_target("two_words");
  if (isdigit((unsigned char)word[0]) && isalpha((unsigned char)word[0])) labrys_target("both");
  if (atoi(word) == -31) labrys_target("number");
  if (x > 1 && sqrt(x) < 1) labrys_target("small_root");
  if (sin(x) * sin(x) > 1.5) labrys_target("wave");
  return 0;
}
"#;
    let reached = ["green", "equals", "number", "say", "program.c:19"];
    let unreachable = [
        "no_colour",
        "too_long",
        "two_words",
        "both",
        "small_root",
        "wave",
    ];
    let expected: [(&str, &[&str]); 2] = [("reached", &reached), ("unreachable", &unreachable)];
    Program::new(program).expect(&["--time", "30s"], &expected);
}

/// Standard input is not followed backward, so these are proofs from conditions near the targets
/// and from what all callers pass, over recursion and loops that are stepped over.
#[test]
fn callers_decide_where_input_is_not_followed() {
    let program = r#"
#include <labrys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct tree { int key; struct tree *left, *right; };
enum mode { QUIET, LOUD, DEBUG };
static enum mode mode;
static int depth_seen;
static int walk(struct tree *t, int level, int what) {
  if (!t) return 0;
  if (what == 3) labrys_target("what");
  if (level > 4) labrys_target("deep");
  if (t->key == level && what == 1) labrys_target("key");
  return walk(t->left, level + 1, what) + walk(t->right, level + 1, what) + 1;
}
static struct tree *insert(struct tree *t, int key) {
  if (!t) {
    t = calloc(1, sizeof *t);
    if (!t) exit(2);
    t->key = key;
    return t;
  }
  if (key < t->key) t->left = insert(t->left, key);
  else t->right = insert(t->right, key);
  if (!t) labrys_target("lost");
  return t;
}
static int code(int c) {
  switch (c) {
    case 'a': return 1;
    case 'b': return 4;
    case 'c': return 9;
    default: return -1;
  }
}
int main(int argc, char **argv) {
  struct tree *root = NULL;
  int c;
  if (argc > 1 && strcmp(argv[1], "-l") == 0) mode = LOUD;
  while ((c = getchar()) != EOF) root = insert(root, c);
  int size = walk(root, 0, root && root->key > 'm' ? 1 : 2);
  if (mode == DEBUG) labrys_target("debug");
  if (mode == LOUD) labrys_target("loud");
  switch (code(size)) {
    case 1: case 4: case 9: case -1: break;
    default: labrys_target("code");
  }
  if (size > 5) labrys_target("size");
  return depth_seen;
}
"#;
    let open = ["deep", "key", "size", "loud"];
    let unreachable = ["what", "lost", "debug", "code"];
    let targets = [&open[..], &unreachable].concat();
    let found = Program::new(program).reach(&["--no-forward", "--time", "30s"], &targets);
    for name in unreachable {
        assert_eq!(found[name]["verdict"], "unreachable", "{name}");
    }
    for name in open {
        assert_ne!(found[name]["verdict"], "unreachable", "{name}");
    }
}

/// A library without bitcode runs what it is given in a thread, if something that it needs can.
#[test]
fn libraries_may_start_threads() {
    let program = r#"
#include <labrys.h>
#include <stdlib.h>
void spawn(void (*f)(void *), void *p);
static int x;
static _Atomic int go, done;
static void work(void *p) { while (!go); x = 5; done = 1; }
int main(void) {
  if (!getenv("NEVER_SET")) return 0;
  spawn(work, 0);
  x = 1;
  go = 1;
  while (!done);
  if (x == 5) labrys_target("written");
  return 0;
}
"#;
    let threads = r#"
#include <pthread.h>
static void (*given)(void *);
static void *run(void *p) { given(p); return 0; }
void spawn(void (*f)(void *), void *p) {
  pthread_t thread;
  given = f;
  pthread_create(&thread, 0, run, p);
}
"#;
    let calls = "void spawn(void (*f)(void *), void *p) { f(p); }";
    for (library, proved) in [(threads, false), (calls, true)] {
        let program = Program::linked(program, Some(library));
        let reports = program.reach(&["--no-forward", "--time", "30s"], &["written"]);
        let report = &reports["written"];
        assert_eq!(report["verdict"] == "unreachable", proved, "{report}");
    }
}

/// A file with a name from outside may be the memory of the process: a proof that follows memory says
/// that it is not, where the program chooses the place in a file at which it writes.
#[test]
fn files_are_not_the_memory_of_the_process() {
    let program = |chosen: &str| {
        let text = r#"
#include <labrys.h>
#include <stdio.h>
#include <stdlib.h>
static int hidden = 3;
int main(int argc, char **argv) {
  int n = 42;
  FILE *file = fopen(argc > 1 ? argv[1] : "out", "r+");
  if (!file) return 1;
  CHOSEN
  fwrite(&n, 4, 1, file);
  fflush(file);
  if (hidden == n) labrys_target("hidden");
  return 0;
}
"#;
        Program::new(&text.replace("CHOSEN", chosen))
    };
    for (chosen, is_assumed) in [("fseek(file, (long)&hidden, SEEK_SET);", true), ("", false)] {
        let report = program(chosen).reach(&["--time", "20s"], &["hidden"]);
        let report = &report["hidden"];
        assert_eq!(report["verdict"], "unreachable", "{report}");
        let assumed = report["assumptions"].to_string();
        assert_eq!(assumed.contains("/proc/PID/mem"), is_assumed, "{report}");
    }
}
