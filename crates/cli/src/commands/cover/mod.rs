//! `labrys cover`: resolves what the command line means, runs the search, tells what came out.

mod options;
mod proofs;
mod prover;
mod units;

use std::cell::OnceCell;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use labrys_abstraction::{ModelChecker, Trials};
use labrys_analysis::ProgramAnalysis;
use labrys_engine::{
    Budget, End, LONGER, Session, SessionBuilder, Statistics, StopFlag, Technique,
};
use labrys_executor::RunLimits;
use labrys_fuzz::Fuzzing;
use labrys_portfolio::Portfolio;
use labrys_program::{FunctionId, Program};
use labrys_search::{Joined, Options, STRATEGIES, Search, SearchOptions, Strategy};
use labrys_solver::Layers;
use labrys_suite::export::{self, EXPORTERS, Source};
use labrys_suite::{
    Config, Harness, Input, Invocation, Metadata, Property, Suite, SuiteWriter, Summary,
};

use self::options::{Companion, LimitOptions, StrategyOptions};
use self::prover::Prover;
use self::units::UnitOptions;
use crate::output::closing::Closing;
use crate::output::console::{note, print, print_line, tell_contradictions};
use crate::output::problem::{Problem, status};
use crate::output::{Output, progress};
use crate::wiring::backward::{Start, command_line, main_function, symcretic};
use crate::wiring::build::Builder;
use crate::wiring::dictionary;
use crate::wiring::ending::Ending;
use crate::wiring::inputs::{self, InputOptions};
use crate::wiring::joined::joined;
use crate::wiring::memory::Memory;
use crate::wiring::property;
use crate::wiring::session::{Call, calls, complaint, programs, shares_namespaces};
use crate::wiring::solver::{SolverOptions, layers};
use crate::wiring::subject::{BuildOptions, Subject, own_program};

/// Iterations of a loop that backward execution follows, beside the search.
const LOOP_BOUND: u32 = 10;
/// The part of an equal share that search and fuzzer keep.
const FUZZED_FLOOR: f64 = 0.2;
/// The part of all work that a search keeps beside a model checker, without a fuzzer.
const CHECKED_FLOOR: f64 = 0.1;
/// Less than one of so many branches is little.
const FEW: u64 = 8;

/// The name of the words of --dictionary in a suite's configuration.
const DICTIONARY: &str = "dictionary";

/// What is said where the system allows no namespaces.
const NOT_ISOLATED: &str = "labrys: note: this system lets nobody make namespaces, so the program \
    can reach files and processes of yours; run what may do harm in a container";

const COVER: &str = "Explore a program and write a suite of tests";

const COVER_LONG: &str = "\
Explores a program and writes a suite of tests that covers as many branches as it can.

PROGRAM is an executable built by labrys-cc, or C sources, which are built on the fly. Its input
is what it asks for with labrys.h or another harness; the file that stands for @@ in ARGS; else
its standard input. --sym-arg, --sym-file and --sym-env make arguments, further files and
environment variables symbolic, --stdin adds standard input.

Without --time, --runs or --steps the search goes on until nothing is left to try or Ctrl-C.

With --entry, --all-functions or --diff a driver calls functions, and only their branches count.
Each function has its part of the budget. The tests are C files too, tests/test_FUNCTION.c in the
suite, which check what the function returned and changed. Several functions have a suite each, in
the folder OUT/FUNCTION.";

const COVER_EXAMPLES: &str = "\
Examples:
  labrys cover magic.c                       small programs are explored to the end
  labrys cover xmlwf --time 2m --input a.xml -- @@
  labrys cover grep --sym-arg 1:8 --time 60s -- 'a*b' @@
  labrys cover --resume --time 10m           the program and arguments of the suite
  labrys cover lib.c --entry parse_number    tests of a function, as C files
  git diff | labrys cover a.c b.c --diff -   tests of the functions that a change touches";

/// Options of `labrys cover`.
#[derive(Args, Debug)]
#[command(about = COVER, long_about = COVER_LONG, after_help = COVER_EXAMPLES)]
pub(crate) struct Cover {
    /// Executable built by labrys-cc, or C sources; with --resume that of the suite, if none is named
    #[arg(required_unless_present = "resume", value_name = "PROGRAM|FILE.c")]
    pub(crate) program: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) units: UnitOptions,

    /// Arguments of the program; @@ stands for a symbolic input file
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,

    #[command(flatten)]
    pub(crate) build: BuildOptions,

    /// What a Test-Comp task asks for: coverage of branches, or a call of reach_error, at which
    /// the search then ends
    #[arg(long, value_name = "FILE.prp", help_heading = "Search")]
    pub(crate) property: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) search: StrategyOptions,

    #[command(flatten)]
    pub(crate) input: InputOptions,

    #[command(flatten)]
    pub(crate) limits: LimitOptions,

    #[command(flatten)]
    pub(crate) solver: SolverOptions,

    #[command(flatten)]
    pub(crate) output: Output,
}

impl Cover {
    fn builder(&self) -> Result<Builder, Problem> {
        Ok(Builder {
            quiet: self.output.quiet,
            ending: Ending::in_order(self.limits.time)?,
            early: !self.limits.repeats() && !self.output.reproducible,
        })
    }
}

/// Everything that is decided before the search starts.
struct Plan {
    subject: Arc<Subject>,
    config: Config,
    initial: Vec<Input>,
    limits: RunLimits,
    /// What --dictionary names.
    words: Vec<Vec<u8>>,
    /// The search ends when this target is reached.
    goal: Option<String>,
    /// Processes that work at a time.
    jobs: u8,
}

/// What a search found.
struct Found {
    summary: Summary,
    statistics: Statistics,
    end: End,
}

/// Does what the command says; the exit status.
pub(crate) fn cover(options: &Cover) -> Result<u8, Problem> {
    if options.units.are_wanted() {
        options.build.without_drivers()?;
        if options.program.is_empty() {
            return Err(Problem::usage(
                "name the sources of the functions, as when the suite was begun",
            ));
        }
        return units::cover(options);
    }
    let builder = options.builder()?;
    let out = &options.output.out;
    let resumed = match options.output.resume {
        true => Some(SuiteWriter::resume(out)?),
        // Before the program is built, which may take long.
        false => SuiteWriter::check_free(out).map(|()| None)?,
    };
    options.output.check_log()?;
    let previous = resumed.as_ref().map(|(_, suite)| &*suite.config.strategy);
    let strategy = strategy(&options.search, previous)?;
    let suite = resumed.as_ref().map(|(_, suite)| suite);
    let mut plan = resolve(options, strategy.name(), suite, &builder)?;
    let (writer, suite) = match resumed {
        Some((mut writer, suite)) => {
            check_same(options, &plan, &suite)?;
            writer.set_strategy(strategy.name())?;
            plan.config = suite.config.clone();
            (writer, Some(suite))
        }
        None => (SuiteWriter::create(out, &plan.config)?, None),
    };
    let proved = suite.as_ref().and_then(|suite| suite.summary.as_ref());
    let proved = proved.map_or_else(Vec::new, |summary| summary.targets.clone());
    let ending = &builder.ending;
    let builder = session(options, &plan, writer, ending.stop())?;
    // Tasks may loop for ever: their property says what is asked for.
    let builder = match options.limits.endless || options.property.is_some() {
        false => builder.look_for_endless_runs(LONGER),
        true => builder,
    };
    let all_branches = options.limits.until_covered || options.search.abstraction.is_some();
    let builder = match all_branches || options.limits.until_targets || options.property.is_some() {
        false => builder.observer(progress::going_on(options.output.quiet)),
        true => builder,
    };
    let builder = builder.budget(Budget {
        goal: plan.goal.clone(),
        all_branches,
        all_tested: options.property.is_some() && plan.goal.is_none(),
        ..options.limits.budget(ending)
    });
    let mut session = match suite {
        Some(suite) => builder.resume(suite),
        None => builder.start(),
    };
    prover::restore(&mut session, &proved)?;
    let found = explore(options, &plan, strategy, session)?;
    close(options, &plan, &found)
}

/// Packs the suite, and tells what came out; the exit status.
fn close(options: &Cover, plan: &Plan, found: &Found) -> Result<u8, Problem> {
    options.output.pack(&plan.config)?;
    let status = finish(options, found)?;
    complain(options, plan, found);
    Ok(status)
}

/// Tells what the program says of its first input where the search ended before it began: most often
/// an argument is wrong, or a file is missing. The suite is complete without that.
fn complain(options: &Cover, plan: &Plan, found: &Found) {
    let branches = found.summary.branches;
    let is_odd = found.end == End::Exhausted && branches.covered < branches.total / FEW;
    let Some(input) = plan.initial.first() else {
        return;
    };
    if !is_odd || options.output.quiet {
        return;
    }
    let invocation = &plan.config.invocation;
    if let Ok(Some(end)) = complaint(&plan.subject, invocation, input, &plan.limits) {
        note(format_args!(
            "labrys: warning: there was little to search: the program ends with {end}; programs run in \
             an empty folder, so name files by absolute paths, and see that the arguments are right"
        ));
    }
}

/// Runs the search, and the techniques beside it, to their end.
fn explore(
    options: &Cover,
    plan: &Plan,
    strategy: Box<dyn Strategy>,
    mut session: Session,
) -> Result<Found, Problem> {
    let entry = entry(options, plan)?;
    let analysis = entry.map(|entry| {
        let program = &plan.subject.program;
        (ProgramAnalysis::new(program, entry), entry)
    });
    // Paths of the model checker are tried with their surroundings, once it has begun.
    let (program, closed) = (OnceCell::new(), OnceCell::new());
    let closed = |entry| {
        let make = || labrys_analysis::closed(&plan.subject.program, entry);
        let (program, start): &(Program, FunctionId) = program.get_or_init(make);
        closed.get_or_init(|| (ProgramAnalysis::new(program, *start), *start))
    };
    let mut further = SearchOptions {
        audit: options.search.audit,
        ..SearchOptions::default()
    };
    Memory::new(options.limits.memory).limit_search(&mut further);
    let beside = Beside {
        fuzz: options.search.fuzzes(strategy.name()),
        join: options.search.joins(strategy.name()),
    };
    let search = Search::new(strategy, further, plan.config.seed);
    let mut technique = technique(
        options,
        plan,
        (search, beside),
        (analysis.as_ref(), &closed),
    );
    let end = labrys_engine::run(&mut session, &mut *technique);
    // The bar goes before the summary comes.
    session.set_observer(Box::new(labrys_engine::Silent));
    let found = end.map(|end| Found {
        summary: session.summary(),
        statistics: session.statistics(),
        end,
    });
    session.leave();
    std::mem::forget(technique);
    Ok(found?)
}

/// Where backward execution ends, if it is asked for.
fn entry(options: &Cover, plan: &Plan) -> Result<Option<FunctionId>, Problem> {
    let program = &plan.subject.program;
    let remedy = match (
        options.search.has(Companion::Backward),
        options.search.abstraction.is_some(),
    ) {
        (true, _) => "leave out --with backward",
        (_, true) => "leave out --abstraction",
        _ => return Ok(None),
    };
    main_function(program, remedy).map(Some)
}

/// A program with its analyses, and where its runs begin.
type Analyzed<'p> = (ProgramAnalysis<'p>, FunctionId);

/// What works beside a search that needs no analysis.
#[derive(Clone, Copy)]
struct Beside {
    fuzz: bool,
    join: bool,
}

/// The search, and the techniques beside it, by the analysis of the program and that of the closed one.
fn technique<'p>(
    options: &Cover,
    plan: &'p Plan,
    (search, beside): (Search<'p>, Beside),
    (analysis, closed): (
        Option<&'p Analyzed<'p>>,
        &'p dyn Fn(FunctionId) -> &'p Analyzed<'p>,
    ),
) -> Box<dyn Technique + 'p> {
    let Beside { fuzz, join } = beside;
    if !fuzz && !join && analysis.is_none() {
        return Box::new(search);
    }
    let seed = plan.config.seed;
    let checker = analysis.filter(|_| options.search.abstraction.is_some());
    let checker = checker.map(|(analysis, entry)| {
        let template = plan.initial.first().cloned().unwrap_or_default();
        let checker = ModelChecker::new(analysis, *entry, template.clone());
        checker.with_trials(move || {
            let (analysis, start) = closed(*entry);
            Trials::new(analysis, *start, template, &command_line(&plan.config))
        })
    });
    let search = match &checker {
        Some(checker) => search.with_monitor(Box::new(checker.monitor())),
        None => search,
    };
    let mut portfolio = match options.search.abstraction.flatten() {
        Some(percent) => Portfolio::with_share(Box::new(search), f64::from(percent) / 100.0),
        None => Portfolio::new(Box::new(search), seed),
    };
    if !options.search.has(Companion::Backward) {
        portfolio = portfolio.with_floor(if fuzz { FUZZED_FLOOR } else { CHECKED_FLOOR });
    }
    if fuzz {
        portfolio = portfolio.with(Box::new(Fuzzing::new(seed)));
    }
    if join {
        let build = joined(&plan.subject, &plan.config, &plan.limits);
        portfolio = portfolio.with(Box::new(Joined::new(build, seed)));
    }
    if let Some(checker) = checker {
        portfolio = portfolio.with(Box::new(checker));
    }
    if let Some((analysis, entry)) = analysis.filter(|_| options.search.has(Companion::Backward)) {
        let make = move |targets| {
            let start = Start {
                subject: &plan.subject,
                config: &plan.config,
                entry: *entry,
                loop_bound: LOOP_BOUND,
                template: plan.initial.first().cloned().unwrap_or_default(),
                seeds: plan.initial.clone(),
            };
            symcretic(start, analysis, targets)
        };
        portfolio = portfolio.with(Box::new(Prover::new(make)));
    }
    Box::new(portfolio)
}

/// The program that is named, else the one of the suite that goes on.
fn subject(options: &Cover, suite: Option<&Suite>, builder: &Builder) -> Result<Subject, Problem> {
    match suite {
        Some(suite) if options.program.is_empty() => {
            let build = BuildOptions::recorded(&suite.config);
            Subject::open(
                &own_program(&options.output.out, &suite.config),
                &build,
                builder,
            )
        }
        _ => Subject::open(&options.program, &options.build, builder),
    }
}

/// The words of --dictionary, and those with which the suite that goes on was begun.
fn words(options: &Cover, suite: Option<&Suite>) -> Result<Vec<Vec<u8>>, Problem> {
    let recorded = suite.and_then(|suite| suite.config.options.get(DICTIONARY));
    let mut words = recorded.map_or_else(Vec::new, |text| labrys_suite::dictionary::recorded(text));
    words.extend(dictionary::read(&options.search.dictionary)?);
    Ok(words)
}

/// Finds out what the command line means.
fn resolve(
    options: &Cover,
    strategy: &str,
    suite: Option<&Suite>,
    builder: &Builder,
) -> Result<Plan, Problem> {
    let property = options.property.as_deref().map(property::read);
    let property = property.transpose()?;
    let subject = subject(options, suite, builder)?;
    if let (Some(path), Some(property)) = (&options.property, &property) {
        let warning = property::missing(&subject.program, path, property);
        if let Some(warning) = warning.filter(|_| !options.output.quiet) {
            note(format_args!("labrys: warning: {warning}"));
        }
    }
    let mut limits = RunLimits {
        timeout: options.limits.timeout_run(None),
        hurries: options.limits.hurries(options.limits.time),
        ..RunLimits::default()
    };
    Memory::new(options.limits.memory).limit_runs(&mut limits, options.limits.jobs);
    let call = Call {
        arguments: &options.arguments,
        input: &options.input,
        limits: &limits,
        seed: options.search.seed(),
        quiet: options.output.quiet,
    };
    let (invocation, initial) = calls(&call, suite, &subject)?;
    let words = words(options, suite)?;
    let test_comp = property
        .clone()
        .and_then(|property| Metadata::new(property, &options.program));
    let mut config = Config {
        program: subject.name.clone(),
        test_comp,
        ..config(options, &subject, invocation, &initial, strategy)
    };
    let source = Source {
        program: &subject.program,
        files: &options.program,
    };
    export::prepare(&mut config, &source)?;
    if !words.is_empty() {
        let text = labrys_suite::dictionary::record(&words);
        config.options.insert(DICTIONARY.to_owned(), text);
    }
    Ok(Plan {
        subject: Arc::new(subject),
        config,
        initial,
        limits,
        words,
        goal: match property {
            Some(Property::ErrorCall(function)) => Some(function),
            _ => None,
        },
        jobs: options.limits.jobs,
    })
}

/// The configuration of a suite.
fn config(
    options: &Cover,
    subject: &Subject,
    invocation: Invocation,
    initial: &[Input],
    strategy: &str,
) -> Config {
    Config {
        bitcode_hash: subject.hash(),
        invocation,
        streams: inputs::shape(initial),
        technique: "search".to_owned(),
        strategy: strategy.to_owned(),
        seed: options.search.seed(),
        harness: Harness::of(&subject.program),
        exports: options.output.export.clone(),
        options: further(options),
        ..Config::default()
    }
}

/// The strategy that the options name, else the one of the suite so far.
fn strategy(
    options: &StrategyOptions,
    previous: Option<&str>,
) -> Result<Box<dyn Strategy>, Problem> {
    let parameters = Options {
        depth: options.depth,
        fixed_k: options.fixed_k,
        dominators: !options.no_dominators,
        calls: options.call_contexts,
    };
    let names = options.strategy.as_deref().or(previous);
    let names = names.unwrap_or(STRATEGIES[0].name);
    if names.split(',').any(|name| name.trim().is_empty()) {
        return Err(Problem::usage(format!(
            "--strategy {names:?} lacks a name; write one, or several separated by commas, or leave \
             it out"
        )));
    }
    options.fit(names)?;
    labrys_search::build(names, &parameters).map_err(|unknown| {
        let names: Vec<&str> = STRATEGIES.iter().map(|entry| entry.name).collect();
        Problem::usage(format!(
            "there is no strategy {unknown}; choose one of {}, or several separated by commas",
            names.join(", ")
        ))
    })
}

/// Options that are needed to build or run the program again.
fn further(options: &Cover) -> std::collections::BTreeMap<String, String> {
    let mut further = options.build.record();
    options.output.record(&mut further);
    let mut note = |name: &str, value: String| further.insert(name.to_owned(), value);
    if let Some(depth) = options.search.depth {
        note("depth", depth.to_string());
    }
    if let Some(k) = options.search.fixed_k {
        note("fixed-k", k.to_string());
    }
    if options.search.no_dominators {
        note("no-dominators", "true".to_owned());
    }
    if options.search.call_contexts {
        note("call-contexts", "true".to_owned());
    }
    if options.search.fuzz {
        note("fuzz", "true".to_owned());
    }
    if options.search.no_fuzz {
        note("no-fuzz", "true".to_owned());
    }
    if options.search.no_join {
        note("no-join", "true".to_owned());
    }
    if !options.search.with.is_empty() {
        let names = options
            .search
            .with
            .iter()
            .filter_map(Companion::to_possible_value);
        let names: Vec<String> = names.map(|name| name.get_name().to_owned()).collect();
        note("with", names.join(","));
    }
    note("jobs", options.limits.jobs.to_string());
    note("max-input", options.input.max_input.to_string());
    further
}

/// A suite goes on only with the very program that it is of.
fn check_same(options: &Cover, plan: &Plan, suite: &Suite) -> Result<(), Problem> {
    let (old, new) = (&suite.config, &plan.config);
    if options.search.seed.is_some_and(|seed| seed != old.seed) {
        return Err(Problem::usage(format!(
            "the suite in {} was begun with --seed {}, and goes on with it; leave --seed out, or \
             start a new suite with another --out",
            suite.folder.display(),
            old.seed
        )));
    }
    if old.bitcode_hash != new.bitcode_hash {
        return Err(Problem::usage(format!(
            "the suite in {} was made with another program, or another build of it ({}); name that \
             one, or start a new suite with another --out",
            suite.folder.display(),
            old.program
        )));
    }
    if old.invocation != new.invocation || old.streams != new.streams {
        return Err(Problem::usage(format!(
            "the suite in {} was made with other arguments or inputs of the program; give the \
             same ones (see config.json), or start a new suite with another --out",
            suite.folder.display()
        )));
    }
    let has = |name: &String| {
        let mut exporters = EXPORTERS.iter();
        exporters.any(|exporter| exporter.name() == name && exporter.applies(old))
    };
    if let Some(name) = new.exports.iter().find(|name| !has(name)) {
        return Err(Problem::usage(format!(
            "the suite in {} was begun without --export {name}; leave that out, or start a new \
             suite with another --out",
            suite.folder.display()
        )));
    }
    Ok(())
}

/// A session on a suite, without a budget.
fn session(
    options: &Cover,
    plan: &Plan,
    writer: SuiteWriter,
    stop: StopFlag,
) -> Result<SessionBuilder, Problem> {
    let limits = &options.limits;
    let programs = programs(&plan.subject, &plan.config, &plan.limits, plan.jobs)?;
    // Of functions, each has a session.
    let is_told = options.output.quiet || options.units.are_wanted() || shares_namespaces();
    if !is_told && !programs.are_isolated() {
        note(NOT_ISOLATED);
    }
    let mut builder = SessionBuilder::new(programs, solver(options)?, writer)
        .initial(plan.initial.clone())
        .words(plan.words.clone())
        .stop(stop)
        .observer(progress::observer(
            options.output.quiet || plan.jobs < limits.jobs,
        ))
        .query_limits(limits.steps_solver, limits.timeout_solver)
        .max_input(options.input.max_input)
        .oracles(!options.build.no_oracles)
        .audit(options.search.audit)
        .hide_added_targets();
    if options.search.abstraction.is_some() {
        let mut apart = layers(&options.solver, options.search.seed())?;
        options
            .output
            .log_to_folder(Some("abstraction"), &mut apart)?;
        builder = builder.solver_apart(apart);
    }
    Ok(builder)
}

fn solver(options: &Cover) -> Result<Layers, Problem> {
    let mut solver = layers(&options.solver, options.search.seed())?;
    options.output.log_to_folder(None, &mut solver)?;
    Ok(solver)
}

/// Prints what came out; the exit status.
fn finish(options: &Cover, found: &Found) -> Result<u8, Problem> {
    let Found {
        summary,
        statistics,
        end,
    } = found;
    if options.output.json {
        let text = serde_json::to_string_pretty(summary).map_err(Problem::internal)?;
        print_line(text)?;
    } else if !options.output.quiet {
        let closing = Closing {
            summary,
            statistics,
            end: *end,
            folder: &options.output.out,
        };
        print(closing)?;
    }
    Ok(exit_status(summary, &options.output.out))
}

/// The exit status after a search; what contradicts itself is told.
fn exit_status(summary: &Summary, folder: &std::path::Path) -> u8 {
    let wrong = tell_contradictions(&summary.contradictions, folder);
    match summary.failures.iter().any(|failure| failure.confirmed) {
        _ if wrong => status::INTERNAL,
        true => status::FAILURES,
        false => status::DONE,
    }
}
