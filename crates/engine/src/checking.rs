//! Queries: asked within the session's budget, counted and timed.

use std::time::{Duration, Instant};

use labrys_expr::{ExprId, Pool};
use labrys_solver::{Answer, Assignment, Budget, CACHED, Model, Query, Reason, Solver};

use crate::Session;

impl Session {
    /// Whether the constraints can all be true; the last is the goal, the hint the values of the
    /// input whose path is explored. The query may have fewer steps than the session gives.
    pub fn check(
        &mut self,
        pool: &mut Pool,
        constraints: Vec<ExprId>,
        hint: &Assignment,
        steps: Option<u64>,
    ) -> Answer {
        let started = Instant::now();
        let budget = self.query_budget(steps);
        let given = budget.steps.unwrap_or(0);
        let mut query = Query {
            pool,
            constraints,
            hint,
            budget,
        };
        let answer = self.solver.check(&mut query);
        let unused = query.budget.steps.unwrap_or(0);
        self.statistics.solver_steps += given.saturating_sub(unused);
        self.statistics.solver_time += started.elapsed();
        let queries = &mut self.statistics.queries;
        match self.solver.answered_by() {
            Some(CACHED) => queries.cached += 1,
            Some(layer) => queries.by_layer.add(layer),
            None => {}
        }
        match &answer {
            Answer::Sat(_) => queries.sat += 1,
            Answer::Unsat(_) => queries.unsat += 1,
            Answer::Unknown(reason) => {
                queries.unknown += 1;
                if *reason == Reason::Timeout && self.end().is_none() {
                    self.note_timeout();
                }
            }
        }
        answer
    }

    /// Names the layers that queries are counted by.
    pub(crate) fn name_layers(&mut self) {
        let counted = self.solver.statistics().answered();
        let layers = counted.map(|(layer, _)| layer);
        let layers = layers.filter(|layer| *layer != CACHED);
        self.statistics.queries.by_layer.begin(layers);
    }

    /// Values that come near to a model of the last query, if that was given up and the solver
    /// has such values. They are no model: an input that is made of them may go another way.
    pub fn nearest(&mut self) -> Option<Model> {
        self.solver.nearest()
    }

    /// Says once that the clock ended a query.
    fn note_timeout(&mut self) {
        if !self.told_timeout {
            self.told_timeout = true;
            self.note(
                "a query was given up by the clock (--timeout-solver) before its steps were used \
                 up: another machine may make another suite of the same seed",
            );
        }
    }

    /// A query ends by its steps, and with the session. That its own time is over should not
    /// happen; where it does, the user is told, for the suite is that of this machine then.
    fn query_budget(&self, steps: Option<u64>) -> Budget {
        let left = self
            .budget()
            .time
            .map(|limit| limit.saturating_sub(self.clock.elapsed()));
        let time = left.map_or(self.query_time, |left| left.min(self.query_time));
        Budget {
            steps: Some(steps.map_or(self.query_steps, |steps| steps.min(self.query_steps))),
            timeout: Some(time.max(Duration::from_millis(1))),
            cancel: Some(self.stop.shared()),
        }
    }
}
