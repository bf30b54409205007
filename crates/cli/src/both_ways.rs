//! Backward and forward toward the same targets.
//!
//! A program that makes its input (`labrys_symbolic`) is searched backward, and then, in the time
//! that is left, forward. Of one that reads files, backward execution gives proofs only; there the
//! two take turns as soon as backward execution has had a first look at each target. Turns are
//! counted in work, not in time, so that a search repeats.

use labrys_backward::Symcretic;
use labrys_engine::{Error, Progress, Session, Technique};
use labrys_search::{CfgDirected, Interleaved, Options, STRATEGIES, Search, SearchOptions};
use labrys_suite::Input;

/// Expressions that backward execution looks at in about the time of one step forward.
const WORK_PER_STEP: u64 = 2_000;

/// See the module.
pub(crate) struct BothWays<'p> {
    pub(crate) backward: Symcretic<'p>,
    /// Whether to search forward at all.
    on: bool,
    /// There once it has begun.
    forward: Option<Search>,
    backward_done: bool,
    forward_done: bool,
    /// Steps forward before the next one backward.
    owed: u64,
    /// Work of backward execution that was paid for.
    paid: u64,
    seed: u64,
    kept: Option<Input>,
    /// Inputs to begin with.
    seeds: Vec<Input>,
}

impl<'p> BothWays<'p> {
    pub(crate) fn new(backward: Symcretic<'p>, on: bool, seed: u64, seeds: Vec<Input>) -> Self {
        BothWays {
            backward,
            on,
            forward: None,
            backward_done: false,
            forward_done: !on,
            owed: 0,
            paid: 0,
            seed,
            kept: None,
            seeds,
        }
    }

    /// Concolic search toward what is open, in turns with one toward everything: the nearest
    /// decision in the control flow may not be the one that matters.
    fn begin_forward(&mut self, session: &mut Session) {
        if !self.on || self.forward.is_some() || !self.backward.has_open() {
            return;
        }
        let seeds = std::mem::take(&mut self.seeds);
        for input in seeds.into_iter().chain(self.backward.take_near()) {
            session.suggest(input, "seed");
        }
        let toward = CfgDirected::toward(self.backward.leads());
        let all = (STRATEGIES[0].build)(&Options::default());
        let both = Interleaved::new(vec![Box::new(toward), all]);
        let search = Search::new(Box::new(both), SearchOptions::default(), self.seed);
        self.forward = Some(search);
    }

    fn step_forward(&mut self, session: &mut Session) -> Result<(), Error> {
        let Some(forward) = self.forward.as_mut().filter(|_| self.backward.has_open()) else {
            self.forward_done = true;
            return Ok(());
        };
        self.forward_done = forward.step(session)? == Progress::Done;
        if session.last_kept() != self.kept.as_ref() {
            self.kept = session.last_kept().cloned();
            if let Some(input) = self.kept.clone() {
                self.backward.try_forward(session, &input)?;
                self.kept = session.last_kept().cloned();
            }
        }
        Ok(())
    }

    fn step_backward(&mut self, session: &mut Session) -> Result<(), Error> {
        self.backward_done = self.backward.step(session)? == Progress::Done;
        let proofs_only = !self.backward.makes_inputs() && self.backward.has_looked_at_all();
        if self.backward_done || proofs_only {
            self.begin_forward(session);
        }
        if self.forward.is_some() {
            let work = self.backward.work();
            self.owed = 1 + (work - self.paid) / WORK_PER_STEP;
            self.paid = work;
        } else {
            self.paid = self.backward.work();
        }
        Ok(())
    }
}

impl Technique for BothWays<'_> {
    fn name(&self) -> &'static str {
        self.backward.name()
    }

    fn step(&mut self, session: &mut Session) -> Result<Progress, Error> {
        if self.backward_done && (self.forward_done || self.forward.is_none()) {
            return Ok(Progress::Done);
        }
        let forward = self.forward.is_some() && !self.forward_done;
        if forward && (self.owed > 0 || self.backward_done) {
            self.owed = self.owed.saturating_sub(1);
            self.step_forward(session)?;
        } else {
            self.step_backward(session)?;
        }
        Ok(Progress::More)
    }
}
