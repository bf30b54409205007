//! The meaning of arithmetic, comparisons, conversions and choices on values.

use labrys_expr::Op;
use labrys_program::{BinaryOperator, Cast, Comparison, FloatComparison, FloatOperator, Type};

use crate::Algebra;
use crate::value::IrValue;

/// `condition ? a : b`, element by element.
pub fn choose<A: Algebra>(
    algebra: &mut A,
    condition: A::Value,
    a: &IrValue<A::Value>,
    b: &IrValue<A::Value>,
) -> Option<IrValue<A::Value>> {
    match (a, b) {
        (IrValue::Scalar(a), IrValue::Scalar(b)) => {
            Some(IrValue::Scalar(algebra.ite(condition, *a, *b)))
        }
        (IrValue::Parts(a), IrValue::Parts(b)) if a.len() == b.len() => {
            let parts = a.iter().zip(b);
            let parts = parts.map(|(a, b)| choose(algebra, condition, a, b));
            Some(IrValue::Parts(parts.collect::<Option<_>>()?))
        }
        _ => None,
    }
}

/// An integer operation. An undefined result is havoc in expressions.
pub(crate) fn binary<A: Algebra>(
    algebra: &mut A,
    operator: BinaryOperator,
    left: A::Value,
    right: A::Value,
) -> A::Value {
    use BinaryOperator as B;
    let op = match operator {
        B::Add => Op::Add,
        B::Sub => Op::Sub,
        B::Mul => Op::Mul,
        B::UDiv => Op::UDiv,
        B::SDiv => Op::SDiv,
        B::URem => Op::URem,
        B::SRem => Op::SRem,
        B::Shl => Op::Shl,
        B::LShr => Op::LShr,
        B::AShr => Op::AShr,
        B::And => Op::And,
        B::Or => Op::Or,
        B::Xor => Op::Xor,
    };
    let result = algebra.binary(op, left, right);
    let width = algebra.width(left);
    match operator {
        B::UDiv | B::SDiv | B::URem | B::SRem if algebra.known(right).is_none_or(|b| b == 0) => {
            let zero = algebra.constant(width, 0);
            let undefined = algebra.binary(Op::Eq, right, zero);
            let any = algebra.havoc(width, Some(result));
            algebra.ite(undefined, any, result)
        }
        B::Shl | B::LShr | B::AShr
            if algebra
                .known(right)
                .is_none_or(|amount| amount >= u128::from(width)) =>
        {
            let bound = algebra.constant(width, u128::from(width));
            let machine = width.is_power_of_two().then(|| {
                let mask = algebra.constant(width, u128::from(width - 1));
                let masked = algebra.binary(Op::And, right, mask);
                algebra.binary(op, left, masked)
            });
            let defined = algebra.binary(Op::Ult, right, bound);
            let any = algebra.havoc(width, machine);
            algebra.ite(defined, result, any)
        }
        _ => result,
    }
}

/// A floating operation.
pub(crate) fn float<A: Algebra>(
    algebra: &mut A,
    operator: FloatOperator,
    left: A::Value,
    right: A::Value,
) -> A::Value {
    let op = match operator {
        FloatOperator::Add => Op::FAdd,
        FloatOperator::Sub => Op::FSub,
        FloatOperator::Mul => Op::FMul,
        FloatOperator::Div => Op::FDiv,
        FloatOperator::Rem => Op::FRem,
    };
    algebra.binary(op, left, right)
}

/// A comparison of integers.
pub(crate) fn compare<A: Algebra>(
    algebra: &mut A,
    comparison: Comparison,
    left: A::Value,
    right: A::Value,
) -> A::Value {
    use Comparison as C;
    match comparison {
        C::Eq => algebra.binary(Op::Eq, left, right),
        C::Ne => {
            let equal = algebra.binary(Op::Eq, left, right);
            algebra.not(equal)
        }
        C::Ugt => algebra.binary(Op::Ult, right, left),
        C::Uge => algebra.binary(Op::Ule, right, left),
        C::Ult => algebra.binary(Op::Ult, left, right),
        C::Ule => algebra.binary(Op::Ule, left, right),
        C::Sgt => algebra.binary(Op::Slt, right, left),
        C::Sge => algebra.binary(Op::Sle, right, left),
        C::Slt => algebra.binary(Op::Slt, left, right),
        C::Sle => algebra.binary(Op::Sle, left, right),
    }
}

/// A comparison of floats.
pub(crate) fn compare_floats<A: Algebra>(
    algebra: &mut A,
    comparison: FloatComparison,
    a: A::Value,
    b: A::Value,
) -> A::Value {
    use FloatComparison as F;
    let ordered = |algebra: &mut A| {
        let unordered = algebra.binary(Op::FUno, a, b);
        algebra.not(unordered)
    };
    let negated = |algebra: &mut A, op, a, b| {
        let holds = algebra.binary(op, a, b);
        algebra.not(holds)
    };
    match comparison {
        F::False => algebra.constant(1, 0),
        F::True => algebra.constant(1, 1),
        F::Oeq => algebra.binary(Op::FOeq, a, b),
        F::Ogt => algebra.binary(Op::FOlt, b, a),
        F::Oge => algebra.binary(Op::FOle, b, a),
        F::Olt => algebra.binary(Op::FOlt, a, b),
        F::Ole => algebra.binary(Op::FOle, a, b),
        F::One => {
            let unequal = negated(algebra, Op::FOeq, a, b);
            let ordered = ordered(algebra);
            algebra.binary(Op::And, unequal, ordered)
        }
        F::Ord => ordered(algebra),
        F::Uno => algebra.binary(Op::FUno, a, b),
        F::Ueq => {
            let equal = algebra.binary(Op::FOeq, a, b);
            let unordered = algebra.binary(Op::FUno, a, b);
            algebra.binary(Op::Or, equal, unordered)
        }
        F::Ugt => negated(algebra, Op::FOle, a, b),
        F::Uge => negated(algebra, Op::FOlt, a, b),
        F::Ult => negated(algebra, Op::FOle, b, a),
        F::Ule => negated(algebra, Op::FOlt, b, a),
        F::Une => negated(algebra, Op::FOeq, a, b),
    }
}

/// A float to an integer. One that is out of range is havoc in expressions: builds differ in it.
fn to_integer<A: Algebra>(algebra: &mut A, cast: Cast, value: A::Value, width: u32) -> A::Value {
    if cast == Cast::FloatToUnsigned && width > 32 {
        return to_wide_unsigned(algebra, value, width);
    }
    // The processor converts to 32 or 64 bits, the least number where it cannot, and the rest is
    // cut off.
    let wide = match cast {
        Cast::FloatToSigned => width.max(32),
        _ if width < 32 => 32,
        _ => 64,
    };
    let number = algebra.convert(Op::FToS, value, wide);
    let result = algebra.resize(number, width);
    let limit = f64::from(width - 1).exp2();
    let small = algebra.magnitude(value).is_some_and(|most| most < limit);
    if small && cast == Cast::FloatToSigned {
        return result;
    }
    let outside = if wide == width {
        let least = algebra.constant(wide, 1 << (wide - 1));
        algebra.binary(Op::Eq, number, least)
    } else {
        let back = match cast {
            Cast::FloatToSigned => algebra.resize_signed(result, wide),
            _ => algebra.resize(result, wide),
        };
        let same = algebra.binary(Op::Eq, number, back);
        algebra.not(same)
    };
    or_anything(algebra, outside, result)
}

/// The same to more bits than the processor has an instruction for.
fn to_wide_unsigned<A: Algebra>(algebra: &mut A, value: A::Value, width: u32) -> A::Value {
    let result = algebra.convert(Op::FToU, value, width);
    let size = algebra.width(value);
    let beyond = f64::from(width).exp2();
    let [least, beyond] = [-1.0, beyond].map(|bound| match size {
        32 => algebra.constant(32, u128::from((bound as f32).to_bits())),
        _ => algebra.constant(64, u128::from(bound.to_bits())),
    });
    let after = algebra.binary(Op::FOlt, least, value);
    let before = algebra.binary(Op::FOlt, value, beyond);
    let inside = algebra.binary(Op::And, after, before);
    let outside = algebra.not(inside);
    or_anything(algebra, outside, result)
}

/// A result, or anything under a condition.
fn or_anything<A: Algebra>(algebra: &mut A, condition: A::Value, result: A::Value) -> A::Value {
    if algebra.known(condition) == Some(0) {
        return result;
    }
    let width = algebra.width(result);
    let any = algebra.havoc(width, Some(result));
    algebra.ite(condition, any, result)
}

/// A conversion; `None` between types without a model.
pub(crate) fn cast<A: Algebra>(
    algebra: &mut A,
    cast: Cast,
    value: A::Value,
    from: Type,
    to: Type,
) -> Option<A::Value> {
    let width = to.width()?;
    from.width()?;
    Some(match cast {
        Cast::Truncate | Cast::ZeroExtend | Cast::PointerToInt | Cast::IntToPointer => {
            algebra.resize(value, width)
        }
        Cast::SignExtend => algebra.resize_signed(value, width),
        Cast::FloatToSigned | Cast::FloatToUnsigned => to_integer(algebra, cast, value, width),
        Cast::UnsignedToFloat => algebra.convert(Op::UToF, value, width),
        Cast::SignedToFloat => algebra.convert(Op::SToF, value, width),
        Cast::FloatTruncate | Cast::FloatExtend => algebra.convert(Op::FToF, value, width),
        Cast::Bits if algebra.width(value) != width => return None,
        Cast::Bits if matches!(from, Type::Float | Type::Double) => algebra.observed(value),
        Cast::Bits => value,
    })
}
