//! Which object does an address point into; reads of small objects at symbolic addresses.
//!
//! Objects are global variables (a table in the program), variables on the stack (announced by
//! their function), blocks of the heap, and the character tables of the C library.

use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering::Relaxed};

use labrys_abi::{Node, Op, RuntimeSite};

use crate::bound::is_at_most;
use crate::event::{decision, object_decision};
use crate::node::{Operand, append, binary, mask, node, predicate};
use crate::shadow::{is_concrete, raw_byte};
use crate::state::{
    __labrys_globals, __labrys_globals_count, __labrys_stack, __labrys_stack_top, GlobalObject,
    StackObject, state,
};

/// Largest object that is read as a table, bytes.
const LARGEST_TABLE: u64 = 4096;
/// The same of constant objects, of which one copy does for all runs.
const LARGEST_CONSTANT: u64 = 64 << 10;
/// Decisions about larger objects in a run: programs with large tables make one at each access.
const MOST_LARGE: u32 = 4096;

/// A known object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) constant: bool,
}

impl Object {
    fn contains(&self, address: u64, size: u64) -> bool {
        let offset = address.wrapping_sub(self.address);
        size <= self.size && offset <= self.size - size
    }
}

/// A small object that a symbolic address of this run points into.
pub(crate) struct Target {
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
) -> Option<Target> {
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
    fits.then_some(Target { object, offset })
}

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

/// The object around `size` bytes at `address`.
pub(crate) fn find(address: u64, size: u64) -> Option<Object> {
    let around = |o: &Object| o.contains(address, size);
    on_stack(address)
        .filter(around)
        .or_else(|| crate::heap::find(address).filter(around))
        .or_else(|| global(address).filter(around))
        .or_else(|| character_table(address).filter(around))
}

/// The variable on the stack around an address, newest first. What lies below this call is dead.
fn on_stack(address: u64) -> Option<Object> {
    let here = 0u8;
    if address < (&raw const here) as u64 {
        return None;
    }
    // SAFETY: written by the traced thread only, which is the one that reads.
    let stack = unsafe {
        let first = (&raw const __labrys_stack).cast::<StackObject>();
        core::slice::from_raw_parts(first, __labrys_stack_top as usize)
    };
    let around = |o: &&StackObject| address.wrapping_sub(o.address) < o.size;
    stack.iter().rev().find(around).map(|o| Object {
        address: o.address,
        size: o.size,
        constant: false,
    })
}

/// Where global variables are: from the first to the end of the last. Empty until they are sorted.
static BOUNDS: (AtomicU64, AtomicU64) = (AtomicU64::new(u64::MAX), AtomicU64::new(0));

/// Global variables, by binary search in an index that is sorted before the first run.
fn global(address: u64) -> Option<Object> {
    if address < BOUNDS.0.load(Relaxed) || address >= BOUNDS.1.load(Relaxed) {
        return None;
    }
    let rows = globals();
    let index = rows
        .partition_point(|row| row.address <= address)
        .checked_sub(1)?;
    let row = &rows[index];
    Some(Object {
        address: row.address,
        size: row.size,
        constant: row.constant != 0,
    })
}

/// Sorts the index of global variables. Before the first run.
pub(crate) fn prepare() {
    let rows = globals();
    rows.sort_unstable_by_key(|row| row.address);
    if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
        BOUNDS.0.store(first.address, Relaxed);
        BOUNDS.1.store(last.address + last.size, Relaxed);
    }
}

fn globals() -> &'static mut [GlobalObject] {
    // SAFETY: the table is a constant of the program but for the order of its rows, which only
    // this function, on the one traced thread, changes.
    unsafe {
        let rows = (&raw const __labrys_globals).cast_mut().cast();
        core::slice::from_raw_parts_mut(rows, __labrys_globals_count as usize)
    }
}

unsafe extern "C" {
    fn __ctype_b_loc() -> *const *const u16;
    fn __ctype_tolower_loc() -> *const *const i32;
    fn __ctype_toupper_loc() -> *const *const i32;
}

/// Where the traced thread's pointers to its character tables are, found when first asked for,
/// and the size of an entry.
static CHARACTERS: [(AtomicPtr<u64>, u64); 3] = [
    (AtomicPtr::new(null_mut()), 2),
    (AtomicPtr::new(null_mut()), 4),
    (AtomicPtr::new(null_mut()), 4),
];

/// The tables behind `isalpha`, `tolower` and `toupper`: indices −128 to 255.
fn character_table(address: u64) -> Option<Object> {
    if CHARACTERS[0].0.load(Relaxed).is_null() {
        // SAFETY: always valid.
        let places: [*const u64; 3] = unsafe {
            [
                __ctype_b_loc().cast(),
                __ctype_tolower_loc().cast(),
                __ctype_toupper_loc().cast(),
            ]
        };
        for (known, place) in CHARACTERS.iter().zip(places) {
            known.0.store(place.cast_mut(), Relaxed);
        }
    }
    CHARACTERS
        .iter()
        .map(|(place, entry)| Object {
            // SAFETY: only the traced thread gets here; its pointers and glibc's tables stay.
            address: unsafe { *place.load(Relaxed) } - 128 * entry,
            size: 384 * entry,
            constant: true,
        })
        .find(|o| o.contains(address, 1))
}

/// Snapshots of constant objects by address: direct-mapped.
static mut SNAPSHOTS: [(u64, u32); 64] = [(0, 0); 64];

/// Copies an object's bytes (and labels) into the data section.
fn snapshot(object: &Object) -> Option<u32> {
    let slot = (object.address >> 3) as usize % 64;
    // SAFETY: only the traced thread gets here.
    let cached = unsafe { &mut *(&raw mut SNAPSHOTS).cast::<(u64, u32)>().add(slot) };
    if object.constant && cached.0 == object.address {
        return Some(cached.1);
    }
    let size = object.size as usize;
    let start = object.address as *const u8;
    let labelled = !object.constant && !is_concrete(start, size);
    let bytes = size.next_multiple_of(4);
    let total = 8 + bytes + if labelled { 4 * size } else { 0 };
    let offset = state().data.reserve(total.next_multiple_of(8) as u32)?;
    // SAFETY: reserved above; the object is readable (the program has just read from it).
    unsafe {
        let to = state().data.at(offset);
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
        *cached = (object.address, offset);
    }
    Some(offset)
}

/// Label of a read at the symbolic address `label`, 0 if it is not a read of a small object.
pub(crate) fn read_table(p: *const u8, label: u32, size: u32, value: u64) -> u32 {
    let readable = |o: &Object| o.size <= LARGEST_TABLE || o.constant && o.size <= LARGEST_CONSTANT;
    let Some(Target { object, offset }) = target(p, label, size, readable) else {
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

/// Alternatives that are offered for one call.
const MOST_TARGETS: usize = 64;
/// Functions of one program are not further apart than this.
const TEXT: u64 = 1 << 28;

/// Decides which function of a table a symbolic call target is: each other one is a flip away.
/// `false` if the label is not a read of a constant table.
pub(crate) fn decide_target(label: u32, value: u64) -> bool {
    let function = |entry: u64| entry.abs_diff(value) < TEXT;
    decide_entry(label, value, MOST_TARGETS, function)
}

/// Pointers of a table that are told apart.
const MOST_POINTERS: usize = 16;

/// Was anything read from a table that may be a pointer?
static POINTERS_READ: AtomicBool = AtomicBool::new(false);

/// Decides which pointer of a table an address is made of, once for each read of the table.
fn decide_pointer(address: u32) {
    static mut DECIDED: [u32; 64] = [0; 64];
    if !POINTERS_READ.load(Relaxed) {
        return;
    }
    let Some(label) = pointer_in(address, 4) else {
        return;
    };
    // SAFETY: only the traced thread gets here.
    let decided = unsafe {
        let slots = (&raw mut DECIDED).cast::<u32>();
        core::mem::replace(&mut *slots.add(label as usize % 64), label)
    };
    if decided != label {
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

/// A chain of decisions: which entry of a table was read? Entries that `counts` refuses are left
/// out; `false` if there is no such chain.
fn decide_entry(label: u32, value: u64, most: usize, counts: impl Fn(u64) -> bool) -> bool {
    let n = node(label);
    if n.op != Op::Table as u8 || n.width != 64 {
        return false;
    }
    // SAFETY: written by `snapshot`: length, a flag, then the bytes.
    let (bytes, labelled) = unsafe {
        let table = state().data.at(n.imm as u32);
        let head = table.cast::<u32>();
        let size = head.read() as usize;
        let bytes = core::slice::from_raw_parts(table.add(8), size);
        (bytes, head.add(1).read() != 0)
    };
    if labelled {
        return false;
    }
    let phase = node(n.a).cv as usize % 8;
    let mut seen = [0u64; MOST_TARGETS];
    let mut count = 0;
    for entry in bytes[phase.min(bytes.len())..].chunks_exact(8) {
        let entry = entry.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
        if count == most || seen[..count].contains(&entry) || !counts(entry) {
            continue;
        }
        seen[count] = entry;
        count += 1;
        let (x, y) = (Operand::new(label, value), Operand::concrete(entry));
        let same = entry == value;
        decision(
            RuntimeSite::Library,
            predicate(Op::Eq, 64, x, y, same),
            same,
        );
        if same {
            return true;
        }
    }
    false
}
