//! The corpus of small programs in `tests/programs`: `labrys cover` reaches every planted goal.
//!
//! A program is one C or C++ file about one theme. Its goals are the names in its calls of
//! `labrys_target`, or in those of the files of the corpus that it includes. Lines of its comments say the rest:
//!
//! | line | meaning |
//! |---|---|
//! | `cover: OPTIONS -- ARGS` | options of `labrys cover`, arguments of the program |
//! | `never: GOAL…` | goals that no input reaches |
//! | `open: GOAL…` | goals that an input reaches and the search does not find in time yet |
//! | `failures: KIND…` | failures that must be found |
//!
//! With `AUDIT=1` every run is audited: what it recorded must be true of it. Runs take longer, so
//! goals may be missed.
//! Some suites are replayed on a build by another compiler, which counts the goals by itself.
//! `CORPUS=NAME,…` restricts the test to some programs.

#![allow(missing_docs)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use common::{folder, labrys};
use labrys_suite::{Suite, TargetStatus};

/// Runs for one program; it ends as soon as all goals are reached.
const RUNS: &str = "20000";
/// Time for what is broken, with the build: no program comes near.
const TIME: &str = "180s";
/// Programs whose suites are replayed on a build by the system's own compiler.
const REPLAYED: &[&str] = &[
    "fgets",
    "strcmp",
    "structs",
    "length",
    "abort",
    "read_short",
    "klee",
    "crest",
    "cbmc",
    "verifier_loop",
    "fuzz_target",
    "scan_real",
    "address",
    "sscanf",
    "getline",
];

type Names = BTreeSet<String>;

/// What a program says about itself.
struct Program {
    name: String,
    path: PathBuf,
    options: Vec<String>,
    goals: Names,
    never: Names,
    failures: Names,
}

impl Program {
    fn read(path: &Path) -> Self {
        let mut text = fs::read_to_string(path).expect("a program");
        let included = text.lines().filter_map(|line| {
            let name = line.strip_prefix("#include \"")?.strip_suffix('"')?;
            fs::read_to_string(path.with_file_name(name)).ok()
        });
        text = included.chain([text.clone()]).collect();
        let line = |key: &str| -> Vec<String> {
            let start = format!("{key}: ");
            let lines = text.lines().filter_map(|line| {
                let line = line.trim_start_matches(['/', '*', ' ']);
                line.strip_prefix(&start)
            });
            let words = lines.flat_map(|rest| rest.trim_end_matches("*/").split_whitespace());
            words.map(str::to_owned).collect()
        };
        let mut goals: Names = text
            .split("labrys_target(\"")
            .skip(1)
            .filter_map(|rest| rest.split_once('"'))
            .map(|(goal, _)| goal.to_owned())
            .collect();
        let never: Names = line("never").into_iter().collect();
        for goal in never.iter().chain(&line("open")) {
            assert!(goals.remove(goal), "{}: no goal {goal}", path.display());
        }
        let stem = path.file_stem().expect("a name");
        Program {
            name: stem.to_string_lossy().into_owned(),
            path: path.to_owned(),
            options: line("cover"),
            goals,
            never,
            failures: line("failures").into_iter().collect(),
        }
    }

    /// What is wrong with a suite of this program.
    fn compare(&self, suite: &Suite) -> Option<String> {
        let summary = suite.summary.as_ref().expect("a summary");
        let reached = summary.targets.iter();
        let reached = reached.filter(|target| target.status == TargetStatus::Reached);
        let reached: Names = reached.map(|target| target.location.clone()).collect();
        let failures = summary.failures.iter().filter(|failure| failure.confirmed);
        let failures: Names = failures.map(|failure| failure.kind.clone()).collect();
        let lost: Vec<&String> = self.goals.difference(&reached).collect();
        let impossible: Vec<&String> = self.never.intersection(&reached).collect();
        let mut wrong = Vec::new();
        if !lost.is_empty() {
            wrong.push(format!("not reached {lost:?}"));
        }
        if !impossible.is_empty() {
            wrong.push(format!("reached {impossible:?}"));
        }
        if failures != self.failures {
            wrong.push(format!("failures {failures:?}"));
        }
        let numbers = format!("{} runs, {:?}", summary.runs, summary.concretizations);
        (!wrong.is_empty()).then(|| format!("{}: {} ({numbers})", self.name, wrong.join(", ")))
    }

    /// Covers the program until all that must be found is found, or the runs are used up.
    fn cover(&self, out: &Path) -> Result<Suite, String> {
        let bounded = self.options.iter().any(|option| option == "--runs");
        let runs = if bounded { &[][..] } else { &["--runs", RUNS] };
        let mut child = labrys()
            .args(["cover", "--quiet", "--time", TIME, "--out"])
            .arg(out)
            .args(runs)
            .args(std::env::var_os("AUDIT").map(|_| "--audit"))
            .arg(&self.path)
            .args(&self.options)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command runs");
        while child.try_wait().expect("a child").is_none() {
            std::thread::sleep(Duration::from_millis(20));
            if self.found(out) {
                let id = child.id().to_string();
                let _ = Command::new("kill").args(["-INT", &id]).status();
                break;
            }
        }
        let output = child.wait_with_output().expect("a child");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.code() == Some(4) {
            return Err(format!("{}: {words}", self.name));
        }
        Suite::open(out).map_err(|error| format!("{}: {error}\n{words}", self.name))
    }

    /// Whether the events so far tell of every goal and failure.
    fn found(&self, out: &Path) -> bool {
        let events = fs::read_to_string(out.join("events.jsonl")).unwrap_or_default();
        let reached = |goal: &String| events.contains(&format!("target reached: {goal}\""));
        let failed = |kind: &String| events.contains(&format!("\"kind\":\"{kind}\""));
        self.goals.iter().all(reached) && self.failures.iter().all(failed)
    }

    /// Replays the tests on a build by the system's compiler, with goals that print their names.
    fn replay(&self, suite: &Path, folder: &Path) -> Option<String> {
        let stub = folder.join("goals.c");
        let text = "#include <stdio.h>\nvoid labrys_target(const char *name) { fprintf(stderr, \
                    \"target reached: %s\\n\", name); }\n";
        fs::write(&stub, text).expect("a file");
        let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/include");
        let mut objects = Vec::new();
        for source in [&*self.path, &stub] {
            let object = folder.join(source.file_name().expect("a name"));
            let object = object.with_extension("o");
            let words = [
                Path::new("-c"),
                source,
                Path::new("-o"),
                &object,
                Path::new("-I"),
                &include,
            ];
            if let Some(problem) = cc(words) {
                return Some(problem);
            }
            objects.push(object);
        }
        let mut reached = Names::new();
        let inputs = fs::read_dir(suite.join("inputs")).expect("a folder");
        let mut inputs: Vec<PathBuf> = inputs.filter_map(|e| Some(e.ok()?.path())).collect();
        inputs.sort();
        // Of an input of objects there are the bytes and the harness that hands them out.
        let harness = |path: &PathBuf| path.extension().is_some_and(|e| e == "c");
        if inputs.iter().any(harness) {
            inputs.retain(harness);
        }
        for input in inputs {
            let harness = harness(&input);
            let plain = folder.join("plain");
            if harness || !plain.exists() {
                let test = harness.then_some(&input);
                let words = objects.iter().chain(test).map(PathBuf::as_path);
                if let Some(problem) = cc(words.chain([Path::new("-o"), &plain])) {
                    return Some(problem);
                }
            }
            let mut run = Command::new(&plain);
            if !harness {
                run.stdin(fs::File::open(&input).expect("an input"));
            }
            let output = run.output().expect("a program");
            let words = String::from_utf8_lossy(&output.stderr);
            let goals = words
                .lines()
                .filter_map(|l| l.strip_prefix("target reached: "));
            reached.extend(goals.map(str::to_owned));
        }
        let lost: Vec<&String> = self.goals.difference(&reached).collect();
        (!lost.is_empty()).then(|| format!("{}: not reached by cc's build {lost:?}", self.name))
    }

    fn check(&self) -> Option<String> {
        let folder = folder();
        let out = folder.path().join("suite");
        let suite = match self.cover(&out) {
            Ok(suite) => suite,
            Err(problem) => return Some(problem),
        };
        self.compare(&suite).or_else(|| {
            let replayed = REPLAYED.contains(&self.name.as_str());
            replayed.then(|| self.replay(&out, folder.path())).flatten()
        })
    }
}

/// Calls the system's compiler; its words if it fails.
fn cc<'a>(words: impl IntoIterator<Item = &'a Path>) -> Option<String> {
    let mut command = Command::new("cc");
    let output = command.args(["-w", "-O1"]).args(words).output();
    let output = output.expect("there is a compiler");
    let failed = !output.status.success();
    failed.then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The programs, those of `CORPUS` if it is set.
fn programs() -> Vec<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let wanted = std::env::var("CORPUS").ok();
    let wanted: Option<Vec<&str>> = wanted.as_deref().map(|names| names.split(',').collect());
    let entries = fs::read_dir(folder).expect("the corpus");
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    let sources = paths
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "c" || e == "cc"));
    let programs = sources.map(|path| Program::read(path));
    programs
        .filter(|p| wanted.as_ref().is_none_or(|w| w.contains(&p.name.as_str())))
        .collect()
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs the speed of a release build")]
fn every_goal_of_the_corpus_is_reached() {
    let programs = programs();
    assert!(!programs.is_empty());
    let work = Mutex::new(programs.iter());
    let problems = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let next = work.lock().expect("no panics").next();
                    let Some(program) = next else { break };
                    let start = Instant::now();
                    let problem = program.check();
                    let seconds = start.elapsed().as_secs_f64();
                    println!("{:16} {seconds:5.1} s", program.name);
                    problems.lock().expect("no panics").extend(problem);
                }
            });
        }
    });
    let problems = problems.into_inner().expect("no panics");
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}
