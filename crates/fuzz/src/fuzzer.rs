//! The fuzzer: LibAFL's corpus, mutators and feedback.
//!
//! An input is kept if it takes a branch in a new class of numbers of times (1, 2, 3, 4–7, 8–15,
//! …, as AFL does). Kept inputs take turns; each is changed by stacked random mutations ("havoc")
//! of one of its streams.

use std::collections::BTreeSet;

use labrys_engine::{Error, PlainRun, Session};
use labrys_suite::{Coverage, Input, TargetStatus};
use libafl::corpus::{Corpus, InMemoryCorpus};
use libafl::events::NopEventManager;
use libafl::feedbacks::{ConstFeedback, MaxMapFeedback};
use libafl::fuzzer::{Evaluator, HasScheduler, NopInputFilter, StdFuzzer};
use libafl::inputs::{BytesInputConverter, HasMutatorBytes, ResizableMutator};
use libafl::mutators::havoc_mutations;
use libafl::mutators::{HavocMutationsType, HavocScheduledMutator, MutationResult, Mutator};
use libafl::observers::{HitcountsMapObserver, StdMapObserver};
use libafl::schedulers::{QueueScheduler, Scheduler};
use libafl::state::{HasCorpus, HasMaxSize, HasRand, StdState};
use libafl_bolts::rands::{Rand, StdRand};

use crate::parts::{Parts, Shape};
use crate::program::{Observers, Program, Visits};

/// Inputs that are made of one seed before the next one's turn.
const PER_SEED: usize = 16;
/// Streams grow to this many bytes, and to twice the length of the longest seed: what the search
/// is handed it has to run symbolically.
const SHORT: usize = 64;
/// Bytes that an empty stream gets before it is mutated, at most.
const FIRST_BYTES: usize = 16;

type State = StdState<InMemoryCorpus<Parts>, Parts, StdRand, InMemoryCorpus<Parts>>;
type Feedback = MaxMapFeedback<Visits, Visits>;
type Engine =
    StdFuzzer<QueueScheduler, Feedback, BytesInputConverter, NopInputFilter, ConstFeedback>;

/// See the module.
pub struct Fuzzer {
    shape: Shape,
    observers: Observers,
    engine: Engine,
    state: State,
    mutator: HavocScheduledMutator<HavocMutationsType>,
    /// Branches of the inputs that were handed on.
    found: Coverage,
    /// Outcomes of failing runs, and targets, that were handed on.
    handed: BTreeSet<String>,
}

/// What some executions gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Yield {
    /// Runs of the plain program.
    pub(crate) executions: usize,
    /// Branches that no run took before.
    pub(crate) gain: usize,
    /// Inputs that were handed to the other technique.
    pub(crate) handed: usize,
    /// Runs that were cut off by a limit; each ends what was asked for.
    pub(crate) cut_off: usize,
}

impl Fuzzer {
    /// A fuzzer for inputs of the shape of this one. All random choices come from the seed.
    ///
    /// # Panics
    /// Never: LibAFL's state asks nothing of these components that they could refuse.
    #[must_use]
    pub fn new(input: &Input, session: &Session, seed: u64) -> Self {
        let branches = session.program().branch_count().max(1);
        let visits = HitcountsMapObserver::new(StdMapObserver::owned("visits", vec![0; branches]));
        let mut feedback = Feedback::new(&visits);
        let mut state = State::new(
            StdRand::with_seed(seed),
            InMemoryCorpus::new(),
            InMemoryCorpus::new(),
            &mut feedback,
            &mut ConstFeedback::False,
        )
        .expect("the components are fresh");
        state.set_max_size(SHORT.min(session.max_input()));
        Fuzzer {
            shape: Shape::of(input, session.max_input()),
            observers: (visits, ()),
            engine: Engine::new(QueueScheduler::new(), feedback, ConstFeedback::False),
            state,
            mutator: HavocScheduledMutator::new(havoc_mutations()),
            found: Coverage::default(),
            handed: BTreeSet::new(),
        }
    }

    /// Adds an input to the seeds if it does something new.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub fn seed(&mut self, session: &mut Session, input: &Input) -> Result<(), Error> {
        let parts = self.shape.parts(input);
        let longest = input.streams.iter().map(|stream| stream.bytes.len()).max();
        let most = (2 * longest.unwrap_or(0)).min(session.max_input());
        self.state.set_max_size(self.state.max_size().max(most));
        self.evaluate(session, &parts, &mut Yield::default())
    }

    /// Runs about so many new inputs, and hands on what the search is to see.
    pub(crate) fn turn(
        &mut self,
        session: &mut Session,
        executions: usize,
    ) -> Result<Yield, Error> {
        let mut total = Yield::default();
        while total.executions < executions && total.cut_off == 0 && !session.is_stopped() {
            let scheduler = HasScheduler::<Parts, State>::scheduler_mut(&mut self.engine);
            let Ok(id) = scheduler.next(&mut self.state) else {
                break;
            };
            let Ok(seed) = self.state.corpus().cloned_input_for_id(id) else {
                break;
            };
            for _ in 0..PER_SEED {
                let mut parts = seed.clone();
                if self.mutate(&mut parts) {
                    self.evaluate(session, &parts, &mut total)?;
                }
                if total.cut_off > 0 {
                    break;
                }
            }
        }
        Ok(total)
    }

    /// Changes one part; `false` if nothing was changed.
    fn mutate(&mut self, parts: &mut Parts) -> bool {
        let Some(last) = parts.count().checked_sub(1) else {
            return false;
        };
        let rand = self.state.rand_mut();
        parts.activate(rand.between(0, last));
        // Most mutators change or copy bytes that are there.
        if parts.mutator_bytes().is_empty() {
            parts.resize(rand.between(1, FIRST_BYTES), 0);
            let bytes = parts.mutator_bytes_mut();
            bytes.fill_with(|| rand.between(0, 255) as u8);
        }
        let mutated = self.mutator.mutate(&mut self.state, parts);
        mutated.is_ok_and(|result| result == MutationResult::Mutated)
    }

    /// Runs one input, and hands it on if it is news.
    fn evaluate(
        &mut self,
        session: &mut Session,
        parts: &Parts,
        total: &mut Yield,
    ) -> Result<(), Error> {
        let mut program = Program {
            session,
            shape: &self.shape,
            observers: &mut self.observers,
            last: None,
            error: None,
        };
        let mut events = NopEventManager::new();
        let done = self
            .engine
            .evaluate_input(&mut self.state, &mut program, &mut events, parts);
        let (run, error) = (program.last.take(), program.error.take());
        if let Some(error) = error {
            return Err(error);
        }
        total.executions += 1;
        if let (Some(run), Ok(_)) = (run, done) {
            self.judge(session, parts, &run, total);
        }
        Ok(())
    }

    /// Hands an input on whose run took a branch that no run took, failed as none before or reached
    /// an open target.
    fn judge(&mut self, session: &mut Session, parts: &Parts, run: &PlainRun, total: &mut Yield) {
        let limit = run.outcome.is_limit();
        total.cut_off += usize::from(limit);
        let fresh = run.coverage.new_over(session.seen()).new_over(&self.found);
        let reached = |name: &String| {
            let known = session
                .targets()
                .iter()
                .find(|target| target.location == *name);
            known.is_some_and(|target| target.status == TargetStatus::Reached)
        };
        let mut news = run.targets.clone();
        news.retain(|name| !reached(name));
        if run.outcome.is_failure() {
            news.push(run.outcome.to_string());
        }
        news.retain(|name| self.handed.insert(name.clone()));
        if !news.is_empty() || !fresh.is_empty() && !limit {
            self.found.union(&fresh);
            session.suggest(self.shape.input(parts), "fuzz");
            total.gain += fresh.count();
            total.handed += 1;
        }
    }
}
