//! Rules for the unsigned and signed orders.

use super::compare::same_sources;
use super::{Outcome, Rule, binary, ite, rule, truth, unary};
use crate::bits::{mask, signed};
use crate::node::{ExprId, Node};
use crate::op::Op;
use crate::pool::Pool;

pub(super) const ULT: &[Rule] = &[
    rule("ult-same", |_, n| {
        (n.args[0] == n.args[1]).then(|| truth(false))?
    }),
    rule("ult-one-bit", |pool, n| {
        if pool.width(n.args[0]) != 1 {
            return None;
        }
        let not_a = pool.not(n.args[0]);
        binary(Op::And, 1, not_a, n.args[1])
    }),
    rule("ult-bound", less_bound),
    rule("ult-extended", |pool, n| {
        let (x, y) = same_sources(pool, n.args[0], n.args[1])?;
        binary(Op::Ult, 1, x, y)
    }),
    rule("ult-zext-constant", less_zext_constant),
    rule("ult-sext-constant", |pool, n| {
        let (x, c) = (pool.operand(Op::SExt, n.args[0])?, pool.bits(n.args[1])?);
        let width = pool.width(x);
        if c > 1 << (width - 1) {
            return None;
        }
        let c = pool.constant(width, c);
        binary(Op::Ult, 1, x, c)
    }),
    rule("ult-add-zext", ult_range),
    rule("ult-concat", less_concat),
    rule("ult-ite-constants", ite::predicate_of_constants),
];

pub(super) const ULE: &[Rule] = &[
    rule("ule-same", |_, n| {
        (n.args[0] == n.args[1]).then(|| truth(true))?
    }),
    rule("ule-one-bit", |pool, n| {
        if pool.width(n.args[0]) != 1 {
            return None;
        }
        let not_a = pool.not(n.args[0]);
        binary(Op::Or, 1, not_a, n.args[1])
    }),
    rule("ule-constant", at_most_constant),
    rule("ule-extended", |pool, n| {
        let (x, y) = same_sources(pool, n.args[0], n.args[1])?;
        binary(Op::Ule, 1, x, y)
    }),
];

pub(super) const SLT: &[Rule] = &[
    rule("slt-same", |_, n| {
        (n.args[0] == n.args[1]).then(|| truth(false))?
    }),
    rule("slt-one-bit", |pool, n| {
        if pool.width(n.args[0]) != 1 {
            return None;
        }
        let not_b = pool.not(n.args[1]);
        binary(Op::And, 1, n.args[0], not_b)
    }),
    rule("slt-bound", less_bound),
    rule("slt-extended", |pool, n| {
        let unsigned = pool.op(n.args[0]) == Op::ZExt;
        let (x, y) = same_sources(pool, n.args[0], n.args[1])?;
        binary(if unsigned { Op::Ult } else { Op::Slt }, 1, x, y)
    }),
    rule("slt-zext-constant", less_zext_constant),
    rule("slt-sext-constant", slt_sext_constant),
    rule("slt-add-zext", slt_add_zext),
    rule("slt-difference", slt_difference),
    rule("slt-concat", less_concat),
    rule("slt-ite-constants", ite::predicate_of_constants),
];

pub(super) const SLE: &[Rule] = &[
    rule("sle-same", |_, n| {
        (n.args[0] == n.args[1]).then(|| truth(true))?
    }),
    rule("sle-one-bit", |pool, n| {
        if pool.width(n.args[0]) != 1 {
            return None;
        }
        let not_b = pool.not(n.args[1]);
        binary(Op::Or, 1, n.args[0], not_b)
    }),
    rule("sle-constant", at_most_constant),
    rule("sle-extended", |pool, n| {
        let unsigned = pool.op(n.args[0]) == Op::ZExt;
        let (x, y) = same_sources(pool, n.args[0], n.args[1])?;
        binary(if unsigned { Op::Ule } else { Op::Sle }, 1, x, y)
    }),
];

/// The least and the greatest number of `width` bits in the order of `op`.
fn limits(op: Op, width: u32) -> (u128, u128) {
    if matches!(op, Op::Slt | Op::Sle) {
        (1 << (width - 1), mask(width) >> 1)
    } else {
        (0, mask(width))
    }
}

/// Comparisons with the least or greatest number, or the one next to it.
fn less_bound(pool: &mut Pool, n: &Node) -> Outcome {
    let [a, b, _] = n.args;
    let width = pool.width(a);
    let (least, greatest) = limits(n.op, width);
    let (other, bits, last, first) = match (pool.bits(a), pool.bits(b)) {
        (_, Some(bits)) => (a, bits, least, greatest),
        (Some(bits), _) => (b, bits, greatest, least),
        _ => return None,
    };
    // On the right, nothing is less than the least; on the left, mirrored.
    let step: u128 = if last == least { 1 } else { u128::MAX };
    if bits == last {
        return truth(false);
    }
    if bits == last.wrapping_add(step) & mask(width) {
        let last = pool.constant(width, last);
        return binary(Op::Eq, 1, other, last);
    }
    if bits == first {
        let bound = pool.constant(width, first);
        let equal = pool.eq(other, bound);
        return unary(Op::Not, 1, equal);
    }
    None
}

/// `x ≤ c` is `x < c + 1`, and `c ≤ x` is `c - 1 < x`.
fn at_most_constant(pool: &mut Pool, n: &Node) -> Outcome {
    let [a, b, _] = n.args;
    let width = pool.width(a);
    let (least, greatest) = limits(n.op, width);
    let strict = if n.op == Op::Ule { Op::Ult } else { Op::Slt };
    if let Some(c) = pool.bits(b) {
        if c == greatest {
            return truth(true);
        }
        let next = pool.constant(width, c.wrapping_add(1));
        return binary(strict, 1, a, next);
    }
    let c = pool.bits(a)?;
    if c == least {
        return truth(true);
    }
    let previous = pool.constant(width, c.wrapping_sub(1));
    binary(strict, 1, previous, b)
}

/// An extended value compared with a constant, on either side and in either order.
fn less_zext_constant(pool: &mut Pool, n: &Node) -> Outcome {
    let [a, b, _] = n.args;
    let wide = pool.width(a);
    let is_signed = n.op == Op::Slt;
    let negative = |c: u128| is_signed && signed(c, wide) < 0;
    if let (Some(x), Some(c)) = (pool.operand(Op::ZExt, a), pool.bits(b)) {
        let width = pool.width(x);
        if negative(c) {
            return truth(false);
        }
        if c > mask(width) {
            return truth(true);
        }
        let c = pool.constant(width, c);
        return binary(Op::Ult, 1, x, c);
    }
    let (x, c) = (pool.operand(Op::ZExt, b)?, pool.bits(a)?);
    let width = pool.width(x);
    if negative(c) {
        return truth(true);
    }
    if c > mask(width) {
        return truth(false);
    }
    let c = pool.constant(width, c);
    binary(Op::Ult, 1, c, x)
}

fn slt_sext_constant(pool: &mut Pool, n: &Node) -> Outcome {
    let [a, b, _] = n.args;
    let wide = pool.width(a);
    let (x, c, left) = match (pool.operand(Op::SExt, a), pool.operand(Op::SExt, b)) {
        (Some(x), _) => (x, signed(pool.bits(b)?, wide), true),
        (_, Some(x)) => (x, signed(pool.bits(a)?, wide), false),
        _ => return None,
    };
    let width = pool.width(x);
    let greatest = (mask(width) >> 1) as i128;
    let least = -greatest - 1;
    if c > greatest {
        return truth(left);
    }
    if c < least {
        return truth(!left);
    }
    let c = pool.constant(width, c as u128);
    if left {
        binary(Op::Slt, 1, x, c)
    } else {
        binary(Op::Slt, 1, c, x)
    }
}

/// `zext(x) + c < d` without wrap-around is a range check on x.
///
/// The values x with `zext(x) + c < d` (modulo 2^n) are those in `[-c, -c + d)`; where that
/// interval does not wrap it is `-c ≤ x ∧ x < d - c`.
fn ult_range(pool: &mut Pool, n: &Node) -> Outcome {
    let d = pool.bits(n.args[1])?;
    let (extended, c) = pool.with_constant(Op::Add, n.args[0])?;
    pool.operand(Op::ZExt, extended)?;
    let width = pool.width(extended);
    let start = c.wrapping_neg() & mask(width);
    let end = start.checked_add(d).filter(|end| *end <= mask(width))?;
    let (start, end) = (pool.constant(width, start), pool.constant(width, end));
    let above = pool.ule(start, extended);
    let below = pool.ult(extended, end);
    binary(Op::And, 1, above, below)
}

/// `zext(x) + c` compared with `d` in the signed order, where the sum cannot overflow.
fn slt_add_zext(pool: &mut Pool, n: &Node) -> Outcome {
    let [a, b, _] = n.args;
    let wide = pool.width(a);
    let (sum, d, left) = match (pool.bits(a), pool.bits(b)) {
        (None, Some(d)) => (a, signed(d, wide), true),
        (Some(d), None) => (b, signed(d, wide), false),
        _ => return None,
    };
    let (extended, c) = pool.with_constant(Op::Add, sum)?;
    let x = pool.operand(Op::ZExt, extended)?;
    let (c, most) = (signed(c, wide), mask(pool.width(x)) as i128);
    let greatest = (mask(wide) >> 1) as i128;
    if wide > 64 || c > greatest - most {
        return None;
    }
    let bound = d - c;
    if bound < 0 {
        return truth(!left);
    }
    if bound > most {
        return truth(left);
    }
    let bound = pool.constant(pool.width(x), bound as u128);
    if left {
        binary(Op::Ult, 1, x, bound)
    } else {
        binary(Op::Ult, 1, bound, x)
    }
}

/// `zext(x) - zext(y) < 0` is `x < y`, as `memcmp` and its kin answer.
fn slt_difference(pool: &mut Pool, n: &Node) -> Outcome {
    let [a, b, _] = n.args;
    let (difference, left) = match (pool.bits(a), pool.bits(b)) {
        (None, Some(0)) => (a, true),
        (Some(0), None) => (b, false),
        _ => return None,
    };
    let (x, y) = pool.operands(Op::Sub, difference)?;
    pool.operand(Op::ZExt, x)?;
    pool.operand(Op::ZExt, y)?;
    if left {
        binary(Op::Ult, 1, x, y)
    } else {
        binary(Op::Ult, 1, y, x)
    }
}

/// `h·l < g·k` is decided by the high parts where the low parts cannot matter, and by the low
/// parts where the high parts are constants.
fn less_concat(pool: &mut Pool, n: &Node) -> Outcome {
    let [a, b, _] = n.args;
    let (whole, c, left) = match (pool.bits(a), pool.bits(b)) {
        (None, Some(c)) => (a, c, true),
        (Some(c), None) => (b, c, false),
        _ => return None,
    };
    let (high, low) = pool.operands(Op::Concat, whole)?;
    let (high_width, low_width) = (pool.width(high), pool.width(low));
    let (c_high, c_low) = (c >> low_width, c & mask(low_width));
    let bound: ExprId = pool.constant(high_width, c_high);
    if left && c_low == 0 {
        return binary(n.op, 1, high, bound);
    }
    if !left && c_low == mask(low_width) {
        return binary(n.op, 1, bound, high);
    }
    pool.bits(high)?;
    if high == bound {
        let c_low = pool.constant(low_width, c_low);
        let (x, y) = if left { (low, c_low) } else { (c_low, low) };
        return binary(Op::Ult, 1, x, y);
    }
    let (x, y) = if left { (high, bound) } else { (bound, high) };
    binary(n.op, 1, x, y)
}
