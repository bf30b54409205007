//! How far a decision is from another outcome: the branch distances of search-based testing.

use labrys_expr::Value;
use labrys_program::{Cast, Comparison, FloatComparison, Operation};

/// 0: the outcome is this one; else how far the operands are from making it so.
pub type Distance = f64;

/// What a wrong outcome costs at least.
const STEP: f64 = 1.0;

/// The distance of a comparison of integers from being true.
pub(super) fn compare(comparison: Comparison, a: Value, b: Value) -> Distance {
    use Comparison as C;
    let signed = || a.signed() as f64 - b.signed() as f64;
    let unsigned = || a.bits() as f64 - b.bits() as f64;
    match comparison {
        C::Eq => signed().abs(),
        C::Ne => f64::from(u8::from(a == b)),
        C::Slt => less(signed(), true),
        C::Sle => less(signed(), false),
        C::Sgt => less(-signed(), true),
        C::Sge => less(-signed(), false),
        C::Ult => less(unsigned(), true),
        C::Ule => less(unsigned(), false),
        C::Ugt => less(-unsigned(), true),
        C::Uge => less(-unsigned(), false),
    }
}

fn less(difference: f64, strict: bool) -> Distance {
    let bound = if strict { STEP } else { 0.0 };
    (difference + bound).max(0.0)
}

/// The distance of a comparison of floats from being true.
pub(super) fn compare_floats(comparison: FloatComparison, a: f64, b: f64) -> Distance {
    use FloatComparison as F;
    let unordered = a.is_nan() || b.is_nan();
    if unordered {
        let holds = matches!(
            comparison,
            F::Uno | F::Ueq | F::Ugt | F::Uge | F::Ult | F::Ule | F::Une | F::True
        );
        return if holds { 0.0 } else { f64::MAX };
    }
    let difference = a - b;
    let strict = |difference: f64| {
        if difference < 0.0 {
            0.0
        } else {
            difference + f64::MIN_POSITIVE
        }
    };
    match comparison {
        F::True | F::Ord => 0.0,
        F::False | F::Uno => f64::MAX,
        F::Oeq | F::Ueq => difference.abs(),
        F::One | F::Une => f64::from(u8::from(a == b)),
        F::Olt | F::Ult => strict(difference),
        F::Ole | F::Ule => difference.max(0.0),
        F::Ogt | F::Ugt => strict(-difference),
        F::Oge | F::Uge => (-difference).max(0.0),
    }
}

/// The negated comparison.
pub(super) fn negated_floats(comparison: FloatComparison) -> FloatComparison {
    use FloatComparison as F;
    match comparison {
        F::False => F::True,
        F::True => F::False,
        F::Oeq => F::Une,
        F::Une => F::Oeq,
        F::Ogt => F::Ule,
        F::Ule => F::Ogt,
        F::Oge => F::Ult,
        F::Ult => F::Oge,
        F::Olt => F::Uge,
        F::Uge => F::Olt,
        F::Ole => F::Ugt,
        F::Ugt => F::Ole,
        F::One => F::Ueq,
        F::Ueq => F::One,
        F::Ord => F::Uno,
        F::Uno => F::Ord,
    }
}

/// The float of these bits.
pub(super) fn float(value: Value) -> f64 {
    if value.width() == 32 {
        f64::from(f32::from_bits(value.bits() as u32))
    } else {
        f64::from_bits(value.bits() as u64)
    }
}

/// The operand of an operation that is true just when its operand is.
pub(super) fn same_truth(operation: &Operation) -> Option<labrys_program::Operand> {
    match operation {
        Operation::Cast {
            cast: Cast::ZeroExtend | Cast::SignExtend,
            value,
        }
        | Operation::Freeze(value) => Some(*value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_is_zero_just_when_the_comparison_holds() {
        for a in [0u128, 1, 5, 0x7f, 0x80, 0xff] {
            for b in [0u128, 1, 5, 0x7f, 0x80, 0xff] {
                let (a, b) = (Value::new(8, a), Value::new(8, b));
                for comparison in Comparison::ALL {
                    let there = compare(*comparison, a, b) == 0.0;
                    let other = compare(comparison.negated(), a, b) == 0.0;
                    assert_ne!(there, other, "{a} {} {b}", comparison.name());
                }
            }
        }
    }

    #[test]
    fn floats_too() {
        for a in [0.0, -0.0, 1.5, f64::INFINITY, f64::NAN] {
            for b in [0.0, 1.5, -3.0, f64::NAN] {
                for comparison in FloatComparison::ALL {
                    let there = compare_floats(*comparison, a, b) == 0.0;
                    let other = compare_floats(negated_floats(*comparison), a, b) == 0.0;
                    assert_ne!(there, other, "{a} {} {b}", comparison.name());
                }
            }
        }
    }
}
