//! Measures what runs cost: `speed PROGRAM BRANCHES FILE [SECONDS [PLAIN]]`, the file as
//! standard input.
//!
//! One line per mode: runs per second, median seconds of a run, and for symbolic runs nodes,
//! nodes per second, and runs per second with the trace validated. With the plain build of the
//! program, one line more: what its runs take, and the median of the ratios where each symbolic
//! run is followed by a plain one, so that other work of the machine slows both.

use std::time::{Duration, Instant};

use labrys_executor::{Error, Executor, Launch, Mode, RunLimits};
use labrys_program::Program;
use labrys_suite::Input;
use labrys_trace::Trace;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: speed PROGRAM BRANCHES FILE [SECONDS [PLAIN]]";
    let binary = arguments.next().ok_or(usage)?;
    let branches = arguments.next().ok_or(usage)?.parse()?;
    let input = Input::stdin(std::fs::read(arguments.next().ok_or(usage)?)?);
    let seconds = arguments.next().map_or(Ok(2), |text| text.parse())?;
    let seconds = Duration::from_secs(seconds);
    let start = |binary: String| -> Result<Executor, Error> {
        let launch = Launch {
            binary: binary.into(),
            branches,
            streams: input.shape(),
            ..Launch::default()
        };
        let limits = RunLimits {
            timeout: Duration::from_secs(20),
            ..RunLimits::default()
        };
        Executor::start(launch, limits)
    };
    let mut executor = start(binary)?;
    for mode in [Mode::Coverage, Mode::Symbolic] {
        report(&mut executor, &input, mode, seconds)?;
    }
    if let Some(plain) = arguments.next() {
        compare(&mut executor, &mut start(plain)?, &input, seconds)?;
    }
    Ok(())
}

/// One run; its seconds and nodes.
fn run(executor: &mut Executor, input: &Input, mode: Mode) -> Result<(f64, usize), Failure> {
    let run = executor.run(input, mode)?;
    let nodes = run.recording.nodes.len();
    if mode == Mode::Coverage {
        executor.recycle(run.recording);
    } else {
        // Sites are not needed to validate nodes; switches then have no cases.
        let trace = Trace::new(run.recording, &Program::default())?;
        executor.recycle(trace.into_recording());
    }
    Ok((run.seconds, nodes))
}

fn report(
    executor: &mut Executor,
    input: &Input,
    mode: Mode,
    seconds: Duration,
) -> Result<(), Failure> {
    let (start, mut times, mut nodes) = (Instant::now(), Vec::new(), 0);
    while start.elapsed() < seconds {
        let (time, count) = run(executor, input, mode)?;
        times.push(time);
        nodes = count;
    }
    let rate = times.len() as f64 / start.elapsed().as_secs_f64();
    let median = median(&mut times);
    let speed = nodes as f64 / median / 1e6;
    println!(
        "{mode:?}: {rate:.0} runs/s, median {:.3} ms, {nodes} nodes, {speed:.1} M nodes/s",
        median * 1e3
    );
    Ok(())
}

fn compare(
    executor: &mut Executor,
    plain: &mut Executor,
    input: &Input,
    seconds: Duration,
) -> Result<(), Failure> {
    let (start, mut times, mut ratios) = (Instant::now(), Vec::new(), Vec::new());
    while start.elapsed() < seconds {
        let (symbolic, _) = run(executor, input, Mode::Symbolic)?;
        let (native, _) = run(plain, input, Mode::Coverage)?;
        times.push(native);
        ratios.push(symbolic / native);
    }
    println!(
        "plain build: median {:.3} ms; symbolic {:.1} times as long (median of {} pairs)",
        median(&mut times) * 1e3,
        median(&mut ratios),
        ratios.len()
    );
    Ok(())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
