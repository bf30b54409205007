//! `labrys cover --abstraction`: the monitor of the model checker prunes and orders flips.

#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use labrys_suite::{Suite, Summary};

/// A suite of a program.
struct Cover {
    folder: tempfile::TempDir,
}

impl Cover {
    fn of(program: &str, options: &str) -> (Self, Summary) {
        let cover = Cover {
            folder: tempfile::tempdir().expect("a temporary folder"),
        };
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
        command.arg("cover").arg(programs.join(program));
        command.args(["--seed", "3", "--timeout-run", "10s", "--out"]);
        command.arg(cover.out());
        command.args(options.split_whitespace());
        let output = command.output().expect("the command runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{program} {options}: {error}"
        );
        let suite = Suite::open(&cover.out()).expect("a valid suite");
        (cover, suite.summary.expect("a summary"))
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("suite")
    }

    /// The inputs of the suite.
    fn inputs(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.out()];
        while let Some(next) = open.pop() {
            for entry in fs::read_dir(next).expect("a folder") {
                let path = entry.expect("an entry").path();
                let name = path.file_name().and_then(|name| name.to_str());
                if path.is_dir() {
                    open.push(path);
                } else if name
                    .is_some_and(|name| !name.ends_with(".json") && !name.ends_with(".jsonl"))
                {
                    let bytes = fs::read(&path).expect("readable");
                    let relative = path.strip_prefix(self.out()).expect("below").to_owned();
                    found.insert(relative, bytes);
                }
            }
        }
        found
    }
}

/// The paper's example is covered whole.
#[test]
fn simple_while_is_covered_whole() {
    for strategy in ["dfs", "cfg", "random-branch"] {
        let options = format!("--abstraction --no-fuzz --runs 1000 --strategy {strategy}");
        let (_, summary) = Cover::of("simple_while.c", &options);
        assert_eq!(summary.branches.covered, 12, "{strategy}");
        assert!(summary.runs < 400, "{strategy}: {} runs", summary.runs);
    }
}

/// What a program reads is input for the model checker, too: the goal is found in a few runs.
#[test]
fn paths_of_a_program_that_reads_characters_have_inputs() {
    for strategy in ["dfs", "context-guided", "auto"] {
        let options = format!("--abstraction --no-fuzz --runs 1000 --strategy {strategy}");
        let (_, summary) = Cover::of("while_stdin.c", &options);
        assert_eq!(summary.branches.covered, 12, "{strategy}");
        assert!(summary.runs < 300, "{strategy}: {} runs", summary.runs);
    }
}

/// Where the model checker finds no input, the monitor leaves the search one way to the goal;
/// without it, 30 decisions are as good as chance.
#[test]
fn the_search_finds_the_way_that_is_not_pruned() {
    for strategy in [
        "dfs",
        "cfg",
        "random-branch",
        "generational",
        "context-guided",
        "auto",
    ] {
        let alone = format!("--no-join --strategy {strategy}");
        let options = format!("--abstraction --no-fuzz --runs 2000 {alone}");
        let (_, summary) = Cover::of("while_scanf.c", &options);
        assert_eq!(summary.branches.covered, 14, "{strategy}");
        assert!(summary.runs < 700, "{strategy}: {} runs", summary.runs);
        let options = format!("--runs 1000 {alone}");
        let (_, summary) = Cover::of("while_scanf.c", &options);
        assert!(
            summary.branches.covered < 14,
            "{strategy}: the monitor is not needed"
        );
    }
}

/// What the monitor prunes is searched all the same in an audit, which ends with an error if it
/// leads to a branch; and path constraints are the same with every decision recorded.
#[test]
fn an_audit_finds_nothing_wrong() {
    let (_, summary) = Cover::of(
        "while_scanf.c",
        "--abstraction --no-join --audit --runs 600",
    );
    assert!(summary.runs >= 400);
}

#[test]
fn the_same_steps_give_the_same_suite() {
    for options in ["--jobs 1", "--jobs 3"] {
        let results = [(); 2].map(|()| {
            let options = format!("--abstraction --steps 900 {options}");
            let (cover, summary) = Cover::of("while_scanf.c", &options);
            (summary.runs, summary.branches.covered, cover.inputs())
        });
        let [first, second] = results;
        assert!(!first.2.is_empty());
        assert_eq!(first, second, "{options}");
    }
}
