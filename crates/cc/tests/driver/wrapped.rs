//! Symbols that the linker wraps mean the same as in a build by clang, from sources and from an
//! archive.

use std::process::Command;

use crate::project::{Project, run};

const HELPER: &str = "
int counter = 3;
int helper(int x) { return x + 1; }
static int (*own)(int) = helper;
int twice(int x) { return own(helper(x)); }
";
const TABLES: &str = "
int helper(int), twice(int);
static int (*const table[2])(int) = {twice, helper};
struct operations { int n; int (*call)(int); } operations = {1, helper};
int tables(int x) {
  int (*local[])(int) = {helper, helper};
  return table[1](x) * 10000 + operations.call(x) * 100 + local[1](x);
}
";
const MAIN: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int helper(int), twice(int), tables(int), __real_helper(int);
extern int counter, __real_counter;
int __wrap_counter = 77;
int __wrap_helper(int x) { return __real_helper(x) + 10; }
void *__real_malloc(size_t);
void *__wrap_malloc(size_t n) { return n > 100 ? 0 : __real_malloc(n); }
int main(int argc, char **argv) {
  (void)argv;
  void *volatile small = malloc(argc), *volatile large = malloc(200);
  printf("%d %d %d\n", helper(argc), twice(argc), tables(argc));
  printf("%d %d %d %d\n", !small, !large, counter, __real_counter);
  free(small);
  return 0;
}
"#;
const OUTPUT: &str = "12 3 121212\n0 1 77 3\n";
const WRAP: &str = "-Wl,--wrap=helper -Wl,--wrap,malloc -Wl,-wrap=counter";

#[test]
fn wrapped_symbols_are_those_of_other_files() {
    let project = Project::new(&[("main.c", MAIN), ("helper.c", HELPER), ("tables.c", TABLES)]);
    project.tool(
        "clang-19",
        &format!("@main.c @helper.c @tables.c {WRAP} -o @plain"),
    );
    let plain = run(&project.path("plain"), &[]);
    assert_eq!(String::from_utf8_lossy(&plain.stdout), OUTPUT);
    project.cc(&format!("@main.c @helper.c @tables.c {WRAP} -o @whole"));
    assert_eq!(project.run("whole", &[]), OUTPUT);
    for name in ["main", "helper", "tables"] {
        project.cc(&format!("-c @{name}.c -o @{name}.o"));
    }
    let archive = project.path("parts.a");
    let parts = ["helper.o", "tables.o"].map(|name| project.path(name));
    let made = Command::new("ar")
        .arg("rc")
        .arg(archive)
        .args(parts)
        .status();
    assert!(made.is_ok_and(|status| status.success()));
    project.cc(&format!("@main.o @parts.a {WRAP} -o @archived"));
    assert_eq!(project.run("archived", &[]), OUTPUT);
}
