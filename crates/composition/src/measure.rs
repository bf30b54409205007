//! System runs, from seeds and from a search of the whole program, and the relevance that their
//! calls show (section 3.2).

use labrys_engine::{Error, Mode, Progress, RunRecord, Session, Technique};

use crate::relevance::{Profile, Relevance};

/// System runs whose calls are looked at.
const MOST_PROFILES: usize = 512;

/// A search of the whole program, which runs its first inputs too.
pub type Search<'s> = Box<dyn Technique + 's>;

/// A technique that ends when relevance is known.
pub struct Measurement<'s> {
    search: Search<'s>,
    /// Steps of the search that are left before calls are looked at.
    left: u32,
    is_done: bool,
    /// Kept inputs whose calls were looked at.
    profiled: usize,
    relevance: Relevance,
}

impl<'s> Measurement<'s> {
    /// A measurement that has not begun, by what a search finds in so many steps.
    #[must_use]
    pub fn new(search: Search<'s>, steps: u32) -> Self {
        Measurement {
            search,
            left: steps,
            is_done: false,
            profiled: 0,
            relevance: Relevance::default(),
        }
    }

    /// What is known so far.
    #[must_use]
    pub fn relevance(&self) -> &Relevance {
        &self.relevance
    }

    /// One more step of the search; the work that it was, or nothing if the search is done.
    pub(crate) fn search(&mut self, session: &mut Session) -> Result<Option<u64>, Error> {
        if self.is_done {
            return Ok(None);
        }
        let before = session.effort();
        self.is_done = self.search.step(session)? == Progress::Done;
        Ok(Some((session.effort() - before).max(1)))
    }

    /// No more steps of the search are waited for.
    pub(crate) fn hurry(&mut self) {
        self.left = 0;
    }

    /// Looks at the calls of the next kept input; whether there was one.
    fn profile(&mut self, session: &mut Session) -> Result<bool, Error> {
        let inputs = session.kept_inputs();
        let next = inputs.get(self.profiled).cloned();
        let Some(input) = next.filter(|_| self.profiled < MOST_PROFILES) else {
            return Ok(false);
        };
        self.profiled += 1;
        if let Some(trace) = session.trace_again(&input, Mode::AllBranches)? {
            if let Some(run) = RunRecord::of(&trace, session.program()) {
                self.relevance.add(&Profile::of(&run));
            }
            session.recycle(trace);
        }
        Ok(true)
    }
}

impl Technique for Measurement<'_> {
    fn name(&self) -> &'static str {
        "relevance"
    }

    fn step(&mut self, session: &mut Session) -> Result<Progress, Error> {
        if session.waiting() > 0 || self.left > 0 {
            self.left = self.left.saturating_sub(1);
            if self.search(session)?.is_none() {
                self.left = 0;
            }
        } else if !self.profile(session)? {
            return Ok(Progress::Done);
        }
        Ok(Progress::More)
    }
}
