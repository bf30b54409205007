//! Conditions with some of their symbols replaced by values, in a pool of their own.
//!
//! A query over thousands of input bytes, such as a checksum, mostly becomes small then: what
//! depends on replaced symbols only is a constant.

use std::time::Instant;

use labrys_expr::{ExprId, Pool, Rebuilt};
use rustc_hash::FxHashMap;

use crate::parts::Part;
use crate::query::{Budget, Reason};
use crate::valuation::Valuation;

/// Nodes between two looks at the clock.
const LOOK: u64 = 4096;

/// Why there is no smaller query.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The part at this position is false when the values are put in.
    False(usize),
    /// The query has ended.
    Ended(Reason),
}

/// What is built anew for a query, within its budget: the parts of a long path may take minutes.
#[derive(Default)]
pub(crate) struct Construction {
    /// Nodes that may be built.
    most: u64,
    built: u64,
    budget: Budget,
    deadline: Option<Instant>,
    ended: Option<Reason>,
}

impl Construction {
    /// Up to so many nodes, within the time of a budget.
    pub(crate) fn new(most: u64, budget: Budget) -> Self {
        Construction {
            most,
            deadline: budget.timeout.map(|timeout| Instant::now() + timeout),
            budget,
            ..Construction::default()
        }
    }

    /// Nodes that were built.
    pub(crate) fn built(&self) -> u64 {
        self.built
    }

    /// Counts a node of this width that is about to be built; where the query has ended, a constant
    /// takes its place, so that building comes to its end.
    pub(crate) fn cut(&mut self, target: &mut Pool, width: u32) -> Option<ExprId> {
        self.built += 1;
        if self.built > self.most {
            self.ended = Some(Reason::Steps);
        } else if self.built % LOOK == 0 {
            if self.budget.is_cancelled() {
                self.ended = Some(Reason::Cancelled);
            } else if self.deadline.is_some_and(|end| Instant::now() >= end) {
                self.ended = Some(Reason::Timeout);
            }
        }
        self.ended.is_some().then(|| target.constant(width, 0))
    }

    /// Whether what was built is whole: an error where the query has ended.
    pub(crate) fn goes_on(&mut self) -> Result<(), Obstacle> {
        self.ended
            .take()
            .map_or(Ok(()), |reason| Err(Obstacle::Ended(reason)))
    }
}

/// A pool for reduced conditions, which is used again for the next ones.
#[derive(Default)]
pub(crate) struct ReducedPool {
    pub(crate) pool: Pool,
    pub(crate) rebuilt: Rebuilt,
}

impl ReducedPool {
    /// The parts with what `is_fixed` replaced by its value near the hint, in another pool, each
    /// with its position. Parts that are true are left out.
    pub(crate) fn rebuild(
        &mut self,
        pool: &Pool,
        parts: &[Part],
        is_fixed: impl Fn(ExprId) -> bool,
        near: &mut Valuation,
        construction: &mut Construction,
    ) -> Result<Vec<(usize, ExprId)>, Obstacle> {
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
                    Some(0) => return Err(Obstacle::False(position)),
                    Some(_) => continue,
                    None => {}
                }
            }
            let id = target.rebuild(Some(pool), part.id, rebuilt, &mut |target, id| {
                let cut = construction.cut(target, pool.width(id));
                if cut.is_some() || !is_fixed(id) {
                    return cut;
                }
                let bits = near.value(pool, id)?;
                Some(target.constant(pool.width(id), bits))
            });
            construction.goes_on()?;
            match id {
                ExprId::FALSE => return Err(Obstacle::False(position)),
                ExprId::TRUE => {}
                _ => conditions.push((position, id)),
            }
        }
        // The goal stands last, as in any query.
        conditions.reverse();
        Ok(conditions)
    }
}
