//! Values that no run is known to give, and the models that rest on them.
//!
//! An undefined result is anything, and so is what a path does not follow. `100 / n > 5` is true
//! under `n = 0` if the quotient is anything; but the run ends there, and `n = 7` is found only
//! when the solver is asked for a model that does not rest on a guess.

use labrys_expr::{Evaluator, ExprId, Op, Pool, Symbol};
use labrys_solver::{Assignment, Model};
use rustc_hash::FxHashSet;

/// Conditions under which the model would not take those sides of choices that no symbol is known
/// of; empty if it takes none.
pub(super) fn avoided(
    pool: &mut Pool,
    constraints: &[ExprId],
    model: &Model,
    is_known: &dyn Fn(Symbol) -> bool,
) -> Vec<ExprId> {
    let choices = choices(pool, constraints);
    let values = Assignment::new().with(model);
    let mut evaluator = Evaluator::new();
    let mut avoided = Vec::new();
    for choice in choices {
        let &[condition, yes, no] = pool.node(choice).operands() else {
            continue;
        };
        let taken = evaluator.holds(pool, condition, &values);
        let side = if taken { yes } else { no };
        let mut symbols = pool.symbols(side).iter().peekable();
        let is_guess = symbols.peek().is_some() && !symbols.any(is_known);
        if is_guess {
            avoided.push((condition, taken));
        }
    }
    let conditions = avoided.into_iter();
    conditions
        .map(|(condition, taken)| {
            if taken {
                pool.not(condition)
            } else {
                condition
            }
        })
        .collect()
}

/// The choices in expressions, in order of their making.
fn choices(pool: &Pool, constraints: &[ExprId]) -> Vec<ExprId> {
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    let mut stack = constraints.to_vec();
    let mut choices = Vec::new();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        if pool.op(id) == Op::Ite {
            choices.push(id);
        }
        pool.for_each_child(id, |child| stack.push(child));
    }
    choices.sort_unstable();
    choices
}
