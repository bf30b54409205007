//! `labrys cover --with`: several techniques over one suite.

#![allow(missing_docs)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use labrys_suite::{Suite, Summary, TargetStatus};

/// A program with dead branches, and a suite of it.
struct Dead {
    folder: tempfile::TempDir,
}

impl Dead {
    fn new() -> Self {
        Dead {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("suite")
    }

    fn command(&self, options: &str) -> Command {
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        let mut command = common::labrys();
        command.arg("cover").arg(programs.join("dead.c"));
        command.args(["--stdin", "--seed", "5", "--timeout-run", "10s", "--out"]);
        command.arg(self.out());
        command.args(options.split_whitespace());
        command
    }

    fn cover(&self, options: &str) -> (Summary, Output) {
        let output = self.command(options).output().expect("the command runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{error}");
        (self.summary(), output)
    }

    fn summary(&self) -> Summary {
        let suite = Suite::open(&self.out()).expect("a valid suite");
        suite.summary.expect("a summary")
    }
}

/// The lines of the branches that are proved unreachable.
fn dead(summary: &Summary) -> Vec<u32> {
    let targets = summary.targets.iter();
    let proved = targets.filter(|target| target.status == TargetStatus::Unreachable);
    let line = |name: &str| {
        let place = name.split("dead.c:").nth(1).expect("a place");
        let digits = place.split(':').next().expect("a line");
        digits.parse::<u32>().expect("a number")
    };
    let mut lines: Vec<u32> = proved.map(|target| line(&target.location)).collect();
    lines.sort_unstable();
    lines
}

/// The lines that the program says have a dead branch.
fn expected() -> Vec<u32> {
    let text = include_str!("programs/dead.c");
    let dead = (1..).zip(text.lines());
    dead.filter(|(_, line)| line.contains("/* dead:"))
        .map(|(number, _)| number)
        .collect()
}

/// All branches are covered but those that are proved unreachable, and these are the dead ones.
#[test]
fn open_branches_are_proved_while_the_search_goes_on() {
    let program = Dead::new();
    let (summary, output) = program.cover("--steps 1500 --with backward");
    assert_eq!(dead(&summary), expected());
    let branches = summary.branches;
    assert_eq!(branches.unreachable, expected().len() as u64);
    assert_eq!(branches.covered + branches.unreachable, branches.total);
    assert!(summary.runs > 100, "the search stood still");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("3 branches proved unreachable"), "{text}");
    assert!(!text.contains("targets"), "{text}");
}

/// Proofs outlive the session; no later run covers what is proved.
#[test]
fn a_resumed_suite_keeps_its_proofs() {
    let program = Dead::new();
    let (first, _) = program.cover("--steps 1500 --with backward");
    let (second, _) = program.cover("--resume --steps 300");
    assert_eq!(second.branches, first.branches);
    assert_eq!(dead(&second), expected());
    let (third, _) = program.cover("--resume --steps 300 --with fuzz,backward");
    assert_eq!(third.branches, first.branches);
}

/// The files of a suite, without the times.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|name| name.to_str());
            if path.is_dir() {
                open.push(path);
            } else if !matches!(name, Some("summary.json" | "events.jsonl")) {
                let relative = path.strip_prefix(folder).expect("below").to_owned();
                let mut bytes = fs::read(&path).expect("readable");
                if name.is_some_and(|name| name.ends_with(".json")) {
                    bytes = without_time(&bytes);
                }
                found.insert(relative, bytes);
            }
        }
    }
    found
}

fn without_time(bytes: &[u8]) -> Vec<u8> {
    let mut value: serde_json::Value = serde_json::from_slice(bytes).expect("JSON");
    if let Some(object) = value.as_object_mut() {
        object.remove("seconds");
    }
    value.to_string().into_bytes()
}

#[test]
fn the_same_steps_give_the_same_suite_and_proofs() {
    for techniques in ["backward", "fuzz,backward"] {
        let results = [(); 2].map(|()| {
            let program = Dead::new();
            let options = format!("--steps 500 --with {techniques}");
            let (summary, _) = program.cover(&options);
            let branches = (summary.branches, dead(&summary), summary.runs);
            (branches, files(&program.out()))
        });
        let [(numbers, first), (again, second)] = results;
        assert_eq!(numbers, again, "{techniques}");
        assert!(first.len() > 5 && first == second, "{techniques}");
    }
}

fn wait(mut child: Child) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        if let Some(status) = child.try_wait().expect("a child") {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    None
}

#[test]
fn an_interrupt_ends_all_techniques_in_order() {
    let program = Dead::new();
    let mut command = program.command("--with fuzz,backward --quiet");
    let child = command.stdout(Stdio::null()).spawn().expect("it starts");
    let proved = || fs::read_to_string(program.out().join("events.jsonl")).unwrap_or_default();
    let start = Instant::now();
    while !proved().contains("unreachable") && start.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.expect("there is kill").success());
    let status = wait(child).expect("it ends");
    assert_eq!(status.code(), Some(0), "{status}");
    assert!(!dead(&program.summary()).is_empty());
}
