//! Tables: snapshots of memory that are read at a symbolic index.
//!
//! Meaning of a read of n bytes at index i: byte k of the result (k = 0 the least significant)
//! is the table's byte at (i + k) mod 2^64, and 0 where the table has no such byte.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::node::{ExprId, Node};
use crate::op::Op;
use crate::pool::Pool;

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

    fn enter(&mut self, table: Table) -> u32 {
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

impl Pool {
    /// Enters a table: its bytes, and the expressions (8 bits) that replace some of them by
    /// their offset. Offsets beyond the end are ignored; of two entries at one offset the last
    /// counts; constant entries become bytes.
    ///
    /// # Panics
    /// If an entry has not 8 bits.
    pub fn enter_table(&mut self, bytes: &[u8], entries: &[(u32, ExprId)]) -> TableId {
        let mut bytes: Box<[u8]> = bytes.into();
        let mut by_offset = std::collections::BTreeMap::new();
        for &(offset, entry) in entries {
            assert_eq!(self.width(entry), 8, "table entries are bytes");
            let Some(byte) = bytes.get_mut(offset as usize) else {
                continue;
            };
            if let Some(bits) = self.bits(entry) {
                *byte = bits as u8;
                by_offset.remove(&offset);
            } else {
                *byte = 0;
                by_offset.insert(offset, entry);
            }
        }
        TableId(self.tables.enter(Table {
            bytes,
            entries: by_offset.into_iter().collect(),
        }))
    }

    /// The table with this number.
    #[must_use]
    pub fn table(&self, id: TableId) -> &Table {
        self.tables.get(id.0)
    }

    /// Little-endian read of `count` bytes (1 to 16) of a table at the 64-bit index `index`.
    ///
    /// # Panics
    /// If `index` has not 64 bits or `count` is not in `1..=16`.
    pub fn table_read(&mut self, table: TableId, index: ExprId, count: u32) -> ExprId {
        assert_eq!(self.width(index), 64, "a table's index has 64 bits");
        assert!((1..=16).contains(&count), "a table read has 1 to 16 bytes");
        if self.spell_out {
            return self.spell_table(table, index, count);
        }
        self.build(Node::new(Op::Table, count * 8, index.0, table.0, 0))
    }

    /// The table and the index of a table read.
    #[must_use]
    pub fn as_table_read(&self, id: ExprId) -> Option<(TableId, ExprId)> {
        let node = self.node(id);
        (node.op == Op::Table).then(|| (TableId(node.args[1].0), node.args[0]))
    }
}
