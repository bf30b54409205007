//! The targets of `labrys reach`: named ones, open branches of a suite, changed lines.

use std::process::Command;

use labrys_backward::{NoTarget, Target};
use labrys_program::{BranchId, Program};
use labrys_suite::{Changes, Input, StreamKind, Suite};

use super::TargetOptions;
use super::opened::Opened;
use crate::output::console::note;
use crate::output::problem::Problem;

/// The targets that the options name, and what was found wrong with some.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) targets: Vec<Target>,
    /// One sentence for each line without code.
    pub(crate) warnings: Vec<String>,
}

/// The suite of `--from-coverage`, which is of a whole program.
pub(crate) fn suite(options: &TargetOptions) -> Result<Option<Suite>, Problem> {
    let Some(folder) = &options.from_coverage else {
        return Ok(None);
    };
    let suite = Suite::open(folder)?;
    if suite.config.unit.is_some() {
        return Err(Problem::usage(format!(
            "the suite in {} is of functions that drivers call; name what is open there by \
             --target, with --entry FUNCTION",
            folder.display()
        )));
    }
    Ok(Some(suite))
}

/// Refuses a suite of `--from-coverage` that is not of this program.
pub(crate) fn check(
    options: &TargetOptions,
    suite: Option<&Suite>,
    opened: &Opened,
) -> Result<(), Problem> {
    let (Some(folder), Some(suite), Opened::Whole(subject)) =
        (&options.from_coverage, suite, opened)
    else {
        return Ok(());
    };
    match suite.config.bitcode_hash == subject.hash() {
        true => Ok(()),
        false => Err(Problem::usage(format!(
            "the suite in {} is of another build of the program; run labrys cover on this one \
             first",
            folder.display()
        ))),
    }
}

/// All targets that the options name, without others the open branches of a suite. The program has
/// all sites of the one that the suite is of, with the same numbers.
pub(crate) fn collect(
    options: &TargetOptions,
    suite: Option<&Suite>,
    program: &Program,
) -> Result<Collected, Problem> {
    let mut targets = Vec::new();
    let mut warnings = Vec::new();
    for name in &options.target {
        match Target::named(program, name) {
            Ok(target) => targets.push(target),
            // The others can be looked for.
            Err(problem @ NoTarget::Line(_)) => {
                warnings.push(format!("--target {name}: {problem}"));
            }
            Err(problem) => return Err(Problem::usage(format!("--target {name}: {problem}"))),
        }
    }
    let all = options.target.is_empty() && options.diff.is_none();
    if let Some(suite) = suite.filter(|_| all) {
        let mut covered = suite.confirmed_coverage();
        // Tests do not tell of them.
        covered.union(&program.passing_sides().collect());
        covered.union(&program.repeating_branches().collect());
        let count = u32::try_from(program.branch_count()).unwrap_or(u32::MAX);
        let branches = (0..count).map(BranchId);
        let open = branches.filter(|branch| !covered.contains(*branch));
        let open = open.filter_map(|branch| Target::branch(program, branch));
        targets.extend(spread(open.collect(), options.most));
    }
    if let Some(range) = &options.diff {
        targets.extend(changed(program, range)?);
    }
    if let (true, Some(warning)) = (targets.is_empty(), warnings.first()) {
        return Err(Problem::usage(warning));
    }
    if targets.is_empty() {
        return Err(Problem::usage(
            "there is no target; give --target FILE:LINE, a function or a marker",
        ));
    }
    Ok(Collected { targets, warnings })
}

/// The inputs of the suite that the search starts from, if they are of this shape; none otherwise,
/// which is told.
pub(crate) fn inputs(suite: Suite, shape: &[StreamKind], quiet: bool) -> Vec<Input> {
    if suite.config.streams != shape {
        if !quiet {
            note(
                "labrys: warning: --from-coverage: the tests of the suite have other inputs than \
                 the program has here, so the search does not start from them; leave out ARGS and \
                 options of inputs to call it as in the suite",
            );
        }
        return Vec::new();
    }
    suite.cases.into_iter().map(|case| case.input).collect()
}

/// At most so many of the targets, with as many left out between one and the next.
fn spread(all: Vec<Target>, most: Option<u64>) -> Vec<Target> {
    let count = all.len() as u64;
    let most = most.unwrap_or(count).min(count);
    let chosen = |index: u64| (index + 1) * most / count > index * most / count;
    let numbered = (0..).zip(all);
    numbered
        .filter_map(|(index, target)| chosen(index).then_some(target))
        .collect()
}

/// The changed lines that have code, one target for each.
fn changed(program: &Program, range: &str) -> Result<Vec<Target>, Problem> {
    if !range.contains("..") || range.starts_with('-') {
        return Err(Problem::usage(format!(
            "--diff {range}: write two revisions as REV..REV"
        )));
    }
    let output = Command::new("git")
        // Whatever the user's configuration makes of names.
        .args([
            "-c",
            "core.quotePath=false",
            "diff",
            "--unified=0",
            "--no-color",
        ])
        .args([
            "--no-ext-diff",
            "--no-relative",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            range,
        ])
        .output()
        .map_err(|error| Problem::program(format!("cannot run git: {error}")))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(Problem::usage(format!("git diff {range}: {}", text.trim())));
    }
    let mut targets = Vec::new();
    for (file, line) in Changes::read(&String::from_utf8_lossy(&output.stdout)).added {
        match Target::named(program, &format!("{file}:{line}")) {
            Ok(target) => targets.push(target),
            // Comments, other files: nothing to reach there.
            Err(NoTarget::Line(_) | NoTarget::File(_)) => {}
            Err(problem) => return Err(Problem::usage(problem)),
        }
    }
    if targets.is_empty() {
        return Err(Problem::usage(format!(
            "--diff {range} changes no line that has code in this program"
        )));
    }
    Ok(targets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_targets_are_spread_over_all() {
        let target = |index: u32| Target {
            name: index.to_string(),
            points: Vec::new(),
            marker: false,
            branch: None,
        };
        let names = |count: u32, most: Option<u64>| {
            let chosen = spread((0..count).map(target).collect(), most);
            let names: Vec<String> = chosen.into_iter().map(|target| target.name).collect();
            names.join(" ")
        };
        assert_eq!(names(7, Some(3)), "2 4 6");
        assert_eq!(names(3, Some(9)), "0 1 2");
        assert_eq!(names(2, None), "0 1");
        assert_eq!(names(0, Some(2)), "");
    }
}
