//! The depth-first search for a path from the target back to the entry (dissertation, algorithm
//! 4.1), with the solver asked before each choice.
//!
//! A set of constraints that was found unsatisfiable is remembered: every later state that holds
//! all of them is dropped without being looked at. Since a core names only what was needed, this
//! jumps back over all choices that had no part in the conflict.
//!
//! Law: when the stack is empty and nothing was cut, each run that reaches the target is a run of
//! some path that was found; with no path found, the target is unreachable.

use labrys_expr::{ExprId, Pool};
use labrys_program::{BlockId, FunctionId};
use labrys_solver::{Answer, Assignment, Model};
use rustc_hash::FxHashSet;

use crate::choices::{Cuts, Head};
use crate::demand::Base;
use crate::pass::Step;
use crate::precision::Precision;
use crate::state::{Hop, Skip, State};
use labrys_analysis::ProgramAnalysis;

/// A place in the program: before an instruction of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// The function.
    pub function: FunctionId,
    /// The block.
    pub block: BlockId,
    /// Index of the instruction.
    pub instruction: usize,
}

/// A path from the entry to a target, with what the solver knows of its input.
#[derive(Clone, Debug)]
pub struct Path {
    /// Blocks from the entry on.
    pub hops: Vec<Hop>,
    /// Where the path ends.
    pub target: Point,
    /// Input objects in order; each is made of symbols of whole bytes.
    pub objects: Vec<Vec<ExprId>>,
    /// Values of symbols; none if the solver gave up.
    pub model: Option<Model>,
    /// What the path steps over.
    pub skips: Vec<Skip>,
    /// Whether the program may ask for more input objects than the path shows.
    pub inputs_lost: bool,
}

/// Counters of one search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Path segments: straight ways between two choices.
    pub segments: u64,
    /// Queries.
    pub queries: u64,
    /// Queries that the solver gave up on.
    pub unknown: u64,
    /// States dropped because of a conflict known from elsewhere.
    pub jumps: u64,
    /// Segments of ways round loops, to see what the rounds keep.
    pub rounds: u64,
}

/// Decides whether constraints can all be true, given values that may come near, within so many
/// steps.
pub type Check<'a> = &'a mut dyn FnMut(&mut Pool, Vec<ExprId>, &Assignment, u64) -> Answer;

/// What a step of the search came to.
#[derive(Debug)]
pub enum Found {
    /// There is more to search.
    More,
    /// A path to the entry that may be feasible.
    Path(Box<Path>),
    /// Everything was searched.
    End,
}

/// See the module.
#[derive(Debug)]
pub struct Search<'p> {
    base: Base<'p>,
    entry: FunctionId,
    precision: Precision,
    stack: Vec<(State, Point)>,
    cores: Vec<Vec<ExprId>>,
    cuts: Cuts,
    counts: Counts,
    /// No chain of calls leads to a target.
    uncalled: bool,
}

/// Cores that are remembered, and constraints in one.
const MAX_CORES: usize = 256;
const MAX_CORE: usize = 12;
/// States that wait at most.
const MAX_STACK: usize = 20_000;
/// Steps for a query at the end of a path.
const LONG: u64 = 10_000;
/// Expressions at most.
const MAX_POOL: usize = 6_000_000;

impl<'p> Search<'p> {
    /// A search from these places to the entry function.
    #[must_use]
    pub fn new(
        image: &'p ProgramAnalysis<'p>,
        entry: FunctionId,
        targets: &[Point],
        precision: Precision,
    ) -> Self {
        let mut base = Base::new(image);
        let mut stack = Vec::new();
        for target in targets.iter().rev() {
            let reachable = image.depth(target.function).is_some()
                && image.body(target.function).is_reachable(target.block);
            if reachable {
                let frame = base.frame(target.function);
                stack.push((State::new(frame, target.block, target.instruction), *target));
            }
        }
        Search {
            base,
            uncalled: stack.is_empty(),
            entry,
            precision,
            stack,
            cores: Vec::new(),
            cuts: Cuts::new(),
            counts: Counts::default(),
        }
    }

    /// The target is to be entered by a branch: the search begins at the decision.
    pub fn start_from_branch(&mut self, branch: labrys_program::BranchId) {
        let program = self.base.image.program();
        let Some((site, direction)) = program.branch_site(branch) else {
            return;
        };
        let from = program.sites[site.index()].block;
        let stack = std::mem::take(&mut self.stack);
        for (mut state, target) in stack {
            let sides = self.base.image.function(state.function()).blocks[from.index()]
                .terminator
                .successors();
            if sides.get(direction as usize) == Some(&state.block)
                && self.base.cross_branch(&mut state, from, direction)
            {
                self.stack.push((state, target));
            }
        }
    }

    /// Whether the call graph alone shows that no run comes to a target.
    #[must_use]
    pub fn is_uncalled(&self) -> bool {
        self.uncalled
    }

    /// What this search follows.
    #[must_use]
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Expressions that were looked at.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.base.substitution.work
    }

    /// The counters.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts {
            rounds: self.base.rounds.segments,
            ..self.counts
        }
    }

    /// What was left out; with anything here, the end of the search proves nothing.
    #[must_use]
    pub fn cuts(&self) -> &Cuts {
        &self.cuts
    }

    /// Follows the path on top of the stack to its next choice.
    pub fn step(&mut self, check: Check<'_>) -> Found {
        let Some((mut state, target)) = self.stack.pop() else {
            return Found::End;
        };
        if self.base.is_dead(&mut state) {
            return Found::More;
        }
        if self.is_refuted(&state) {
            self.counts.jumps += 1;
            return Found::More;
        }
        if self.stack.len() > MAX_STACK || self.base.pool.len() > MAX_POOL {
            self.cuts.insert("too many paths at once".to_owned());
            self.stack.clear();
            return Found::End;
        }
        if self.base.substitution.work > self.precision.work {
            self.cuts
                .insert("the expressions grew too large".to_owned());
            self.stack.clear();
            return Found::End;
        }
        self.counts.segments += 1;
        loop {
            match self.base.through_block(&mut state, self.precision) {
                Step::Done => {}
                Step::Fork(mut ways) => match (ways.pop(), ways.is_empty()) {
                    (Some(only), true) => {
                        state = only;
                        continue;
                    }
                    (last, _) => {
                        ways.extend(last);
                        self.push(ways, target);
                        return Found::More;
                    }
                },
                Step::Dead | Step::Refused => return Found::More,
            }
            if self.chooses(&state) && !self.feasible(&mut state, check) {
                return Found::More;
            }
            match self.base.head(
                state,
                self.precision,
                self.entry,
                &mut self.cuts,
                &mut *check,
            ) {
                Head::Single(next) => state = next,
                Head::Choices(mut ways) => match (ways.pop(), ways.is_empty()) {
                    // One way is no choice.
                    (Some(only), true) => state = only,
                    (last, _) => {
                        ways.extend(last);
                        self.push(ways, target);
                        return Found::More;
                    }
                },
                Head::Entry(at_entry, ways) => {
                    self.push(ways, target);
                    return self.arrive(at_entry, target, check);
                }
            }
        }
    }

    /// The first of the ways comes first.
    fn push(&mut self, ways: Vec<State>, target: Point) {
        self.stack
            .extend(ways.into_iter().rev().map(|way| (way, target)));
    }

    /// Whether there is more than one way back from the head of the block.
    fn chooses(&self, state: &State) -> bool {
        let body = self.base.image.body(state.function());
        if state.block == BlockId(0) {
            return state.frame().call.is_none();
        }
        if self.precision.coarse {
            return false;
        }
        body.predecessors(state.block).len() > 1
    }

    fn is_refuted(&self, state: &State) -> bool {
        let held: FxHashSet<ExprId> = state.constraints.iter().copied().collect();
        self.cores
            .iter()
            .any(|core| core.iter().all(|one| held.contains(one)))
    }

    /// Whether the constraints of a state can be satisfied, as far as the solver can tell.
    fn feasible(&mut self, state: &mut State, check: Check<'_>) -> bool {
        self.base.settle(state);
        self.base.forget_large(state, self.precision.constraint);
        let asked = self.undecided(state);
        if asked.is_empty() || state.hard {
            return true;
        }
        match self.ask(state, &asked, check, self.precision.steps) {
            Answer::Unsat(_) => return false,
            Answer::Unknown(_) if self.precision.coarse => {
                state.constraints.retain(|one| !asked.contains(one));
                state.skip(Skip::Unsolved);
            }
            Answer::Unknown(_) => {
                state.hard = true;
                state.skip(Skip::Unsolved);
            }
            Answer::Sat(model) => state.model = model.into(),
        }
        state.satisfiable = state
            .constraints
            .iter()
            .copied()
            .collect::<FxHashSet<_>>()
            .into();
        true
    }

    /// The constraints that are new since the solver was asked, and those that they have to do
    /// with: no others can be in a conflict.
    fn undecided(&self, state: &State) -> Vec<ExprId> {
        let pool = &self.base.pool;
        let known = |one: &ExprId| state.satisfiable.contains(one);
        let (mut left, mut next): (Vec<ExprId>, Vec<ExprId>) =
            state.constraints.iter().partition(|one| known(one));
        let mut concerned: FxHashSet<ExprId> = FxHashSet::default();
        while let Some(one) = next.pop() {
            concerned.insert(one);
            left.retain(|other| {
                let apart = !pool.symbols(one).intersects(&pool.symbols(*other));
                if !apart {
                    next.push(*other);
                }
                apart
            });
        }
        let constraints = state.constraints.iter().copied();
        constraints.filter(|one| concerned.contains(one)).collect()
    }

    /// The solver's answer; a model has values for all symbols.
    fn ask(&mut self, state: &State, asked: &[ExprId], check: Check<'_>, steps: u64) -> Answer {
        let mut constraints = self.base.axioms(asked);
        let count = constraints.len();
        constraints.extend(asked);
        let hint = self
            .base
            .objects
            .guess(&self.base.pool, &constraints, &state.model);
        self.counts.queries += 1;
        let mut answer = check(&mut self.base.pool, constraints, &hint, steps);
        if let Answer::Sat(model) = &mut answer {
            let symbols = asked
                .iter()
                .flat_map(|one| self.base.pool.symbols(*one).iter());
            for symbol in symbols {
                model.0.entry(symbol).or_insert_with(|| hint.get(symbol));
            }
        }
        self.counts.unknown += u64::from(matches!(answer, Answer::Unknown(_)));
        if let Answer::Unsat(core) = &answer {
            // Axioms hold in every state.
            let own = core.0.iter().filter_map(|index| index.checked_sub(count));
            let core: Vec<ExprId> = own.filter_map(|index| asked.get(index).copied()).collect();
            if core.len() <= MAX_CORE && self.cores.len() < MAX_CORES {
                self.cores.push(core);
            }
        }
        answer
    }

    /// The path has come to the beginning of the program.
    fn arrive(&mut self, mut state: State, target: Point, check: Check<'_>) -> Found {
        let parameters = &self.base.image.function(state.function()).parameters;
        let uses = |value: &labrys_program::ValueId| value.index() < parameters.len();
        if state.frame().env.keys().any(uses) {
            state.skip(Skip::Outside("arguments of the entry function".to_owned()));
        }
        self.base.start(&mut state);
        if self.base.is_dead(&mut state) {
            return Found::More;
        }
        let model = if self.precision.coarse && !state.skips.is_empty() {
            // No input will be made of it.
            if !self.feasible(&mut state, check) {
                return Found::More;
            }
            None
        } else if state.constraints.is_empty() {
            Some(Model::default())
        } else {
            match self.ask(&state, &state.constraints, check, LONG) {
                Answer::Unsat(_) => return Found::More,
                Answer::Sat(model) => Some(model),
                Answer::Unknown(_) => {
                    state.skip(Skip::Unsolved);
                    None
                }
            }
        };
        let inputs = state.inputs.into_iter().rev();
        let mut hops: Vec<Hop> = state.hops.into_iter().rev().collect();
        let first = hops.first().map_or(0, |hop| hop.level);
        for hop in &mut hops {
            hop.level -= first;
        }
        Found::Path(Box::new(Path {
            hops,
            target,
            objects: inputs.map(|object| object.parts).collect(),
            model,
            skips: state.skips,
            inputs_lost: state.inputs_lost,
        }))
    }

    /// Bits of an expression of this search.
    #[must_use]
    pub fn width(&self, id: ExprId) -> u32 {
        self.base.pool.width(id)
    }

    /// The value of a symbol of this search under a model; 0 where the model does not say.
    #[must_use]
    pub fn symbol_value(&self, id: ExprId, model: &Model) -> u128 {
        let symbol = self.base.pool.as_symbol(id);
        symbol.and_then(|one| model.get(one)).unwrap_or(0)
    }
}
