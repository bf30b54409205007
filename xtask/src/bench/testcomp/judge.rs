//! One task: a suite by `labrys cover`, judged by TestCov 3.7.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::super::super::run as run_command;
use super::tasks::{Goal, Task};

/// What came of a task.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub(super) struct Record {
    pub(super) category: String,
    pub(super) name: String,
    pub(super) is_error: bool,
    /// Percent of TestCov's goals; the error counts as one. Nothing where TestCov cannot build the
    /// task: it covers nothing then, whatever the tests are.
    pub(super) judged: Option<f64>,
    /// Percent of Labrys's own branches.
    pub(super) own: f64,
    pub(super) runs: u64,
    /// Of the command, building included.
    pub(super) seconds: f64,
    /// What went wrong.
    pub(super) problem: Option<String>,
}

/// Does one task after the other.
#[derive(Debug)]
pub(super) struct Judge {
    labrys: PathBuf,
    testcov: PathBuf,
    scratch: PathBuf,
    time: String,
    options: Vec<String>,
}

impl Judge {
    /// Finds the programs, TestCov from PyPI if need be.
    pub(super) fn new(
        root: &Path,
        scratch: PathBuf,
        time: &str,
        options: &[&str],
    ) -> Result<Self, String> {
        let labrys = root.join("target/release/labrys");
        if !labrys.is_file() {
            return Err(format!("{} is missing: run make build", labrys.display()));
        }
        for tool in ["lcov", "clang-tidy", "gcc"] {
            let mut asked = Command::new(tool);
            asked
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            if asked.status().is_err() {
                let packages = "apt-get install lcov gcc-multilib clang-tidy";
                return Err(format!(
                    "TestCov needs {tool}, which is missing: {packages}"
                ));
            }
        }
        Ok(Judge {
            labrys,
            testcov: testcov(&root.join("third_party/testcov"))?,
            scratch,
            time: time.to_owned(),
            options: options.iter().map(|word| (*word).to_owned()).collect(),
        })
    }

    /// The task as TestCov can link it.
    fn judged_source(&self, task: &Task, folder: &Path) -> Result<PathBuf, String> {
        let io = |e: std::io::Error| format!("{}: {e}", task.source.display());
        let bytes = std::fs::read(&task.source).map_err(io)?;
        let text = String::from_utf8_lossy(&bytes);
        if task.goal != Goal::Branches || defines_error(&text) {
            return Ok(task.source.clone());
        }
        let copy = folder.join(task.source.file_name().unwrap_or_default());
        let end = "extern void exit(int);\nvoid __VERIFIER_error() { exit(1); }\n";
        std::fs::write(&copy, format!("{text}\n{end}")).map_err(io)?;
        Ok(copy)
    }

    pub(super) fn judge(&self, task: &Task) -> Result<Record, String> {
        let folder = self.scratch.join(task.name());
        let _ = std::fs::remove_dir_all(&folder);
        let io = |e: std::io::Error| format!("{}: {e}", folder.display());
        std::fs::create_dir_all(&folder).map_err(io)?;
        let property = folder.join("goal.prp");
        std::fs::write(&property, task.goal.property()).map_err(io)?;
        let (suite, begin) = (folder.join("suite"), Instant::now());
        let mut cover = Command::new(&self.labrys);
        cover.arg("cover").arg(&task.source).args(&self.options);
        cover.args(["--quiet", "--zip", "--time", &self.time]);
        cover
            .arg("--property")
            .arg(&property)
            .arg("--out")
            .arg(&suite);
        let said = cover.output().map_err(io)?;
        let seconds = begin.elapsed().as_secs_f64();
        std::fs::write(folder.join("cover.log"), &said.stderr).map_err(io)?;
        let failed = said.status.code().is_none_or(|code| code > 1);
        let (own, runs) = summary(&suite.join("summary.json"));
        let mut record = Record {
            category: task.category.clone(),
            name: task.name(),
            is_error: task.goal != Goal::Branches,
            judged: Some(0.0),
            own,
            runs,
            seconds,
            problem: failed.then(|| last_line(&said.stderr)),
        };
        if failed {
            return Ok(record);
        }
        let mut testcov = Command::new(&self.testcov);
        testcov.args(["--no-isolation", "--no-plots"]);
        testcov.arg(if task.is_narrow { "-32" } else { "-64" });
        testcov.arg("--goal").arg(&property).arg("--test-suite");
        testcov.arg(suite.join("test-suite.zip"));
        testcov.arg(self.judged_source(task, &folder)?);
        let said = testcov.current_dir(&folder).output().map_err(io)?;
        std::fs::write(folder.join("testcov.log"), &said.stdout).map_err(io)?;
        record.judged = verdict(&String::from_utf8_lossy(&said.stdout), task.goal);
        if record.judged.is_none() {
            record.problem = Some(format!("TestCov: {}", last_line(&said.stderr)));
        }
        Ok(record)
    }
}

/// TestCov 3.7 defines `reach_error` only: older tasks do not link there.
fn defines_error(text: &str) -> bool {
    let mut parts = text.split("__VERIFIER_error").skip(1);
    let body = |part: &str| {
        let rest = part.trim_start().strip_prefix('(')?.split_once(')')?.1;
        Some(rest.trim_start().starts_with('{'))
    };
    !text.contains("__VERIFIER_error") || parts.any(|part| body(part) == Some(true))
}

/// TestCov's executable, in a virtual environment of its own.
fn testcov(folder: &Path) -> Result<PathBuf, String> {
    let testcov = folder.join("bin/testcov");
    if !testcov.is_file() {
        run_command(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
        let mut pip = Command::new(folder.join("bin/pip"));
        run_command(pip.args(["install", "-q", "testcov==3.7"]))?;
    }
    Ok(testcov)
}

/// Percent of branches, and runs, as a suite tells them.
fn summary(path: &Path) -> (f64, u64) {
    let text = std::fs::read(path).unwrap_or_default();
    let value: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
    let branches = &value["branches"];
    let count = |key: &str| branches[key].as_f64().unwrap_or(0.0);
    let percent = match count("total") {
        0.0 => 100.0,
        total => 100.0 * count("covered") / total,
    };
    (percent, value["runs"].as_u64().unwrap_or(0))
}

/// Percent of the goals that TestCov saw covered; nothing where it could not measure.
fn verdict(output: &str, goal: Goal) -> Option<f64> {
    let after = |key: &str| {
        let mut lines = output.lines();
        lines.find_map(|line| line.strip_prefix(key)).map(str::trim)
    };
    let result = after("Result: ")?;
    if result == "ERROR" {
        return None;
    }
    match goal {
        Goal::Error(_) => Some(if result.contains("TRUE") { 100.0 } else { 0.0 }),
        // A program without decisions has no goals.
        Goal::Branches if after("Number of goals: ") == Some("0") => Some(100.0),
        Goal::Branches => after("Coverage: ")?.strip_suffix('%')?.parse().ok(),
    }
}

fn last_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut lines = text.lines().rev().map(str::trim);
    lines
        .find(|line| !line.is_empty())
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_of_the_error_function_are_found() {
        assert!(defines_error("int main() { return 0; }"));
        assert!(defines_error("void __VERIFIER_error(void)\n{ abort(); }"));
        let call = "extern void __VERIFIER_error(); int main() { __VERIFIER_error(); { } }";
        assert!(!defines_error(call));
    }

    #[test]
    fn verdicts_are_read() {
        let error = Goal::Error("reach_error");
        let text =
            "---Results---\nTests run: 2\nCoverage: 87.5%\nNumber of goals: 8\nResult: DONE\n";
        assert_eq!(verdict(text, Goal::Branches), Some(87.5));
        assert_eq!(verdict("Result: UNKNOWN\n", error), Some(0.0));
        assert_eq!(verdict("Result: TRUE\n", error), Some(100.0));
        assert_eq!(verdict("Result: ERROR\n", error), None);
        assert_eq!(verdict("Traceback", error), None);
    }
}
