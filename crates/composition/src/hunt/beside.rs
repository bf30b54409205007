//! Units that are tested while a failure line is composed, which takes one processor.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use labrys_engine::{Error, Session};
use labrys_program::FunctionId;

use super::Hunt;
use super::units::TESTED_TOGETHER;
use crate::line::Line;
use crate::target::Target;

impl Hunt<'_> {
    /// Composes one failure line up to main, and tests units beside it on the other processors that the
    /// hunt has: a number of them, or as many as there is time for if that is limited. What they show
    /// counts from the next line on.
    pub(super) fn validate_beside(
        &mut self,
        session: &mut Session,
        target: &Target,
    ) -> Result<(), Error> {
        let jobs = self.settings.jobs.saturating_sub(1);
        let functions = match jobs {
            0 => Vec::new(),
            _ => self.next_beside(session, jobs)?,
        };
        let time = self.time_of_unit(session);
        let test = self.testing(&functions, time);
        let Some(test) = test.filter(|test| !test.plans.is_empty()) else {
            return self.validate(session, target);
        };
        let is_over = AtomicBool::new(false);
        let (composed, tested) = thread::scope(|scope| {
            let work = || test.all(jobs, &|| is_over.load(Ordering::Relaxed));
            let beside = thread::Builder::new().spawn_scoped(scope, work);
            let composed = self.validate(session, target);
            if session.status().time_limit.is_some() {
                is_over.store(true, Ordering::Relaxed);
            }
            let tested = beside.ok().map(|thread| match thread.join() {
                Ok(tested) => tested,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            (composed, tested)
        });
        composed?;
        let tested = tested.transpose()?.unwrap_or_default();
        self.pending.drain(..tested.len());
        let work = self.learn_all(session, &test, tested)?;
        // Their time is that of the line.
        if session.status().time_limit.is_none() {
            self.owed += work as f64;
        }
        Ok(())
    }

    /// The units to be tested beside a line: the first of those to come, which are built.
    fn next_beside(&mut self, session: &Session, jobs: usize) -> Result<Vec<FunctionId>, Error> {
        while let Some((function, lines)) = self.next_settled() {
            self.pending.pop_front();
            self.remembered.insert(function);
            self.learn(function, lines);
        }
        if let Some(next) = self.pending.pop_front() {
            let prepared = self.prepare(session, next);
            self.pending.push_front(next);
            prepared?;
        }
        let most = match session.status().time_limit {
            Some(_) => self.pending.len(),
            None => TESTED_TOGETHER * jobs,
        };
        let next = self.pending.iter().take(most).copied();
        Ok(next.take_while(|one| self.prepared.contains(one)).collect())
    }

    /// The function whose unit is to be tested next, if an earlier hunt knows all of it.
    fn next_settled(&self) -> Option<(FunctionId, Vec<Line>)> {
        let next = *self.pending.front()?;
        Some((next, self.settled(next)?))
    }
}
