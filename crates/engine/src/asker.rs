//! The asking of the solver: queries within the session's budget, counted and timed.

use std::time::{Duration, Instant};

use labrys_expr::{ExprId, Pool};
use labrys_solver::{
    Answer, Assignment, Budget as QueryBudget, CACHED, Layers, Model, Query, Reason, Solver,
};
use labrys_suite::Queries;

use crate::budget::Deadline;

/// The part of the time of a session that one query may take.
const PART_OF_TIME: u32 = 12;
/// What a query may take in any session: about the time of its steps, if they take as long as usual.
const LEAST: Duration = Duration::from_secs(5);

/// Limits of one query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueryLimits {
    /// Most steps of the solver.
    pub(crate) steps: u64,
    /// Longest time, should the steps take unusually long.
    pub(crate) time: Duration,
}

/// See the module.
pub(crate) struct Asker {
    solver: Layers,
    /// For queries that are to leave no trace in the answers to others.
    apart: Option<Layers>,
    limits: QueryLimits,
    queries: Queries,
    /// What was spent on what needed no query in the end, and on queries that the clock ended beyond
    /// their steps; in steps of the solver.
    spared: u64,
    /// The time that queries took.
    time: Duration,
    /// Whether a query has ended by the clock.
    timed_out: bool,
}

impl Asker {
    pub(crate) fn new(solver: Layers, apart: Option<Layers>, limits: QueryLimits) -> Self {
        let mut asker = Asker {
            solver,
            apart,
            limits,
            queries: Queries::default(),
            spared: 0,
            time: Duration::ZERO,
            timed_out: false,
        };
        asker.name_layers();
        asker
    }

    /// Names the layers that queries are counted by.
    fn name_layers(&mut self) {
        let counted = self.solver.statistics().answered();
        let layers = counted.map(|(layer, _)| layer);
        let layers = layers.filter(|layer| *layer != CACHED);
        self.queries.by_layer.begin(layers);
    }

    /// Counts on from what an earlier session counted.
    pub(crate) fn resume(&mut self, queries: Queries, time: Duration) {
        self.queries = queries;
        self.time = time;
        self.name_layers();
    }

    pub(crate) fn queries(&self) -> &Queries {
        &self.queries
    }

    /// The number of queries.
    pub(crate) fn asked(&self) -> u64 {
        self.queries.sat + self.queries.unsat + self.queries.unknown
    }

    fn solvers(&self) -> impl Iterator<Item = &Layers> {
        std::iter::once(&self.solver).chain(&self.apart)
    }

    pub(crate) fn steps(&self) -> u64 {
        let steps = |solver: &Layers| solver.statistics().steps;
        self.solvers().map(steps).sum()
    }

    /// What queries cost, in steps of the solver.
    pub(crate) fn work(&self) -> u64 {
        let work = |solver: &Layers| solver.statistics().work();
        self.spared + self.solvers().map(work).sum::<u64>()
    }

    /// As [`crate::Session::charge`].
    pub(crate) fn charge(&mut self, steps: u64) {
        self.spared += steps;
    }

    pub(crate) fn time(&self) -> Duration {
        self.time
    }

    /// As [`crate::Session::check`].
    pub(crate) fn check(
        &mut self,
        pool: &mut Pool,
        constraints: Vec<ExprId>,
        hint: &Assignment,
        limits: (Option<u64>, &Deadline),
    ) -> Answer {
        let budget = self.budget(limits);
        let query = (pool, constraints, hint, budget);
        let Asker {
            solver,
            queries,
            time,
            spared,
            ..
        } = self;
        check(solver, query, (queries, time, spared))
    }

    /// As [`crate::Session::check_apart`].
    pub(crate) fn check_apart(
        &mut self,
        pool: &mut Pool,
        constraints: Vec<ExprId>,
        limits: (Option<u64>, &Deadline),
    ) -> Answer {
        let budget = self.budget(limits);
        let hint = Assignment::new();
        let query = (pool, constraints, &hint, budget);
        let Asker {
            solver,
            apart,
            queries,
            time,
            spared,
            ..
        } = self;
        let solver = apart.as_mut().unwrap_or(solver);
        check(solver, query, (queries, time, spared))
    }

    /// Whether an answer is the first that the clock ended. That should not happen; where it does,
    /// the user is told, for the suite is that of this machine then.
    pub(crate) fn is_first_timeout(&mut self, answer: &Answer) -> bool {
        let timeout = matches!(answer, Answer::Unknown(Reason::Timeout));
        timeout && !std::mem::replace(&mut self.timed_out, true)
    }

    /// Values that come near to a model of the last query, if the solver has such values.
    pub(crate) fn nearest(&mut self) -> Option<Model> {
        self.solver.nearest()
    }

    /// A query ends by its steps, and with the session.
    fn budget(&self, (steps, deadline): (Option<u64>, &Deadline)) -> QueryBudget {
        let QueryLimits { steps: most, time } = self.limits;
        let time = longest(time, deadline.budget().time);
        let time = deadline.time_left().map_or(time, |left| left.min(time));
        QueryBudget {
            steps: Some(steps.map_or(most, |steps| steps.min(most))),
            timeout: Some(time.max(Duration::from_millis(1))),
            cancel: Some(deadline.stop().shared()),
            visits: 0,
        }
    }

    /// Gives up what the solver holds without tidying.
    pub(crate) fn leave(self) {
        std::mem::forget((self.solver, self.apart));
    }
}

/// The time of a query, in a session of so much time: steps on large formulas may take a hundred
/// times as long as others.
fn longest(limit: Duration, session: Option<Duration>) -> Duration {
    session.map_or(limit, |all| (all / PART_OF_TIME).max(LEAST).min(limit))
}

/// Asks a solver, and counts.
fn check(
    solver: &mut Layers,
    (pool, constraints, hint, budget): (&mut Pool, Vec<ExprId>, &Assignment, QueryBudget),
    (queries, time, spared): (&mut Queries, &mut Duration, &mut u64),
) -> Answer {
    let (started, before) = (Instant::now(), solver.statistics().work());
    let answer = solver.check(&mut Query {
        pool,
        constraints,
        hint,
        budget,
    });
    let took = started.elapsed();
    *time += took;
    if let Answer::Unknown(Reason::Timeout) = answer {
        *spared += beyond(took, solver.statistics().work() - before);
    }
    match solver.answered_by() {
        Some(CACHED) => queries.cached += 1,
        Some(layer) => queries.by_layer.add(layer),
        None => {}
    }
    match &answer {
        Answer::Sat(_) => queries.sat += 1,
        Answer::Unsat(_) => queries.unsat += 1,
        Answer::Unknown(_) => queries.unknown += 1,
    }
    answer
}

/// What a query that the clock ended cost beyond its steps: these took far longer than usual.
fn beyond(took: Duration, steps: u64) -> u64 {
    let usual = took.as_secs_f64() * QueryBudget::STEPS_PER_SECOND as f64;
    (usual as u64).saturating_sub(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_that_the_clock_ended_cost_their_time() {
        let second = QueryBudget::STEPS_PER_SECOND;
        assert_eq!(beyond(Duration::from_secs(5), second), 4 * second);
        assert_eq!(beyond(Duration::from_secs(1), 2 * second), 0);
    }

    #[test]
    fn a_query_has_a_part_of_the_time() {
        let second = Duration::from_secs(1);
        let longest = |session| longest(60 * second, session);
        assert_eq!(longest(None), 60 * second);
        assert_eq!(longest(Some(120 * second)), 10 * second);
        assert_eq!(longest(Some(3600 * second)), 60 * second);
        // As long as all of its steps take mostly.
        assert_eq!(longest(Some(10 * second)), LEAST);
    }
}
