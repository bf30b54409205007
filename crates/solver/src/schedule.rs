//! The schedule: layers in order, each with its patience, until one of them answers.
//!
//! A [`Layer`] answers a query, replaces it by a smaller one, or passes it on. A layer may stand in
//! several [`Row`]s with different patience; there is one instance of it. The rows run one after
//! the other within the budget of the query: patience is counted in steps, never in time, so the
//! answers of a sequence of queries are the same everywhere.
//!
//! Laws: every model is confirmed by evaluation before it is an answer ([`Shared::confirm`]); each
//! layer that passed on a query is told its outcome ([`Layer::learn`]), inner queries first.

use std::time::{Duration, Instant};

use labrys_expr::{Evaluator, ExprId};

use crate::difficulty::{Difficulty, difficulty};
use crate::domains::Domains;
use crate::facts::Facts;
use crate::lengths::shorten_lengths;
use crate::parts::{FixedSymbols, Overlay, Part, complete, conjuncts, origins};
use crate::query::{Answer, Budget, Model, Query, Reason, Solver};
use crate::reduced::{Construction, ReducedPool};
use crate::statistics::{Statistics, VISITS_PER_STEP};
use crate::valuation::Valuation;

/// What a part of a query costs the layers beside its symbols, and what a node costs that is built
/// anew, in visits.
const PART: u64 = 8;
const NODE: u64 = 8;
/// How many times its steps a query may cost in visits before it is given up for them. Making it
/// smaller mostly makes it easy, so that is worth far more than the steps alone.
const VISITS: u64 = 16;

/// One way to answer queries, or to make them smaller.
pub(crate) trait Layer {
    /// The name by which it is replaced and removed; no other layer has it.
    fn name(&self) -> &'static str;

    /// Tries to answer the query.
    fn run(&mut self, task: &mut Task<'_, '_>, shared: &mut Shared, patience: Patience) -> Verdict;

    /// Takes note of the outcome of a query that it passed on. Where a query was replaced by a
    /// smaller one, the calls nest as the queries do.
    fn learn(&mut self, _task: &Task<'_, '_>, _outcome: &Outcome) {}
}

/// What a layer says of a query.
pub(crate) enum Verdict {
    /// The parts are all true under this model, as evaluation confirmed.
    Model(Model),
    /// The parts should be true under these values. They are confirmed; where they turn out to be
    /// no model, the next row goes on.
    Proposal(Model),
    /// The parts at these positions cannot all be true.
    Core(Vec<usize>),
    /// The query has an answer as this smaller one has.
    Smaller(Box<Smaller>),
    /// The layer that should know gave up. The rows after it may still answer; else the query is
    /// given up for this reason.
    GaveUp(Reason),
    /// The query is given up; no other layer is asked.
    Unknown(Reason),
    /// The next row goes on.
    Pass,
}

/// How long a layer may work on a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Patience {
    /// The layer is quick, or has limits of its own.
    Own,
    /// So many of the layer's own operations.
    Work(u64),
    /// A share of the query's steps, one for queries with calls of functions, one for others.
    Share { calls: f64, others: f64 },
}

impl Patience {
    /// Operations of the layer.
    pub(crate) fn work(self) -> u64 {
        match self {
            Patience::Work(most) => most,
            Patience::Own | Patience::Share { .. } => u64::MAX,
        }
    }

    /// A part of this many steps.
    pub(crate) fn share_of(self, steps: u64, difficulty: Difficulty) -> u64 {
        match self {
            Patience::Share { calls, others } => {
                let is_call = difficulty == Difficulty::ExternalCall;
                (steps as f64 * if is_call { calls } else { others }) as u64
            }
            Patience::Work(_) | Patience::Own => steps,
        }
    }
}

/// A place of a layer in the schedule.
pub(crate) struct Row {
    /// Makes the layer. It is made once for all rows of layers of one name.
    pub(crate) layer: fn() -> Box<dyn Layer>,
    pub(crate) patience: Patience,
    /// The counter of the queries that are answered here, if they are counted.
    pub(crate) counter: Option<&'static str>,
}

/// A query on its way through the schedule.
pub(crate) struct Task<'t, 'q> {
    pub(crate) query: &'t mut Query<'q>,
    /// What must hold: the conjuncts of the constraints, as far as they matter for the answer.
    pub(crate) parts: Vec<Part>,
    /// Number of parts at the end that come from the goal.
    pub(crate) goals: usize,
    /// Symbols that can have one value only; [`Shared::near`] has it.
    pub(crate) fixed: FixedSymbols,
    /// The steps that the query was given.
    pub(crate) steps: Option<u64>,
    pub(crate) deadline: Option<Instant>,
    /// Why the back end gave up, in the rows after it.
    pub(crate) given_up: Option<Reason>,
    difficulty: Option<Option<Difficulty>>,
}

impl<'t, 'q> Task<'t, 'q> {
    fn new(query: &'t mut Query<'q>) -> Self {
        let parts = conjuncts(query.pool, &query.constraints);
        let last = query.constraints.len().wrapping_sub(1);
        Task {
            goals: parts.iter().filter(|part| part.origin == last).count(),
            parts,
            fixed: FixedSymbols::default(),
            steps: query.budget.steps,
            deadline: query.budget.timeout.map(|timeout| Instant::now() + timeout),
            given_up: None,
            difficulty: None,
            query,
        }
    }

    /// The parts as expressions.
    pub(crate) fn conditions(&self) -> Vec<ExprId> {
        self.parts.iter().map(|part| part.id).collect()
    }

    /// The parts that come from the goal.
    pub(crate) fn goals(&self) -> impl Iterator<Item = ExprId> {
        let goals = &self.parts[self.parts.len() - self.goals..];
        goals.iter().map(|part| part.id)
    }

    /// What is hard in the query; `None` where bit-blasting is right.
    pub(crate) fn difficulty(&mut self) -> Option<Difficulty> {
        if self.difficulty.is_none() {
            self.difficulty = Some(difficulty(self.query.pool, &self.conditions()));
        }
        self.difficulty.flatten()
    }

    /// The time that is left.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        self.deadline.map(left)
    }

    /// Why nothing more is to be done for it, if it was cancelled or its time is over.
    pub(crate) fn ended(&self) -> Option<Reason> {
        if self.query.budget.is_cancelled() {
            return Some(Reason::Cancelled);
        }
        let is_late = self.timeout().is_some_and(|left| left.is_zero());
        is_late.then_some(Reason::Timeout)
    }

    /// What is left of the budget, with other steps.
    pub(crate) fn budget(&self, steps: Option<u64>) -> Budget {
        Budget {
            steps,
            timeout: self.timeout(),
            cancel: self.query.budget.cancel.clone(),
            visits: 0,
        }
    }
}

/// A query that is left of another when its fixed symbols have their values, and expressions those
/// that other parts say.
///
/// Law: a model of it, with the fixed values, is a model of the other; a core of it, with the
/// reasons for the values in it, is a core of the other.
#[derive(Default)]
pub(crate) struct Smaller {
    pub(crate) reduced: ReducedPool,
    pub(crate) constraints: Vec<ExprId>,
    /// By constraint: the position of the part that it is left of.
    pub(crate) positions: Vec<usize>,
    /// Values of the fixed symbols.
    pub(crate) values: Model,
    /// What parts say of expressions that others are made of.
    pub(crate) facts: Facts,
}

/// The answer to a query.
pub(crate) struct Outcome {
    pub(crate) answer: Answer,
    /// Where there is no model, the positions of the parts that contradict each other.
    pub(crate) core: Vec<usize>,
}

impl Outcome {
    fn core(task: &Task<'_, '_>, mut core: Vec<usize>) -> Self {
        core.sort_unstable();
        core.dedup();
        Outcome {
            answer: Answer::Unsat(origins(&task.parts, &core)),
            core,
        }
    }
}

impl From<Answer> for Outcome {
    fn from(answer: Answer) -> Self {
        Outcome {
            answer,
            core: Vec::new(),
        }
    }
}

/// What layers share.
pub(crate) struct Shared {
    backend: Box<dyn Solver>,
    /// The hint, with other values for single symbols.
    pub(crate) near: Valuation,
    /// What conditions on single symbols say: a query and what is left of it have many in common.
    pub(crate) domains: Domains,
    evaluator: Evaluator,
    /// The nearest point that was seen for the last query, if that was given up.
    pub(crate) nearest: Option<Model>,
    /// Smaller queries that were answered: their memory is used again.
    #[expect(
        clippy::vec_box,
        reason = "a verdict takes the box, so that none is made for each query"
    )]
    spare: Vec<Box<Smaller>>,
    statistics: Statistics,
    /// What was visited and evaluated before this query, and the steps that it was given.
    before: u64,
    given: Option<u64>,
}

impl Shared {
    /// A smaller query to be filled in.
    pub(crate) fn take_spare(&mut self) -> Box<Smaller> {
        self.spare.pop().unwrap_or_default()
    }

    /// Counts nodes that a layer went through beside its steps; evaluation is counted anyway.
    pub(crate) fn visit(&mut self, nodes: u64) {
        self.statistics.visits += nodes;
    }

    /// Nodes that were evaluated so far, for one value or for all.
    fn evaluated(&self) -> u64 {
        self.near.computed() + self.evaluator.computed() + self.domains.visited()
    }

    /// All that was visited and evaluated.
    fn all_visits(&self) -> u64 {
        self.statistics.visits + self.evaluated()
    }

    /// Visits that the query may still cost.
    fn visits_left(&self) -> u64 {
        let most = |steps: u64| steps.saturating_mul(VISITS * VISITS_PER_STEP);
        let most = self.given.map_or(u64::MAX, most);
        most.saturating_sub(self.all_visits() - self.before)
    }

    /// What a layer may build anew for a task.
    pub(crate) fn begin_construction(&self, task: &Task<'_, '_>) -> Construction {
        Construction::new(self.visits_left() / NODE, task.budget(None))
    }

    /// Counts what was built, that too which became the same as other nodes.
    pub(crate) fn count_built(&mut self, construction: &Construction) {
        self.visit(NODE * construction.built());
    }

    /// Takes back the memory of a smaller query.
    pub(crate) fn put_spare(&mut self, mut smaller: Box<Smaller>) {
        smaller.values = Model::default();
        smaller.facts = Facts::default();
        self.spare.push(smaller);
    }

    /// Asks the back end; the steps of the query that it took are taken off, each as many times as
    /// what is hard in the task makes it slower.
    ///
    /// What it went through beside them is counted, and taken from the query's budget.
    pub(crate) fn ask(&mut self, query: &mut Query<'_>, difficulty: Option<Difficulty>) -> Answer {
        let weight = difficulty.map_or(1, Difficulty::weight);
        let started = Instant::now();
        let given = query.budget.steps;
        query.budget.steps = given.map(|steps| steps / weight);
        let answer = self.backend.check(query);
        let unused = query.budget.steps.map_or(0, |left| left * weight);
        query.budget.steps = given.map(|steps| steps.min(unused));
        self.visit(std::mem::take(&mut query.budget.visits));
        self.statistics.calls += 1;
        self.statistics.backend_seconds += started.elapsed().as_secs_f64();
        answer
    }

    /// A proposed model, completed by values near the hint, confirmed by evaluation and with small
    /// lengths.
    pub(crate) fn confirm(
        &mut self,
        task: &Task<'_, '_>,
        mut model: Model,
    ) -> Result<Model, Reason> {
        let Task { query, parts, .. } = task;
        complete(query.pool, parts, self.near.assignment(), &mut model);
        if !self.satisfies(task, &model) {
            let environment = Overlay {
                model: &model,
                hint: query.hint,
            };
            let mut values = parts
                .iter()
                .map(|part| self.evaluator.evaluate(query.pool, part.id, &environment));
            if values.any(|value| value.is_none()) {
                return Err(Reason::Unsupported(
                    "an external function is not known".into(),
                ));
            }
            return Err(self.invalid());
        }
        shorten_lengths(query.pool, parts, query.hint, &mut model);
        Ok(model)
    }

    /// Are all parts true under a model and the hint?
    pub(crate) fn satisfies(&mut self, task: &Task<'_, '_>, model: &Model) -> bool {
        let Task { query, parts, .. } = task;
        self.evaluator.reset();
        let environment = Overlay {
            model,
            hint: query.hint,
        };
        // The goal is what most models miss.
        parts
            .iter()
            .rev()
            .all(|part| self.evaluator.holds(query.pool, part.id, &environment))
    }

    fn invalid(&mut self) -> Reason {
        self.statistics.invalid += 1;
        Reason::InvalidModel
    }

    /// The answer to a task by the answer to the smaller query that it was replaced by.
    fn lift(&mut self, task: &Task<'_, '_>, smaller: &mut Smaller, answer: Answer) -> Outcome {
        let values = std::mem::take(&mut smaller.values);
        let facts = std::mem::take(&mut smaller.facts);
        let outcome = match answer {
            Answer::Sat(mut model) => {
                model.0.extend(values.iter());
                let Task { query, parts, .. } = task;
                complete(query.pool, parts, query.hint, &mut model);
                if self.satisfies(task, &model) {
                    Answer::Sat(model).into()
                } else {
                    Answer::Unknown(self.invalid()).into()
                }
            }
            Answer::Unsat(core) => {
                let mut all = Vec::new();
                for constraint in core.0 {
                    let position = smaller.positions[constraint];
                    let pool = &*task.query.pool;
                    all.extend(task.fixed.reasons_with(pool, &task.parts, position));
                    all.extend(facts.reasons(task.query.pool, &task.parts, position));
                }
                Outcome::core(task, all)
            }
            unknown @ Answer::Unknown(_) => unknown.into(),
        };
        if let Some(nearest) = &mut self.nearest {
            nearest.0.extend(values.0);
        }
        outcome
    }
}

/// A row whose names were looked up.
#[derive(Clone, Copy)]
struct Slot {
    layer: usize,
    patience: Patience,
    counter: Option<usize>,
}

/// Layers in order.
pub(crate) struct Schedule {
    layers: Vec<Box<dyn Layer>>,
    slots: Vec<Slot>,
    shared: Shared,
    /// The counter of the row that answered the last query.
    answered: Option<usize>,
}

impl Schedule {
    pub(crate) fn new(backend: Box<dyn Solver>, rows: &[Row]) -> Self {
        let mut statistics = Statistics::default();
        let mut layers: Vec<Box<dyn Layer>> = Vec::new();
        let mut slots = Vec::new();
        for row in rows {
            let new = (row.layer)();
            let layer = position(&layers, new.name()).unwrap_or_else(|| {
                layers.push(new);
                layers.len() - 1
            });
            slots.push(Slot {
                layer,
                patience: row.patience,
                counter: row.counter.map(|name| statistics.counter(name)),
            });
        }
        Schedule {
            layers,
            slots,
            shared: Shared {
                backend,
                near: Valuation::default(),
                domains: Domains::default(),
                evaluator: Evaluator::new(),
                nearest: None,
                spare: Vec::new(),
                statistics,
                before: 0,
                given: None,
            },
            answered: None,
        }
    }

    /// Puts a layer in place of the one of its name.
    pub(crate) fn replace(&mut self, layer: Box<dyn Layer>) {
        if let Some(at) = position(&self.layers, layer.name()) {
            self.layers[at] = layer;
        }
    }

    /// Takes the layer of this name out of the schedule.
    pub(crate) fn remove(&mut self, name: &str) {
        let at = position(&self.layers, name);
        self.slots.retain(|slot| Some(slot.layer) != at);
    }

    pub(crate) fn statistics(&self) -> &Statistics {
        &self.shared.statistics
    }

    /// The counter of the row that answered the last query.
    pub(crate) fn answered_by(&self) -> Option<&'static str> {
        self.answered
            .map(|counter| self.shared.statistics.name(counter))
    }

    /// The nearest point that was seen for the last query, if that was given up.
    pub(crate) fn take_nearest(&mut self) -> Option<Model> {
        self.shared.nearest.take()
    }

    /// The answer to a query.
    pub(crate) fn check(&mut self, query: &mut Query<'_>) -> Answer {
        let started = Instant::now();
        self.shared.nearest = None;
        self.answered = None;
        self.shared.given = query.budget.steps;
        // Smaller queries, which have pools of their own, come before the next one on this pool.
        self.shared.domains.stay_with(query.pool);
        let evaluated = self.shared.evaluated();
        self.shared.before = self.shared.all_visits();
        let answer = self.decide(query);
        let given = self.shared.given.unwrap_or(0);
        let left = query.budget.steps.unwrap_or(0);
        self.shared.statistics.steps += given.saturating_sub(left);
        self.shared.visit(self.shared.evaluated() - evaluated);
        if !matches!(answer, Answer::Unknown(_)) {
            self.shared.nearest = None;
        }
        let time = started.elapsed().as_secs_f64();
        self.shared.statistics.count(&answer, self.answered, time);
        answer
    }

    fn decide(&mut self, query: &mut Query<'_>) -> Answer {
        let mut task = Task::new(query);
        let symbols = |part: &Part| task.query.pool.symbols(part.id).len() as u64;
        let symbols: u64 = task.parts.iter().map(symbols).sum();
        self.shared.visit(PART * task.parts.len() as u64 + symbols);
        let mut passed = 0;
        let outcome = loop {
            let Some(&slot) = self.slots.get(passed) else {
                let reason = task.given_up.clone();
                break Answer::Unknown(reason.unwrap_or(Reason::Steps)).into();
            };
            let is_large = (self.shared.visits_left() == 0).then_some(Reason::Steps);
            if let Some(reason) = task.ended().or(is_large) {
                break Answer::Unknown(reason).into();
            }
            let layer = &mut self.layers[slot.layer];
            let verdict = match layer.run(&mut task, &mut self.shared, slot.patience) {
                Verdict::Proposal(model) => self
                    .shared
                    .confirm(&task, model)
                    .map_or(Verdict::Pass, Verdict::Model),
                verdict => verdict,
            };
            match verdict {
                Verdict::Pass | Verdict::Proposal(_) => {}
                Verdict::GaveUp(reason) => task.given_up = Some(reason),
                Verdict::Model(model) => {
                    self.answered = slot.counter;
                    break Answer::Sat(model).into();
                }
                Verdict::Core(core) => {
                    self.answered = slot.counter;
                    break Outcome::core(&task, core);
                }
                Verdict::Unknown(reason) => {
                    self.answered = slot.counter;
                    break Answer::Unknown(reason).into();
                }
                Verdict::Smaller(smaller) => break self.decide_smaller(&mut task, smaller),
            }
            passed += 1;
        };
        for slot in &self.slots[..passed] {
            self.layers[slot.layer].learn(&task, &outcome);
        }
        outcome.answer
    }

    /// The answer to a task by that to a smaller query, for which the schedule starts anew.
    fn decide_smaller(&mut self, task: &mut Task<'_, '_>, mut smaller: Box<Smaller>) -> Outcome {
        let timeout = task.timeout();
        let mut query = Query {
            pool: &mut smaller.reduced.pool,
            constraints: std::mem::take(&mut smaller.constraints),
            hint: task.query.hint,
            budget: Budget {
                timeout,
                ..std::mem::take(&mut task.query.budget)
            },
        };
        let answer = self.decide(&mut query);
        task.query.budget = query.budget;
        let outcome = self.shared.lift(task, &mut smaller, answer);
        self.shared.put_spare(smaller);
        outcome
    }
}

fn position(layers: &[Box<dyn Layer>], name: &str) -> Option<usize> {
    layers.iter().position(|layer| layer.name() == name)
}
