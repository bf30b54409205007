//! `labrys hunt`: failures found in units, validated from main.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use clap::Args;
use labrys_composition::{Hunt as Technique, Measurement, Phases, Report, Settings};
use labrys_engine::{Budget, End, LONGER, Session, SessionBuilder};
use labrys_executor::RunLimits;
use labrys_suite::{Config, Harness, Input, SuiteWriter};

use crate::output::closing::Closing;
use crate::output::console::{print, print_line};
use crate::output::problem::{Problem, status};
use crate::output::progress::count;
use crate::output::{Output, progress};
use crate::wiring::backward::main_function;
use crate::wiring::build::Builder;
use crate::wiring::ending::Ending;
use crate::wiring::inputs::{self, InputOptions};
use crate::wiring::notebook::Notebook;
use crate::wiring::session::{initial_inputs, invocation, programs};
use crate::wiring::solver::{SolverOptions, layers};
use crate::wiring::subject::{BuildOptions, Stock, Subject};
use crate::wiring::system::system_search;
use crate::wiring::values::duration;
use crate::wiring::workshop::{Models, Units, extent};

const HUNT: &str = "Find failures in units, and system inputs that show them";

const HUNT_LONG: &str = "\
Tests each function of a program in a unit of its own, which fails soon and often falsely, and
looks for an input of the whole program that shows each failure: backward along the calls, from
the function up to main. Only failures that a run of the program itself showed are reported, in
failures/; those of units alone are listed as alarms in hunt.json.

PROGRAM, its arguments and its inputs are as for labrys cover.";

const HUNT_EXAMPLES: &str = "\
Examples:
  labrys hunt parser.c                       failures that standard input can show
  labrys hunt xmlwf --seeds tests -- @@      start from the files in a folder
  labrys hunt tool --time 20m --seeds ex -- -v @@";

/// Options of `labrys hunt`.
#[derive(Args, Debug)]
#[command(about = HUNT, long_about = HUNT_LONG, after_help = HUNT_EXAMPLES)]
pub(crate) struct Hunt {
    /// Executable built by labrys-cc, or C sources
    #[arg(required = true, value_name = "PROGRAM|FILE.c")]
    pub(crate) program: Vec<PathBuf>,

    /// Arguments of the program; @@ stands for a symbolic input file
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,

    #[command(flatten)]
    pub(crate) build: BuildOptions,

    #[command(flatten)]
    pub(crate) seeds: SeedOptions,

    #[command(flatten)]
    pub(crate) units: UnitOptions,

    #[command(flatten)]
    pub(crate) input: InputOptions,

    /// Stop after this time: 90, 90s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub(crate) time: Option<Duration>,

    /// A run that takes longer is cut off
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration,
          help_heading = "Limits")]
    pub(crate) timeout_run: Duration,

    /// Units that are tested at a time, and processes for the search of the whole program; another N
    /// may give another result, the same N gives the same one
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Limits",
          value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) jobs: u8,

    /// The program may run for ever, as one that serves or controls: runs that do not end are no
    /// failures
    #[arg(long, help_heading = "Limits")]
    pub(crate) endless: bool,

    #[command(flatten)]
    pub(crate) solver: SolverOptions,

    #[command(flatten)]
    pub(crate) output: Output,
}

/// System runs that relevance is measured by.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Relevance")]
pub(crate) struct SeedOptions {
    /// Folder of inputs to start from, each a file (standard input or @@)
    #[arg(long, value_name = "DIR")]
    pub(crate) seeds: Option<PathBuf>,

    /// Turns of searching and fuzzing the whole program before units are made
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) system_turns: u32,

    /// Fuzz the seeds, but do not search the whole program, neither before nor beside the units
    #[arg(long)]
    pub(crate) no_search: bool,

    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

impl SeedOptions {
    /// System runs of the program, and what they show.
    pub(crate) fn measurement(&self, seed: u64) -> Measurement<'static> {
        Measurement::new(system_search(seed, !self.no_search), self.system_turns)
    }

    /// The inputs that the user names, with those of the folder.
    pub(crate) fn inputs(&self, options: &InputOptions) -> Result<InputOptions, Problem> {
        let mut options = options.clone();
        let Some(folder) = &self.seeds else {
            return Ok(options);
        };
        let wrong = |error| {
            Problem::usage(format!(
                "--seeds {}: {error}; name a folder of input files",
                folder.display()
            ))
        };
        let entries = std::fs::read_dir(folder).map_err(wrong)?;
        let paths = entries.flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
        files.sort();
        if files.is_empty() {
            return Err(Problem::usage(format!(
                "--seeds {}: there are no files in it; name a folder of input files",
                folder.display()
            )));
        }
        options.input.extend(files);
        Ok(options)
    }
}

/// How units are made and explored.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Units")]
pub(crate) struct UnitOptions {
    /// Units of one function each: all callees are replaced by stubs
    #[arg(long, conflicts_with = "random_units")]
    pub(crate) no_extended_units: bool,

    /// Units with callees chosen at random instead of by relevance
    #[arg(long)]
    pub(crate) random_units: bool,

    /// Explore further where summaries conflict, without interpolants as constraints
    #[arg(long)]
    pub(crate) no_interpolants: bool,

    /// Queries for the exploration of a unit
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub(crate) unit_queries: u32,

    /// The longest time for it; the same queries give the same result everywhere, the same time
    /// does not
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) unit_time: Option<Duration>,

    /// Keep what was found out about units in this folder, and explore only units that no hunt with
    /// this folder has explored as they are now; several hunts, of other programs too, may use it
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
}

/// Everything that is decided before the hunt starts.
struct Plan {
    subject: Subject,
    config: Config,
    initial: Vec<Input>,
    limits: RunLimits,
}

/// Does what the command says; the exit status.
pub(crate) fn hunt(options: &Hunt) -> Result<u8, Problem> {
    let builder = Builder {
        quiet: options.output.quiet,
        ending: Ending::in_order(options.time)?,
        early: options.time.is_some() && !options.output.reproducible,
    };
    let out = &options.output.out;
    if options.output.resume {
        return Err(Problem::usage(
            "labrys hunt does not resume; start a new suite with another --out",
        ));
    }
    SuiteWriter::check_free(out)?;
    options.output.check_log()?;
    let plan = resolve(options, &builder)?;
    let writer = SuiteWriter::create(out, &plan.config)?;
    let mut session = start(options, &plan, writer, &builder.ending)?;
    let remedy = "a hunt needs one; cover a function by labrys reach --entry";
    let main = main_function(&plan.subject.program, remedy)?;
    let stock = Stock::of(&plan.subject)?;
    let units = Units {
        subject: &plan.subject,
        stock: &stock,
        config: &plan.config,
        limits: plan.limits.clone(),
        solver: &options.solver,
        stop: builder.ending.stop(),
        folder: out.join("units"),
        oracles: !options.build.no_oracles,
        max_input: options.input.max_input,
        notebook: notebook(options)?.map(Mutex::new),
        batches: Mutex::default(),
        models: Models::default(),
        ahead: Mutex::default(),
    };
    let settings = Settings {
        extent: extent(options.units.no_extended_units, options.units.random_units),
        interpolants: !options.units.no_interpolants,
        queries: options.units.unit_queries,
        time: options.units.unit_time,
        search: !options.seeds.no_search,
        seed: plan.config.seed,
        jobs: usize::from(options.jobs),
    };
    let system = options.seeds.measurement(plan.config.seed);
    let program = session.program().clone();
    let mut technique = Technique::new(&program, main, Box::new(units), system, settings);
    let end = labrys_engine::run(&mut session, &mut technique);
    let report = technique.report(&session);
    finish(options, &mut session, &report, end)
}

/// What earlier hunts found out about units that are explored as this one explores them.
fn notebook(options: &Hunt) -> Result<Option<Notebook>, Problem> {
    let Some(folder) = &options.units.store else {
        return Ok(None);
    };
    let explored = format!(
        "labrys {} {} queries {:?} seed {} {:?} {:?} {} {:?}",
        env!("CARGO_PKG_VERSION"),
        options.units.unit_queries,
        options.units.unit_time,
        options.seeds.seed,
        options.build.record(),
        options.timeout_run,
        options.input.max_input,
        options.solver,
    );
    let notebook = Notebook::open(folder, explored).map_err(|error| {
        Problem::usage(format!(
            "--store {}: {error}; name a folder that can be written",
            folder.display()
        ))
    })?;
    Ok(Some(notebook))
}

fn resolve(options: &Hunt, builder: &Builder) -> Result<Plan, Problem> {
    let input = options.seeds.inputs(&options.input)?;
    let subject = Subject::open(&options.program, &options.build, builder)?;
    let invocation = invocation(&options.arguments, options.output.quiet);
    let limits = RunLimits {
        timeout: options.timeout_run,
        ..RunLimits::default()
    };
    let initial = initial_inputs(&subject, &invocation, &input, &limits, options.seeds.seed)?;
    let mut recorded = options.build.record();
    options.output.record(&mut recorded);
    recorded.insert("jobs".to_owned(), options.jobs.to_string());
    let config = Config {
        program: subject.name.clone(),
        bitcode_hash: subject.hash(),
        invocation,
        streams: inputs::shape(&initial),
        technique: "hunt".to_owned(),
        seed: options.seeds.seed,
        harness: Harness::of(&subject.program),
        options: recorded,
        ..Config::default()
    };
    Ok(Plan {
        subject,
        config,
        initial,
        limits,
    })
}

fn start(
    options: &Hunt,
    plan: &Plan,
    writer: SuiteWriter,
    ending: &Ending,
) -> Result<Session, Problem> {
    let programs = programs(&plan.subject, &plan.config, &plan.limits, options.jobs)?;
    let mut solver = layers(&options.solver, plan.config.seed)?;
    options.output.log_to_folder(None, &mut solver)?;
    let builder = SessionBuilder::new(programs, solver, writer);
    let builder = match options.endless {
        true => builder,
        false => builder.look_for_endless_runs(LONGER),
    };
    Ok(builder
        .initial(plan.initial.clone())
        .budget(Budget {
            time: ending.time_left(),
            ..Budget::default()
        })
        .stop(ending.stop())
        .observer(progress::observer(options.output.quiet))
        .max_input(options.input.max_input)
        .oracles(!options.build.no_oracles)
        .look_at_every_run()
        .hide_added_targets()
        .start())
}

/// Writes and prints what came out.
fn finish(
    options: &Hunt,
    session: &mut Session,
    report: &Report,
    end: Result<End, labrys_engine::Error>,
) -> Result<u8, Problem> {
    session.set_observer(Box::new(labrys_engine::Silent));
    let end = end?;
    let mut report = report.clone();
    if options.output.reproducible {
        report.phases = Phases::default();
    }
    let text = serde_json::to_string_pretty(&report).map_err(Problem::internal)?;
    let path = options.output.out.join("hunt.json");
    std::fs::write(&path, text.clone() + "\n")
        .map_err(|error| Problem::unwritten(&path, &error))?;
    if options.output.json {
        print_line(text)?;
    } else if !options.output.quiet {
        let closing = Closing {
            summary: &session.summary(),
            statistics: &session.statistics(),
            end,
            folder: &options.output.out,
        };
        print(format_args!("{closing}{}", described(&report)))?;
    }
    Ok(match report.validated.is_empty() {
        true => status::DONE,
        false => status::FAILURES,
    })
}

/// What the hunt did, for people.
fn described(report: &Report) -> String {
    let mut text = String::new();
    let figures = report.figures;
    let _ = writeln!(
        text,
        "units     {} tested, {} of them in an earlier hunt, {} lines fail in them; relevance from {} \
         runs",
        figures.units, figures.remembered, figures.targets, figures.profiled
    );
    let phases = report.phases;
    let _ = writeln!(
        text,
        "time      {:.1} s for system runs, {:.1} s for units, {:.1} s for composing; building \
         units took {:.1} s",
        phases.fz,
        phases.fli,
        phases.sc + phases.cc + phases.fsr,
        phases.build
    );
    let _ = writeln!(
        text,
        "formulas  {} checked, {} came to main, {} showed a failure",
        figures.formulas, figures.at_main, figures.validating
    );
    if figures.directed > 0 {
        let _ = writeln!(
            text,
            "directed  {} of the whole program from inputs that came near",
            count(figures.directed.into(), "search")
        );
    }
    let _ = writeln!(
        text,
        "refined   {} by {}; on average {:.1} % of the branches of a refined function are covered, \
         {:.1} % before",
        count(figures.refinements, "time"),
        count(figures.interpolants, "interpolant"),
        figures.coverage_after,
        figures.coverage_before
    );
    for one in report.validated.iter().filter(|one| !one.chain.is_empty()) {
        let _ = writeln!(
            text,
            "validated {} {} by {}",
            one.kind,
            one.location,
            one.chain.join(" > ")
        );
    }
    for alarm in &report.alarms {
        let _ = writeln!(
            text,
            "alarm     {} {} in {}, not shown from main",
            alarm.kind, alarm.location, alarm.function
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use labrys_composition::Figures;

    use super::*;

    #[test]
    fn numbers_of_a_hunt_have_their_nouns() {
        let text = |directed, refinements, interpolants| {
            let figures = Figures {
                directed,
                refinements,
                interpolants,
                coverage_before: 50.0,
                coverage_after: 75.0,
                ..Figures::default()
            };
            described(&Report {
                figures,
                ..Report::default()
            })
        };
        let one = text(1, 1, 1);
        assert!(
            one.contains("directed  1 search of the whole program"),
            "{one}"
        );
        let refined = "refined   1 time by 1 interpolant; on average 75.0 % of the branches of a \
                       refined function are covered, 50.0 % before";
        assert!(one.contains(refined), "{one}");
        let several = text(2, 3, 4);
        assert!(several.contains("directed  2 searches"), "{several}");
        assert!(several.contains("3 times by 4 interpolants"), "{several}");
    }
}
