//! Queries: asked within the session's budget, counted and timed.

use std::time::{Duration, Instant};

use labrys_expr::{ExprId, Pool};
use labrys_solver::{Answer, Assignment, Budget, Query, Solver};

use crate::Session;

impl Session {
    /// Whether the constraints can all be true; the last is the goal, the hint the values of the
    /// input whose path is explored. The query may have less time than the session gives.
    pub fn check(
        &mut self,
        pool: &mut Pool,
        constraints: Vec<ExprId>,
        hint: &Assignment,
        longest: Option<Duration>,
    ) -> Answer {
        let started = Instant::now();
        let cached = self.solver.statistics().cached;
        let answer = self.solver.check(&mut Query {
            pool,
            constraints,
            hint,
            budget: self.query_budget(longest),
        });
        self.statistics.solver_time += started.elapsed();
        let cached = self.solver.statistics().cached - cached;
        let queries = &mut self.statistics.queries;
        queries.cached += cached;
        match &answer {
            Answer::Sat(_) => queries.sat += 1,
            Answer::Unsat(_) => queries.unsat += 1,
            Answer::Unknown(_) => queries.unknown += 1,
        }
        answer
    }

    /// A query ends with the session.
    fn query_budget(&self, longest: Option<Duration>) -> Budget {
        let left = self
            .budget()
            .time
            .map(|limit| limit.saturating_sub(self.clock.elapsed()));
        let limits = [Some(self.query_time), left, longest];
        let time = limits.into_iter().flatten().min().unwrap_or_default();
        Budget {
            timeout: Some(time.max(Duration::from_millis(1))),
            cancel: Some(self.stop.shared()),
        }
    }
}
