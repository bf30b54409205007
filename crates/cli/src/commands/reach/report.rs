//! What `labrys reach` prints: per target the verdict, the input, the path, the reasons, the
//! numbers.

use std::fmt::{Display, Write as _};

use labrys_backward::{Hop, Report, Skip, Symcretic, Verdict};
use labrys_engine::Session;
use labrys_program::{BlockId, Callee, FunctionId, Location, Operation, Program};
use labrys_semantics::environment::shown_name;
use labrys_suite::TargetStatus;
use labrys_units::Drivers;
use serde_json::{Value, json};

use super::{Reach, entry, word};
use crate::output::console::{self, print_line};
use crate::output::problem::Problem;

/// Lines of a path that are shown.
const SHOWN: usize = 24;
/// So many targets are counted, and so many with which the search did not begin are not listed.
const MANY: usize = 20;

const NOT_BEGUN: &str = "the time was over before the search began with them";

const NO_INPUT: &str = "a path is left that hangs on a value which no input makes: of a variable \
                        that nobody wrote, or of an operation that C does not define";

/// What is printed, and how.
#[derive(Clone, Copy)]
pub(crate) struct Results<'a> {
    pub(crate) options: &'a Reach,
    pub(crate) program: &'a Program,
    /// The drivers, if runs do not begin in main.
    pub(crate) drivers: Option<&'a Drivers>,
    pub(crate) session: &'a Session,
}

/// Prints the results.
pub(crate) fn print(results: &Results<'_>, technique: &Symcretic<'_>) -> Result<(), Problem> {
    let Results {
        options, session, ..
    } = *results;
    if options.output.json {
        let targets: Vec<Value> = technique
            .reports()
            .iter()
            .map(|report| record(results, report))
            .collect();
        let all = json!({
            "targets": targets,
            "suite": options.output.out,
            "runs": session.statistics().runs,
            "summary": session.summary(),
        });
        let text = serde_json::to_string_pretty(&all).map_err(Problem::internal)?;
        return print_line(text);
    }
    if options.output.quiet {
        return Ok(());
    }
    let mut text = listed(results, technique.reports());
    let statistics = session.statistics();
    let fuzzed = match statistics.fuzzed {
        0 => String::new(),
        fuzzed => format!(" and {fuzzed} of the fuzzer"),
    };
    let _ = writeln!(
        text,
        "work      {} runs{fuzzed}, {} queries; suite in {}",
        statistics.runs,
        statistics.asked(),
        options.output.out.display()
    );
    console::print(text)
}

/// The reports of targets, and how many there are if they are many.
fn listed(results: &Results<'_>, all: &[Report]) -> String {
    let mut text = String::new();
    let is_left = |report: &&Report| report.verdict.is_open() && report.passes == 0;
    let left = all.iter().filter(is_left).count();
    for report in all.iter().filter(|one| left < MANY || !is_left(one)) {
        describe(&mut text, results, report);
    }
    if left >= MANY {
        let _ = writeln!(text, "{:<12}{left} others", word(&Verdict::Open));
        line(
            &mut text,
            "because",
            format!("{NOT_BEGUN}; --json names them"),
        );
    }
    if all.len() >= MANY {
        let count = |verdict: Verdict| all.iter().filter(|one| one.verdict == verdict).count();
        let (reached, proved) = (count(Verdict::Reached), count(Verdict::Unreachable));
        let open = all.len() - reached - proved;
        let _ = writeln!(
            text,
            "targets   {}: {reached} reached, {proved} unreachable, {open} open",
            all.len()
        );
    }
    text
}

/// A line of a target's report.
fn line(text: &mut String, key: &str, value: impl Display) {
    let _ = writeln!(text, "  {key:<9} {value}");
}

fn describe(text: &mut String, results: &Results<'_>, report: &Report) {
    let _ = writeln!(text, "{:<12}{}", word(&report.verdict), report.target.name);
    match report.verdict {
        Verdict::Reached => describe_reached(text, results, report),
        Verdict::Unreachable => describe_proof(text, results, report),
        Verdict::Open | Verdict::NotFound => {
            for reason in reasons(results.program, report) {
                line(text, "because", reason);
            }
        }
    }
    let counts = report.counts;
    let numbers = format!(
        "{} segments, {} solver calls, {} evaluations, {} jumps",
        counts.segments, counts.queries, report.evaluations, counts.jumps
    );
    line(text, "search", numbers);
}

/// The input that reaches a target, and how it was found.
fn describe_reached(text: &mut String, results: &Results<'_>, report: &Report) {
    let Results {
        options, program, ..
    } = *results;
    if let Some(input) = input_path(report, results.session) {
        let place = options.output.out.join(input);
        let confirmed = format!("{}, confirmed on the plain program", place.display());
        line(text, "input", confirmed);
    }
    if let Some(call) = call(results, report) {
        line(text, "call", call);
    }
    match &report.path {
        Some(path) => line(text, "path", lines(program, &path.hops).join(" ")),
        None if report.forward => line(text, "found", "forward, by concolic search or fuzzing"),
        None => line(text, "found", "on another path"),
    }
    let skips = skipped(program, report);
    if !skips.is_empty() {
        line(text, "executed", skips.join(", "));
    }
}

/// Why a target is unreachable, and what that rests on.
fn describe_proof(text: &mut String, results: &Results<'_>, report: &Report) {
    let entry = match results.drivers {
        Some(_) => "the driver",
        None => "main",
    };
    let proof = match report.by_values {
        true => "no numbers that values may have lead there".to_owned(),
        false => format!(
            "every path backward ends in a contradiction before {entry} begins; no bound was used"
        ),
    };
    line(text, "proof", proof);
    for assumption in assumptions(results, report) {
        line(text, "assuming", assumption);
    }
}

/// What the proof of a target rests on.
fn assumptions(results: &Results<'_>, report: &Report) -> Vec<String> {
    let of_entry = results
        .drivers
        .map(|drivers| entry::assumptions(&results.options.entries, drivers));
    let of_search = report.assumptions.iter().map(|one| one.text().to_owned());
    of_search.chain(of_entry.into_iter().flatten()).collect()
}

/// Why a target was neither reached nor excluded.
fn reasons(program: &Program, report: &Report) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    if report.passes == 0 {
        reasons.push(NOT_BEGUN.replace("them", "it"));
    }
    let skips = report.skips.iter();
    reasons.extend(skips.map(|skip| reason(program, skip)));
    reasons.extend(report.obstacles.iter().cloned());
    if report.diverged > 0 {
        reasons.push(format!(
            "{} inputs that should reach it did not when they were run",
            report.diverged
        ));
    }
    if reasons.is_empty() {
        let reason = match report.verdict {
            Verdict::NotFound => NO_INPUT,
            _ => "the time was over",
        };
        reasons.push(reason.to_owned());
    }
    reasons
}

/// What the paths to a target did not enter or did not know.
fn skipped(program: &Program, report: &Report) -> Vec<String> {
    let skips = report.skips.iter();
    skips.map(|skip| name(program, skip)).collect()
}

/// How a skip kept the search from a verdict.
fn reason(program: &Program, skip: &Skip) -> String {
    let action = match skip {
        Skip::Loop(..) | Skip::Paths(..) => "summarized",
        Skip::Call(_) | Skip::Opaque(_) => "stepped over",
        Skip::Unsolved | Skip::Forgotten => "left out",
        Skip::Outside(_) => "did not know",
    };
    let called = match skip {
        Skip::Call(name) | Skip::Opaque(name) => callers(program, name),
        _ => String::new(),
    };
    format!("{action} {}{called}", name(program, skip))
}

/// Where a function is called, as far as its name tells: the first line, and how many more.
fn callers(program: &Program, name: &str) -> String {
    let functions = program.functions.iter();
    let instructions = functions
        .flat_map(|f| &f.blocks)
        .flat_map(|b| &b.instructions);
    let is_call = |operation: &Operation| match operation {
        Operation::Call {
            callee: Callee::Direct(function),
            ..
        } => program.functions[function.index()].name == name,
        _ => false,
    };
    let calls = instructions.filter(|one| is_call(&one.operation));
    let mut lines: Vec<String> = Vec::new();
    for at in calls
        .filter_map(|call| call.location)
        .filter(|at| at.line > 0)
    {
        let line = format!("{}:{}", file_name(program, at), at.line);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!(", in {line}"),
        [line, rest @ ..] => format!(", in {line} and {} more", lines_of(rest.len())),
    }
}

fn lines_of(count: usize) -> String {
    let plural = if count == 1 { "line" } else { "lines" };
    format!("{count} {plural}")
}

/// The name of the file of a place, without its folder.
fn file_name(program: &Program, at: Location) -> &str {
    let file = program.file(at.file).unwrap_or("?");
    file.rsplit('/').next().unwrap_or(file)
}

fn name(program: &Program, skip: &Skip) -> String {
    match skip {
        Skip::Loop(function, block) => format!("the loop at {}", place(program, *function, *block)),
        Skip::Paths(function, block) => {
            format!("the paths to {}", place(program, *function, *block))
        }
        Skip::Call(name) => format!("the call of {}", shown_name(name)),
        Skip::Opaque(name) => format!("{name} (no model)"),
        Skip::Unsolved => "a condition that the solver gave up on".to_owned(),
        Skip::Forgotten => "a condition of the path".to_owned(),
        Skip::Outside(name) => format!("a value from outside: {}", shown_name(name)),
    }
}

/// A block for people: its function and line.
fn place(program: &Program, function: FunctionId, block: BlockId) -> String {
    let location = location(program, function, block);
    let name = shown_name(&program.functions[function.index()].name);
    match location.filter(|at| at.line > 0) {
        Some(at) => format!("{}:{} in {name}", file_name(program, at), at.line),
        None => name.to_owned(),
    }
}

/// Where a block begins in the source.
fn location(program: &Program, function: FunctionId, block: BlockId) -> Option<Location> {
    let block = program.functions[function.index()].block(block)?;
    let first = block
        .instructions
        .iter()
        .find_map(|instruction| instruction.location);
    first.or(block.location)
}

/// The source lines of a path, each once in a row.
fn lines(program: &Program, hops: &[Hop]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for hop in hops {
        let place = location(program, hop.function, hop.block);
        let Some(place) = place.filter(|at| at.line > 0) else {
            continue;
        };
        let mut line = format!("{}:{}", file_name(program, place), place.line);
        if hop.free {
            line.insert_str(0, "… ");
        }
        if lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    if lines.len() > SHOWN {
        let left = lines.len() - SHOWN;
        lines.truncate(SHOWN);
        lines.push(format!("and {left} more"));
    }
    lines
}

fn input_path(report: &Report, session: &Session) -> Option<String> {
    let target = session
        .targets()
        .iter()
        .find(|target| target.location == report.target.name)?;
    target
        .input
        .clone()
        .filter(|_| target.status == TargetStatus::Reached)
}

/// The call that the input of a target stands for.
fn call(results: &Results<'_>, report: &Report) -> Option<String> {
    let call = results.drivers?.unit.call(report.input.as_ref()?)?;
    Some(call.text())
}

fn record(results: &Results<'_>, report: &Report) -> Value {
    let Results {
        program, session, ..
    } = *results;
    let proved = report.verdict == Verdict::Unreachable;
    let path = report.path.as_ref();
    let skips = skipped(program, report);
    let open = report.verdict.is_open();
    json!({
        "target": report.target.name,
        "verdict": word(&report.verdict),
        "input": input_path(report, session),
        "call": call(results, report),
        "assumptions": proved.then(|| assumptions(results, report)),
        "forward": report.forward,
        "path": path.map(|path| lines(program, &path.hops)),
        "stepped_over": skips,
        "reasons": if open { reasons(program, report) } else { Vec::new() },
        "segments": report.counts.segments,
        "solver_calls": report.counts.queries,
        "evaluations": report.evaluations,
        "jumps": report.counts.jumps,
        "rounds": report.counts.iterations,
        "passes": report.passes,
    })
}
