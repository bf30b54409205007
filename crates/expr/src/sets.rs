//! Sets of symbols, shared: equal sets exist once.
//!
//! A set is a sorted list of disjoint ranges of symbol keys that do not touch. The bytes that a
//! program reads one after the other make one range, so a checksum over a file costs two words
//! per step.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::symbol::Symbol;

type Ranges = Arc<[(u64, u64)]>;

/// Which symbols an expression depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SymbolSet<'a> {
    /// Half-open ranges of keys.
    ranges: &'a [(u64, u64)],
}

impl<'a> SymbolSet<'a> {
    /// Whether there is no symbol.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Number of symbols.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ranges
            .iter()
            .map(|(start, end)| (end - start) as usize)
            .sum()
    }

    /// Whether `symbol` is in the set.
    #[must_use]
    pub fn contains(&self, symbol: Symbol) -> bool {
        let key = symbol.key();
        let after = self.ranges.partition_point(|(start, _)| *start <= key);
        after > 0 && key < self.ranges[after - 1].1
    }

    /// Whether the sets share a symbol.
    #[must_use]
    pub fn intersects(&self, other: &SymbolSet<'_>) -> bool {
        let (mut i, mut j) = (0, 0);
        while i < self.ranges.len() && j < other.ranges.len() {
            let (a, b) = (self.ranges[i], other.ranges[j]);
            if a.0 < b.1 && b.0 < a.1 {
                return true;
            }
            if a.1 <= b.1 {
                i += 1;
            } else {
                j += 1;
            }
        }
        false
    }

    /// The symbols in the order of their keys: bytes by stream and offset, lengths, others.
    pub fn iter(&self) -> impl Iterator<Item = Symbol> + use<'a> {
        self.ranges
            .iter()
            .flat_map(|(start, end)| *start..*end)
            .map(Symbol::from_key)
    }

    /// The set as sorted, disjoint, half-open ranges of numbers: each symbol has a number.
    #[must_use]
    pub fn ranges(&self) -> &'a [(u64, u64)] {
        self.ranges
    }

    /// Maximal runs of neighbors as (first symbol, number of symbols).
    pub fn runs(&self) -> impl Iterator<Item = (Symbol, u64)> + use<'a> {
        self.ranges
            .iter()
            .map(|(start, end)| (Symbol::from_key(*start), end - start))
    }
}

/// The symbols of several sets, each once, in the order of their keys.
///
/// The time goes with the number of ranges and of symbols in the result: sets may overlap much.
#[must_use]
pub fn union<'a>(sets: impl IntoIterator<Item = SymbolSet<'a>>) -> Vec<Symbol> {
    let ranges = sets.into_iter().flat_map(|set| set.ranges.iter().copied());
    let mut ranges: Vec<(u64, u64)> = ranges.collect();
    ranges.sort_unstable();
    let (mut all, mut done) = (Vec::new(), 0);
    for (start, end) in ranges {
        all.extend((start.max(done)..end).map(Symbol::from_key));
        done = done.max(end);
    }
    all
}

impl std::fmt::Debug for SymbolSet<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set()
            .entries(self.iter().map(|symbol| symbol.to_string()))
            .finish()
    }
}

/// Number of a shared set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SetId(u32);

impl SetId {
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

pub(crate) struct Sets {
    sets: Vec<Ranges>,
    known: FxHashMap<Ranges, SetId>,
    unions: FxHashMap<(SetId, SetId), SetId>,
}

impl Sets {
    pub(crate) const EMPTY: SetId = SetId(0);

    pub(crate) fn new() -> Self {
        let mut sets = Sets {
            sets: Vec::new(),
            known: HashMap::default(),
            unions: HashMap::default(),
        };
        sets.enter(&[]);
        sets
    }

    pub(crate) fn get(&self, id: SetId) -> SymbolSet<'_> {
        SymbolSet {
            ranges: &self.sets[id.0 as usize],
        }
    }

    pub(crate) fn singleton(&mut self, symbol: Symbol) -> SetId {
        let key = symbol.key();
        self.enter(&[(key, key + 1)])
    }

    #[inline]
    pub(crate) fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == Sets::EMPTY {
            a
        } else if a == Sets::EMPTY {
            b
        } else {
            self.union_proper(a.min(b), a.max(b))
        }
    }

    fn union_proper(&mut self, a: SetId, b: SetId) -> SetId {
        if let Some(&known) = self.unions.get(&(a, b)) {
            return known;
        }
        let merged = merge(&self.sets[a.0 as usize], &self.sets[b.0 as usize]);
        let id = self.enter(&merged);
        self.unions.insert((a, b), id);
        id
    }

    fn enter(&mut self, ranges: &[(u64, u64)]) -> SetId {
        if let Some(&known) = self.known.get(ranges) {
            return known;
        }
        let id = SetId(self.sets.len() as u32);
        let shared: Ranges = ranges.into();
        self.sets.push(shared.clone());
        self.known.insert(shared, id);
        id
    }
}

fn merge(a: &[(u64, u64)], b: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut merged: Vec<(u64, u64)> = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let from_a = j == b.len() || (i < a.len() && a[i].0 <= b[j].0);
        let next = if from_a { a[i] } else { b[j] };
        if from_a {
            i += 1;
        } else {
            j += 1;
        }
        match merged.last_mut() {
            Some(last) if next.0 <= last.1 => last.1 = last.1.max(next.1),
            _ => merged.push(next),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::{SymbolSet, union};
    use crate::symbol::Symbol;

    #[test]
    fn a_union_has_each_symbol_once_in_order() {
        let byte = |offset| Symbol::Byte { stream: 0, offset };
        let first = byte(0).key();
        let sets = [[(5, 9), (20, 21)], [(0, 2), (7, 8)], [(1, 6), (20, 22)]];
        let sets = sets.map(|ranges| ranges.map(|(start, end)| (first + start, first + end)));
        let all = union(sets.iter().map(|ranges| SymbolSet { ranges }));
        let expected: Vec<Symbol> = (0..9).chain(20..22).map(byte).collect();
        assert_eq!(all, expected);
        assert_eq!(union([]), []);
    }
}
