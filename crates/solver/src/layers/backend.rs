//! The back end on all that matters for the answer.

use crate::query::{Answer, Query};
use crate::schedule::{Layer, Patience, Shared, Task, Verdict};

/// The layer.
#[derive(Default)]
pub(super) struct WholeQuery;

impl Layer for WholeQuery {
    fn name(&self) -> &'static str {
        "backend"
    }

    fn run(&mut self, task: &mut Task<'_, '_>, shared: &mut Shared, _: Patience) -> Verdict {
        let difficulty = task.difficulty();
        let (constraints, budget) = (task.conditions(), task.budget(task.query.budget.steps));
        let mut whole = Query {
            pool: task.query.pool,
            constraints,
            hint: task.query.hint,
            budget,
        };
        let answer = shared.ask(&mut whole, difficulty);
        task.query.budget.steps = whole.budget.steps;
        match answer {
            Answer::Sat(model) => shared
                .confirm(task, model)
                .map_or_else(Verdict::GaveUp, Verdict::Model),
            Answer::Unsat(core) => Verdict::Core(core.0),
            Answer::Unknown(reason) => Verdict::GaveUp(reason),
        }
    }
}
