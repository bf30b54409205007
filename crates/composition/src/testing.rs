//! Units that are tested at a time, each in a thread with its programs and its solver. What comes out
//! of a unit depends on its own queries only, not on the others.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use labrys_engine::Error;
use labrys_program::{FunctionId, Program};
use labrys_suite::Input;

use crate::line::Line;
use crate::plan::UnitPlan;
use crate::unit::{Ending, Unit};
use crate::workshop::Workshop;

/// Units to be tested, and how.
pub(crate) struct Testing<'h> {
    pub(crate) plans: Vec<UnitPlan>,
    pub(crate) workshop: Arc<dyn Workshop + 'h>,
    pub(crate) program: Arc<Program>,
    pub(crate) queries: u32,
    /// The longest time of one unit.
    pub(crate) time: Option<Duration>,
    /// Seed of the hunt.
    pub(crate) seed: u64,
}

/// What testing a unit showed.
pub(crate) struct Tested {
    pub(crate) inputs: Vec<Input>,
    pub(crate) lines: Vec<Line>,
    /// The functions that its runs called, in the unit's program, if that is known.
    pub(crate) called: Option<BTreeSet<String>>,
    /// How its exploration ended.
    pub(crate) ending: Ending,
    /// Steps of the solver.
    pub(crate) effort: u64,
}

/// What testing a unit showed, or why there is none.
pub(crate) type Outcome = Result<Tested, String>;

/// The seed of a unit.
pub(crate) fn seed(hunt: u64, function: FunctionId) -> u64 {
    hunt ^ u64::from(function.0)
}

impl Testing<'_> {
    /// Tests the units in order, so many at a time, or as many as the system allows threads, until it is
    /// over; what the first showed, which were begun before.
    pub(crate) fn all(
        &self,
        jobs: usize,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Outcome>, Error> {
        let next = AtomicUsize::new(0);
        let work = || -> Result<Vec<(usize, Outcome)>, Error> {
            let mut done = Vec::new();
            loop {
                if is_over() {
                    return Ok(done);
                }
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(plan) = self.plans.get(index) else {
                    return Ok(done);
                };
                done.push((index, self.one(plan)?));
            }
        };
        let parts: Vec<_> = thread::scope(|scope| {
            let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
            let others: Vec<_> = (1..jobs).map_while(start).collect();
            let own = work();
            let ended = others.into_iter().map(|thread| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            std::iter::once(own).chain(ended).collect()
        });
        let parts: Result<Vec<_>, Error> = parts.into_iter().collect();
        let mut done: Vec<_> = parts?.into_iter().flatten().collect();
        done.sort_by_key(|(index, _)| *index);
        Ok(done.into_iter().map(|(_, tested)| tested).collect())
    }

    fn one(&self, plan: &UnitPlan) -> Result<Outcome, Error> {
        let function = plan.function;
        let bench = match self.workshop.unit(plan, &[], &[])? {
            Ok(bench) => bench,
            Err(reason) => return Ok(Err(reason)),
        };
        let mut unit = Unit::new(bench, function, &self.program, seed(self.seed, function));
        match self.workshop.known(function) {
            Some(_) => unit.explore(None, 0, None)?,
            None => unit.explore(None, self.queries, self.time)?,
        }
        let is_kept = self.workshop.remembers() && self.workshop.known(function).is_none();
        Ok(Ok(Tested {
            inputs: unit.inputs(),
            lines: unit.lines(),
            called: if is_kept { unit.called()? } else { None },
            ending: unit.ending(),
            effort: unit.session.effort(),
        }))
    }
}
