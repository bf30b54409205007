//! `labrys reach` where the path steps over loops of many rounds: phase II executes them, as
//! machine code.

use std::process::Command;

/// Checks that a target of a program is reached by adjusting an input.
fn reaches(program: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("program.c");
    std::fs::write(&source, program).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
    command.arg("reach").arg(&source);
    command.args([
        "--json", "--quiet", "--time", "60s", "--target", "deep", "--out",
    ]);
    command.arg(folder.path().join("out"));
    let output = command.output().expect("labrys runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let told: serde_json::Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(told["targets"][0]["verdict"], "reached", "{text}");
}

#[test]
fn a_sum_of_a_hundred_thousand_terms() {
    reaches(
        r#"
#include <labrys.h>
int main(void) {
  unsigned a, s = 0;
  labrys_symbolic(&a, sizeof a, "a");
  for (unsigned i = 0; i < 100000; i++)
    s += (a + i) * (a + i) % 1000;
  if (s % 1000 == 400)
    labrys_target("deep");
  return 0;
}
"#,
    );
}

/// Calls, arrays and globals in the loop.
#[test]
fn a_table_that_is_looked_up_by_a_function() {
    reaches(
        r#"
#include <labrys.h>
static unsigned char table[256];
static unsigned step(unsigned s, unsigned x) { return s + table[x & 255]; }
int main(void) {
  unsigned a, s = 0;
  labrys_symbolic(&a, sizeof a, "a");
  for (unsigned i = 0; i < 256; i++)
    table[i] = (i * 7) & 127;
  for (unsigned i = 0; i < 50000; i++)
    s = step(s, a + i * (a >> 8));
  if (s > 5000000)
    labrys_target("deep");
  return 0;
}
"#,
    );
}
