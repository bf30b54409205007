//! Tables: snapshots of memory that are read at a symbolic index.
//!
//! Meaning of a read of n bytes at index i: byte k of the result (k = 0 the least significant)
//! is the table's byte at (i + k) mod 2^64, and 0 where the table has no such byte.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::node::ExprId;

/// Number of a table in its pool; equal tables have equal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableId(pub(crate) u32);

/// Bytes of memory, some of which may be expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    bytes: Box<[u8]>,
    entries: Box<[(u32, ExprId)]>,
}

impl Table {
    /// The constant bytes; 0 where there is an entry.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes that are expressions (8 bits each) by their offset, in ascending order.
    #[must_use]
    pub fn entries(&self) -> &[(u32, ExprId)] {
        &self.entries
    }

    /// The expression of the byte at `offset`, where it is one.
    #[must_use]
    pub fn entry(&self, offset: u64) -> Option<ExprId> {
        let found = self
            .entries
            .binary_search_by_key(&offset, |(at, _)| u64::from(*at))
            .ok()?;
        Some(self.entries[found].1)
    }

    /// The constant byte at `offset`; 0 beyond the end.
    #[must_use]
    pub fn byte(&self, offset: u64) -> u8 {
        usize::try_from(offset)
            .ok()
            .and_then(|at| self.bytes.get(at))
            .copied()
            .unwrap_or(0)
    }

    /// The value of `count` constant bytes from `offset` on, at most 16, the first the least
    /// significant. Bytes that are expressions count as 0.
    #[must_use]
    pub fn constant_at(&self, offset: u64, count: u32) -> u128 {
        let byte = |at: u32| u128::from(self.byte(offset.wrapping_add(u64::from(at))));
        (0..count).fold(0, |bits, at| bits | byte(at) << (8 * at))
    }
}

#[derive(Default)]
pub(crate) struct Tables {
    tables: Vec<Arc<Table>>,
    known: FxHashMap<Arc<Table>, u32>,
}

impl Tables {
    pub(crate) fn get(&self, number: u32) -> &Arc<Table> {
        &self.tables[number as usize]
    }

    /// The number of a table, which is entered where it is new. The entries are sorted.
    pub(crate) fn enter(&mut self, bytes: Box<[u8]>, entries: Box<[(u32, ExprId)]>) -> u32 {
        let table = Table { bytes, entries };
        if let Some(&known) = self.known.get(&table) {
            return known;
        }
        let number = self.tables.len() as u32;
        let shared = Arc::new(table);
        self.tables.push(shared.clone());
        self.known.insert(shared, number);
        number
    }
}
