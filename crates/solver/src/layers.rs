//! The layers of the solver, in one function: [`Layers::decide`].
//!
//! ```text
//! constants → conjuncts → slice → hint → cache → single bytes → restricted attempts → back end
//! ```
//!
//! What a layer can answer does not go further. Every model, wherever it comes from, is
//! evaluated on the query before it is an answer.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use labrys_expr::{Environment, Evaluator, ExprId, Fingerprints, Op, Pool, Symbol, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cache::{Cache, Found, Key};
use crate::domains::{Bytes, Domains};
use crate::functions;
use crate::linear;
use crate::log::QueryLog;
use crate::query::{Answer, Assignment, Budget, Core, Model, Query, Reason, Solver};
use crate::restrict::{self, Restricted, Target};
use crate::shrink::shrink_lengths;
use crate::slice::{Hinted, Part, conjuncts, slice};
use crate::statistics::Statistics;

/// Queries on more symbols than this are first tried with most of them fixed.
const MANY_SYMBOLS: usize = 24;
/// Numbers of free symbols for each condition in restricted attempts, and their longest times.
const ATTEMPTS: [(usize, Duration); 3] = [
    (4, Duration::from_millis(100)),
    (16, Duration::from_millis(250)),
    (64, Duration::from_millis(500)),
];

/// A back end with everything before and after it.
pub struct Layers {
    backend: Box<dyn Solver>,
    cache: Cache,
    prints: Fingerprints,
    hinted: Hinted,
    /// As `hinted`, for the hint with other values for single bytes.
    near: Hinted,
    domains: Domains,
    target: Target,
    evaluator: Evaluator,
    statistics: Statistics,
    log: Option<QueryLog>,
}

/// A query cut down to what matters for its answer.
struct Sliced {
    parts: Vec<Part>,
    /// Number of parts at the end that come from the goal.
    goals: usize,
    key: Key,
    deadline: Option<Instant>,
}

impl Sliced {
    fn goals(&self) -> impl Iterator<Item = ExprId> {
        self.parts[self.parts.len() - self.goals..]
            .iter()
            .map(|part| part.id)
    }
}

impl Layers {
    /// Layers over this back end.
    #[must_use]
    pub fn new(backend: Box<dyn Solver>) -> Self {
        Layers {
            backend,
            cache: Cache::default(),
            prints: Fingerprints::new(),
            hinted: Hinted::default(),
            near: Hinted::default(),
            domains: Domains::default(),
            target: Target::default(),
            evaluator: Evaluator::new(),
            statistics: Statistics::default(),
            log: None,
        }
    }

    /// Logs every query that no earlier answer decides.
    pub fn set_log(&mut self, log: QueryLog) {
        self.log = Some(log);
    }

    /// What was counted so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The layers in order.
    fn decide(&mut self, query: &mut Query<'_>) -> Answer {
        if query.budget.is_cancelled() {
            return Answer::Unknown(Reason::Cancelled);
        }
        let parts = conjuncts(query.pool, &query.constraints);
        if let Some(answer) = contradiction(query.pool, &parts) {
            self.statistics.trivial += 1;
            return answer;
        }
        let sliced = self.slice(query, &parts);
        if sliced
            .parts
            .iter()
            .all(|part| self.hinted.holds(query.pool, part.id))
        {
            self.statistics.trivial += 1;
            return Answer::Sat(hinted_model(query, &sliced.parts));
        }
        if let Some(answer) = self.cached(query, &sliced) {
            self.statistics.cached += 1;
            return answer;
        }
        if let Some(answer) = self.by_bytes(query, &sliced) {
            self.statistics.trivial += 1;
            self.remember(query, &sliced, &answer);
            return answer;
        }
        let started = Instant::now();
        let answer = match self.restricted(query, &sliced) {
            Some(model) => Answer::Sat(model),
            None => self.whole(query, &sliced),
        };
        self.remember(query, &sliced, &answer);
        self.write_log(query, &sliced, &answer, started.elapsed());
        answer
    }

    fn slice(&mut self, query: &Query<'_>, parts: &[Part]) -> Sliced {
        self.hinted.start(query.pool, query.hint);
        let last = query.constraints.len().wrapping_sub(1);
        let goals = parts.iter().filter(|part| part.origin == last).count();
        let parts = slice(query.pool, parts, goals, &mut self.hinted);
        let key = Key::new(
            parts
                .iter()
                .map(|part| self.prints.of(query.pool, part.id))
                .collect(),
        );
        let deadline = query.budget.timeout.map(|timeout| Instant::now() + timeout);
        Sliced {
            parts,
            goals,
            key,
            deadline,
        }
    }

    /// An answer that earlier answers imply.
    fn cached(&mut self, query: &Query<'_>, sliced: &Sliced) -> Option<Answer> {
        match self.cache.find(&sliced.key) {
            Some(Found::Model(mut model)) => {
                complete(query, &sliced.parts, &mut model);
                if self.satisfies(query, &sliced.parts, &model) {
                    return Some(Answer::Sat(model));
                }
            }
            Some(Found::Core(core)) => return Some(Answer::Unsat(origins(&sliced.parts, &core))),
            Some(Found::GivenUp(time)) => {
                let enough = match (time, query.budget.timeout) {
                    (None, _) => true,
                    (Some(before), Some(now)) => now <= before,
                    (Some(_), None) => false,
                };
                if enough {
                    return Some(Answer::Unknown(Reason::Timeout));
                }
            }
            None => {}
        }
        let candidates: Vec<Model> = self.cache.candidates(&sliced.key).cloned().collect();
        for candidate in candidates {
            let mut model = Model::default();
            complete_from(query, &sliced.parts, &candidate, &mut model);
            if self.satisfies(query, &sliced.parts, &model) {
                self.cache.enter_model(&sliced.key, &model);
                return Some(Answer::Sat(model));
            }
        }
        None
    }

    /// An answer by the values of single bytes alone. Else `near` has a value for each byte that
    /// satisfies the conditions on this byte.
    fn by_bytes(&mut self, query: &Query<'_>, sliced: &Sliced) -> Option<Answer> {
        match self.domains.decide(query.pool, &sliced.parts, query.hint) {
            Bytes::Core(core) => {
                self.cache.enter_core(&sliced.key, &core);
                Some(Answer::Unsat(origins(&sliced.parts, &core)))
            }
            Bytes::Chosen(chosen) => {
                self.near.start(query.pool, &query.hint.with(&chosen));
                let mut parts = sliced.parts.iter();
                if !parts.all(|part| self.near.holds(query.pool, part.id)) {
                    return None;
                }
                let mut model = chosen;
                complete(query, &sliced.parts, &mut model);
                Some(Answer::Sat(model))
            }
        }
    }

    /// Attempts with most symbols fixed, for queries on many.
    fn restricted(&mut self, query: &Query<'_>, sliced: &Sliced) -> Option<Model> {
        let total = symbols(query.pool, &sliced.parts).len();
        if total <= MANY_SYMBOLS {
            return None;
        }
        let mut wanted: Vec<ExprId> = sliced.parts.iter().map(|part| part.id).collect();
        wanted.retain(|id| !self.near.holds(query.pool, *id));
        let mut last = BTreeSet::new();
        for (attempt, (count, longest)) in ATTEMPTS.into_iter().enumerate() {
            if attempt == 1 {
                // The values chosen for single bytes may be to blame.
                wanted.extend(sliced.goals());
            }
            let free = restrict::free_symbols(query.pool, &sliced.parts, &wanted, count);
            if free == last || free.len() == total {
                break;
            }
            last.clone_from(&free);
            let timeout = left(sliced.deadline).map_or(longest, |left| longest.min(left / 4));
            if let Some(model) = self.attempt(query, sliced, free, timeout) {
                self.statistics.restricted += 1;
                return Some(model);
            }
        }
        None
    }

    fn attempt(
        &mut self,
        query: &Query<'_>,
        sliced: &Sliced,
        free: BTreeSet<Symbol>,
        timeout: Duration,
    ) -> Option<Model> {
        let Restricted { conditions, free } = restrict::restrict(
            query.pool,
            &sliced.parts,
            free,
            &mut self.near,
            &mut self.target,
        )?;
        let base = self.near.assignment().clone();
        let mut model = linear::solve(&self.target.pool, &conditions, &free, &base);
        if model.is_none() && !conditions.is_empty() {
            let mut small = Query {
                pool: &mut self.target.pool,
                constraints: conditions,
                hint: &base,
                budget: Budget {
                    timeout: Some(timeout),
                    cancel: query.budget.cancel.clone(),
                },
            };
            match ask(self.backend.as_mut(), &mut small, &mut self.statistics) {
                Answer::Sat(found) => model = Some(found),
                _ => return None,
            }
        }
        let mut model = model.unwrap_or_default();
        model.0.retain(|symbol, _| free.contains(symbol));
        for symbol in symbols(query.pool, &sliced.parts) {
            model.0.entry(symbol).or_insert_with(|| base.get(symbol));
        }
        self.finish(query, &sliced.parts, model).ok()
    }

    /// The back end on all that matters.
    fn whole(&mut self, query: &mut Query<'_>, sliced: &Sliced) -> Answer {
        let mut inner = Query {
            pool: query.pool,
            constraints: sliced.parts.iter().map(|part| part.id).collect(),
            hint: query.hint,
            budget: Budget {
                timeout: left(sliced.deadline),
                cancel: query.budget.cancel.clone(),
            },
        };
        match ask(self.backend.as_mut(), &mut inner, &mut self.statistics) {
            Answer::Sat(model) => match self.finish(query, &sliced.parts, model) {
                Ok(model) => Answer::Sat(model),
                Err(reason) => Answer::Unknown(reason),
            },
            Answer::Unsat(core) => {
                self.cache.enter_core(&sliced.key, &core.0);
                Answer::Unsat(origins(&sliced.parts, &core.0))
            }
            unknown => unknown,
        }
    }

    /// A back end's model, completed, validated and with small lengths.
    fn finish(
        &mut self,
        query: &Query<'_>,
        parts: &[Part],
        mut model: Model,
    ) -> Result<Model, Reason> {
        complete(query, parts, &mut model);
        if !self.satisfies(query, parts, &model) {
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
            self.statistics.invalid += 1;
            return Err(Reason::InvalidModel);
        }
        shrink_lengths(query.pool, parts, query.hint, &mut model);
        Ok(model)
    }

    fn satisfies(&mut self, query: &Query<'_>, parts: &[Part], model: &Model) -> bool {
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

    fn remember(&mut self, query: &Query<'_>, sliced: &Sliced, answer: &Answer) {
        match answer {
            Answer::Sat(model) => self.cache.enter_model(&sliced.key, model),
            Answer::Unknown(Reason::Timeout) => {
                self.cache.enter_given_up(&sliced.key, query.budget.timeout);
            }
            _ => {}
        }
    }

    fn write_log(&mut self, query: &Query<'_>, sliced: &Sliced, answer: &Answer, time: Duration) {
        if let Some(log) = &mut self.log {
            let conditions: Vec<_> = sliced.parts.iter().map(|part| part.id).collect();
            if log.write(query.pool, &conditions, answer, time).is_err() {
                // A full disk is no reason to stop the search.
                self.log = None;
            }
        }
    }
}

impl Solver for Layers {
    fn check(&mut self, query: &mut Query<'_>) -> Answer {
        let started = Instant::now();
        let answer = self.decide(query);
        self.statistics.seconds += started.elapsed().as_secs_f64();
        match &answer {
            Answer::Sat(_) => self.statistics.sat += 1,
            Answer::Unsat(_) => self.statistics.unsat += 1,
            Answer::Unknown(_) => self.statistics.unknown += 1,
        }
        answer
    }
}

impl std::fmt::Debug for Layers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Layers")
            .field("statistics", &self.statistics)
            .finish_non_exhaustive()
    }
}

/// The values of a model over those of a hint.
struct Overlay<'a> {
    model: &'a Model,
    hint: &'a Assignment,
}

impl Environment for Overlay<'_> {
    fn symbol(&self, symbol: Symbol) -> u128 {
        self.model
            .get(symbol)
            .unwrap_or_else(|| self.hint.get(symbol))
    }

    fn external(&self, name: &str, arguments: &[Value], width: u32) -> Option<u128> {
        functions::call(name, arguments, width)
    }
}

/// A query with a false part, or with a part and its negation.
fn contradiction(pool: &Pool, parts: &[Part]) -> Option<Answer> {
    let mut places = FxHashMap::default();
    for (index, part) in parts.iter().enumerate() {
        if part.id == ExprId::FALSE {
            return Some(Answer::Unsat(origins(parts, &[index])));
        }
        places.insert(part.id, index);
    }
    parts.iter().enumerate().find_map(|(index, part)| {
        let node = pool.node(part.id);
        let negated = *node.operands().first().filter(|_| node.op() == Op::Not)?;
        let other = *places.get(&negated)?;
        Some(Answer::Unsat(origins(parts, &[other, index])))
    })
}

/// The constraints that parts come from.
fn origins(parts: &[Part], indices: &[usize]) -> Core {
    let mut origins: Vec<_> = indices.iter().map(|index| parts[*index].origin).collect();
    origins.sort_unstable();
    origins.dedup();
    Core(origins)
}

fn symbols(pool: &Pool, parts: &[Part]) -> BTreeSet<Symbol> {
    let mut all = BTreeSet::new();
    let mut seen = FxHashSet::default();
    for part in parts {
        if seen.insert(pool.symbols_number(part.id)) {
            all.extend(pool.symbols(part.id).iter());
        }
    }
    all
}

fn hinted_model(query: &Query<'_>, parts: &[Part]) -> Model {
    let mut model = Model::default();
    complete(query, parts, &mut model);
    model
}

/// Names the hint's values for the symbols of the parts that the model leaves open.
fn complete(query: &Query<'_>, parts: &[Part], model: &mut Model) {
    complete_from(query, parts, &Model::default(), model);
}

/// As [`complete`], with the values of another model first.
fn complete_from(query: &Query<'_>, parts: &[Part], other: &Model, model: &mut Model) {
    for symbol in symbols(query.pool, parts) {
        let value = || other.get(symbol).unwrap_or_else(|| query.hint.get(symbol));
        model.0.entry(symbol).or_insert_with(value);
    }
}

fn left(deadline: Option<Instant>) -> Option<Duration> {
    deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
}

fn ask(backend: &mut dyn Solver, query: &mut Query<'_>, statistics: &mut Statistics) -> Answer {
    let started = Instant::now();
    let answer = backend.check(query);
    statistics.calls += 1;
    statistics.backend_seconds += started.elapsed().as_secs_f64();
    answer
}
