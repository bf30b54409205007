//! Table reads and bit counts spelled out in operations that SMT-LIB has.
//!
//! A table read becomes a tree of choices over the bits of the index, which solvers handle far
//! better than arrays. Law: what is spelled out has the value of the operation.

use crate::node::ExprId;
use crate::op::Op;
use crate::pool::Pool;
use crate::table::TableId;

impl Pool {
    /// A pool in which no table read and no bit count exists: their constructors give choices
    /// and sums. Rebuild expressions in such a pool to hand them to anything that knows
    /// SMT-LIB only.
    #[must_use]
    pub fn spelled_out() -> Self {
        let mut pool = Pool::new();
        pool.spell_out = true;
        pool
    }

    /// The read of `count` bytes of `table` at `index` as choices.
    pub(crate) fn spell_table(&mut self, table: TableId, index: ExprId, count: u32) -> ExprId {
        let length = self.table(table).bytes().len() as u64;
        let bits = u64::BITS - length.saturating_sub(1).leading_zeros();
        let mut level: Vec<ExprId> = (0..length)
            .map(|at| self.bytes_at(table, at, count))
            .collect();
        let zero = self.constant(count * 8, 0);
        for bit in 0..bits {
            let condition = self.extract(index, bit, 1);
            level = level
                .chunks(2)
                .map(|pair| {
                    let upper = pair.get(1).copied().unwrap_or(zero);
                    self.ite(condition, upper, pair[0])
                })
                .collect();
        }
        let mut value = level.first().copied().unwrap_or(zero);
        if bits < 64 {
            let high = self.extract(index, bits, 64 - bits);
            let none = self.constant(64 - bits, 0);
            let inside = self.eq(high, none);
            value = self.ite(inside, value, zero);
        }
        self.with_wrapped_reads(value, table, index, count)
    }

    /// Reads that start within `count - 1` bytes before address 0 see the table's start.
    fn with_wrapped_reads(
        &mut self,
        mut value: ExprId,
        table: TableId,
        index: ExprId,
        count: u32,
    ) -> ExprId {
        for before in 1..u64::from(count) {
            let at = before.wrapping_neg();
            if self.table(table).bytes().len() as u64 > at {
                continue;
            }
            let (start, wrapped) = (
                self.constant(64, at.into()),
                self.bytes_at(table, at, count),
            );
            let here = self.eq(index, start);
            value = self.ite(here, wrapped, value);
        }
        value
    }

    /// The bytes at a known offset, the first least significant.
    fn bytes_at(&mut self, table: TableId, offset: u64, count: u32) -> ExprId {
        let mut whole = None;
        for at in 0..u64::from(count) {
            let offset = offset.wrapping_add(at);
            let byte = match self.table(table).entry(offset) {
                Some(entry) => entry,
                None => {
                    let byte = self.table(table).byte(offset);
                    self.constant(8, byte.into())
                }
            };
            whole = Some(whole.map_or(byte, |low| self.concat(byte, low)));
        }
        whole.unwrap_or(ExprId::FALSE)
    }

    /// A bit count as a sum or as a chain of choices.
    pub(crate) fn spell_count(&mut self, op: Op, a: ExprId) -> ExprId {
        let width = self.width(a);
        if op == Op::PopCount {
            let mut sum = self.constant(width, 0);
            for bit in 0..width {
                let one = self.extract(a, bit, 1);
                let one = self.zext(one, width);
                sum = self.add(sum, one);
            }
            return sum;
        }
        // The bit that is looked at first stands last in the chain.
        let mut count = self.constant(width, width.into());
        for distance in (0..width).rev() {
            let bit = if op == Op::TrailingZeros {
                distance
            } else {
                width - 1 - distance
            };
            let (found, answer) = (
                self.extract(a, bit, 1),
                self.constant(width, distance.into()),
            );
            count = self.ite(found, answer, count);
        }
        count
    }
}
