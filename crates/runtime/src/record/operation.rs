//! Slow paths of operations: at least one operand has a label.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use labrys_abi::{Cause, Meta, Node, Op, RuntimeSite, WIDE_PREDICATE};

use crate::record::event::{concretized, decision};
use crate::record::node::{
    Operand, append, binary, concat, constant, mask, node, not, predicate, unary,
};
use crate::record::tracing::tracing;

/// One-operand operation; the result is `low` and, above 64 bits, `high`.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_unary(meta: Meta, a: u32, low: u64, high: u64) -> u32 {
    let Some(op) = Op::from_u8(meta.operation()) else {
        return 0;
    };
    let (width, cv) = (u32::from(meta.width()), low ^ high);
    match op {
        Op::FToU | Op::FToS if a != 0 => to_integer(op, width, meta.extra(), a, cv),
        _ => unary(op, width, meta.extra(), a, cv),
    }
}

/// A float of `from` bits as an integer. The processor converts to 32 or 64 signed bits, and the
/// upper ones are cut off. That decides the result where the number is out of range.
fn to_integer(op: Op, width: u32, from: u32, a: u32, cv: u64) -> u32 {
    let number = match from {
        32 => f64::from(f32::from_bits(node(a).cv as u32)),
        _ => f64::from_bits(node(a).cv),
    };
    let wide = match op {
        _ if width < 32 => 32,
        Op::FToU if width == 32 => 64,
        _ => width,
    };
    if wide > width {
        let bound = power_of_two(wide - 1);
        let in_range = number >= -bound && number < bound;
        let whole = if in_range {
            number as i64 as u64
        } else {
            1 << (wide - 1)
        };
        let label = unary(Op::FToS, wide, from, a, mask(whole, wide));
        if mask(whole, width) == cv {
            return unary(Op::Extract, width, 0, label, cv);
        }
    } else if is_exact(op, width, number, cv) {
        return unary(op, width, from, a, cv);
    }
    concretized(Cause::Operation, a, node(a).cv);
    0
}

/// `2^exponent`.
fn power_of_two(exponent: u32) -> f64 {
    f64::from_bits(u64::from(1023 + exponent) << 52)
}

/// Does compiled code convert a number as the operation does?
fn is_exact(op: Op, width: u32, number: f64, cv: u64) -> bool {
    let in_range = if op == Op::FToU {
        number > -1.0 && number < power_of_two(width)
    } else {
        let bound = power_of_two(width - 1);
        (number == -bound || number > -bound - 1.0) && number < bound
    };
    let out_of_range = 1 << (if width > 64 { width - 65 } else { width - 1 });
    in_range || cv == out_of_range
}

/// Two-operand operation on at most 64 bits.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_binary(
    meta: Meta,
    a: u32,
    b: u32,
    av: u64,
    bv: u64,
    value: u64,
) -> u32 {
    let Some(op) = Op::from_u8(meta.operation()) else {
        return 0;
    };
    let width = u32::from(meta.width());
    // What clears every bit needs no node.
    let absorbed = |x: u64| matches!(op, Op::And | Op::Mul) && x == 0;
    if (a == 0 && absorbed(av)) || (b == 0 && absorbed(bv)) {
        return 0;
    }
    let neutral = |x: u64| x == 0 && matches!(op, Op::Add | Op::Or | Op::Xor);
    if b == 0 && (neutral(bv) || (bv == 0 && matches!(op, Op::Sub | Op::Shl | Op::LShr | Op::AShr)))
    {
        return a;
    }
    if a == 0 && neutral(av) {
        return b;
    }
    let (a, b) = (Operand::new(a, av), Operand::new(b, bv));
    if matches!(op, Op::SDiv | Op::SRem) && matches!(width, 32 | 64) {
        decide_quotient(width, a, b);
    }
    binary(op, width, width, a, b, value)
}

/// Decisions about quotients in a run: a loop makes one in each iteration.
const MOST_QUOTIENTS: u32 = 64;

/// Decides whether a signed quotient can be represented: the processor refuses to divide the
/// least number by -1. This division was made. Like an address that lies inside its object, it is
/// a target on its other side.
fn decide_quotient(width: u32, a: Operand, b: Operand) {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let (least, minus_one) = (1 << (width - 1), mask(u64::MAX, width));
    let may = |x: Operand, wanted| x.label != 0 || mask(x.value, width) == wanted;
    if !may(a, least) || !may(b, minus_one) || MADE.fetch_add(1, Relaxed) >= MOST_QUOTIENTS {
        return;
    }
    let differs = |x: Operand, other| {
        let differs = mask(x.value, width) != other;
        let label = predicate(Op::Ne, width, x, Operand::concrete(other), differs);
        Operand::new(label, u64::from(differs))
    };
    let (a, b) = (differs(a, least), differs(b, minus_one));
    let fits = binary(Op::Or, 1, 1, a, b, a.value | b.value);
    decision(RuntimeSite::InBounds, fits, a.value | b.value == 1);
}

/// A 128-bit constant or label as a label.
fn reify_wide(label: u32, width: u32, low: u64, high: u64) -> u32 {
    if label != 0 {
        return label;
    }
    concat(
        constant(width - 64, high),
        constant(64, low),
        low ^ mask(high, width - 64),
    )
}

/// Operation or comparison on 65 to 128 bits.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_wide(
    meta: Meta,
    a: u32,
    b: u32,
    al: u64,
    ah: u64,
    bl: u64,
    bh: u64,
    rl: u64,
    rh: u64,
) -> u32 {
    if !tracing() {
        return 0;
    }
    let width = u32::from(meta.width());
    let a = Operand::new(reify_wide(a, width, al, ah), al ^ ah);
    let b = Operand::new(reify_wide(b, width, bl, bh), bl ^ bh);
    if a.label == 0 || b.label == 0 {
        return 0;
    }
    if meta.operation() >= WIDE_PREDICATE {
        return integer_compare(meta.operation() - WIDE_PREDICATE, width, a, b, rl != 0);
    }
    let Some(op) = Op::from_u8(meta.operation()) else {
        return 0;
    };
    append(Node {
        op: op as u8,
        width: meta.width(),
        a: a.label,
        b: b.label,
        cv: rl ^ rh,
        ..Node::default()
    })
}

/// Comparison with a predicate in LLVM's numbering.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_compare(
    meta: Meta,
    a: u32,
    b: u32,
    av: u64,
    bv: u64,
    value: u64,
) -> u32 {
    let width = u32::from(meta.width());
    let (a, b) = (Operand::new(a, av), Operand::new(b, bv));
    let code = meta.operation();
    if code < 32 {
        return float_compare(code, width, a, b, value != 0);
    }
    if b.label == 0 && code <= 33 {
        if width == 1 {
            // A truth value compared with a constant is itself or its negation.
            let same = (code == 32) == (b.value & 1 == 1);
            return if same { a.label } else { not(a.label) };
        }
        if b.value == 0
            && let Some(inner) = truth(code, a)
        {
            return inner;
        }
    }
    integer_compare(code, width, a, b, value != 0)
}

/// `zext(c) == 0` and `zext(c) != 0` for a one-bit `c`.
fn truth(code: u8, a: Operand) -> Option<u32> {
    let n = node(a.label);
    if n.op != Op::ZExt as u8 || node(n.a).width != 1 {
        return None;
    }
    Some(if code == 32 { not(n.a) } else { n.a })
}

/// LLVM's integer predicates from 32 on, and whether their operands are swapped: eq, ne, ugt,
/// uge, ult, ule, sgt, sge, slt, sle. A table, since a jump would seldom be foreseen.
const PREDICATES: [(Op, bool); 10] = [
    (Op::Eq, false),
    (Op::Ne, false),
    (Op::Ult, true),
    (Op::Ule, true),
    (Op::Ult, false),
    (Op::Ule, false),
    (Op::Slt, true),
    (Op::Sle, true),
    (Op::Slt, false),
    (Op::Sle, false),
];

#[inline(always)]
fn integer_compare(code: u8, width: u32, a: Operand, b: Operand, holds: bool) -> u32 {
    let Some((op, swapped)) = PREDICATES.get(usize::from(code.wrapping_sub(32))) else {
        return 0;
    };
    let (a, b) = if *swapped { (b, a) } else { (a, b) };
    predicate(*op, width, a, b, holds)
}

fn ordering(width: u32, a: u64, b: u64) -> Option<core::cmp::Ordering> {
    if width == 32 {
        f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32))
    } else {
        f64::from_bits(a).partial_cmp(&f64::from_bits(b))
    }
}

/// LLVM's floating predicates, from the ordered ones and "unordered":
/// bit 0 equal, bit 1 greater, bit 2 less, bit 3 unordered.
#[inline(never)]
fn float_compare(code: u8, width: u32, a: Operand, b: Operand, holds: bool) -> u32 {
    use core::cmp::Ordering::{Equal, Greater, Less};
    let order = ordering(width, a.value, b.value);
    let unordered = || predicate(Op::FUno, width, a, b, order.is_none());
    let compare = |op, x, y, holds| predicate(op, width, x, y, holds);
    let ordered = || match code & 7 {
        1 | 6 => compare(Op::FOeq, a, b, order == Some(Equal)),
        2 => compare(Op::FOlt, b, a, order == Some(Greater)),
        3 => compare(Op::FOle, b, a, matches!(order, Some(Greater | Equal))),
        4 => compare(Op::FOlt, a, b, order == Some(Less)),
        5 => compare(Op::FOle, a, b, matches!(order, Some(Less | Equal))),
        _ => 0,
    };
    match code {
        1..=5 => ordered(),
        // Neither equal nor unordered.
        6 => not(either(ordered(), unordered(), !holds)),
        7 => not(unordered()),
        8 => unordered(),
        9..=13 => either(ordered(), unordered(), holds),
        // Not equal.
        14 => not(ordered()),
        _ => 0,
    }
}

/// The disjunction of two conditions, 0 if one of them has no label.
fn either(x: u32, y: u32, holds: bool) -> u32 {
    if x == 0 || y == 0 {
        return 0;
    }
    let [x, y] = [x, y].map(|label| Operand::new(label, node(label).cv));
    binary(Op::Or, 1, 1, x, y, u64::from(holds))
}
