//! Indices that are inside a table whatever the input: those made of a byte, by their widths.

use labrys_abi::{Op, flag};

use super::node::{mask, node};

/// Operations between a value and the extension that bounds it.
const DEPTH: u32 = 6;

/// Is a labelled value at most `most` for all inputs? If not, it may still be.
pub(crate) fn is_at_most(label: u32, most: u64) -> bool {
    range(label, DEPTH).is_some_and(|(_, high)| high <= most)
}

/// The least and the largest value that a label of at most 64 bits can have, where operations
/// with constants on an extended value show it.
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
