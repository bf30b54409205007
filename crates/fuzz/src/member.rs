//! The fuzzer as a member of a portfolio.
//!
//! A turn is one step of the engine, but counts as a turn of a search: its runs cost a part of a
//! query and a recorded run. A run that a limit cuts off costs far more, so after it the others have
//! some turns for themselves.

use labrys_engine::{Error, Session};
use labrys_portfolio::{Member, Report, State};

use crate::Fuzzer;

/// Executions in a turn, and the work that they count as.
const EXECUTIONS: usize = 64;
const WORK: u32 = 8;
/// Turns that a run counts as which is cut off.
const CUT_OFF: u32 = 8;
/// Turns without news after which nothing more is expected.
const QUIET: u32 = 128;

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
        let tests = session.kept_inputs()[self.seeded..].to_vec();
        self.seeded += tests.len();
        for input in &tests {
            let seed = self.seed;
            let fuzzer = self
                .fuzzer
                .get_or_insert_with(|| Fuzzer::new(input, session, seed));
            fuzzer.seed(session, input)?;
        }
        Ok(())
    }
}

impl Member for Fuzzing {
    fn turn(&self) -> u32 {
        1
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
        let rest = CUT_OFF * u32::from(yielded.cut_off > 0);
        Ok(Report {
            work: f64::from((1 + rest) * WORK),
            gain: yielded.gain as f64,
            rest,
            state: match self.quiet {
                0..QUIET => State::More,
                _ => State::Quiet,
            },
        })
    }
}
