//! The parts of a session that every search has: executables, how they are called, workers.

use std::path::Path;

use labrys_engine::{Ahead, Judge};
use labrys_executor::{Checker, Crew, Executor, Launch, Limits, Mode, input_objects};
use labrys_suite::{Input, Invocation, StreamKind};

use crate::output::problem::Problem;
use crate::wiring::inputs::{self, InputOptions};
use crate::wiring::subject::Subject;

/// The inputs to start from: what the program reads, it says itself, or a run of it.
pub(crate) fn initial_inputs(
    subject: &Subject,
    invocation: &Invocation,
    options: &InputOptions,
    limits: &Limits,
) -> Result<Vec<Input>, Problem> {
    let objects = match inputs::asks_for_objects(&subject.program) {
        Some(objects) => objects,
        None => probe(subject, invocation, limits)?,
    };
    inputs::initial(invocation, options, objects)
}

/// Runs the program once to see whether it asks for input objects.
fn probe(subject: &Subject, invocation: &Invocation, limits: &Limits) -> Result<bool, Problem> {
    let input = Input::objects("");
    let launch = launch(&subject.instrumented, invocation, input.shape(), subject);
    let mut executor = Executor::start(launch, limits.clone())?;
    let run = executor.run(&input, Mode::Symbolic)?;
    Ok(run.recording.objects_used > 0 || !input_objects(&run.recording).is_empty())
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

/// Who makes runs beside the search: a worker for each job but one.
pub(crate) fn workers(launch: &Launch, limits: &Limits, jobs: u8) -> Option<Box<dyn Ahead>> {
    let workers = usize::from(jobs)
        .checked_sub(1)
        .filter(|workers| *workers > 0)?;
    Some(Box::new(Crew::new(launch, limits, workers)))
}
