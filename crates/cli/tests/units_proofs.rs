//! Proofs of functions as entries: a branch that any call takes is never proved.

#![allow(missing_docs)]

mod common;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use common::{folder, labrys, output, text};
use serde_json::Value;

/// What functions mark; a decision stands alone on its line.
const MARKS: &str = r#"
#include <stdlib.h>
unsigned char taken[4096];
#define IF(condition) if (condition) taken[__LINE__] |= 1; else taken[__LINE__] |= 2;
"#;

/// Decisions by what they depend on: bounds, tables, callees, globals, allocations, doubles, pointers.
const BY_HAND: &str = r#"
static const unsigned char table[4] = {3, 5, 7, 9};
static int level;
static const char *name = "x";
static int hidden;
extern int missing(int);
static int clamp(int x) { return x < 0 ? 0 : x > 100 ? 100 : x; }
void by_hand(unsigned char a, unsigned char b) {
  int x = clamp(a - b);
  IF(x > 100)
  IF(x == 100)
  IF(table[a & 3] == 4)
  IF(table[a & 3] == 9)
  IF((a & 0x0f) > 15)
  IF((a >> 4) == 15)
  IF(a * b > 65025)
  IF(a % 7 == 7)
  IF(level == 3)
  int sum = 0;
  for (int i = 0; i < (b & 7); i++) sum += i;
  IF(sum == 21)
  IF(sum < 0)
  switch (a & 3) {
  case 0: x = 1; break;
  case 3: x = 2; break;
  default: x = 3;
  }
  IF(x == 0)
  IF(x == 3)
}
void set(int to) { level = to; }
void allocates(unsigned char a) {
  char *memory = malloc(a + 1);
  IF(!memory)
  IF(a + 1 == 0)
  free(memory);
}
void asks(unsigned char a) {
  int answer = missing(a);
  IF(answer == 77)
  IF((answer & 1) == 2)
}
void hides(void) { hidden = 5; }
void looks(void) {
  IF(hidden == 5)
  IF(hidden == 6)
  IF(name == 0)
}
void points(unsigned char *p, unsigned char *q) {
  IF(!p)
  IF(p == q)
  if (p && q) {
    *p = 1;
    *q = 2;
    IF(*p == 1)
    IF(*p == 2)
    IF(*p == 3)
  }
}
"#;

/// What other links and devices decide.
const OTHERS: &str = r#"
struct registers { volatile unsigned control; };
void device(struct registers *r) {
  if (!r) return;
  r->control = 1;
  IF(r->control == 0)
}
__attribute__((weak)) int hook(unsigned char a) { return a - a; }
void asks_hook(unsigned char a) { IF(hook(a)) }
static int kept;
static void keep(unsigned long number, int is_address) {
  if (is_address) *(volatile int *)number = 1; else kept = number == 8192;
}
int asks_number(void) {
  keep(8192, 0);
  IF(kept == 1)
  return 0;
}
int asks_memory(void) {
  IF(*(unsigned short *)0x50000104 == 0x1234)
  return 0;
}
"#;

/// Calls everything with everything, and prints the branches that are taken.
const CALLS: &str = r#"
#include <stdio.h>
static int answer;
int missing(int x) { return answer + x; }
static int fails;
void *labrys_test_malloc(size_t size) { return fails ? 0 : (malloc)(size); }
int main(void) {
  for (int a = 0; a < 256; a++) for (int b = 0; b < 256; b++) {
    level = a % 5;
    by_hand(a, b);
    generated(a, b);
  }
  for (int a = 0; a < 256; a++) {
    fails = a & 1;
    allocates(a);
    fails = !fails;
    allocates(a);
    for (answer = -200; answer < 200; answer++) asks(a);
  }
  looks();
  hides();
  looks();
  unsigned char one = 0, two = 0;
  points(0, 0); points(&one, 0); points(&one, &one); points(&one, &two);
  for (int line = 0; line < 4096; line++) {
    if (taken[line] & 1) printf("%d true\n", line);
    if (taken[line] & 2) printf("%d false\n", line);
  }
  return 0;
}
"#;

/// Numbers that look random (Marsaglia's xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// An expression over these variables.
    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.below(3) {
                0 => self.below(300).to_string(),
                _ => ["a", "b", "x", "y"][self.below(4) as usize].to_owned(),
            };
        }
        let (one, other) = (self.expression(depth - 1), self.expression(depth - 1));
        let more = self.below(12);
        match self.below(9) {
            0 => format!("({one} + {other})"),
            1 => format!("({one} - {other})"),
            2 => format!("({one} & {other})"),
            3 => format!("({one} | {other})"),
            4 => format!("({one} ^ {more})"),
            5 => format!("(({one} & 0xffff) >> {more})"),
            6 => format!("({one} % {})", more + 1),
            7 => format!("(signed char)({one})"),
            _ => format!("({one} > {other} ? {other} : {one})"),
        }
    }
}

/// A function with random decisions, one inside the other, and loops.
fn generated(seed: u64) -> String {
    let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut text =
        "void generated(unsigned char a, unsigned char b) {\n  int x = 0, y = 1;\n".to_owned();
    for count in 0..60 {
        let (value, condition) = (numbers.expression(2), numbers.expression(1));
        let limit = numbers.below(200);
        let test = ["<", "==", ">", "!="][numbers.below(4) as usize];
        let variable = ["x", "y"][numbers.below(2) as usize];
        let _ = match numbers.below(3) {
            0 => writeln!(
                text,
                "  int z{count} = {condition};\n  if (z{count} {test} {limit}) {{\n  {variable} = {value};\n  \
                 IF(z{count} < {limit})\n  IF((signed char)z{count} {test} {limit})\n  }}"
            ),
            1 => writeln!(
                text,
                "  for (int i = 0; i < (b & 3); i++) {variable} = ({value}) & 0xffff;"
            ),
            _ => writeln!(text, "  {variable} = {value};"),
        };
        let _ = writeln!(text, "  IF({variable} {test} {limit})");
    }
    text + "}\n"
}

/// The branches that calls take, as `LINE DIRECTION`.
fn taken(folder: &Path, source: &str) -> BTreeSet<String> {
    let (file, program) = (folder.join("all.c"), folder.join("all"));
    let source = format!("{source}{CALLS}");
    // Its own calls of malloc are those that fail.
    let source = source.replace("= malloc(", "= labrys_test_malloc(");
    let source =
        format!("#include <stddef.h>\nvoid *labrys_test_malloc(size_t);\n#line 1\n{source}");
    std::fs::write(&file, source).expect("a file");
    let mut compiler = Command::new("clang-19");
    let built = output(
        compiler
            .args(["-fwrapv", "-w", "-o"])
            .arg(&program)
            .arg(&file),
    );
    assert!(built.status.success(), "{}", text(&built));
    let run = output(&mut Command::new(&program));
    assert!(run.status.success(), "{}", text(&run));
    text(&run).lines().map(str::to_owned).collect()
}

/// The branches that are proved, as `LINE DIRECTION`, one for each function that has them.
fn proved(folder: &Path, source: &str, more: &[&str]) -> Vec<String> {
    std::fs::write(folder.join("lib.c"), source).expect("a file");
    let mut command = labrys();
    command
        .current_dir(folder)
        .args(["cover", "lib.c", "--json", "--quiet"]);
    let run = output(command.args(more));
    let told: Value =
        serde_json::from_slice(&run.stdout).unwrap_or_else(|_| panic!("{}", text(&run)));
    let functions = told["functions"].as_array().expect("functions").iter();
    let mut found = Vec::new();
    for function in functions {
        let targets = function["summary"]["targets"].as_array().expect("targets");
        let own = targets
            .iter()
            .filter(|target| target["status"] == "unreachable");
        let own: Vec<_> = own
            .map(|target| target["location"].as_str().expect("a place"))
            .collect();
        assert_eq!(function["summary"]["branches"]["unreachable"], own.len());
        found.extend(own.into_iter().map(place));
    }
    found
}

/// `FILE:LINE:COLUMN SITE direction NUMBER` as line and direction.
fn place(name: &str) -> String {
    let (place, direction) = name.rsplit_once(' ').expect("a direction");
    let place = place.split(' ').next().expect("a place");
    let line = place.rsplit(':').nth(1).expect("a line");
    format!("{line} {}", if direction == "1" { "true" } else { "false" })
}

fn line_of(source: &str, part: &str) -> usize {
    1 + source
        .lines()
        .position(|line| line.contains(part))
        .expect("a line")
}

#[test]
fn what_no_call_takes_is_proved_and_nothing_else() {
    let folder = folder();
    let source = format!("{MARKS}{BY_HAND}{}", generated(1));
    let taken = taken(folder.path(), &source);
    let proved = proved(
        folder.path(),
        &source,
        &["--all-functions", "--runs", "20", "--out", "all-out"],
    );
    for branch in &proved {
        assert!(
            !taken.contains(branch),
            "{branch} is proved and taken\n{source}"
        );
    }
    for (part, direction) in [
        ("IF(x > 100)", "true"),
        ("IF(table[a & 3] == 4)", "true"),
        ("IF((a & 0x0f) > 15)", "true"),
        ("IF(a * b > 65025)", "true"),
        ("IF(a % 7 == 7)", "true"),
        ("IF(x == 0)", "true"),
        ("IF((answer & 1) == 2)", "true"),
    ] {
        let branch = format!("{} {direction}", line_of(&source, part));
        assert!(
            proved.contains(&branch),
            "{branch} ({part}) is not proved: {proved:?}"
        );
    }
}

#[test]
fn what_others_decide_is_not_proved() {
    let folder = folder();
    let source = format!("{MARKS}{OTHERS}");
    let proved = proved(
        folder.path(),
        &source,
        &["--all-functions", "--runs", "20", "--out", "all-out"],
    );
    let memory = "IF(*(unsigned short *)0x50000104 == 0x1234)";
    for part in [
        "IF(r->control == 0)",
        "IF(hook(a))",
        "IF(kept == 1)",
        memory,
    ] {
        let branch = format!("{} true", line_of(&source, part));
        assert!(!proved.contains(&branch), "{branch} ({part}) is proved");
    }
}

#[test]
fn no_branch_of_a_random_function_that_is_taken_is_proved() {
    let mut count = 0;
    for seed in 2..6 {
        let folder = folder();
        let source = format!("{MARKS}{BY_HAND}{}", generated(seed));
        let taken = taken(folder.path(), &source);
        let entries = [
            "--entry",
            "generated",
            "--entry",
            "by_hand",
            "--runs",
            "2",
            "--out",
            "out",
        ];
        for branch in proved(folder.path(), &source, &entries) {
            assert!(
                !taken.contains(&branch),
                "seed {seed}: {branch} is proved and taken\n{source}"
            );
            count += 1;
        }
    }
    assert!(count > 40, "{count}");
}
