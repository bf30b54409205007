//! The restricted attempt: all symbols but a few keep the hint's values, or values near it.
//!
//! A query over thousands of input bytes, such as a checksum, mostly becomes small then: what
//! depends on fixed symbols only is a constant. The few are those nearest to the root of the
//! goal, and of the constraints that they touch. Law: a model of the restricted query, with the
//! values of the fixed symbols, is a model of the query; that there is none says nothing.

use std::collections::{BTreeSet, VecDeque};

use labrys_expr::{ExprId, Pool, Rebuilt, Symbol, SymbolSet};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::slice::{Hinted, Part};

/// Expressions that are looked at to find a condition's nearest symbols.
const MOST_VISITED: usize = 4096;

/// A query in which most symbols are fixed.
pub(crate) struct Restricted {
    pub(crate) conditions: Vec<ExprId>,
    pub(crate) free: BTreeSet<Symbol>,
}

/// Where restricted queries are built.
#[derive(Default)]
pub(crate) struct Target {
    pub(crate) pool: Pool,
    rebuilt: Rebuilt,
}

/// The symbols to be left free: up to `count` of each of the `wanted` parts, which are to become
/// true, and up to `count` of each other part that a free symbol occurs in, nearest to the root
/// first; no more than four times `count` in all.
pub(crate) fn free_symbols(
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

/// The parts with all symbols but the free ones fixed, in another pool; `None` if one is false
/// then. Parts that are true are left out.
pub(crate) fn restrict(
    pool: &Pool,
    parts: &[Part],
    free: BTreeSet<Symbol>,
    near: &mut Hinted,
    target: &mut Target,
) -> Option<Restricted> {
    let is_fixed = |id| !meets(pool.symbols(id), &free);
    let conditions = rebuild(pool, parts, is_fixed, near, target).ok()?;
    let conditions = conditions.into_iter().map(|(_, id)| id).collect();
    Some(Restricted { conditions, free })
}

/// The parts with what `is_fixed` replaced by its value near the hint, in another pool, each
/// with its position; else the position of one that is false then. Parts that are true are left
/// out.
pub(crate) fn rebuild(
    pool: &Pool,
    parts: &[Part],
    is_fixed: impl Fn(ExprId) -> bool,
    near: &mut Hinted,
    target: &mut Target,
) -> Result<Vec<(usize, ExprId)>, usize> {
    let Target {
        pool: target,
        rebuilt,
    } = target;
    target.clear();
    rebuilt.reset();
    let mut known: FxHashMap<u32, bool> = FxHashMap::default();
    let mut is_fixed = |id| {
        *known
            .entry(pool.symbols_number(id))
            .or_insert_with(|| is_fixed(id))
    };
    let mut conditions = Vec::new();
    // The goal comes first: it is what is false most often.
    for (position, part) in parts.iter().enumerate().rev() {
        if is_fixed(part.id) {
            match near.value(pool, part.id) {
                Some(0) => return Err(position),
                Some(_) => continue,
                None => {}
            }
        }
        let id = target.rebuild(Some(pool), part.id, rebuilt, &mut |target, id| {
            if !is_fixed(id) {
                return None;
            }
            let bits = near.value(pool, id)?;
            Some(target.constant(pool.width(id), bits))
        });
        match id {
            ExprId::FALSE => return Err(position),
            ExprId::TRUE => {}
            _ => conditions.push((position, id)),
        }
    }
    // The goal stands last, as in any query.
    conditions.reverse();
    Ok(conditions)
}

fn meets(set: SymbolSet<'_>, free: &BTreeSet<Symbol>) -> bool {
    free.iter().any(|symbol| set.contains(*symbol))
}
