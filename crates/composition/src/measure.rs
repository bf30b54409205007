//! System runs, from seeds and from fuzzing them, and the relevance that their calls show (section
//! 3.2).

use labrys_engine::{Error, Progress, RunRecord, Session, Technique};

use crate::relevance::{Profile, Relevance};

/// System runs whose calls are looked at.
const MOST_PROFILES: usize = 512;

/// Fuzzes the program a little; whether more is to be expected.
pub type Fuzz<'f> = Box<dyn FnMut(&mut Session) -> Result<bool, Error> + 'f>;

/// A technique that ends when relevance is known.
pub struct Measurement<'f> {
    fuzz: Fuzz<'f>,
    fuzzed: bool,
    /// Kept inputs whose calls were looked at.
    profiled: usize,
    relevance: Relevance,
}

impl<'f> Measurement<'f> {
    /// A measurement that has not begun.
    #[must_use]
    pub fn new(fuzz: Fuzz<'f>) -> Self {
        Measurement {
            fuzz,
            fuzzed: false,
            profiled: 0,
            relevance: Relevance::default(),
        }
    }

    /// What is known so far.
    #[must_use]
    pub fn relevance(&self) -> &Relevance {
        &self.relevance
    }

    /// Looks at the calls of the next kept input; whether there was one.
    fn profile(&mut self, session: &mut Session) -> Result<bool, Error> {
        let inputs = session.kept_inputs();
        let next = inputs.get(self.profiled).cloned();
        let Some(input) = next.filter(|_| self.profiled < MOST_PROFILES) else {
            return Ok(false);
        };
        self.profiled += 1;
        if let Some(trace) = session.trace_decisions(&input)? {
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
        if let Some(initial) = session.next_initial() {
            let seen = session.run_initial(initial)?;
            if let Some(trace) = seen.trace {
                session.recycle(trace);
            }
        } else if !self.fuzzed {
            self.fuzzed = !(self.fuzz)(session)?;
        } else if !self.profile(session)? {
            return Ok(Progress::Done);
        }
        Ok(Progress::More)
    }
}
