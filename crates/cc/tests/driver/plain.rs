//! The coverage bytes of the plain build, by the numbering of sites.

#![allow(clippy::unwrap_used)]

use crate::project::{Project, run};
use labrys_instrument::plain::add_coverage;
use labrys_lower::{Linking, freeze};

/// Prints the branches that a run took.
const PRINTER: &str = r#"
#include <stdio.h>
extern struct { unsigned char *map; unsigned long size; } __labrys_coverage;
__attribute__((destructor)) static void print(void) {
  if ((unsigned long)__labrys_coverage.map % 4096 || __labrys_coverage.size % 4096) puts("!");
  for (unsigned long i = 0; i < __labrys_coverage.size; i++)
    if (__labrys_coverage.map[i]) printf("%lu ", i);
}
"#;

/// Branches that runs with these numbers of arguments take, by 0, 1, 2, ….
fn branches(text: &str, runs: usize) -> Vec<String> {
    let project = Project::new(&[("main.c", text), ("printer.c", PRINTER)]);
    let emit = "-O2 -Xclang -disable-llvm-passes -emit-llvm -c @main.c -o @main.bc";
    project.tool("clang-19", emit);
    freeze(
        &project.path("main.bc"),
        &project.path("frozen.bc"),
        &[],
        &Linking::default(),
    )
    .unwrap();
    let paths = ["frozen.bc", "plain.bc", "large.bc"].map(|name| project.path(name));
    assert!(!add_coverage(&paths[0], &paths[1], Some(&paths[2])).unwrap());
    project.tool("clang-19", "-O2 -w @plain.bc @printer.c -o @program");
    let taken = |count| {
        let arguments = vec!["x"; count];
        let output = run(&project.path("program"), &arguments);
        String::from_utf8(output.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    };
    (0..runs).map(taken).collect()
}

#[test]
fn branches_and_selects() {
    let text = r#"
int g, h;
int main(int argc, char **argv) {
  (void)argv;
  if (argc == 2) g++;
  h = argc == 1 ? 3 : 4;
  return 0;
}
"#;
    assert_eq!(branches(text, 3), ["0 3", "1 2", "0 2"]);
}

#[test]
fn switches_with_shared_targets() {
    let text = r#"
int g;
int main(int argc, char **argv) {
  (void)argv;
  switch (argc) {
  case 3: g = 7; break;
  case 1: case 2: g = 9; break;
  case 4: break;
  }
  return 0;
}
"#;
    // Direction 0 is the default, then the cases in the order of the source.
    assert_eq!(branches(text, 5), ["2", "3", "1", "4", "0"]);
}
