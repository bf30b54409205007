//! The concolic walk and the back end on one query, within one budget.
//!
//! They run in turn, not at once: intervals of floats, a short walk, then the other layers that search, then intervals
//! again, taken apart, and a longer walk. How far each walk goes is a share of the query's steps, so no clock decides what is
//! found; the steps of a walk are taken off the query's. Shares depend on what is hard in it.
//!
//! Where neither finds a model, the walk's nearest point is kept for
//! [`Solver::nearest`](crate::Solver::nearest).

use super::{Layers, Sliced};
use crate::intervals;
use crate::query::{Answer, Budget, Model, Query};
use crate::walk::{Class, Outcome, class};

/// Work of intervals before anything else is asked, and after all else gave up.
const INTERVALS_WORK: [u64; 2] = [40_000, 4_000_000];
/// So much of it takes the time of one step of the back end.
const INTERVALS_PER_STEP: u64 = 1_000;

/// Steps of a query without a limit, for the shares: those of its time, else of ten seconds.
fn all_steps(budget: &Budget) -> u64 {
    let seconds = budget.timeout.map_or(10.0, |timeout| timeout.as_secs_f64());
    (seconds * Budget::STEPS_PER_SECOND as f64) as u64
}

/// Parts of the query's steps for the walk before and after the back end.
fn shares(class: Class) -> [f64; 2] {
    match class {
        Class::External => [0.1, 0.25],
        Class::Float | Class::Product => [0.05, 0.2],
    }
}

impl Layers {
    /// The answer to what no cheap layer could answer.
    pub(super) fn race(&mut self, query: &mut Query<'_>, sliced: &Sliced) -> Answer {
        let conditions: Vec<_> = sliced.parts.iter().map(|part| part.id).collect();
        let class = class(query.pool, &conditions);
        let shares = class.map(shares);
        self.weight = class.map_or(1, Class::weight);
        if let Some(answer) = self.by_intervals(query, sliced, class, false) {
            return answer;
        }
        if let Some(model) = self.walk_for(query, sliced, shares.map(|shares| shares[0])) {
            self.statistics.walked[0] += 1;
            return Answer::Sat(model);
        }
        let answer = self.by_search(query, sliced, class);
        if matches!(answer, Answer::Unknown(_)) {
            if let Some(answer) = self.by_intervals(query, sliced, class, true) {
                return answer;
            }
            if let Some(model) = self.walk_for(query, sliced, shares.map(|shares| shares[1])) {
                self.statistics.walked[1] += 1;
                return Answer::Sat(model);
            }
        } else {
            self.nearest = None;
        }
        answer
    }

    /// A refutation by intervals of floats; with `split`, after values were taken apart.
    fn by_intervals(
        &mut self,
        query: &mut Query<'_>,
        sliced: &Sliced,
        class: Option<Class>,
        split: bool,
    ) -> Option<Answer> {
        if !matches!(class, Some(Class::Float | Class::External)) {
            return None;
        }
        let given = INTERVALS_WORK[usize::from(split)];
        let mut left = given;
        let core = intervals::refute(query.pool, &sliced.parts, split, &mut left);
        query.budget.spend((given - left) / INTERVALS_PER_STEP);
        self.statistics.bounded += u64::from(core.is_some());
        Some(self.unsat(sliced, core?))
    }

    /// A model by the walk, with this share of the query's steps.
    fn walk_for(
        &mut self,
        query: &mut Query<'_>,
        sliced: &Sliced,
        share: Option<f64>,
    ) -> Option<Model> {
        let (walk, share) = (self.walk.as_mut()?, share?);
        if query.budget.is_cancelled() {
            return None;
        }
        let conditions: Vec<_> = sliced.parts.iter().map(|part| part.id).collect();
        let given = sliced.steps.unwrap_or_else(|| all_steps(&query.budget));
        let steps = (given as f64 * share) as u64;
        let start = match &self.nearest {
            Some(nearest) => self.near.assignment().with(nearest),
            None => self.near.assignment().clone(),
        };
        self.nearest = None;
        let (outcome, done) = walk.run(query.pool, &conditions, &start, steps);
        query.budget.spend(done);
        match outcome {
            Outcome::Found(model) => self.finish(query, &sliced.parts, model).ok(),
            Outcome::Near(model) => {
                self.nearest = Some(model);
                None
            }
            Outcome::Unable => None,
        }
    }
}
