//! The depth-first search for a path from the target back to the entry (dissertation, algorithm
//! 4.1), with the solver asked before each choice.
//!
//! A set of constraints that was found unsatisfiable is remembered: every later state that holds
//! all of them is dropped without being looked at. Since a core names only what was required, this
//! jumps back over all choices that had no part in the conflict.
//!
//! Law: when the worklist is empty and nothing was cut, each run that reaches the target is a run
//! of some path that was found; with no path found, the target is unreachable.

use labrys_analysis::ProgramAnalysis;
use labrys_expr::ExprId;
use labrys_program::{BlockId, BranchId, FunctionId, ValueId};
use labrys_solver::{Answer, Model};

use super::explorer::Explorer;
use super::refutations::Refutations;
use crate::assumptions::Assumption;
use crate::check::Check;
use crate::loops::{Cuts, Exploration, Predecessors};
use crate::path::{Path, Point, Skip};
use crate::precision::Precision;
use crate::state::State;
use crate::step::{Step, cross_branch, pass_block};

/// Counters of one search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Path segments, each from one choice to the next.
    pub segments: u64,
    /// Queries.
    pub queries: u64,
    /// Queries that the solver gave up on.
    pub unknown: u64,
    /// States dropped because of a conflict known from elsewhere.
    pub jumps: u64,
    /// Segments of loop iterations that were explored to infer loop invariants.
    pub iterations: u64,
}

impl Counts {
    /// Adds the counters of another search.
    pub(crate) fn add(&mut self, other: Counts) {
        self.segments += other.segments;
        self.queries += other.queries;
        self.unknown += other.unknown;
        self.jumps += other.jumps;
        self.iterations += other.iterations;
    }
}

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
    analysis: &'p ProgramAnalysis<'p>,
    explorer: Explorer<'p>,
    entry: FunctionId,
    precision: Precision,
    worklist: Vec<(State, Point)>,
    refutations: Refutations,
    cuts: Cuts,
    counts: Counts,
    /// Whether the call graph alone shows that no run comes to a target.
    uncalled: bool,
}

/// States that wait at most.
const MAX_WORKLIST: usize = 20_000;
/// Steps for a query at the end of a path.
const LAST_QUERY_STEPS: u64 = 10_000;
/// Models of a path that are asked for, one after the other, each with fewer guesses.
const MAX_SETTLING: usize = 3;
/// Queries without an answer after which a search ends.
pub(crate) const MAX_UNKNOWN: u64 = 8;
/// Expressions at most.
const MAX_EXPRESSIONS: usize = 6_000_000;
/// Expressions that one step looks at, more or less: a stop is looked for between steps.
const MAX_STEP: u64 = 1_000_000;

impl<'p> Search<'p> {
    /// A search from these places to the entry function.
    #[must_use]
    pub fn new(
        analysis: &'p ProgramAnalysis<'p>,
        entry: FunctionId,
        targets: &[Point],
        precision: Precision,
    ) -> Self {
        let mut explorer = Explorer::new(analysis);
        let mut worklist = Vec::new();
        for target in targets.iter().rev() {
            let is_called = analysis.depth(target.function).is_some();
            if !is_called && analysis.follows_pointers() {
                explorer.terms().assume(Assumption::Memory);
            }
            let body = analysis.body(target.function);
            let is_reachable = is_called && body.is_reachable(target.block);
            explorer.terms().note_failing_checks(target.function);
            if is_reachable {
                let frame = explorer.terms().frame(target.function);
                let state = State::new(frame, target.block, target.instruction);
                worklist.push((state, *target));
            }
        }
        Search {
            analysis,
            explorer,
            uncalled: worklist.is_empty(),
            entry,
            precision,
            worklist,
            refutations: Refutations::default(),
            cuts: Cuts::new(),
            counts: Counts::default(),
        }
    }

    /// The target is to be entered by a branch: the search begins at the decision.
    pub fn start_from_branch(&mut self, branch: BranchId) {
        let program = self.analysis.program();
        let Some((site, direction)) = program.branch_site(branch) else {
            return;
        };
        let from = program.sites[site.index()].block;
        let worklist = std::mem::take(&mut self.worklist);
        for (mut state, target) in worklist {
            let sides = self.analysis.function(state.function()).blocks[from.index()]
                .terminator
                .successors();
            if sides.get(direction as usize) == Some(&state.block())
                && cross_branch(self.explorer.terms(), &mut state, from, direction)
            {
                self.worklist.push((state, target));
            }
        }
    }

    /// What this search follows.
    #[must_use]
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Expressions that were looked at.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.explorer.shared_terms().work()
    }

    /// The counters.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts {
            iterations: self.explorer.iteration_segments(),
            ..self.counts
        }
    }

    /// What the search assumed of the program.
    #[must_use]
    pub fn assumptions(&self) -> Vec<Assumption> {
        let assumed = self.explorer.shared_terms().assumed();
        assumed.list(self.analysis.chooses_places_in_files())
    }

    /// Reasons against a proof: with anything here, the end of the search proves nothing.
    #[must_use]
    pub fn obstacles(&self) -> Vec<String> {
        // An obstacle of the program may disturb a path, but makes none.
        let obstacles = self.analysis.obstacles();
        let obstacles = if self.uncalled { &[] } else { obstacles };
        obstacles.iter().chain(&self.cuts).cloned().collect()
    }

    /// Whether the search took as many segments as it may, or the solver gave up too often.
    #[must_use]
    pub fn is_over_budget(&self) -> bool {
        self.counts.segments >= self.precision.segments || self.counts.unknown >= MAX_UNKNOWN
    }

    /// Follows the path on top of the worklist to its next choice.
    pub fn step(&mut self, check: Check<'_>) -> Found {
        let Some((mut state, target)) = self.worklist.pop() else {
            return Found::End;
        };
        if state.is_infeasible(self.explorer.terms()) {
            return Found::More;
        }
        if self.refutations.refutes(state.conditions().constraints()) {
            self.counts.jumps += 1;
            return Found::More;
        }
        if let Some(reason) = self.exhausted() {
            self.cuts.insert(reason.to_owned());
            self.worklist.clear();
            return Found::End;
        }
        self.counts.segments += 1;
        self.follow(state, target, check)
    }

    /// Why the search must end.
    fn exhausted(&self) -> Option<&'static str> {
        let terms = self.explorer.shared_terms();
        if self.worklist.len() > MAX_WORKLIST || terms.size() > MAX_EXPRESSIONS {
            Some("too many paths at once")
        } else if terms.work() > self.precision.work {
            Some("the expressions grew too large")
        } else {
            None
        }
    }

    /// Follows a path until there is a choice, or to the entry; or for as long as a step may take.
    fn follow(&mut self, mut state: State, target: Point, check: Check<'_>) -> Found {
        let precision = self.precision;
        let most = self.explorer.shared_terms().work() + MAX_STEP;
        loop {
            if self.explorer.shared_terms().work() > most {
                self.push(vec![state], target);
                return Found::More;
            }
            match pass_block(self.explorer.terms(), &mut state, &precision) {
                Step::Done => {}
                Step::Fork(states) => match self.choose(states, target) {
                    Some(only) => {
                        state = only;
                        continue;
                    }
                    None => return Found::More,
                },
                Step::Infeasible | Step::Refused => return Found::More,
            }
            if self.has_choice(&state) && !self.is_feasible(&mut state, &mut *check) {
                return Found::More;
            }
            let (entry, cuts) = (self.entry, &mut self.cuts);
            let explorer = &mut self.explorer;
            match explorer.predecessors(state, &precision, entry, cuts, &mut *check) {
                Predecessors::Single(next) => state = next,
                Predecessors::Alternatives(states) => match self.choose(states, target) {
                    Some(only) => state = only,
                    None => return Found::More,
                },
                Predecessors::Entry(at_entry, states) => {
                    self.push(states, target);
                    return self.arrive(at_entry, target, check);
                }
            }
        }
    }

    /// Puts states on the worklist, the first on top; a single one is no choice, and is given back.
    fn choose(&mut self, mut states: Vec<State>, target: Point) -> Option<State> {
        if states.len() == 1 {
            return states.pop();
        }
        self.push(states, target);
        None
    }

    fn push(&mut self, states: Vec<State>, target: Point) {
        let states = states.into_iter().rev();
        self.worklist.extend(states.map(|state| (state, target)));
    }

    /// Whether there is more than one path back from the head of the block.
    fn has_choice(&self, state: &State) -> bool {
        let body = self.analysis.body(state.function());
        if state.block() == BlockId(0) {
            return state.frame().call().is_none();
        }
        !self.precision.coarse && body.predecessors(state.block()).len() > 1
    }

    /// Whether the constraints of a state can be satisfied, as far as the solver can tell.
    fn is_feasible(&mut self, state: &mut State, check: Check<'_>) -> bool {
        let terms = self.explorer.terms();
        state.conditions_mut().settle(terms);
        if state
            .conditions_mut()
            .drop_large(terms, self.precision.constraint)
        {
            state.skip(Skip::Forgotten);
        }
        let asked = state.conditions().undecided(terms.pool());
        if asked.is_empty() || state.conditions().is_unsolved() {
            return true;
        }
        match self.ask(
            state.conditions().model(),
            &asked,
            check,
            self.precision.steps,
        ) {
            Answer::Unsat(_) => return false,
            Answer::Unknown(_) if self.precision.coarse => {
                state.conditions_mut().drop(&asked);
                state.skip(Skip::Unsolved);
            }
            Answer::Unknown(_) => {
                state.conditions_mut().note_unsolved();
                state.skip(Skip::Unsolved);
            }
            Answer::Sat(model) => state.conditions_mut().note_model(model),
        }
        state.conditions_mut().note_satisfiable();
        true
    }

    /// The solver's answer; a model has values for all symbols.
    fn ask(&mut self, near: &Model, asked: &[ExprId], check: Check<'_>, steps: u64) -> Answer {
        let terms = self.explorer.terms();
        let mut constraints = terms.axioms(asked);
        let count = constraints.len();
        constraints.extend(asked);
        let hint = terms.hint(&constraints, near);
        self.counts.queries += 1;
        let mut answer = check(terms.pool_mut(), constraints, &hint, steps);
        match &mut answer {
            Answer::Sat(model) => {
                let symbols = asked
                    .iter()
                    .flat_map(|constraint| terms.pool().symbols(*constraint).iter());
                for symbol in symbols {
                    model.0.entry(symbol).or_insert_with(|| hint.get(symbol));
                }
            }
            Answer::Unknown(_) => self.counts.unknown += 1,
            Answer::Unsat(core) => {
                // Axioms hold in every state.
                let own = core.0.iter().filter_map(|index| index.checked_sub(count));
                let core = own.filter_map(|index| asked.get(index).copied());
                self.refutations.add(core.collect());
            }
        }
        answer
    }

    /// The path has come to the beginning of the program.
    fn arrive(&mut self, mut state: State, target: Point, check: Check<'_>) -> Found {
        let parameters = &self.analysis.function(state.function()).parameters;
        let is_parameter = |value: ValueId| value.index() < parameters.len();
        if state.frame().used().any(|(value, _)| is_parameter(value)) {
            state.skip(Skip::Outside("arguments of the entry function".to_owned()));
        }
        state.start(self.explorer.terms());
        if state.is_infeasible(self.explorer.terms()) {
            return Found::More;
        }
        let model = if self.precision.coarse && !state.trail().skips().is_empty() {
            // No input will be made of it.
            if !self.is_feasible(&mut state, check) {
                return Found::More;
            }
            None
        } else if state.conditions().constraints().is_empty() {
            Some(Model::default())
        } else {
            let conditions = state.conditions();
            let constraints = conditions.constraints();
            match self.ask(
                conditions.model(),
                constraints,
                &mut *check,
                LAST_QUERY_STEPS,
            ) {
                Answer::Unsat(_) => return Found::More,
                Answer::Sat(model) => Some(self.settled(&state, model, check)),
                Answer::Unknown(_) => {
                    state.skip(Skip::Unsolved);
                    None
                }
            }
        };
        let inputs_lost = state.trail().inputs_lost();
        let constraints = state.conditions().constraints().iter();
        let terms = self.explorer.shared_terms();
        let mut inputs: Vec<_> = constraints
            .flat_map(|one| terms.input_parts(*one))
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        let (hops, objects, skips) = state.into_trail().in_order();
        Found::Path(Box::new(Path {
            hops,
            target,
            objects,
            inputs,
            model,
            skips,
            inputs_lost,
        }))
    }

    /// A model of the state's constraints that rests on fewer guesses than this one, if one is found.
    fn settled(&mut self, state: &State, mut model: Model, check: Check<'_>) -> Model {
        let inputs = state.trail().input_parts();
        let mut asked = state.conditions().constraints().to_vec();
        for _ in 0..MAX_SETTLING {
            let terms = self.explorer.terms();
            let further = terms.without_guesses(&asked, &model, &inputs);
            if further.is_empty() {
                break;
            }
            asked.extend(further);
            match self.ask(&model, &asked, &mut *check, LAST_QUERY_STEPS) {
                Answer::Sat(better) => model = better,
                Answer::Unsat(_) | Answer::Unknown(_) => break,
            }
        }
        model
    }

    /// Bits of an expression of this search.
    #[must_use]
    pub fn width(&self, id: ExprId) -> u32 {
        self.explorer.shared_terms().width(id)
    }

    /// The value of a symbol of this search under a model; 0 where the model does not say.
    #[must_use]
    pub fn symbol_value(&self, id: ExprId, model: &Model) -> u128 {
        let symbol = self.explorer.shared_terms().pool().as_symbol(id);
        symbol.and_then(|symbol| model.get(symbol)).unwrap_or(0)
    }
}
