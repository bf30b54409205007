//! Stores at symbolic addresses and fills of symbolic length in small objects: each element is the
//! new value if the address is its own, or the fill gets to it, else what it was.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use labrys_abi::{Cause, Op, RuntimeSite};

use crate::memory::access::{__labrys_slow_fill, load_value};
use crate::memory::object::Object;
use crate::memory::pick::decide_pick;
use crate::memory::shadow::{low_byte, set};
use crate::memory::table::{PointedObject, decide_extent, target};
use crate::record::event::{concretized, decision};
use crate::record::node::{Operand, binary, choose, mask, node, predicate, reify, unary};
use crate::record::tracing::tracing;

/// Elements of an object that is written as a whole, at most.
const ELEMENTS: u64 = 128;

/// Elements that one run writes this way, at most: each costs two nodes, and layers of them cost
/// the solver.
const BUDGET: u32 = 1 << 14;

static SPENT: AtomicU32 = AtomicU32::new(0);

/// Before a store of `size` ≤ 8 bytes at the symbolic address `address`: labels every other
/// element of the object; the label of what will stand at `p`.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_store_at(
    p: *const u8,
    address: u32,
    size: u32,
    label: u32,
    value: u64,
) -> u32 {
    if !tracing() || decide_pick(address) {
        return label;
    }
    let width = 8 * size;
    let small = |o: &Object| {
        let elements = o.size / u64::from(size);
        !o.constant
            && elements <= ELEMENTS
            && SPENT.load(Relaxed) + elements as u32 <= BUDGET
            && size.is_power_of_two()
    };
    let Some(t) = target(p, address, size, small) else {
        concretized(Cause::StoreAddress, address, p as u64);
        return label;
    };
    let value = mask(value, width);
    let label = match label {
        0 => 0,
        l if u32::from(node(l).width) < width => unary(Op::ZExt, width, 0, l, value),
        l => l,
    };
    scatter(&t, size, Operand::new(label, value))
}

/// Before a fill of symbolic length: labels every byte that a longer one would get to.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __labrys_slow_fill_some(
    to: *const u8,
    label: u32,
    value: u64,
    size: u64,
    length: u32,
) {
    if !tracing() || length == 0 {
        return __labrys_slow_fill(to, label, size, 0);
    }
    let small = |room: &u64| {
        *room <= ELEMENTS && u64::from(SPENT.load(Relaxed)) + room <= u64::from(BUDGET)
    };
    let Some(room) = decide_extent(to, length, size).filter(small) else {
        return __labrys_slow_fill(to, label, size, length);
    };
    let (new, extent) = (
        Operand::new(low_byte(label), mask(value, 8)),
        Operand::new(length, size),
    );
    for i in 0..room {
        let (at, here) = (to.wrapping_add(i as usize), i < size);
        let old = load_value(at, 1);
        let mut label = 0;
        if old.label != 0 || new.label != 0 || old.value != new.value {
            SPENT.fetch_add(1, Relaxed);
            let filled = predicate(Op::Ult, 64, Operand::concrete(i), extent, here);
            let value = if here { new.value } else { old.value };
            label = choose(filled, reify(new, 8), reify(old, 8), value);
        }
        set(at, 1, label);
    }
}

/// Decides how far the offset is behind a multiple of the element's size. Each such distance has
/// elements of its own, so runs with different ones have different paths: a chain of decisions.
fn decide_phase(offset: Operand, step: u64, phase: u64) {
    let most = Operand::concrete(step - 1);
    let low = Operand::new(binary(Op::And, 64, 64, offset, most, phase), phase);
    // The last one is what is left.
    for other in 0..=phase.min(step - 2) {
        let is_own = other == phase;
        let equal = predicate(Op::Eq, 64, low, Operand::concrete(other), is_own);
        decision(RuntimeSite::InBounds, equal, is_own);
    }
}

fn scatter(t: &PointedObject, size: u32, new: Operand) -> u32 {
    let step = u64::from(size);
    let phase = t.offset.value % step;
    if step > 1 {
        decide_phase(t.offset, step, phase);
    }
    let mut result = new.label;
    let mut offset = phase;
    while offset + step <= t.object.size {
        let at = (t.object.address + offset) as *const u8;
        let old = load_value(at, size);
        let here = offset == t.offset.value;
        if old.label != 0 || new.label != 0 || old.value != new.value {
            SPENT.fetch_add(1, Relaxed);
            let own = predicate(Op::Eq, 64, t.offset, Operand::concrete(offset), here);
            let value = if here { new.value } else { old.value };
            let (a, b) = (reify(new, 8 * size), reify(old, 8 * size));
            let label = choose(own, a, b, value);
            if here {
                result = label;
            } else {
                set(at, size as usize, label);
            }
        }
        offset += step;
    }
    result
}
