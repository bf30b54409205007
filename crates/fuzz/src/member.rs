//! The fuzzer as a member of a portfolio.
//!
//! A turn is one step of the engine. Its runs cost a small part of a query and a recorded run; one
//! that a limit cuts off costs far more, and so do slow ones that end a turn by the clock.

use labrys_engine::{Error, Session};
use labrys_portfolio::{Member, Report, SOLVER_STEPS, State};

use crate::Fuzzer;
use crate::fuzzer::Yield;
use crate::slice::Slice;

/// Executions in a turn.
const EXECUTIONS: usize = 64;
/// Steps of the solver in the time of an execution.
pub const EXECUTION_STEPS: u64 = 32;
/// Executions in a unit of work.
const PER_WORK: f64 = (SOLVER_STEPS / EXECUTION_STEPS) as f64;
/// The work that a run counts as which is cut off.
const CUT_OFF: f64 = 128.0;
/// Turns that the others have before it looks for a first seed again.
const IDLE: u32 = 8;
/// Turns without news after which nothing more is expected.
const QUIET: u32 = 128;
/// The same when the others have nothing more to try.
const QUIET_ALONE: u32 = 32;
/// The same when the others cannot follow values that the program gives to other code: what depends
/// on them is the fuzzer's alone.
const QUIET_BLIND: u32 = 512;

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

    /// Tests that were kept since become seeds; what that took.
    fn share_tests(&mut self, session: &mut Session) -> Result<Yield, Error> {
        let mut total = Yield::default();
        while let Some(input) = session.kept_inputs().get(self.seeded).cloned() {
            let seed = self.seed;
            let fuzzer = self
                .fuzzer
                .get_or_insert_with(|| Fuzzer::new(&input, session, seed));
            let compared = session.take_compared(self.seeded);
            total.executions += 1;
            if fuzzer.seed(session, &input, compared)? {
                total.cut_off += 1;
            }
            self.seeded += 1;
        }
        Ok(total)
    }
}

impl Member for Fuzzing {
    fn turn(&self) -> u32 {
        1
    }

    /// Not where the search has seen everything, and not for long without news.
    fn goes_on_alone(&self, session: &Session) -> bool {
        let open = !session.unseen().is_empty() || self.quiet == 0;
        open && self.quiet < patience(session, QUIET_ALONE) && !session.is_conclusive()
    }

    fn step(&mut self, session: &mut Session) -> Result<Report, Error> {
        let mut total = self.share_tests(session)?;
        let slice = Slice::new(EXECUTIONS, session.time_left());
        let none = Yield::default();
        let turn = match &mut self.fuzzer {
            Some(fuzzer) => fuzzer.turn(session, slice)?,
            None => none,
        };
        self.quiet = match turn.handed {
            0 => self.quiet + 1,
            _ => 0,
        };
        let idle = turn == none;
        let most = patience(session, QUIET);
        total.executions += turn.executions;
        total.cut_off += turn.cut_off;
        let counted = total.executions as f64 / PER_WORK + CUT_OFF * total.cut_off as f64;
        let slow = slice.steps(session.time_left()).unwrap_or_default() / SOLVER_STEPS as f64;
        Ok(Report {
            work: counted.max(slow).max(1.0),
            // What it hands on counts when the search has run it.
            gain: 0.0,
            rest: if idle { IDLE } else { 0 },
            state: match self.quiet {
                quiet if idle || quiet >= most => State::Quiet,
                _ => State::More,
            },
        })
    }
}

/// Turns without news after which nothing more is expected, so many where the others can follow all
/// values.
fn patience(session: &Session, seeing: u32) -> u32 {
    match session.is_blind() {
        true => QUIET_BLIND,
        false => seeing,
    }
}
