//! The meaning of intrinsics that compute a value from values.

use labrys_expr::{Op, Rounding};
use labrys_program::{Comparison, Intrinsic, Operand, Type};

use crate::arithmetic::compare;
use crate::value::{IrValue, Operands};
use crate::{Algebra, library};

/// The result of an intrinsic; `None` if it touches memory or control, or has no model.
pub(crate) fn meaning<A: Algebra>(
    algebra: &mut A,
    intrinsic: Intrinsic,
    arguments: &[Operand],
    ty: Type,
    operands: &mut dyn Operands<A>,
) -> Option<IrValue<A::Value>> {
    if !computes(intrinsic) {
        return None;
    }
    let a = operands.scalar(algebra, *arguments.first()?)?;
    if let Some((op, signed)) = overflow(intrinsic) {
        let b = operands.scalar(algebra, *arguments.get(1)?)?;
        return with_overflow(algebra, op, signed, a, b).map(overflowing);
    }
    computed(algebra, intrinsic, a, arguments, ty.width()?, operands).map(IrValue::Scalar)
}

/// The scalar of so many bits that an intrinsic computes of its first argument and the others.
fn computed<A: Algebra>(
    algebra: &mut A,
    intrinsic: Intrinsic,
    a: A::Value,
    arguments: &[Operand],
    width: u32,
    operands: &mut dyn Operands<A>,
) -> Option<A::Value> {
    use Intrinsic as I;
    let mut second = |algebra: &mut A| operands.scalar(algebra, *arguments.get(1)?);
    Some(match intrinsic {
        I::PopCount => algebra.unary(Op::PopCount, a),
        I::LeadingZeros => zeros(algebra, Op::LeadingZeros, a),
        I::TrailingZeros => zeros(algebra, Op::TrailingZeros, a),
        I::ByteSwap => reversed(algebra, a, 8),
        I::BitReverse => reversed(algebra, a, 1),
        I::Abs => {
            let zero = algebra.constant(width, 0);
            let negative = algebra.binary(Op::Slt, a, zero);
            let negated = algebra.unary(Op::Neg, a);
            algebra.ite(negative, negated, a)
        }
        I::SignedMin | I::SignedMax | I::UnsignedMin | I::UnsignedMax => {
            let b = second(algebra)?;
            let comparison = match intrinsic {
                I::SignedMin => Comparison::Slt,
                I::SignedMax => Comparison::Sgt,
                I::UnsignedMin => Comparison::Ult,
                _ => Comparison::Ugt,
            };
            let first = compare(algebra, comparison, a, b);
            algebra.ite(first, a, b)
        }
        I::SignedAddSaturating
        | I::UnsignedAddSaturating
        | I::SignedSubSaturating
        | I::UnsignedSubSaturating => {
            let b = second(algebra)?;
            saturating(algebra, intrinsic, a, b)?
        }
        I::FunnelShiftLeft | I::FunnelShiftRight => {
            let b = second(algebra)?;
            let amount = operands.scalar(algebra, *arguments.get(2)?)?;
            funnel(algebra, intrinsic == I::FunnelShiftLeft, a, b, amount)?
        }
        I::FloatAbs => algebra.unary(Op::FAbs, a),
        I::SquareRoot => algebra.unary(Op::FSqrt, a),
        I::Floor => algebra.round(Rounding::Down, a),
        I::Ceil => algebra.round(Rounding::Up, a),
        I::RoundToZero => algebra.round(Rounding::Zero, a),
        I::Round => algebra.round(Rounding::NearestAway, a),
        I::RoundEven | I::Rint | I::NearbyInt => algebra.round(Rounding::NearestEven, a),
        I::CopySign => {
            let b = second(algebra)?;
            copy_sign(algebra, a, b)
        }
        // Two roundings: the plain x86-64 has no fused operation.
        I::MultiplyAdd => {
            let b = second(algebra)?;
            let c = operands.scalar(algebra, *arguments.get(2)?)?;
            let product = algebra.binary(Op::FMul, a, b);
            algebra.binary(Op::FAdd, product, c)
        }
        I::Sine | I::Cosine | I::Tangent | I::Exp | I::Exp2 | I::Log | I::Log2 | I::Log10 => {
            let name = library::of_width(intrinsic.name(), width)?;
            algebra.external(&name, &[a], width)?
        }
        I::Power => {
            let b = second(algebra)?;
            let name = library::of_width("pow", width)?;
            algebra.external(&name, &[a, b], width)?
        }
        I::Expect | I::ExpectProbability => a,
        I::PointerMask => {
            let mask = second(algebra)?;
            let mask = algebra.resize(mask, width);
            algebra.binary(Op::And, a, mask)
        }
        _ => return None,
    })
}

/// Whether the intrinsic computes its result from the values of its arguments alone.
fn computes(intrinsic: Intrinsic) -> bool {
    use Intrinsic as I;
    !intrinsic.writes_memory()
        && !matches!(
            intrinsic,
            I::Assume
                | I::Trap
                | I::SanitizerTrap
                | I::DebugTrap
                | I::StackSave
                | I::StackRestore
                | I::ObjectSize
                | I::IsConstant
                | I::ThreadLocalAddress
                | I::FrameAddress
                | I::ReturnAddress
        )
}

/// Zeros before or behind the one bits. Of zero the processor gives what it will.
fn zeros<A: Algebra>(algebra: &mut A, op: Op, a: A::Value) -> A::Value {
    let count = algebra.unary(op, a);
    if algebra.known(a).is_some_and(|bits| bits != 0) {
        return count;
    }
    let width = algebra.width(a);
    let zero = algebra.constant(width, 0);
    let undefined = algebra.binary(Op::Eq, a, zero);
    let any = algebra.havoc(width, Some(count));
    algebra.ite(undefined, any, count)
}

fn overflow(intrinsic: Intrinsic) -> Option<(Op, bool)> {
    use Intrinsic as I;
    Some(match intrinsic {
        I::SignedAddOverflow => (Op::Add, true),
        I::UnsignedAddOverflow => (Op::Add, false),
        I::SignedSubOverflow => (Op::Sub, true),
        I::UnsignedSubOverflow => (Op::Sub, false),
        I::SignedMulOverflow => (Op::Mul, true),
        I::UnsignedMulOverflow => (Op::Mul, false),
        _ => return None,
    })
}

/// The wrapped result, and whether the exact one differs: computed in enough bits.
fn with_overflow<A: Algebra>(
    algebra: &mut A,
    op: Op,
    signed: bool,
    a: A::Value,
    b: A::Value,
) -> Option<(A::Value, A::Value)> {
    let width = algebra.width(a);
    let wide = if op == Op::Mul { 2 * width } else { width + 1 };
    if wide > 128 {
        return None;
    }
    let extend = if signed { Op::SExt } else { Op::ZExt };
    let result = algebra.binary(op, a, b);
    let wide_a = algebra.convert(extend, a, wide);
    let wide_b = algebra.convert(extend, b, wide);
    let exact = algebra.binary(op, wide_a, wide_b);
    let back = algebra.convert(extend, result, wide);
    let equal = algebra.binary(Op::Eq, exact, back);
    Some((result, algebra.not(equal)))
}

/// The two parts of such a result.
fn overflowing<V>((result, overflows): (V, V)) -> IrValue<V> {
    IrValue::Parts(vec![IrValue::Scalar(result), IrValue::Scalar(overflows)])
}

fn saturating<A: Algebra>(
    algebra: &mut A,
    intrinsic: Intrinsic,
    a: A::Value,
    b: A::Value,
) -> Option<A::Value> {
    use Intrinsic as I;
    let (op, signed) = match intrinsic {
        I::SignedAddSaturating => (Op::Add, true),
        I::UnsignedAddSaturating => (Op::Add, false),
        I::SignedSubSaturating => (Op::Sub, true),
        _ => (Op::Sub, false),
    };
    let width = algebra.width(a);
    let (result, overflows) = with_overflow(algebra, op, signed, a, b)?;
    let limit = if signed {
        let most = algebra.constant(width, (1 << (width - 1)) - 1);
        let least = algebra.constant(width, 1 << (width - 1));
        let zero = algebra.constant(width, 0);
        let negative = algebra.binary(Op::Slt, a, zero);
        algebra.ite(negative, least, most)
    } else {
        let bits = if op == Op::Add { u128::MAX } else { 0 };
        algebra.constant(width, bits)
    };
    Some(algebra.ite(overflows, limit, result))
}

fn funnel<A: Algebra>(
    algebra: &mut A,
    left: bool,
    high: A::Value,
    low: A::Value,
    amount: A::Value,
) -> Option<A::Value> {
    let width = algebra.width(high);
    if 2 * width > 128 {
        return None;
    }
    let modulus = algebra.constant(width, u128::from(width));
    let amount = algebra.binary(Op::URem, amount, modulus);
    let amount = algebra.resize(amount, 2 * width);
    let both = algebra.concat(high, low);
    Some(if left {
        let shifted = algebra.binary(Op::Shl, both, amount);
        algebra.extract(shifted, width, width)
    } else {
        let shifted = algebra.binary(Op::LShr, both, amount);
        algebra.extract(shifted, 0, width)
    })
}

/// Pieces of `size` bits in reverse order.
fn reversed<A: Algebra>(algebra: &mut A, a: A::Value, size: u32) -> A::Value {
    let width = algebra.width(a);
    let mut result = algebra.extract(a, 0, size);
    for low in (size..width).step_by(size as usize) {
        let piece = algebra.extract(a, low, size);
        result = algebra.concat(result, piece);
    }
    result
}

fn copy_sign<A: Algebra>(algebra: &mut A, a: A::Value, b: A::Value) -> A::Value {
    let width = algebra.width(a);
    let number = algebra.extract(a, 0, width - 1);
    let b = algebra.observed(b);
    let sign = algebra.extract(b, width - 1, 1);
    algebra.concat(sign, number)
}
