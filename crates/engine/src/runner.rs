//! What a session runs programs with: the executor, or a model of a program in tests.

use labrys_executor::{Error, Executor, Mode, Run};
use labrys_suite::Input;
use labrys_trace::Recording;

/// Runs a program on inputs.
pub trait Runner {
    /// Runs the program once.
    ///
    /// # Errors
    /// If the program cannot be run at all. Crashes and timeouts are outcomes.
    fn run(&mut self, input: &Input, mode: Mode) -> Result<Run, Error>;

    /// Takes back a recording whose memory can be used again.
    fn recycle(&mut self, recording: Recording) {
        drop(recording);
    }
}

impl Runner for Executor {
    fn run(&mut self, input: &Input, mode: Mode) -> Result<Run, Error> {
        Executor::run(self, input, mode)
    }

    fn recycle(&mut self, recording: Recording) {
        Executor::recycle(self, recording);
    }
}
