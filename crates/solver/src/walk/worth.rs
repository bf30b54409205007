//! Which queries are worth a walk: those with floats, products or external calls.

use labrys_expr::{ExprId, Op, Pool};
use rustc_hash::FxHashSet;

/// Symbols of a query at most.
const MOST_SYMBOLS: usize = 512;
/// Nodes of a query at most.
const MOST_NODES: usize = 8000;
/// Narrower products are no work for the back end.
const NARROWEST: u32 = 16;

/// What is hard in a query, the hardest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// Calls of external functions.
    External,
    /// Arithmetic of floats.
    Float,
    /// Products and quotients of integers that are not constant.
    Product,
}

impl Class {
    /// As so many steps a step of the back end or of bounds propagation counts: each takes about
    /// that much longer where there are floats.
    pub(crate) fn weight(self) -> u64 {
        match self {
            Class::External | Class::Float => 5,
            Class::Product => 1,
        }
    }
}

/// The class of some conditions; `None` if the walk is not to be tried. Every query is asked
/// for, so this must be cheap where the answer is no.
pub(crate) fn class(pool: &Pool, conditions: &[ExprId]) -> Option<Class> {
    let symbols: usize = conditions.iter().map(|id| pool.symbols(*id).len()).sum();
    if symbols > MOST_SYMBOLS {
        return None;
    }
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    let mut stack = conditions.to_vec();
    let mut hardest = None;
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        if seen.len() > MOST_NODES {
            return None;
        }
        hardest = [hardest, of(pool, id)].into_iter().flatten().min();
        pool.for_each_child(id, |child| stack.push(child));
    }
    hardest
}

fn of(pool: &Pool, id: ExprId) -> Option<Class> {
    let node = pool.node(id);
    match node.op() {
        Op::External => Some(Class::External),
        op if op.takes_floats() || op.gives_float() => Some(Class::Float),
        Op::Mul | Op::UDiv | Op::SDiv | Op::URem | Op::SRem if node.width() >= NARROWEST => {
            let symbolic = |operand: &ExprId| pool.bits(*operand).is_none();
            node.operands()
                .iter()
                .all(symbolic)
                .then_some(Class::Product)
        }
        _ => None,
    }
}
