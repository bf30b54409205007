//! Table reads and bit counts spelled out in operations that SMT-LIB has.
//!
//! A table read becomes a tree of choices over the bits of the index, which solvers handle far
//! better than arrays. Law: what is spelled out has the value of the operation.

use crate::node::ExprId;
use crate::op::Op;
use crate::pool::Pool;
use crate::table::TableId;

/// The read of `count` bytes of `table` at `index` as choices.
pub(super) fn table_read(pool: &mut Pool, table: TableId, index: ExprId, count: u32) -> ExprId {
    let length = pool.table(table).bytes().len() as u64;
    let bits = u64::BITS - length.saturating_sub(1).leading_zeros();
    let mut level: Vec<ExprId> = (0..length)
        .map(|at| bytes_at(pool, table, at, count))
        .collect();
    let zero = pool.constant(count * 8, 0);
    for bit in 0..bits {
        let condition = pool.extract(index, bit, 1);
        level = level
            .chunks(2)
            .map(|pair| {
                let upper = pair.get(1).copied().unwrap_or(zero);
                pool.ite(condition, upper, pair[0])
            })
            .collect();
    }
    let mut value = level.first().copied().unwrap_or(zero);
    if bits < 64 {
        let high = pool.extract(index, bits, 64 - bits);
        let none = pool.constant(64 - bits, 0);
        let inside = pool.eq(high, none);
        value = pool.ite(inside, value, zero);
    }
    with_wrapped_reads(pool, value, table, index, count)
}

/// Reads that start within `count - 1` bytes before address 0 see the table's start.
fn with_wrapped_reads(
    pool: &mut Pool,
    mut value: ExprId,
    table: TableId,
    index: ExprId,
    count: u32,
) -> ExprId {
    for before in 1..u64::from(count) {
        let at = before.wrapping_neg();
        if pool.table(table).bytes().len() as u64 > at {
            continue;
        }
        let (start, wrapped) = (
            pool.constant(64, at.into()),
            bytes_at(pool, table, at, count),
        );
        let here = pool.eq(index, start);
        value = pool.ite(here, wrapped, value);
    }
    value
}

/// The bytes at a known offset, the first least significant.
fn bytes_at(pool: &mut Pool, table: TableId, offset: u64, count: u32) -> ExprId {
    let mut whole = None;
    for at in 0..u64::from(count) {
        let offset = offset.wrapping_add(at);
        let byte = match pool.table(table).entry(offset) {
            Some(entry) => entry,
            None => {
                let byte = pool.table(table).byte(offset);
                pool.constant(8, byte.into())
            }
        };
        whole = Some(whole.map_or(byte, |low| pool.concat(byte, low)));
    }
    whole.unwrap_or(ExprId::FALSE)
}

/// A bit count as a sum or as a chain of choices.
pub(super) fn count(pool: &mut Pool, op: Op, a: ExprId) -> ExprId {
    let width = pool.width(a);
    if op == Op::PopCount {
        let mut sum = pool.constant(width, 0);
        for bit in 0..width {
            let one = pool.extract(a, bit, 1);
            let one = pool.zext(one, width);
            sum = pool.add(sum, one);
        }
        return sum;
    }
    // The bit that is looked at first stands last in the chain.
    let mut answer = pool.constant(width, width.into());
    for distance in (0..width).rev() {
        let bit = if op == Op::TrailingZeros {
            distance
        } else {
            width - 1 - distance
        };
        let found = pool.extract(a, bit, 1);
        let here = pool.constant(width, distance.into());
        answer = pool.ite(found, here, answer);
    }
    answer
}
