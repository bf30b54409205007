//! Measures runs per second: `speed PROGRAM BRANCHES [INPUT]`, standard input as the only
//! stream.

use std::time::{Duration, Instant};

use labrys_executor::{Executor, Launch, Limits, Mode};
use labrys_suite::Input;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: speed PROGRAM BRANCHES [INPUT]";
    let binary = arguments.next().ok_or(usage)?.into();
    let branches = arguments.next().ok_or(usage)?.parse()?;
    let input = Input::stdin(arguments.next().unwrap_or_default());
    let launch = Launch {
        binary,
        branches,
        streams: input.shape(),
        ..Launch::default()
    };
    let mut executor = Executor::start(launch, Limits::default())?;
    for mode in [Mode::Coverage, Mode::Symbolic] {
        let (start, mut runs, mut inside) = (Instant::now(), 0_u32, 0.0);
        while start.elapsed() < Duration::from_secs(2) {
            let run = executor.run(&input, mode)?;
            inside += run.seconds;
            runs += 1;
            executor.recycle(run.recording);
        }
        let rate = f64::from(runs) / start.elapsed().as_secs_f64();
        let share = inside / start.elapsed().as_secs_f64() * 100.0;
        println!("{mode:?}: {rate:.0} runs per second, {share:.0} % of the time in the program");
    }
    Ok(())
}
