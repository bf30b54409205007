//! Operations of one operand that never turn back: a larger operand gives a result that is no
//! smaller, or always one that is no larger.
//!
//! Conversions, shifts and divisions by constants, and most floating operations with a constant
//! are such. Ranges go through them by their ends, and back by their inverse, or by bisection.

use labrys_expr::{Op, apply, mask, signed};

use super::range::Range;

/// What "larger" means for bit patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Unsigned,
    Signed,
    /// IEEE-754, -0 below +0; NaN has no place.
    Float,
}

/// An operation on one operand; the other, if there is one, is constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Monotone {
    op: Op,
    width: u32,
    from: u32,
    /// The other operand, or the index of the operation.
    constant: u128,
    /// The operand that varies is the second one.
    second: bool,
    source: Order,
    result: Order,
}

impl Monotone {
    pub(super) fn op(&self) -> Op {
        self.op
    }

    /// The operation on an operand of `from` bits; `None` if it may turn back.
    pub(super) fn unary(op: Op, width: u32, from: u32, index: u128) -> Option<Self> {
        use Order::{Float, Signed, Unsigned};
        let (source, result) = match op {
            Op::ZExt => (Unsigned, Unsigned),
            Op::SExt => (Signed, Signed),
            Op::Extract if index > 0 && index as u32 + width == from => (Unsigned, Unsigned),
            Op::UToF => (Unsigned, Float),
            Op::SToF => (Signed, Float),
            Op::FToU => (Float, Unsigned),
            Op::FToS => (Float, Signed),
            Op::FNeg | Op::FSqrt | Op::FToF | Op::FRound => (Float, Float),
            _ => return None,
        };
        Some(Monotone {
            op,
            width,
            from,
            constant: index,
            second: false,
            source,
            result,
        })
    }

    /// The operation with a constant as one operand.
    pub(super) fn with_constant(op: Op, width: u32, constant: u128, second: bool) -> Option<Self> {
        use Order::{Float, Signed, Unsigned};
        let order = match op {
            Op::LShr | Op::UDiv if !second => Unsigned,
            Op::AShr if !second => Signed,
            Op::SDiv if !second && signed(constant, width) > 0 => Signed,
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv if is_ordinary(constant, width) => Float,
            _ => return None,
        };
        if order == Unsigned && op == Op::UDiv && constant == 0 {
            return None;
        }
        Some(Monotone {
            op,
            width,
            from: width,
            constant,
            second,
            source: order,
            result: order,
        })
    }

    fn at(&self, key: i128) -> Option<i128> {
        let bits = self.source.bits(key, self.from);
        let (a, b) = if self.second {
            (self.constant, bits)
        } else {
            (bits, self.constant)
        };
        let result = apply(self.op, self.width, self.from, a, b, 0);
        // What does not fit an integer becomes this value.
        let is_lost = matches!(self.op, Op::FToU | Op::FToS) && result == 1 << (self.width - 1);
        let key = self.result.key(result, self.width);
        key.filter(|_| !is_lost)
    }

    /// The ends of a range, and the results there.
    fn ends(&self, range: Range) -> Option<[(i128, i128); 2]> {
        let (low, high) = self.source.ends(range, self.from)?;
        Some([(low, self.at(low)?), (high, self.at(high)?)])
    }

    /// The ends of all floats, where the operation does not turn back at zero: what a range of
    /// both signs is taken for. NaN is not among them, but leads to NaN, which no result that
    /// has ends holds.
    fn infinities(&self) -> Option<[(i128, i128); 2]> {
        if self.source != Order::Float || (self.op == Op::FDiv && self.second) {
            return None;
        }
        let high = infinity(self.from) as i128;
        let low = -1 - high;
        Some([(low, self.at(low)?), (high, self.at(high)?)])
    }

    pub(super) fn forward(&self, range: Range) -> Range {
        let full = Range::full(self.width);
        self.ends(range).map_or(full, |[(_, a), (_, b)]| {
            self.result.range(a.min(b), a.max(b), self.width)
        })
    }

    /// The part of a range whose results are in `result`; `None` if there is none.
    pub(super) fn backward(&self, range: Range, result: Range) -> Option<Range> {
        let ends = self.ends(range).or_else(|| self.infinities());
        let Some([(low, at_low), (high, at_high)]) = ends else {
            return Some(range);
        };
        let Some((least, most)) = self.result.ends(result, self.width) else {
            return Some(range);
        };
        if least <= at_low.min(at_high) && at_low.max(at_high) <= most {
            return Some(range);
        }
        let (first, last) = match self.inverse(least, most) {
            Some((first, last)) => (first.max(low), last.min(high)),
            None => self.bisect(low, high, at_low <= at_high, least, most),
        };
        if first > last {
            return None;
        }
        range.meet(self.source.range(first, last, self.from), self.from)
    }

    /// The first and the last operand with results in a range, of operations that round down;
    /// there may be no such operands of this width.
    fn inverse(&self, least: i128, most: i128) -> Option<(i128, i128)> {
        let divisor = match self.op {
            Op::ZExt | Op::SExt => 1,
            Op::UDiv => i128::try_from(self.constant).ok()?,
            Op::Extract | Op::LShr | Op::AShr if self.constant < u128::from(self.from.min(64)) => {
                1 << self.constant
            }
            _ => return None,
        };
        let last = most.checked_mul(divisor)?.checked_add(divisor - 1)?;
        Some((least.checked_mul(divisor)?, last))
    }

    /// The first and the last operand between two of them with results in a range.
    fn bisect(&self, low: i128, high: i128, rises: bool, least: i128, most: i128) -> (i128, i128) {
        if rises {
            let first = self.first(low, high, |result| result >= least);
            (first, self.first(low, high, |result| result > most) - 1)
        } else {
            let first = self.first(low, high, |result| result <= most);
            (first, self.first(low, high, |result| result < least) - 1)
        }
    }

    /// The first operand between the two whose result passes a test that all later ones pass,
    /// too; the one behind the last if none does.
    fn first(&self, low: i128, high: i128, test: impl Fn(i128) -> bool) -> i128 {
        let (mut low, mut behind) = (low, high + 1);
        while low < behind {
            let middle = low + (behind - low) / 2;
            if self.at(middle).is_some_and(&test) {
                behind = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}

/// Neither 0 nor infinite nor NaN.
fn is_ordinary(bits: u128, width: u32) -> bool {
    let exponent_and_more = bits & mask(width - 1);
    exponent_and_more != 0 && exponent_and_more < infinity(width)
}

/// The bits of +∞.
pub(super) fn infinity(width: u32) -> u128 {
    if width == 32 {
        0x7f80_0000
    } else {
        0x7ff << 52
    }
}

impl Order {
    /// A number that grows with the value.
    pub(super) fn key(self, bits: u128, width: u32) -> Option<i128> {
        match self {
            Order::Unsigned => Some(bits as i128),
            Order::Signed => Some(signed(bits, width)),
            Order::Float => {
                let size = bits & mask(width - 1);
                let is_negative = bits >> (width - 1) == 1;
                let key = size as i128;
                (size <= infinity(width)).then_some(if is_negative { -1 - key } else { key })
            }
        }
    }

    fn bits(self, key: i128, width: u32) -> u128 {
        match self {
            Order::Float if key < 0 => (-1 - key) as u128 | 1 << (width - 1),
            _ => key as u128 & mask(width),
        }
    }

    /// The keys of the smallest and the largest value; `None` if a value may have none.
    pub(super) fn ends(self, range: Range, width: u32) -> Option<(i128, i128)> {
        match self {
            Order::Unsigned => {
                let (low, high) = range.unsigned(width);
                Some((low as i128, high as i128))
            }
            Order::Signed => Some(range.signed(width)),
            Order::Float => {
                let (low, high) = range.unsigned(width);
                if low >> (width - 1) != high >> (width - 1) {
                    return None;
                }
                let (a, b) = (self.key(low, width)?, self.key(high, width)?);
                Some((a.min(b), a.max(b)))
            }
        }
    }

    /// The values between two keys.
    pub(super) fn range(self, low: i128, high: i128, width: u32) -> Range {
        match self {
            Order::Unsigned => Range::between(low as u128, high as u128),
            Order::Signed => Range::between_signed(low, high, width),
            Order::Float if low < 0 && high >= 0 => Range::full(width),
            Order::Float => {
                let (a, b) = (self.bits(low, width), self.bits(high, width));
                Range::between(a.min(b), a.max(b))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Monotone, Op, Range};

    fn double(value: f64) -> u128 {
        value.to_bits().into()
    }

    #[test]
    fn quotients_lead_back_to_their_numerators() {
        let tenth = Monotone::with_constant(Op::FDiv, 64, double(100.0), false).unwrap();
        let whole = Monotone::unary(Op::UToF, 64, 64, 0).unwrap();
        let digits = Range::between(0, 99_999);
        let floats = whole.forward(digits);
        let wanted = Range::single(double(-12.5));
        assert_eq!(tenth.backward(floats, wanted), None);
        let wanted = Range::single(double(12.5));
        let floats = tenth.backward(floats, wanted).unwrap();
        assert_eq!(whole.backward(digits, floats), Some(Range::single(1250)));
    }

    #[test]
    fn floats_of_both_signs_lead_back() {
        let third = Monotone::with_constant(Op::FDiv, 64, double(3.0), false).unwrap();
        let whole = Monotone::unary(Op::SToF, 64, 32, 0).unwrap();
        let floats = whole.forward(Range::full(32));
        let wanted = Range::between(double(1234.5), double(1235.1));
        let floats = third.backward(floats, wanted).unwrap();
        let numbers = whole.backward(Range::full(32), floats);
        assert_eq!(numbers, Some(Range::between(3704, 3705)));
    }

    /// The inverse finds what bisection finds.
    #[test]
    fn inverses_agree_with_bisection() {
        let mut rules: Vec<Monotone> = Vec::new();
        for op in [Op::LShr, Op::AShr, Op::UDiv] {
            let with = |constant| Monotone::with_constant(op, 6, constant, false);
            rules.extend((0..9).filter_map(with));
        }
        rules.extend((1..6).filter_map(|low| Monotone::unary(Op::Extract, 6 - low, 6, low.into())));
        rules.extend([Op::ZExt, Op::SExt].map(|op| Monotone::unary(op, 9, 6, 0).unwrap()));
        let mut inverted = 0;
        for rule in rules {
            let (low, high) = rule.source.ends(Range::full(6), 6).unwrap();
            let (least, most) = rule
                .result
                .ends(Range::full(rule.width), rule.width)
                .unwrap();
            for a in least..=most {
                for b in a..=most {
                    let Some((first, last)) = rule.inverse(a, b) else {
                        continue;
                    };
                    let found = (first.max(low), last.min(high));
                    let bisected = rule.bisect(low, high, true, a, b);
                    let none = |(first, last)| first > last;
                    assert!(
                        found == bisected || none(found) && none(bisected),
                        "{rule:?} {a} {b}"
                    );
                    inverted += 1;
                }
            }
        }
        assert!(inverted > 100_000, "{inverted}");
    }

    #[test]
    fn falling_operations_lead_back() {
        let negated = Monotone::unary(Op::FNeg, 64, 64, 0).unwrap();
        let values = Range::between(double(1.0), double(8.0));
        let wanted = Range::between(double(-2.0), double(-4.0));
        let found = negated.backward(values, wanted).unwrap();
        assert_eq!(found, Range::between(double(2.0), double(4.0)));
        assert_eq!(negated.forward(found), wanted);
    }

    #[test]
    fn signed_ranges_are_widened_and_shifted() {
        let wide = Monotone::unary(Op::SExt, 32, 8, 0).unwrap();
        let range = Range::between_signed(-3, 5, 8);
        assert_eq!(wide.forward(range), Range::between_signed(-3, 5, 32));
        let wanted = Range::between_signed(-100, -2, 32);
        assert_eq!(
            wide.backward(range, wanted),
            Some(Range::between_signed(-3, -2, 8))
        );
        let quarter = Monotone::with_constant(Op::UDiv, 8, 4, false).unwrap();
        let all = Range::between(0, 200);
        assert_eq!(
            quarter.backward(all, Range::single(7)),
            Some(Range::between(28, 31))
        );
    }
}
