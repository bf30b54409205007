//! The technique that joins another one with the fuzzer.
//!
//! Work is given out in turns by what each of the two gains ([`Shares`]): branches that no run
//! took, per step. A fuzzing turn is one step of the engine; it counts as a turn of the other
//! technique, as its runs cost a part of a query and a recorded run. A run that a limit cuts off
//! costs far more, so after it the other technique has as many turns for itself.
//!
//! Law: when neither finds anything more, it ends: after the other technique is done, [`QUIET`]
//! turns without news are the end.

use labrys_engine::{Error, Progress, Session, Shares, Technique};

use crate::Fuzzer;

/// Steps of the other technique in a turn.
const STEPS: u32 = 8;
/// Executions in a turn of the fuzzer.
const EXECUTIONS: usize = 64;
/// Turns that a run counts as which is cut off.
const CUT_OFF: u32 = 8;
/// Turns of the fuzzer without news after which it is done.
const QUIET: u32 = 128;

/// The arms of the shares.
const OTHER: usize = 0;
const FUZZER: usize = 1;

/// See the module.
pub struct Hybrid {
    other: Box<dyn Technique>,
    /// There once there is an input whose shape is known.
    fuzzer: Option<Fuzzer>,
    shares: Shares,
    rng: fastrand::Rng,
    seed: u64,
    /// Steps of the other technique until a turn is given out.
    left: u32,
    /// The other technique has nothing more to try.
    other_done: bool,
    /// Turns of the fuzzer in a row without news.
    quiet: u32,
    /// Tests of the suite that are seeds already.
    seeded: usize,
}

impl Hybrid {
    /// The fuzzer beside another technique. All random choices come from the seed.
    #[must_use]
    pub fn new(other: Box<dyn Technique>, seed: u64) -> Self {
        Hybrid {
            other,
            fuzzer: None,
            shares: Shares::new(2),
            rng: fastrand::Rng::with_seed(seed),
            seed,
            left: STEPS,
            other_done: false,
            quiet: 0,
            seeded: 0,
        }
    }

    /// A step of the other technique.
    fn search(&mut self, session: &mut Session, books: bool) -> Result<(), Error> {
        let before = session.seen().count();
        self.other_done = self.other.step(session)? == Progress::Done;
        if books {
            let gain = session.seen().count() - before;
            self.shares.spend(OTHER, 1.0);
            self.shares.gain(OTHER, gain as f64);
        }
        Ok(())
    }

    fn fuzz(&mut self, session: &mut Session) -> Result<(), Error> {
        self.share_tests(session)?;
        let Some(fuzzer) = &mut self.fuzzer else {
            self.quiet = QUIET;
            return Ok(());
        };
        let yielded = fuzzer.turn(session, EXECUTIONS)?;
        let turns = 1 + CUT_OFF * u32::from(yielded.cut_off > 0);
        self.shares.spend(FUZZER, f64::from(turns * STEPS));
        self.shares.gain(FUZZER, yielded.gain as f64);
        self.left = (turns - 1) * STEPS;
        self.quiet = match yielded.handed {
            0 => self.quiet + 1,
            _ => 0,
        };
        Ok(())
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

impl Technique for Hybrid {
    fn name(&self) -> &'static str {
        "search and fuzzing"
    }

    fn step(&mut self, session: &mut Session) -> Result<Progress, Error> {
        if session.waiting() > 0 {
            // What was handed on is credited to the one that found it.
            self.search(session, false)?;
            return Ok(Progress::More);
        }
        if self.other_done && self.quiet >= QUIET {
            return Ok(Progress::Done);
        }
        if self.left == 0 && self.shares.turn(self.rng.f64()) == OTHER {
            self.left = STEPS;
        }
        if self.left > 0 && !self.other_done {
            self.left -= 1;
            self.search(session, true)?;
        } else {
            self.fuzz(session)?;
        }
        Ok(Progress::More)
    }
}
