//! The fuzzer: LibAFL's corpus, mutators and feedback.
//!
//! An input is kept if it takes a branch in a new class of numbers of times (1, 2, 3, 4–7, 8–15,
//! …, as AFL does). Kept inputs take [turns](crate::seeds); one of their streams is changed by some
//! random mutations: blind ones ("havoc"), tokens of the program, and what the run of the seed
//! compared in place of what it compared it with: numbers ([`crate::knowledge`]) and words
//! ([`crate::words`], which each test begins with). Half of the changes of a text are by whole
//! [lexemes](crate::lexemes). Once in a while a piece of a seed is repeated until the stream is
//! [long](crate::stretch).
//!
//! Runs are those of the plain executable, in which an error of memory may have no effect. One that
//! behaves as none before is looked at under the checks of memory ([`crate::suspects`]).

use std::collections::BTreeSet;
use std::rc::Rc;

use labrys_engine::{Error, FUZZER, PlainRun, Session};
use labrys_suite::{Coverage, Input, TargetStatus};
use labrys_trace::{Compared, Texts};
use libafl::HasMetadata;
use libafl::corpus::{Corpus, InMemoryCorpus};
use libafl::events::NopEventManager;
use libafl::feedbacks::{ConstFeedback, MaxMapFeedback};
use libafl::fuzzer::{Evaluator, ExecutesInput, NopInputFilter, StdFuzzer};
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

use crate::knowledge::{operands, tokens};
use crate::lexemes::{Lexicon, is_text};
use crate::parts::{Parts, Shape};
use crate::program::{Observers, Program, Visits};
use crate::seeds::Seeds;
use crate::slice::Slice;
use crate::stretch::stretch;
use crate::suspects::Suspects;
use crate::words::{Words, exchange};

/// Inputs that are made of one seed before the next one's turn.
const PER_SEED: usize = 32;
/// Streams grow to this many bytes, and to twice the length of the longest seed: what the search
/// is handed it has to run symbolically.
const SHORT: usize = 64;
/// Bytes that an empty stream gets before it is mutated, at most.
const FIRST_BYTES: usize = 16;
/// Most mutations of an input, as a power of two.
const STACKED: usize = 4;
/// Most changes by whole lexemes of an input, as a power of two.
const CHANGED: usize = 3;
/// One input of so many is a seed that is stretched.
const STRETCHED: usize = 64;
/// One mutation of so many and one puts a word in the place of another.
const WORDS: usize = 7;
/// Pairs of texts that are kept for random mutations of a seed.
const TEXTS: usize = 64;
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
    lexicon: Lexicon,
    seeds: Seeds,
    /// By seed: what its run compared, or that of the test from which it comes.
    compared: Vec<Rc<Compared>>,
    words: Words,
    /// Branches of the inputs that were handed on.
    found: Coverage,
    /// Branches that only stretched inputs took.
    far: Coverage,
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

/// How long an input is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Length {
    /// Short enough for the search.
    Usual,
    /// Of any length.
    Stretched,
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

impl Yield {
    /// Whether the turn goes on after this.
    fn goes_on(&self, slice: Slice, session: &Session) -> bool {
        let is_over = || slice.is_over(self.executions, session.time_left());
        self.cut_off == 0 && !session.is_stopped() && !is_over()
    }
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
            lexicon: Lexicon::of(session.vocabulary()),
            seeds: Seeds::default(),
            compared: Vec::new(),
            words: Words::default(),
            found: Coverage::default(),
            far: Coverage::default(),
            handed: BTreeSet::new(),
            suspects: Suspects::default(),
        }
    }

    /// Adds an input, whose run compared this, to the seeds if it does something new; `true` if its
    /// run was cut off by a limit.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub fn seed(
        &mut self,
        session: &mut Session,
        input: &Input,
        mut compared: Compared,
    ) -> Result<bool, Error> {
        let parts = self.shape.parts(input);
        let longest = input.streams.iter().map(|stream| stream.bytes.len()).max();
        let most = (2 * longest.unwrap_or(0)).min(session.max_input());
        self.state.set_max_size(self.state.max_size().max(most));
        let texts = std::mem::take(&mut compared.texts);
        let every = texts.len().div_ceil(TEXTS).max(1);
        compared.texts = texts.iter().step_by(every).cloned().collect();
        let compared = Rc::new(compared);
        self.words.learn(&parts, &texts, &compared);
        let run = self.evaluate(session, &parts, &compared)?;
        Ok(run.is_some_and(|run| run.outcome.is_limit()))
    }

    /// Runs about so many new inputs, and hands on what the search is to see.
    pub(crate) fn turn(&mut self, session: &mut Session, slice: Slice) -> Result<Yield, Error> {
        let mut total = self.put_words(session, slice.half())?;
        while total.goes_on(slice, session) {
            let rand = self.state.rand_mut();
            let random = |below: u32| rand.between(0, below as usize - 1) as u32;
            let Some(position) = self.seeds.choose(random) else {
                break;
            };
            let id = self.seeds.id(position);
            let Ok(seed) = self.state.corpus().cloned_input_for_id(id) else {
                break;
            };
            let compared = self.compared[position].clone();
            self.state
                .metadata_map_mut()
                .insert(operands(&compared.numbers));
            for _ in 0..PER_SEED {
                let mut parts = seed.clone();
                if !self.activate(&mut parts) {
                    continue;
                }
                if self.state.rand_mut().between(1, STRETCHED) == 1 {
                    self.run_stretched(session, parts, &mut total)?;
                } else if self.mutate(&mut parts, &compared.texts) {
                    total.executions += 1;
                    if let Some(run) = self.evaluate(session, &parts, &compared)? {
                        self.judge(session, parts, &run, Length::Usual, &mut total)?;
                    }
                }
                let is_slow = slice.is_slow(session.time_left());
                if total.cut_off > 0 || is_slow {
                    self.seeds.note_slow(position);
                    break;
                }
            }
        }
        Ok(total)
    }

    /// Runs inputs with other words of the program in them.
    fn put_words(&mut self, session: &mut Session, slice: Slice) -> Result<Yield, Error> {
        let mut total = Yield::default();
        while total.goes_on(slice, session) {
            let Some((parts, compared)) = self.words.next() else {
                break;
            };
            total.executions += 1;
            if let Some(run) = self.evaluate(session, &parts, &compared)? {
                self.judge(session, parts, &run, Length::Usual, &mut total)?;
            }
        }
        Ok(total)
    }

    /// Changes one part some times; `false` if nothing was changed.
    fn mutate(&mut self, parts: &mut Parts, texts: &[Texts]) -> bool {
        let rand = self.state.rand_mut();
        // Most mutators change or copy bytes that are there.
        if parts.mutator_bytes().is_empty() {
            parts.resize(rand.between(1, FIRST_BYTES), 0);
            let bytes = parts.mutator_bytes_mut();
            bytes.fill_with(|| rand.between(0, 255) as u8);
        }
        if is_text(parts.mutator_bytes()) && rand.between(0, 1) == 0 {
            return self.change_lexemes(parts);
        }
        let stacked = 1 << rand.between(0, STACKED);
        let mut changed = false;
        for _ in 0..stacked {
            changed |= match self.state.rand_mut().between(0, WORDS) {
                0 if !texts.is_empty() => exchange(parts, texts, self.state.rand_mut()),
                _ => self.mutators.mutate(&mut self.state, parts),
            };
        }
        changed
    }

    /// Changes a text by whole lexemes, also of another seed; `false` if nothing was changed.
    fn change_lexemes(&mut self, parts: &mut Parts) -> bool {
        let (most, rand) = (self.state.max_size(), self.state.rand_mut());
        let other = self.seeds.any(|below| rand.between(0, below - 1));
        let count = 1 << rand.between(0, CHANGED);
        let other = other.and_then(|id| self.state.corpus().cloned_input_for_id(id).ok());
        let other = other.filter(|other| is_text(other.part(parts.active())));
        let other = other.unwrap_or_else(|| parts.clone());
        let text = other.part(parts.active());
        let mut changed = false;
        for _ in 0..count {
            let rand = self.state.rand_mut();
            changed |= self.lexicon.change(parts, text, most, rand);
        }
        changed
    }

    /// Chooses the part that is changed; `false` if there is none.
    fn activate(&mut self, parts: &mut Parts) -> bool {
        let Some(last) = parts.count().checked_sub(1) else {
            return false;
        };
        parts.activate(self.state.rand_mut().between(0, last));
        true
    }

    /// Runs a seed of which a piece is repeated. It is no seed itself: runs of long inputs are slow.
    fn run_stretched(
        &mut self,
        session: &mut Session,
        mut parts: Parts,
        total: &mut Yield,
    ) -> Result<(), Error> {
        let even = session.looks_at_every_run() == Some(true);
        let most = self.shape.most();
        if !stretch(&mut parts, self.state.rand_mut(), most, even) {
            return Ok(());
        }
        total.executions += 1;
        let mut program = Program::new(session, &self.shape, &mut self.observers);
        let (state, mut events) = (&mut self.state, NopEventManager::new());
        let engine = &mut self.engine;
        let _ = engine.execute_input(state, &mut program, &mut events, &parts);
        let (run, error) = (program.last.take(), program.error.take());
        match (run, error) {
            (_, Some(error)) => Err(error),
            (Some(run), None) => self.judge(session, parts, &run, Length::Stretched, total),
            (None, None) => Ok(()),
        }
    }

    /// Runs one input; it becomes a seed if it does something new. `None` if it could not be run.
    fn evaluate(
        &mut self,
        session: &mut Session,
        parts: &Parts,
        compared: &Rc<Compared>,
    ) -> Result<Option<PlainRun>, Error> {
        let mut program = Program::new(session, &self.shape, &mut self.observers);
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
            self.compared.push(compared.clone());
        }
        Ok(run)
    }

    /// Hands an input on whose run took a branch that no run took, failed as none before or reached
    /// an open target. The search would have to run a stretched one symbolically: for a branch alone
    /// it must become short enough.
    fn judge(
        &mut self,
        session: &mut Session,
        parts: Parts,
        run: &PlainRun,
        length: Length,
        total: &mut Yield,
    ) -> Result<(), Error> {
        let limit = run.outcome.is_limit();
        total.cut_off += usize::from(limit);
        let mut fresh = run.coverage.new_over(session.seen()).new_over(&self.found);
        let news = self.news(session, run);
        if length == Length::Stretched {
            fresh = match news.is_empty() {
                true => fresh.new_over(&self.far),
                false => Coverage::default(),
            };
        }
        if news.is_empty() && (fresh.is_empty() || limit) {
            return match limit {
                true => Ok(()),
                false => self.check(session, parts, total),
            };
        }
        let short = match limit {
            true => parts,
            false => {
                let mut scratch = vec![0; session.program().branch_count().max(1)];
                self.trim(session, parts, total, |session, input| {
                    let same = session.fuzz(input, &mut scratch)?;
                    let has_news = run.targets.iter().all(|name| same.targets.contains(name))
                        && fresh.new_over(&same.coverage).is_empty();
                    Ok(same.outcome == run.outcome && has_news)
                })?
            }
        };
        if length == Length::Stretched && news.is_empty() && short.len() > self.state.max_size() {
            self.far.union(&fresh);
            return Ok(());
        }
        self.found.union(&fresh);
        total.handed += 1;
        session.suggest(self.shape.input(&short), FUZZER);
        Ok(())
    }

    /// Open targets that a run reached, and how it failed, if that is not handed on yet.
    fn news(&mut self, session: &Session, run: &PlainRun) -> Vec<String> {
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
        news
    }

    /// Hands an input on that behaves as none before and fails under the checks of memory.
    fn check(
        &mut self,
        session: &mut Session,
        parts: Parts,
        total: &mut Yield,
    ) -> Result<(), Error> {
        let Some(every) = session.looks_at_every_run() else {
            return Ok(());
        };
        let classes: &[u8] = &self.observers.0;
        if !self.suspects.suggest(classes, parts.total(), every) {
            return Ok(());
        }
        total.executions += CHECK;
        let Some(failure) = session.check_memory(&self.shape.input(&parts))? else {
            return Ok(());
        };
        if self.handed.insert(failure.clone()) {
            let short = self.trim(session, parts, total, |session, input| {
                Ok(session.check_memory(input)?.as_ref() == Some(&failure))
            })?;
            total.handed += 1;
            session.suggest(self.shape.input(&short), FUZZER);
        }
        Ok(())
    }

    /// Leaves out blocks of the changed part where an input without them does the same, so that the
    /// search has less to run symbolically.
    fn trim(
        &self,
        session: &mut Session,
        mut parts: Parts,
        total: &mut Yield,
        mut does_the_same: impl FnMut(&mut Session, &Input) -> Result<bool, Error>,
    ) -> Result<Parts, Error> {
        let mut left = TRIMS;
        let slice = Slice::new(TRIMS, session.time_left());
        let mut block = parts.len().div_ceil(2);
        while block > 0 && left > 0 {
            let mut end = parts.len();
            while end > 0 && left > 0 {
                let mut shorter = parts.clone();
                let start = end.saturating_sub(block);
                shorter.drain(start..end);
                (left, total.executions) = (left - 1, total.executions + 1);
                if does_the_same(session, &self.shape.input(&shorter))? {
                    parts = shorter;
                }
                if slice.is_slow(session.time_left()) {
                    return Ok(parts);
                }
                end = start.min(parts.len());
            }
            block /= 2;
        }
        Ok(parts)
    }
}
