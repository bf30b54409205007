//! Symbolic addresses in small objects: decisions about which object they point into, and reads,
//! which become nodes with a snapshot of the object.

use core::cell::Cell;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use labrys_abi::{Node, OBJECT_SITE, Op};

use crate::memory::object::{Object, find, number};
use crate::memory::shadow::{is_concrete, raw_byte};
use crate::record::bound::is_at_most;
use crate::record::cell::SingleWriter;
use crate::record::entry::decide_entry;
use crate::record::event::decision_at;
use crate::record::node::{Operand, append, binary, mask, node, predicate};
use crate::record::region::data;

/// Largest object that is read as a table, bytes.
const LARGEST_TABLE: u64 = 4096;

/// The same of constant objects, of which one copy does for all runs.
const LARGEST_CONSTANT: u64 = 64 << 10;

/// Decisions about larger objects in a run: programs with large tables make one at each access.
const MOST_LARGE: u32 = 4096;

/// Decisions about addresses outside their objects in a run.
const MOST_OUTSIDE: u32 = 256;

/// A small object that a symbolic address of this run points into.
pub(crate) struct PointedObject {
    pub(crate) object: Object,
    /// The address as an offset in the object.
    pub(crate) offset: Operand,
}

/// The object that `size` bytes at the symbolic address `label` lie in, if it fits. That they lie
/// in it is recorded as a decision.
pub(crate) fn target(
    p: *const u8,
    label: u32,
    size: u32,
    fits: impl Fn(&Object) -> bool,
) -> Option<PointedObject> {
    let address = p as u64;
    if node(label).cv != address {
        return None;
    }
    decide_pointer(label);
    let object = find(address, u64::from(size))?;
    let fits = fits(&object);
    if !fits && object.size > LARGEST_TABLE && LARGE.fetch_add(1, Relaxed) >= MOST_LARGE {
        return None;
    }
    let value = address - object.address;
    let start = Operand::concrete(object.address);
    let offset = binary(Op::Sub, 64, 64, Operand::new(label, address), start, value);
    if offset == 0 {
        return None;
    }
    let offset = Operand::new(offset, value);
    let last = Operand::concrete(object.size - u64::from(size));
    if !is_at_most(offset.label, last.value) {
        let inside = predicate(Op::Ule, 64, offset, last, true);
        object_decision(&object, inside, true);
    }
    fits.then_some(PointedObject { object, offset })
}

/// Decides whether an address that is computed from a pointer `base` into an object stays in it, where
/// it does not: the access that follows may end the run, and nothing else tells of it.
pub(crate) fn decide_inside(base: u64, label: u32, address: u64) {
    let Some(object) = find(base, 1) else {
        return;
    };
    let value = address.wrapping_sub(object.address);
    if value <= object.size || OUTSIDE.fetch_add(1, Relaxed) >= MOST_OUTSIDE {
        return;
    }
    let start = Operand::concrete(object.address);
    let offset = binary(Op::Sub, 64, 64, Operand::new(label, address), start, value);
    if offset != 0 {
        let last = Operand::concrete(object.size - 1);
        let inside = predicate(Op::Ule, 64, Operand::new(offset, value), last, false);
        object_decision(&object, inside, false);
    }
}

/// Decisions about addresses outside their objects so far.
static OUTSIDE: AtomicU32 = AtomicU32::new(0);

/// Decisions about large objects so far.
static LARGE: AtomicU32 = AtomicU32::new(0);

/// Decides whether a symbolic number of bytes from `p` on, `size` in this run, stays inside the
/// object there. How many bytes there are, if the object is known.
pub(crate) fn decide_extent(p: *const u8, label: u32, size: u64) -> Option<u64> {
    let n = node(label);
    if n.width != 64 || n.cv != size {
        return None;
    }
    let object = find(p as u64, size.max(1))?;
    let room = object.address + object.size - p as u64;
    let extent = Operand::new(label, size);
    let inside = predicate(Op::Ule, 64, extent, Operand::concrete(room), true);
    object_decision(&object, inside, true);
    Some(room)
}

/// Snapshots of constant objects by address: direct-mapped.
static SNAPSHOTS: SingleWriter<[Cell<(u64, u32)>; 64]> =
    SingleWriter::new([const { Cell::new((0, 0)) }; 64]);

/// Copies an object's bytes (and labels) into the data section; they can be read.
pub(crate) fn snapshot(object: &Object) -> Option<u32> {
    let slot = (object.address >> 3) as usize % 64;
    let (address, offset) = SNAPSHOTS[slot].get();
    if object.constant && address == object.address {
        return Some(offset);
    }
    let size = object.size as usize;
    let start = object.address as *const u8;
    let labelled = !object.constant && !is_concrete(start, size);
    let bytes = size.next_multiple_of(4);
    let total = 8 + bytes + if labelled { 4 * size } else { 0 };
    let offset = data().reserve(total.next_multiple_of(8) as u32)?;
    // SAFETY: reserved above; the caller knows the object to be readable.
    unsafe {
        let to = data().at(offset);
        to.cast::<u32>().write(size as u32);
        to.cast::<u32>().add(1).write(u32::from(labelled));
        core::ptr::copy_nonoverlapping(start, to.add(8), size);
        core::ptr::write_bytes(to.add(8 + size), 0, bytes - size);
        if labelled {
            let labels = to.add(8 + bytes).cast::<u32>();
            for i in 0..size {
                let label = raw_byte(start.add(i));
                let current = label != 0 && node(label).cv == u64::from(*start.add(i));
                labels.add(i).write(if current { label } else { 0 });
            }
        }
    }
    if object.constant {
        SNAPSHOTS[slot].set((object.address, offset));
    }
    Some(offset)
}

/// Label of a read at the symbolic address `label`, 0 if it is not a read of a small object.
pub(crate) fn read_table(p: *const u8, label: u32, size: u32, value: u64) -> u32 {
    let readable = |o: &Object| o.size <= LARGEST_TABLE || o.constant && o.size <= LARGEST_CONSTANT;
    let Some(PointedObject { object, offset }) = target(p, label, size, readable) else {
        return 0;
    };
    let Some(table) = snapshot(&object) else {
        return 0;
    };
    if size == 8 {
        POINTERS_READ.store(true, Relaxed);
    }
    append(Node {
        op: Op::Table as u8,
        width: 8 * size as u16,
        a: offset.label,
        imm: u64::from(table),
        cv: mask(value, 8 * size),
        ..Node::default()
    })
}

/// Pointers of a table that are distinguished.
const MOST_POINTERS: usize = 16;

/// Was anything read from a table that may be a pointer?
static POINTERS_READ: AtomicBool = AtomicBool::new(false);

/// Decides which pointer of a table an address is made of, once for each read of the table.
fn decide_pointer(address: u32) {
    static DECIDED: SingleWriter<[Cell<u32>; 64]> = SingleWriter::new([const { Cell::new(0) }; 64]);
    if !POINTERS_READ.load(Relaxed) {
        return;
    }
    let Some(label) = pointer_in(address, 4) else {
        return;
    };
    if DECIDED[label as usize % 64].replace(label) != label {
        let known = |entry: u64| find(entry, 1).is_some();
        decide_entry(label, node(label).cv, MOST_POINTERS, known);
    }
}

/// The pointer read from a table that an address is made of by additions.
fn pointer_in(label: u32, depth: u32) -> Option<u32> {
    let n = node(label);
    if n.op == Op::Table as u8 && n.width == 64 {
        return find(n.cv, 1).map(|_| label);
    }
    if depth == 0 || (n.op != Op::Add as u8 && n.op != Op::Sub as u8) {
        return None;
    }
    let terms = [n.a, n.b].into_iter().filter(|term| *term != 0);
    terms
        .into_iter()
        .find_map(|term| pointer_in(term, depth - 1))
}

/// Whether a symbolic address is inside an object. Blocks of different sizes are different objects:
/// what is in the longer one cannot be had from a run with the shorter one.
pub(crate) fn object_decision(object: &Object, label: u32, holds: bool) {
    decision_at(OBJECT_SITE + (number(object) >> 49) as u32, label, holds);
}
