//! Comparisons whose result follows from the widths of what is compared: an index made of a byte
//! and the size of the table.

use labrys_abi::{Op, flag};

use crate::node::{Operand, mask, node};

/// Operations between a value and the extension that bounds it.
const DEPTH: u32 = 6;

/// Is the comparison of a labelled value with a constant the same for all inputs?
pub(crate) fn follows(op: Op, width: u32, a: Operand, b: Operand) -> bool {
    let (label, constant, constant_left) = match (a.label, b.label) {
        (0, label) if label != 0 => (label, mask(a.value, width), true),
        (label, 0) if label != 0 => (label, mask(b.value, width), false),
        _ => return false,
    };
    let Some((low, high)) = range(label, DEPTH) else {
        return false;
    };
    let half = mask(u64::MAX, width) / 2;
    if matches!(op, Op::Slt | Op::Sle) && (high > half || constant > half) {
        // A negative constant is below all that is not negative.
        return high <= half;
    }
    match (op, constant_left) {
        (Op::Eq | Op::Ne, _) => constant < low || constant > high,
        (Op::Ult | Op::Slt, false) | (Op::Ule | Op::Sle, true) => {
            constant > high || constant <= low
        }
        (Op::Ult | Op::Slt, true) | (Op::Ule | Op::Sle, false) => {
            constant >= high || constant < low
        }
        _ => false,
    }
}

/// The least and the largest value that a label of at most 64 bits can have, where operations
/// with constants on an extended value tell.
fn range(label: u32, depth: u32) -> Option<(u64, u64)> {
    let n = node(label);
    if depth == 0 || n.width > 64 {
        return None;
    }
    if n.op == Op::ZExt as u8 {
        let inner = u32::from(node(n.a).width);
        return range(n.a, depth - 1).or(Some((0, mask(u64::MAX, inner))));
    }
    if n.flags != flag::B_IMMEDIATE {
        return None;
    }
    let (low, high) = range(n.a, depth - 1)?;
    let of = |f: fn(u64, u64) -> Option<u64>| Some((f(low, n.imm)?, f(high, n.imm)?));
    let (low, high) = match Op::from_u8(n.op)? {
        Op::Add => of(u64::checked_add)?,
        Op::Sub => of(u64::checked_sub)?,
        Op::Mul => of(u64::checked_mul)?,
        Op::Shl if n.imm < 32 => of(|x, by| x.checked_mul(1 << by))?,
        Op::And => (0, high.min(n.imm)),
        _ => return None,
    };
    (high <= mask(u64::MAX, u32::from(n.width))).then_some((low, high))
}
