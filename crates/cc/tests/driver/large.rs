//! Large functions, which are compiled apart from the rest of their module.

use std::fmt::Write as _;

use labrys_cc::Language;

use crate::project::Project;

/// Statements of a function that is large.
const STATEMENTS: usize = 900;

/// Steps of a machine over variables that small functions share.
fn steps() -> String {
    let mut text = String::new();
    for step in 0..STATEMENTS {
        let _ = writeln!(
            text,
            "  if ((x ^ table[{}]) % {} == {}) {{ x += twice({step}); local++; name = \"{}\"; }}",
            step % 16,
            step % 23 + 2,
            step % 2,
            step % 7
        );
    }
    text
}

#[test]
fn what_a_module_shares_with_its_large_functions_is_one() {
    let head = r#"
#include <stdio.h>
static unsigned table[16] = {3, 1, 4, 1, 5, 9, 2, 6};
static const char *name = "none";
static __thread int calls;
static unsigned twice(unsigned x) { calls++; return 2 * x; }
void named(void) { printf("%s %d\n", name, calls); }
void other(void) __attribute__((alias("named")));
__attribute__((constructor)) static void begin(void) { table[9] = 7; }
static unsigned large(unsigned x) {
  static int local;
"#;
    let tail = r#"
  other();
  return x + local;
}
int main(int argc, char **argv) {
  (void)argv;
  unsigned (*volatile pointer)(unsigned) = large;
  printf("%u %u\n", large(argc), pointer(twice(argc)));
  named();
  return 0;
}
"#;
    let text = format!("{head}{}{tail}", steps());
    let project = Project::new(&[("main.c", &text)]);
    project.tool("clang-19", "-O2 @main.c -o @native");
    project.cc("-O2 @main.c -o @program");
    for arguments in [&[][..], &["a"], &["a", "b", "c"]] {
        let expected = crate::run(&project.path("native"), arguments).stdout;
        let expected = String::from_utf8(expected).unwrap();
        assert_eq!(expected.lines().count(), 4);
        assert_eq!(project.run("program", arguments), expected);
    }
}

#[test]
fn exceptions_and_templates_pass_between_the_two() {
    let head = r#"
#include <cstdio>
#include <stdexcept>
static unsigned table[16] = {3, 1, 4, 1, 5, 9, 2, 6};
template <typename T> T twice_of(T x) { if (x == 889) throw std::runtime_error("twice"); return 2 * x; }
static unsigned twice(unsigned x) { return twice_of(x); }
struct Large {
  const char *name = "none";
  int local = 0;
  virtual unsigned steps(unsigned x);
};
unsigned Large::steps(unsigned x) {
  try {
"#;
    let tail = r#"
  } catch (std::runtime_error &error) {
    std::printf("caught %s at %s\n", error.what(), name);
    throw;
  }
  return x + local;
}
int main(int argc, char **) {
  Large large;
  try {
    std::printf("%u\n", large.steps(argc));
  } catch (std::exception &error) {
    std::printf("%s, %u\n", error.what(), twice_of(21u));
  }
}
"#;
    let text = format!("{head}{}{tail}", steps());
    let project = Project::new(&[("main.cc", &text)]);
    project.tool("clang++-19", "-O2 @main.cc -o @native");
    let line = "-O2 @main.cc -o @program";
    assert_eq!(project.compile(Language::Cxx, line), 0);
    for arguments in [&[][..], &["a"], &["a", "b"]] {
        let expected = crate::run(&project.path("native"), arguments).stdout;
        let expected = String::from_utf8(expected).unwrap();
        assert!(!expected.is_empty());
        assert_eq!(project.run("program", arguments), expected);
    }
}
