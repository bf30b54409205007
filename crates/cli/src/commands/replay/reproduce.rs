//! `labrys replay SUITE --failure N`: shows one failure again, with its stack.
//!
//! The input runs on the checked build, and on the plain one where the failure shows without
//! help. Nothing in the suite is changed.

use labrys_executor::{Checked, Checker, Mode, Report};
use labrys_suite::{Failure, Outcome, Suite};
use serde_json::json;

use super::{Replay, executor, launch, limits, own_subject};
use crate::output::console::print_line;
use crate::output::problem::{Problem, status};

/// How many times the time of other runs one has that is to show that it does not end.
const LONGER: u32 = 2;

/// Does what the command says; the exit status.
pub(crate) fn reproduce(options: &Replay, suite: &Suite, number: u32) -> Result<u8, Problem> {
    let failure = suite.failures.iter().find(|failure| failure.id == number);
    let Some(failure) = failure else {
        let remedy = match suite.failures.len() {
            0 => "none was found".to_owned(),
            count => format!("they are numbered from 1 to {count}, see summary.json"),
        };
        return Err(Problem::usage(format!(
            "{} has no failure {number}; {remedy}",
            suite.folder.display()
        )));
    };
    let is_limit = failure.outcome.is_limit();
    let (plain, checked) = run_again(options, suite, failure)?;
    let report = checked.and_then(|checked| report_of(checked, failure));
    let shown = match is_limit {
        true => plain == failure.outcome,
        false => plain.is_failure() || report.is_some(),
    };
    let stack: Vec<String> = match &report {
        Some(report) => report.stack.iter().map(ToString::to_string).collect(),
        None => failure.stack.clone(),
    };
    if options.json {
        let text = json!({
            "kind": failure.kind,
            "location": failure.location,
            "stack": stack,
            "plain": plain.to_string(),
            "checked": report.as_ref().map(|report| &report.kind),
            "shown": shown,
        });
        print_line(serde_json::to_string_pretty(&text).map_err(Problem::internal)?)?;
    } else {
        print_line(title(failure))?;
        for (depth, frame) in stack.iter().enumerate() {
            print_line(format_args!("  #{depth} {frame}"))?;
        }
        let checked = match report {
            Some(_) if is_limit => "stopped there".to_owned(),
            Some(report) => report.kind,
            None => "no failure".to_owned(),
        };
        print_line(format_args!(
            "plain build: {plain}; checked build: {checked}"
        ))?;
    }
    Ok(if shown {
        status::FAILURES
    } else {
        status::DONE
    })
}

/// How the plain and the checked build end on the input of a failure.
fn run_again(
    options: &Replay,
    suite: &Suite,
    failure: &Failure,
) -> Result<(Outcome, Option<Checked>), Problem> {
    let subject = own_subject(&options.suite, &suite.config)?;
    let mut plain = executor(&subject, &suite.config, options)?;
    let is_limit = failure.outcome.is_limit();
    let plain = match is_limit {
        true => plain.run_longer(&failure.input, Mode::Coverage, LONGER)?,
        false => plain.run(&failure.input, Mode::Coverage)?,
    };
    let plain = plain.outcome;
    let checked = match &subject.checked {
        Some(binary) => {
            let launch = launch(binary, &subject, &suite.config);
            let mut checker = Checker::new(launch, &limits(options));
            Some(match is_limit {
                true => checker.check_briefly(&failure.input)?,
                false => checker.check(&failure.input)?,
            })
        }
        None => None,
    };
    Ok((plain, checked))
}

/// The report of a failure among those of a run on its input; the last one if none is of it.
fn report_of(checked: Checked, failure: &Failure) -> Option<Report> {
    let of_it = |report: &Report| {
        let stack = report.stack.iter().map(ToString::to_string);
        report.kind == failure.kind && stack.eq(failure.stack.iter().cloned())
    };
    let mut reports = checked.reports;
    let index = reports.iter().position(of_it);
    let index = index.or_else(|| reports.len().checked_sub(1))?;
    Some(reports.swap_remove(index))
}

fn title(failure: &Failure) -> String {
    let mut text = failure.kind.clone();
    if let Some(place) = &failure.location {
        text.push_str(&format!(" at {place}"));
    }
    if !failure.detail.is_empty() {
        text.push_str(&format!(": {}", failure.detail));
    }
    text
}
