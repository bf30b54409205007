//! Tasks of Test-Comp, and the suites that are written for them.

#![allow(missing_docs)]

mod common;

use std::fs;
use std::path::Path;
use std::process::Output;

use common::{Cover, labrys, output};

const BRANCHES: &str = "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )\n";
const ERROR_CALL: &str = "COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )\n";

/// The second value is asked for only if the first is right; the third run ends at a failing
/// assumption, the fourth does not end.
const TASK: &str = r#"
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
void reach_error() {}
int main() {
  int x = __VERIFIER_nondet_int();
  if (x == -7) {
    unsigned char c = __VERIFIER_nondet_uchar();
    if (c == 200) reach_error();
    if (c == 201) __VERIFIER_assume(x > 0);
    if (c == 202) for (;;) {}
  }
  return 0;
}
"#;

/// Covers the task in a folder of its own.
fn cover(folder: &Path, property: &str, options: &[&str]) -> Output {
    fs::write(folder.join("task.c"), TASK).expect("a file");
    fs::write(folder.join("task.prp"), property).expect("a file");
    let words = "cover task.c --out suite --property task.prp --timeout-run 300ms";
    let mut command = labrys();
    command.args(words.split(' ')).args(options);
    output(command.current_dir(folder))
}

/// The inputs of each test, in the order of the tests.
fn tests(folder: &Path) -> Vec<Vec<String>> {
    let suite = folder.join("suite/test-suite");
    let entries = fs::read_dir(&suite).expect("a folder");
    let mut names: Vec<_> = entries.map(|e| e.expect("a file").file_name()).collect();
    names.sort();
    let mut tests = Vec::new();
    for name in names {
        let text = fs::read_to_string(suite.join(&name)).expect("a file");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("<?xml version=\"1.0\""), "{text}");
        assert!(lines[1].starts_with("<!DOCTYPE test"), "{text}");
        if name == "metadata.xml" {
            continue;
        }
        let inputs = lines.iter().filter_map(|line| {
            let inside = line.trim().strip_suffix("</input>")?;
            Some(inside.rsplit_once('>')?.1.to_owned())
        });
        tests.push(inputs.collect());
    }
    tests
}

#[test]
fn every_run_that_adds_coverage_becomes_a_test() {
    let folder = common::folder();
    let output = cover(folder.path(), BRANCHES, &["--zip", "--time", "30s"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let tests = tests(folder.path());
    assert!(tests.contains(&vec!["0".to_owned()]), "{tests:?}");
    for second in ["200", "201", "202"] {
        let test = vec!["-7".to_owned(), second.to_owned()];
        assert!(tests.contains(&test), "{tests:?}");
    }
    // The run that does not end has a copy that does.
    assert!(tests.contains(&vec!["-7".to_owned()]), "{tests:?}");
    let archive = fs::read(folder.path().join("suite/test-suite.zip")).expect("an archive");
    let names = |name: &str| archive.windows(name.len()).any(|w| w == name.as_bytes());
    assert!(names("metadata.xml") && names("testcase-000001.xml") && !names("test-suite/"));
    let metadata = fs::read_to_string(folder.path().join("suite/test-suite/metadata.xml"));
    let metadata = metadata.expect("metadata");
    assert!(metadata.contains(&format!(
        "<specification>{}</specification>",
        BRANCHES.trim()
    )));
    assert!(metadata.contains("<programfile>task.c</programfile>"));
}

#[test]
fn the_search_for_an_error_ends_when_it_is_found() {
    let folder = common::folder();
    let output = cover(folder.path(), ERROR_CALL, &[]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("the target is reached"), "{text}");
    let tests = tests(folder.path());
    assert_eq!(tests.last(), Some(&vec!["-7".to_owned(), "200".to_owned()]));
}

#[test]
fn other_properties_are_refused() {
    let folder = common::folder();
    for property in [
        "CHECK( init(main()), LTL(G ! call(reach_error())) )",
        "COVER( init(main()), FQL(COVER EDGES(@CALL(other))) )",
    ] {
        let output = cover(folder.path(), property, &[]);
        assert_eq!(output.status.code(), Some(2));
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(words.contains("task.prp"), "{words}");
    }
}

/// Covers a task for its error, within so many runs; the summary.
fn error_of(task: &str, runs: u32) -> (tempfile::TempDir, String) {
    let folder = common::folder();
    let head = "extern int __VERIFIER_nondet_int(void);\nextern void abort(void);\n\
                void reach_error() { abort(); }\n";
    fs::write(folder.path().join("task.c"), format!("{head}{task}")).expect("a file");
    fs::write(folder.path().join("task.prp"), ERROR_CALL).expect("a file");
    let words = format!("cover task.c --out suite --property task.prp --runs {runs}");
    let output = output(labrys().args(words.split(' ')).current_dir(folder.path()));
    (folder, String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Another build may not come to the error behind a write that is out of bounds.
#[test]
fn an_error_behind_one_of_memory_does_not_end_the_search() {
    let task = "void *malloc(unsigned long);\n\
                int main() {\n\
                  int x = __VERIFIER_nondet_int();\n\
                  char *volatile p = malloc(4);\n\
                  if (x > 100) { p[x == 12345 ? 0 : 5] = 1; reach_error(); }\n\
                }\n";
    let (folder, text) = error_of(task, 200);
    assert!(text.contains("the target is reached"), "{text}");
    let tests = tests(folder.path());
    assert!(
        tests.len() > 2 && tests[tests.len() - 1] == ["12345"],
        "{tests:?}"
    );
}

/// The first run of the loop is cut off; the suite has a test that leaves it soon.
#[test]
fn long_runs_have_short_ones_looked_for() {
    let folder = common::folder();
    let task = "extern unsigned __VERIFIER_nondet_uint(void);\n\
                int main() { unsigned x = __VERIFIER_nondet_uint();\n\
                while ((x >> 8) != 3) x -= 256; return 0; }\n";
    fs::write(folder.path().join("task.c"), task).expect("a file");
    fs::write(folder.path().join("task.prp"), BRANCHES).expect("a file");
    let words = "cover task.c --out suite --property task.prp --runs 12 --timeout-run 300ms";
    let output = output(labrys().args(words.split(' ')).current_dir(folder.path()));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("every branch is covered"), "{text}");
    let iterations = |test: &Vec<String>| {
        let x: u32 = test.first()?.parse().expect("a number");
        Some((x >> 8).wrapping_sub(3))
    };
    let tests = tests(folder.path());
    assert!(
        tests
            .iter()
            .filter_map(iterations)
            .any(|n| (1..8).contains(&n)),
        "{tests:?}"
    );
}

/// The program never stops asking; each run ends with its input, and is replayed so, by Labrys and
/// from its C file.
#[test]
fn endless_requests_end_with_the_input() {
    let (folder, text) = error_of(
        "int main() { int state = 0; for (;;) { int x = __VERIFIER_nondet_int();\n\
         if (state == 0 && x == 5) state = 1; else if (state == 1 && x == 77) state = 2;\n\
         else if (state == 2 && x == 123456) reach_error(); else if (x == 3) state = 0; } }",
        200,
    );
    assert!(text.contains("1 of 1 reached: reach_error"), "{text}");
    let replay = output(
        labrys()
            .args(["replay", "suite"])
            .current_dir(folder.path()),
    );
    let text = String::from_utf8_lossy(&replay.stdout);
    assert!(
        text.contains("input-ended") && text.contains(" 0 diverged"),
        "{text}"
    );
    let build = "-w task.c suite/inputs/000001.c -o task";
    let mut command = std::process::Command::new("cc");
    let built = output(command.args(build.split(' ')).current_dir(folder.path()));
    assert!(built.status.success(), "{built:?}");
    let run = output(&mut std::process::Command::new(folder.path().join("task")));
    assert_eq!(run.status.code(), Some(0));
    let first = &tests(folder.path())[0];
    assert_eq!(first.len(), 128, "{first:?}");
}

/// The first 128 values do not lead there: inputs are lengthened.
#[test]
fn inputs_without_end_are_lengthened() {
    let (_folder, text) = error_of(
        "int main() { unsigned count = 0, right = 0; for (;;) { int x = __VERIFIER_nondet_int();\n\
         if (count == 700 && x == 4711) right = 1; if (count == 800 && right) reach_error();\n\
         count++; } }",
        200,
    );
    assert!(text.contains("1 of 1 reached: reach_error"), "{text}");
}

/// What such a program leaves in the register of its status is another number in each build.
#[test]
fn a_main_without_a_result_ends_with_0() {
    let (_folder, text) = error_of(
        "int f(void) { return __VERIFIER_nondet_int() ? 3 : 4; }\n\
         void main(void) { if (f() == 3) reach_error(); f(); }",
        20,
    );
    assert!(text.contains("1 of 1 reached: reach_error"), "{text}");
    assert!(!text.contains("covered   0"), "{text}");
}

/// A run that is cut off has decided on its last value long before: it is searched on. Such runs
/// get less than their second once they take much of the time.
#[test]
fn runs_that_are_cut_off_are_searched_on() {
    let folder = common::folder();
    let task = "extern int __VERIFIER_nondet_int(void);\nvoid reach_error() {}\n\
                int main() { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\n\
                int z = __VERIFIER_nondet_int(); unsigned n = 0;\n\
                for (;;) { n++; if (n < 20 && x * 3 + n == 40000001) y = x;\n\
                if (y * 7 - x == 240000060 && z == y + 12345) reach_error(); } }\n";
    fs::write(folder.path().join("task.c"), task).expect("a file");
    fs::write(folder.path().join("task.prp"), ERROR_CALL).expect("a file");
    let words = "cover task.c --out suite --property task.prp --no-fuzz --time 60s";
    let output = output(labrys().args(words.split(' ')).current_dir(folder.path()));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("1 of 1 reached: reach_error"), "{text}");
    assert!(!text.contains("spoiled"), "{text}");
}

/// Neither the bytes of an input nor the nesting of a program are few.
#[test]
fn programs_may_be_large() {
    let (_folder, text) = error_of(
        "long long __VERIFIER_nondet_longlong(void);\n\
         long long a[70000];\n\
         int main() { for (int i = 0; i < 70000; i++) a[i] = __VERIFIER_nondet_longlong();\n\
         if (a[69999] == 12345) reach_error(); return 0; }",
        20,
    );
    assert!(text.contains("1 of 1 reached: reach_error"), "{text}");
    let (open, close) = ("if (x > 0) { x--;\n".repeat(300), "} ".repeat(300));
    let task =
        format!("int main() {{ int x = __VERIFIER_nondet_int(); {open} reach_error(); {close} }}");
    let (_folder, text) = error_of(&task, 20);
    assert!(text.contains("1 of 1 reached: reach_error"), "{text}");
}

#[test]
fn large_arrays_are_input_to_their_end() {
    let (_folder, text) = error_of(
        "int a[20000];\n\
         int main() { for (int i = 0; i < 20000; i++) a[i] = __VERIFIER_nondet_int();\n\
         if (a[19999] == 12345) reach_error(); return 0; }",
        20,
    );
    assert!(text.contains("1 of 1 reached: reach_error"), "{text}");
}

#[test]
fn an_assumption_of_the_task_is_no_failure() {
    for name in ["assume_abort_if_not", "assume"] {
        let (_folder, text) = error_of(
            &format!(
                "void {name}(int c) {{ if (!c) {{ abort(); }} }}\n\
                 int main() {{ int x = __VERIFIER_nondet_int(); {name}(x > 10);\n\
                 if (x * x == 676) reach_error(); return 0; }}"
            ),
            50,
        );
        assert!(text.contains("1 of 1 reached: reach_error"), "{text}");
        assert!(text.contains("failures  1\n"), "{text}");
    }
}

/// Tasks for 32 bits declare the library's functions with narrower sizes.
#[test]
fn sizes_may_be_declared_with_32_bits() {
    let (_folder, text) = error_of(
        "extern void *calloc(unsigned, unsigned);\n\
         extern void qsort(void *, unsigned, unsigned, int (*)(const void *, const void *));\n\
         int order(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n\
         int main() { int n = __VERIFIER_nondet_int(); if (n < 4 || n > 1000) return 0;\n\
         int *p = calloc(n, 4); int v[n];\n\
         for (int i = 0; i < n; i++) p[i] = v[i] = __VERIFIER_nondet_int() & 255;\n\
         qsort(v, 2, 4, order);\n\
         if (v[0] == 3 && p[3] == p[0] + 10) reach_error(); return 0; }",
        500,
    );
    assert!(text.contains("1 of 1 reached: reach_error"), "{text}");
    assert!(!text.contains("spoiled"), "{text}");
}

/// No query speaks of the number that is compared; the distances of two runs do.
#[test]
fn the_number_of_iterations_is_extrapolated() {
    let (_folder, text) = error_of(
        "int depth(int x) { if (x == 0) return 0; return depth(x - 1) + 1; }\n\
         int main() { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 100000) return 0;\n\
         if (depth(n) == 2345) reach_error(); return 0; }",
        300,
    );
    assert!(text.contains("1 of 1 reached: reach_error"), "{text}");
    // Most values exhaust the stack.
    let (_folder, text) = error_of(
        "unsigned depth(unsigned x) { if (x == 0) return 0; return depth(x - 1) + 1; }\n\
         int main() { unsigned n = __VERIFIER_nondet_uint();\n\
         if (depth(n) == 200) reach_error(); return 0; }",
        12,
    );
    assert!(text.contains("1 of 1 reached: reach_error"), "{text}");
}

/// Each run offers the failing side of an assumption of the task's own as often as it passed it;
/// the one that stopped it is what matters.
#[test]
fn assumptions_that_failed_once_are_passed() {
    let (_folder, text) = error_of(
        "void require(int c) { if (!c) abort(); }\n\
         unsigned seed = 7;\n\
         unsigned draw(unsigned n) { seed = seed * 1103515245 + 12345; return (seed >> 16) % n; }\n\
         int main() { int v[50], w[50];\n\
         for (int i = 0; i < 50; i++) { v[i] = __VERIFIER_nondet_int();\n\
         require(v[i] >= 0 & v[i] <= 1); w[i] = draw(2); }\n\
         for (int i = 0; i < 200; i++) { int a = draw(50), b = draw(50), c = draw(50);\n\
         require((v[a] == w[a]) | (v[b] == (int)draw(2)) | (v[c] == (int)draw(2))); }\n\
         reach_error(); return 0; }",
        100,
    );
    assert!(text.contains("1 of 1 reached: reach_error"), "{text}");
}

#[test]
fn a_property_of_another_program_gets_a_warning() {
    let folder = common::folder();
    let other = ERROR_CALL.replace("reach_error", "__VERIFIER_error");
    for (options, warned) in [
        (&["--runs", "5"][..], true),
        (&["--runs", "5", "-q"], false),
    ] {
        let output = cover(folder.path(), &other, options);
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            words.contains("warning: --property task.prp"),
            warned,
            "{words}"
        );
        fs::remove_dir_all(folder.path().join("suite")).expect("a suite");
    }
}

/// A run of such a task that is cut off by its time limit has asked for values until then: they are
/// no input that is kept.
#[test]
fn a_run_that_asks_for_values_until_it_is_cut_off_gets_an_end() {
    let task = "unsigned __VERIFIER_nondet_uint(void);
extern void labrys_target(const char *name);
int main(void) {
  for (unsigned last = 0;;) {
    unsigned word = __VERIFIER_nondet_uint();
    if (last == 77 && word == 1234567) labrys_target(\"pair\");
    for (volatile int i = 0; i < 100; i++) last = word;
  }
}
";
    let cover = Cover::text(task, "--steps 300 --timeout-run 400ms --no-fuzz");
    let (suite, _) = cover.expect(0);
    assert!(suite.cases.iter().all(|case| case.objects.len() < 4096));
    let summary = suite.summary.expect("a summary");
    assert!(
        summary
            .targets
            .iter()
            .any(|target| target.location == "pair")
    );
}
