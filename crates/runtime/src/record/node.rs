//! Labels: appending nodes.
//!
//! Equal nodes get equal labels as long as they are found in a small direct-mapped cache; what
//! slips through is made equal again by whoever reads the run.

use core::cell::Cell;

use labrys_abi::{Node, Op, flag};

use crate::record::cell::{SingleWriter, fill};
use crate::record::region::{Record, nodes};
use crate::record::tracing::tracing;

/// A value with its label (0: concrete). Values wider than 64 bits are folded, see
/// [`Node::cv`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub(crate) label: u32,
    pub(crate) value: u64,
}

impl Operand {
    pub(crate) const fn new(label: u32, value: u64) -> Self {
        Operand { label, value }
    }

    pub(crate) fn concrete(value: u64) -> Self {
        Operand { label: 0, value }
    }
}

const CACHE_BITS: u32 = 12;

/// An entry of the cache: label and tag.
type Recent = (u32, u32);

/// Whole pages.
#[repr(align(4096))]
struct NodeCache([Cell<Recent>; 1 << CACHE_BITS]);

/// Label and hash of recent nodes: the hash keeps a miss from touching the node itself. Small
/// enough to stay in the first level cache of the processor.
static CACHE: SingleWriter<NodeCache> =
    SingleWriter::new(NodeCache([const { Cell::new((0, 0)) }; 1 << CACHE_BITS]));

/// In the fork server: puts the cache into memory that all runs share, one after the other. A run
/// maps its pages at once, and would copy each of them otherwise.
pub(crate) fn share_cache() {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: replaces the pages of a variable by zeros, which it holds; if it fails, they stay.
    unsafe {
        let start = CACHE.0.as_ptr().cast_mut().cast();
        libc::mmap(start, size_of::<NodeCache>(), protection, flags, -1, 0);
    }
    clear_cache();
}

/// At the start of a run: the entries of an earlier one mean nothing.
pub(crate) fn clear_cache() {
    // SAFETY: a variable. What is read is mapped with its neighbors, see `region`.
    unsafe { CACHE.0.as_ptr().read_volatile() };
    fill(&CACHE.0, (0, 0));
}

/// The low `width` bits of `value`.
#[inline]
pub(crate) fn mask(value: u64, width: u32) -> u64 {
    if width >= 64 {
        value
    } else {
        value & ((1 << width) - 1)
    }
}

/// Sign-extended value.
pub(crate) fn signed(value: u64, width: u32) -> i64 {
    let shift = 64 - width;
    ((value << shift) as i64) >> shift
}

/// The node of a label that is not 0.
#[inline]
pub(crate) fn node(label: u32) -> &'static Node {
    debug_assert!(label != 0);
    // SAFETY: labels are handed out by `append` only, below the capacity.
    unsafe { &*nodes().at(label) }
}

/// Appends a node, or finds an equal one. 0 when this thread is not traced or the table full.
#[inline(always)]
pub(crate) fn append(new: Node) -> u32 {
    // SAFETY: a node is four words without padding.
    let [head, operands, immediate, cv] = unsafe { core::mem::transmute::<Node, Record>(new) };
    intern(head, operands, immediate, cv)
}

#[inline(never)]
extern "C" fn intern(head: u64, operands: u64, immediate: u64, cv: u64) -> u32 {
    if !tracing() {
        return 0;
    }
    // What it computes decides its value.
    let a = (head ^ immediate.rotate_left(24)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = a ^ operands.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    let (slot, tag) = (
        hash >> (64 - CACHE_BITS),
        (hash >> (32 - CACHE_BITS)) as u32,
    );
    let cached = &CACHE.0[slot as usize];
    let nodes = nodes();
    let (known_label, known_tag) = cached.get();
    if known_tag == tag && known_label != 0 {
        // SAFETY: the label was reserved below, and a node is four words.
        let known = unsafe { nodes.at(known_label).cast::<Record>().read() };
        let differs = known[0] ^ head | known[1] ^ operands | known[2] ^ immediate | known[3] ^ cv;
        if differs == 0 {
            return known_label;
        }
    }
    let Some(label) = nodes.reserve_ready(1) else {
        // As a tail call: what is rare costs no saving of registers.
        return intern_extended(head, operands, immediate, cv);
    };
    // SAFETY: reserved above.
    unsafe { nodes.write(label, [head, operands, immediate, cv]) };
    cached.set((label, tag));
    label
}

#[cold]
#[inline(never)]
extern "C" fn intern_extended(head: u64, operands: u64, immediate: u64, cv: u64) -> u32 {
    if nodes().extend(1) {
        intern(head, operands, immediate, cv)
    } else {
        0
    }
}

/// Appends `count` single-byte input nodes of one stream, from offset 0 on; the first label.
pub(crate) fn append_input_bytes(stream: u32, bytes: &[u8]) -> u32 {
    let count = bytes.len() as u32;
    let Some(first) = nodes().reserve(count) else {
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
        // SAFETY: a node is four words without padding.
        let words = unsafe { core::mem::transmute::<Node, Record>(node) };
        // SAFETY: reserved above.
        unsafe { nodes().write(first + offset as u32, words) };
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
#[inline]
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
#[inline(never)]
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
