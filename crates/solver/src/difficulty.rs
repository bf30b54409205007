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
pub(crate) enum Difficulty {
    /// Calls of external functions.
    ExternalCall,
    /// Arithmetic of floats.
    Float,
    /// Products and quotients of integers that are not constant.
    Product,
}

impl Difficulty {
    /// As so many steps a step of the back end or of bounds propagation counts: each takes about
    /// that much longer where there are floats.
    pub(crate) fn weight(self) -> u64 {
        match self {
            Difficulty::ExternalCall | Difficulty::Float => 5,
            Difficulty::Product => 1,
        }
    }
}

/// What is hardest in some conditions; `None` if the walk is not to be tried. Every query is asked
/// for, so this must be cheap where the answer is no.
pub(crate) fn difficulty(pool: &Pool, conditions: &[ExprId]) -> Option<Difficulty> {
    let has_many = |id: &ExprId| pool.symbols(*id).len() > MOST_SYMBOLS;
    if conditions.iter().any(has_many) {
        return None;
    }
    let mut symbols = 0;
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    let mut stack = conditions.to_vec();
    let mut hardest = None;
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        symbols += usize::from(pool.op(id) == Op::Symbol);
        if seen.len() > MOST_NODES || symbols > MOST_SYMBOLS {
            return None;
        }
        hardest = [hardest, of(pool, id)].into_iter().flatten().min();
        pool.for_each_child(id, |child| stack.push(child));
    }
    hardest
}

fn of(pool: &Pool, id: ExprId) -> Option<Difficulty> {
    let node = pool.node(id);
    match node.op() {
        Op::External => Some(Difficulty::ExternalCall),
        op if op.takes_floats() || op.gives_float() => Some(Difficulty::Float),
        Op::Mul | Op::UDiv | Op::SDiv | Op::URem | Op::SRem if node.width() >= NARROWEST => {
            let symbolic = |operand: &ExprId| pool.bits(*operand).is_none();
            node.operands()
                .iter()
                .all(symbolic)
                .then_some(Difficulty::Product)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Conditions on the sums of `doubles` doubles, each of all of them.
    fn conditions(pool: &mut Pool, doubles: u32, count: u32) -> Vec<ExprId> {
        let first = pool.input(0, 0, 8);
        let sum = (1..doubles).fold(first, |sum, number| {
            let next = pool.input(0, 8 * number, 8);
            pool.binary(Op::FAdd, sum, next)
        });
        (0..count)
            .map(|limit| {
                let limit = pool.constant(64, f64::from(limit).to_bits().into());
                pool.binary(Op::FOlt, limit, sum)
            })
            .collect()
    }

    #[test]
    fn a_symbol_counts_once_however_many_conditions_it_is_in() {
        let mut pool = Pool::new();
        let many_conditions = conditions(&mut pool, 6, 100);
        assert_eq!(difficulty(&pool, &many_conditions), Some(Difficulty::Float));
        let many_symbols = conditions(&mut pool, 65, 1);
        assert_eq!(difficulty(&pool, &many_symbols), None);
    }
}
