//! The meaning of the floating operations on IEEE-754 bit patterns of 32 and 64 bits.
//!
//! Rust's `f32` and `f64` arithmetic is exact IEEE-754, round to nearest even. Law: a NaN that
//! an operation computes is the positive quiet NaN without payload ([`Op::FNeg`] and
//! [`Op::FAbs`] touch the sign bit alone). A width other than 32 or 64 gives 0.

use crate::bits::signed;
use crate::op::{Op, Rounding};

/// As [`fold::apply`](crate::fold::apply), for floating operations.
pub(crate) fn apply(op: Op, width: u32, from: u32, a: u128, b: u128) -> u128 {
    match op {
        Op::UToF if width == 32 => single(a as f32),
        Op::UToF => double(a as f64),
        Op::SToF if width == 32 => single(signed(a, from) as f32),
        Op::SToF => double(signed(a, from) as f64),
        _ if from == 32 => of_single(op, width, a as u32, b as u32),
        _ if from == 64 => of_double(op, width, a as u64, b as u64),
        _ => 0,
    }
}

fn single(value: f32) -> u128 {
    u128::from(if value.is_nan() {
        0x7fc0_0000
    } else {
        value.to_bits()
    })
}

fn double(value: f64) -> u128 {
    u128::from(if value.is_nan() {
        0x7ff8_0000_0000_0000
    } else {
        value.to_bits()
    })
}

fn of_single(op: Op, width: u32, a_bits: u32, b_bits: u32) -> u128 {
    let (a, b) = (f32::from_bits(a_bits), f32::from_bits(b_bits));
    match op {
        Op::FNeg => u128::from(a_bits ^ 0x8000_0000),
        Op::FAbs => u128::from(a_bits & 0x7fff_ffff),
        Op::FAdd => single(a + b),
        Op::FSub => single(a - b),
        Op::FMul => single(a * b),
        Op::FDiv => single(a / b),
        Op::FRem => single(a % b),
        Op::FSqrt => single(a.sqrt()),
        Op::FRound => single(match mode(b_bits) {
            Rounding::NearestEven => a.round_ties_even(),
            Rounding::Down => a.floor(),
            Rounding::Up => a.ceil(),
            Rounding::Zero => a.trunc(),
            Rounding::NearestAway => a.round(),
        }),
        Op::FToF if width == 32 => single(a),
        _ => of_wide(op, width, f64::from(a), f64::from(b)),
    }
}

fn of_double(op: Op, width: u32, a_bits: u64, b_bits: u64) -> u128 {
    let (a, b) = (f64::from_bits(a_bits), f64::from_bits(b_bits));
    match op {
        Op::FNeg => u128::from(a_bits ^ 1 << 63),
        Op::FAbs => u128::from(a_bits & !(1 << 63)),
        Op::FAdd => double(a + b),
        Op::FSub => double(a - b),
        Op::FMul => double(a * b),
        Op::FDiv => double(a / b),
        Op::FRem => double(a % b),
        Op::FSqrt => double(a.sqrt()),
        Op::FRound => double(match mode(b_bits as u32) {
            Rounding::NearestEven => a.round_ties_even(),
            Rounding::Down => a.floor(),
            Rounding::Up => a.ceil(),
            Rounding::Zero => a.trunc(),
            Rounding::NearestAway => a.round(),
        }),
        _ => of_wide(op, width, a, b),
    }
}

/// Operations for which widening a single to a double loses nothing.
fn of_wide(op: Op, width: u32, a: f64, b: f64) -> u128 {
    match op {
        Op::FOeq => u128::from(a == b),
        Op::FOlt => u128::from(a < b),
        Op::FOle => u128::from(a <= b),
        Op::FUno => u128::from(a.is_nan() || b.is_nan()),
        Op::FToF if width == 32 => single(a as f32),
        Op::FToF => double(a),
        Op::FToU => to_unsigned(a, width),
        Op::FToS => to_signed(a, width),
        _ => 0,
    }
}

fn mode(number: u32) -> Rounding {
    Rounding::from_u8(number as u8).unwrap_or(Rounding::NearestEven)
}

/// `2^exponent`, exact for the exponents used here (at most 128).
fn power_of_two(exponent: u32) -> f64 {
    f64::from_bits(u64::from(1023 + exponent) << 52)
}

fn to_unsigned(a: f64, width: u32) -> u128 {
    let whole = a.trunc();
    if whole >= 0.0 && whole < power_of_two(width) {
        whole as u128
    } else {
        1 << (width - 1)
    }
}

fn to_signed(a: f64, width: u32) -> u128 {
    let whole = a.trunc();
    let limit = power_of_two(width - 1);
    if whole >= -limit && whole < limit {
        whole as i128 as u128
    } else {
        1 << (width - 1)
    }
}
