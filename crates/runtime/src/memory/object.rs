//! Which object an address points into.
//!
//! Objects are global variables (a table in the program), variables on the stack (announced by
//! their function), blocks of the heap, and the character tables of the C library.

use core::ptr::null_mut;
use core::sync::atomic::Ordering::Relaxed;

use crate::memory::blocks;
use core::sync::atomic::{AtomicPtr, AtomicU64};

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

/// The object around `size` bytes at `address`.
pub(crate) fn find(address: u64, size: u64) -> Option<Object> {
    let around = |o: &Object| o.contains(address, size);
    on_stack(address)
        .filter(around)
        .or_else(|| block(address).filter(around))
        .or_else(|| global(address).filter(around))
        .or_else(|| character_table(address).filter(around))
}

/// The block of the heap around an address.
fn block(address: u64) -> Option<Object> {
    blocks::find(address).map(|(address, size)| Object {
        address,
        size,
        constant: false,
    })
}

/// The variable on the stack around an address, newest first. What lies below this call is dead.
fn on_stack(address: u64) -> Option<Object> {
    on_stack_at(address).map(|(_, o)| Object {
        address: o.address,
        size: o.size,
        constant: false,
    })
}

/// The same, with its place among those that were announced.
fn on_stack_at(address: u64) -> Option<(usize, &'static StackObject)> {
    let here = 0u8;
    if address < (&raw const here) as u64 {
        return None;
    }
    // SAFETY: written by the traced thread only, which is the one that reads.
    let stack = unsafe {
        let first = (&raw const __labrys_stack).cast::<StackObject>();
        core::slice::from_raw_parts(first, __labrys_stack_top as usize)
    };
    let around = |o: &StackObject| address.wrapping_sub(o.address) < o.size;
    let place = stack.iter().rposition(around)?;
    Some((place, &stack[place]))
}

/// A number of an object that is the same in all runs of all builds of the program. Addresses are
/// not: an optimized executable takes the place of one that is not while a search goes on.
pub(crate) fn number(object: &Object) -> u64 {
    let address = object.address;
    let (kind, number) = if let Some((place, _)) = on_stack_at(address) {
        (0, place as u64)
    } else if let Some((address, _)) = blocks::find(address) {
        (1, blocks::offset(address))
    } else if let Some(row) = global_row(address) {
        (2, u64::from(row.number))
    } else {
        (3, address)
    };
    let number = number << 2 | kind;
    (number.wrapping_mul(31) ^ object.size).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Where global variables are: from the first to the end of the last. Empty until they are sorted.
static BOUNDS: (AtomicU64, AtomicU64) = (AtomicU64::new(u64::MAX), AtomicU64::new(0));

fn global(address: u64) -> Option<Object> {
    global_row(address).map(|row| Object {
        address: row.address,
        size: row.size,
        constant: row.constant != 0,
    })
}

/// Global variables, by binary search in an index that is sorted before the first run. The last one
/// that begins at an address or before.
fn global_row(address: u64) -> Option<&'static GlobalObject> {
    if address < BOUNDS.0.load(Relaxed) || address >= BOUNDS.1.load(Relaxed) {
        return None;
    }
    let rows = globals();
    let index = rows
        .partition_point(|row| row.address <= address)
        .checked_sub(1)?;
    Some(&rows[index])
}

/// Numbers and sorts the index of global variables. Before the first run.
pub(crate) fn prepare() {
    // SAFETY: one thread, and nobody else holds the rows.
    let rows = unsafe {
        core::slice::from_raw_parts_mut(__labrys_first_global(), __labrys_count_globals() as usize)
    };
    for (number, row) in (0..).zip(rows.iter_mut()) {
        row.number = number;
    }
    rows.sort_unstable_by_key(|row: &GlobalObject| row.address);
    if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
        BOUNDS.0.store(first.address, Relaxed);
        BOUNDS.1.store(last.address + last.size, Relaxed);
    }
}

fn globals() -> &'static [GlobalObject] {
    // SAFETY: the table is a constant of the program but for the order of its rows, which changes
    // only before the first run.
    unsafe {
        core::slice::from_raw_parts(__labrys_first_global(), __labrys_count_globals() as usize)
    }
}

unsafe extern "C" {
    fn __ctype_b_loc() -> *const *const u16;
    fn __ctype_tolower_loc() -> *const *const i32;
    fn __ctype_toupper_loc() -> *const *const i32;
}

/// Where the traced thread's pointers to its character tables are, found at the first request,
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

/// A row of the program's table of global objects.
#[repr(C)]
pub(crate) struct GlobalObject {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) constant: u32,
    /// Its place in the table as the program has it.
    pub(crate) number: u32,
}

/// An array on the stack.
#[repr(C)]
pub(crate) struct StackObject {
    pub(crate) address: u64,
    pub(crate) size: u64,
}

unsafe extern "C" {
    fn __labrys_first_global() -> *mut GlobalObject;
    fn __labrys_count_globals() -> u64;
    pub(crate) static mut __labrys_stack: [StackObject; 4096];
    pub(crate) static mut __labrys_stack_top: u32;
}
