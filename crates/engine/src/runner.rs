//! What a session runs programs with: the executor, or a model of a program in tests.

use labrys_executor::{Checked, Checker, Error, Executor, Mode, Run, WorkerPool};
use labrys_suite::{Coverage, Input};
use labrys_trace::Recording;

/// Runs a program on inputs.
pub trait Runner {
    /// Runs the program once.
    ///
    /// # Errors
    /// If the program cannot be run at all. Crashes and timeouts are outcomes.
    fn run(&mut self, input: &Input, mode: Mode) -> Result<Run, Error>;

    /// As [`Runner::run`], with so many times the time of other runs.
    ///
    /// # Errors
    /// As [`Runner::run`].
    fn run_longer(&mut self, input: &Input, mode: Mode, _times: u32) -> Result<Run, Error> {
        self.run(input, mode)
    }

    /// Takes back a recording whose memory can be used again.
    fn recycle(&mut self, recording: Recording) {
        drop(recording);
    }

    /// From now on runs record how near they come to these branches, and to no others.
    fn want(&mut self, _branches: &Coverage) {}

    /// From now on runs end with their input objects, see [`Executor::bound_objects`].
    fn bound_objects(&mut self) {}
}

impl Runner for Executor {
    fn run(&mut self, input: &Input, mode: Mode) -> Result<Run, Error> {
        Executor::run(self, input, mode)
    }

    fn run_longer(&mut self, input: &Input, mode: Mode, times: u32) -> Result<Run, Error> {
        Executor::run_longer(self, input, mode, times)
    }

    fn recycle(&mut self, recording: Recording) {
        Executor::recycle(self, recording);
    }

    fn want(&mut self, branches: &Coverage) {
        Executor::want(self, branches);
    }

    fn bound_objects(&mut self) {
        Executor::bound_objects(self);
    }
}

/// Makes runs ahead of the books: several are begun before the first of them is ended. Runs end in
/// the order in which they were begun.
pub trait Ahead {
    /// How many runs are begun before the first of them is ended.
    fn places(&self) -> usize;

    /// Begins a run.
    fn begin(&mut self, input: &Input, mode: Mode);

    /// Ends the run that was begun first; `None` if there is none.
    ///
    /// # Errors
    /// If the program cannot be run at all.
    fn end(&mut self) -> Option<Result<Run, Error>>;

    /// As [`Runner::want`], for the runs that are begun from now on.
    fn want(&mut self, branches: &Coverage);

    /// As [`Runner::bound_objects`], for the runs that are begun from now on.
    fn bound_objects(&mut self) {}

    /// As [`Runner::recycle`].
    fn recycle(&mut self, recording: Recording) {
        drop(recording);
    }
}

impl Ahead for WorkerPool {
    fn places(&self) -> usize {
        self.size()
    }

    fn begin(&mut self, input: &Input, mode: Mode) {
        WorkerPool::begin(self, input, mode);
    }

    fn end(&mut self) -> Option<Result<Run, Error>> {
        WorkerPool::end(self)
    }

    fn want(&mut self, branches: &Coverage) {
        WorkerPool::want(self, branches);
    }

    fn bound_objects(&mut self) {
        WorkerPool::bound_objects(self);
    }

    fn recycle(&mut self, recording: Recording) {
        WorkerPool::recycle(self, recording);
    }
}

/// Says what fails on an input under the checks of memory: the checked build, or a model of it
/// in tests.
pub trait Judge {
    /// Runs the checked program once.
    ///
    /// # Errors
    /// If the program cannot be run at all.
    fn check(&mut self, input: &Input) -> Result<Checked, Error>;

    /// As [`Judge::check`], of an input on which a run failed; see [`Checker::check_patiently`].
    ///
    /// # Errors
    /// As [`Judge::check`].
    fn check_patiently(&mut self, input: &Input) -> Result<Checked, Error> {
        self.check(input)
    }

    /// As [`Judge::check`], with the time of a plain run; see [`Checker::check_briefly`].
    ///
    /// # Errors
    /// As [`Judge::check`].
    fn check_briefly(&mut self, input: &Input) -> Result<Checked, Error> {
        self.check(input)
    }

    /// As [`Runner::bound_objects`].
    fn bound_objects(&mut self) {}
}

impl Judge for Checker {
    fn check(&mut self, input: &Input) -> Result<Checked, Error> {
        Checker::check(self, input)
    }

    fn check_patiently(&mut self, input: &Input) -> Result<Checked, Error> {
        Checker::check_patiently(self, input)
    }

    fn check_briefly(&mut self, input: &Input) -> Result<Checked, Error> {
        Checker::check_briefly(self, input)
    }

    fn bound_objects(&mut self) {
        Checker::bound_objects(self);
    }
}
