//! Backward and forward toward the same targets.
//!
//! The two share the work as soon as backward execution has had a first look at each target, or at
//! many: a target that is easy for one may be hard for the other, and proofs need backward execution
//! to its end. Of programs that read their input through a parser hardly anything is decided backward, so
//! who decides more has more, and backward execution has less with each pass that decides nothing.
//!
//! Law: the share of a direction is one more than the targets that it decided since both work; that
//! of backward execution is divided by one more than the passes in vain that open targets have had on
//! average.

use labrys_backward::Symcretic;
use labrys_engine::{Error, Progress, Session, Technique};
use labrys_portfolio::{Arm, Policy, Portfolio, Scheduler};
use labrys_search::BuildJoined;
use labrys_suite::Input;

use crate::wiring::backward::effort;
use crate::wiring::system::aided_search_toward;

/// Targets that backward execution looks at first. Of a program of 14,000 branches the first looks took
/// all of the time.
const MANY: usize = 128;

/// See the module.
pub(crate) struct BothDirections<'p> {
    pub(crate) backward: Symcretic<'p>,
    /// Whether to search forward at all.
    on: bool,
    /// There until the forward search begins.
    joined: Option<BuildJoined<'p>>,
    /// There once it has begun.
    forward: Option<Portfolio<'p>>,
    scheduler: Scheduler,
    forward_arm: Arm,
    backward_arm: Arm,
    /// Targets that each decided since both work.
    decided: [usize; 2],
    seed: u64,
    kept: Option<Input>,
    /// Inputs to begin with.
    seeds: Vec<Input>,
}

impl<'p> BothDirections<'p> {
    /// `forward` builds the program with joined paths for the forward search, if there is to be one.
    pub(crate) fn new(
        backward: Symcretic<'p>,
        forward: Option<BuildJoined<'p>>,
        seed: u64,
        seeds: Vec<Input>,
    ) -> Self {
        let mut scheduler = Scheduler::new(Policy::Shares);
        let (forward_arm, backward_arm) = (scheduler.add(1), scheduler.add(1));
        scheduler.pause(forward_arm);
        BothDirections {
            backward,
            on: forward.is_some(),
            joined: forward,
            forward: None,
            scheduler,
            forward_arm,
            backward_arm,
            decided: [0; 2],
            seed,
            kept: None,
            seeds,
        }
    }

    /// Concolic search toward the open targets, with what helps it beside it.
    fn begin_forward(&mut self, session: &mut Session) {
        if !self.backward.has_open() {
            return;
        }
        let Some(joined) = self.joined.take() else {
            return;
        };
        let seeds = std::mem::take(&mut self.seeds);
        for input in seeds.into_iter().chain(self.backward.take_near()) {
            session.suggest(input, "seed");
        }
        self.forward = Some(aided_search_toward(
            self.backward.leads(),
            joined,
            self.seed,
        ));
        self.scheduler.resume(self.forward_arm);
    }

    fn step_forward(&mut self, session: &mut Session) -> Result<(), Error> {
        let Some(forward) = self.forward.as_mut().filter(|_| self.backward.has_open()) else {
            self.scheduler.retire(self.forward_arm);
            return Ok(());
        };
        if forward.step(session)? == Progress::Done {
            self.scheduler.retire(self.forward_arm);
        }
        if session.kept_inputs().last() != self.kept.as_ref() {
            self.kept = session.kept_inputs().last().cloned();
            if let Some(input) = self.kept.clone() {
                self.backward.try_forward(session, &input)?;
                self.kept = session.kept_inputs().last().cloned();
            }
        }
        Ok(())
    }

    fn step_backward(&mut self, session: &mut Session) -> Result<(), Error> {
        let done = self.backward.step(session)? == Progress::Done;
        if done {
            self.scheduler.retire(self.backward_arm);
        }
        let waits = self.on && self.forward.is_none();
        if waits && (done || self.backward.has_looked_at(MANY)) {
            self.begin_forward(session);
        }
        if self.forward.is_some() {
            for input in self.backward.take_near() {
                session.suggest(input, "seed");
            }
        }
        Ok(())
    }
}

impl BothDirections<'_> {
    /// Books work of a direction, and the targets that it decided.
    fn book(&mut self, arm: Arm, work: u64, decided: usize) {
        self.scheduler.spend(arm, work as f64);
        let backward = arm == self.backward_arm;
        let all = &mut self.decided[usize::from(backward)];
        *all += decided;
        let vain = if backward {
            self.backward.passes_in_vain()
        } else {
            0.0
        };
        self.scheduler
            .set_share(arm, (*all + 1) as f64 / (1.0 + vain));
    }
}

impl Technique for BothDirections<'_> {
    fn name(&self) -> &'static str {
        self.backward.name()
    }

    fn step(&mut self, session: &mut Session) -> Result<Progress, Error> {
        // With shares nothing is drawn.
        let Some(arm) = self.scheduler.step(|| 0.0) else {
            return Ok(Progress::Done);
        };
        // What backward execution does alone, at first, gives the forward search no claim.
        let both = self.scheduler.is_active(self.forward_arm);
        let before = effort(session, &self.backward);
        let open = self.backward.open_count();
        if arm == self.forward_arm {
            self.step_forward(session)?;
        } else {
            self.step_backward(session)?;
        }
        if both {
            let work = effort(session, &self.backward) - before;
            let decided = open.saturating_sub(self.backward.open_count());
            self.book(arm, work, decided);
        }
        Ok(Progress::More)
    }
}
