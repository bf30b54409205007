//! Evaluation under one assignment.

use labrys_expr::{Evaluator, ExprId, Pool};

use crate::query::Assignment;

/// Evaluates under a query's hint, or values near it, and remembers the results as long as pool
/// and values stay.
#[derive(Default)]
pub(crate) struct Valuation {
    evaluator: Evaluator,
    generation: u64,
    assignment: Assignment,
}

impl Valuation {
    /// Prepares for questions about this pool and these values.
    pub(crate) fn start(&mut self, pool: &Pool, assignment: &Assignment) {
        if self.generation != pool.generation() || self.assignment != *assignment {
            self.evaluator.reset();
            self.generation = pool.generation();
            self.assignment.clone_from(assignment);
        }
    }

    /// Nodes that were evaluated so far.
    pub(crate) fn computed(&self) -> u64 {
        self.evaluator.computed()
    }

    /// The values that it evaluates under.
    pub(crate) fn assignment(&self) -> &Assignment {
        &self.assignment
    }

    pub(crate) fn holds(&mut self, pool: &Pool, id: ExprId) -> bool {
        self.evaluator.holds(pool, id, &self.assignment)
    }

    /// The value of an expression.
    pub(crate) fn value(&mut self, pool: &Pool, id: ExprId) -> Option<u128> {
        self.evaluator
            .evaluate(pool, id, &self.assignment)
            .map(labrys_expr::Value::bits)
    }
}
