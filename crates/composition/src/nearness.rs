//! How near an explored path comes to a failure below one of its calls: how many conditions of a
//! failing path what the call passed satisfies, and which input decides on the others.

use std::collections::BTreeMap;

use labrys_expr::{Evaluator, ExprId, Pool, Symbol};
use labrys_program::FunctionId;
use rustc_hash::FxHashSet;

use crate::summary::{LEAVES, Path, Slice};

/// Calls of one path that are looked at.
const MOST_CALLS: usize = 64;

/// What a directed search looks for: calls of a function whose leaves satisfy a condition.
#[derive(Clone, Debug)]
pub(crate) struct Focus {
    pub(crate) callee: FunctionId,
    /// Over the leaves of the callee ([`crate::summary::LEAVES`]).
    pub(crate) constraint: Vec<ExprId>,
    /// The failing paths below such a call, over the same.
    pub(crate) cubes: Vec<Vec<ExprId>>,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nearness {
    /// The conditions that the nearest call satisfies.
    pub(crate) satisfied: u32,
    /// That call, as a slice of the path, and the failing path.
    pub(crate) call: Option<(usize, usize)>,
    /// Inputs of which it passes something else than the failure needs.
    lacking: FxHashSet<Symbol>,
}

impl Nearness {
    /// Of a path, to what a search looks for.
    pub(crate) fn of(pool: &Pool, path: &Path, focus: &Focus) -> Self {
        let mut nearest = Nearness::default();
        let mut missing: Vec<ExprId> = Vec::new();
        let slices = path.slices.iter().enumerate().rev();
        let calls = slices.filter(|(_, slice)| slice.callee == focus.callee);
        for (number, slice) in calls.take(MOST_CALLS) {
            let leaves = values(pool, path, slice, &focus.cubes);
            let passed = |symbol: Symbol| leaves.get(&symbol).copied().unwrap_or(0);
            let mut evaluator = Evaluator::new();
            for (at, cube) in focus.cubes.iter().enumerate() {
                let holds = |condition: &&ExprId| {
                    let mut symbols = pool.symbols(**condition).iter();
                    let is_free = symbols.any(|symbol| !leaves.contains_key(&symbol));
                    let value = evaluator.evaluate(pool, **condition, &passed);
                    is_free || value.is_some_and(|value| value.bits() != 0)
                };
                let (held, not): (Vec<&ExprId>, Vec<&ExprId>) = cube.iter().partition(holds);
                let satisfied = held.len() as u32;
                if nearest.call.is_none() || satisfied > nearest.satisfied {
                    nearest.satisfied = satisfied;
                    nearest.call = Some((number, at));
                    missing = not.into_iter().copied().collect();
                }
            }
        }
        if let Some((number, _)) = nearest.call {
            let bindings = &path.slices[number].bindings;
            let leaves = missing.iter().flat_map(|id| pool.symbols(*id).iter());
            let bytes = leaves.filter_map(|leaf| bindings.get(offset(leaf)?));
            let inputs = bytes.flat_map(|byte| pool.symbols(byte).iter());
            nearest.lacking = inputs.collect();
        }
        nearest
    }

    /// Whether a condition is one on the inputs that the nearest call lacks something of.
    pub(crate) fn touches(&self, pool: &Pool, condition: ExprId) -> bool {
        let mut symbols = pool.symbols(condition).iter();
        !self.lacking.is_empty() && symbols.any(|symbol| self.lacking.contains(&symbol))
    }
}

/// The offset of a leaf.
fn offset(symbol: Symbol) -> Option<u32> {
    match symbol {
        Symbol::Byte { stream, offset } if stream == LEAVES => Some(offset),
        _ => None,
    }
}

/// What a call passed in the run of its path for the leaves that conditions are on.
fn values(
    pool: &Pool,
    path: &Path,
    slice: &Slice,
    cubes: &[Vec<ExprId>],
) -> BTreeMap<Symbol, u128> {
    let hint = path.hint();
    let mut evaluator = Evaluator::new();
    let mut known = BTreeMap::new();
    for condition in cubes.iter().flatten() {
        for symbol in pool.symbols(*condition).iter() {
            let byte = offset(symbol).and_then(|offset| slice.bindings.get(offset));
            let Some(byte) = byte.filter(|_| !known.contains_key(&symbol)) else {
                continue;
            };
            if let Some(value) = evaluator.evaluate(pool, byte, &hint) {
                known.insert(symbol, value.bits());
            }
        }
    }
    known
}
