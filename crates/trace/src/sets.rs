//! Sets of symbols that share their parts.
//!
//! A set is a Patricia trie over the keys of symbols, with a 64-bit map of neighboring keys in
//! each leaf (as in Okasaki and Gill, "Fast mergeable integer maps"). Tries are hash-consed:
//! two sets with the same members are one trie, and the sets of a sum over a whole file, each
//! a little larger than the one before, take O(log n) new nodes each.

use labrys_expr::Symbol;
use rustc_hash::FxHashMap;

/// A set in its [`Sets`]. Equal sets have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SetId(u32);

impl SetId {
    pub(crate) const EMPTY: SetId = SetId(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn from_index(index: usize) -> Self {
        // `Sets::intern` refuses more sets than `u32` can count.
        SetId(index as u32)
    }
}

/// A node of a trie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Set {
    Empty,
    /// Bit i of `map` stands for key `first + i`; `first` is a multiple of 64 and `map` not 0.
    Leaf {
        first: u64,
        map: u64,
    },
    /// Keys that agree with `first` above `bit`: those without the bit in `low`, those with it
    /// in `high`. In `first` the bits up to and with `bit` are 0.
    Fork {
        first: u64,
        bit: u32,
        low: SetId,
        high: SetId,
    },
}

/// The sets of one trace.
#[derive(Debug)]
pub(crate) struct Sets {
    sets: Vec<Set>,
    known: FxHashMap<Set, SetId>,
    unions: FxHashMap<(SetId, SetId), SetId>,
}

impl Sets {
    pub(crate) fn new() -> Self {
        let known = [(Set::Empty, SetId::EMPTY)].into_iter().collect();
        Self {
            sets: vec![Set::Empty],
            known,
            unions: FxHashMap::default(),
        }
    }

    /// The largest key of a set that belongs to a byte.
    pub(crate) fn last_byte(&self, id: SetId) -> Option<u64> {
        match self.get(id) {
            Set::Empty => None,
            Set::Leaf { first, map } => {
                (first & LENGTH == 0).then(|| first + 63 - u64::from(map.leading_zeros()))
            }
            Set::Fork { low, high, .. } => self.last_byte(high).or_else(|| self.last_byte(low)),
        }
    }

    /// Number of sets and parts of sets.
    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }

    pub(crate) fn get(&self, id: SetId) -> Set {
        self.sets[id.index()]
    }

    /// The set of one key.
    pub(crate) fn singleton(&mut self, key: u64) -> SetId {
        self.intern(Set::Leaf {
            first: key & !63,
            map: 1 << (key & 63),
        })
    }

    /// The set of `count` keys from `key` on.
    pub(crate) fn range(&mut self, key: u64, count: u32) -> SetId {
        (0..u64::from(count)).fold(SetId::EMPTY, |set, at| {
            let next = self.singleton(key + at);
            self.union(set, next)
        })
    }

    /// The members of both. Recursion is bounded by the 64 bits of a key.
    pub(crate) fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == SetId::EMPTY {
            return a;
        }
        if a == SetId::EMPTY {
            return b;
        }
        if let (
            Set::Leaf { first, map },
            Set::Leaf {
                first: other,
                map: more,
            },
        ) = (self.get(a), self.get(b))
        {
            if first == other {
                return self.intern(Set::Leaf {
                    first,
                    map: map | more,
                });
            }
            return self.fork(first, a, other, b);
        }
        let pair = (a.min(b), a.max(b));
        if let Some(union) = self.unions.get(&pair) {
            return *union;
        }
        let union = self.merge(a, b);
        self.unions.insert(pair, union);
        union
    }

    /// Union of two sets that are not both leaves.
    fn merge(&mut self, a: SetId, b: SetId) -> SetId {
        let ((from_a, bit_a), (from_b, bit_b)) = (self.place(a), self.place(b));
        if bit_a < bit_b {
            return self.merge(b, a);
        }
        let Set::Fork {
            first,
            bit,
            low,
            high,
        } = self.get(a)
        else {
            return a;
        };
        if above(from_a, bit) != above(from_b, bit) {
            return self.fork(from_a, a, from_b, b);
        }
        let (low, high) = match self.get(b) {
            Set::Fork {
                low: low_b,
                high: high_b,
                ..
            } if bit_b == bit_a => (self.union(low, low_b), self.union(high, high_b)),
            _ if from_b >> bit & 1 == 0 => (self.union(low, b), high),
            _ => (low, self.union(high, b)),
        };
        self.intern(Set::Fork {
            first,
            bit,
            low,
            high,
        })
    }

    /// First key and highest bit in which members differ (0 within a leaf).
    fn place(&self, id: SetId) -> (u64, u32) {
        match self.get(id) {
            Set::Empty => (0, 0),
            Set::Leaf { first, .. } => (first, 0),
            Set::Fork { first, bit, .. } => (first, bit),
        }
    }

    /// The union of two sets whose first keys differ above what either spans.
    fn fork(&mut self, from_a: u64, a: SetId, from_b: u64, b: SetId) -> SetId {
        let bit = 63 - (from_a ^ from_b).leading_zeros();
        let (low, high) = if from_a >> bit & 1 == 0 {
            (a, b)
        } else {
            (b, a)
        };
        self.intern(Set::Fork {
            first: above(from_a, bit),
            bit,
            low,
            high,
        })
    }

    fn intern(&mut self, set: Set) -> SetId {
        let next = SetId(u32::try_from(self.sets.len()).expect("fewer than 2^32 sets"));
        let id = *self.known.entry(set).or_insert(next);
        if id == next {
            self.sets.push(set);
        }
        id
    }

    /// Visits the keys in ascending order.
    pub(crate) fn for_each(&self, id: SetId, visit: &mut impl FnMut(u64)) {
        match self.get(id) {
            Set::Empty => {}
            Set::Leaf { first, map } => keys(first, map).for_each(visit),
            Set::Fork { low, high, .. } => {
                self.for_each(low, visit);
                self.for_each(high, visit);
            }
        }
    }
}

/// The keys of a leaf.
pub(crate) fn keys(first: u64, map: u64) -> impl Iterator<Item = u64> {
    let next = |rest: &u64| Some(rest & (rest - 1)).filter(|rest| *rest != 0);
    std::iter::successors(Some(map).filter(|map| *map != 0), next)
        .map(move |rest| first + u64::from(rest.trailing_zeros()))
}

/// A key without the bits up to and with `bit`.
fn above(key: u64, bit: u32) -> u64 {
    key & (u64::MAX << bit << 1)
}

const LENGTH: u64 = 1 << 48;

/// The key of a symbol of an input; bytes of one stream have neighboring keys.
pub(crate) fn byte_key(stream: u64, offset: u64) -> u64 {
    stream << 32 | offset
}

/// The key of a stream's length.
pub(crate) fn length_key(stream: u64) -> u64 {
    LENGTH | stream
}

/// The symbol of a key.
pub(crate) fn symbol(key: u64) -> Symbol {
    if key & LENGTH == 0 {
        Symbol::Byte {
            stream: (key >> 32) as u16,
            offset: key as u32,
        }
    } else {
        Symbol::Length { stream: key as u16 }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn members(sets: &Sets, id: SetId) -> Vec<u64> {
        let mut members = Vec::new();
        sets.for_each(id, &mut |key| members.push(key));
        members
    }

    fn key() -> impl Strategy<Value = u64> {
        prop_oneof![
            0_u64..200,
            0_u64..(1 << 49),
            (0_u64..4).prop_map(length_key)
        ]
    }

    proptest! {
        #[test]
        fn unions_are_those_of_sets(
            a in prop::collection::btree_set(key(), 0..60),
            b in prop::collection::btree_set(key(), 0..60),
        ) {
            let mut sets = Sets::new();
            let last = a.iter().copied().rfind(|key| key & LENGTH == 0);
            let mut make = |keys: &mut dyn Iterator<Item = &u64>| keys.fold(SetId::EMPTY, |set, &key| {
                let one = sets.singleton(key);
                sets.union(set, one)
            });
            let (left, right) = (make(&mut a.iter()), make(&mut b.iter()));
            let backwards = make(&mut a.iter().rev());
            prop_assert_eq!(left, backwards, "equal sets are one set");
            prop_assert_eq!(sets.last_byte(left), last);
            let union = sets.union(left, right);
            prop_assert_eq!(union, sets.union(right, left));
            let expected: Vec<_> = a.union(&b).copied().collect::<BTreeSet<_>>().into_iter().collect();
            prop_assert_eq!(members(&sets, union), expected);
        }
    }

    #[test]
    fn growing_sets_share_their_parts() {
        let mut sets = Sets::new();
        let mut set = SetId::EMPTY;
        for offset in 0..65_536 {
            let byte = sets.singleton(byte_key(1, offset * 2));
            set = sets.union(set, byte);
        }
        assert!(sets.len() < 65_536 * 16, "{}", sets.len());
        assert_eq!(members(&sets, set).len(), 65_536);
    }
}
