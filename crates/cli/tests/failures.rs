//! Failures by the real command: kinds, places, stacks, inputs.

#![allow(missing_docs)]

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::{Cover, folder, labrys, labrys_cc, output, program, replay, succeed, text};
use labrys_suite::{FailureSummary, Suite, TargetStatus};

/// Covers a program; its failures by kind.
fn failures(name: &str, out: &Path, options: &[&str]) -> BTreeMap<String, FailureSummary> {
    let mut command = labrys();
    command
        .arg("cover")
        .arg(program(name))
        .arg("--out")
        .arg(out);
    let output = output(command.args(options));
    let status = output.status.code();
    assert!(status == Some(0) || status == Some(1), "{output:?}");
    let suite = Suite::open(out).expect("a valid suite");
    let found = suite.summary.expect("a summary").failures;
    assert_eq!(status == Some(1), !found.is_empty());
    found
        .into_iter()
        .map(|failure| (failure.kind.clone(), failure))
        .collect()
}

#[test]
fn every_fault_is_found_confirmed_and_placed() {
    let folder = folder();
    let out = folder.path().join("suite");
    let found = failures("faults.c", &out, &["--steps", "300"]);
    // Kind, line, and what the smallest input begins with.
    let expected: [(&str, u32, &[u8]); 11] = [
        ("SIGABRT", 16, b"ax"),
        ("assertion", 9, b"bM"),
        ("division-by-zero", 18, b"c\x05"),
        ("null-dereference", 8, b"d\x09"),
        ("index-out-of-bounds", 20, b"e"),
        ("heap-buffer-overflow", 21, b"f"),
        ("double-free", 22, b"g\x03"),
        ("heap-use-after-free", 23, b"h\x04"),
        ("shift-out-of-bounds", 24, b"i"),
        ("trap", 25, b"jq"),
        ("memcpy-param-overlap", 26, b"k"),
    ];
    for (kind, line, start) in expected {
        let failure = found
            .get(kind)
            .unwrap_or_else(|| panic!("no {kind} in {found:?}"));
        assert!(failure.confirmed, "{failure:?}");
        let place = failure.location.as_deref().expect("a place");
        assert!(place.contains(&format!("faults.c:{line}:")), "{failure:?}");
        let main = failure.stack.last().expect("a stack");
        assert!(
            main.starts_with("main (") && main.contains("faults.c:"),
            "{failure:?}"
        );
        let input = std::fs::read(out.join(&failure.input)).expect("raw bytes");
        assert!(input.starts_with(start), "{kind}: {input:?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:?}");
    assert!(
        found["assertion"]
            .stack
            .iter()
            .any(|frame| frame.starts_with("check ("))
    );
    assert_eq!(found["double-free"].stack.len(), 1);

    let shown = replay(&out, &["--failure", "1"]);
    let words = text(&shown);
    assert_eq!(shown.status.code(), Some(1), "{words}");
    assert!(
        words.contains("#0 ") && words.contains("checked build: "),
        "{words}"
    );
    let unknown = replay(&out, &["--failure", "99"]);
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn without_oracles_only_what_ends_the_program_counts() {
    let folder = folder();
    let found = failures(
        "faults.c",
        &folder.path().join("suite"),
        &["--steps", "300", "--no-oracles"],
    );
    for kind in [
        "index-out-of-bounds",
        "shift-out-of-bounds",
        "heap-use-after-free",
    ] {
        assert!(!found.contains_key(kind), "{kind}");
    }
    for kind in [
        "SIGABRT",
        "assertion",
        "null-dereference",
        "trap",
        "double-free",
    ] {
        let failure = found
            .get(kind)
            .unwrap_or_else(|| panic!("no {kind} in {found:?}"));
        assert!(
            failure.confirmed && failure.location.is_some(),
            "{failure:?}"
        );
    }
}

#[test]
fn every_target_is_listed_with_its_place() {
    let folder = folder();
    let out = folder.path().join("suite");
    let found = failures("marks.c", &out, &["--steps", "200"]);
    assert!(found.is_empty(), "{found:?}");
    let targets = Suite::open(&out)
        .expect("a suite")
        .summary
        .expect("a summary")
        .targets;
    let expected = [
        ("first", 7, TargetStatus::Reached),
        ("never", 8, TargetStatus::Open),
        ("second", 9, TargetStatus::Reached),
    ];
    assert_eq!(targets.len(), expected.len(), "{targets:?}");
    for (target, (name, line, status)) in targets.iter().zip(expected) {
        let place = target.place.as_deref().expect("a place");
        assert!(place.contains(&format!("marks.c:{line}:")), "{target:?}");
        assert_eq!((target.location.as_str(), target.status), (name, status));
        let input = target.input.as_ref().map(|input| out.join(input));
        assert_eq!(
            input.is_some_and(|input| input.is_file()),
            status == TargetStatus::Reached
        );
    }
}

#[test]
fn a_loop_that_runs_once_too_often_is_found() {
    let folder = folder();
    let found = failures(
        "too_long.c",
        &folder.path().join("suite"),
        &["--steps", "400"],
    );
    let failure = found.get("heap-buffer-overflow").expect("the overflow");
    assert!(failure.confirmed && failure.detail.contains("0 bytes after 24-byte region"));
}

#[test]
fn arrays_are_filled_by_inputs_that_are_much_longer_than_any_seed() {
    let folder = folder();
    let (seed, out) = (folder.path().join("seed"), folder.path().join("suite"));
    std::fs::write(&seed, "key=value").expect("written");
    let seed = seed.to_str().expect("a name");
    let found = failures("long_line.c", &out, &["--runs", "4000", "--input", seed]);
    let failure = found.values().next().expect("a failure");
    assert!(failure.confirmed, "{failure:?}");
    let place = failure.location.as_deref().expect("a place");
    assert!(place.contains("long_line.c:9:"), "{failure:?}");
}

#[test]
fn errors_of_memory_are_seen_in_runs_that_cover_nothing_new() {
    let folder = folder();
    let found = failures("unrelated.c", &folder.path().join("suite"), &[]);
    let failure = found.get("heap-use-after-free").expect("the early release");
    let place = failure.location.as_deref().expect("a place");
    assert!(
        failure.confirmed && place.contains("unrelated.c:2"),
        "{failure:?}"
    );
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        ["heap-buffer-overflow", "heap-use-after-free"]
    );
}

#[test]
fn lengths_of_copies_are_targets() {
    let folder = folder();
    let found = failures("extents.c", &folder.path().join("suite"), &[]);
    let places = found.iter().map(|(kind, failure)| {
        let place = failure.location.as_deref().unwrap_or_default();
        let line = place.rsplit(':').nth(1).unwrap_or_default();
        assert!(failure.confirmed, "{failure:?}");
        (kind.as_str(), line.to_owned())
    });
    let expected = [
        ("heap-buffer-overflow", "16"),
        ("stack-buffer-overflow", "11"),
    ];
    let expected = expected.map(|(kind, line)| (kind, line.to_owned()));
    assert_eq!(places.collect::<Vec<_>>(), expected);
}

/// A failure that rests on the clock of runs, which begins at a fixed time, is not confirmed, and
/// says so; the clock is a plausible one.
/// The run that is recorded fails as soon as the plain one: before, it wrote labels until it had
/// used up its memory, and showed nothing.
#[test]
fn fills_of_negative_length_fail_at_once() {
    let folder = folder();
    let input = folder.path().join("input");
    std::fs::write(&input, [7, 9]).expect("a file");
    let input = input.display().to_string();
    let options = ["--runs", "1", "--input", &input];
    let found = failures("far_fill.c", &folder.path().join("suite"), &options);
    assert!(found.contains_key("negative-size-param"), "{found:?}");
}

#[test]
fn what_rests_on_the_frozen_clock_is_not_confirmed() {
    let folder = folder();
    let program = folder.path().join("clock.c");
    let text_of_program = "#include <stdlib.h>\n#include <stdio.h>\n#include <time.h>\n\
        int main(void) {\n\
          struct tm *now;\n\
          time_t seconds = time(0);\n\
          int c = getchar();\n\
          if (c == 'a' && seconds < 1795478402) abort();\n\
          now = gmtime(&seconds);\n\
          if (c == 'b' && now->tm_year < 124) abort();\n\
          return 0;\n}\n";
    std::fs::write(&program, text_of_program).expect("written");
    let out = folder.path().join("suite");
    let mut command = labrys();
    command.arg("cover").arg(&program).arg("--out").arg(&out);
    let output = output(command.args(["--steps", "100"]));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let suite = Suite::open(&out).expect("a valid suite");
    let found = suite.summary.expect("a summary").failures;
    let [failure] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(!failure.confirmed);
    assert!(failure.detail.contains("clock"), "{failure:?}");
    let text = text(&output);
    assert!(text.contains("depends on the clock"), "{text}");
    assert!(text.contains("on which thread runs first"), "{text}");
}

/// Programs that do not end, or take memory without end, for some inputs.
const LOOPS: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
    static int step(unsigned i) { return (int)(i * 7); }\n\
    static int spin(void) { volatile int s = 0; for (unsigned i = 1; i; i += 2) s += step(i); return s; }\n\
    static void *volatile last;\n\
    static int eat(void) { for (;;) { last = malloc(1 << 24); if (last) memset(last, 1, 1 << 24); } }\n\
    int main(void) {\n\
      int c = getchar();\n\
      if (c == 'h') return spin();\n\
      if (c == 'm') return eat();\n\
      return 0;\n}\n";

#[test]
fn runs_that_do_not_end_are_failures_with_the_place_of_the_loop() {
    let folder = folder();
    let program = folder.path().join("loops.c");
    std::fs::write(&program, LOOPS).expect("written");
    let out = folder.path().join("suite");
    let mut command = labrys();
    command.arg("cover").arg(&program).arg("--out").arg(&out);
    let output = output(command.args(["--steps", "60", "--timeout-run", "2s", "--no-fuzz"]));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let suite = Suite::open(&out).expect("a valid suite");
    let kinds: BTreeMap<&str, &labrys_suite::Failure> = suite
        .failures
        .iter()
        .map(|failure| (failure.kind.as_str(), failure))
        .collect();
    assert_eq!(suite.failures.len(), 2, "{:?}", suite.failures);
    for (kind, function, byte) in [
        ("timeout", "spin (", b'h'),
        ("memory-exhaustion", "eat (", b'm'),
    ] {
        let failure = kinds.get(kind).unwrap_or_else(|| panic!("no {kind}"));
        assert!(failure.confirmed, "{failure:?}");
        assert!(
            failure
                .stack
                .iter()
                .any(|frame| frame.starts_with(function)),
            "{failure:?}"
        );
        assert_eq!(failure.input.byte(0, 0), Some(byte));
    }
    // What both samples have in common: they may have met in the function that the loop calls.
    let hang = kinds["timeout"];
    let below = hang
        .stack
        .iter()
        .skip_while(|frame| frame.starts_with("step ("));
    assert_eq!(below.count(), 2, "{hang:?}");
    let shown = replay(
        &out,
        &["--failure", &hang.id.to_string(), "--timeout-run", "300ms"],
    );
    assert_eq!(shown.status.code(), Some(1), "{}", text(&shown));
    assert!(text(&shown).contains("plain build: timeout"));
}

#[test]
fn slow_runs_are_no_failures() {
    let folder = folder();
    let program = folder.path().join("slow.c");
    let text_of_program = "#include <stdio.h>\n#include <unistd.h>\n\
        int main(void) { if (getchar() == 's') usleep(900000); return 0; }\n";
    std::fs::write(&program, text_of_program).expect("written");
    let mut command = labrys();
    command.arg("cover").arg(&program).arg("--out");
    command.arg(folder.path().join("suite"));
    let output = output(command.args(["--steps", "60", "--timeout-run", "600ms"]));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn programs_may_run_for_ever() {
    let folder = folder();
    let program = folder.path().join("serve.c");
    let text_of_program = "#include <stdio.h>\n\
        int main(void) { volatile int turns = 0; for (;;) turns += getchar() == 's'; }\n";
    std::fs::write(&program, text_of_program).expect("written");
    for (options, status) in [(&[][..], 1), (&["--endless"], 0)] {
        let out = folder.path().join(format!("suite{status}"));
        let mut command = labrys();
        command.arg("cover").arg(&program).arg("--out").arg(&out);
        command.args(["--steps", "5", "--timeout-run", "300ms", "--no-fuzz"]);
        let output = output(command.args(options));
        assert_eq!(output.status.code(), Some(status), "{}", text(&output));
    }
}

#[test]
fn runs_without_end_are_failures_of_every_command() {
    let folder = folder();
    let program = folder.path().join("loops.c");
    // Functions are built without optimizing, so the recursion stays one.
    let text_of_program = "#include <stdio.h>\n\
        int again(int n) { return n == 'r' ? again(n) + 1 : n; }\n\
        int loop(int n) { for (int i = 0; i != n; i += 2) if (i > 9) i = 0; return n; }\n\
        int main(void) { return getchar() == 's' ? loop(1) : 0; }\n";
    std::fs::write(&program, text_of_program).expect("written");
    for (row, (options, kind)) in [
        ("cover --entry again --steps 20", "stack-overflow"),
        ("cover --entry loop --steps 20", "timeout"),
        ("hunt --system-turns 20", "timeout"),
    ]
    .into_iter()
    .enumerate()
    {
        let out = folder.path().join(format!("suite{row}"));
        let mut command = labrys();
        let mut words = options.split(' ');
        command.args(words.next()).arg(&program).args(words);
        command.arg("--out").arg(&out);
        let output = output(command.args(["--timeout-run", "200ms"]));
        let told = text(&output);
        assert_eq!(output.status.code(), Some(1), "{options}: {told}");
        let failures = Suite::open(&out).expect("a valid suite").failures;
        let found = failures.iter().find(|failure| failure.kind == kind);
        assert!(found.is_some_and(|one| one.confirmed), "{options}: {told}");
    }
}

#[test]
fn overflows_of_functions_without_branches_are_looked_for() {
    let folder = folder();
    let program = folder.path().join("sums.c");
    let text_of_program = "int sum(int a, int b) { return a + b; }\n\
        int product(int a) { return a * 3; }\n";
    std::fs::write(&program, text_of_program).expect("written");
    let out = folder.path().join("suite");
    let mut command = labrys();
    command.arg("cover").arg(&program).arg("--out").arg(&out);
    command.args(["--all-functions", "--check-overflow", "--steps", "60"]);
    let output = output(&mut command);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    for function in ["sum", "product"] {
        let suite = Suite::open(&out.join(function)).expect("a valid suite");
        let kinds: Vec<_> = suite.failures.iter().map(|one| &*one.kind).collect();
        assert_eq!(kinds, ["signed-overflow"], "{function}");
    }
}

/// The checked build goes on with the value that the machine gives.
#[test]
fn failures_behind_checks_of_values_are_found() {
    let folder = folder();
    let out = folder.path().join("suite");
    let mut command = labrys();
    command.arg("cover").arg(program("behind.c"));
    command.args(["--steps", "200", "--no-fuzz", "--out"]);
    let covered = output(command.arg(&out));
    assert_eq!(covered.status.code(), Some(1), "{}", text(&covered));
    let expected = [
        ("behind.c:5:36", "shift-out-of-bounds", false),
        ("behind.c:14:25", "shift-out-of-bounds", true),
        ("behind.c:16:17", "heap-buffer-overflow", true),
    ];
    let failures = Suite::open(&out).expect("a valid suite").failures;
    assert_eq!(failures.len(), expected.len(), "{failures:?}");
    for (failure, (place, kind, behind)) in failures.iter().zip(expected) {
        assert!(failure.confirmed && failure.kind == kind, "{failure:?}");
        let at = failure.location.as_deref();
        assert!(at.is_some_and(|at| at.ends_with(place)), "{failure:?}");
        let told = failure
            .detail
            .contains("behind shift-out-of-bounds in mask (");
        assert_eq!(told, behind, "{failure:?}");
        let mut command = labrys();
        command.arg("replay").arg(&out);
        let shown = output(command.args(["--failure", &failure.id.to_string()]));
        let says = format!("checked build: {kind}\n");
        assert!(text(&shown).contains(&says), "{}", text(&shown));
    }
}

/// clang has one check and one trap for both faults of a quotient.
#[test]
fn quotients_that_overflow_are_told_from_divisions_by_zero() {
    let folder = folder();
    let program = folder.path().join("quotients.c");
    let text_of_program = "#include <limits.h>\n#include <stdio.h>\n\
        int main(void) {\n\
          int c = getchar(), by = getchar() == '-' ? -1 : 0;\n\
          if (c == 'a') return (INT_MIN + (by + 1)) / by;\n\
          if (c == 'b') return (INT_MIN + (by + 1)) % by;\n\
          if (c == 'c') return (LONG_MIN + (by + 1)) / by > 0;\n\
          if (c == 'd') return (((__int128)LONG_MIN << 64) + (by + 1)) / by > 0;\n\
          if (c == 'e') return LONG_MIN % by > 0;\n\
          if (c == 'f') return (INT_MIN + by + 1) / -1;\n\
          return 0;\n}\n";
    std::fs::write(&program, text_of_program).expect("written");
    let out = folder.path().join("suite");
    let mut command = labrys();
    command.arg("cover").arg(&program).arg("--out").arg(&out);
    let output = output(command.args(["--check-overflow", "--steps", "100", "--no-fuzz"]));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let suite = Suite::open(&out).expect("a valid suite");
    let found: BTreeMap<_, _> = suite
        .failures
        .iter()
        .map(|one| {
            let input = [0, 1].map(|at| one.input.byte(0, at).unwrap_or(0));
            ((input[0], input[1] == b'-'), &*one.kind)
        })
        .collect();
    let both = |c| {
        [
            ((c, false), "division-by-zero"),
            ((c, true), "signed-overflow"),
        ]
    };
    let mut expected: BTreeMap<_, _> = (b'a'..=b'e').flat_map(both).collect();
    // 'f' never divides by zero.
    expected.insert((b'f', true), "signed-overflow");
    assert_eq!(found, expected);
}

#[test]
fn endless_recursion_is_a_kind_of_its_own() {
    let folder = folder();
    let program = folder.path().join("deep.c");
    let text_of_program = "#include <stdio.h>\n\
        static int f(int x) { volatile char b[64]; b[0] = x; return f(x + 1) + b[0]; }\n\
        int main(void) { return getchar() == 'r' ? f(1) : 0; }\n";
    std::fs::write(&program, text_of_program).expect("written");
    let out = folder.path().join("suite");
    let mut command = labrys();
    command.arg("cover").arg(&program).arg("--out").arg(&out);
    let output = output(command.args(["--steps", "30"]));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let [failure] = &Suite::open(&out).expect("a valid suite").failures[..] else {
        panic!("{}", text(&output));
    };
    assert_eq!(failure.kind, "stack-overflow");
}

/// The plain build makes a loop of these calls, the checked one runs out of its stack.
#[test]
fn endless_recursion_that_needs_no_stack_is_a_timeout() {
    let folder = folder();
    let program = folder.path().join("round.c");
    let text_of_program = "#include <stdio.h>\n\
        void one(void); void two(void); void three(void);\n\
        void one(void) { two(); }\n\
        void two(void) { three(); }\n\
        void three(void) { one(); }\n\
        int main(void) { if (getchar() == 'r') one(); return 0; }\n";
    std::fs::write(&program, text_of_program).expect("written");
    let (built, out) = (folder.path().join("round"), folder.path().join("suite"));
    // It is optimized.
    succeed(labrys_cc().arg(&program).arg("-o").arg(&built));
    let mut command = labrys();
    command.arg("cover").arg(&built).arg("--out").arg(&out);
    let output = output(command.args(["--steps", "30"]));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let [failure] = &Suite::open(&out).expect("a valid suite").failures[..] else {
        panic!("{}", text(&output));
    };
    assert!(failure.confirmed, "{failure:?}");
    assert_eq!(failure.kind, "timeout");
    assert_eq!(failure.input.byte(0, 0), Some(b'r'));
}

#[test]
fn lost_memory_is_a_failure_where_it_is_asked_for() {
    let folder = folder();
    let program = folder.path().join("leak.c");
    let text_of_program = "#include <stdio.h>\n#include <stdlib.h>\n\
        static char *make(int c) {\n\
          char *p = malloc(10);\n\
          if (p) p[0] = (char)c;\n\
          return p;\n}\n\
        int main(void) {\n\
          int c = getchar();\n\
          char *p = make(c);\n\
          if (c == 'k') p = 0;\n\
          free(p);\n\
          return 0;\n}\n";
    std::fs::write(&program, text_of_program).expect("written");
    for (option, status) in [(None, 0), (Some("--leaks"), 1)] {
        let out = folder.path().join(format!("suite{status}"));
        let mut command = labrys();
        command.arg("cover").arg(&program).arg("--out").arg(&out);
        let output = output(command.args(["--steps", "40"]).args(option));
        assert_eq!(output.status.code(), Some(status), "{}", text(&output));
        let failures = Suite::open(&out).expect("a valid suite").failures;
        assert_eq!(failures.len(), usize::from(option.is_some()));
        for failure in failures {
            assert_eq!(failure.kind, "memory-leak");
            assert!(failure.stack[0].starts_with("make ("), "{failure:?}");
            assert!(failure.detail.starts_with("10 byte"), "{failure:?}");
            assert_eq!(failure.input.byte(0, 0), Some(b'k'));
            let shown = replay(&out, &["--failure", "1"]);
            assert_eq!(shown.status.code(), Some(1), "{}", text(&shown));
        }
    }
}

/// What a driver makes, and what a function returns or keeps, is not lost.
#[test]
fn memory_that_a_function_loses_is_a_failure_of_it() {
    let folder = folder();
    let program = folder.path().join("library.c");
    let text_of_program = "#include <stdlib.h>\n#include <string.h>\n\
        struct node { struct node *next; char *name; };\n\
        static struct node *all;\n\
        int lose(int n) {\n\
          char *p = malloc(10);\n\
          if (!p) return 1;\n\
          char *q = strdup(\"q\");\n\
          if (!q) return 2;\n\
          free(p);\n\
          free(q);\n\
          return n;\n}\n\
        char *make(int n) { return malloc(n & 15); }\n\
        int keep(void) {\n\
          struct node *p = calloc(1, sizeof *p);\n\
          if (!p) return 1;\n\
          p->next = all;\n\
          all = p;\n\
          return 0;\n}\n\
        void name(struct node *x, const char *name) { x->name = strdup(name); }\n\
        void drop(struct node *x) { free(x->name); x->next = 0; }\n";
    std::fs::write(&program, text_of_program).expect("written");
    let out = folder.path().join("suite");
    let mut command = labrys();
    command.arg("cover").arg(&program).arg("--out").arg(&out);
    let output = output(command.args(["--all-functions", "--leaks", "--steps", "100"]));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    for function in ["lose", "make", "keep", "name", "drop"] {
        let failures = Suite::open(&out.join(function))
            .expect("a valid suite")
            .failures;
        let kinds: Vec<_> = failures.iter().map(|one| &*one.kind).collect();
        let leaks = failures.iter().filter(|one| one.kind == "memory-leak");
        let leaks: Vec<_> = leaks.collect();
        assert_eq!(leaks.len(), usize::from(function == "lose"), "{kinds:?}");
        for leak in leaks {
            assert!(leak.stack[0].starts_with("lose ("), "{leak:?}");
            assert!(
                leak.location
                    .as_deref()
                    .is_some_and(|at| at.contains("library.c:6:"))
            );
            let shown = replay(&out.join(function), &["--failure", &leak.id.to_string()]);
            assert_eq!(shown.status.code(), Some(1), "{}", text(&shown));
        }
    }
}

/// Objects of a harness, the clock and what the library writes are initialized.
#[test]
fn decisions_on_unwritten_memory_are_failures_where_that_is_asked_for() {
    let folder = folder();
    let program = folder.path().join("unset.c");
    let text_of_program = "#include <labrys.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
        #include <string.h>\n#include <time.h>\n\
        static void look(const int *p) { if (p[2] == 7) puts(\"seven\"); }\n\
        int main(int argc, char **argv) {\n\
          char c, line[40], copy[40];\n\
          struct timespec now;\n\
          labrys_symbolic(&c, 1, \"c\");\n\
          clock_gettime(CLOCK_REALTIME, &now);\n\
          if (now.tv_sec < 5 || argv[0][0] == 1) return 2;\n\
          snprintf(line, sizeof line, \"%d\", c);\n\
          strcpy(copy, line);\n\
          if (strlen(copy) == 3 && copy[0] == '1') return 3;\n\
          int *p = malloc(16), *q = malloc(16);\n\
          if (!p || !q) return 4;\n\
          memcpy(q, p, 16);\n\
          if (c == '!') look(q);\n\
          return 0;\n}\n";
    std::fs::write(&program, text_of_program).expect("written");
    for (option, status) in [(None, 0), (Some("--uninitialized"), 1)] {
        let out = folder.path().join(format!("suite{status}"));
        let mut command = labrys();
        command.arg("cover").arg(&program).arg("--out").arg(&out);
        let output = output(command.args(["--steps", "40"]).args(option));
        assert_eq!(output.status.code(), Some(status), "{}", text(&output));
        let failures = Suite::open(&out).expect("a valid suite").failures;
        assert_eq!(
            failures.len(),
            usize::from(option.is_some()),
            "{failures:?}"
        );
        for failure in failures {
            assert_eq!(failure.kind, "uninitialized-read");
            assert!(failure.stack[0].starts_with("look ("), "{failure:?}");
            assert_eq!(failure.input.byte(0, 0), Some(b'!'));
            let shown = replay(&out, &["--failure", "1"]);
            assert_eq!(shown.status.code(), Some(1), "{}", text(&shown));
        }
    }
}

/// Variables that no memory holds when the program is frozen; what is only copied, and what checks of
/// undefined behavior look at, is no failure.
#[test]
fn uses_of_unset_variables_are_failures_where_that_is_asked_for() {
    let programs = [
        ("int x; if (c == 'a') x = 1; if (x) puts(\"x\");", 1),
        (
            "struct { int a, b; } s; if (c == 'a') s.b = 1; if (s.b > 2) puts(\"b\");",
            1,
        ),
        (
            "int n[3]; if (c == 'a') n[1] = 1; if (n[1] > 2) puts(\"n\");",
            1,
        ),
        (
            "int t[256] = {1, 2}; unsigned char i; if (c == 'a') i = 1; c = t[i];",
            1,
        ),
        (
            "long double d; if (c == 'a') d = 1; if (d > 2) puts(\"d\");",
            1,
        ),
        (
            "int x; if (c == 'a') x = 1; int y = x + 1; if (c == 'a' && y > c) puts(\"y\");",
            0,
        ),
        ("int x; if (c == 'a') x = 1; printf(\"%d\", x);", 1),
        ("int x; if (c == 'a') x = 1; putchar(x);", 1),
        ("char t[4]; t[1] = c; printf(\"%c\", t[1]);", 0),
        (
            "struct { char a; int b; } s, t; s.b = c; t = s; if (t.b == 'a') puts(\"b\");",
            0,
        ),
        (
            "struct { int a : 3, b : 9; } s; s.b = c; if (s.b == 'a') puts(\"b\");",
            0,
        ),
    ];
    for (body, count) in programs {
        let source = format!(
            "#include <stdio.h>\nint main(void) {{\n  int c = getchar();\n  {body}\n  return 0;\n}}\n"
        );
        let options = "--uninitialized --check-overflow --steps 40 --quiet";
        let (suite, _) = Cover::text(&source, options).expect(count);
        let kinds: Vec<_> = suite.failures.iter().map(|one| one.kind.as_str()).collect();
        assert_eq!(kinds, ["uninitialized-read"][..count as usize], "{body}");
    }
}

/// A package may be linked without symbols: the executable that judges failures keeps them.
#[test]
fn stacks_have_names_whatever_is_stripped() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let text_of_program = "#include <stdio.h>\n#include <stdlib.h>\n\
        static void fault(int c) { if (c == 'x') abort(); }\n\
        int main(void) { fault(getchar()); return 0; }\n";
    std::fs::write(at("fault.c"), text_of_program).expect("written");
    let mut compiler = labrys_cc();
    compiler
        .args(["-s", "-O2", "-o"])
        .arg(at("fault"))
        .arg(at("fault.c"));
    assert!(output(&mut compiler).status.success());
    let strip = std::process::Command::new("strip")
        .arg(at("fault"))
        .status();
    assert!(strip.expect("binutils").success());
    let mut command = labrys();
    command
        .arg("cover")
        .arg(at("fault"))
        .arg("--out")
        .arg(at("suite"));
    let output = output(command.args(["--steps", "30"]));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let failures = Suite::open(&at("suite")).expect("a valid suite").failures;
    let frames = &failures[0].stack;
    assert!(
        frames.iter().any(|frame| frame.starts_with("fault (")),
        "{frames:?}"
    );
}

/// The first is looked at at once, the other when there is nothing more to try.
#[test]
fn each_loop_without_end_is_found() {
    let source = "#include <stdio.h>\nvolatile int n;\n\
                  __attribute__((noinline)) void up(void) { for (;;) n++; }\n\
                  __attribute__((noinline)) void down(void) { for (;;) n--; }\n\
                  int main(void) {\n  int c = getchar();\n  if (c == 'a') up();\n  \
                  if (c == 'b') down();\n  return 0;\n}\n";
    let cover = Cover::text(source, "--timeout-run 200ms --quiet");
    let (suite, _) = cover.expect(1);
    let found = suite.summary.expect("a summary").failures;
    let kinds: Vec<_> = found.iter().map(|one| one.kind.as_str()).collect();
    assert_eq!(kinds, ["timeout", "timeout"], "{found:?}");
}

/// The frame of a caller is found although there is no code where it went.
#[test]
fn a_call_of_a_null_pointer_fails_where_it_is_made() {
    let folder = folder();
    let source =
        "int go(int (*handler)(int), int x) {\n  int r = 1;\n  return r + handler(x);\n}\n";
    std::fs::write(folder.path().join("go.c"), source).expect("a file");
    let mut command = labrys();
    command
        .current_dir(folder.path())
        .args("cover go.c --entry go --steps 100 --out out".split(' '));
    let told = text(&output(&mut command));
    assert!(told.contains("null-dereference at "), "{told}");
    assert!(told.contains("go.c:3:14"), "{told}");
}

/// What passes that make values of variables would drop.
#[test]
fn accesses_that_nobody_uses_fail_too() {
    let folder = folder();
    let out = folder.path().join("suite");
    let mut command = labrys();
    command.arg("cover").arg(program("unused_accesses.c"));
    let covered = output(command.args(["--no-fuzz", "--out"]).arg(&out));
    assert_eq!(covered.status.code(), Some(1), "{}", text(&covered));
    let failures = Suite::open(&out).expect("a valid suite").failures;
    let mut found: Vec<(u32, &str)> = Vec::new();
    for failure in &failures {
        assert!(failure.confirmed, "{failure:?}");
        let mut place = failure.location.as_deref().unwrap_or_default().rsplit(':');
        let line = place.nth(1).and_then(|line| line.parse().ok());
        found.push((line.expect("a line"), &failure.kind));
    }
    found.sort_unstable();
    let expected = [
        (15, "stack-buffer-overflow"),
        (16, "stack-buffer-overflow"),
        (17, "stack-buffer-underflow"),
        (18, "stack-buffer-overflow"),
        (19, "stack-buffer-overflow"),
        (20, "global-buffer-overflow"),
        (21, "null-dereference"),
        (22, "null-dereference"),
        (23, "stack-buffer-overflow"),
    ];
    assert_eq!(found, expected, "{failures:?}");
}
