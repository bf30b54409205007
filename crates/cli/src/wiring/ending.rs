//! When a command is to end before it is done: at a signal, and when its time is over.
//!
//! The first signal sets the stop flag, which every stage looks at; a second one ends the command
//! at once. The time counts from the start of the command, so it holds the build too.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use labrys_engine::StopFlag;
use labrys_executor::Interrupt;
use signal_hook::flag;

use crate::output::problem::Problem;

/// See the module. Clones are of the same command.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    stop: StopFlag,
    /// The signal that set the flag, 0 before.
    signal: Arc<AtomicUsize>,
    began: Instant,
    time: Option<Duration>,
}

impl Ending {
    /// Signals end the command as they end every program; it has no limit of time.
    pub(crate) fn at_once() -> Self {
        Ending {
            stop: StopFlag::default(),
            signal: Arc::default(),
            began: Instant::now(),
            time: None,
        }
    }

    /// From now on signals set the stop flag, and the time runs.
    pub(crate) fn in_order(time: Option<Duration>) -> Result<Self, Problem> {
        let ending = Ending {
            time,
            ..Self::at_once()
        };
        for signal in labrys_cc::ending_signals() {
            // In this order the first signal passes the shutdown by, and sets the flag.
            let (status, number) = (128 + signal, signal as usize);
            flag::register_conditional_shutdown(signal, status, ending.stop.shared())
                .and_then(|_| flag::register_usize(signal, ending.signal.clone(), number))
                .and_then(|_| flag::register(signal, ending.stop.shared()))
                .map_err(|error| Problem::internal(format!("cannot handle signals: {error}")))?;
        }
        Ok(ending)
    }

    /// The flag that signals set.
    pub(crate) fn stop(&self) -> StopFlag {
        self.stop.clone()
    }

    /// The same for a run of a program.
    pub(crate) fn interrupt(&self) -> Interrupt {
        let end = self.time.and_then(|time| self.began.checked_add(time));
        Interrupt::new(self.stop.shared(), end)
    }

    /// What is left of the time.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.time
            .map(|time| time.saturating_sub(self.began.elapsed()))
    }

    /// Why a build must not go on.
    pub(crate) fn ended_build(&self) -> Option<Problem> {
        if self.stop.is_set() {
            let signal = self.signal.load(Ordering::Relaxed);
            return Some(Problem {
                text: "stopped while the program was built; there is nothing to keep".to_owned(),
                status: 128 + signal as u8,
            });
        }
        let over = self.time_left().is_some_and(|left| left.is_zero());
        over.then(|| {
            Problem::program(
                "the time was over before the program was built; give more --time, or build it \
                 ahead: by labrys-cc, with LABRYS_WHOLE=1, and name the executable",
            )
        })
    }
}
