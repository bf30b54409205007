//! `labrys unit`: shows the unit of a function.

use std::path::PathBuf;

use clap::Args;
use labrys_composition::Planner;
use labrys_engine::SessionBuilder;
use labrys_executor::RunLimits;
use labrys_program::{FunctionId, Program};
use labrys_scratch::TemporaryFolder;
use labrys_suite::{Config, Invocation, SuiteWriter};

use crate::commands::hunt::{SeedOptions, UnitOptions};
use crate::output::console::print_with;
use crate::output::problem::{Problem, status};
use crate::wiring::build::Builder;
use crate::wiring::ending::Ending;
use crate::wiring::inputs::{self, InputOptions};
use crate::wiring::session::{initial_inputs, programs};
use crate::wiring::solver::{SolverOptions, layers};
use crate::wiring::subject::{BuildOptions, Stock, Subject, model_of_deferred};
use crate::wiring::workshop::{extent, request};

const UNIT: &str = "Show the unit of a function, as labrys hunt tests it";

const UNIT_EXAMPLES: &str = "\
Examples:
  labrys unit parser.c parse_value
  labrys unit xmlwf doContent --seeds tests -- @@";

/// Options of `labrys unit`.
#[derive(Args, Debug)]
#[command(about = UNIT, after_help = UNIT_EXAMPLES)]
pub(crate) struct Unit {
    /// Executable built by labrys-cc, or a C source
    #[arg(value_name = "PROGRAM|FILE.c")]
    pub(crate) program: PathBuf,

    /// The function
    pub(crate) function: String,

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

    #[command(flatten)]
    pub(crate) solver: SolverOptions,
}

/// Does what the command says; the exit status.
pub(crate) fn unit(options: &Unit) -> Result<u8, Problem> {
    if let Some(program) = model_of_deferred(&options.program)? {
        // The user does not wait for a build to learn of a wrong name.
        defined(&program, &options.function)?;
    }
    let builder = Builder::waiting(false);
    let program = std::slice::from_ref(&options.program);
    let subject = Subject::open(program, &options.build, &builder)?;
    let function = defined(&subject.program, &options.function)?;
    let mut planner = planner(options, &subject)?;
    let plan = planner.plan(function);
    let name = |id: &FunctionId| subject.program.functions[id.index()].name.clone();
    let relevance = |id: &FunctionId| planner.relevance().of(function, *id);
    let drivers = Stock::of(&subject)?.describe(&request(&subject, &plan, &[]))?;
    print_with(|out| {
        writeln!(out, "unit of {}", options.function)?;
        let (runs, threshold) = (planner.relevance().runs(), planner.threshold());
        writeln!(
            out,
            "  relevance from {runs} runs, close from {threshold:.2} on"
        )?;
        for (title, functions) in [("functions", &plan.members), ("stubs", &plan.stubs)] {
            writeln!(out, "{title}")?;
            for one in functions {
                writeln!(out, "  {:<24} {:.2}", name(one), relevance(one))?;
            }
        }
        for (function, refusal) in &drivers.left_out {
            writeln!(out, "left out {function}: {refusal}")?;
        }
        for entry in &drivers.unit.entries {
            writeln!(out, "inputs of {}", entry.name)?;
            for leaf in &entry.leaves {
                let (offset, size) = (leaf.offset, leaf.size);
                writeln!(out, "  {offset:>5} {size:>5} bytes  {}", leaf.name)?;
            }
        }
        writeln!(out, "driver\n{}", drivers.text)
    })?;
    Ok(status::DONE)
}

/// The function of a name that the program defines.
fn defined(program: &Program, name: &str) -> Result<FunctionId, Problem> {
    let function = program.function_named(name);
    let function = function.filter(|id| program.functions[id.index()].defined);
    function.ok_or_else(|| {
        Problem::usage(format!(
            "the program does not define {name}; labrys sites lists the functions with decisions"
        ))
    })
}

/// Measures relevance, in a suite that nobody keeps.
fn planner(options: &Unit, subject: &Subject) -> Result<Planner, Problem> {
    let ending = Ending::in_order(None)?;
    let input = options.seeds.inputs(&options.input)?;
    let invocation = Invocation::new(options.arguments.iter().cloned());
    let limits = RunLimits::default();
    let initial = initial_inputs(subject, &invocation, &input, &limits, options.seeds.seed)?;
    let seed = options.seeds.seed;
    let config = Config {
        program: subject.name.clone(),
        bitcode_hash: subject.hash(),
        invocation,
        streams: inputs::shape(&initial),
        technique: "relevance".to_owned(),
        seed,
        ..Config::default()
    };
    let folder = TemporaryFolder::new().map_err(Problem::program)?;
    let writer = SuiteWriter::create(&folder.path().join("suite"), &config)?;
    let programs = programs(subject, &config, &limits, 1)?;
    let solver = layers(&options.solver, seed)?;
    let mut session = SessionBuilder::new(programs, solver, writer)
        .initial(initial)
        .stop(ending.stop())
        .max_input(options.input.max_input)
        .oracles(false)
        .start();
    let mut measurement = options.seeds.measurement(seed);
    labrys_engine::run(&mut session, &mut measurement)?;
    let extent = extent(options.units.no_extended_units, options.units.random_units);
    let relevance = measurement.relevance().clone();
    Ok(Planner::new(&subject.program, relevance, extent, seed))
}
