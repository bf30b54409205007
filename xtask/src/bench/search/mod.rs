//! The comparison of search strategies: subjects × strategies × seeds, as in section 5 of Seo and
//! Kim, "How We Get There" (FSE 2014).
//!
//! One job is one `labrys cover` with a strategy and a seed; its result is the coverage over the
//! runs, one file in `bench-out/search/results`. A job with a result is not done again, so the
//! benchmark goes on where it was stopped. Jobs are done seed by seed: whenever it is stopped, all
//! strategies had about the same number of seeds.

mod job;
mod plot;
mod report;
mod statistics;
mod subjects;

use std::path::Path;

use job::{Job, Record};
use subjects::{SUBJECTS, Subject};

/// Numbers of runs at which coverage is compared.
const ITERATIONS: [u64; 5] = [250, 500, 1000, 2000, 4000];
/// Strategies of the long form; those of the short form stand first.
const STRATEGIES: [&str; 13] = [
    "context-guided",
    "cfg",
    "generational",
    "random-branch",
    "auto",
    "rarity",
    "carfast",
    "uniform-random",
    "dfs",
    "bfs",
    "context-guided --no-dominators",
    "context-guided --fixed-k 5",
    "context-guided --call-contexts",
];
const SHORT_STRATEGIES: usize = 6;

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    subjects: Vec<&'static Subject>,
    strategies: Vec<String>,
    seeds: u64,
    runs: u64,
    seconds: u64,
    report_only: bool,
}

pub(super) const USAGE: &str = "\
usage: cargo xtask bench search [--short] [--subjects A,B] [--strategies A,B] [--seeds N]
                                [--runs N] [--seconds N] [--report]
--short: four subjects, six strategies, three seeds, 500 runs of at most 6 s each
--report: only make tables and plots of the results that are there";

/// Does the jobs that have no result, then writes tables and plots.
pub(super) fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let plan = plan(arguments)?;
    let out = root.join("bench-out/search");
    let results = out.join("results");
    std::fs::create_dir_all(&results).map_err(|error| format!("{}: {error}", out.display()))?;
    let mut records: Vec<Record> = Vec::new();
    let jobs = jobs(&plan);
    for (number, job) in jobs.iter().enumerate() {
        let known = job.load(&results);
        if known.is_none() && !plan.report_only {
            eprintln!("bench search: {} of {}: {job}", number + 1, jobs.len());
            records.push(job.run(root, &out, &results)?);
        } else {
            records.extend(known);
        }
    }
    report::write(&out, &plan.strategies, &records)
}

/// All jobs, seed by seed.
fn jobs(plan: &Plan) -> Vec<Job> {
    let mut jobs = Vec::new();
    for seed in 1..=plan.seeds {
        for subject in &plan.subjects {
            for strategy in &plan.strategies {
                jobs.push(Job {
                    subject,
                    strategy: strategy.clone(),
                    seed,
                    runs: plan.runs,
                    seconds: plan.seconds,
                });
            }
        }
    }
    jobs
}

fn plan(arguments: &[&str]) -> Result<Plan, String> {
    let short = arguments.contains(&"--short");
    let mut plan = Plan {
        subjects: SUBJECTS
            .iter()
            .filter(|subject| !short || subject.short)
            .collect(),
        strategies: STRATEGIES.map(str::to_owned).to_vec(),
        seeds: if short { 3 } else { 5 },
        runs: if short { 500 } else { 4000 },
        seconds: if short { 6 } else { 600 },
        report_only: false,
    };
    if short {
        plan.strategies.truncate(SHORT_STRATEGIES);
    }
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().copied().ok_or_else(|| USAGE.to_owned());
        match *argument {
            "--short" => {}
            "--report" => plan.report_only = true,
            "--subjects" => plan.subjects = subjects::named(value()?)?,
            "--strategies" => plan.strategies = value()?.split(',').map(str::to_owned).collect(),
            "--seeds" => plan.seeds = number(value()?)?,
            "--runs" => plan.runs = number(value()?)?,
            "--seconds" => plan.seconds = number(value()?)?,
            _ => return Err(USAGE.to_owned()),
        }
    }
    Ok(plan)
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| USAGE.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_strategies_have_a_seed_before_any_has_two() {
        let plan = plan(&["--short", "--subjects", "grep,sed", "--seeds", "2"]).expect("a plan");
        let jobs = jobs(&plan);
        assert_eq!(jobs.len(), 2 * 2 * SHORT_STRATEGIES);
        assert!(jobs.is_sorted_by_key(|job| job.seed));
        assert!(super::plan(&["--subjects", "nothing"]).is_err());
        assert_eq!(super::plan(&["--seeds"]), Err(USAGE.to_owned()));
    }
}
