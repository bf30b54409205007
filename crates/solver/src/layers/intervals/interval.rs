//! Intervals of floats: the numbers that an expression may be, by value, and whether it may be
//! NaN.
//!
//! Law: what a function here gives holds every value that the operation can have on values of the
//! operands' intervals. The ends are computed by the operations themselves: rounding never turns
//! the order of results around. The two zeros are one number, so where the sign of a zero
//! matters, as in a division by it, everything is possible.

use labrys_expr::{Op, apply};

/// The numbers from `low` to `high`, none if `low > high`, and perhaps NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) nan: bool,
}

/// The value of a bit pattern of 32 or 64 bits.
pub(super) fn number(bits: u128, width: u32) -> f64 {
    if width == 32 {
        f64::from(f32::from_bits(bits as u32))
    } else {
        f64::from_bits(bits as u64)
    }
}

fn bits(value: f64, width: u32) -> u128 {
    if width == 32 {
        u128::from((value as f32).to_bits())
    } else {
        u128::from(value.to_bits())
    }
}

/// The largest number of this width below a value.
pub(super) fn below(value: f64, width: u32) -> f64 {
    let pattern = bits(value, width);
    let value = number(pattern, width);
    if value == f64::NEG_INFINITY || value.is_nan() {
        value
    } else if value == 0.0 {
        -number(1, width)
    } else if value > 0.0 {
        number(pattern - 1, width)
    } else {
        number(pattern + 1, width)
    }
}

/// The smallest number of this width above a value.
pub(super) fn above(value: f64, width: u32) -> f64 {
    -below(-value, width)
}

impl Interval {
    pub(super) const ANY: Interval = Interval {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        nan: true,
    };

    pub(super) const fn between(low: f64, high: f64, nan: bool) -> Self {
        Interval { low, high, nan }
    }

    /// The one value of a bit pattern.
    pub(super) fn single(bits: u128, width: u32) -> Self {
        let value = number(bits, width);
        if value.is_nan() {
            Interval::between(1.0, 0.0, true)
        } else {
            Interval::between(value, value, false)
        }
    }

    /// Whether no number is in it.
    pub(super) fn has_no_number(self) -> bool {
        self.low > self.high
    }

    pub(super) fn is_empty(self) -> bool {
        self.has_no_number() && !self.nan
    }

    pub(super) fn meet(self, other: Interval) -> Interval {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        Interval::between(low, high, self.nan && other.nan)
    }

    /// An interval with all values of both.
    pub(super) fn join(self, other: Interval) -> Interval {
        let nan = self.nan || other.nan;
        if self.has_no_number() {
            return Interval { nan, ..other };
        }
        if other.has_no_number() {
            return Interval { nan, ..self };
        }
        Interval::between(self.low.min(other.low), self.high.max(other.high), nan)
    }

    fn has_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    fn has_infinity(self) -> bool {
        self.low == f64::NEG_INFINITY || self.high == f64::INFINITY
    }

    /// The results of a function that does not turn back, from its ends.
    pub(super) fn through(self, function: impl Fn(f64) -> f64) -> Interval {
        let (a, b) = (function(self.low), function(self.high));
        Interval::between(a.min(b), a.max(b), self.nan)
    }
}

/// The results of an operation of one operand on floats.
pub(super) fn unary(op: Op, width: u32, from: u32, index: u128, a: Interval) -> Interval {
    if a.has_no_number() {
        return Interval::between(1.0, 0.0, a.nan);
    }
    let at = |value: f64| number(apply(op, width, from, bits(value, from), index, 0), width);
    match op {
        Op::FAbs if a.has_zero() => Interval::between(0.0, a.high.max(-a.low), a.nan),
        Op::FAbs | Op::FNeg | Op::FRound | Op::FToF => a.through(at),
        Op::FSqrt if a.high < 0.0 => Interval::between(1.0, 0.0, true),
        Op::FSqrt => Interval::between(at(a.low.max(0.0)), at(a.high), a.nan || a.low < 0.0),
        _ => Interval::ANY,
    }
}

/// The results of an operation of two operands on floats; `same`: they are one expression.
pub(super) fn binary(op: Op, width: u32, a: Interval, b: Interval, same: bool) -> Interval {
    let nan = a.nan || b.nan;
    if a.has_no_number() || b.has_no_number() {
        return Interval::between(1.0, 0.0, nan);
    }
    let at = |x: f64, y: f64| {
        let bits = apply(op, width, width, bits(x, width), bits(y, width), 0);
        number(bits, width)
    };
    match op {
        Op::FSub if same => Interval::between(0.0, 0.0, nan || a.has_infinity()),
        Op::FAdd => {
            let opposite =
                |x: Interval, y: Interval| x.high == f64::INFINITY && y.low == f64::NEG_INFINITY;
            let nan = nan || !same && (opposite(a, b) || opposite(b, a));
            sum(at(a.low, b.low), at(a.high, b.high), nan)
        }
        Op::FSub => {
            let both = |x: f64, y: f64| x.is_infinite() && x == y;
            let nan = nan || both(a.high, b.high) || both(a.low, b.low);
            sum(at(a.low, b.high), at(a.high, b.low), nan)
        }
        Op::FMul if same => {
            let (x, y) = (at(a.low, a.low), at(a.high, a.high));
            let low = if a.has_zero() { 0.0 } else { x.min(y) };
            Interval::between(low, x.max(y), nan)
        }
        Op::FMul => {
            let lost = |x: Interval, y: Interval| x.has_zero() && y.has_infinity();
            // 0 · ∞ is no number; 0 is what products near it come to.
            let product = |x, y| Some(at(x, y)).filter(|z| !z.is_nan()).unwrap_or(0.0);
            corners(product, a, b, nan || lost(a, b) || lost(b, a))
        }
        Op::FDiv if b.has_zero() => {
            let lost = a.has_zero() || a.has_infinity() && b.has_infinity();
            Interval::between(f64::NEG_INFINITY, f64::INFINITY, nan || lost)
        }
        Op::FDiv if a.has_infinity() && b.has_infinity() => {
            let one_sign = a.low >= 0.0 && b.low > 0.0 || a.high <= 0.0 && b.high < 0.0;
            let low = if one_sign { 0.0 } else { f64::NEG_INFINITY };
            Interval::between(low, f64::INFINITY, true)
        }
        Op::FDiv => corners(at, a, b, nan),
        Op::FRem => {
            // As large as the dividend at most, with its sign.
            let (low, high) = (a.low.min(0.0), a.high.max(0.0));
            Interval::between(low, high, nan || b.has_zero() || a.has_infinity())
        }
        _ => Interval::ANY,
    }
}

/// Ends of sums. Where two infinities meet at an end, one side is that infinity alone, and so are
/// all sums that are numbers.
fn sum(low: f64, high: f64, nan: bool) -> Interval {
    let or = |end: f64, other: f64| if end.is_nan() { other } else { end };
    Interval::between(or(low, f64::INFINITY), or(high, f64::NEG_INFINITY), nan)
}

/// What a function gives that does not turn back in either operand while the other stays.
pub(super) fn corners(
    at: impl Fn(f64, f64) -> f64,
    a: Interval,
    b: Interval,
    nan: bool,
) -> Interval {
    let values = [
        at(a.low, b.low),
        at(a.low, b.high),
        at(a.high, b.low),
        at(a.high, b.high),
    ];
    if values.iter().any(|value| value.is_nan()) {
        return Interval::ANY;
    }
    let low = values.into_iter().fold(f64::INFINITY, f64::min);
    let high = values.into_iter().fold(f64::NEG_INFINITY, f64::max);
    Interval::between(low, high, nan)
}

/// An interval and a little more on both sides, for bounds that are had by inverse operations:
/// several roundings of the width are in it.
pub(super) fn widened(interval: Interval, width: u32) -> Interval {
    let (relative, least, most) = if width == 32 {
        (1e-5, 1e-44, f64::from(f32::MAX))
    } else {
        (1e-13, 1e-322, f64::MAX)
    };
    let out = |value: f64| {
        // What is rounded to infinity is a number that is too large.
        let value = value.clamp(-most, most);
        value.abs() * relative + 4.0 * least
    };
    let low = if interval.low == f64::INFINITY {
        most * (1.0 - relative)
    } else if interval.low <= -most {
        f64::NEG_INFINITY
    } else {
        interval.low - out(interval.low)
    };
    let high = if interval.high == f64::NEG_INFINITY {
        -most * (1.0 - relative)
    } else if interval.high >= most {
        f64::INFINITY
    } else {
        interval.high + out(interval.high)
    };
    Interval {
        low,
        high,
        ..interval
    }
}
