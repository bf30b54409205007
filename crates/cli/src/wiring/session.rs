//! The parts of a session that every search has: executables, how they are called, workers.

use std::path::Path;

use labrys_engine::{Binaries, Programs};
use labrys_executor::{Executor, Launch, Mode, RunLimits, input_objects};
use labrys_suite::{Config, Input, Invocation, StreamKind};

use crate::output::problem::Problem;
use crate::wiring::inputs::{self, InputOptions};
use crate::wiring::subject::Subject;

/// The inputs to start from: what the program reads, it says itself, or a run of it.
pub(crate) fn initial_inputs(
    subject: &Subject,
    invocation: &Invocation,
    options: &InputOptions,
    limits: &RunLimits,
) -> Result<Vec<Input>, Problem> {
    let objects = match inputs::asks_for_objects(&subject.program) {
        Some(objects) => objects,
        None => probe(subject, invocation, limits)?,
    };
    inputs::initial(invocation, options, objects)
}

/// Runs the program once to see whether it asks for input objects.
fn probe(subject: &Subject, invocation: &Invocation, limits: &RunLimits) -> Result<bool, Problem> {
    let input = Input::objects("");
    let launch = launch(&subject.instrumented, invocation, input.shape(), subject);
    let mut executor = Executor::start(launch, limits.clone())?;
    let run = executor.run(&input, Mode::Symbolic)?;
    Ok(run.recording.objects_used > 0 || !input_objects(&run.recording).is_empty())
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

/// The executables of a subject, started as a suite says; of `jobs` all but one make runs beside
/// the search.
pub(crate) fn programs(
    subject: &Subject,
    config: &Config,
    limits: &RunLimits,
    jobs: u8,
) -> Result<Programs, Problem> {
    let binaries = Binaries {
        instrumented: subject.instrumented.clone(),
        plain: subject.plain.clone(),
        checked: subject.checked.clone(),
    };
    let called = |binary: &Path| {
        let streams = config.streams.clone();
        launch(binary, &config.invocation, streams, subject)
    };
    let program = &subject.program;
    Ok(Programs::start(program, &binaries, &called, limits, jobs)?)
}
