//! What runs record of the functions that they call.

#![allow(missing_docs)]

mod common;

use std::collections::BTreeSet;

use common::{folder, labrys_cc, succeed};
use labrys_cc::Frozen;
use labrys_executor::{Executor, Launch, Mode, RunLimits};
use labrys_program::FunctionId;
use labrys_suite::Input;
use labrys_trace::Recording;

const TEXT: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int twice(int n) { return 2 * n; }
static int never(int n) { return n + 1; }
static int last(int n) { for (int i = 0; i < 1000; i++) n = twice(n) & 255; return n; }
static int (*const table[])(int) = {twice, never, last};
static void *run(void *of) { return of ? (void *)0 : of; }
int main(void) {
  pthread_t thread;
  switch (getchar()) {
  case 'a': return table[2](1);
  case 'c': abort();
  case 'f': return fork() ? 0 : never(2);
  case 't': return pthread_create(&thread, 0, run, 0) || pthread_join(thread, 0);
  default: return 0;
  }
}
"#;

/// Each function that a run calls is recorded, also of one that ends by a signal. Of what threads and
/// children call nothing is known.
#[test]
fn functions_that_are_called_are_recorded() {
    let folder = folder();
    let (source, program) = (folder.path().join("p.c"), folder.path().join("p"));
    std::fs::write(&source, TEXT).expect("a file");
    let arguments = ["-pthread", "--labrys-whole", "-o"];
    succeed(labrys_cc().args(arguments).arg(&program).arg(&source));
    let frozen = Frozen::of_executable(&program, &folder.path().join("frozen"));
    let model = frozen
        .expect("a program")
        .program(&source)
        .expect("a model");
    let called = |input: &str, mode: Mode| -> Option<BTreeSet<String>> {
        let input = Input::stdin(input.as_bytes());
        let launch = Launch {
            binary: program.clone(),
            streams: input.shape(),
            branches: 1_000,
            ..Launch::default()
        };
        let mut executor = Executor::start(launch, RunLimits::default()).expect("an executor");
        let run = executor.run(&input, mode).expect("a run");
        let numbers = Recording::called(&run.recording)?.into_iter();
        let name = |number| Some(model.function(FunctionId(number))?.name.clone());
        Some(numbers.filter_map(name).collect())
    };
    let names = |text: &str| {
        let names = text.split_whitespace().map(str::to_owned);
        Some(names.collect::<BTreeSet<_>>())
    };
    assert_eq!(called("x", Mode::Calls), names("main"));
    assert_eq!(called("a", Mode::Calls), names("main last twice"));
    assert_eq!(called("c", Mode::Calls), names("main"));
    assert_eq!(called("f", Mode::Calls), None);
    assert_eq!(called("t", Mode::Calls), None);
    assert_eq!(called("a", Mode::Symbolic), names(""));
}
