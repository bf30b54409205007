//! Questions about what many decisions computed, as a member of a portfolio.
//!
//! A path constraint fixes all decisions of its run. What they computed is a constant in it: a count of
//! lines, the largest of some numbers, a checksum bit by bit, the number that digits stand for. A branch
//! on such a value is flipped by chance, or by a search through all paths that lead to it. An instrumented
//! program with *joined paths* has if-then-else expressions in place of decisions between which nothing
//! but values differs (crate `instrument`), so such a branch is one query. Its queries are larger than others,
//! so only tests are looked at, and only branches that no run took are asked for.
//!
//! The program is built when the work of the others has paid for it, so that a search that would have been
//! over before loses nothing.
//!
//! Law: what is found is handed to the search, whose runs tell whether it takes the branch: nothing is
//! concluded from a run with joined paths.

use labrys_engine::{Error, Runner, Session, child};
use labrys_expr::Columns;
use labrys_portfolio::{Member, Report, SOLVER_STEPS, State};
use labrys_program::{BranchId, Program};
use labrys_solver::Answer;
use labrys_suite::Input;
use rustc_hash::FxHashMap;

use crate::path::trace_direction;
use crate::query::{DecodedRun, Soft, conditions};

/// The part of all work that it keeps.
const PART: f64 = 0.02;
/// The work that building takes, in instructions of the program for a unit.
const INSTRUCTIONS: u64 = 100;
/// The same for the least program.
const LEAST: f64 = 16.0;
/// Inputs that are made for one branch, at most, and queries without one.
const MOST_MADE: u32 = 4;
const MOST_REFUTED: u32 = 8;
/// Steps of a query.
const STEPS: u64 = 20_000;
/// Turns that the others have before tests are looked at again.
const IDLE: u32 = 8;
/// How an input that it makes is called.
const MADE_BY: &str = "joined paths";

/// What came of a branch.
#[derive(Clone, Copy, Debug, Default)]
struct Tries {
    made: u32,
    refuted: u32,
}

/// Builds the program with joined paths; the reason if it cannot.
pub type BuildJoined<'a> = Box<dyn FnOnce() -> Result<Box<dyn Runner>, String> + 'a>;

/// The program with joined paths.
enum JoinedProgram<'a> {
    Unbuilt(BuildJoined<'a>),
    Ready(Box<dyn Runner>),
    Missing,
}

/// A branch of a run with joined paths that no run took.
#[derive(Clone, Copy, Debug)]
struct Flip {
    step: usize,
    direction: u32,
    branch: BranchId,
}

/// A run with joined paths, and what is to be asked about it.
struct Looked {
    known: DecodedRun,
    flips: Vec<Flip>,
}

/// See the module.
pub struct Joined<'a> {
    program: JoinedProgram<'a>,
    /// Work that is left to save before the program is built.
    price: Option<f64>,
    /// Tests that were looked at.
    looked: usize,
    current: Option<Looked>,
    tries: FxHashMap<BranchId, Tries>,
    columns: Columns,
    rng: fastrand::Rng,
}

impl<'a> Joined<'a> {
    /// A member whose program is still to be built. All random choices come from the seed.
    #[must_use]
    pub fn new(build: BuildJoined<'a>, seed: u64) -> Self {
        Joined {
            program: JoinedProgram::Unbuilt(build),
            price: None,
            looked: 0,
            current: None,
            tries: FxHashMap::default(),
            columns: Columns::default(),
            rng: fastrand::Rng::with_seed(seed),
        }
    }

    /// Saves for the build, as much as a unit of work; whether that is still to be done.
    fn saves(&mut self, program: &Program) -> bool {
        let left = self.price.get_or_insert_with(|| price(program));
        *left -= 1.0;
        *left >= 0.0
    }

    fn is_missing(&self) -> bool {
        matches!(self.program, JoinedProgram::Missing)
    }

    /// The program, which is built first.
    fn program(&mut self, session: &mut Session) -> Option<&mut dyn Runner> {
        if let JoinedProgram::Unbuilt(_) = self.program
            && let JoinedProgram::Unbuilt(build) =
                std::mem::replace(&mut self.program, JoinedProgram::Missing)
        {
            match build() {
                Ok(program) => self.program = JoinedProgram::Ready(program),
                // A build that ends since the search does is no news.
                Err(_) if session.is_over() => {}
                Err(reason) => session.note(&format!("paths are not joined: {reason}")),
            }
        }
        match &mut self.program {
            JoinedProgram::Ready(program) => Some(&mut **program),
            JoinedProgram::Unbuilt(_) | JoinedProgram::Missing => None,
        }
    }

    /// Looks at the next test.
    fn look(&mut self, session: &mut Session) -> Result<(), Error> {
        let Some(input) = session.kept_inputs().get(self.looked).cloned() else {
            return Ok(());
        };
        self.looked += 1;
        let Some(program) = self.program(session) else {
            return Ok(());
        };
        if let Some(trace) = session.trace_on(program, &input)? {
            let known = DecodedRun::new(trace, input);
            let flips = self.flips(session, &known);
            self.current = (!flips.is_empty()).then_some(Looked { known, flips });
        }
        Ok(())
    }

    /// What is to be asked about a run, from its end: what is decided first is taken first.
    fn flips(&self, session: &Session, known: &DecodedRun) -> Vec<Flip> {
        let (program, unseen) = (session.program(), session.unseen());
        let mut flips: Vec<Flip> = Vec::new();
        for (number, step) in known.trace.steps().iter().enumerate() {
            let Some(site) = step.program_site(program) else {
                continue;
            };
            let Some(place) = program.site(site) else {
                continue;
            };
            for (direction, branch) in (0..).zip(place.branches()) {
                let is_new = || !flips.iter().any(|flip| flip.branch == branch);
                if unseen.contains(branch) && self.is_open(branch) && is_new() {
                    flips.push(Flip {
                        step: number,
                        direction,
                        branch,
                    });
                }
            }
        }
        flips.reverse();
        flips
    }

    fn is_open(&self, branch: BranchId) -> bool {
        let tries = self.tries.get(&branch).copied().unwrap_or_default();
        tries.made < MOST_MADE && tries.refuted < MOST_REFUTED
    }

    /// Asks the next question about the run at hand.
    fn ask(&mut self, session: &mut Session) {
        let Some(mut looked) = self.current.take() else {
            return;
        };
        if let Some(flip) = looked.flips.pop() {
            let is_open = session.unseen().contains(flip.branch) && self.is_open(flip.branch);
            let made = is_open.then(|| self.make(session, &mut looked.known, flip));
            let tries = self.tries.entry(flip.branch).or_default();
            match made {
                None => {}
                Some(Some(input)) => {
                    tries.made += 1;
                    if !session.was_tried(&input) {
                        session.suggest(input, MADE_BY);
                    }
                }
                Some(None) => tries.refuted += 1,
            }
            self.current = Some(looked);
        } else {
            session.recycle(looked.known.trace);
        }
    }

    /// An input that takes a branch, if the solver finds one.
    fn make(&mut self, session: &mut Session, known: &mut DecodedRun, flip: Flip) -> Option<Input> {
        let step = *known.trace.steps().get(flip.step)?;
        let direction = trace_direction(&step, session.program(), flip.direction);
        let (most, at) = (session.max_input(), (flip.step, direction));
        for soft in [Soft::Kept, Soft::Dropped] {
            let found = conditions(known, &mut self.columns, at, most, soft);
            if found.are_false() {
                continue;
            }
            let pool = known.decoder.pool_mut();
            match session.check(pool, found.constraints(), &known.hint, Some(STEPS)) {
                Answer::Sat(model) => {
                    return Some(child(&known.input, model.iter(), most, &mut self.rng));
                }
                Answer::Unsat(_) => {}
                Answer::Unknown(_) => return None,
            }
        }
        None
    }
}

/// The work that it takes to build a program with joined paths.
fn price(program: &Program) -> f64 {
    let blocks = program
        .functions
        .iter()
        .flat_map(|function| &function.blocks);
    let instructions: u64 = blocks.map(|block| block.instructions.len() as u64).sum();
    LEAST + (instructions / INSTRUCTIONS) as f64
}

impl Member for Joined<'_> {
    fn turn(&self) -> u32 {
        1
    }

    fn tentative_part(&self) -> Option<f64> {
        Some(PART)
    }

    fn goes_on_alone(&self, session: &Session) -> bool {
        // Where nothing was hidden from the search, what it leaves open is on no path.
        !self.is_missing() && !session.unseen().is_empty() && !session.is_conclusive()
    }

    fn step(&mut self, session: &mut Session) -> Result<Report, Error> {
        let report = |work, state| Report {
            work,
            gain: 0.0,
            rest: if state == State::Quiet { IDLE } else { 0 },
            state,
        };
        if self.is_missing() {
            return Ok(report(0.0, State::Done));
        }
        let has_test = self.current.is_some() || self.looked < session.kept_inputs().len();
        if !has_test || session.unseen().is_empty() {
            return Ok(report(1.0, State::Quiet));
        }
        if self.saves(session.program()) {
            return Ok(report(1.0, State::More));
        }
        let before = session.effort();
        match self.current {
            Some(_) => self.ask(session),
            None => self.look(session)?,
        }
        let work = (session.effort() - before) as f64 / SOLVER_STEPS as f64;
        Ok(report(work.max(0.1), State::More))
    }
}
