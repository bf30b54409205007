//! `labrys cover`: resolves what the command line means, runs the search, tells what came out.

use std::path::Path;

use labrys_engine::{Ahead, Budget, End, Judge, Session, Setup, StopFlag, Technique};
use labrys_executor::{Checker, Crew, Executor, Launch, Limits, Mode, input_objects};
use labrys_fuzz::Hybrid;
use labrys_search::{Options, STRATEGIES, Search, SearchOptions, Strategy};
use labrys_solver::{Layers, QueryLog};
use labrys_suite::{Config, Input, Invocation, Property, StreamKind, Suite, SuiteWriter};

use crate::arguments::{self, Cover};
use crate::closing::Closing;
use crate::problem::{Problem, status};
use crate::progress;
use crate::solvers::layers;
use crate::sources;
use crate::stop;
use crate::subject::Subject;
use crate::testcomp;

/// Everything that is decided before the search starts.
struct Plan {
    subject: Subject,
    config: Config,
    initial: Vec<Input>,
    limits: Limits,
    /// The search ends when this target is reached.
    goal: Option<String>,
}

/// Does what the command says; the exit status.
pub(crate) fn cover(options: &Cover) -> Result<u8, Problem> {
    let stop = stop::on_signals()?;
    let out = &options.output.out;
    let resumed = options.output.resume.then(|| SuiteWriter::resume(out));
    let resumed = resumed.transpose()?;
    let kept = resumed.as_ref().map(|(_, suite)| &*suite.config.strategy);
    let strategy = strategy(&options.search, kept)?;
    let mut plan = resolve(options, strategy.name())?;
    let (writer, suite) = match resumed {
        Some((mut writer, suite)) => {
            check_same(&plan, &suite)?;
            writer.set_strategy(strategy.name())?;
            plan.config = suite.config.clone();
            (writer, Some(suite))
        }
        None => (SuiteWriter::create(out, &plan.config)?, None),
    };
    let mut session = start(options, &plan, writer, suite, stop)?;
    let further = SearchOptions {
        optimistic: options.search.optimistic,
        ..SearchOptions::default()
    };
    let seed = plan.config.seed;
    let search = Box::new(Search::new(strategy, further, seed));
    let mut technique: Box<dyn Technique> = match options.search.fuzz {
        true => Box::new(Hybrid::new(search, seed)),
        false => search,
    };
    let end = labrys_engine::run(&mut session, &mut *technique);
    let status = finish(options, &mut session, end);
    session.leave();
    std::mem::forget(technique);
    status
}

/// Finds out what the command line means.
fn resolve(options: &Cover, strategy: &str) -> Result<Plan, Problem> {
    let property = options.property.as_deref().map(testcomp::property);
    let property = property.transpose()?;
    let subject = Subject::open(&options.program, &options.build, options.output.quiet)?;
    if let (Some(path), Some(property)) = (&options.property, &property) {
        let warning = testcomp::missing(&subject.program, path, property);
        if let Some(warning) = warning.filter(|_| !options.output.quiet) {
            eprintln!("labrys: warning: {warning}");
        }
    }
    let invocation = Invocation::new(options.arguments.iter().cloned());
    let limits = Limits {
        timeout: options.limits.timeout_run,
        ..Limits::default()
    };
    let objects = match sources::asks_for_objects(&subject.program) {
        Some(objects) => objects,
        None => probe(&subject, &invocation, &limits)?,
    };
    let initial = sources::initial(&invocation, &options.input, objects)?;
    let test_comp = testcomp::metadata(&subject.program, &options.program, property.clone());
    let config = Config {
        program: subject.name.clone(),
        bitcode_hash: subject.hash(),
        invocation,
        streams: sources::shape(&initial),
        technique: "search".to_owned(),
        strategy: strategy.to_owned(),
        seed: options.search.seed,
        harness: testcomp::harness(&subject.program),
        test_comp,
        options: further(options),
        ..Config::default()
    };
    Ok(Plan {
        subject,
        config,
        initial,
        limits,
        goal: match property {
            Some(Property::ErrorCall(function)) => Some(function),
            _ => None,
        },
    })
}

/// The strategy that the options name, else the one that the suite was `kept` with.
fn strategy(
    options: &arguments::SearchOptions,
    kept: Option<&str>,
) -> Result<Box<dyn Strategy>, Problem> {
    let told = Options {
        depth: options.depth,
        fixed_k: options.fixed_k,
        dominators: !options.no_dominators,
        calls: options.call_contexts,
    };
    let names = options.strategy.as_deref().or(kept);
    labrys_search::build(names.unwrap_or(STRATEGIES[0].name), &told).map_err(|unknown| {
        let names: Vec<&str> = STRATEGIES.iter().map(|entry| entry.name).collect();
        Problem::usage(format!(
            "there is no strategy {unknown}; choose one of {}, or several separated by commas",
            names.join(", ")
        ))
    })
}

/// Runs the program once to see whether it asks for input objects.
pub(crate) fn probe(
    subject: &Subject,
    invocation: &Invocation,
    limits: &Limits,
) -> Result<bool, Problem> {
    let input = Input::objects("");
    let launch = launch(&subject.instrumented, invocation, input.shape(), subject);
    let mut executor = Executor::start(launch, limits.clone())?;
    let run = executor.run(&input, Mode::Symbolic)?;
    Ok(run.recording.objects_used > 0 || !input_objects(&run.recording).is_empty())
}

/// Options that are needed to build or run the program again.
fn further(options: &Cover) -> std::collections::BTreeMap<String, String> {
    let mut further = std::collections::BTreeMap::new();
    let mut note = |name: &str, value: String| further.insert(name.to_owned(), value);
    if !options.build.cc_flag.is_empty() {
        note("cc-flag", options.build.cc_flag.join("\n"));
    }
    for (name, set) in [
        ("no-oracles", options.build.no_oracles),
        ("check-overflow", options.build.check_overflow),
    ] {
        if set {
            note(name, "true".to_owned());
        }
    }
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
    note("jobs", options.limits.jobs.to_string());
    note("max-input", options.input.max_input.to_string());
    further
}

/// A suite goes on only with the very program that it is of.
fn check_same(plan: &Plan, suite: &Suite) -> Result<(), Problem> {
    let (old, new) = (&suite.config, &plan.config);
    if old.bitcode_hash != new.bitcode_hash {
        return Err(Problem::usage(format!(
            "the suite in {} is of another build of {}; start a new one with another --out",
            suite.folder.display(),
            new.program
        )));
    }
    if old.invocation != new.invocation || old.streams != new.streams {
        return Err(Problem::usage(format!(
            "the suite in {} was made with other arguments or inputs of the program; give the \
             same ones (see config.json), or start a new suite with another --out",
            suite.folder.display()
        )));
    }
    Ok(())
}

/// The checked build, which says of failures what they are and where, if it could be linked.
pub(crate) fn judge(
    subject: &Subject,
    called: impl FnOnce(&Path) -> Launch,
    limits: &Limits,
) -> Option<Box<dyn Judge>> {
    let binary = subject.checked.as_deref()?;
    Some(Box::new(Checker::new(called(binary), limits)))
}

pub(crate) fn launch(
    binary: &Path,
    invocation: &Invocation,
    streams: Vec<StreamKind>,
    subject: &Subject,
) -> Launch {
    Launch {
        binary: binary.to_owned(),
        invocation: invocation.clone(),
        streams,
        branches: subject.program.branch_count(),
        ..Launch::default()
    }
}

fn start(
    options: &Cover,
    plan: &Plan,
    writer: SuiteWriter,
    suite: Option<Suite>,
    stop: StopFlag,
) -> Result<Session, Problem> {
    let subject = &plan.subject;
    let config = &plan.config;
    let called = |binary: &Path| {
        let streams = config.streams.clone();
        launch(binary, &config.invocation, streams, subject)
    };
    let executor = |binary: &Path| Executor::start(called(binary), plan.limits.clone());
    let checker = judge(subject, called, &plan.limits);
    labrys_engine::calls_by(&subject.instrumented);
    let setup = Setup {
        program: subject.program.clone(),
        instrumented: Box::new(executor(&subject.instrumented)?),
        crew: crew(
            &called(&subject.instrumented),
            &plan.limits,
            options.limits.jobs,
        ),
        plain: Box::new(executor(&subject.plain)?),
        checker,
        oracles: !options.build.no_oracles,
        solver: solver(options)?,
        writer,
        initial: plan.initial.clone(),
        budget: Budget {
            time: options.limits.time,
            runs: options.limits.runs,
            steps: options.limits.steps,
            goal: plan.goal.clone(),
            all_targets: options.limits.until_targets,
        },
        stop,
        observer: progress::observer(options.output.quiet),
        query_steps: options.limits.steps_solver,
        query_time: options.limits.timeout_solver,
        max_input: options.input.max_input,
    };
    let mut session = match suite {
        Some(suite) => Session::resumed(setup, suite),
        None => Session::new(setup),
    };
    session.set_audit(options.search.audit);
    Ok(session)
}

/// Who makes runs beside the search: a worker for each job but one.
pub(crate) fn crew(launch: &Launch, limits: &Limits, jobs: u8) -> Option<Box<dyn Ahead>> {
    let workers = usize::from(jobs)
        .checked_sub(1)
        .filter(|workers| *workers > 0)?;
    Some(Box::new(Crew::new(launch, limits, workers)))
}

fn solver(options: &Cover) -> Result<Layers, Problem> {
    let mut solver = layers(&options.solver, options.search.seed)?;
    if let Some(folder) = &options.output.log_queries {
        let log = QueryLog::new(folder).map_err(|error| {
            let folder = folder.display();
            Problem::usage(format!("no queries can be written to {folder}: {error}"))
        })?;
        solver.set_log(log);
    }
    Ok(solver)
}

/// Prints what came out.
fn finish(
    options: &Cover,
    session: &mut Session,
    end: Result<End, labrys_engine::Error>,
) -> Result<u8, Problem> {
    // The bar goes before the summary comes.
    session.set_observer(Box::new(labrys_engine::Silent));
    let end = end?;
    if options.output.zip && session.pack()?.is_none() {
        return Err(Problem::usage(
            "--zip packs the Test-Comp form of a suite, which only a program with \
             __VERIFIER_nondet_ functions has, or one for which --property is given"
                .to_owned(),
        ));
    }
    let summary = session.summary();
    if options.output.json {
        let text = serde_json::to_string_pretty(&summary).map_err(Problem::internal)?;
        println!("{text}");
    } else if !options.output.quiet {
        let closing = Closing {
            summary: &summary,
            statistics: session.statistics(),
            end,
            folder: &options.output.out,
        };
        print!("{closing}");
    }
    let failed = summary.failures.iter().any(|failure| failure.confirmed);
    Ok(if failed {
        status::FAILURES
    } else {
        status::DONE
    })
}
