//! `cargo xtask same OLD NEW`: do two builds of Labrys do the same?
//!
//! A build is a commit, which is built below `target/same`, or a folder that holds the
//! executables of one. Each case ([`cases`]) is a command with a fixed seed and fixed runs; both
//! builds run it, and the suites that they leave must agree byte for byte but for times, places
//! of files and names of layers ([`suites`]). Packages are built once by each build's compiler.

mod cases;
mod suites;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cases::Case;

pub(crate) const USAGE: &str = "\
usage: cargo xtask same OLD NEW [--packages NAME,...] [CASE...]
OLD and NEW are commits or folders with the executables of Labrys. CASE is a part of the names of
the cases to compare. Packages (see scripts/subject) are compared where both are commits.";

/// Compares two builds; an error if they differ.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let [old, new, rest @ ..] = arguments else {
        return Err(USAGE.to_owned());
    };
    let (packages, wanted) = match rest {
        ["--packages", names, wanted @ ..] => (names.split(',').collect(), wanted),
        wanted => (Vec::new(), wanted),
    };
    if wanted.iter().any(|word| word.starts_with('-')) {
        return Err(USAGE.to_owned());
    }
    let builds = [Build::find(root, old)?, Build::find(root, new)?];
    let mut cases = cases::programs(root)?;
    for name in packages {
        cases.push(cases::package(name, &builds)?);
    }
    cases.retain(|case| wanted.is_empty() || wanted.iter().any(|part| case.name.contains(part)));
    if cases.is_empty() {
        return Err(format!("no case has such a name\n{USAGE}"));
    }
    let out = root.join("target/same/suites");
    let mut different = 0;
    for case in &cases {
        let differences = compare(case, &builds, &out)?;
        if differences.is_empty() {
            println!("same       {}", case.name);
        } else {
            different += 1;
            println!("DIFFERENT  {}: {}", case.name, differences.join(", "));
        }
    }
    println!("{} of {} cases differ", different, cases.len());
    if different == 0 {
        Ok(())
    } else {
        Err(format!("the suites are in {}", out.display()))
    }
}

/// A build of Labrys.
pub(crate) struct Build {
    /// Where its executables are.
    executables: PathBuf,
    /// The sources that it was made of, where they are known.
    sources: Option<PathBuf>,
}

impl Build {
    /// The build in a folder or of a commit.
    fn find(root: &Path, name: &str) -> Result<Self, String> {
        if Path::new(name).join("labrys").is_file() {
            let executables = Path::new(name)
                .canonicalize()
                .map_err(|error| format!("{name}: {error}"))?;
            return Ok(Build {
                executables,
                sources: None,
            });
        }
        let commit = commit(root, name)?;
        let sources = root.join("target/same").join(&commit);
        if !sources.exists() {
            let folder = sources.to_string_lossy();
            git(root, &["worktree", "add", "--detach", &folder, &commit])?;
        }
        share_solver(root, &sources)?;
        eprintln!("same: building {commit}");
        crate::run(
            Command::new("cargo")
                .args(["build", "--release", "--workspace"])
                .env_remove("CARGO_TARGET_DIR")
                .env("CARGO_INCREMENTAL", "0")
                .current_dir(&sources),
        )?;
        Ok(Build {
            executables: sources.join("target/release"),
            sources: Some(sources),
        })
    }
}

/// The solver library of this working tree serves the other one too.
fn share_solver(root: &Path, sources: &Path) -> Result<(), String> {
    let (installed, link) = (
        root.join("third_party/bitwuzla"),
        sources.join("third_party/bitwuzla"),
    );
    if !installed.exists() || link.exists() {
        return Ok(());
    }
    std::fs::create_dir_all(sources.join("third_party"))
        .and_then(|()| std::os::unix::fs::symlink(installed, &link))
        .map_err(|error| format!("{}: {error}", link.display()))
}

/// The short name of a commit.
fn commit(root: &Path, name: &str) -> Result<String, String> {
    let revision = format!("{name}^{{commit}}");
    git(root, &["rev-parse", "--short", "--verify", &revision])
        .map_err(|_| format!("{name} is no commit and no folder with the executables of Labrys"))
}

/// What git prints.
fn git(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(root)
        .output()
        .map_err(|error| format!("git: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Runs a case with both builds; what differs.
fn compare(case: &Case, builds: &[Build; 2], out: &Path) -> Result<Vec<String>, String> {
    let mut results = Vec::new();
    for (build, side) in builds.iter().zip(["old", "new"]) {
        let suite = out.join(&case.name).join(side);
        if suite.exists() {
            std::fs::remove_dir_all(&suite)
                .map_err(|error| format!("{}: {error}", suite.display()))?;
        }
        let status = Command::new(build.executables.join("labrys"))
            .args(case.command(side == "new"))
            .args(["--quiet", "--out"])
            .arg(&suite)
            .args(&case.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .map_err(|error| format!("{}: {error}", build.executables.display()))?;
        let files = suites::read(&suite).map_err(|error| format!("{}: {error}", case.name))?;
        results.push((status.code(), files));
    }
    let ((old_status, old), (new_status, new)) = (&results[0], &results[1]);
    let mut differences = suites::differences(old, new);
    if old_status != new_status {
        differences.insert(0, format!("exit status {old_status:?} and {new_status:?}"));
    }
    if old.is_empty() && new.is_empty() {
        differences.push("no suite was written".to_owned());
    }
    Ok(differences)
}
