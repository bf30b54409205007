//! Measures what runs cost: `speed PROGRAM BRANCHES FILE [SECONDS]`, the file as standard input.
//!
//! One line per mode: runs per second, median seconds of a run, and for symbolic runs nodes,
//! nodes per second, and runs per second with the trace validated.

use std::time::{Duration, Instant};

use labrys_executor::{Executor, Launch, Limits, Mode};
use labrys_program::Program;
use labrys_suite::Input;
use labrys_trace::Trace;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: speed PROGRAM BRANCHES FILE [SECONDS]";
    let binary = arguments.next().ok_or(usage)?.into();
    let branches = arguments.next().ok_or(usage)?.parse()?;
    let input = Input::stdin(std::fs::read(arguments.next().ok_or(usage)?)?);
    let seconds = arguments.next().map_or(Ok(2), |text| text.parse())?;
    let launch = Launch {
        binary,
        branches,
        streams: input.shape(),
        ..Launch::default()
    };
    let limits = Limits {
        timeout: Duration::from_secs(20),
        ..Limits::default()
    };
    let mut executor = Executor::start(launch, limits)?;
    for mode in [Mode::Coverage, Mode::Symbolic] {
        let (start, mut times, mut nodes) = (Instant::now(), Vec::new(), 0);
        while start.elapsed() < Duration::from_secs(seconds) {
            let run = executor.run(&input, mode)?;
            times.push(run.seconds);
            nodes = run.recording.nodes.len();
            if mode == Mode::Coverage {
                executor.recycle(run.recording);
            } else {
                // Sites are not needed to validate nodes; switches then have no cases.
                let trace = Trace::new(run.recording, &Program::default())?;
                executor.recycle(trace.into_recording());
            }
        }
        let rate = times.len() as f64 / start.elapsed().as_secs_f64();
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        let speed = nodes as f64 / median / 1e6;
        println!(
            "{mode:?}: {rate:.0} runs/s, median {:.3} ms, {nodes} nodes, {speed:.1} M nodes/s",
            median * 1e3
        );
    }
    Ok(())
}
