//! `labrys reach` where the path steps over loops of many rounds: phase II executes them, as
//! machine code.

use crate::command::Program;

/// Checks that a target of a program is reached by adjusting an input.
fn reaches(program: &str) {
    Program::new(program).expect(&["--time", "60s"], &[("reached", &["deep"])]);
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
