//! Calls of functions that a program is linked with, by a process of the plain program.

#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::process::Command;
use std::time::{Duration, Instant};

use common::{folder, labrys_cc, succeed};
use labrys_executor::{CallReply, Launch, Linked};
use tempfile::TempDir;

/// Where the other side has nothing.
const FREE: u64 = 1 << 44;

/// What the program is linked with.
const LIBRARY: &str = r#"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
static unsigned long counter;
unsigned long count(void) { return ++counter; }
unsigned reverse(unsigned char *bytes, unsigned long length) {
  unsigned sum = 0;
  for (unsigned long i = 0, j = length; i < j--; i++) {
    unsigned char byte = bytes[i];
    bytes[i] = bytes[j];
    bytes[j] = byte;
  }
  for (unsigned long i = 0; i < length; i++)
    sum += bytes[i];
  return sum;
}
double weigh(unsigned char a, double x, long b, float y, long c, long d, long e, long f) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 100 * x + 1000 * y;
}
void crash(void) { abort(); }
void hang(void) { for (;;) ; }
void leave(void) { exit(3); }
int write_file(void) { return open("written", O_CREAT | O_WRONLY, 0600); }
int split(void) { return fork(); }
unsigned own(unsigned x);
unsigned through(unsigned x) { return own(x); }
int input(void) { char byte; return read(0, &byte, 1); }
"#;

/// Its own functions, of which the library calls one.
const MAIN: &str = "int own(int x) { return x; } int other(int x) { return -x; } \
                    int main(int count, char **texts) { return own(count) + other(count); }";

struct Program {
    folder: TempDir,
}

impl Program {
    /// A program that is linked with the library.
    fn new() -> Self {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("library.c"), LIBRARY).expect("written");
        std::fs::write(at("main.c"), MAIN).expect("written");
        succeed(
            Command::new("cc")
                .args(["-O1", "-shared", "-fPIC", "-w", "-o"])
                .args([at("library.so"), at("library.c")]),
        );
        succeed(
            labrys_cc()
                .arg("-Wl,--no-as-needed")
                .args([at("main.c"), at("library.so")])
                .arg("-o")
                .arg(at("program")),
        );
        let container = labrys_cc::container::Container::open(&at("program")).expect("a container");
        container.write_plain(&at("plain")).expect("written");
        Program { folder }
    }

    fn linked(&self) -> Linked {
        let launch = Launch {
            binary: self.folder.path().join("plain"),
            ..Launch::default()
        };
        Linked::of(launch, self.folder.path())
    }
}

/// Calls a function of integers.
fn call(linked: &mut Linked, name: &str, integers: &[u64]) -> CallReply {
    let mut words = [0; 22];
    words[..integers.len()].copy_from_slice(integers);
    linked.call(name, &words, false)
}

fn returned(result: u64) -> CallReply {
    CallReply::Returned {
        result,
        changes: Vec::new(),
    }
}

#[test]
fn each_execution_finds_libraries_as_at_the_start() {
    let program = Program::new();
    let mut linked = program.linked();
    for _ in 0..3 {
        linked.begin();
        for count in 1..=3 {
            assert_eq!(call(&mut linked, "count", &[]), returned(count));
        }
    }
    // What the C library keeps, too.
    let mut draw = |seed: u64| {
        linked.begin();
        let seeded = call(&mut linked, "srand48", &[seed]);
        assert!(matches!(seeded, CallReply::Returned { .. }));
        call(&mut linked, "lrand48", &[])
    };
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
}

#[test]
fn memory_is_at_the_same_addresses_on_both_sides() {
    let program = Program::new();
    let mut linked = program.linked();
    linked.begin();
    let (first, second) = (FREE + 4090, FREE + 9000);
    let number = linked.watch(first, 10).unwrap();
    linked.watch(second, 10).unwrap();
    linked.write(number, first, &[1, 2, 3]);
    let changed = |result, changes| CallReply::Returned { result, changes };
    let reversed = vec![(first, vec![0, 0, 0, 0, 0, 0, 0, 3, 2, 1])];
    assert_eq!(
        call(&mut linked, "reverse", &[first, 10]),
        changed(6, reversed)
    );
    linked.write(number, first, &[9]);
    let inner = vec![(first, vec![2, 3, 0, 0, 0, 0, 0, 0, 0, 9])];
    let third = call(&mut linked, "reverse", &[first, 10]);
    assert!(
        matches!(third, CallReply::Returned { result: 15, .. }),
        "{third:?}, {inner:?}"
    );
    assert_eq!(linked.read(second, 2), Some(vec![0, 0]));
    // Another execution has none of it, and a call that needs it crashes.
    linked.begin();
    assert_eq!(
        call(&mut linked, "reverse", &[first, 10]),
        CallReply::Crashed
    );
    assert!(linked.take_crash() && !linked.take_crash());
}

#[test]
fn what_is_not_watched_any_more_is_not_told() {
    let program = Program::new();
    let mut linked = program.linked();
    linked.begin();
    let number = linked.watch(FREE, 4).unwrap();
    linked.write(number, FREE, b"abcd");
    linked.forget(number);
    let sum = u64::from(b"abcd".iter().map(|byte| u32::from(*byte)).sum::<u32>());
    assert_eq!(call(&mut linked, "reverse", &[FREE, 4]), returned(sum));
    assert_eq!(linked.read(FREE, 4).as_deref(), Some(&b"dcba"[..]));
    // Too much is refused.
    assert_eq!(linked.watch(FREE, 1 << 40), None);
}

#[test]
fn memory_of_libraries_is_read_and_a_bad_address_harms_nobody() {
    let program = Program::new();
    let mut linked = program.linked();
    linked.begin();
    let number = linked.watch(FREE, 6).unwrap();
    linked.write(number, FREE, b"labrys");
    linked.watch(FREE + 6, 1).unwrap();
    let CallReply::Returned { result: copy, .. } = call(&mut linked, "strdup", &[FREE]) else {
        panic!("strdup returns");
    };
    assert_eq!(linked.read(copy, 7).as_deref(), Some(&b"labrys\0"[..]));
    for address in [8, FREE + (1 << 30), u64::MAX - 2] {
        assert_eq!(linked.read(address, 2), None);
    }
    assert_eq!(call(&mut linked, "count", &[]), returned(1));
    // Before anything is called, it is as at the start.
    linked.begin();
    let counter = linked.address("count").unwrap();
    assert!(linked.read(counter, 8).is_some());
}

#[test]
fn arguments_and_results_of_all_kinds() {
    let program = Program::new();
    let mut linked = program.linked();
    linked.begin();
    let mut words = [0; 22];
    words[..6].copy_from_slice(&[1, 2, 3, 4, 5, 6]);
    words[6] = 0.5f64.to_bits();
    words[7] = u64::from(2.0f32.to_bits());
    let CallReply::Returned { result, .. } = linked.call("weigh", &words, true) else {
        panic!("it returns");
    };
    assert_eq!(f64::from_bits(result), 91.0 + 50.0 + 2000.0);
    // A function of any number of arguments, some of which are on the stack.
    let text = linked.watch(FREE, 64).unwrap();
    linked.write(text, FREE, b"%d %d %d %d %d %.1f %s\0");
    linked.watch(FREE + 64, 64).unwrap();
    let mut words = [0; 22];
    words[..6].copy_from_slice(&[FREE + 64, FREE, 1, 2, 3, 4]);
    words[6] = 0.5f64.to_bits();
    words[14..16].copy_from_slice(&[5, FREE]);
    let expected = "1 2 3 4 5 0.5 %d %d %d %d %d %.1f %s";
    let printed = linked.call("sprintf", &words, false);
    let CallReply::Returned { result, changes } = printed else {
        panic!("it returns: {printed:?}");
    };
    assert_eq!(result, expected.len() as u64);
    assert_eq!(changes, [(FREE + 64, expected.as_bytes().to_vec())]);
}

#[test]
fn what_does_not_return_gives_nothing() {
    let program = Program::new();
    let mut linked = program.linked();
    for _ in 0..3 {
        linked.begin();
        assert_eq!(call(&mut linked, "leave", &[]), CallReply::Ended);
        // What the execution's functions kept is lost.
        assert_eq!(call(&mut linked, "count", &[]), CallReply::Refused);
    }
    linked.begin();
    assert_eq!(call(&mut linked, "hang", &[]), CallReply::Refused);
    assert_eq!(call(&mut linked, "count", &[]), CallReply::Refused);
    // It is not started again: nothing is lost.
    linked.begin();
    assert_eq!(call(&mut linked, "hang", &[]), CallReply::Refused);
    assert_eq!(call(&mut linked, "count", &[]), returned(1));
}

/// On a machine that stands still for a second a call is refused for its time: then it is tried anew.
#[test]
fn functions_that_keep_crashing_are_left_alone() {
    let program = Program::new();
    let crash = |linked: &mut Linked| {
        linked.begin();
        let start = Instant::now();
        (call(linked, "crash", &[]), start.elapsed())
    };
    let mut linked = program.linked();
    let mut crashes = 0;
    let mut others = 0;
    while crashes < 1000 {
        match crash(&mut linked) {
            (CallReply::Crashed, _) => crashes += 1,
            (reply, time) => {
                others += 1;
                assert!(time >= Duration::from_secs(1) && others < 5, "{reply:?}");
                linked = program.linked();
                crashes = 0;
            }
        }
    }
    assert_eq!(crash(&mut linked).0, CallReply::Refused);
    assert_eq!(call(&mut linked, "count", &[]), returned(1));
}

#[test]
fn effects_outside_the_process_are_refused() {
    let program = Program::new();
    let mut linked = program.linked();
    for name in ["write_file", "split", "input"] {
        linked.begin();
        assert_eq!(call(&mut linked, name, &[]), CallReply::Refused, "{name}");
        linked.begin();
        assert_eq!(call(&mut linked, "count", &[]), returned(1));
    }
}

#[test]
fn what_libraries_use_of_the_program_is_known() {
    let program = Program::new();
    let mut linked = program.linked();
    assert!(linked.is_exported("own"));
    assert!(!linked.is_exported("other"));
    assert!(linked.calls("through", ["other", "own"].into_iter()));
    assert!(!linked.calls("count", ["other"].into_iter()));
}

#[test]
fn what_is_not_there_is_refused() {
    let program = Program::new();
    let mut linked = program.linked();
    linked.begin();
    let long = "x".repeat(5000);
    for name in ["none", "", &long] {
        assert_eq!(linked.address(name), None);
        assert_eq!(call(&mut linked, name, &[]), CallReply::Refused);
    }
    for binary in ["/nonexistent", "/bin/true"] {
        let launch = Launch {
            binary: binary.into(),
            ..Launch::default()
        };
        let mut nothing = Linked::of(launch, &std::env::temp_dir());
        nothing.begin();
        assert_eq!(nothing.read(FREE, 1), None);
        assert_eq!(call(&mut nothing, "strlen", &[FREE]), CallReply::Refused);
    }
}
