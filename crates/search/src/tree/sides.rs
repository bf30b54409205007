//! Sides: the directions of decisions, distinguished as finely as the search does, in dense numbers.
//!
//! Law: two nodes have the same sides if and only if their decisions have the same site and compare
//! with the same value. The sides of a decision are consecutive, in the order of directions.

use rustc_hash::FxHashMap;

/// A direction of a site, or of what a library model compares with one value there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Side(pub u32);

impl Side {
    /// The position of the side in the order of appearance.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Sites below this are looked up in an array.
const DENSE: u32 = 1 << 22;
/// Not numbered yet.
const NONE: u32 = u32::MAX;

/// The numbers of all sides so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Sides {
    /// First side by site, of decisions without a value.
    plain: Vec<u32>,
    /// First side by site and value.
    others: FxHashMap<(u32, u32), u32>,
    /// By side: whether a run took it, at any node, or it was asked for.
    taken: Vec<bool>,
}

impl Sides {
    /// The first side of a decision, which is numbered if it was not.
    pub(super) fn first(&mut self, site: u32, value: u32, arity: u32) -> u32 {
        let fresh = u32::try_from(self.taken.len()).expect("fewer than 2^32 sides");
        let place = if value == 0 && site < DENSE {
            let index = site as usize;
            if self.plain.len() <= index {
                self.plain.resize(index + 1, NONE);
            }
            &mut self.plain[index]
        } else {
            self.others.entry((site, value)).or_insert(NONE)
        };
        if *place == NONE {
            *place = fresh;
            self.taken.resize(self.taken.len() + arity as usize, false);
        }
        *place
    }

    /// The number of sides.
    pub(super) fn len(&self) -> usize {
        self.taken.len()
    }

    pub(super) fn is_taken(&self, side: Side) -> bool {
        self.taken[side.index()]
    }

    /// Marks a side as taken; tells whether it was not.
    pub(super) fn take(&mut self, side: Side) -> bool {
        !std::mem::replace(&mut self.taken[side.index()], true)
    }
}
