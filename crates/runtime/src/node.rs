//! Labels: appending nodes.
//!
//! Equal nodes get equal labels as long as they are found in a small direct-mapped cache; what
//! slips through is made equal again by whoever reads the run.

use labrys_abi::{Node, Op, flag};

use crate::state::{header, reserve, state, tracing};

/// A value with its label (0: concrete). Values wider than 64 bits are folded, see
/// [`Node::cv`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub(crate) label: u32,
    pub(crate) value: u64,
}

impl Operand {
    pub(crate) fn new(label: u32, value: u64) -> Self {
        Operand { label, value }
    }

    pub(crate) fn concrete(value: u64) -> Self {
        Operand { label: 0, value }
    }
}

const CACHE_BITS: u32 = 15;

/// Label and hash of recent nodes: the hash keeps a miss from touching the node itself.
static mut CACHE: [(u32, u32); 1 << CACHE_BITS] = [(0, 0); 1 << CACHE_BITS];

/// The low `width` bits of `value`.
#[inline]
pub(crate) fn mask(value: u64, width: u32) -> u64 {
    if width >= 64 {
        value
    } else {
        value & ((1 << width) - 1)
    }
}

/// The node of a label that is not 0.
#[inline]
pub(crate) fn node(label: u32) -> &'static Node {
    debug_assert!(label != 0 && label < state().node_capacity);
    // SAFETY: labels are handed out by `append` only, below the capacity.
    unsafe { &*state().nodes.add(label as usize) }
}

fn hash(n: &Node) -> u64 {
    let a = (u64::from(n.a) | u64::from(n.b) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let rest = u64::from(n.op) | u64::from(n.width) << 8 | u64::from(n.c) << 24;
    let b = (rest ^ n.imm.rotate_left(17)).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    (a ^ b.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Appends a node, or finds an equal one. 0 when this thread is not traced or the table full.
pub(crate) fn append(new: Node) -> u32 {
    if !tracing() {
        return 0;
    }
    let hash = hash(&new);
    let (slot, tag) = ((hash >> (64 - CACHE_BITS)) as usize, hash as u32);
    // SAFETY: only the traced thread gets here; the slot is below the cache's size.
    let cached = unsafe { &mut *(&raw mut CACHE).cast::<(u32, u32)>().add(slot) };
    if cached.0 != 0 && cached.1 == tag && *node(cached.0) == new {
        return cached.0;
    }
    let Some(label) = reserve(&header().node_count, 1, state().node_capacity) else {
        return 0;
    };
    // SAFETY: reserved above.
    unsafe { state().nodes.add(label as usize).write(new) };
    *cached = (label, tag);
    label
}

/// Appends `count` single-byte input nodes of one stream, from offset 0 on; the first label.
pub(crate) fn append_input_bytes(stream: u32, bytes: &[u8]) -> u32 {
    let count = bytes.len() as u32;
    let Some(first) = reserve(&header().node_count, count, state().node_capacity) else {
        return 0;
    };
    for (offset, byte) in bytes.iter().enumerate() {
        let node = Node {
            op: Op::Input as u8,
            width: 8,
            imm: u64::from(stream) << 32 | offset as u64,
            cv: u64::from(*byte),
            ..Node::default()
        };
        // SAFETY: reserved above.
        unsafe { state().nodes.add(first as usize + offset).write(node) };
    }
    first
}

/// A constant as a node.
pub(crate) fn constant(width: u32, value: u64) -> u32 {
    let value = mask(value, width);
    append(Node {
        op: Op::Const as u8,
        width: width as u16,
        imm: value,
        cv: value,
        ..Node::default()
    })
}

/// A label for an operand, made of a constant where it is concrete.
pub(crate) fn reify(operand: Operand, width: u32) -> u32 {
    if operand.label == 0 {
        constant(width, operand.value)
    } else {
        operand.label
    }
}

/// One-operand operation; `extra` as in [`labrys_abi::Meta`].
pub(crate) fn unary(op: Op, width: u32, extra: u32, a: u32, cv: u64) -> u32 {
    if a == 0 {
        return 0;
    }
    let mut new = Node {
        op: op as u8,
        width: width as u16,
        a,
        cv,
        ..Node::default()
    };
    match op {
        Op::Extract | Op::FRound => new.imm = u64::from(extra),
        Op::FToF | Op::FToU | Op::FToS | Op::UToF | Op::SToF => new.c = extra,
        _ => {}
    }
    let source = node(a);
    let same = u32::from(source.width) == width;
    match op {
        Op::ZExt | Op::SExt if same => return a,
        Op::Extract if same && extra == 0 => return a,
        Op::Extract if source.op == Op::ZExt as u8 && extra == 0 => {
            let inner = source.a;
            if u32::from(node(inner).width) == width {
                return inner;
            }
        }
        _ => {}
    }
    append(new)
}

/// Two-operand operation on operands of `operand_width` bits.
pub(crate) fn binary(
    op: Op,
    width: u32,
    operand_width: u32,
    a: Operand,
    b: Operand,
    cv: u64,
) -> u32 {
    if a.label == 0 && b.label == 0 {
        return 0;
    }
    let mut new = Node {
        op: op as u8,
        width: width as u16,
        a: a.label,
        b: b.label,
        cv: mask(cv, width),
        ..Node::default()
    };
    if op.is_predicate() {
        new.c = operand_width;
    }
    if a.label == 0 {
        new.flags = flag::A_IMMEDIATE;
        new.imm = mask(a.value, operand_width);
    } else if b.label == 0 {
        new.flags = flag::B_IMMEDIATE;
        new.imm = mask(b.value, operand_width);
    }
    append(new)
}

/// A one-bit operation on one-bit operands or a predicate, with its result.
pub(crate) fn predicate(op: Op, width: u32, a: Operand, b: Operand, holds: bool) -> u32 {
    binary(op, 1, width, a, b, u64::from(holds))
}

/// `high` above `low`, both with labels.
pub(crate) fn concat(high: u32, low: u32, cv: u64) -> u32 {
    if high == 0 || low == 0 {
        return 0;
    }
    let width = node(high).width + node(low).width;
    append(Node {
        op: Op::Concat as u8,
        width,
        a: high,
        b: low,
        cv,
        ..Node::default()
    })
}

/// `condition ? a : b`, all with labels.
pub(crate) fn choose(condition: u32, a: u32, b: u32, cv: u64) -> u32 {
    if condition == 0 || a == 0 || b == 0 {
        return 0;
    }
    append(Node {
        op: Op::Ite as u8,
        width: node(a).width,
        a,
        b,
        c: condition,
        cv,
        ..Node::default()
    })
}

/// The one-bit negation of a condition.
pub(crate) fn not(condition: u32) -> u32 {
    if condition == 0 {
        return 0;
    }
    let cv = node(condition).cv ^ 1;
    append(Node {
        op: Op::Not as u8,
        width: 1,
        a: condition,
        cv,
        ..Node::default()
    })
}
