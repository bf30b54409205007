//! Slow paths of intrinsics: results composed of several nodes.

use labrys_abi::{Intrinsic, Meta, Op};

use crate::record::node::{
    Operand, binary, choose, concat, constant, mask, node, predicate, reify, signed, unary,
};
use crate::record::tracing::tracing;

/// A labelled intermediate result as an operand.
fn operand(label: u32) -> Operand {
    Operand::new(label, if label == 0 { 0 } else { node(label).cv })
}

/// Two-operand (or one-operand) intrinsic.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_intrinsic(
    meta: Meta,
    a: u32,
    b: u32,
    av: u64,
    bv: u64,
    value: u64,
) -> u32 {
    use Intrinsic as I;
    let Some(code) = Intrinsic::from_u8(meta.operation()) else {
        return 0;
    };
    if !tracing() {
        return 0;
    }
    let w = u32::from(meta.width());
    let (a, b) = (Operand::new(a, av), Operand::new(b, bv));
    match code {
        I::UMin | I::UMax | I::SMin | I::SMax => minimum(code, w, a, b, value),
        I::Abs => {
            let negative = predicate(Op::Slt, w, a, Operand::concrete(0), signed(av, w) < 0);
            choose(
                negative,
                unary(Op::Neg, w, 0, a.label, mask(av.wrapping_neg(), w)),
                a.label,
                value,
            )
        }
        I::ByteSwap => reversed(w, 8, a, value),
        I::BitReverse => reversed(w, 1, a, value),
        I::UAddSat | I::USubSat | I::SAddSat | I::SSubSat => saturating(code, w, a, b, value),
        I::UAddOverflow
        | I::USubOverflow
        | I::UMulOverflow
        | I::SAddOverflow
        | I::SSubOverflow
        | I::SMulOverflow => overflow(code, w, a, b, value != 0),
        I::FMin | I::FMax => float_minimum(code, w, a, b, value),
        I::CopySign => {
            let sign = 1u64 << (w - 1);
            let magnitude = binary(Op::And, w, w, a, Operand::concrete(!sign), av & !sign);
            let from = binary(Op::And, w, w, b, Operand::concrete(sign), bv & sign);
            let (m, s) = (
                Operand::new(magnitude, av & !sign),
                Operand::new(from, bv & sign),
            );
            binary(Op::Or, w, w, m, s, value)
        }
        I::FunnelLeft | I::FunnelRight | I::MulAdd | I::Choose => 0,
    }
}

fn minimum(code: Intrinsic, w: u32, a: Operand, b: Operand, value: u64) -> u32 {
    use Intrinsic as I;
    let (op, less) = match code {
        I::UMin | I::UMax => (Op::Ult, mask(a.value, w) < mask(b.value, w)),
        _ => (Op::Slt, signed(a.value, w) < signed(b.value, w)),
    };
    let condition = predicate(op, w, a, b, less);
    let (x, y) = (reify(a, w), reify(b, w));
    if matches!(code, I::UMin | I::SMin) {
        choose(condition, x, y, value)
    } else {
        choose(condition, y, x, value)
    }
}

/// IEEE minNum/maxNum as far as LLVM defines them: a NaN loses.
fn float_minimum(code: Intrinsic, w: u32, a: Operand, b: Operand, value: u64) -> u32 {
    let compare = |x: u64, y: u64| {
        if w == 32 {
            f32::from_bits(x as u32) < f32::from_bits(y as u32)
        } else {
            f64::from_bits(x) < f64::from_bits(y)
        }
    };
    let nan = |x: u64| {
        if w == 32 {
            f32::from_bits(x as u32).is_nan()
        } else {
            f64::from_bits(x).is_nan()
        }
    };
    let (x, y) = (reify(a, w), reify(b, w));
    let (left, right) = if code == Intrinsic::FMin {
        (a, b)
    } else {
        (b, a)
    };
    let less = predicate(Op::FOlt, w, left, right, compare(left.value, right.value));
    let b_nan = predicate(Op::FUno, w, b, b, nan(b.value));
    let take_a = if b_nan == 0 {
        less
    } else {
        let holds = node(less).cv | node(b_nan).cv;
        binary(Op::Or, 1, 1, operand(less), operand(b_nan), holds)
    };
    choose(take_a, x, y, value)
}

/// The value's `unit`-bit groups in reverse order.
fn reversed(w: u32, unit: u32, a: Operand, value: u64) -> u32 {
    let group = |i: u32| {
        unary(
            Op::Extract,
            unit,
            i * unit,
            a.label,
            mask(a.value >> (i * unit), unit),
        )
    };
    let mut label = group(0);
    let mut done = mask(a.value, unit);
    for i in 1..w / unit {
        // Group i goes below what is there.
        done = done << unit | mask(a.value >> (i * unit), unit);
        label = concat(label, group(i), done);
    }
    debug_assert!(label == 0 || node(label).cv == mask(value, w));
    label
}

fn saturating(code: Intrinsic, w: u32, a: Operand, b: Operand, value: u64) -> u32 {
    use Intrinsic as I;
    let add = matches!(code, I::UAddSat | I::SAddSat);
    let (op, plain) = if add {
        (Op::Add, a.value.wrapping_add(b.value))
    } else {
        (Op::Sub, a.value.wrapping_sub(b.value))
    };
    let plain = mask(plain, w);
    let over = match code {
        I::UAddSat => I::UAddOverflow,
        I::USubSat => I::USubOverflow,
        I::SAddSat => I::SAddOverflow,
        _ => I::SSubOverflow,
    };
    let overflowed = overflow(over, w, a, b, plain != mask(value, w));
    let limit = match code {
        I::UAddSat => constant(w, u64::MAX),
        I::USubSat => constant(w, 0),
        _ => {
            // The limit has the sign of `a`.
            let negative = predicate(Op::Slt, w, a, Operand::concrete(0), signed(a.value, w) < 0);
            let (low, high) = (1u64 << (w - 1), (1u64 << (w - 1)) - 1);
            let chosen = if signed(a.value, w) < 0 { low } else { high };
            if negative == 0 {
                constant(w, chosen)
            } else {
                choose(negative, constant(w, low), constant(w, high), chosen)
            }
        }
    };
    choose(overflowed, limit, binary(op, w, w, a, b, plain), value)
}

/// The overflow bit.
fn overflow(code: Intrinsic, w: u32, a: Operand, b: Operand, holds: bool) -> u32 {
    use Intrinsic as I;
    match code {
        I::UAddOverflow => {
            let sum = mask(a.value.wrapping_add(b.value), w);
            let r = Operand::new(binary(Op::Add, w, w, a, b, sum), sum);
            predicate(Op::Ult, w, r, a, holds)
        }
        I::USubOverflow => predicate(Op::Ult, w, a, b, holds),
        I::SAddOverflow | I::SSubOverflow => {
            let add = code == I::SAddOverflow;
            let (op, r) = if add {
                (Op::Add, mask(a.value.wrapping_add(b.value), w))
            } else {
                (Op::Sub, mask(a.value.wrapping_sub(b.value), w))
            };
            let result = Operand::new(binary(op, w, w, a, b, r), r);
            // (a ^ r) & (b ^ r) is negative; for subtraction (a ^ b) & (a ^ r).
            let xor = |x: Operand, y: Operand| {
                let v = mask(x.value ^ y.value, w);
                Operand::new(binary(Op::Xor, w, w, x, y, v), v)
            };
            let (p, q) = (xor(a, result), if add { xor(b, result) } else { xor(a, b) });
            let v = p.value & q.value;
            let both = Operand::new(binary(Op::And, w, w, p, q, v), v);
            predicate(Op::Slt, w, both, Operand::concrete(0), holds)
        }
        _ => product_overflow(code == I::SMulOverflow, w, a, b, holds),
    }
}

/// Multiplies at twice the width and compares with the extended result.
fn product_overflow(is_signed: bool, w: u32, a: Operand, b: Operand, holds: bool) -> u32 {
    let op = if is_signed { Op::SExt } else { Op::ZExt };
    let extend = |x: Operand| -> (u32, u128) {
        let wide = if is_signed {
            i128::from(signed(x.value, w)) as u128
        } else {
            u128::from(mask(x.value, w))
        };
        (unary(op, 2 * w, 0, reify(x, w), fold(wide, 2 * w)), wide)
    };
    let ((al, aw), (bl, bw)) = (extend(a), extend(b));
    let product = aw.wrapping_mul(bw);
    let full = Operand::new(al, fold(aw, 2 * w));
    let factor = Operand::new(bl, fold(bw, 2 * w));
    let label = binary(Op::Mul, 2 * w, 2 * w, full, factor, fold(product, 2 * w));
    if label == 0 {
        return 0;
    }
    let low = mask(product as u64, w);
    let part = unary(Op::Extract, w, 0, label, low);
    let back = if is_signed {
        i128::from(signed(low, w)) as u128
    } else {
        u128::from(low)
    };
    let extended = unary(op, 2 * w, 0, part, fold(back, 2 * w));
    let equal = binary(
        Op::Eq,
        1,
        2 * w,
        operand(label),
        operand(extended),
        u64::from(!holds),
    );
    crate::record::node::not(equal)
}

/// `cv` of a value of up to 128 bits.
fn fold(value: u128, width: u32) -> u64 {
    let value = if width >= 128 {
        value
    } else {
        value & ((1 << width) - 1)
    };
    value as u64 ^ (value >> 64) as u64
}

/// Three-operand intrinsic.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_ternary(
    meta: Meta,
    a: u32,
    b: u32,
    c: u32,
    av: u64,
    bv: u64,
    cv: u64,
    value: u64,
) -> u32 {
    let Some(code) = Intrinsic::from_u8(meta.operation()) else {
        return 0;
    };
    if !tracing() {
        return 0;
    }
    let w = u32::from(meta.width());
    let (a, b, c) = (
        Operand::new(a, av),
        Operand::new(b, bv),
        Operand::new(c, cv),
    );
    match code {
        Intrinsic::MulAdd => {
            let product = if w == 32 {
                u64::from((f32::from_bits(av as u32) * f32::from_bits(bv as u32)).to_bits())
            } else {
                (f64::from_bits(av) * f64::from_bits(bv)).to_bits()
            };
            let step = Operand::new(binary(Op::FMul, w, w, a, b, product), product);
            binary(Op::FAdd, w, w, step, c, value)
        }
        Intrinsic::FunnelLeft | Intrinsic::FunnelRight => funnel(code, w, a, b, c, value),
        Intrinsic::Choose if c.label == 0 => [b.label, a.label][usize::from(cv & 1 == 1)],
        Intrinsic::Choose if a.label == b.label && av == bv => a.label,
        Intrinsic::Choose => choose(c.label, reify(a, w), reify(b, w), value),
        _ => 0,
    }
}

/// `fshl`/`fshr`: the shift is modulo the width; a shift by 0 gives `a` (left) or `b` (right).
fn funnel(code: Intrinsic, w: u32, a: Operand, b: Operand, c: Operand, value: u64) -> u32 {
    let w64 = u64::from(w);
    let amount = mask(c.value, w) % w64;
    let reduced = if c.label == 0 {
        Operand::concrete(amount)
    } else {
        Operand::new(
            binary(Op::URem, w, w, c, Operand::concrete(w64), amount),
            amount,
        )
    };
    let rest_value = w64 - amount;
    let rest = if reduced.label == 0 {
        Operand::concrete(rest_value)
    } else {
        Operand::new(
            binary(Op::Sub, w, w, Operand::concrete(w64), reduced, rest_value),
            rest_value,
        )
    };
    let shift = |op: Op, x: Operand, by: Operand| {
        let v = match (by.value < 64, op) {
            (true, Op::Shl) => mask(x.value << by.value, w),
            (true, _) => mask(x.value, w) >> by.value,
            (false, _) => 0,
        };
        Operand::new(binary(op, w, w, x, by, v), v)
    };
    let left = code == Intrinsic::FunnelLeft;
    let (high, low) = if left {
        (shift(Op::Shl, a, reduced), shift(Op::LShr, b, rest))
    } else {
        (shift(Op::Shl, a, rest), shift(Op::LShr, b, reduced))
    };
    // A shift by the whole width is 0 in SMT-LIB, which is what a shift by 0 needs.
    binary(Op::Or, w, w, high, low, value)
}
