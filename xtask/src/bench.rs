//! Benchmarks, found by where they are.
//!
//! - `crates/CRATE/benches/FILE.rs` is the benchmark `CRATE/FILE` (the name of either part
//!   suffices), run by `cargo bench`.
//! - An executable `benchmarks/NAME/run` is the benchmark `NAME`, for whole programs; it is run
//!   in the workspace's folder with the words that follow its name, and leaves its results in
//!   `bench-out`.
//! - `build` compares build times (see [`build`]); it is run by its name only.
//! - `search` compares strategies (see [`search`]); it is run by its name only, as it takes hours.
//! - `testcomp` covers tasks of Test-Comp (see [`testcomp`]); it is run by its name only, as the
//!   tasks come from the user.

mod build;
mod search;
mod testcomp;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run as run_command;

/// How a benchmark is run.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Cargo { package: String, bench: String },
    Script(PathBuf),
}

/// Runs the benchmarks with this name, or all; `list` names them.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let (name, words) = match arguments {
        [] => (None, arguments),
        ["build", rest @ ..] => return build::run(root, rest),
        ["search", rest @ ..] => return search::run(root, rest),
        ["testcomp", rest @ ..] => return testcomp::run(root, rest),
        [name, rest @ ..] => (Some(*name), rest),
    };
    let all = benchmarks(root);
    if name == Some("list") {
        for (name, _) in &all {
            println!("{name}");
        }
        println!("build");
        println!("search");
        println!("testcomp");
        return Ok(());
    }
    let chosen: Vec<_> = all.iter().filter(|(one, _)| matches(one, name)).collect();
    if chosen.is_empty() {
        let names: Vec<_> = all.iter().map(|(name, _)| name.as_str()).collect();
        return Err(format!(
            "no such benchmark; there are: {}",
            names.join(", ")
        ));
    }
    for (name, kind) in chosen {
        if let (Kind::Script(path), ["--help" | "-h"]) = (kind, words)
            && let Some(help) = heading(path)
        {
            println!("{help}");
            continue;
        }
        eprintln!("bench: {name}");
        run_command(command(kind, words)?.current_dir(root))?;
    }
    Ok(())
}

fn command(kind: &Kind, words: &[&str]) -> Result<Command, String> {
    Ok(match kind {
        Kind::Cargo { bench, .. } if !words.is_empty() => {
            return Err(format!("the benchmark {bench} takes no options"));
        }
        Kind::Cargo { package, bench } => {
            let mut command = Command::new("cargo");
            command.args(["bench", "--package", package, "--bench", bench]);
            // An incremental build is optimized in smaller units: it is not what is used.
            command.env("CARGO_INCREMENTAL", "0");
            command
        }
        Kind::Script(path) => {
            let mut command = Command::new(path);
            command.args(words);
            command
        }
    })
}

/// The comment at the head of a shell script, which says what it reads; other scripts tell it
/// themselves.
fn heading(script: &Path) -> Option<String> {
    let text = std::fs::read_to_string(script).ok()?;
    let mut lines = text.lines();
    lines.next().filter(|first| first.ends_with("bash"))?;
    let comment = lines.map_while(|line| line.strip_prefix('#'));
    let comment: Vec<&str> = comment.map(str::trim_start).collect();
    Some(comment.join("\n"))
}

/// Is `benchmark` meant by `name`?
fn matches(benchmark: &str, name: Option<&str>) -> bool {
    name.is_none_or(|name| benchmark == name || benchmark.split('/').any(|part| part == name))
}

/// All benchmarks with their names, in the order of the names.
fn benchmarks(root: &Path) -> Vec<(String, Kind)> {
    let mut found = Vec::new();
    for (crate_name, folder) in entries(&root.join("crates")) {
        for (file, _) in entries(&folder.join("benches")) {
            let Some(bench) = file.strip_suffix(".rs") else {
                continue;
            };
            let package = format!("labrys-{crate_name}");
            let name = format!("{crate_name}/{bench}");
            found.push((
                name,
                Kind::Cargo {
                    package,
                    bench: bench.to_owned(),
                },
            ));
        }
    }
    for (name, folder) in entries(&root.join("benchmarks")) {
        let script = folder.join("run");
        if script.is_file() {
            found.push((name, Kind::Script(script)));
        }
    }
    found.sort();
    found
}

/// Names and paths in a folder; nothing if there is no such folder.
fn entries(folder: &Path) -> impl Iterator<Item = (String, PathBuf)> + use<> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_parts_of_names_are_meant() {
        assert!(matches("solver/queries", Some("solver")));
        assert!(matches("solver/queries", Some("queries")));
        assert!(matches("solver/queries", Some("solver/queries")));
        assert!(matches("solver/queries", None));
        assert!(!matches("solver/queries", Some("sol")));
    }

    #[test]
    fn shell_scripts_are_told_by_their_heading() {
        let folder = crate::root().join("benchmarks");
        let help = heading(&folder.join("abstraction/run")).expect("a shell script");
        assert!(help.contains("SECONDS_EACH") && !help.contains("pipefail"));
        assert_eq!(heading(&folder.join("packages/run")), None);
    }

    #[test]
    fn benchmarks_of_crates_are_found() {
        let all = benchmarks(&crate::root());
        assert!(
            all.iter().any(|(name, _)| name.starts_with("expr/")),
            "{all:?}"
        );
    }
}
