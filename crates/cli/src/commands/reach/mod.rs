//! `labrys reach`: an input that reaches a place, or a proof that there is none.
//!
//! Backward execution comes first; in the time that is left, concolic search goes on forward
//! toward the targets that are still open, beginning with the inputs that came near, and a fuzzer
//! works beside it.

mod directions;
mod entry;
mod opened;
mod report;
mod targets;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use labrys_analysis::ProgramAnalysis;
use labrys_backward::{Target, Verdict};
use labrys_engine::{Budget, Session, SessionBuilder};
use labrys_executor::RunLimits;
use labrys_program::FunctionId;
use labrys_suite::export::{self, Source};
use labrys_suite::{Config, Harness, Input, Invocation, StreamKind, SuiteWriter};
use labrys_units::Drivers;

use self::directions::BothDirections;
use self::entry::EntryOptions;
use self::opened::Opened;
use self::report::Results;
use self::targets::Collected;
use crate::output::console::{note, tell_contradictions};
use crate::output::problem::{Problem, status};
use crate::output::{Output, progress};
use crate::wiring::backward::{Start, main_function, symcretic};
use crate::wiring::build::Builder;
use crate::wiring::ending::Ending;
use crate::wiring::inputs::{self, InputOptions};
use crate::wiring::joined::joined;
use crate::wiring::session::{Call, calls, programs};
use crate::wiring::subject::{BuildOptions, Subject, model_of_deferred, name_of_unit};
use crate::wiring::values::duration;

const REACH: &str =
    "Find an input that reaches a place of the program, or prove that there is none";

const REACH_LONG: &str = "\
Finds an input that drives the program to a place, or proves that no input does.

The search starts at the place and goes backward to the beginning of main, collecting the
conditions of each path (symcretic execution). Values that have no formula are found by executing
the path. Each input is confirmed by a run of the plain program and becomes a test of the suite.
In the time that is left, a forward search and a fuzzer look for targets that are still open.";

/// Headings of the help.
const SEARCH: &str = "Search";
const LIMITS: &str = "Limits";

const REACH_EXAMPLES: &str = "\
Examples:
  labrys reach tcas.c --target tcas.c:118
  labrys reach a.c b.c --target check --target overflow
  labrys reach parser.c --from-coverage labrys-out
  labrys reach parser.c --entry parse_number --target parser.c:52
  labrys reach src/grep --diff HEAD~1..HEAD --time 5m -- pattern @@

A target is FILE:LINE, a function, or the name of a labrys_target(\"name\") in the program.
What \"unreachable\" rests on is printed with it: that accesses to memory stay inside their objects,
that no check of undefined behaviour fails before; with --entry, what the function is given.

With --entry or --all-entries a driver calls the function. Each number is an input, each pointer is
null or points to an object filled with input. The suite holds the driver as driver.c and the
program that it is linked to as unit.

Exit status: 0 every target is decided, 1 some target is neither reached nor proved unreachable,
2 wrong use, 3 the program could not be built or run, 4 a bug in Labrys.";

/// Options of `labrys reach`.
#[derive(Args, Debug)]
#[command(about = REACH, long_about = REACH_LONG, after_help = REACH_EXAMPLES)]
pub(crate) struct Reach {
    /// Executable built by labrys-cc, or C sources
    #[arg(required = true, value_name = "PROGRAM|FILE.c")]
    pub(crate) program: Vec<PathBuf>,

    /// Arguments of the program; @@ stands for an input file
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,

    #[command(flatten)]
    pub(crate) targets: TargetOptions,

    #[command(flatten)]
    pub(crate) entries: EntryOptions,

    #[command(flatten)]
    pub(crate) build: BuildOptions,

    #[command(flatten)]
    pub(crate) input: InputOptions,

    /// Iterations of a loop that a path unrolls before the loop is summarized
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = SEARCH)]
    pub(crate) loop_bound: u32,

    /// Stop after this time: 90, 90s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s",
          help_heading = LIMITS)]
    pub(crate) time: Duration,

    /// Stop the forward search after this many runs
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub(crate) runs: Option<u64>,

    /// Stop after this many steps, backward and forward; the same steps give the same verdicts
    /// everywhere
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub(crate) steps: Option<u64>,

    /// Processes that work at a time: the search, and N - 1 runs of the forward search beside it
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = LIMITS,
          value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) jobs: u8,

    /// Search backward only
    #[arg(long, help_heading = SEARCH)]
    pub(crate) no_forward: bool,

    /// A run that takes longer is cut off
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration,
          help_heading = LIMITS)]
    pub(crate) timeout_run: Duration,

    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = SEARCH)]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) output: Output,
}

/// What is to be reached.
#[derive(Args, Debug)]
#[command(next_help_heading = "Targets")]
pub(crate) struct TargetOptions {
    /// FILE:LINE, a function, or the name of a marker; may be given several times
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: Vec<String>,

    /// Start from the tests of a suite, and call the program as in it if no ARGS are given; the
    /// targets are the branches that they leave open, unless others are named
    #[arg(long, value_name = "SUITE")]
    pub(crate) from_coverage: Option<PathBuf>,

    /// At most so many of the open branches, evenly spread over the program
    #[arg(long, value_name = "N", requires = "from_coverage",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) most: Option<u64>,

    /// The lines that a range of commits changes (git diff in the current folder)
    #[arg(long, value_name = "REV..REV")]
    pub(crate) diff: Option<String>,
}

/// Everything that is decided before the search starts.
struct Plan {
    subject: Subject,
    /// The drivers, if runs do not begin in main.
    drivers: Option<Drivers>,
    /// The function in which runs begin.
    entry: FunctionId,
    targets: Vec<Target>,
    /// Whether there are targets that cannot be searched, for which warnings were printed.
    warned: bool,
    config: Config,
    initial: Vec<Input>,
    /// The inputs of the suite that the search starts from.
    seeds: Vec<Input>,
    limits: RunLimits,
}

/// Does what the command says; the exit status.
pub(crate) fn reach(options: &Reach) -> Result<u8, Problem> {
    let builder = Builder {
        quiet: options.output.quiet,
        ending: Ending::in_order(Some(options.time))?,
        early: options.runs.or(options.steps).is_none() && !options.output.reproducible,
    };
    if options.output.resume {
        return Err(Problem::usage(
            "reach does not go on from a suite; leave out --resume",
        ));
    }
    SuiteWriter::check_free(&options.output.out)?;
    options.output.check_log()?;
    let plan = resolve(options, &builder)?;
    let mut session = start(options, &plan, &builder.ending)?;
    let (program, entry) = labrys_analysis::closed(&plan.subject.program, plan.entry);
    let analysis = ProgramAnalysis::new(&program, entry);
    let mut technique = technique(options, &plan, (&analysis, entry))?;
    let end = labrys_engine::run(&mut session, &mut technique);
    session.set_observer(Box::new(labrys_engine::Silent));
    end?;
    options.output.pack(&plan.config)?;
    let results = Results {
        options,
        program: &program,
        drivers: plan.drivers.as_ref(),
        session: &session,
    };
    report::print(&results, &technique.backward)?;
    let wrong = tell_contradictions(session.contradictions(), &options.output.out);
    Ok(if wrong {
        status::INTERNAL
    } else if technique.backward.has_open() || plan.warned {
        status::FAILURES
    } else {
        status::DONE
    })
}

/// Finds out what the command line means.
fn resolve(options: &Reach, builder: &Builder) -> Result<Plan, Problem> {
    if let ([path], false) = (&options.program[..], options.targets.target.is_empty())
        && let Some(program) = model_of_deferred(path)?
    {
        // The user does not wait for a build to learn of a wrong name.
        targets::collect(&options.targets, None, &program)?;
    }
    let suite = targets::suite(&options.targets)?;
    let is_part = options.entries.are_functions() && suite.is_none();
    let opened = Opened::new(&options.program, &options.build, builder, is_part)?;
    targets::check(&options.targets, suite.as_ref(), &opened)?;
    let Collected { targets, warnings } =
        targets::collect(&options.targets, suite.as_ref(), opened.program())?;
    for warning in &warnings {
        note(format_args!("labrys: warning: {warning}"));
    }
    let (subject, drivers) = entry::with_drivers(&options.entries, opened, &targets)?;
    if drivers.is_some() {
        options.input.fit_functions()?;
    }
    let program = &subject.program;
    let entry = main_function(program, "name a function by --entry")?;
    // The functions are the same, and more; numbers of constants and the like are not.
    let targets = match &drivers {
        Some(_) => targets::collect(&options.targets, suite.as_ref(), program)?.targets,
        None => targets,
    };
    // Drivers have inputs of their own.
    let suite = suite.filter(|_| drivers.is_none());
    let limits = RunLimits {
        timeout: options.timeout_run,
        ..RunLimits::default()
    };
    let call = Call {
        arguments: &options.arguments,
        input: &options.input,
        limits: &limits,
        seed: options.seed,
        quiet: options.output.quiet,
    };
    let (invocation, initial) = calls(&call, suite.as_ref(), &subject)?;
    let streams = inputs::shape(&initial);
    let seeds = suite.map(|suite| targets::inputs(suite, &streams, options.output.quiet));
    let config = config(options, &subject, drivers.is_some(), (invocation, streams))?;
    Ok(Plan {
        subject,
        drivers,
        entry,
        targets,
        warned: !warnings.is_empty(),
        config,
        initial,
        seeds: seeds.unwrap_or_default(),
        limits,
    })
}

/// The configuration of the suite.
fn config(
    options: &Reach,
    subject: &Subject,
    has_drivers: bool,
    (invocation, streams): (Invocation, Vec<StreamKind>),
) -> Result<Config, Problem> {
    let mut recorded = options.build.record();
    options.output.record(&mut recorded);
    let mut config = Config {
        program: match has_drivers {
            true => name_of_unit(false),
            false => subject.name.clone(),
        },
        bitcode_hash: subject.hash(),
        invocation,
        streams,
        technique: "symcretic".to_owned(),
        strategy: "backward".to_owned(),
        seed: options.seed,
        harness: Harness::of(&subject.program),
        exports: options.output.export.clone(),
        options: recorded,
        ..Config::default()
    };
    let source = Source {
        program: &subject.program,
        files: &options.program,
    };
    export::prepare(&mut config, &source)?;
    Ok(config)
}

/// Where the suite has the program with drivers.
fn unit_path(options: &Reach) -> PathBuf {
    options.output.out.join("unit")
}

fn start(options: &Reach, plan: &Plan, ending: &Ending) -> Result<Session, Problem> {
    let Plan {
        subject,
        config,
        limits,
        ..
    } = plan;
    let writer = SuiteWriter::create(&options.output.out, config)?;
    if let Some(drivers) = &plan.drivers {
        entry::keep(subject, drivers, &unit_path(options))?;
    }
    let programs = programs(subject, config, limits, options.jobs)?;
    let mut solver = labrys_solver::solver().map_err(Problem::program)?;
    options.output.log_to_folder(None, &mut solver)?;
    Ok(SessionBuilder::new(programs, solver, writer)
        .initial(plan.initial.clone())
        .budget(Budget {
            time: ending.time_left(),
            runs: options.runs,
            steps: options.steps,
            ..Budget::default()
        })
        .stop(ending.stop())
        .observer(progress::observer(options.output.quiet))
        .max_input(options.input.max_input)
        .start())
}

/// Backward execution, and the forward search beside it.
fn technique<'p>(
    options: &Reach,
    plan: &'p Plan,
    (analysis, entry): (&'p ProgramAnalysis<'p>, FunctionId),
) -> Result<BothDirections<'p>, Problem> {
    let Plan {
        subject, config, ..
    } = plan;
    let start = Start {
        subject,
        config,
        entry,
        loop_bound: options.loop_bound,
        template: plan.initial.first().cloned().unwrap_or_default(),
        seeds: plan.initial.iter().chain(&plan.seeds).cloned().collect(),
    };
    let impossible = || {
        let analysis = ProgramAnalysis::new(&plan.subject.program, plan.entry);
        analysis.impossible_branches().branches.clone()
    };
    let backward = symcretic(start, analysis, plan.targets.clone());
    let backward = backward.with_impossible(impossible);
    let forward = !options.no_forward;
    Ok(BothDirections::new(
        backward,
        forward.then(|| joined(subject, config, &plan.limits)),
        options.seed,
        plan.seeds.clone(),
    ))
}

/// One word for a verdict.
pub(crate) fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Reached => "reached",
        Verdict::Unreachable => "unreachable",
        Verdict::Open | Verdict::NotFound => "not found",
    }
}
