//! Table reads as trees of multiplexers over the bits of the index.
//!
//! A tree has one leaf per index that the known bits of the index allow; equal subtrees are
//! one, and a multiplexer with equal branches is none, so that regular tables (character
//! classes, digits) come out small. Arrays of the solver are never used: they cost far more.

use std::cell::Cell;

use labrys_expr::{ExprId, Pool, TableId};

use super::known_bits::KnownBits;
use super::terms::Terms;
use crate::bitwuzla::{Error, Kind, Term};

/// Most leaves of a tree.
const MAX_LEAVES: u128 = 1 << 16;
/// Gates of a multiplexer for each bit: three, but fewer where it chooses between constants, as half of
/// a tree does.
const GATES: u64 = 2;

/// A read that can be translated.
pub(super) struct Read<'a> {
    bytes: &'a [u8],
    /// Bytes that are not constant, by their offset, ascending.
    entries: &'a [(u32, Term)],
    /// Number of bytes read.
    count: u32,
    /// The index of 64 bits, and what is known of it.
    index: Term,
    known: KnownBits,
    /// Multiplexers of the tree.
    multiplexers: Cell<u64>,
}

impl<'a> Read<'a> {
    /// The read of `count` bytes at the index expression `id`, whose term is `index`.
    pub(super) fn new(
        pool: &'a Pool,
        table: TableId,
        entries: &'a [(u32, Term)],
        (id, index): (ExprId, Term),
        count: u32,
    ) -> Self {
        let bytes = pool.table(table).bytes();
        Read {
            bytes,
            entries,
            count,
            index,
            known: KnownBits::of(pool, id),
            multiplexers: Cell::new(0),
        }
    }

    /// About how many gates the term has that was built.
    pub(super) fn gates(&self) -> u64 {
        GATES * 8 * u64::from(self.count) * self.multiplexers.get()
    }

    /// The term of the read; `None` if the tree would be too large.
    pub(super) fn build(&self, terms: &mut Terms) -> Result<Option<Term>, Error> {
        let bits = usize::BITS - self.bytes.len().saturating_sub(1).leading_zeros();
        let unknown = !(self.known.zeros | self.known.ones) & ((1 << bits) - 1);
        if 1_u128 << unknown.count_ones() > MAX_LEAVES {
            return Ok(None);
        }
        let mut value = if self.known.ones >> bits == 0 {
            self.tree(terms, bits, 0)?
        } else {
            self.zero(terms)?
        };
        let outside = !self.known.zeros & u128::from(u64::MAX) & !((1 << bits) - 1);
        if outside != 0 {
            let high = terms.extract(self.index, bits, 64 - bits)?;
            let inside = terms.is_value(high, 64 - bits, 0)?;
            let beyond = self.wrapped(terms)?;
            value = self.choose(terms, inside, value, beyond)?;
        }
        Ok(Some(value))
    }

    /// The reads at indices that begin with `prefix` and go on with `bits` free bits.
    fn tree(&self, terms: &mut Terms, bits: u32, prefix: u64) -> Result<Term, Error> {
        let Some(bit) = bits.checked_sub(1) else {
            return self.leaf(terms, prefix);
        };
        if prefix << bits >= self.bytes.len() as u64 {
            return self.zero(terms);
        }
        if self.known.zeros >> bit & 1 == 1 {
            return self.tree(terms, bit, prefix << 1);
        }
        if self.known.ones >> bit & 1 == 1 {
            return self.tree(terms, bit, prefix << 1 | 1);
        }
        let low = self.tree(terms, bit, prefix << 1)?;
        let high = self.tree(terms, bit, prefix << 1 | 1)?;
        if low == high {
            return Ok(low);
        }
        let selector = terms.extract(self.index, bit, 1)?;
        let selector = terms.truth_of_bit(selector)?;
        self.choose(terms, selector, high, low)
    }

    /// A multiplexer.
    fn choose(
        &self,
        terms: &mut Terms,
        selector: Term,
        high: Term,
        low: Term,
    ) -> Result<Term, Error> {
        self.multiplexers.set(self.multiplexers.get() + 1);
        terms.term(Kind::Ite, &[selector, high, low])
    }

    /// The read at a constant index.
    fn leaf(&self, terms: &mut Terms, index: u64) -> Result<Term, Error> {
        let offsets = (0..self.count).map(|byte| index.wrapping_add(u64::from(byte)));
        let mut value = 0;
        let mut constant = true;
        for (byte, offset) in offsets.clone().enumerate() {
            constant &= self.entry(offset).is_none();
            value |= u128::from(self.byte(offset)) << (8 * byte);
        }
        if constant {
            return terms.bits(8 * self.count, value);
        }
        let mut word = None;
        for offset in offsets {
            let byte = match self.entry(offset) {
                Some(entry) => entry,
                None => terms.bits(8, self.byte(offset).into())?,
            };
            word = Some(match word {
                Some(below) => terms.term(Kind::Concat, &[byte, below])?,
                None => byte,
            });
        }
        word.map_or_else(|| self.zero(terms), Ok)
    }

    /// The read at an index beyond the table: 0 but for the last indices before `2^64`, from
    /// which the read wraps around to the table's first bytes.
    fn wrapped(&self, terms: &mut Terms) -> Result<Term, Error> {
        let mut value = self.zero(terms)?;
        for before in 1..u64::from(self.count) {
            let index = before.wrapping_neg();
            if u128::from(index) & self.known.zeros == 0 {
                let here = terms.is_value(self.index, 64, index.into())?;
                let leaf = self.leaf(terms, index)?;
                value = self.choose(terms, here, leaf, value)?;
            }
        }
        Ok(value)
    }

    fn byte(&self, offset: u64) -> u8 {
        usize::try_from(offset)
            .ok()
            .and_then(|at| self.bytes.get(at))
            .copied()
            .unwrap_or(0)
    }

    fn entry(&self, offset: u64) -> Option<Term> {
        let found = self
            .entries
            .binary_search_by_key(&offset, |(at, _)| u64::from(*at))
            .ok()?;
        Some(self.entries[found].1)
    }

    fn zero(&self, terms: &mut Terms) -> Result<Term, Error> {
        terms.bits(8 * self.count, 0)
    }
}
