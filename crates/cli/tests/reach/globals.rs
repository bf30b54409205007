//! `labrys reach` and variables that the compiler's input names otherwise: aliases, sections,
//! assembly, names that libraries use. Phase I's own cases are in `crates/backward/tests/programs`.
//!
//! The first byte of the input decides whether anything is done, and the search backward does not
//! know it: so it looks at each place with all its passes.

use crate::command::Program;

/// Targets whose name begins with `never` are proved, no others.
fn check(program: &str) {
    let names = program.split("labrys_target(\"").skip(1);
    let targets: Vec<&str> = names
        .map(|rest| rest.split('"').next().expect("a name"))
        .collect();
    let arguments = ["--stdin", "--no-forward", "--steps", "400", "--time", "60s"];
    for (name, report) in Program::new(program).reach(&arguments, &targets) {
        let proved = report["verdict"] == "unreachable";
        assert_eq!(proved, name.starts_with("never"), "{report}");
    }
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
