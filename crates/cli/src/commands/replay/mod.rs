//! `labrys replay`: runs the tests of a suite again and says which of them were confirmed.
//!
//! Invariant: only a replay on the suite's own program changes the marks in the suite.

mod reproduce;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use labrys_cc::container::{ContainerError, Executable};
use labrys_executor::{Executor, Launch, Mode, Native, RunLimits};
use labrys_suite::{
    Config, Confirmation, Coverage, Failure, Input, Outcome, StreamKind, Suite, SuiteWriter,
};
use serde_json::{Value, json};

use self::reproduce::reproduce;
use crate::output::console::print_line;
use crate::output::problem::{Problem, status};
use crate::wiring::build::Builder;
use crate::wiring::session::{begins_at_start, shares_namespaces};
use crate::wiring::subject::{BuildOptions, Subject, is_readable, own_program, same_subject};
use crate::wiring::values::duration;

const REPLAY: &str = "Run the tests of a suite again and compare";

const REPLAY_LONG: &str = "\
Runs every test of a suite and compares outcome and coverage with what the suite says.

Without --program the plain build inside the program of the suite is run: outcome and coverage
are compared. With --program the tests run on any executable: outcomes are compared.";

/// Options of `labrys replay`.
#[derive(Args, Debug)]
#[command(about = REPLAY, long_about = REPLAY_LONG)]
pub(crate) struct Replay {
    /// Folder of the suite
    #[arg(value_name = "SUITE")]
    pub(crate) suite: PathBuf,

    /// Run this executable instead
    #[arg(long, value_name = "PLAIN")]
    pub(crate) program: Option<PathBuf>,

    /// Show failure N again with its stack, and nothing else
    #[arg(long, value_name = "N", conflicts_with = "program")]
    pub(crate) failure: Option<u32>,

    /// A run that takes longer is cut off
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    pub(crate) timeout_run: Duration,

    /// Print only the numbers
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What the tests run on.
struct Machine {
    kind: Kind,
    /// Holds the executable.
    _subject: Option<Subject>,
}

/// Who runs the tests, and what of a run is compared.
enum Kind {
    /// The plain build of the suite's program: outcome and coverage.
    Plain(Box<Executor>),
    /// The plain build of another program: the outcome.
    Other(Box<Executor>),
    /// An executable of another compiler: the outcome.
    Native(Native),
}

/// One test or failure that was replayed.
struct Replayed {
    name: String,
    confirmed: bool,
    expected: Outcome,
    found: Outcome,
}

/// Does what the command says; the exit status.
pub(crate) fn replay(options: &Replay) -> Result<u8, Problem> {
    let suite = Suite::open(&options.suite)?;
    if let Some(number) = options.failure {
        return reproduce(options, &suite, number);
    }
    let mut machine = Machine::open(options, &suite)?;
    let mut all = Vec::new();
    let mut changed = Vec::new();
    for case in &suite.cases {
        let (found, coverage) = machine.run(&case.input)?;
        let same = coverage.is_none_or(|coverage| coverage == case.coverage);
        let confirmed = same && agree(&case.outcome, &found, &machine);
        let mark = if confirmed {
            Confirmation::Confirmed
        } else {
            Confirmation::Diverged
        };
        if mark != case.confirmed && matches!(machine.kind, Kind::Plain(_)) {
            let mut case = case.clone();
            case.confirmed = mark;
            changed.push(case);
        }
        all.push(Replayed {
            name: format!("inputs/{:06}", case.id),
            confirmed,
            expected: case.outcome.clone(),
            found,
        });
    }
    for failure in suite.failures.iter().filter(|failure| failure.confirmed) {
        all.push(failed(&mut machine, failure)?);
    }
    if !changed.is_empty() {
        let (mut writer, _) = SuiteWriter::resume(&options.suite)?;
        changed.iter().try_for_each(|case| writer.update(case))?;
    }
    tell(options, &all)?;
    let diverged = all.iter().any(|replayed| !replayed.confirmed);
    Ok(if diverged {
        status::FAILURES
    } else {
        status::DONE
    })
}

fn failed(machine: &mut Machine, failure: &Failure) -> Result<Replayed, Problem> {
    let (found, _) = machine.run(&failure.input)?;
    Ok(Replayed {
        name: format!("failures/{:06}", failure.id),
        confirmed: agree(&failure.outcome, &found, machine),
        expected: failure.outcome.clone(),
        found,
    })
}

/// Whether two outcomes are the same as far as the machine can tell: a failure that the harness
/// reports to Labrys ends an ordinary program by a signal or with a status other than 0.
fn agree(expected: &Outcome, found: &Outcome, machine: &Machine) -> bool {
    match (&machine.kind, expected) {
        (Kind::Native(_), Outcome::Failure(_)) => {
            found.is_failure() || matches!(found, Outcome::Exit(code) if *code != 0)
        }
        (Kind::Native(_), Outcome::AssumptionFailed) => matches!(found, Outcome::Exit(_)),
        _ => expected == found,
    }
}

/// What `--program` may name is more than other commands take.
fn not_a_program(path: &Path, what: &str) -> Problem {
    Problem::program(format!(
        "--program {}: {what}; give the executable, built by any compiler",
        path.display()
    ))
}

impl Machine {
    fn open(options: &Replay, suite: &Suite) -> Result<Self, Problem> {
        let config = &suite.config;
        let Some(program) = &options.program else {
            let subject = own_subject(&options.suite, config)?;
            let executor = executor(&subject, config, options)?;
            return Ok(Machine {
                kind: Kind::Plain(Box::new(executor)),
                _subject: Some(subject),
            });
        };
        if program.is_dir() {
            return Err(not_a_program(program, "a folder"));
        }
        is_readable(program)?;
        match Executable::open(program) {
            Ok(_) => {
                let subject = Subject::open(
                    std::slice::from_ref(program),
                    &BuildOptions::default(),
                    &Builder::waiting(false),
                )?;
                let executor = executor(&subject, config, options)?;
                let same = subject.hash() == config.bitcode_hash;
                let kind = if same { Kind::Plain } else { Kind::Other };
                Ok(Machine {
                    kind: kind(Box::new(executor)),
                    _subject: Some(subject),
                })
            }
            Err(ContainerError::NotLabrys(_)) => Machine::native(program, config, options),
            Err(ContainerError::NotElf(_)) => {
                Err(not_a_program(program, "not an executable for this machine"))
            }
            Err(error) => Err(Problem::program(error)),
        }
    }

    fn native(program: &Path, config: &Config, options: &Replay) -> Result<Self, Problem> {
        if config.streams.contains(&StreamKind::Objects) {
            return Err(Problem::usage(format!(
                "the tests are values of labrys_symbolic, which {} cannot take; run {} with the \
                 sources of the program",
                program.display(),
                options.suite.join("replay.sh").display()
            )));
        }
        let native = Native::new(program, &config.invocation, options.timeout_run);
        Ok(Machine {
            kind: Kind::Native(native),
            _subject: None,
        })
    }

    /// The outcome, and the coverage if it can be compared.
    fn run(&mut self, input: &Input) -> Result<(Outcome, Option<Coverage>), Problem> {
        match &mut self.kind {
            Kind::Plain(executor) => {
                let run = executor.run(input, Mode::Coverage)?;
                let coverage = Coverage::from_bytes(&run.recording.coverage);
                Ok((run.outcome, Some(coverage)))
            }
            Kind::Other(executor) => Ok((executor.run(input, Mode::Coverage)?.outcome, None)),
            Kind::Native(native) => Ok((native.run(input)?, None)),
        }
    }
}

/// The program that a suite was made with.
pub(crate) fn own_subject(folder: &Path, config: &Config) -> Result<Subject, Problem> {
    let remedy = "name a program with --program to compare outcomes";
    same_subject(
        config,
        &own_program(folder, config),
        remedy,
        &Builder::waiting(false),
    )
}

/// One of the executables of a program, called as a suite says.
pub(crate) fn launch(binary: &Path, subject: &Subject, config: &Config) -> Launch {
    Launch {
        binary: binary.to_owned(),
        invocation: config.invocation.clone(),
        streams: config.streams.clone(),
        branches: subject.program.branch_count(),
        leaks: subject.leaks,
        shares_namespaces: shares_namespaces(),
        begins_at_start: begins_at_start(),
        ..Launch::default()
    }
}

pub(crate) fn limits(options: &Replay) -> RunLimits {
    RunLimits {
        timeout: options.timeout_run,
        ..RunLimits::default()
    }
}

/// Runs the plain build.
pub(crate) fn executor(
    subject: &Subject,
    config: &Config,
    options: &Replay,
) -> Result<Executor, Problem> {
    let launch = launch(&subject.plain, subject, config);
    let mut executor = Executor::start(launch, limits(options))?;
    // A test is as long as what its run used.
    executor.bound_objects();
    Ok(executor)
}

fn tell(options: &Replay, all: &[Replayed]) -> Result<(), Problem> {
    let confirmed = all.iter().filter(|replayed| replayed.confirmed).count();
    let diverged = all.len() - confirmed;
    if options.json {
        let tests: Vec<Value> = all.iter().map(record).collect();
        let text = json!({ "confirmed": confirmed, "diverged": diverged, "tests": tests });
        let text = serde_json::to_string_pretty(&text).map_err(Problem::internal)?;
        return print_line(text);
    }
    if !options.quiet {
        for replayed in all {
            print_line(line(replayed))?;
        }
    }
    print_line(format_args!("{confirmed} confirmed, {diverged} diverged"))
}

fn mark(replayed: &Replayed) -> &'static str {
    if replayed.confirmed {
        "confirmed"
    } else {
        "diverged"
    }
}

fn line(replayed: &Replayed) -> String {
    let Replayed {
        name,
        expected,
        found,
        ..
    } = replayed;
    let mut text = format!("{name:<16} {:<9} {found}", mark(replayed));
    if !replayed.confirmed {
        let more = match expected == found {
            true => "with other coverage than".to_owned(),
            false => format!("not {expected} as"),
        };
        text.push_str(&format!(", {more} in the suite"));
    }
    text
}

fn record(replayed: &Replayed) -> Value {
    json!({
        "input": replayed.name,
        "status": mark(replayed),
        "expected": replayed.expected.to_string(),
        "found": replayed.found.to_string(),
    })
}
