//! One job: a subject, a strategy, a seed. Its record is what the tables are made of.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::subjects::Subject;

/// One `labrys cover`.
pub(super) struct Job {
    pub(super) subject: &'static Subject,
    /// The name of a strategy, with further options.
    pub(super) strategy: String,
    pub(super) seed: u64,
    /// It ends after so many runs, or seconds.
    pub(super) runs: u64,
    pub(super) seconds: u64,
}

/// What came out of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) subject: String,
    pub(super) strategy: String,
    pub(super) seed: u64,
    /// Runs that were made, of those that were asked for.
    pub(super) runs: u64,
    pub(super) asked: u64,
    pub(super) seconds: f64,
    pub(super) solver_seconds: f64,
    /// Branches of the program.
    pub(super) total: u64,
    /// Runs and branches covered so far, where that changed.
    pub(super) coverage: Vec<(u64, u64)>,
}

impl Record {
    /// Branches covered after some runs. A search that ended before covers nothing more.
    pub(super) fn at(&self, runs: u64) -> u64 {
        let reached = self.coverage.iter().take_while(|(run, _)| *run <= runs);
        reached.last().map_or(0, |(_, branches)| *branches)
    }

    /// The number of runs after which so many branches were covered.
    pub(super) fn runs_to(&self, branches: f64) -> Option<u64> {
        let reached = self
            .coverage
            .iter()
            .find(|(_, covered)| *covered as f64 >= branches);
        reached.map(|(run, _)| *run)
    }

    /// Whether time ended the search before the runs that were asked for.
    pub(super) fn is_cut(&self, seconds_given: f64) -> bool {
        self.runs < self.asked && self.seconds >= seconds_given
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} seed {}",
            self.subject.name, self.strategy, self.seed
        )
    }
}

impl Job {
    fn file(&self) -> String {
        let strategy = self.strategy.replace(" --", "+").replace(' ', "-");
        format!(
            "{}.{strategy}.{}.{}.json",
            self.subject.name, self.runs, self.seed
        )
    }

    /// The record of an earlier benchmark.
    pub(super) fn load(&self, results: &Path) -> Option<Record> {
        let text = std::fs::read(results.join(self.file())).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Does the job and keeps its record.
    pub(super) fn run(&self, root: &Path, out: &Path, results: &Path) -> Result<Record, String> {
        let suite = out.join("suite");
        if suite.exists() {
            std::fs::remove_dir_all(&suite).map_err(|error| error.to_string())?;
        }
        let mut strategy = self.strategy.split(' ');
        let mut command = Command::new(root.join("target/release/labrys"));
        command
            .arg("cover")
            .arg(executable(root, self.subject.name)?)
            .args(["--quiet", "--strategy", strategy.next().unwrap_or_default()])
            .args(strategy)
            .args(["--seed", &self.seed.to_string()])
            .args(["--runs", &self.runs.to_string()])
            .args(["--time", &format!("{}s", self.seconds)])
            // A strategy sees each run before its next pick, as in the papers.
            .args(["--jobs", "1"])
            .arg("--out")
            .arg(&suite)
            .args(self.subject.arguments)
            .stdin(Stdio::null());
        let status = command
            .status()
            .map_err(|error| format!("{command:?}: {error}"))?;
        // 1: the program has failures.
        if !matches!(status.code(), Some(0 | 1)) {
            return Err(format!("{command:?}: {status}"));
        }
        let record = self.record(&suite)?;
        let text = serde_json::to_string(&record).map_err(|error| error.to_string())?;
        let file = results.join(self.file());
        let unfinished = file.with_extension("part");
        std::fs::write(&unfinished, text).map_err(|error| error.to_string())?;
        std::fs::rename(&unfinished, &file).map_err(|error| error.to_string())?;
        Ok(record)
    }

    fn record(&self, suite: &Path) -> Result<Record, String> {
        let read = |name: &str| {
            let path = suite.join(name);
            std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let summary: Summary =
            serde_json::from_str(&read("summary.json")?).map_err(|error| error.to_string())?;
        let events = read("events.jsonl")?;
        let coverage = |line: &str| match serde_json::from_str(line).ok()? {
            Event::Coverage { run, branches } => Some((run, branches)),
            Event::Other => None,
        };
        Ok(Record {
            subject: self.subject.name.to_owned(),
            strategy: self.strategy.clone(),
            seed: self.seed,
            runs: summary.runs,
            asked: self.runs,
            seconds: summary.seconds,
            solver_seconds: summary.solver_seconds,
            total: summary.branches.total,
            coverage: events.lines().filter_map(coverage).collect(),
        })
    }
}

/// What is read of `summary.json`.
#[derive(Deserialize)]
struct Summary {
    runs: u64,
    seconds: f64,
    solver_seconds: f64,
    branches: Branches,
}

#[derive(Deserialize)]
struct Branches {
    total: u64,
}

/// What is read of a line of `events.jsonl`.
#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Event {
    Coverage {
        run: u64,
        branches: u64,
    },
    #[serde(other)]
    Other,
}

/// The executable of a subject, built if it is not there.
fn executable(root: &Path, name: &str) -> Result<String, String> {
    let script = root.join("scripts/subject");
    let done = Command::new(&script)
        .arg(name)
        .stderr(Stdio::inherit())
        .output();
    let done = done.map_err(|error| format!("{}: {error}", script.display()))?;
    if !done.status.success() {
        return Err(format!("{} {name} failed", script.display()));
    }
    Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_is_a_staircase() {
        let record = Record {
            subject: "s".to_owned(),
            strategy: "dfs".to_owned(),
            seed: 1,
            runs: 90,
            asked: 100,
            seconds: 7.0,
            solver_seconds: 1.0,
            total: 50,
            coverage: vec![(1, 10), (20, 12), (21, 30)],
        };
        assert_eq!(
            [0, 1, 19, 20, 4000].map(|runs| record.at(runs)),
            [0, 10, 10, 12, 30]
        );
        assert_eq!(
            (record.runs_to(12.5), record.runs_to(31.0)),
            (Some(21), None)
        );
        assert!(record.is_cut(6.0) && !record.is_cut(8.0));
    }
}
