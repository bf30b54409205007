//! Proofs by values and by functions alone in programs whose calls return twice or that copy their
//! process, against brute force: a branch that the plain build takes is never proved.
//!
//! Every input of two bytes from a list is tried on a build by clang with the same options, each in a
//! process of its own.

#![allow(missing_docs)]

mod common;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use common::{folder, labrys_cc, output, text};
use labrys_abstraction::Units;
use labrys_analysis::ProgramAnalysis;
use labrys_program::{BranchId, Program};

/// Programs (`LABRYS_RETURNS_PROGRAMS`, from seed `LABRYS_RETURNS_FIRST` on).
const PROGRAMS: u64 = 6;

const OPTIONS: [&str; 3] = ["-O0", "-O1", "-O2"];

/// What functions mark; a decision stands alone on its line.
const BEGIN: &str = r#"
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#ifdef BRUTE
static unsigned char *taken;
#else
static volatile unsigned char taken[4096];
#endif
#define IF(condition) if (condition) taken[__LINE__] |= 1; else taken[__LINE__] |= 2;
#define APART static __attribute__((noinline))
static int state, mode, turn, seen, driven, rounds, first, second;
static jmp_buf place;
static sigjmp_buf signaled;
static ucontext_t here, there;
static char stack[65536];
APART int low(int a) { return a & 3; }
__attribute__((noinline, unused)) static void begins(void (*f)(void)) {
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = sizeof stack;
  there.uc_link = 0;
  makecontext(&there, f, 0);
}
"#;

/// Functions, by the name of the one that is called: `$` stands for a small number.
const PIECES: [(&str, &str); 15] = [
    (
        "tries",
        r#"
APART void throws(int r, int a) {
  IF(r == $)
  IF(r == -1)
  IF((a & 15) == 16)
  state = r;
  if (a & 1) longjmp(place, r + 1);
  IF(a & 1)
}
APART int tries(int a, int b) {
  int x = a & 3, kept = $;
  volatile int n = 0;
  int r = setjmp(place);
  n++;
  IF(r == 0)
  IF(r == 2)
  IF(x == 7)
  IF(kept == 5)
  IF(n > 3)
  if (r < (b & 3)) { x = b; mode = r; kept = 5; throws(r, a); kept = 6; }
  IF(mode == 2)
  IF(x == a)
  IF(kept == 6)
  first = kept;
  return r + x;
}"#,
    ),
    (
        "around",
        r#"
APART int jumps_in(int a) {
  if (setjmp(place) == 0) { mode = 7; if (a & 2) longjmp(place, 1); }
  return low(a);
}
APART int around(int a, int b) {
  mode = $;
  int r = jumps_in(a);
  IF(mode == 7)
  IF(mode == 8)
  IF(r > 3)
  IF(r == 3)
  int limit = b & 7;
  IF(limit == 8)
  return limit > r;
}"#,
    ),
    (
        "steps",
        r#"
APART void other(void) {
  for (;;) {
    IF(turn == 3)
    turn = 1;
    swapcontext(&there, &here);
    IF(turn == 1)
    IF(turn == $)
    turn = 4;
    seen = 4;
    swapcontext(&there, &here);
  }
}
APART int step(int a) {
  int before = turn;
  turn = 3;
  swapcontext(&here, &there);
  IF(turn == 3)
  IF(turn == before)
  return turn + (a & 1);
}
APART int steps(int a, int b) {
  begins(other);
  for (int i = 0; i < (b & 3); i++) step(a);
  turn = 2;
  seen = 2;
  int r = step(a);
  IF(seen == 2)
  IF(seen == 4)
  IF(seen == 5)
  IF(turn == 2)
  IF(turn == 4)
  IF(r == 9)
  return r;
}"#,
    ),
    (
        "caller",
        r#"
APART int yields(int a) { turn = 6; swapcontext(&here, &there); return a & 1; }
APART void runs(void) {
  for (;;) { IF(turn == 6) IF(turn == 5) turn = $; swapcontext(&there, &here); }
}
APART int caller(int a, int b) {
  begins(runs);
  turn = 5;
  int r = yields(a) + yields(b);
  IF(turn == 5)
  IF(turn == 6)
  IF(r == 3)
  IF(r == 2)
  return r;
}"#,
    ),
    (
        "forks",
        r#"
APART int forks(int a, int b) {
  int before = getpid(), status = 0;
  state = 5;
  int child = fork();
  if (child == 0) {
    IF(state == 5)
    IF(getpid() == before)
    state = $;
    if (a & 1) _exit(b & 3);
  } else {
    wait(&status);
  }
  IF(state == 5)
  IF(state == 9)
  IF(child == 0)
  IF(WEXITSTATUS(status) == 3)
  IF((b & 3) == 4)
  return 0;
}"#,
    ),
    (
        "vforks",
        r#"
APART void changes(int a) { state = a & 1 ? 9 : 8; }
APART void starts(int a) {
  int n = 1;
  int child = vfork();
  if (child == 0) { changes(a); _exit(0); }
  IF(state == 8)
  IF(state == 1)
  IF(n == 2)
}
APART int vforks(int a, int b) {
  state = 1;
  starts(a);
  IF(state == 1)
  IF(state == 9)
  IF(state == $)
  IF((b & 1) == 2)
  return 0;
}"#,
    ),
    (
        "guards",
        r#"
APART void on_signal(int number) { mode = number == SIGUSR1 ? 3 : 4; siglongjmp(signaled, 1); }
APART void guarded(int a) {
  signal(SIGUSR1, on_signal);
  if (sigsetjmp(signaled, 1) == 0 && (a & 1)) raise(SIGUSR1);
  IF(mode == 3)
}
APART int guards(int a, int b) {
  mode = 1;
  guarded(a);
  IF(mode == 1)
  IF(mode == 3)
  IF(mode == 4)
  IF((b & 4) == $)
  return 0;
}"#,
    ),
    (
        "moves",
        r#"
APART int *picks(int a) { return a & 2 ? &second : &first; }
APART void moved(int a) {
  int *p = &first, other = 1;
  if (setjmp(place) == 0) {
    p = picks(a);
    other = $;
    if (a & 1) longjmp(place, 1);
  }
  *p = 5;
  mode = other;
}
APART int moves(int a, int b) {
  first = second = 0;
  moved(a);
  IF(first == 5)
  IF(second == 5)
  IF(second == 6)
  IF(mode == 1)
  IF((b | 1) == 0)
  return 0;
}"#,
    ),
    (
        "twice",
        r#"
APART int again(int a) {
  rounds = 0;
  setjmp(place);
  rounds++;
  if (rounds < 2) longjmp(place, 1);
  return rounds + (a & 1);
}
APART int twice(int a, int b) {
  int r = again(a);
  IF(r == 2)
  IF(r == 3)
  IF(rounds == 2)
  IF(rounds == 1)
  IF((b & 3) == $ + 4)
  return r;
}"#,
    ),
    (
        "leaves",
        r#"
static int left, passed;
APART void passes(int n) { IF(n == 1) IF(n == 7) passed = n; }
APART int left_over(int a) {
  int n = 1;
  if (setjmp(place) == 0) {
    n = 7;
    if (a & 1) longjmp(place, 1);
    n = 1;
  }
  left = n;
  passes(n);
  return n;
}
APART int leaves(int a, int b) {
  int r = left_over(a);
  IF(r == 1)
  IF(r == 7)
  IF(left == 1)
  IF(left == 7)
  IF(passed == 7)
  IF((b & 7) == $ + 8)
  return r;
}"#,
    ),
    (
        "drives",
        r#"
APART void pauses(void) { swapcontext(&there, &here); }
APART void resumes(void) { swapcontext(&here, &there); }
APART void worker(void) {
  int before = driven;
  pauses();
  IF(driven == before)
  IF(driven == $)
}
APART void works(void) { for (;;) worker(); }
APART int drives(int a, int b) {
  begins(works);
  resumes();
  if (a & 1) driven = 4;
  resumes();
  IF(driven == 4)
  IF((b & 3) == 4)
  return 0;
}"#,
    ),
    (
        "repeats",
        r#"
APART int repeats(int a, int b) {
  static int count;
  count = 0;
  getcontext(&here);
  count++;
  if (count < (a & 3)) setcontext(&here);
  IF(count == 0)
  IF(count == 3)
  IF(count == $)
  return b;
}"#,
    ),
    (
        "counts",
        r#"
static int counted;
APART int asks(int a) { return setjmp(place) ? -1 : a & 7; }
APART int counts(int a, int b) {
  counted = 0;
  for (int i = 0; i < (b & 3); i++) if (asks(a) > $) counted++;
  IF(counted > 3)
  IF(counted == 3)
  IF(counted < 0)
  int r = asks(b);
  IF(r == 8)
  IF(r == 7)
  return counted;
}"#,
    ),
    (
        "tables",
        r#"
static const int values[4] = {2, 4, 6, $};
static int level;
APART void sets(int a) { if (setjmp(place) == 0) { level = values[a & 3]; if (a & 4) longjmp(place, 1); } else level++; }
APART int tables(int a, int b) {
  sets(a);
  int v = level;
  IF(v == 3)
  IF(v == 6)
  IF(values[b & 3] == 3)
  IF(values[b & 3] == 9)
  IF(values[b & 3] > 8)
  return v;
}"#,
    ),
    (
        "pointers",
        r#"
APART int one(int a) { return a & 1; }
APART int two(int a) { return 2 + (a & 1); }
static int (*chosen)(int) = one;
APART void chooses(int a) {
  int (*f)(int) = one;
  if (setjmp(place) == 0) { f = a & 8 ? two : one; if (a & 16) longjmp(place, 1); }
  chosen = f;
}
APART int pointers(int a, int b) {
  chooses(a);
  int r = chosen(b);
  IF(r == 0)
  IF(r == 3)
  IF(r == 4)
  IF((b & 1) + one(a) > $)
  return r;
}"#,
    ),
];

/// Runs a program on two bytes; by brute force on all of a list.
const END: &str = r#"
#ifdef BRUTE
int main(void) {
  static const unsigned char list[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 16, 17, 24, 25, 31, 127, 128, 255};
  taken = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (unsigned i = 0; i < sizeof list; i++) for (unsigned j = 0; j < sizeof list; j++) {
    if (fork() == 0) { run(list[i], list[j]); _exit(0); }
    wait(0);
  }
  for (int line = 0; line < 4096; line++) {
    if (taken[line] & 1) printf("%d true\n", line);
    if (taken[line] & 2) printf("%d false\n", line);
  }
}
#else
int main(void) {
  unsigned char in[2] = {0, 0};
  if (read(0, in, 2) == 2) run(in[0], in[1]);
}
#endif
"#;

fn number(name: &str, default: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A program with some of the pieces, in any order.
fn program(numbers: &mut fastrand::Rng) -> String {
    let mut pieces = PIECES;
    numbers.shuffle(&mut pieces);
    let pieces = &pieces[..numbers.usize(3..7)];
    let mut program = BEGIN.to_owned();
    for (_, piece) in pieces {
        let mut parts = piece.split('$');
        program.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let _ = write!(program, "{}{part}", numbers.u32(0..10));
        }
        program.push('\n');
    }
    program.push_str("static void run(unsigned char a, unsigned char b) {\n  int x = 0;\n");
    for _ in 0..numbers.usize(1..4) {
        for (name, _) in pieces {
            let _ = writeln!(program, "  x += {name}(a, b);");
        }
    }
    let _ = writeln!(program, "  IF(x == {})\n}}", numbers.u32(0..10));
    program + END
}

/// The branches that runs take, as `LINE DIRECTION`.
fn taken(folder: &Path, options: &str) -> BTreeSet<String> {
    let mut compiler = Command::new("clang-19");
    compiler.current_dir(folder);
    let built = output(compiler.args([options, "-w", "-DBRUTE", "p.c", "-o", "brute"]));
    assert!(built.status.success(), "{}", text(&built));
    let run = output(&mut Command::new(folder.join("brute")));
    assert!(run.status.success(), "{}", text(&run));
    text(&run).lines().map(str::to_owned).collect()
}

fn model(folder: &Path, options: &str) -> Program {
    let mut compiler = labrys_cc();
    compiler.current_dir(folder);
    let built = output(compiler.args([options, "-w", "-g", "p.c", "-o", "p"]));
    assert!(built.status.success(), "{}", text(&built));
    let container = labrys_cc::container::Container::open(&folder.join("p"));
    let program = container.and_then(|container| container.program());
    program.expect("a program")
}

/// The branches that values and functions alone exclude.
fn proved(program: &Program) -> [Vec<BranchId>; 2] {
    let entry = program.function_named("main").expect("main");
    let analysis = ProgramAnalysis::new(program, entry);
    assert_eq!(analysis.local_obstacles(), [""; 0]);
    assert!(!analysis.obstacles().is_empty());
    let goals = (0..program.branch_count()).map(BranchId::new);
    let mut units = Units::new(&analysis, entry, goals);
    let mut solver = labrys_solver::solver().expect("the solver's library");
    let mut alone = Vec::new();
    while units.is_open() {
        let step = units.step(&mut solver, |_| true);
        if let (Some((branches, _)), _) = step.expect("the solver's library") {
            alone.extend(branches);
        }
    }
    [analysis.impossible_branches().branches.clone(), alone]
}

/// `FILE:LINE:COLUMN SITE direction NUMBER` as line and direction.
fn place(name: &str) -> Option<String> {
    let (place, direction) = name.rsplit_once(' ')?;
    let line = place.split(' ').next()?.rsplit(':').nth(1)?;
    Some(format!("{line} {}", direction == "1"))
}

#[test]
fn no_branch_is_proved_that_is_taken_after_a_second_return() {
    let first = number("LABRYS_RETURNS_FIRST", 1);
    let mut count = [0, 0];
    for seed in first..first + number("LABRYS_RETURNS_PROGRAMS", PROGRAMS) {
        let folder = folder();
        let options = OPTIONS[(seed % 3) as usize];
        let source = program(&mut fastrand::Rng::with_seed(seed));
        std::fs::write(folder.path().join("p.c"), &source).expect("a file");
        let taken = taken(folder.path(), options);
        let program = model(folder.path(), options);
        for (kind, branches) in proved(&program).into_iter().enumerate() {
            for branch in branches {
                let name = program.branch_name(branch).expect("a name");
                let branch = place(&name).unwrap_or_default();
                assert!(
                    !taken.contains(&branch),
                    "seed {seed} {options}: {branch} is proved ({kind}) and taken\n{source}"
                );
                count[kind] += usize::from(!branch.is_empty());
            }
        }
    }
    println!("by values {}, by functions alone {}", count[0], count[1]);
    assert!(count[0] > 20 && count[1] > 20, "{count:?}");
}
