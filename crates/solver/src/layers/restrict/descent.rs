//! Greedy descent on sums: brings a linear combination of many symbols to a wanted value.
//!
//! A sum of thousands of bytes that is to be far from what it is needs most of them changed; a
//! restricted attempt changes too few, and the whole is too much for bit-blasting. Here the
//! coefficient of each symbol is read off the expression, top down, modulo 2ᵐ for an m-bit sum,
//! and each symbol takes as much of the missing difference as its eight bits can.
//!
//! What is not linear counts as a constant, so the result is a proposal: the caller evaluates it.

use std::collections::BinaryHeap;

use labrys_expr::{ExprId, Op, Pool, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::query::{Assignment, Model};
use crate::valuation::Valuation;

/// A sum of fewer symbols is left to the other layers.
const FEWEST_SYMBOLS: usize = 8;
/// Widest sum in bits.
const WIDEST: u32 = 64;

/// Values of bytes under which `condition`, an equation of a sum and a constant, is likely to
/// hold, starting from those of `near`; symbols in `kept` are left alone.
pub(super) fn toward(
    pool: &Pool,
    condition: ExprId,
    kept: &FxHashSet<Symbol>,
    near: &mut Valuation,
) -> Option<Model> {
    let node = pool.node(condition);
    let [left, right] = *node.operands() else {
        return None;
    };
    let (sum, wanted) = match (node.op(), pool.bits(left), pool.bits(right)) {
        (Op::Eq, None, Some(bits)) => (left, bits),
        (Op::Eq, Some(bits), None) => (right, bits),
        _ => return None,
    };
    let width = pool.width(sum);
    if width > WIDEST || pool.symbols(sum).len() < FEWEST_SYMBOLS {
        return None;
    }
    let mut terms = coefficients(pool, sum, width);
    terms.retain(|(symbol, _)| !kept.contains(symbol));
    let missing = (wanted as u64).wrapping_sub(near.value(pool, sum)? as u64);
    let missing = signed(missing, width);
    // The value is also reached through the wrap, from the other side.
    let other = i128::from(missing) - (1i128 << width) * i128::from(missing.signum());
    [i128::from(missing), other]
        .into_iter()
        .find_map(|difference| spread(difference, &terms, near.assignment()))
}

/// Gives each symbol its share of a difference; `None` if they cannot take all of it.
fn spread(difference: i128, terms: &[(Symbol, i64)], near: &Assignment) -> Option<Model> {
    let mut left = difference;
    let mut model = Model::default();
    for (symbol, coefficient) in terms {
        if left == 0 {
            break;
        }
        let coefficient = i128::from(*coefficient);
        let value = near.get(*symbol) as i128;
        let change = (left / coefficient).clamp(-value, 255 - value);
        if change != 0 {
            left -= change * coefficient;
            model.0.insert(*symbol, (value + change) as u128);
        }
    }
    (left == 0).then_some(model)
}

/// The low `width` bits as a signed number.
fn signed(bits: u64, width: u32) -> i64 {
    let shift = 64 - width;
    ((bits << shift) as i64) >> shift
}

/// Coefficients of bytes in a sum modulo 2^`width`, the largest first.
fn coefficients(pool: &Pool, sum: ExprId, width: u32) -> Vec<(Symbol, i64)> {
    let mut factors: FxHashMap<ExprId, u64> = FxHashMap::default();
    // Operands have smaller ids than their users, so a node's factor is complete when it comes.
    let mut queue = BinaryHeap::from([sum]);
    let mut terms = Vec::new();
    factors.insert(sum, 1);
    while let Some(id) = queue.pop() {
        let factor = factors[&id];
        if let Some(symbol) = pool.as_symbol(id) {
            let factor = signed(factor, width);
            if matches!(symbol, Symbol::Byte { .. }) && factor != 0 {
                terms.push((symbol, factor));
            }
            continue;
        }
        for (operand, scale) in summands(pool, id, width) {
            let product = factor.wrapping_mul(scale);
            let entry = factors.entry(operand).or_insert_with(|| {
                queue.push(operand);
                0
            });
            *entry = entry.wrapping_add(product);
        }
    }
    terms.sort_by_key(|(symbol, factor)| (std::cmp::Reverse(factor.unsigned_abs()), *symbol));
    terms
}

/// What a node is a linear combination of, modulo 2^`width`; nothing if it is none.
fn summands(pool: &Pool, id: ExprId, width: u32) -> Vec<(ExprId, u64)> {
    let node = pool.node(id);
    let operands = node.operands();
    // An operand stands for its low bits; a narrower one must not wrap, as no symbol does.
    let exact = |id: ExprId| pool.width(id) >= width || pool.as_symbol(id).is_some();
    let scaled = |by: ExprId, of: ExprId, scale: fn(u64) -> Option<u64>| {
        let factor = pool.bits(by).and_then(|bits| scale(bits as u64))?;
        exact(of).then(|| vec![(of, factor)])
    };
    match node.op() {
        Op::Add if pool.width(id) >= width => operands.iter().map(|o| (*o, 1)).collect(),
        Op::Sub if pool.width(id) >= width => vec![(operands[0], 1), (operands[1], u64::MAX)],
        Op::Neg if pool.width(id) >= width => vec![(operands[0], u64::MAX)],
        Op::Mul if pool.width(id) >= width => {
            let (a, b) = (operands[0], operands[1]);
            scaled(b, a, Some)
                .or_else(|| scaled(a, b, Some))
                .unwrap_or_default()
        }
        Op::Shl if pool.width(id) >= width => {
            let power = |bits: u64| (bits < 64).then(|| 1 << bits);
            scaled(operands[1], operands[0], power).unwrap_or_default()
        }
        Op::ZExt | Op::SExt if exact(operands[0]) => vec![(operands[0], 1)],
        Op::Extract if node.low() == 0 && pool.width(id) >= width => vec![(operands[0], 1)],
        Op::Concat if pool.bits(operands[0]) == Some(0) && exact(operands[1]) => {
            vec![(operands[1], 1)]
        }
        Op::Concat => shifted(pool, operands, width),
        _ => Vec::new(),
    }
}

/// `high` above constant zeros: a product with a power of two.
fn shifted(pool: &Pool, operands: &[ExprId], width: u32) -> Vec<(ExprId, u64)> {
    let (high, low) = (operands[0], operands[1]);
    let by = pool.width(low);
    let wide = pool.width(high) + by >= width || pool.as_symbol(high).is_some();
    if pool.bits(low) == Some(0) && by < 64 && wide {
        vec![(high, 1 << by)]
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_expr::Evaluator;

    fn byte(offset: u32) -> Symbol {
        Symbol::Byte { stream: 0, offset }
    }

    /// `Σ weight(i) × byte i` over 600 bytes at 32 bits.
    fn weighted(pool: &mut Pool, weight: impl Fn(u32) -> u32) -> ExprId {
        let mut sum = pool.constant(32, 0);
        for i in 0..600 {
            let byte = pool.symbol(byte(i));
            let wide = pool.zext(byte, 32);
            let factor = pool.constant(32, u128::from(weight(i)));
            let term = pool.mul(wide, factor);
            sum = pool.add(sum, term);
        }
        sum
    }

    fn reaches(
        weight: impl Fn(u32) -> u32,
        wanted: u128,
        kept: &FxHashSet<Symbol>,
    ) -> Option<Model> {
        let mut pool = Pool::new();
        let sum = weighted(&mut pool, weight);
        let wanted = pool.constant(32, wanted);
        let condition = pool.eq(sum, wanted);
        let mut near = Valuation::default();
        near.start(&pool, &Assignment::new());
        let model = toward(&pool, condition, kept, &mut near)?;
        let values = Assignment::new().with(&model);
        assert!(Evaluator::new().holds(&pool, condition, &values));
        Some(model)
    }

    #[test]
    fn a_far_sum_is_reached() {
        assert!(reaches(|_| 1, 123_456, &FxHashSet::default()).is_some());
    }

    #[test]
    fn weights_and_negative_weights_are_seen() {
        let kept = FxHashSet::default();
        assert!(reaches(|i| i % 7 + 1, 200_001, &kept).is_some());
        assert!(
            reaches(
                |i| if i % 2 == 0 { 1 } else { u32::MAX },
                0xffff_fff0,
                &kept
            )
            .is_some()
        );
    }

    #[test]
    fn what_bytes_cannot_give_is_refused() {
        assert!(reaches(|_| 1, 600 * 255 + 1, &FxHashSet::default()).is_none());
    }

    #[test]
    fn kept_symbols_stay() {
        let kept: FxHashSet<Symbol> = (0..100).map(byte).collect();
        let model = reaches(|_| 1, 100_000, &kept).expect("500 bytes are enough");
        assert!(kept.iter().all(|symbol| model.get(*symbol).is_none()));
    }
}
