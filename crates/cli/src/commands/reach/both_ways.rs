//! Backward and forward toward the same targets.
//!
//! The two take turns as soon as backward execution has had a first look at each target: what is
//! easy for one may be hard for the other, and proofs need backward execution to its end. Turns
//! are counted in work, not in time, so that a search repeats.

use labrys_backward::Symcretic;
use labrys_engine::{Error, Progress, Session, Technique};
use labrys_search::{CfgDirected, Interleaved, Options, STRATEGIES, Search, SearchOptions};
use labrys_suite::Input;

// What takes about as long as a step of the solver.
/// Expressions that are looked at.
const EXPRESSIONS: u64 = 100;
/// Instructions of the machine.
const INSTRUCTIONS: u64 = 1_000;
/// Steps of the solver in the time of a run.
const RUN: u64 = 40;

/// See the module.
pub(crate) struct BothWays<'p> {
    pub(crate) backward: Symcretic<'p>,
    /// Whether to search forward at all.
    on: bool,
    /// There once it has begun.
    forward: Option<Search>,
    backward_done: bool,
    forward_done: bool,
    /// Work since both go on, in steps of the solver.
    backward_work: u64,
    forward_work: u64,
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
            backward_work: 0,
            forward_work: 0,
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
        if self.backward_done || self.backward.has_looked_at_all() {
            self.begin_forward(session);
        }
        if self.forward.is_some() {
            for input in self.backward.take_near() {
                session.suggest(input, "seed");
            }
        }
        Ok(())
    }

    /// All that was done so far, in steps of the solver.
    fn work(&self, session: &Session) -> u64 {
        let done = session.statistics();
        let runs = done.runs + done.reruns + done.replays;
        let backward = self.backward.work() / EXPRESSIONS + self.backward.executed() / INSTRUCTIONS;
        done.solver_steps + RUN * runs + backward
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
        let both = self.forward.is_some() && !self.forward_done;
        let before = self.work(session);
        if both && (self.backward_done || self.forward_work <= self.backward_work) {
            self.step_forward(session)?;
            self.forward_work += self.work(session) - before;
        } else {
            self.step_backward(session)?;
            if both {
                self.backward_work += self.work(session) - before;
            }
        }
        Ok(Progress::More)
    }
}
