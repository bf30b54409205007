//! The layers of the solver, in one function: [`Layers::decide`].
//!
//! ```text
//! constants → conjuncts → slice → hint → cache → single symbols (→ all again on what is left)
//!   → walk → bounds → elimination → restricted attempts → back end → bounds, with more patience, or walk
//! ```
//!
//! What a layer can answer does not go further. Every model, wherever it comes from, is
//! evaluated on the query before it is an answer.

mod race;
mod settled;

use std::time::{Duration, Instant};

use labrys_expr::{Evaluator, ExprId, Fingerprints};

use crate::bounds::{Bounded, Bounds, When};
use crate::cache::{Cache, Found, Key};
use crate::domains::{Domains, Fixed, Single};
use crate::eliminate::{Eliminated, eliminate};
use crate::log::QueryLog;
use crate::parts::{Overlay, complete, contradiction, origins};
use crate::query::{Answer, Budget, Model, Query, Reason, Solver};
use crate::restrict::Target;
use crate::shrink::shrink_lengths;
use crate::slice::{Hinted, Part, conjuncts, slice};
use crate::statistics::Statistics;
use crate::walk::{self, Class, Walk};

/// Steps of bounds propagation before the back end is asked, and after it gave up.
const BOUNDS_WORK: [u64; 2] = [200_000, 20_000_000];
/// Values that elimination computes at most.
const ELIMINATION_WORK: u64 = 64_000_000;
/// So many of them take the time of one step of the back end.
const WORK_PER_STEP: u64 = 2_000;

/// A back end with everything before and after it.
pub struct Layers {
    pub(crate) backend: Box<dyn Solver>,
    cache: Cache,
    prints: Fingerprints,
    hinted: Hinted,
    /// As `hinted`, for the hint with other values for single symbols.
    pub(crate) near: Hinted,
    domains: Domains,
    /// `None` where bounds propagation is switched off.
    bounds: Option<Bounds>,
    eliminates: bool,
    pub(crate) target: Target,
    /// Where queries are built in which fixed symbols have their values.
    settled: Vec<Target>,
    evaluator: Evaluator,
    walk: Option<Walk>,
    /// What a step of the back end counts as in this query.
    pub(crate) weight: u64,
    /// The nearest point of the walk for the last query, if that was given up.
    nearest: Option<Model>,
    pub(crate) statistics: Statistics,
    log: Option<QueryLog>,
}

/// A query cut down to what matters for its answer.
pub(crate) struct Sliced {
    pub(crate) parts: Vec<Part>,
    /// Number of parts at the end that come from the goal.
    pub(crate) goals: usize,
    key: Key,
    /// The steps that the query was given.
    steps: Option<u64>,
    pub(crate) deadline: Option<Instant>,
}

impl Sliced {
    pub(crate) fn goals(&self) -> impl Iterator<Item = ExprId> {
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
            bounds: Some(Bounds::default()),
            eliminates: true,
            target: Target::default(),
            settled: Vec::new(),
            evaluator: Evaluator::new(),
            walk: Some(Walk::default()),
            weight: 1,
            nearest: None,
            statistics: Statistics::default(),
            log: None,
        }
    }

    /// Logs every query that no earlier answer decides.
    pub fn set_log(&mut self, log: QueryLog) {
        self.log = Some(log);
    }

    /// The layers without bounds propagation and elimination, to see what these are worth and to
    /// compare answers.
    #[must_use]
    pub fn without_own_search(mut self) -> Self {
        self.bounds = None;
        self.eliminates = false;
        self
    }

    /// Walks with these options, or not at all.
    pub fn set_walk(&mut self, options: Option<walk::Options>) {
        self.walk = options.map(Walk::new);
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
            let mut model = Model::default();
            complete(query.pool, &sliced.parts, query.hint, &mut model);
            return Answer::Sat(model);
        }
        if let Some(answer) = self.cached(query, &sliced) {
            self.statistics.cached += 1;
            return answer;
        }
        let mut fixed = Fixed::default();
        if let Some(answer) = self.by_symbols(query, &sliced, &mut fixed) {
            self.statistics.trivial += 1;
            self.remember(&sliced, &answer);
            return answer;
        }
        if !fixed.is_empty() {
            let answer = self.settled(query, &sliced, &fixed);
            self.remember(&sliced, &answer);
            return answer;
        }
        let started = Instant::now();
        let answer = self.race(query, &sliced);
        self.remember(&sliced, &answer);
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
            steps: query.budget.steps,
            deadline,
        }
    }

    /// An answer that earlier answers imply.
    fn cached(&mut self, query: &Query<'_>, sliced: &Sliced) -> Option<Answer> {
        match self.cache.find(&sliced.key) {
            Some(Found::Model(mut model)) => {
                complete(query.pool, &sliced.parts, query.hint, &mut model);
                if self.satisfies(query, &sliced.parts, &model) {
                    return Some(Answer::Sat(model));
                }
            }
            Some(Found::Core(core)) => return Some(Answer::Unsat(origins(&sliced.parts, &core))),
            Some(Found::GivenUp(before)) if query.budget.steps.is_some_and(|now| now <= before) => {
                return Some(Answer::Unknown(Reason::Steps));
            }
            Some(Found::GivenUp(_)) | None => {}
        }
        let candidates: Vec<Model> = self.cache.candidates(&sliced.key).cloned().collect();
        for candidate in candidates {
            let mut model = Model::default();
            complete(
                query.pool,
                &sliced.parts,
                &query.hint.with(&candidate),
                &mut model,
            );
            if self.satisfies(query, &sliced.parts, &model) {
                self.cache.enter_model(&sliced.key, &model);
                return Some(Answer::Sat(model));
            }
        }
        None
    }

    /// An answer by the values of single symbols alone. Else `near` has a value for each that
    /// satisfies the conditions on it alone, and `fixed` are those that can have no other.
    fn by_symbols(
        &mut self,
        query: &Query<'_>,
        sliced: &Sliced,
        fixed: &mut Fixed,
    ) -> Option<Answer> {
        let Sliced { parts, .. } = sliced;
        let chosen = match self.domains.decide(query.pool, parts, query.hint) {
            Single::Core(core) => return Some(self.unsat(sliced, core)),
            Single::Values(chosen, known) => {
                *fixed = known;
                chosen
            }
        };
        self.near.start(query.pool, &query.hint.with(&chosen));
        let mut all = true;
        for (position, part) in parts.iter().enumerate() {
            let value = self.near.value(query.pool, part.id);
            all &= value == Some(1);
            let symbols = query.pool.symbols(part.id);
            if value == Some(0) && fixed.covers(symbols) {
                let core = fixed.reasons(symbols).chain([position]).collect();
                return Some(self.unsat(sliced, core));
            }
        }
        let mut model = chosen;
        complete(query.pool, parts, self.near.assignment(), &mut model);
        all.then_some(Answer::Sat(model))
    }

    /// The layers that search.
    fn by_search(
        &mut self,
        query: &mut Query<'_>,
        sliced: &Sliced,
        class: Option<Class>,
    ) -> Answer {
        if let Some(answer) = self.by_bounds(query, sliced, When::First, BOUNDS_WORK[0]) {
            return answer;
        }
        if let Some(answer) = self.by_elimination(query, sliced) {
            return answer;
        }
        if let Some(model) = self.restricted(query, sliced) {
            return Answer::Sat(model);
        }
        let answer = self.whole(query, sliced);
        if !matches!(answer, Answer::Unknown(_)) {
            self.statistics.solved += 1;
        }
        // Of what is walked, bounds say what they can say at once, or never.
        if answer != Answer::Unknown(Reason::Steps) || class.is_some() {
            return answer;
        }
        let most = sliced
            .steps
            .map_or(u64::MAX, |steps| steps / self.weight * WORK_PER_STEP);
        let more = self.by_bounds(query, sliced, When::Last, BOUNDS_WORK[1].min(most));
        more.unwrap_or(answer)
    }

    /// An answer by bounds propagation within so much work.
    fn by_bounds(
        &mut self,
        query: &mut Query<'_>,
        sliced: &Sliced,
        when: When,
        most: u64,
    ) -> Option<Answer> {
        let bounds = self.bounds.as_mut()?;
        let mut left = most;
        let near = self.near.assignment();
        let bounded = bounds.decide(when, query.pool, &sliced.parts, near, &mut left);
        query.budget.spend((most - left) / WORK_PER_STEP);
        match bounded {
            Bounded::Model(model) => {
                let model = self.finish(query, &sliced.parts, model).ok()?;
                self.statistics.bounded += 1;
                Some(Answer::Sat(model))
            }
            Bounded::Core(core) => {
                self.statistics.bounded += 1;
                Some(self.unsat(sliced, core))
            }
            Bounded::Open => None,
        }
    }

    /// An answer by elimination of one byte after the other.
    fn by_elimination(&mut self, query: &mut Query<'_>, sliced: &Sliced) -> Option<Answer> {
        if !self.eliminates {
            return None;
        }
        // Half of what the query has: the back end is to have a try too.
        let half = |steps: u64| steps.saturating_mul(WORK_PER_STEP / 2);
        let most = query
            .budget
            .steps
            .map_or(u64::MAX, half)
            .min(ELIMINATION_WORK);
        let mut left = most;
        let hint = self.near.assignment();
        let answer = eliminate(query.pool, &sliced.parts, hint, &mut left);
        query.budget.spend((most - left) / WORK_PER_STEP);
        let answer = match answer {
            Eliminated::Model(model) => Answer::Sat(self.finish(query, &sliced.parts, model).ok()?),
            Eliminated::Core(core) => self.unsat(sliced, core),
            Eliminated::Open => return None,
        };
        self.statistics.eliminated += 1;
        Some(answer)
    }

    /// The back end on all that matters.
    fn whole(&mut self, query: &mut Query<'_>, sliced: &Sliced) -> Answer {
        let mut inner = Query {
            pool: query.pool,
            constraints: sliced.parts.iter().map(|part| part.id).collect(),
            hint: query.hint,
            budget: Budget {
                steps: query.budget.steps,
                timeout: left(sliced.deadline),
                cancel: query.budget.cancel.clone(),
            },
        };
        let answer = ask(
            self.backend.as_mut(),
            &mut inner,
            &mut self.statistics,
            self.weight,
        );
        query.budget.steps = inner.budget.steps;
        match answer {
            Answer::Sat(model) => match self.finish(query, &sliced.parts, model) {
                Ok(model) => Answer::Sat(model),
                Err(reason) => Answer::Unknown(reason),
            },
            Answer::Unsat(core) => self.unsat(sliced, core.0),
            unknown => unknown,
        }
    }

    /// The answer that these parts, by position, contradict each other.
    fn unsat(&mut self, sliced: &Sliced, mut core: Vec<usize>) -> Answer {
        core.sort_unstable();
        core.dedup();
        self.cache.enter_core(&sliced.key, &core);
        Answer::Unsat(origins(&sliced.parts, &core))
    }

    /// A back end's model, completed by values near the hint, validated and with small lengths.
    pub(crate) fn finish(
        &mut self,
        query: &Query<'_>,
        parts: &[Part],
        mut model: Model,
    ) -> Result<Model, Reason> {
        complete(query.pool, parts, self.near.assignment(), &mut model);
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

    pub(crate) fn satisfies(&mut self, query: &Query<'_>, parts: &[Part], model: &Model) -> bool {
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

    fn remember(&mut self, sliced: &Sliced, answer: &Answer) {
        match (answer, sliced.steps) {
            (Answer::Sat(model), _) => self.cache.enter_model(&sliced.key, model),
            (Answer::Unknown(Reason::Steps), Some(steps)) => {
                self.cache.enter_given_up(&sliced.key, steps);
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
        self.nearest = None;
        let answer = self.decide(query);
        self.statistics.seconds += started.elapsed().as_secs_f64();
        match &answer {
            Answer::Sat(_) => self.statistics.sat += 1,
            Answer::Unsat(_) => self.statistics.unsat += 1,
            Answer::Unknown(_) => self.statistics.unknown += 1,
        }
        answer
    }

    fn nearest(&mut self) -> Option<Model> {
        self.nearest.take()
    }
}

impl std::fmt::Debug for Layers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Layers")
            .field("statistics", &self.statistics)
            .finish_non_exhaustive()
    }
}

pub(crate) fn left(deadline: Option<Instant>) -> Option<Duration> {
    deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
}

/// Asks the back end, each of whose steps counts as `weight`, see [`Class::weight`].
pub(crate) fn ask(
    backend: &mut dyn Solver,
    query: &mut Query<'_>,
    statistics: &mut Statistics,
    weight: u64,
) -> Answer {
    let started = Instant::now();
    let given = query.budget.steps;
    query.budget.steps = given.map(|steps| steps / weight);
    let answer = backend.check(query);
    let unused = query.budget.steps.map_or(0, |left| left * weight);
    query.budget.steps = given.map(|steps| steps.min(unused));
    statistics.calls += 1;
    statistics.backend_seconds += started.elapsed().as_secs_f64();
    answer
}
