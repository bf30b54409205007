//! Symcretic execution as commands set it up, and how its work compares with that of a search.

use labrys_analysis::ProgramAnalysis;
use labrys_backward::{Settings, Symcretic, Target};
use labrys_engine::Session;
use labrys_executor::Linked;
use labrys_fuzz::EXECUTION_STEPS;
use labrys_program::{FunctionId, Program};
use labrys_suite::{Config, Input};

use crate::output::problem::Problem;
use crate::wiring::session::launch;
use crate::wiring::subject::Subject;

// These take about as long as a step of the solver.
/// Expressions that are looked at.
const EXPRESSIONS: u64 = 100;
/// Instructions of the machine.
const INSTRUCTIONS: u64 = 1_000;

/// All that was done so far, in steps of the solver.
pub(crate) fn effort(session: &Session, backward: &Symcretic<'_>) -> u64 {
    let fuzzed = session.fuzzed() * EXECUTION_STEPS;
    session.effort() + fuzzed + backward.work() / EXPRESSIONS + backward.executed() / INSTRUCTIONS
}

/// The main function of a program; `otherwise` is what a user can do who has none.
pub(crate) fn main_function(program: &Program, otherwise: &str) -> Result<FunctionId, Problem> {
    program
        .function_named("main")
        .filter(|id| program.functions[id.index()].defined)
        .ok_or_else(|| Problem::program(format!("the program has no main of its own; {otherwise}")))
}

/// Where symcretic execution begins, and how.
pub(crate) struct Start<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) config: &'a Config,
    pub(crate) entry: FunctionId,
    /// Iterations of a loop in the last pass.
    pub(crate) loop_bound: u32,
    /// An input with the streams of the suite.
    pub(crate) template: Input,
    /// Others, from which phase II may start.
    pub(crate) seeds: Vec<Input>,
}

/// Symcretic execution toward these targets.
pub(crate) fn symcretic<'p>(
    start: Start<'_>,
    analysis: &'p ProgramAnalysis<'p>,
    targets: Vec<Target>,
) -> Symcretic<'p> {
    let Start {
        subject, config, ..
    } = start;
    let settings = Settings {
        entry: start.entry,
        loop_bound: start.loop_bound,
        template: start.template,
        seeds: spread(start.seeds),
        line: command_line(config),
        external: labrys_solver::call_function,
    };
    let streams = config.streams.clone();
    let plain = launch(&subject.plain, &config.invocation, streams, subject);
    Symcretic::new(analysis, settings, targets).with_linked(Linked::of(plain, subject.folder()))
}

/// The arguments of the program, its name first.
pub(crate) fn command_line(config: &Config) -> Vec<String> {
    let name = std::iter::once("program".to_owned());
    let given = config.invocation.resolved_arguments(&config.streams);
    name.chain(given).collect()
}

/// Inputs from which phase II starts, at most.
const SEEDS: usize = 16;

/// Some of the inputs, evenly spread.
fn spread(inputs: Vec<Input>) -> Vec<Input> {
    let step = inputs.len().div_ceil(SEEDS).max(1);
    inputs.into_iter().step_by(step).collect()
}
