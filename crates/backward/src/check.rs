//! What the search asks of a solver.

use labrys_expr::{ExprId, Pool};
use labrys_solver::{Answer, Assignment};

/// Decides whether constraints can all be true, given values that may come near, within so many
/// steps.
pub type Check<'a> = &'a mut dyn FnMut(&mut Pool, Vec<ExprId>, &Assignment, u64) -> Answer;
