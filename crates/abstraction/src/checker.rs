//! The model checker: coverage-driven refinement (section 4 and algorithm 2 of the paper).
//!
//! A round explores the whole graph with the precision that there is; so there is always a complete
//! one. A goal that the graph does not come to is unreachable. A path to another one is either
//! feasible, and then its model is a test, or it gives predicates for the next round.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use labrys_analysis::ProgramAnalysis;
use labrys_expr::ExprId;
use labrys_program::{BranchId, FunctionId};
use labrys_solver::Answer;
use labrys_solver::interpolate::Interpolator;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ask::{Ask, Asker};
use crate::automaton::Automaton;
use crate::block::{Escape, Location, Occurrence, TooLarge};
use crate::certificate;
use crate::graph::{Graph, StateId};
use crate::invariants::Invariants;
use crate::longer::{self, Candidate};
use crate::path::{AbstractPath, PathInput, Unrolled};
use crate::post::{Post, post};
use crate::precision::{Distinctions, Precision};
use crate::refine::Refiner;
use crate::select;
use crate::sharpen;
use crate::trial::Trials;

/// States of a graph at most.
const MAX_STATES: usize = 4_000;
/// Work of a step, about, in steps of the solver.
const STEP: u64 = 256;
/// Steps of the solver for a query.
const STEPS: u64 = 4_000;
/// Steps of the solver for the path to a goal.
const PATH_STEPS: u64 = 40_000;
/// How much more work is for rounds than for other paths, until they end.
const LONGER: u64 = 2;
/// Steps of the solver for a query of a trial.
const TRIAL_STEPS: u64 = 16_000;
/// Spurious paths that are refuted in a round.
const PATHS: usize = 6;
/// Blocks of a path that is refuted.
const MAX_PATH: usize = 120;

/// What a step found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing yet.
    Nothing,
    /// Branches that no run takes.
    Unreachable(Vec<BranchId>),
    /// What the program asks for on a path that takes a branch; `None` where the path asks for what
    /// is not known.
    Input(BranchId, Option<PathInput>),
    /// There is nothing more to do for the goals.
    Done,
}

/// Why a goal is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// A run may take it in code that is not followed.
    Escaped,
    /// A path to it is feasible, as far as the formula knows.
    Feasible,
    /// The solver gave up on a path.
    Unknown,
    /// Refinement found no new predicate.
    NoPredicate,
}

/// A transition from a state, and the precision behind it.
type PostKey = (Location, usize, Vec<ExprId>, Rc<Distinctions>);

/// What is done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Invariants,
    Explore,
    /// The paths of this round are looked at.
    Paths,
    Done,
}

/// A state that is being expanded.
#[derive(Clone, Copy, Debug)]
struct Expansion {
    state: StateId,
    /// The next of its block's occurrences, escapes and transitions.
    next: usize,
}

impl Expansion {
    fn of(state: StateId) -> Self {
        Expansion { state, next: 0 }
    }
}

/// See the module.
pub struct Checker<'p> {
    automaton: Automaton<'p>,
    invariants: Invariants,
    precision: Precision,
    graph: Graph,
    /// The last graph that was complete.
    complete: Option<Rc<Graph>>,
    goals: BTreeSet<BranchId>,
    left: BTreeMap<BranchId, Left>,
    /// The first state of this round that comes to a goal, and where its block does.
    hits: BTreeMap<BranchId, (StateId, Occurrence)>,
    paths: Vec<BranchId>,
    /// Predicates for the monitor, by goal that is left.
    sharper: BTreeMap<BranchId, Vec<(Location, ExprId)>>,
    /// Spurious paths of this round.
    refuted: usize,
    /// Predicates that they gave, which the graph does not know yet.
    new_predicates: usize,
    phase: Phase,
    /// Whether the graph is the first one: what is decided near shows most of what is unreachable,
    /// and costs little.
    is_first: bool,
    expansion: Option<Expansion>,
    /// Goals that calls may take that the first graph does not follow.
    escaped: BTreeSet<BranchId>,
    posts: FxHashMap<PostKey, Rc<Vec<Vec<ExprId>>>>,
    refiner: Refiner,
    trials: Option<Trials<'p>>,
    /// Paths that are tried beside the rounds.
    longer: VecDeque<Candidate>,
    /// Work on those, and on all else.
    on_longer: u64,
    on_rounds: u64,
    /// Paths that were tried.
    passed: FxHashSet<(BranchId, Vec<Location>)>,
    /// Work of trials, in steps of the solver.
    tried: u64,
    too_large: bool,
}

impl<'p> Checker<'p> {
    /// A checker that has not begun.
    ///
    /// # Errors
    /// If the solver is not installed.
    pub fn new(
        analysis: &'p ProgramAnalysis<'p>,
        entry: FunctionId,
        goals: impl IntoIterator<Item = BranchId>,
    ) -> Result<Self, labrys_solver::bitwuzla::Error> {
        let mut automaton = Automaton::new(analysis, entry);
        let goals: BTreeSet<BranchId> = goals.into_iter().collect();
        let outside = automaton.called_from_outside();
        let escaped = goals
            .iter()
            .filter(|goal| automaton.may_take(&outside, **goal));
        let left = escaped.map(|goal| (*goal, Left::Escaped)).collect();
        Checker::over(automaton, goals, left)
    }

    /// A checker of some branches of a function, which is called with anything in memory.
    pub(crate) fn of_unit(
        analysis: &'p ProgramAnalysis<'p>,
        function: FunctionId,
        goals: BTreeSet<BranchId>,
    ) -> Result<Self, labrys_solver::bitwuzla::Error> {
        let automaton = Automaton::of_unit(analysis, function);
        Checker::over(automaton, goals, BTreeMap::new())
    }

    fn over(
        automaton: Automaton<'p>,
        goals: BTreeSet<BranchId>,
        left: BTreeMap<BranchId, Left>,
    ) -> Result<Self, labrys_solver::bitwuzla::Error> {
        Ok(Checker {
            invariants: Invariants::new(automaton.entry()),
            precision: Precision::default(),
            graph: Graph::new(automaton.entry()),
            complete: None,
            goals,
            left,
            hits: BTreeMap::new(),
            paths: Vec::new(),
            sharper: BTreeMap::new(),
            refuted: 0,
            new_predicates: 0,
            phase: Phase::Explore,
            is_first: true,
            expansion: None,
            escaped: BTreeSet::new(),
            posts: FxHashMap::default(),
            refiner: Refiner::new(Interpolator::new()?, STEPS),
            trials: None,
            longer: VecDeque::new(),
            on_longer: 0,
            on_rounds: 0,
            passed: FxHashSet::default(),
            tried: 0,
            too_large: false,
            automaton,
        })
    }

    /// Paths are tried for inputs.
    #[must_use]
    pub fn with_trials(mut self, trials: Trials<'p>) -> Self {
        self.trials = Some(trials);
        self
    }

    /// What was done beside queries, in steps of the solver.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.automaton.terms.work() + self.tried
    }

    /// Whether the program is too large for this.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        self.too_large
    }

    /// The last graph that was complete, and what it speaks of; `None` while that is not proved.
    pub(crate) fn complete(&mut self) -> Option<(Rc<Graph>, &mut Automaton<'p>, &Invariants)> {
        let graph = self
            .complete
            .clone()
            .filter(|_| self.invariants.are_proved())?;
        Some((graph, &mut self.automaton, &self.invariants))
    }

    /// The goals that are still looked for.
    #[must_use]
    pub fn goals(&self) -> &BTreeSet<BranchId> {
        &self.goals
    }

    /// Why goals were left.
    #[must_use]
    pub fn left(&self) -> &BTreeMap<BranchId, Left> {
        &self.left
    }

    /// States of the last complete graph.
    #[must_use]
    pub fn states(&self) -> usize {
        self.complete.as_ref().map_or(0, |graph| graph.len())
    }

    /// What shows branches unreachable that were found to be just now; `None` where it has no text.
    #[must_use]
    pub fn certificate(&self, claims: &[BranchId]) -> Option<String> {
        let graph = self.complete.as_ref()?;
        certificate::write(&self.automaton.terms, graph, &self.invariants, claims)
    }

    /// A goal is one no longer: a run took it.
    pub fn drop_goal(&mut self, goal: BranchId) {
        self.goals.remove(&goal);
        self.left.remove(&goal);
    }

    /// Does a small piece of work.
    pub fn step(&mut self, ask: &mut dyn Ask) -> Found {
        let begin = ask.work() + self.work();
        let is_longer = self.is_longer_due();
        let mut asker = Asker {
            ask,
            steps: STEPS,
            local: self.is_first && !is_longer,
        };
        let found = match self.phase {
            _ if is_longer => Ok(self.try_longer(&mut asker)),
            Phase::Invariants => self.infer(&mut asker),
            Phase::Explore => self.explore(&mut asker),
            Phase::Paths => Ok(self.look_at_path(&mut asker)),
            Phase::Done => Ok(Found::Done),
        };
        let work = asker.ask.work() + self.work() - begin;
        match is_longer {
            true => self.on_longer += work,
            false => self.on_rounds += work,
        }
        found.unwrap_or_else(|TooLarge| {
            self.too_large = true;
            self.phase = Phase::Done;
            Found::Nothing
        })
    }

    fn infer(&mut self, asker: &mut Asker<'_>) -> Result<Found, TooLarge> {
        self.invariants.step(&mut self.automaton, asker)?;
        if self.invariants.are_proved() {
            self.phase = Phase::Explore;
        }
        Ok(Found::Nothing)
    }

    /// Expands one state; when there is none left, tells what the graph does not come to.
    fn explore(&mut self, asker: &mut Asker<'_>) -> Result<Found, TooLarge> {
        if self.expansion.is_none() {
            if self.graph.len() > MAX_STATES {
                return Err(TooLarge);
            }
            self.expansion = self.graph.pop().map(Expansion::of);
        }
        if let Some(expansion) = self.expansion.take() {
            self.expansion = self.expand(asker, expansion)?;
            return Ok(Found::Nothing);
        }
        self.complete = Some(Rc::new(self.graph.clone()));
        self.longer = self.longer_paths();
        let escaped = std::mem::take(&mut self.escaped);
        let is_open = |goal: &BranchId| !self.left.contains_key(goal) && !escaped.contains(goal);
        let (hit, proved): (Vec<BranchId>, Vec<BranchId>) = self
            .goals
            .iter()
            .copied()
            .filter(is_open)
            .partition(|goal| self.hits.contains_key(goal));
        for goal in &proved {
            self.goals.remove(goal);
        }
        self.paths = hit;
        self.paths
            .sort_by_key(|goal| std::cmp::Reverse(self.hits[goal].0));
        self.refuted = 0;
        self.phase = Phase::Paths;
        if std::mem::take(&mut self.is_first) {
            self.restart();
            // They were made without the facts that are inferred now.
            self.posts.clear();
            self.phase = Phase::Invariants;
        }
        Ok(match proved.is_empty() {
            true => Found::Nothing,
            false => Found::Unreachable(proved),
        })
    }

    /// What holds in a state.
    fn holds(&self, id: StateId) -> Vec<ExprId> {
        let state = self.graph.state(id);
        let facts = self.invariants.at(state.location);
        facts.iter().chain(&state.cube).copied().collect()
    }

    /// Expands a state as far as a step goes; what is left of it.
    fn expand(
        &mut self,
        asker: &mut Asker<'_>,
        mut expansion: Expansion,
    ) -> Result<Option<Expansion>, TooLarge> {
        let id = expansion.state;
        let block = self.automaton.block(self.graph.state(id).location)?;
        let base = self.holds(id);
        let end = asker.ask.work() + STEP;
        while asker.ask.work() < end {
            let at = expansion.next;
            expansion.next += 1;
            if let Some(occurrence) = block.occurrences.get(at) {
                self.come_by(asker, id, &base, *occurrence);
                continue;
            }
            let at = at - block.occurrences.len();
            if let Some(escape) = block.escapes.get(at) {
                self.escape(asker, &base, escape);
                continue;
            }
            let at = at - block.escapes.len();
            let Some(transition) = block.transitions.get(at) else {
                return Ok(None);
            };
            for cube in self.post(asker, id, at)?.iter() {
                self.graph
                    .add(transition.target, cube.clone(), Some((id, at)));
            }
        }
        Ok(Some(expansion))
    }

    /// A branch that runs from a state may take.
    fn come_by(
        &mut self,
        asker: &mut Asker<'_>,
        id: StateId,
        base: &[ExprId],
        occurrence: Occurrence,
    ) {
        let goal = occurrence.branch;
        let is_open = self.automaton.counts(occurrence.frame)
            && self.goals.contains(&goal)
            && !self.left.contains_key(&goal)
            && !self.hits.contains_key(&goal);
        if is_open && self.may(asker, base, occurrence.condition) {
            self.hits.insert(goal, (id, occurrence));
        }
    }

    /// A call that the block does not follow: what it may take is left.
    fn escape(&mut self, asker: &mut Asker<'_>, base: &[ExprId], escape: &Escape) {
        if self.automaton.terms.is_unit() {
            return;
        }
        let open = self
            .goals
            .iter()
            .filter(|goal| !self.left.contains_key(goal));
        let open: Vec<BranchId> = open.copied().collect();
        let automaton = &mut self.automaton;
        let may_take = |goal: &BranchId| automaton.may_take(&escape.functions, *goal);
        let taken: Vec<BranchId> = open.into_iter().filter(may_take).collect();
        if !taken.is_empty() && self.may(asker, base, escape.condition) {
            // What is decided near does not show that the call happens.
            let left = taken.into_iter().map(|goal| (goal, Left::Escaped));
            match self.is_first {
                true => self.escaped.extend(left.map(|(goal, _)| goal)),
                false => self.left.extend(left),
            }
        }
    }

    fn may(&mut self, asker: &mut Asker<'_>, base: &[ExprId], condition: ExprId) -> bool {
        let mut query = base.to_vec();
        query.push(condition);
        !asker.refutes(&mut self.automaton.terms, &query)
    }

    /// The states behind a transition of a state.
    fn post(
        &mut self,
        asker: &mut Asker<'_>,
        id: StateId,
        index: usize,
    ) -> Result<Rc<Vec<Vec<ExprId>>>, TooLarge> {
        let state = self.graph.state(id);
        let (location, cube) = (state.location, state.cube.clone());
        let block = self.automaton.block(location)?;
        let transition = &block.transitions[index];
        let mut base = self.holds(id);
        base.push(transition.condition);
        loop {
            let precision = self.precision.of(transition.target);
            let key = (location, index, cube.clone(), precision.clone());
            if let Some(known) = self.posts.get(&key) {
                return Ok(known.clone());
            }
            let terms = &mut self.automaton.terms;
            match post(terms, asker, &block, transition, &base, &precision) {
                Post::Cubes(cubes) => {
                    let cubes = Rc::new(cubes);
                    self.posts.insert(key, cubes.clone());
                    return Ok(cubes);
                }
                Post::TooMany(symbol) => self.precision.untrack(transition.target, symbol),
            }
        }
    }

    /// Looks at the shortest path to one goal.
    fn look_at_path(&mut self, asker: &mut Asker<'_>) -> Found {
        let Some(goal) = self.paths.pop() else {
            return self.end_round();
        };
        let Some((state, occurrence)) = self.hits.get(&goal).copied() else {
            return Found::Nothing;
        };
        if !self.goals.contains(&goal) {
            return Found::Nothing;
        }
        let Some(mut path) = self.path(state, occurrence.condition) else {
            return Found::Nothing;
        };
        if path.len() > MAX_PATH {
            self.left.insert(goal, Left::Unknown);
            return Found::Nothing;
        }
        let mut unrolled = Unrolled::from(0);
        let terms = &mut self.automaton.terms;
        let conditions: Vec<ExprId> = (0..path.len())
            .map(|step| {
                let condition = path.condition(step);
                unrolled.instance(&mut path, terms, step, condition)
            })
            .collect();
        asker.steps = PATH_STEPS;
        let answer = asker.check(terms, &conditions);
        asker.steps = STEPS;
        let terms = &mut self.automaton.terms;
        match answer {
            Answer::Sat(_) if terms.is_unit() => {
                self.left.insert(goal, Left::Feasible);
                Found::Nothing
            }
            Answer::Sat(model) => {
                // A path without objects says nothing of the input where it could be tried.
                let says = |one: &PathInput| self.trials.is_none() || !one.objects().is_empty();
                let input = path.input(terms, &model).filter(says);
                self.sharper
                    .insert(goal, sharpen::predicates(terms, &mut path));
                self.left.insert(goal, Left::Feasible);
                Found::Input(goal, input)
            }
            Answer::Unknown(_) => {
                self.left.insert(goal, Left::Unknown);
                Found::Nothing
            }
            Answer::Unsat(core) => {
                let needed = select::steps(terms, asker, &path, &conditions, core.0);
                self.refute(asker, goal, &mut path, &needed);
                Found::Nothing
            }
        }
    }

    /// A path to a goal contradicts itself in some steps: predicates are to show it.
    fn refute(
        &mut self,
        asker: &mut Asker<'_>,
        goal: BranchId,
        path: &mut AbstractPath,
        needed: &[usize],
    ) {
        self.new_predicates += self.refine(asker, path, needed);
        if self.new_predicates == 0 {
            self.left.insert(goal, Left::NoPredicate);
        }
        self.refuted += 1;
        if self.refuted >= PATHS {
            self.paths.clear();
        }
    }

    /// An input of a path, by a trial.
    fn try_path(
        &mut self,
        asker: &mut Asker<'_>,
        path: &AbstractPath,
        goal: Occurrence,
    ) -> Option<PathInput> {
        let trials = self.trials.as_ref()?;
        asker.steps = TRIAL_STEPS;
        let (input, work) = trials.input(asker, &self.automaton.terms, path, goal);
        asker.steps = STEPS;
        self.tried += work;
        input
    }

    /// Adds the predicates that refute a path; how many are new.
    fn refine(
        &mut self,
        asker: &mut Asker<'_>,
        path: &mut AbstractPath,
        needed: &[usize],
    ) -> usize {
        let terms = &mut self.automaton.terms;
        let found = self
            .refiner
            .refute(terms, asker, &self.invariants, path, needed);
        let terms = &mut self.automaton.terms;
        let precision = &mut self.precision;
        let is_new = |(location, id): &(Location, ExprId)| precision.add(terms, *location, *id);
        found.into_iter().filter(is_new).count()
    }

    fn path(&mut self, state: StateId, condition: ExprId) -> Option<AbstractPath> {
        let location = |id: StateId| self.graph.state(id).location;
        let way = self.graph.way(state).into_iter();
        let way = way.map(|(id, transition)| (location(id), transition));
        let (way, last) = (way.collect(), location(state));
        self.path_along(way, last, condition)
    }

    fn path_along(
        &mut self,
        way: Vec<(Location, usize)>,
        last: Location,
        condition: ExprId,
    ) -> Option<AbstractPath> {
        let steps: Result<Vec<_>, TooLarge> = way
            .into_iter()
            .map(|(location, transition)| Ok((self.automaton.block(location)?, transition)))
            .collect();
        let last = self.automaton.block(last).ok()?;
        Some(AbstractPath::new(steps.ok()?, last, condition))
    }

    /// Adds predicates for goals that stay open; whether any is new.
    fn sharpen(&mut self) -> bool {
        let mut new = false;
        for (goal, predicates) in std::mem::take(&mut self.sharper) {
            for (location, id) in predicates
                .into_iter()
                .filter(|_| self.goals.contains(&goal))
            {
                new |= self.precision.add(&mut self.automaton.terms, location, id);
            }
        }
        new
    }

    /// The next round, if there is something new.
    fn end_round(&mut self) -> Found {
        if std::mem::take(&mut self.new_predicates) > 0 {
            // What they tell apart may help others.
            self.left.retain(|_, why| *why != Left::NoPredicate);
        }
        let open = self.goals.iter().any(|goal| !self.left.contains_key(goal));
        if !open && !self.sharpen() {
            self.phase = Phase::Done;
            return Found::Nothing;
        }
        self.restart();
        self.phase = Phase::Explore;
        Found::Nothing
    }

    /// Paths to the goals that are open, if they can be tried.
    fn longer_paths(&mut self) -> VecDeque<Candidate> {
        let Some(graph) = self.complete.clone().filter(|_| self.trials.is_some()) else {
            return VecDeque::new();
        };
        let goals = &self.goals;
        let mut found = longer::candidates(&graph, |location| {
            let block = self.automaton.block(location);
            let all = block.map_or_else(|_| Vec::new(), |block| block.occurrences.clone());
            let open = |one: &Occurrence| goals.contains(&one.branch);
            all.into_iter().filter(open).collect()
        });
        found.retain(|one| {
            let passed = (one.goal.branch, one.locations().collect());
            !self.passed.contains(&passed)
        });
        found
    }

    /// Whether another path is tried now.
    fn is_longer_due(&self) -> bool {
        let is_due = self.phase == Phase::Done || self.on_longer * LONGER < self.on_rounds;
        is_due && !self.longer.is_empty()
    }

    /// Tries one of them.
    fn try_longer(&mut self, asker: &mut Asker<'_>) -> Found {
        let Some(candidate) = self.longer.pop_front() else {
            return Found::Nothing;
        };
        let locations = candidate.locations().collect();
        let Candidate { way, last, goal } = candidate;
        let is_new = self.passed.insert((goal.branch, locations));
        if !is_new || !self.goals.contains(&goal.branch) {
            return Found::Nothing;
        }
        let Some(path) = self.path_along(way, last, goal.condition) else {
            return Found::Nothing;
        };
        let input = self.try_path(asker, &path, goal);
        input.map_or(Found::Nothing, |input| {
            Found::Input(goal.branch, Some(input))
        })
    }

    fn restart(&mut self) {
        self.graph = Graph::new(self.automaton.entry());
        self.hits.clear();
    }
}
