//! The program under test as an executor of LibAFL: a run of the plain executable by the engine.

use labrys_engine::{Error, PlainRun, Session};
use libafl::executors::{Executor, ExitKind, HasObservers};
use libafl::observers::{HitcountsMapObserver, StdMapObserver};
use libafl_bolts::tuples::RefIndexable;

use crate::parts::{Parts, Shape};

/// How often each branch was taken, in AFL's classes.
pub(crate) type Visits = HitcountsMapObserver<StdMapObserver<'static, u8, false>>;
pub(crate) type Observers = (Visits, ());

/// See the module.
pub(crate) struct Program<'a> {
    pub(crate) session: &'a mut Session,
    pub(crate) shape: &'a Shape,
    pub(crate) observers: &'a mut Observers,
    /// The last run.
    pub(crate) last: Option<PlainRun>,
    /// Why the program could not be run.
    pub(crate) error: Option<Error>,
}

impl<'a> Program<'a> {
    pub(crate) fn new(
        session: &'a mut Session,
        shape: &'a Shape,
        observers: &'a mut Observers,
    ) -> Self {
        Program {
            session,
            shape,
            observers,
            last: None,
            error: None,
        }
    }
}

impl HasObservers for Program<'_> {
    type Observers = Observers;

    fn observers(&self) -> RefIndexable<&Observers, Observers> {
        RefIndexable::from(&*self.observers)
    }

    fn observers_mut(&mut self) -> RefIndexable<&mut Observers, Observers> {
        RefIndexable::from(&mut *self.observers)
    }
}

impl<EM, S, Z> Executor<EM, Parts, S, Z> for Program<'_> {
    fn run_target(
        &mut self,
        _: &mut Z,
        _: &mut S,
        _: &mut EM,
        parts: &Parts,
    ) -> Result<ExitKind, libafl::Error> {
        let input = self.shape.input(parts);
        let run = match self.session.fuzz(&input, &mut self.observers.0) {
            Ok(run) => run,
            Err(error) => {
                self.error = Some(error);
                return Err(libafl::Error::shutting_down());
            }
        };
        // What hangs is no seed: it would only hang for longer.
        if run.outcome.is_limit() {
            self.observers.0.fill(0);
        }
        let kind = match run.outcome.is_failure() {
            true => ExitKind::Crash,
            false => ExitKind::Ok,
        };
        self.last = Some(run);
        Ok(kind)
    }
}
