//! `labrys replay SUITE --failure N`: shows one failure again, with its stack.
//!
//! The input runs on the checked build, and on the plain one where the failure shows without
//! help. Nothing in the suite is changed.

use labrys_executor::{Checked, Checker, Mode};
use labrys_suite::{Failure, Suite};
use serde_json::json;

use super::{Replay, executor, launch, limits, own_subject};
use crate::output::console::print_line;
use crate::output::problem::{Problem, status};

/// Does what the command says; the exit status.
pub(crate) fn reproduce(options: &Replay, suite: &Suite, number: u32) -> Result<u8, Problem> {
    let failure = suite.failures.iter().find(|failure| failure.id == number);
    let Some(failure) = failure else {
        let count = suite.failures.len();
        return Err(Problem::usage(format!(
            "{} has no failure {number}; it has {count}, see summary.json",
            suite.folder.display()
        )));
    };
    let subject = own_subject(&suite.config)?;
    let mut plain = executor(&subject, &suite.config, options)?;
    let plain = plain.run(&failure.input, Mode::Coverage)?.outcome;
    let checked = match &subject.checked {
        Some(binary) => {
            let launch = launch(binary, &subject, &suite.config);
            Some(Checker::new(launch, &limits(options)).check(&failure.input)?)
        }
        None => None,
    };
    let report = checked.and_then(|Checked { report, .. }| report);
    let shown = plain.is_failure() || report.is_some();
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
        let checked = report.map_or("no failure".to_owned(), |report| report.kind);
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
