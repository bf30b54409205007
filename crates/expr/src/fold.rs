//! The meaning of every operation on concrete bits.
//!
//! This is the one definition that constant folding, evaluation and the tests of the
//! simplification rules share. Law: `apply` is total, and its result has no bit above the width.

use crate::bits::{mask, signed};
use crate::float;
use crate::op::Op;

/// The result of `op` with `width` bits on operands `a`, `b`, `c`, of which `a` has `from` bits.
///
/// `b` is the lowest bit for `Extract` and the mode for `FRound`; operands that the operation
/// does not have are ignored. Symbols, constants, tables and external calls have no meaning
/// here and give 0.
#[must_use]
pub fn apply(op: Op, width: u32, from: u32, a: u128, b: u128, c: u128) -> u128 {
    let bits = match op {
        Op::Const | Op::Symbol | Op::Table | Op::External => 0,
        Op::Not => !a,
        Op::Neg => a.wrapping_neg(),
        Op::ZExt => a,
        Op::SExt => signed(a, from) as u128,
        Op::Extract => a >> b,
        Op::Concat => a << (width - from) | b,
        Op::Ite => {
            if a == 1 {
                b
            } else {
                c
            }
        }
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        Op::SDiv => divide_signed(signed(a, width), signed(b, width)) as u128,
        Op::URem => a.checked_rem(b).unwrap_or(a),
        Op::SRem => remainder_signed(signed(a, width), signed(b, width)) as u128,
        Op::Shl => shift_left(a, b, width),
        Op::LShr => shift_right(a, b, width),
        Op::AShr => signed(a, width).wrapping_shr(b.min(127) as u32) as u128,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Eq => u128::from(a == b),
        Op::Ult => u128::from(a < b),
        Op::Ule => u128::from(a <= b),
        Op::Slt => u128::from(signed(a, from) < signed(b, from)),
        Op::Sle => u128::from(signed(a, from) <= signed(b, from)),
        Op::PopCount => u128::from(a.count_ones()),
        Op::LeadingZeros => u128::from(a.leading_zeros() - (128 - width)),
        Op::TrailingZeros => u128::from(a.trailing_zeros().min(width)),
        _ => float::apply(op, width, from, a, b),
    };
    bits & mask(width)
}

fn divide_signed(a: i128, b: i128) -> i128 {
    match b {
        0 if a < 0 => 1,
        0 => -1,
        _ => a.wrapping_div(b),
    }
}

fn remainder_signed(a: i128, b: i128) -> i128 {
    match b {
        0 => a,
        _ => a.wrapping_rem(b),
    }
}

fn shift_left(a: u128, b: u128, width: u32) -> u128 {
    if b < u128::from(width) { a << b } else { 0 }
}

fn shift_right(a: u128, b: u128, width: u32) -> u128 {
    if b < u128::from(width) { a >> b } else { 0 }
}
