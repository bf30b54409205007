//! The real commands on small programs with planted goals.

#![allow(missing_docs)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use common::{Cover, folder, labrys, labrys_cc, output, program, replay, succeed, text};
use labrys_suite::{Confirmation, Outcome, Suite, Summary};

fn summary(suite: &Suite) -> &Summary {
    suite.summary.as_ref().expect("a summary")
}

fn targets(suite: &Suite) -> BTreeSet<&str> {
    summary(suite)
        .targets
        .iter()
        .map(|target| target.location.as_str())
        .collect()
}

#[test]
fn nested_comparisons_end_in_a_failure_that_can_be_replayed() {
    let cover = Cover::new("magic.c", "--steps 200");
    let (suite, output) = cover.expect(1);
    let summary = summary(&suite);
    assert_eq!(summary.branches.covered, summary.branches.total);
    assert_eq!(
        (summary.failures.len(), summary.failures[0].confirmed),
        (1, true)
    );
    let failure = &suite.failures[0];
    assert_eq!(
        (failure.kind.as_str(), &failure.outcome),
        ("SIGABRT", &Outcome::Signal(6))
    );
    let input = fs::read(cover.out().join(&summary.failures[0].input)).expect("raw bytes");
    assert!(input.starts_with(b"magic!") && input[6] == input[7]);
    assert!(text(&output).contains("SIGABRT"), "{}", text(&output));

    let again = replay(&cover.out(), &[]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again));
    assert!(text(&again).contains(" 0 diverged"));
}

/// With `--until-covered` the search ends when no branch is open; else it goes on.
#[test]
fn a_search_without_open_branches_goes_on_unless_told() {
    let runs = |options: &str, end: &str| {
        let cover = Cover::new("endless.c", options);
        let (suite, output) = cover.expect(0);
        let branches = summary(&suite).branches;
        assert_eq!(branches.covered, branches.total);
        assert!(text(&output).contains(end), "{}", text(&output));
        summary(&suite).runs
    };
    assert_eq!(runs("--runs 40", "ended     the runs are used up"), 40);
    let covered = "ended     every branch is covered or proved unreachable";
    assert!(runs("--runs 40 --until-covered", covered) < 40);
}

#[test]
fn an_ordinary_build_of_the_program_replays_the_suite() {
    let cover = Cover::new("magic.c", "--steps 200");
    cover.expect(1);
    let plain = cover.folder.path().join("plain");
    succeed(Command::new("cc").arg(&cover.program).arg("-o").arg(&plain));
    let plain = plain.display().to_string();
    let again = replay(&cover.out(), &["--program", &plain]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again));
    let other = replay(&cover.out(), &["--program", "/bin/true"]);
    assert_eq!(other.status.code(), Some(1), "{}", text(&other));
    assert!(
        text(&other).contains("diverged  exit 0, not SIGABRT"),
        "{}",
        text(&other)
    );
}

#[test]
fn objects_of_a_harness_are_solved_for() {
    let cover = Cover::new("harness.c", "--steps 200");
    let (suite, _) = cover.expect(0);
    assert_eq!(targets(&suite), ["solved"].into());
    let names: BTreeSet<&str> = suite
        .cases
        .iter()
        .flat_map(|case| case.objects.iter().map(|object| object.name.as_str()))
        .collect();
    assert_eq!(names, ["flag", "p"].into());
    assert!(
        suite
            .cases
            .iter()
            .all(|case| case.confirmed == Confirmation::Confirmed)
    );
    assert!(cover.out().join("inputs/000001.c").is_file());
}

#[test]
fn a_file_named_by_an_argument_is_symbolic() {
    let (suite, _) = Cover::new("file.c", "--steps 400 -- @@").expect(0);
    let found = |case: &labrys_suite::TestCase| case.outcome == Outcome::Exit(42);
    assert!(suite.cases.iter().any(found), "{:?}", summary(&suite));
}

#[test]
fn arguments_are_symbolic_on_demand() {
    let options = "--steps 200 --sym-arg 1 --sym-arg 2:6 -- close x";
    let (suite, _) = Cover::new("arguments.c", options).expect(1);
    let failure = &suite.failures[0];
    assert_eq!(failure.kind, "null-dereference");
    assert_eq!(failure.input.streams[1].visible(), b"open");
    assert_eq!(failure.input.streams[2].visible(), b"ses");
}

#[test]
fn a_tokenizer_gives_away_its_targets() {
    let (suite, _) = Cover::new("tokens.c", "--runs 20000 --time 60s").expect(0);
    let expected = ["deep", "key", "long", "number", "true", "valid"];
    assert_eq!(targets(&suite), expected.into(), "{:?}", summary(&suite));
}

#[test]
fn every_strategy_works() {
    for strategy in [
        "auto",
        "rarity",
        "latest",
        "missed",
        "context-guided",
        "cfg",
        "generational",
        "carfast",
        "random-branch",
        "uniform-random",
        "dfs",
        "bfs",
        "dfs,random-branch",
    ] {
        let cover = Cover::new("magic.c", &format!("--steps 200 --strategy {strategy}"));
        let (suite, _) = cover.expect(1);
        assert_eq!(summary(&suite).strategy, strategy);
        assert_eq!(suite.failures.len(), 1);
    }
}

/// All files of a suite. In the summary and the events, what the clock said is left out.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).expect("below");
            let name = name.display().to_string();
            let mut content = fs::read(&path).expect("a file");
            if name == "summary.json" || name == "events.jsonl" {
                content = without_times(&content);
            }
            found.insert(name, content);
        }
    }
    found
}

/// JSON values, one after the other, without times and rates.
fn without_times(content: &[u8]) -> Vec<u8> {
    let values = serde_json::Deserializer::from_slice(content).into_iter();
    let lines = values.map(|value: serde_json::Result<serde_json::Value>| {
        let mut value = value.expect("JSON");
        let members = value.as_object_mut().expect("an object");
        for time in ["seconds", "solver_seconds", "runs_per_second"] {
            members.remove(time);
        }
        format!("{value}\n")
    });
    lines.collect::<String>().into_bytes()
}

#[test]
fn the_same_seed_and_steps_give_the_same_suite() {
    for steps in [
        "--steps 300",
        "--steps 300 --jobs 1",
        "--steps 300 --jobs 3",
        "--steps 60 --no-fuzz",
    ] {
        let options = format!("{steps} --seed 5 --timeout-run 10s");
        let suites = [(); 2].map(|()| {
            let cover = Cover::new("endless.c", &options);
            cover.expect(0);
            files(&cover.out())
        });
        assert!(suites[0].len() > 5);
        assert_eq!(suites[0], suites[1]);
    }
}

/// Runs an action while other threads keep the processors busy.
fn under_load<T>(action: impl FnOnce() -> T) -> T {
    let done = std::sync::atomic::AtomicBool::new(false);
    let done = &done;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(action));
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[test]
fn a_busy_machine_gives_up_the_same_queries() {
    let explore = || {
        let options = "--runs 80 --seed 3 --jobs 2 --timeout-run 10s --steps-solver 2000";
        let cover = Cover::new("hard.c", options);
        let (suite, _) = cover.expect(0);
        assert!(summary(&suite).queries.unknown > 0, "nothing was hard");
        files(&cover.out())
    };
    let (alone, busy) = (explore(), under_load(explore));
    assert_eq!(alone, busy);
}

/// What a callee did not take is not what the next one is given.
#[test]
fn labels_of_one_call_are_not_those_of_another() {
    let (suite, _) = Cover::new("more_arguments.c", "--steps 100").expect(0);
    assert_eq!(summary(&suite).divergences, 0);
}

#[test]
fn a_suite_is_gone_on_with() {
    let mut cover = Cover::new("magic.c", "--steps 4 --strategy bfs");
    let (before, _) = cover.expect(0);
    cover.options = vec!["--resume".into(), "--steps".into(), "200".into()];
    let (after, _) = cover.expect(1);
    assert_eq!(after.cases[..before.cases.len()], before.cases[..]);
    let done = summary(&after);
    assert_eq!(done.branches.covered, done.branches.total);
    assert_eq!(done.strategy, "bfs");
    // Another one is taken when it is named.
    cover.options.extend(["--strategy".into(), "dfs".into()]);
    let (last, _) = cover.expect(1);
    assert_eq!(summary(&last).strategy, "dfs");
    assert_eq!(last.config.strategy, "dfs");
}

/// Program, arguments, inputs and words are those of the suite, where none are named.
#[test]
fn a_suite_knows_what_it_is_a_suite_of() {
    let words = folder();
    let file = words.path().join("words");
    fs::write(&file, "\"ses\\xff\"\n").expect("written");
    let options = format!(
        "--steps 2 --sym-arg 1 --sym-arg 2:6 --dictionary {} -- close x",
        file.display()
    );
    let cover = Cover::new("arguments.c", &options);
    let (before, _) = cover.expect(0);
    let mut resume = labrys();
    resume.args(["cover", "--resume", "--steps", "200", "--out"]);
    let done = output(resume.arg(cover.out()));
    assert_eq!(done.status.code(), Some(1), "{}", text(&done));
    let after = Suite::open(&cover.out()).expect("a valid suite");
    assert_eq!(after.config, before.config);
    assert_eq!(after.config.options["dictionary"], "736573ff");
    assert!(after.cases.len() > before.cases.len());
}

/// Starts the command and waits until its suite has a test.
fn started(cover: &Cover) -> std::process::Child {
    let child = cover
        .command()
        .arg("--quiet")
        .spawn()
        .expect("the command runs");
    let start = Instant::now();
    while !cover.out().join("cases/000002.json").exists() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "no test after a minute"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

fn signal(child: &std::process::Child, name: &str) {
    let status = Command::new("kill")
        .arg(name)
        .arg(child.id().to_string())
        .status();
    assert!(status.expect("there is kill").success());
}

#[test]
fn an_interrupt_ends_in_order() {
    let cover = Cover::new("endless.c", "");
    let mut child = started(&cover);
    signal(&child, "-INT");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(0));
    let suite = Suite::open(&cover.out()).expect("a valid suite");
    assert!(summary(&suite).runs >= 2);
}

#[test]
fn a_killed_search_leaves_a_valid_suite() {
    let mut cover = Cover::new("endless.c", "");
    let mut child = started(&cover);
    signal(&child, "-KILL");
    child.wait().expect("it ends");
    let before = Suite::open(&cover.out()).expect("a valid suite");
    assert!(!before.cases.is_empty());
    let again = replay(&cover.out(), &[]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again));
    cover.options = vec!["--resume".into(), "--steps".into(), "50".into()];
    let (after, _) = cover.expect(0);
    assert!(after.cases.len() >= before.cases.len());
}

#[test]
fn errors_name_cause_and_remedy() {
    let table: [(&[&str], i32, &str); 12] = [
        (&["cover", "no-such.c"], 3, "no file no-such.c"),
        (&["cover", "no-such"], 3, "no file no-such"),
        (&["cover", "."], 3, "is a folder; give an executable"),
        (&["cover", "x.c", "--walk", "best"], 2, "there are: paper"),
        (&["replay", ".", "--failure", "x"], 2, "invalid value"),
        (&["cover", "/bin/true"], 3, "CC=labrys-cc"),
        (&["cover", "/etc/passwd"], 3, "not an executable"),
        (&["cover", "x.c", "--strategy", "best"], 2, "choose one of"),
        (&["cover", "x.c", "--time", "soon"], 2, "90s"),
        (&["cover"], 2, "PROGRAM"),
        (&["replay", "/nonexistent"], 2, "--out"),
        (&["replay"], 2, "SUITE"),
    ];
    let folder = folder();
    for (arguments, status, part) in table {
        let output = output(labrys().args(arguments).current_dir(folder.path()));
        let words = text(&output);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {words}");
        assert!(words.contains(part), "{arguments:?}: {words}");
    }
    let broken = output(&mut Cover::new("broken.c", "").command());
    assert_eq!(broken.status.code(), Some(3));
    assert!(text(&broken).contains("undeclared"));
}

#[test]
fn a_folder_in_use_is_not_overwritten() {
    let cover = Cover::new("magic.c", "--steps 1");
    cover.expect(0);
    let again = output(&mut cover.command());
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again).contains("--resume"));
}

#[test]
fn machines_get_json_and_nobody_else_gets_a_word() {
    let cover = Cover::new("magic.c", "--steps 200 --json --quiet");
    let (_, output) = cover.expect(1);
    let summary: Summary = serde_json::from_slice(&output.stdout).expect("a summary");
    assert_eq!(summary.failures.len(), 1);
    assert_eq!(text(&output).trim().chars().next(), Some('{'));
    let cover = Cover::new("magic.c", "--steps 200 --quiet");
    let (_, output) = cover.expect(1);
    assert_eq!(text(&output).trim(), "");
    let cover = Cover::new("warned.c", "--steps 2 --quiet");
    let (_, output) = cover.expect(0);
    assert_eq!(text(&output).trim(), "", "warnings of the compiler");
}

#[test]
fn sites_have_places() {
    let output = output(labrys().arg("sites").arg(program("magic.c")).arg("--json"));
    let lines = String::from_utf8(output.stdout).expect("text");
    let sites: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object"))
        .collect();
    assert_eq!(sites.len(), 8);
    let place = sites[1]["location"].as_str().expect("a place");
    assert!(place.contains("magic.c:8:"), "{place}");
    assert_eq!(sites[1]["function"], "main");
}

/// The scripts in a folder of logged queries are answered by `labrys solve` as they were logged;
/// one that was given up after few steps may be answered now.
fn expect_same_answers(queries: &Path) {
    let mut answers = BTreeSet::new();
    for entry in fs::read_dir(queries).expect("a folder").take(20) {
        let script = entry.expect("an entry").path();
        let name = script.file_stem().expect("a name").to_string_lossy();
        let (_, answer) = name.split_once('-').expect("number-answer");
        if answer == "unknown" {
            continue;
        }
        let printed = text(&output(labrys().arg("solve").arg(&script)));
        assert_eq!(printed.lines().next(), Some(answer), "{name}: {printed}");
        answers.insert(answer.to_owned());
    }
    assert!(!answers.is_empty());
}

#[test]
fn queries_that_cover_logged_can_be_solved_again() {
    let queries = folder();
    let options = format!("--runs 100 --log-queries {}", queries.path().display());
    Cover::new("tokens.c", &options).expect(0);
    expect_same_answers(queries.path());
}

#[test]
fn queries_that_reach_logged_can_be_solved_again() {
    let program = "#include <labrys.h>\nint main(void) {\n  unsigned a, b;\n  \
                   labrys_symbolic(&a, 4, \"a\");\n  labrys_symbolic(&b, 4, \"b\");\n  \
                   if (a > 1000 && b > a && (a ^ b) + 3 * a == 0x12345677u) labrys_target(\"x\");\n}\n";
    let cover = Cover::text(program, "");
    let queries = cover.folder.path().join("not/yet/there");
    let reached = output(
        labrys()
            .arg("reach")
            .arg(&cover.program)
            .args(["--target", "x", "--out"])
            .arg(cover.out())
            .arg("--log-queries")
            .arg(&queries),
    );
    assert_eq!(reached.status.code(), Some(0), "{}", text(&reached));
    expect_same_answers(&queries);
}

/// A folder that cannot be made, or not be written to, is refused before anything is built.
#[test]
fn folders_that_queries_cannot_be_logged_to_are_refused_at_once() {
    let cover = Cover::text("this is not C", "");
    let below_a_file = cover.program.join("queries");
    for command in ["cover", "reach"] {
        for queries in [&below_a_file, Path::new("/proc/self")] {
            let refused = output(
                labrys()
                    .arg(command)
                    .arg(&cover.program)
                    .arg("--out")
                    .arg(cover.out())
                    .arg("--log-queries")
                    .arg(queries),
            );
            let text = text(&refused);
            assert_eq!(refused.status.code(), Some(2), "{text}");
            let cause = format!("--log-queries {}: ", queries.display());
            assert!(
                text.contains(&cause) && text.contains("name a folder"),
                "{text}"
            );
        }
    }
    assert!(!cover.out().exists());
}

#[test]
fn what_is_defined_nowhere_is_missed_by_those_runs_that_call_it() {
    let mut cover = Cover::new("unresolved.c", "--steps 50");
    let built = cover.folder.path().join("unresolved");
    let lax = ["-Wl,--unresolved-symbols=ignore-all", "-o"];
    succeed(labrys_cc().args(lax).args([&built, &cover.program]));
    cover.program = built;
    let (suite, _) = cover.expect(0);
    assert_eq!(targets(&suite), BTreeSet::from(["x"]));
}

#[test]
fn a_suite_of_reach_is_replayed_with_the_options_of_its_build() {
    let text_of_program = "#include <labrys.h>\n#include <unistd.h>\nint main(void) {\n  char c;\n  \
                           if (read(0, &c, 1) == 1 && c == KEY) labrys_target(\"key\");\n  return 0;\n}\n";
    let cover = Cover::text(text_of_program, "");
    let reached = output(
        labrys()
            .arg("reach")
            .arg(&cover.program)
            .args(["--target", "key", "--cc-flag", "-DKEY=77", "--out"])
            .arg(cover.out()),
    );
    assert_eq!(reached.status.code(), Some(0), "{}", text(&reached));
    let again = replay(&cover.out(), &[]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again));
}

/// All files below a folder, with what is in them.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder").flatten();
            open.extend(entries.map(|entry| entry.path()));
            continue;
        }
        let name = path.strip_prefix(folder).expect("below it").to_path_buf();
        found.insert(name, fs::read(&path).expect("a file"));
    }
    found
}

#[test]
fn reproducible_suites_are_the_same_file_by_file() {
    for (command, source, options) in [
        ("cover", "faults.c", &["--export", "ktest"][..]),
        ("cover", "faults.c", &["--with", "backward,fuzz"]),
        ("reach", "faults.c", &["--target", "faults.c:14"]),
        // A task of Test-Comp, whose metadata have a time.
        ("cover", "unreach.c", &[]),
    ] {
        let folder = folder();
        let made = |name: &str| {
            let out = folder.path().join(name);
            let mut run = labrys();
            run.args([command, "--quiet", "--reproducible", "--steps", "60"]);
            run.arg("--out").arg(&out);
            let _ = output(run.args(options).arg(program(source)));
            contents(&out)
        };
        let (one, other) = (made("one"), made("other"));
        assert!(one.len() > 5, "{command}: {:?}", one.keys());
        let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&one), names(&other), "{command}");
        for (name, bytes) in &one {
            assert!(
                other[name] == *bytes,
                "{command}: {} differs",
                name.display()
            );
        }
    }
}

#[test]
fn a_suite_of_a_function_is_replayed_with_labrys_and_without() {
    let source = "int quotient(int a, int b) {\n  if (a == KEY && b > 2) return a / (b - 3);\n  \
                  return 0;\n}\n";
    let cover = Cover::text(
        source,
        "--entry quotient --cc-flag=-DKEY=77 --steps 200 --quiet",
    );
    let (suite, _) = cover.expect(1);
    assert_eq!(summary(&suite).failures.len(), 1);
    for (more, status) in [(&[][..], 0), (&["--failure", "1"], 1)] {
        let again = replay(&cover.out(), more);
        assert_eq!(again.status.code(), Some(status), "{}", text(&again));
    }
    let script = |name: &str| {
        let mut command = Command::new(cover.out().join(name));
        output(command.env("CC", "cc -g").arg("-DKEY=77"))
    };
    let tests = script("replay.sh");
    assert_eq!(tests.status.code(), Some(0), "{}", text(&tests));
    assert!(text(&tests).contains("0 failed"), "{}", text(&tests));
    let failure = script("failures/000001/reproduce.sh");
    // SIGFPE.
    assert_eq!(failure.status.code(), Some(128 + 8), "{}", text(&failure));
    assert!(!cover.out().join("failures/000001/input.c").exists());
}

/// Jumps out of the scope of a variable go through code that ends its life, and on by a switch.
#[test]
fn where_a_scope_is_left_nothing_is_decided() {
    let source = "#include <stdio.h>\nint main(void) {\n  int r = 0, c;\n  \
                  while ((c = getchar()) != EOF) {\n    int d = c * 3;\n    if (d == 30) break;\n    \
                  if (d == 33) continue;\n    if (d == 36) { r = 2; goto out; }\n    r += d;\n  }\n  \
                  r++;\nout:\n  printf(\"%d\\n\", r);\n  return 0;\n}\n";
    let cover = Cover::text(source, "--runs 200 --quiet");
    let (suite, _) = cover.expect(0);
    let branches = &summary(&suite).branches;
    assert_eq!((branches.covered, branches.total), (8, 8));
}

/// Structures of two floats and vectors are passed in registers of floats: what stands behind them keeps
/// its label, and their own are lost.
#[test]
fn variable_arguments_behind_vectors_keep_their_labels() {
    let source = "#include <labrys.h>\n#include <stdarg.h>\n#include <stdio.h>\n\
        struct pair { float x, y; };\n\
        typedef float four __attribute__((vector_size(16)));\n\
        static int last(int kinds, ...) {\n\
          va_list list;\n  va_start(list, kinds);\n\
          struct pair one = va_arg(list, struct pair);\n\
          four some = va_arg(list, four);\n\
          int n = va_arg(list, int);\n  va_end(list);\n\
          if (n == 123456789) return 1;\n\
          return one.y > 3 && some[1] > 4 ? 2 : 0;\n}\n\
        int main(void) {\n  int n;\n  labrys_symbolic(&n, 4, \"n\");\n\
          struct pair one = {1, n};\n  four some = {0, n};\n\
          return last(0, one, some, n);\n}\n";
    let (suite, _) = Cover::text(source, "--steps 40 --quiet").expect(0);
    let took = suite.cases.iter().any(|case| {
        let of_input = (0..4).filter_map(|at| case.input.byte(0, at));
        of_input.collect::<Vec<_>>() == 123_456_789u32.to_le_bytes()
    });
    assert!(took, "{:?}", suite.summary);
}
