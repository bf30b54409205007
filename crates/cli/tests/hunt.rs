//! `labrys hunt` and `labrys unit` by the real commands.

#![allow(missing_docs)]

mod common;

use std::path::Path;

use common::{folder, labrys, output, program, text};
use labrys_suite::Suite;
use serde_json::Value;

/// Hunts in a program; the exit status, `hunt.json`, the suite.
fn hunt(name: &str, out: &Path, options: &str) -> (Option<i32>, Value, Suite) {
    hunt_in(&program(&format!("hunt/{name}.c")), out, options)
}

fn hunt_in(source: &Path, out: &Path, options: &str) -> (Option<i32>, Value, Suite) {
    let mut command = labrys();
    command.arg("hunt").arg(source);
    command.arg("--out").arg(out).arg("--quiet");
    let hunted = output(command.args(options.split_whitespace()));
    let report = std::fs::read_to_string(out.join("hunt.json"));
    let report = report.unwrap_or_else(|_| panic!("{}", text(&hunted)));
    let report = serde_json::from_str(&report).expect("JSON");
    let suite = Suite::open(out).expect("a valid suite");
    (hunted.status.code(), report, suite)
}

/// The one validated failure.
fn validated(report: &Value) -> &Value {
    let list = report["validated"].as_array().expect("a list");
    assert_eq!(list.len(), 1, "{report:#}");
    &list[0]
}

fn words(value: &Value) -> Vec<&str> {
    let list = value.as_array().expect("a list").iter();
    list.filter_map(Value::as_str).collect()
}

/// The one input in `failures/`.
fn failing_input(suite: &Suite) -> &[u8] {
    assert_eq!(suite.failures.len(), 1);
    assert!(suite.failures[0].confirmed);
    &suite.failures[0].input.streams[0].bytes
}

#[test]
fn the_failure_of_figure_1_is_validated_and_the_false_ones_are_not() {
    let folder = folder();
    let out = folder.path().join("suite");
    let (status, report, suite) = hunt("figure1", &out, "--system-turns 0 --no-search");
    assert_eq!(status, Some(1));
    let found = validated(&report);
    assert!(
        found["location"]
            .as_str()
            .is_some_and(|place| place.ends_with("figure1.c:12"))
    );
    assert_eq!(words(&found["chain"]).first(), Some(&"main"));
    assert_eq!(words(&found["chain"]).last(), Some(&"g"));
    let input = failing_input(&suite);
    assert!(
        input[0] == b'C' && input[1] != 0 && input[1] != b'\n',
        "{input:?}"
    );
    // Units fail for null pointers too, which the program never passes.
    let alarms = report["alarms"].as_array().expect("a list");
    assert!(!alarms.is_empty());
    let null = |alarm: &Value| alarm["kind"] == "null-dereference";
    assert!(alarms.iter().all(null), "{report:#}");
}

#[test]
fn units_that_are_the_same_are_not_explored_again() {
    let folder = folder();
    let (source, store) = (folder.path().join("figure1.c"), folder.path().join("store"));
    let text = std::fs::read_to_string(program("hunt/figure1.c")).expect("a file");
    let hunted = |text: &str, out: &str| {
        std::fs::write(&source, text).expect("a file");
        let options = format!("--system-turns 0 --no-search --store {}", store.display());
        let (status, report, _) = hunt_in(&source, &folder.path().join(out), &options);
        assert_eq!(status, Some(1));
        let place = validated(&report)["location"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let line = place
            .rsplit(':')
            .next()
            .and_then(|line| line.parse::<u32>().ok());
        let figures = &report["figures"];
        assert_eq!(figures["units"], 2, "{report:#}");
        let alarms = report["alarms"].as_array().expect("a list").len();
        (line, figures["remembered"].as_u64(), alarms)
    };
    assert_eq!(hunted(&text, "first"), (Some(12), Some(0), 2));
    // Lines are no part of a unit, but of what is told.
    let moved = format!("\n{text}");
    assert_eq!(hunted(&moved, "second"), (Some(13), Some(2), 2));
    let begin = "void g(const char *s) {\n";
    let longer = text.replace(begin, &format!("{begin}\n"));
    assert_eq!(hunted(&longer, "longer"), (Some(13), Some(2), 2));
    let changed = text.replace("'B'", "'D'");
    assert_eq!(hunted(&changed, "third"), (Some(12), Some(1), 2));
}

/// `look_up` finds entries of a table of functions, and calls none of them.
#[test]
fn of_functions_in_a_table_only_those_that_ran_matter() {
    const TEXT: &str = r#"
#include <stdio.h>
#include <string.h>
static int twice(int n) { return n > 100 ? n : 2 * n; }
static int fail(int n) { if (n == 7) { int *none = 0; *none = n; } return n; }
static const struct command { const char *name; int (*run)(int); } commands[] = {
  {"twice", twice}, {"fail", fail},
};
static const struct command *look_up(const char *name) {
  for (int i = 0; i < 2; i++)
    if (!strcmp(commands[i].name, name)) return &commands[i];
  return 0;
}
int main(void) {
  char line[16];
  if (!fgets(line, sizeof line, stdin)) return 1;
  line[strcspn(line, "\n")] = 0;
  const struct command *found = look_up(line);
  return found ? found->run(fgetc(stdin)) : 2;
}
"#;
    let folder = folder();
    let (source, store) = (folder.path().join("p.c"), folder.path().join("store"));
    let hunted = |text: &str, out: &str| {
        std::fs::write(&source, text).expect("a file");
        let options = format!(
            "--system-turns 0 --no-search --no-extended-units --store {}",
            store.display()
        );
        let (_, report, _) = hunt_in(&source, &folder.path().join(out), &options);
        let figures = &report["figures"];
        (figures["units"].as_u64(), figures["remembered"].as_u64())
    };
    assert_eq!(hunted(TEXT, "first"), (Some(3), Some(0)));
    assert_eq!(hunted(TEXT, "second"), (Some(3), Some(3)));
    let changed = TEXT.replace("n > 100", "n > 200");
    assert_eq!(hunted(&changed, "third"), (Some(3), Some(2)));
    // A longer table is another one.
    let longer = TEXT.replace("{\"fail\", fail},", "{\"fail\", fail}, {\"again\", twice},");
    assert_eq!(hunted(&longer, "fourth"), (Some(3), Some(2)));
    // What was known of the first program still is.
    assert_eq!(hunted(TEXT, "fifth"), (Some(3), Some(3)));
}

/// After two queries the summary of f knows no string that begins with C.
#[test]
fn a_summary_is_refined_by_an_interpolant() {
    let folder = folder();
    let out = folder.path().join("suite");
    let options = "--system-turns 0 --no-search --no-extended-units --unit-queries 2";
    let (status, report, suite) = hunt("refine", &out, options);
    assert_eq!(status, Some(1), "{report:#}");
    let found = validated(&report);
    assert_eq!(words(&found["chain"]), ["main", "f", "g"]);
    let constraints = words(&found["constraints"]);
    assert!(!constraints.is_empty(), "{report:#}");
    assert!(
        constraints[0].starts_with("f, calls of g: "),
        "{constraints:?}"
    );
    assert!(report["figures"]["interpolants"].as_u64() > Some(0));
    assert_eq!(failing_input(&suite)[0], b'C');
}

#[test]
fn without_interpolants_none_are_computed() {
    let folder = folder();
    let out = folder.path().join("suite");
    let options =
        "--system-turns 0 --no-search --no-extended-units --no-interpolants --unit-queries 2";
    let (_, report, _) = hunt("refine", &out, options);
    assert_eq!(report["figures"]["interpolants"], 0);
    assert!(report["figures"]["refinements"].as_u64() > Some(0));
}

/// `checked` never passes what makes `store` fail.
#[test]
fn a_chain_that_fails_is_backtracked_from() {
    let folder = folder();
    let out = folder.path().join("suite");
    let seeds = folder.path().join("seeds");
    std::fs::create_dir(&seeds).expect("a folder");
    std::fs::write(seeds.join("a"), "c 1 2\nc 3 4\nr 5 66\n").expect("a file");
    let options = format!(
        "--system-turns 0 --no-search --no-extended-units --seeds {}",
        seeds.display()
    );
    let (status, report, suite) = hunt("backtrack", &out, &options);
    assert_eq!(status, Some(1), "{report:#}");
    let found = validated(&report);
    assert!(
        found["location"]
            .as_str()
            .is_some_and(|place| place.ends_with("backtrack.c:16"))
    );
    assert!(!words(&found["chain"]).contains(&"checked"), "{report:#}");
    let backtracked = words(&found["backtracked"]);
    assert!(
        backtracked
            .iter()
            .any(|text| text.starts_with("checked > store: ")),
        "{report:#}"
    );
    let input = String::from_utf8_lossy(failing_input(&suite)).into_owned();
    assert!(input.contains('r') && input.contains("77"), "{input}");
}

/// Several units are tested at a time, and are made again to be composed.
#[test]
fn the_same_jobs_find_the_same() {
    let folder = folder();
    let seeds = folder.path().join("seeds");
    std::fs::create_dir(&seeds).expect("a folder");
    std::fs::write(seeds.join("a"), "c 1 2\nc 3 4\nr 5 66\n").expect("a file");
    let hunted = |out: &str| {
        let options = format!(
            "--jobs 3 --system-turns 0 --no-search --no-extended-units --seeds {}",
            seeds.display()
        );
        let (status, mut report, _) = hunt("backtrack", &folder.path().join(out), &options);
        assert_eq!(status, Some(1), "{report:#}");
        report["phases"].take();
        report
    };
    let first = hunted("first");
    let place = validated(&first)["location"].as_str();
    assert!(place.is_some_and(|place| place.ends_with("backtrack.c:16")));
    assert_eq!(first, hunted("second"));
}

/// The call passes constants that contradict each failing path that was found first.
#[test]
fn failing_paths_are_looked_for_below_a_call() {
    let folder = folder();
    let (out, seeds) = (folder.path().join("suite"), folder.path().join("seeds"));
    std::fs::create_dir(&seeds).expect("a folder");
    std::fs::write(seeds.join("a"), "name a.example.com\n").expect("a file");
    let options = format!("--system-turns 0 --no-search --seeds {}", seeds.display());
    let (status, report, suite) = hunt("below", &out, &options);
    assert_eq!(status, Some(1), "{report:#}");
    let found = validated(&report);
    assert_eq!(words(&found["chain"]), ["main", "encode"]);
    assert!(report["figures"]["below"].as_u64() > Some(0), "{report:#}");
    let input = String::from_utf8_lossy(failing_input(&suite)).into_owned();
    assert!(
        input.starts_with("name ") && input.contains("\\."),
        "{input}"
    );
}

#[test]
fn failures_of_units_that_the_program_cannot_show_are_not_reported() {
    let folder = folder();
    let out = folder.path().join("suite");
    let (status, report, suite) = hunt("clean", &out, "--system-turns 4");
    assert_eq!(status, Some(0));
    assert_eq!(report["validated"].as_array().map(Vec::len), Some(0));
    assert!(
        report["alarms"]
            .as_array()
            .is_some_and(|alarms| alarms.len() > 1)
    );
    assert!(suite.failures.is_empty());
}

/// The search of the whole program finds it before a unit is composed, and it counts as validated.
#[test]
fn what_the_search_of_the_whole_program_meets_is_reported() {
    let folder = folder();
    let out = folder.path().join("suite");
    let (status, report, suite) = hunt("figure1", &out, "");
    assert_eq!(status, Some(1));
    let found = validated(&report);
    assert_eq!(words(&found["chain"]), [""; 0]);
    assert_eq!(failing_input(&suite)[0], b'C');
}

#[test]
fn files_and_arguments_are_system_inputs() {
    let folder = folder();
    let (out, seeds) = (folder.path().join("suite"), folder.path().join("seeds"));
    std::fs::create_dir(&seeds).expect("a folder");
    std::fs::write(seeds.join("a"), "width=3\n").expect("a file");
    let mut command = labrys();
    command.arg("hunt").arg(program("hunt/args.c"));
    command.arg("--out").arg(&out).arg("--seeds").arg(&seeds);
    command.args([
        "--system-turns",
        "0",
        "--no-search",
        "-q",
        "--sym-arg",
        "1:4",
        "--",
        "-s",
        "@@",
    ]);
    let hunted = output(&mut command);
    assert_eq!(hunted.status.code(), Some(1), "{}", text(&hunted));
    let suite = Suite::open(&out).expect("a valid suite");
    let kinds: Vec<&str> = suite.failures.iter().map(|one| one.kind.as_str()).collect();
    assert_eq!(kinds, ["division-by-zero"]);
}

#[test]
fn a_unit_is_shown() {
    let shown = |options: &[&str]| {
        let mut command = labrys();
        command.arg("unit").arg(program("hunt/refine.c")).arg("f");
        let shown = output(command.args(["--system-turns", "0"]).args(options));
        assert!(shown.status.success(), "{}", text(&shown));
        String::from_utf8_lossy(&shown.stdout).into_owned()
    };
    let alone = shown(&["--no-extended-units"]);
    let part = |title: &str| {
        let rest = alone.split_once(title).expect("the part").1;
        rest.lines().nth(1).expect("a line").trim().to_owned()
    };
    assert!(part("functions").starts_with('f'), "{alone}");
    assert!(part("stubs").starts_with('g'), "{alone}");
    assert!(
        alone.contains("8 bytes  s") && alone.contains("In place of g"),
        "{alone}"
    );
    // Only the units of callers have binders.
    assert!(!alone.contains("labrys_binder_"), "{alone}");
}

#[test]
fn wrong_seeds_are_named() {
    let mut command = labrys();
    command.arg("hunt").arg(program("hunt/clean.c"));
    let hunted = output(command.args(["--seeds", "/nonexistent"]));
    assert_eq!(hunted.status.code(), Some(2));
    assert!(
        text(&hunted).contains("--seeds /nonexistent"),
        "{}",
        text(&hunted)
    );
}
