//! Runs ahead of the books: with a crew, runs are begun before those before them are booked.
//!
//! Runs are booked in the order in which they were begun, one at a time, so the books do not
//! depend on how long runs take. What was begun and is not booked when a session ends is lost: it
//! counts nowhere.

use labrys_executor::{Crew, Error as RunError, Mode, Run};
use labrys_suite::{Coverage, Input, Origin};
use labrys_trace::Recording;

use crate::execute::Observation;
use crate::{Error, Session};

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
    fn end(&mut self) -> Option<Result<Run, RunError>>;

    /// As [`Runner::want`], for the runs that are begun from now on.
    fn want(&mut self, branches: &Coverage);

    /// As [`Runner::recycle`].
    fn recycle(&mut self, recording: Recording) {
        drop(recording);
    }
}

impl Ahead for Crew {
    fn places(&self) -> usize {
        self.size()
    }

    fn begin(&mut self, input: &Input, mode: Mode) {
        Crew::begin(self, input, mode);
    }

    fn end(&mut self) -> Option<Result<Run, RunError>> {
        Crew::end(self)
    }

    fn want(&mut self, branches: &Coverage) {
        Crew::want(self, branches);
    }

    fn recycle(&mut self, recording: Recording) {
        Crew::recycle(self, recording);
    }
}

/// A run that was begun and is not booked.
pub(crate) struct Begun {
    input: Input,
    origin: Origin,
    /// The run itself, where there is no crew to make it meanwhile.
    run: Option<Run>,
}

impl Session {
    /// How many runs may be begun before the first of them is booked; none without a crew.
    #[must_use]
    pub fn ahead(&self) -> usize {
        self.crew.as_ref().map_or(0, |crew| crew.places())
    }

    /// Begins a run of a new input.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub fn begin_run(&mut self, input: Input, origin: Origin) -> Result<(), Error> {
        self.tried.insert(input.stable_hash());
        let run = match &mut self.crew {
            Some(crew) => {
                crew.begin(&input, Mode::Symbolic);
                None
            }
            None => Some(self.instrumented.run(&input, Mode::Symbolic)?),
        };
        self.begun.push_back(Begun { input, origin, run });
        Ok(())
    }

    /// Waits for the run that was begun first and books what it does; `None` if there is none.
    ///
    /// # Errors
    /// If the program cannot be run or the suite not be written.
    pub fn end_run(&mut self) -> Result<Option<Observation>, Error> {
        let Some(Begun { input, origin, run }) = self.begun.pop_front() else {
            return Ok(None);
        };
        let made = || self.crew.as_mut().and_then(|crew| crew.end()).transpose();
        let Some(run) = run.map_or_else(made, |run| Ok(Some(run)))? else {
            return Ok(None);
        };
        self.book_run(run, input, origin, None, &[]).map(Some)
    }
}
