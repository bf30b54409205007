//! How near runs of real programs come to branches.

#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use common::{folder, labrys_cc, succeed};
use labrys_executor::{Executor, Launch, Mode, RunLimits};
use labrys_suite::{Coverage, Input};

/// Counts in a variable, which is compared when the loop is over.
const COUNTED: &str = "#include <stdio.h>
int main(void) {
  char line[64];
  int on = 0;
  while (fgets(line, sizeof line, stdin))
    if (line[0] == 'o') on++;
  if (on >= 40) puts(\"many\");
  return 0;
}
";

/// The optimizer compares the counter at the loop's last iteration and carries the result to the branch
/// from one variable to the next; the distance is that of the comparison.
#[test]
fn counters_are_measured_behind_their_loop() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("main.c"), COUNTED).unwrap();
    succeed(labrys_cc().args([at("main.c"), "-o".into(), at("program")]));
    let container = labrys_cc::container::Container::open(&at("program")).unwrap();
    let program = container.program().unwrap();
    let site = program.sites.iter().find(|site| {
        let line = site.location.as_ref().map(|location| location.line);
        line == Some(7)
    });
    let many = site.unwrap().branches().nth(1).unwrap();
    let launch = Launch {
        binary: at("program"),
        streams: Input::stdin("").shape(),
        branches: program.branch_count(),
        ..Launch::default()
    };
    let mut executor = Executor::start(launch, RunLimits::default()).unwrap();
    let mut wanted = Coverage::default();
    wanted.insert(many);
    executor.want(&wanted);
    for (lines, distance) in [("a\n", 39), ("o\no\n", 37), ("o\na\no\no\n", 36)] {
        let run = executor.run(&Input::stdin(lines), Mode::Symbolic).unwrap();
        assert_eq!(run.recording.near, [(many.0, distance + 1)], "{lines:?}");
    }
}
