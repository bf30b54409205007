//! Functions that do not end: what waits for a volatile object is no failure, and whatever a run
//! waits for, the branches behind the loop are found.

#![allow(missing_docs)]

mod common;

use common::{all_covered, folder, labrys, output, text};
use labrys_suite::Suite;

const SOURCE: &str = r#"
#include <stdint.h>
static volatile uint8_t rx[8], head, tail;
void isr(uint8_t b) { rx[head & 7] = b; head = (head + 1) & 7; }
int rd(void) {
  while (head == tail)
    ;
  uint8_t c = rx[tail & 7];
  tail = (tail + 1) & 7;
  return c;
}
static int is_ready(volatile uint32_t *status) { return *status & 4; }
int poll_status(volatile uint32_t *status) {
  do {
    if (*status & 1) return -1;
  } while (!is_ready(status));
  *status &= ~4u;
  return 1;
}
int wait_bit(const uint32_t *event) {
  while (!(*event & 4))
    ;
  return *event & 8 ? 2 : 1;
}
"#;

#[test]
fn a_loop_that_waits_for_a_volatile_object_is_no_failure() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), SOURCE).expect("a file");
    let mut command = labrys();
    command.current_dir(folder.path());
    command.args(["cover", "lib.c", "--all-functions", "--out", "out"]);
    let told = text(&output(command.args([
        "--steps",
        "800",
        "--timeout-run",
        "100ms",
    ])));
    all_covered(folder.path(), &told, &["rd", "poll_status", "wait_bit"]);
    let timeouts = |function: &str| {
        let suite = Suite::open(&folder.path().join("out").join(function)).expect("a suite");
        let failures = suite.failures.into_iter();
        let timeouts = failures.filter(|one| one.kind == "timeout");
        let told = timeouts.map(|one| (one.confirmed, one.stack[0].clone(), one.detail));
        told.collect::<Vec<_>>()
    };
    for function in ["rd", "poll_status"] {
        let found = timeouts(function);
        let [(false, _, why)] = &found[..] else {
            panic!("{function}: {found:?}");
        };
        assert!(why.contains("volatile"), "{why}");
    }
    let found = timeouts("wait_bit");
    let [(true, place, _)] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(place.starts_with("wait_bit ("), "{place}");
}
