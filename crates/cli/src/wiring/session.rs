//! The parts of a session that every search has: executables, how they are called, workers.

use std::path::Path;
use std::sync::Arc;

use labrys_engine::{Binaries, Programs};
use labrys_executor::{Executor, Launch, Mode, RunLimits, input_objects};
use labrys_program::Program;
use labrys_suite::{Config, Input, InputStream, Invocation, Outcome, StreamKind, Suite};

use crate::output::console::note;
use crate::output::problem::Problem;
use crate::wiring::inputs::{self, InputOptions, Values};
use crate::wiring::subject::Subject;

/// The inputs to start from: what the program reads, it says itself, or a run of it.
pub(crate) fn initial_inputs(
    subject: &Subject,
    invocation: &Invocation,
    options: &InputOptions,
    limits: &RunLimits,
    seed: u64,
) -> Result<Vec<Input>, Problem> {
    let objects = match inputs::asks_for_objects(&subject.program) {
        Some(objects) => objects,
        None => probe(subject, invocation, limits)?,
    };
    inputs_of(subject, invocation, options, limits, (objects, seed))
}

/// The inputs to start from, if it is known whether the program asks for objects; the other is the
/// seed.
pub(crate) fn inputs_of(
    subject: &Subject,
    invocation: &Invocation,
    options: &InputOptions,
    limits: &RunLimits,
    (objects, seed): (bool, u64),
) -> Result<Vec<Input>, Problem> {
    let lay = &mut |like: &Input, values: &[String]| {
        let launch = launch(&subject.instrumented, invocation, like.shape(), subject);
        lay(Executor::start(launch, limits.clone())?, like, values)
    };
    inputs::initial(invocation, options, objects, &mut Values { lay, seed })
}

/// Lays values out as the objects that the program asks for. Which those are may depend on the
/// values, so the program is run until it asks for nothing else.
fn lay(mut executor: Executor, like: &Input, values: &[String]) -> Result<Input, Problem> {
    let objects = |stream: &InputStream| stream.kind == StreamKind::Objects;
    let mut input = like.clone();
    let Some(stream) = input.streams.iter().position(objects) else {
        return Ok(input);
    };
    for _ in 0..=values.len() {
        let run = executor.run(&input, Mode::Symbolic)?;
        let before = input.streams[stream].bytes.clone();
        for (object, value) in input_objects(&run.recording).iter().zip(values) {
            let bytes = object.parse(value).ok_or_else(|| {
                let text = format!("--input: {value} is no value of {} bytes", object.size);
                Problem::usage(text)
            })?;
            for (at, byte) in (object.offset as usize..).zip(bytes) {
                input.set_byte(stream, at, byte);
            }
        }
        if input.streams[stream].bytes == before {
            break;
        }
    }
    Ok(input)
}

/// What the options say of calls of the program.
pub(crate) struct Call<'a> {
    pub(crate) arguments: &'a [String],
    pub(crate) input: &'a InputOptions,
    pub(crate) limits: &'a RunLimits,
    pub(crate) seed: u64,
    pub(crate) quiet: bool,
}

/// How the program is called, and the inputs to start from: as the options say, or as in a suite
/// that the command goes on from where they say nothing.
pub(crate) fn calls(
    call: &Call<'_>,
    suite: Option<&Suite>,
    subject: &Subject,
) -> Result<(Invocation, Vec<Input>), Problem> {
    let silent = call.arguments.is_empty() && call.input.says_nothing();
    let case = suite.and_then(|suite| suite.cases.first());
    if let (Some(suite), Some(case)) = (suite, case.filter(|_| silent)) {
        return Ok((suite.config.invocation.clone(), vec![case.input.clone()]));
    }
    let invocation = invocation(call.arguments, call.quiet);
    let initial = initial_inputs(subject, &invocation, call.input, call.limits, call.seed)?;
    Ok((invocation, initial))
}

/// How the program is called. Programs run in an empty folder: an argument that names something in the
/// folder where the command is given is told of, as they will not find it.
pub(crate) fn invocation(arguments: &[String], quiet: bool) -> Invocation {
    let is_dots = |path: &Path| {
        path.components()
            .all(|part| part.as_os_str() == "." || part.as_os_str() == "..")
    };
    let found = |path: &Path| path.is_relative() && path.exists() && !is_dots(path);
    let named = |argument: &&String| found(Path::new(argument.as_str()));
    if let Some(name) = arguments.iter().find(named).filter(|_| !quiet) {
        note(format_args!(
            "labrys: warning: programs run in an empty folder, where {name} is not; if the \
             argument is that file or folder, give its absolute path"
        ));
    }
    Invocation::new(arguments.iter().cloned())
}

/// Runs the program once to see whether it asks for input objects.
fn probe(subject: &Subject, invocation: &Invocation, limits: &RunLimits) -> Result<bool, Problem> {
    let input = Input::objects("");
    let launch = launch(&subject.instrumented, invocation, input.shape(), subject);
    let mut executor = Executor::start(launch, limits.clone())?;
    let run = executor.run(&input, Mode::Symbolic)?;
    Ok(run.recording.objects_used > 0 || !input_objects(&run.recording).is_empty())
}

/// How the program ends on an input, and the last line that it prints then, if it ends with an exit
/// status other than 0.
pub(crate) fn complaint(
    subject: &Subject,
    invocation: &Invocation,
    input: &Input,
    limits: &RunLimits,
) -> Result<Option<String>, Problem> {
    let launch = Launch {
        capture: true,
        ..launch(&subject.plain, invocation, input.shape(), subject)
    };
    let run = Executor::start(launch, limits.clone())?.run(input, Mode::Coverage)?;
    let Outcome::Exit(code @ 1..) = run.outcome else {
        return Ok(None);
    };
    let printed = match run.stderr.is_empty() {
        true => run.stdout,
        false => run.stderr,
    };
    let printed = String::from_utf8_lossy(&printed);
    let line = printed
        .lines()
        .map(str::trim)
        .rfind(|line| !line.is_empty());
    Ok(Some(match line {
        Some(line) => format!("exit status {code} after {line:?}"),
        None => format!("exit status {code} and prints nothing"),
    }))
}

/// The variable that keeps programs in the namespaces of the command, if it is 0.
const ISOLATION: &str = "LABRYS_ISOLATION";

/// Whether runs are to have no namespaces of their own.
pub(crate) fn shares_namespaces() -> bool {
    is_off(ISOLATION)
}

/// The variable that has every run begin at the program's start, if it is 0.
const SNAPSHOTS: &str = "LABRYS_SNAPSHOTS";

/// Whether no run is to begin at a snapshot.
pub(crate) fn begins_at_start() -> bool {
    is_off(SNAPSHOTS)
}

/// Whether a variable of the environment is 0.
fn is_off(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| value == "0")
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
        leaks: subject.leaks,
        interrupt: subject.interrupt(),
        shares_namespaces: shares_namespaces(),
        begins_at_start: begins_at_start(),
        improves: subject.improves(binary),
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
    programs_of(subject, &subject.program, config, limits, jobs)
}

/// The same, with the static model of the subject, which it may not have itself.
pub(crate) fn programs_of(
    subject: &Subject,
    program: &Arc<Program>,
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
    Ok(Programs::start(program, &binaries, &called, limits, jobs)?)
}
