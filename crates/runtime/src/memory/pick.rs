//! Pointers that are one of several by a condition: `condition ? p : q`.
//!
//! Where such a pointer is compared, the condition decides; where memory is accessed through it, it
//! points to one object, so each condition on the way to that is a decision, once in a run. From
//! then on the pointer is as good as a constant.

use core::cell::Cell;

use labrys_abi::{OBJECT_SITE, Op, flag};

use crate::record::cell::SingleWriter;
use crate::record::event::decision_at;
use crate::record::node::node;

/// Conditions of one pointer, at most.
const MOST: usize = 256;

const SLOTS: usize = 1024;

/// Pointers that were decided, by their labels: direct-mapped.
static DECIDED: SingleWriter<[Cell<u32>; SLOTS]> =
    SingleWriter::new([const { Cell::new(0) }; SLOTS]);

/// Smaller values are offsets.
const FIRST_ADDRESS: u64 = 1 << 16;

/// Whether a label is that of a pointer that is one of several.
fn is_pick(label: u32) -> bool {
    let n = node(label);
    n.op == Op::Ite as u8 && n.width == 64 && n.cv >= FIRST_ADDRESS
}

/// The pointer that an address is a constant away from, if it is one of several.
fn pick_in(mut label: u32) -> Option<u32> {
    while !is_pick(label) {
        let n = node(label);
        if n.op != Op::Add as u8 || n.flags != flag::B_IMMEDIATE {
            return None;
        }
        label = n.a;
    }
    Some(label)
}

/// Whether the pointer with this label is one of several, and decided.
#[inline]
pub(crate) fn is_decided(label: u32) -> bool {
    DECIDED[label as usize % SLOTS].get() == label
}

/// Decides where an address points that is a constant away from one of several pointers; `false` if it
/// is no such address.
pub(crate) fn decide_pick(address: u32) -> bool {
    let Some(label) = pick_in(address) else {
        return false;
    };
    if is_decided(label) {
        return true;
    }
    DECIDED[label as usize % SLOTS].set(label);
    let mut pointer = label;
    for _ in 0..MOST {
        if pointer == 0 || !is_pick(pointer) {
            break;
        }
        let n = node(pointer);
        let first = node(n.c).cv & 1 == 1;
        decision_at(site(n.c), n.c, first);
        pointer = if first { n.a } else { n.b };
    }
    true
}

/// The site of a condition: each has one of its own, the same in every run.
fn site(condition: u32) -> u32 {
    let n = node(condition);
    let operand = match n.a {
        0 => 0,
        a => node(a).imm ^ u64::from(node(a).a),
    };
    let mixed = (operand.wrapping_mul(31) ^ n.imm).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    OBJECT_SITE + (mixed >> 49) as u32
}
