//! The symbols that a restricted attempt leaves free: those nearest to the root of the goal, and of
//! the constraints that they touch.

use std::collections::{BTreeSet, VecDeque};

use labrys_expr::{ExprId, Pool, Symbol};
use rustc_hash::FxHashSet;

use crate::parts::Part;

/// Expressions that are looked at to find a condition's nearest symbols.
const MOST_VISITED: usize = 4096;

/// The symbols to be left free: up to `count` of each of the `wanted` parts, which are to become
/// true, and up to `count` of each other part that a free symbol occurs in, nearest to the root
/// first; no more than four times `count` in all.
pub(super) fn free_symbols(
    pool: &Pool,
    parts: &[Part],
    wanted: &[ExprId],
    count: usize,
) -> BTreeSet<Symbol> {
    let mut free = BTreeSet::new();
    for id in wanted {
        for near in nearest(pool, *id, count) {
            if free.len() < 4 * count {
                free.insert(near);
            }
        }
    }
    let mut queue: VecDeque<Symbol> = free.iter().copied().collect();
    let mut rest: Vec<_> = parts
        .iter()
        .map(|part| part.id)
        .filter(|id| !wanted.contains(id))
        .collect();
    // Conditions on few symbols leave least choice.
    rest.sort_by_key(|id| pool.symbols(*id).len());
    while let Some(symbol) = queue.pop_front() {
        let (touched, others): (Vec<_>, _) = rest
            .into_iter()
            .partition(|id| pool.symbols(*id).contains(symbol));
        rest = others;
        for id in touched {
            for near in nearest(pool, id, count) {
                if free.len() < 4 * count && free.insert(near) {
                    queue.push_back(near);
                }
            }
        }
    }
    free
}

/// Up to `count` symbols of an expression in the order of their distance from the root.
fn nearest(pool: &Pool, id: ExprId, count: usize) -> Vec<Symbol> {
    let all = pool.symbols(id);
    if all.len() <= count {
        return all.iter().collect();
    }
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    let mut queue = VecDeque::from([id]);
    while let Some(id) = queue.pop_front() {
        if let Some(symbol) = pool.as_symbol(id) {
            found.push(symbol);
            if found.len() == count {
                break;
            }
        }
        if seen.len() < MOST_VISITED {
            pool.for_each_child(id, |child| {
                if !pool.symbols(child).is_empty() && seen.insert(child) {
                    queue.push_back(child);
                }
            });
        }
    }
    found
}
