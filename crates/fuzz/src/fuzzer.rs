//! The fuzzer: LibAFL's corpus, mutators and feedback.
//!
//! An input is kept if it takes a branch in a new class of numbers of times (1, 2, 3, 4–7, 8–15,
//! …, as AFL does). Kept inputs take [turns](crate::seeds); one of their streams is changed by some
//! random mutations: blind ones ("havoc"), tokens of the program, and what the run of the seed
//! compared in place of what it compared it with ([`crate::knowledge`]). Once in a while a piece is
//! repeated until the stream is [long](crate::stretch).
//!
//! Runs are those of the plain executable, in which an error of memory may have no effect. One that
//! behaves as none before is looked at under the checks of memory ([`crate::suspects`]).

use std::collections::BTreeSet;

use labrys_engine::{Error, FUZZER, PlainRun, Session};
use labrys_suite::{Coverage, Input, TargetStatus};
use labrys_trace::Comparison;
use libafl::HasMetadata;
use libafl::corpus::{Corpus, InMemoryCorpus};
use libafl::events::NopEventManager;
use libafl::feedbacks::{ConstFeedback, MaxMapFeedback};
use libafl::fuzzer::{Evaluator, NopInputFilter, StdFuzzer};
use libafl::inputs::{BytesInputConverter, HasMutatorBytes, ResizableMutator};
use libafl::mutators::{
    HavocMutationsType, HavocScheduledMutator, I2SRandReplace, MutationResult, Mutator,
    TokenInsert, TokenReplace, havoc_mutations,
};
use libafl::observers::{HitcountsMapObserver, StdMapObserver};
use libafl::schedulers::QueueScheduler;
use libafl::state::{HasCorpus, HasMaxSize, HasRand, StdState};
use libafl_bolts::HasLen;
use libafl_bolts::rands::{Rand, StdRand};

use crate::knowledge::{compared, tokens};
use crate::parts::{Parts, Shape};
use crate::program::{Observers, Program, Visits};
use crate::seeds::Seeds;
use crate::stretch::stretch;
use crate::suspects::Suspects;

/// Inputs that are made of one seed before the next one's turn.
const PER_SEED: usize = 32;
/// Streams grow to this many bytes, and to twice the length of the longest seed: what the search
/// is handed it has to run symbolically.
const SHORT: usize = 64;
/// Bytes that an empty stream gets before it is mutated, at most.
const FIRST_BYTES: usize = 16;
/// Most mutations of an input, as a power of two.
const STACKED: usize = 4;
/// One input of so many gets a piece that is repeated.
const STRETCHED: usize = 64;
/// Runs in which what is handed on is made shorter.
const TRIMS: usize = 24;
/// Executions that take as long as a run under the checks of memory: 4 of dash and grep, 8 of bzip2.
const CHECK: usize = 5;

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
    mutators: Mutators,
    seeds: Seeds,
    /// By seed: what its run compared, or that of the test from which it comes.
    comparisons: Vec<std::rc::Rc<[Comparison]>>,
    /// Branches of the inputs that were handed on.
    found: Coverage,
    /// Outcomes of failing runs, failures, and targets, that were handed on.
    handed: BTreeSet<String>,
    suspects: Suspects,
}

struct Mutators {
    havoc: HavocScheduledMutator<HavocMutationsType>,
    insert: TokenInsert,
    replace: TokenReplace,
    compared: I2SRandReplace,
}

/// What some executions gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Yield {
    /// Runs of the plain program.
    pub(crate) executions: usize,
    /// Inputs that were handed to the other technique.
    pub(crate) handed: usize,
    /// Runs that were cut off by a limit; each ends what was asked for.
    pub(crate) cut_off: usize,
}

impl Mutators {
    /// Changes the active part in one way.
    fn mutate(&mut self, state: &mut State, parts: &mut Parts) -> bool {
        let kind = state.rand_mut().between(0, 7);
        let result = match kind {
            0 | 1 => self.insert.mutate(state, parts),
            2 => self.replace.mutate(state, parts),
            3 => self.compared.mutate(state, parts),
            _ => self.havoc.mutate(state, parts),
        };
        result.is_ok_and(|result| result == MutationResult::Mutated)
    }
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
        state.add_metadata(tokens(session.vocabulary()));
        Fuzzer {
            shape: Shape::of(input, session.max_input()),
            observers: (visits, ()),
            engine: Engine::new(QueueScheduler::new(), feedback, ConstFeedback::False),
            state,
            mutators: Mutators {
                havoc: HavocScheduledMutator::with_max_stack_pow(havoc_mutations(), 0),
                insert: TokenInsert::new(),
                replace: TokenReplace::new(),
                compared: I2SRandReplace::new(),
            },
            seeds: Seeds::default(),
            comparisons: Vec::new(),
            found: Coverage::default(),
            handed: BTreeSet::new(),
            suspects: Suspects::default(),
        }
    }

    /// Adds an input, whose run made these comparisons, to the seeds if it does something new; `true`
    /// if its run was cut off by a limit.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub fn seed(
        &mut self,
        session: &mut Session,
        input: &Input,
        comparisons: &[Comparison],
    ) -> Result<bool, Error> {
        let parts = self.shape.parts(input);
        let longest = input.streams.iter().map(|stream| stream.bytes.len()).max();
        let most = (2 * longest.unwrap_or(0)).min(session.max_input());
        self.state.set_max_size(self.state.max_size().max(most));
        let run = self.evaluate(session, &parts, &comparisons.into())?;
        Ok(run.is_some_and(|run| run.outcome.is_limit()))
    }

    /// Runs about so many new inputs, and hands on what the search is to see.
    pub(crate) fn turn(
        &mut self,
        session: &mut Session,
        executions: usize,
    ) -> Result<Yield, Error> {
        let mut total = Yield::default();
        while total.executions < executions && total.cut_off == 0 && !session.is_stopped() {
            let rand = self.state.rand_mut();
            let random = |below: u32| rand.between(0, below as usize - 1) as u32;
            let Some(position) = self.seeds.choose(random) else {
                break;
            };
            let id = self.seeds.id(position);
            let Ok(seed) = self.state.corpus().cloned_input_for_id(id) else {
                break;
            };
            let comparisons = self.comparisons[position].clone();
            self.state.metadata_map_mut().insert(compared(&comparisons));
            for _ in 0..PER_SEED {
                let mut parts = seed.clone();
                if !self.mutate(&mut parts) {
                    continue;
                }
                total.executions += 1;
                if let Some(run) = self.evaluate(session, &parts, &comparisons)? {
                    self.judge(session, parts, &run, &mut total)?;
                }
                if total.cut_off > 0 {
                    self.seeds.note_cut_off(position);
                    break;
                }
            }
        }
        Ok(total)
    }

    /// Changes one part some times; `false` if nothing was changed.
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
        let stacked = 1 << rand.between(0, STACKED);
        let mut changed =
            rand.between(1, STRETCHED) == 1 && stretch(parts, rand, self.shape.most());
        for _ in 0..stacked {
            changed |= self.mutators.mutate(&mut self.state, parts);
        }
        changed
    }

    /// Runs one input; it becomes a seed if it does something new. `None` if it could not be run.
    fn evaluate(
        &mut self,
        session: &mut Session,
        parts: &Parts,
        comparisons: &std::rc::Rc<[Comparison]>,
    ) -> Result<Option<PlainRun>, Error> {
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
        let Ok((_, kept)) = done else {
            return Ok(None);
        };
        if let Some(id) = kept {
            self.seeds.add(id, parts.total(), &self.observers.0);
            self.comparisons.push(comparisons.clone());
        }
        Ok(run)
    }

    /// Hands an input on whose run took a branch that no run took, failed as none before or reached
    /// an open target.
    fn judge(
        &mut self,
        session: &mut Session,
        parts: Parts,
        run: &PlainRun,
        total: &mut Yield,
    ) -> Result<(), Error> {
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
        if news.is_empty() && (fresh.is_empty() || limit) {
            return match limit {
                true => Ok(()),
                false => self.check(session, &parts, total),
            };
        }
        self.found.union(&fresh);
        total.handed += 1;
        let short = match limit {
            true => parts,
            false => self.trim(session, parts, run, &fresh, total)?,
        };
        session.suggest(self.shape.input(&short), FUZZER);
        Ok(())
    }

    /// Hands an input on that behaves as none before and fails under the checks of memory.
    fn check(
        &mut self,
        session: &mut Session,
        parts: &Parts,
        total: &mut Yield,
    ) -> Result<(), Error> {
        let Some(every) = session.looks_at_every_run() else {
            return Ok(());
        };
        if !self
            .suspects
            .suggest(&self.observers.0, parts.total(), every)
        {
            return Ok(());
        }
        total.executions += CHECK;
        let input = self.shape.input(parts);
        if let Some(failure) = session.check_memory(&input)?
            && self.handed.insert(failure)
        {
            total.handed += 1;
            session.suggest(input, FUZZER);
        }
        Ok(())
    }

    /// Leaves out blocks of the changed part that are not needed for what is new, so that the search
    /// has less to run symbolically.
    fn trim(
        &mut self,
        session: &mut Session,
        mut parts: Parts,
        run: &PlainRun,
        fresh: &Coverage,
        total: &mut Yield,
    ) -> Result<Parts, Error> {
        let mut scratch = vec![0; session.program().branch_count().max(1)];
        let mut left = TRIMS;
        let mut block = parts.len().div_ceil(2);
        while block > 0 && left > 0 {
            let mut end = parts.len();
            while end > 0 && left > 0 {
                let mut shorter = parts.clone();
                let start = end.saturating_sub(block);
                shorter.drain(start..end);
                let input = self.shape.input(&shorter);
                let same = session.fuzz(&input, &mut scratch)?;
                (left, total.executions) = (left - 1, total.executions + 1);
                let has_news = run.targets.iter().all(|name| same.targets.contains(name))
                    && fresh.new_over(&same.coverage).is_empty();
                if same.outcome == run.outcome && has_news {
                    parts = shorter;
                }
                end = start.min(parts.len());
            }
            block /= 2;
        }
        Ok(parts)
    }
}
