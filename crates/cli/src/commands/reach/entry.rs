//! Functions as entries of `labrys reach`: which ones, and their drivers.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;
use labrys_backward::Target;
use labrys_program::graph::CallGraph;
use labrys_program::{FunctionId, Program};
use labrys_units::{Bounds, Drivers, Request};

use crate::output::console::note;
use crate::output::problem::Problem;
use crate::wiring::drivers::DriverOptions;
use crate::wiring::subject::{Stock, Subject};

use super::opened::Opened;

/// Where runs begin.
#[derive(Args, Debug)]
#[command(next_help_heading = "Entries")]
pub(crate) struct EntryOptions {
    /// Begin with a call of this function instead of main; may be given several times
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) entry: Vec<String>,

    /// Begin with any function from which calls lead to a target
    #[arg(long, conflicts_with = "entry")]
    pub(crate) all_entries: bool,

    #[command(flatten)]
    pub(crate) driver: DriverOptions,
}

/// The main function of programs.
const MAIN: &str = "main";

impl EntryOptions {
    fn bounds(&self) -> Bounds {
        self.driver.bounds(Bounds {
            doubles: true,
            ..Bounds::default()
        })
    }

    /// Whether runs begin in functions that are named.
    pub(crate) fn are_functions(&self) -> bool {
        self.entry.iter().any(|name| name != MAIN)
    }

    /// The functions that need drivers, in the order of the program; none if runs begin in main.
    fn functions(&self, program: &Program, targets: &[Target]) -> Vec<String> {
        if !self.all_entries {
            let wanted = self.entry.iter().filter(|name| *name != MAIN);
            return wanted.cloned().collect();
        }
        let calls = CallGraph::new(program);
        let points = targets.iter().flat_map(|target| &target.points);
        let mut open: Vec<FunctionId> = points.map(|point| point.function).collect();
        let mut found = BTreeSet::new();
        while let Some(id) = open.pop() {
            if found.insert(id) {
                open.extend(calls.callers(id).map(|call| call.function));
            }
        }
        let functions = found.iter().filter_map(|id| program.function(*id));
        let own = functions.filter(|function| function.defined && function.name != MAIN);
        own.map(|function| function.name.clone()).collect()
    }
}

/// The program with drivers, and its entries; without them if runs begin in main.
pub(crate) fn with_drivers(
    options: &EntryOptions,
    opened: Opened,
    targets: &[Target],
) -> Result<(Subject, Option<Drivers>), Problem> {
    let functions = options.functions(opened.program(), targets);
    let stock = match opened {
        Opened::Whole(subject) if functions.is_empty() => return Ok((*subject, None)),
        Opened::Whole(subject) => Stock::of(&subject)?,
        Opened::Part(stock, _) => *stock,
    };
    if functions.len() < options.entry.len() {
        return Err(Problem::usage(
            "--entry main stands alone: it is not called by a driver",
        ));
    }
    let request = Request {
        entries: functions,
        bounds: options.bounds(),
        part: true,
        ..Request::default()
    };
    let (built, drivers) = stock.unit(&request)?;
    for (name, refusal) in &drivers.left_out {
        if !options.all_entries {
            return Err(Problem::usage(format!("--entry {name}: {refusal}")));
        }
        note(format_args!("labrys: note: {name} is no entry: {refusal}"));
    }
    match built {
        Some(built) => Ok((built, Some(drivers))),
        None => Err(Problem::usage(
            "no function from which calls lead to a target has a driver; name one by --entry",
        )),
    }
}

/// Puts the executable with the drivers, and their text, into the folder of the suite.
pub(crate) fn keep(subject: &Subject, drivers: &Drivers, program: &Path) -> Result<(), Problem> {
    let failed = |error| Problem::unwritten(program, &error);
    std::fs::copy(&subject.instrumented, program).map_err(failed)?;
    std::fs::write(program.with_file_name("driver.c"), &drivers.text).map_err(failed)
}

/// The assumptions of a proof, one line each.
pub(crate) fn assumptions(options: &EntryOptions, drivers: &Drivers) -> Vec<String> {
    let mut lines = vec![match drivers.unit.entries.as_slice() {
        [one] => format!("the program calls {} first", one.function),
        several => format!("the program calls one of {} functions first", several.len()),
    }];
    let left_out = drivers.left_out.iter().map(|(name, _)| name.as_str());
    let left_out: Vec<&str> = left_out.collect();
    if !left_out.is_empty() {
        lines.push(format!("calls do not begin in {}", left_out.join(", ")));
    }
    lines.extend(options.bounds().assumptions(false));
    lines
}
