//! Pointers that are one of several by a condition: `condition ? p : q`.
//!
//! Where such a pointer is compared, the condition decides; where memory is accessed through it, it
//! points to one object, so each condition on the way to that is a decision, once in a run. From
//! then on the pointer is as good as a constant.
//!
//! A null pointer ends the run at the access, before anything is recorded of it. So the server, which
//! sees the records too, decides the null pointers of such a run behind its end.

use core::cell::Cell;

use labrys_abi::{Event, EventKind, Node, OBJECT_SITE, Op, flag};

use crate::record::cell::SingleWriter;
use crate::record::event::decision_at;
use crate::record::node::node;
use crate::record::region::{events, nodes};

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

/// Null pointers of one run that are decided behind its end, at most.
const MOST_NULLS: usize = 32;
/// The pointers of a driver are among the first nodes.
const FIRST_NODES: u32 = 1 << 16;

/// Whether a node is a null pointer that could be another one.
fn is_null_pick(n: &Node) -> bool {
    let other = |label: u32| label != 0 && node(label).cv >= FIRST_ADDRESS;
    n.op == Op::Ite as u8 && n.width == 64 && n.cv == 0 && (other(n.a) || other(n.b))
}

/// Decides the null pointers of a run that ended at an access, in the server: one of them may be what
/// ended it. Those that the run decided itself are left out.
pub(crate) fn decide_nulls() {
    let mut conditions = [0; MOST_NULLS];
    let mut found = 0;
    for label in 1..nodes().count().min(FIRST_NODES) {
        let n = node(label);
        if found < MOST_NULLS && is_null_pick(n) && !conditions[..found].contains(&n.c) {
            conditions[found] = n.c;
            found += 1;
        }
    }
    for index in 0..if found > 0 { events().count() } else { 0 } {
        // SAFETY: below the count.
        let event = unsafe { &*events().at(index) };
        let decided = event.kind == EventKind::Runtime as u8 && event.site >= OBJECT_SITE;
        if decided && let Some(at) = conditions.iter().position(|one| *one == event.label) {
            conditions[at] = 0;
        }
    }
    for condition in conditions.into_iter().filter(|one| *one != 0) {
        events().append_behind(Event {
            kind: EventKind::Runtime as u8,
            site: site(condition),
            label: condition,
            direction: (node(condition).cv & 1) as u32,
            ..Event::default()
        });
    }
}

/// Nodes of a condition that its site is made of, at most.
const MOST_PARTS: usize = 64;

/// The site of a condition: each has one of its own, the same in every run that comes to it in the same
/// way. So it is made of what the condition computes: labels, and places in the data section, are
/// others in a run whose input is longer.
fn site(condition: u32) -> u32 {
    let mut open = [0; MOST_PARTS];
    open[0] = condition;
    let (mut next, mut count) = (0, 1);
    let mut mixed = 0_u64;
    while next < count {
        let n = node(open[next]);
        next += 1;
        let constant = match [Op::Table as u8, Op::External as u8].contains(&n.op) {
            true => 0,
            false => n.imm,
        };
        // Of others the third operand is a width.
        let (third, width) = match n.op == Op::Ite as u8 {
            true => (n.c, 0),
            false => (0, n.c),
        };
        let computed = u64::from(n.op) << 24 | u64::from(n.width) << 8 | u64::from(n.flags);
        for part in [computed, constant, u64::from(width)] {
            mixed = (mixed.rotate_left(5) ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        for operand in [n.a, n.b, third] {
            if operand != 0 && count < MOST_PARTS {
                open[count] = operand;
                count += 1;
            }
        }
    }
    OBJECT_SITE + (mixed >> 49) as u32
}
