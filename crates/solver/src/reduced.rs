//! Conditions with some of their symbols replaced by values, in a pool of their own.
//!
//! A query over thousands of input bytes, such as a checksum, mostly becomes small then: what
//! depends on replaced symbols only is a constant.

use labrys_expr::{ExprId, Pool, Rebuilt};
use rustc_hash::FxHashMap;

use crate::parts::Part;
use crate::valuation::Valuation;

/// A pool for reduced conditions, which is used again for the next ones.
#[derive(Default)]
pub(crate) struct ReducedPool {
    pub(crate) pool: Pool,
    pub(crate) rebuilt: Rebuilt,
}

impl ReducedPool {
    /// The parts with what `is_fixed` replaced by its value near the hint, in another pool, each
    /// with its position; else the position of one that is false then. Parts that are true are left
    /// out.
    pub(crate) fn rebuild(
        &mut self,
        pool: &Pool,
        parts: &[Part],
        is_fixed: impl Fn(ExprId) -> bool,
        near: &mut Valuation,
    ) -> Result<Vec<(usize, ExprId)>, usize> {
        let ReducedPool {
            pool: target,
            rebuilt,
        } = self;
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
}
