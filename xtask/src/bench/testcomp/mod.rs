//! `cargo xtask bench testcomp --tasks DIR`: tasks of Test-Comp, from a copy of sv-benchmarks that
//! the user has, with TestCov as the judge.
//!
//! A task's result is a file in `bench-out/testcomp/results`; what has one is not done again, so
//! the benchmark goes on where it was stopped. Suites and logs stay beside it.

mod judge;
mod tasks;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use judge::{Judge, Record};
use tasks::Task;

pub(super) const USAGE: &str = "\
usage: cargo xtask bench testcomp --tasks DIR [--count N] [--seed N] [--time TIME] [--out DIR]
                                  [--only WORD] [-- OPTIONS OF LABRYS COVER]
--tasks: a folder of sv-benchmarks, or one task
--count: tasks of the sample, of each category and property in turn [60]
--seed: decides which [1]
--time: of each task, the build included [40s]
--out: for results, suites and logs; tasks with a result there are not done again
       [bench-out/testcomp]
--only: tasks that have this in their names";

/// What is asked for.
#[derive(Debug)]
struct Plan<'a> {
    tasks: PathBuf,
    count: usize,
    seed: u64,
    time: &'a str,
    out: PathBuf,
    only: &'a str,
    options: &'a [&'a str],
}

/// Does the tasks that have no result, then prints the table.
pub(super) fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let plan = plan(root, arguments)?;
    let mut tasks = tasks::below(&plan.tasks);
    tasks.retain(|task| task.name().contains(plan.only));
    if tasks.is_empty() {
        return Err(format!(
            "{}: no task of Test-Comp there: neither NAME.yml with a property \
             coverage-….prp nor a source that calls __VERIFIER_nondet_…",
            plan.tasks.display()
        ));
    }
    let sample = tasks::sample(tasks, plan.count, plan.seed);
    let judge = Judge::new(root, plan.out.join("suites"), plan.time, plan.options)?;
    let mut records = Vec::new();
    for (number, task) in sample.iter().enumerate() {
        eprintln!(
            "bench testcomp: {} of {}: {}",
            number + 1,
            sample.len(),
            task.name()
        );
        records.push(result(&plan, &judge, task)?);
    }
    print(&records);
    Ok(())
}

/// The result of a task, made if there is none.
fn result(plan: &Plan<'_>, judge: &Judge, task: &Task) -> Result<Record, String> {
    let folder = plan.out.join("results");
    let path = folder.join(format!("{}.json", task.name()));
    let known = std::fs::read(&path).ok();
    if let Some(record) = known.and_then(|text| serde_json::from_slice(&text).ok()) {
        return Ok(record);
    }
    let record = judge.judge(task)?;
    let text = serde_json::to_vec_pretty(&record).map_err(|e| e.to_string())?;
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(record)
}

fn print(records: &[Record]) {
    let mut categories: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in records {
        categories.entry(&record.category).or_default().push(record);
    }
    println!("| category | errors reached | tasks with branches | TestCov, % | Labrys, % | s |");
    println!("|---|---|---|---|---|---|");
    for (category, records) in categories {
        row(category, &records);
    }
    row("together", &records.iter().collect::<Vec<_>>());
    println!();
    for record in records
        .iter()
        .filter(|r| r.judged.is_none_or(|judged| judged < 100.0) || r.problem.is_some())
    {
        let problem = record.problem.as_deref().unwrap_or_default();
        let judged = record
            .judged
            .map_or_else(|| "not judged".to_owned(), |judged| format!("{judged} %"));
        println!(
            "{}: {judged} (Labrys {:.1} %), {} runs, {:.0} s {problem}",
            record.name, record.own, record.runs, record.seconds
        );
    }
}

fn row(name: &str, records: &[&Record]) {
    let judged = records.iter().filter(|record| record.judged.is_some());
    let (errors, branches): (Vec<&Record>, Vec<&Record>) =
        judged.copied().partition(|record| record.is_error);
    let is_reached = |record: &&&Record| record.judged.is_some_and(|judged| judged > 0.0);
    let reached = errors.iter().filter(is_reached).count();
    let mean = |of: fn(&Record) -> f64, all: &[&Record]| match all.len() {
        0 => "–".to_owned(),
        count => format!(
            "{:.1}",
            all.iter().map(|r| of(r)).sum::<f64>() / count as f64
        ),
    };
    println!(
        "| {name} | {reached} of {} | {} | {} | {} | {} |",
        errors.len(),
        branches.len(),
        mean(|record| record.judged.unwrap_or(0.0), &branches),
        mean(|record| record.own, &branches),
        mean(|record| record.seconds, records),
    );
}

fn plan<'a>(root: &Path, arguments: &'a [&'a str]) -> Result<Plan<'a>, String> {
    let mut plan = Plan {
        tasks: PathBuf::new(),
        count: 60,
        seed: 1,
        time: "40s",
        out: root.join("bench-out/testcomp"),
        only: "",
        options: &[],
    };
    let (own, options) = match arguments.iter().position(|word| *word == "--") {
        Some(at) => (&arguments[..at], &arguments[at + 1..]),
        None => (arguments, &arguments[..0]),
    };
    plan.options = options;
    let number = |text: &str| text.parse::<u64>().map_err(|_| USAGE.to_owned());
    let path = |text: &str| std::path::absolute(text).map_err(|e| format!("{text}: {e}"));
    let mut words = own.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().copied().ok_or_else(|| USAGE.to_owned());
        match *word {
            "--tasks" => plan.tasks = path(value()?)?,
            "--count" => plan.count = number(value()?)? as usize,
            "--seed" => plan.seed = number(value()?)?,
            "--time" => plan.time = value()?,
            "--out" => plan.out = path(value()?)?,
            "--only" => plan.only = value()?,
            _ => return Err(USAGE.to_owned()),
        }
    }
    match plan.tasks.as_os_str().is_empty() {
        true => Err(USAGE.to_owned()),
        false => Ok(plan),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_read() {
        let root = Path::new("/root");
        let words = ["--tasks", "/t", "--count", "7", "--", "--abstraction"];
        let plan = plan(root, &words).expect("a plan");
        assert_eq!((plan.count, plan.time), (7, "40s"));
        assert_eq!(plan.options, ["--abstraction"]);
        assert_eq!(plan.out, root.join("bench-out/testcomp"));
        assert!(super::plan(root, &["--count", "7"]).is_err());
        assert!(super::plan(root, &["--tasks"]).is_err());
    }
}
