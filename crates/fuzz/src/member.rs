//! The fuzzer as a member of a portfolio.
//!
//! A turn is one step of the engine. Its runs cost a small part of a query and a recorded run; one
//! that a limit cuts off costs far more.

use labrys_engine::{Error, Session};
use labrys_portfolio::{Member, Report, State};

use crate::Fuzzer;

/// Executions in a turn.
const EXECUTIONS: usize = 64;
/// Executions in a unit of work.
const PER_WORK: f64 = 8.0;
/// The work that a run counts as which is cut off.
const CUT_OFF: f64 = 128.0;
/// Turns without news after which nothing more is expected.
const QUIET: u32 = 128;
/// The same when the others have nothing more to try.
const QUIET_ALONE: u32 = 32;

/// See the module.
pub struct Fuzzing {
    /// There once there is an input whose shape is known.
    fuzzer: Option<Fuzzer>,
    seed: u64,
    /// Turns in a row without news.
    quiet: u32,
    /// Tests of the suite that are seeds already.
    seeded: usize,
}

impl Fuzzing {
    /// A fuzzer of the tests of a suite. All random choices come from the seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Fuzzing {
            fuzzer: None,
            seed,
            quiet: 0,
            seeded: 0,
        }
    }

    /// Tests that were kept since become seeds.
    fn share_tests(&mut self, session: &mut Session) -> Result<(), Error> {
        while let Some(input) = session.kept_inputs().get(self.seeded).cloned() {
            let seed = self.seed;
            let fuzzer = self
                .fuzzer
                .get_or_insert_with(|| Fuzzer::new(&input, session, seed));
            let comparisons = session.kept_comparisons()[self.seeded].clone();
            fuzzer.seed(session, &input, &comparisons)?;
            self.seeded += 1;
        }
        Ok(())
    }
}

impl Member for Fuzzing {
    fn turn(&self) -> u32 {
        1
    }

    /// Not where the search has seen everything, and not for long without news.
    fn goes_on_alone(&self, session: &Session) -> bool {
        let open = !session.unseen().is_empty() || self.quiet == 0;
        open && self.quiet < QUIET_ALONE && !session.is_conclusive()
    }

    fn step(&mut self, session: &mut Session) -> Result<Report, Error> {
        self.share_tests(session)?;
        let Some(fuzzer) = &mut self.fuzzer else {
            return Ok(Report {
                work: 0.0,
                gain: 0.0,
                rest: 0,
                state: State::Quiet,
            });
        };
        let yielded = fuzzer.turn(session, EXECUTIONS)?;
        self.quiet = match yielded.handed {
            0 => self.quiet + 1,
            _ => 0,
        };
        Ok(Report {
            work: yielded.executions as f64 / PER_WORK + CUT_OFF * yielded.cut_off as f64,
            // What it hands on counts when the search has run it.
            gain: 0.0,
            rest: 0,
            state: match self.quiet {
                0..QUIET => State::More,
                _ => State::Quiet,
            },
        })
    }
}
