//! Where the objects of a driver lie: one behind the other on the heap; and elsewhere, so that runs tell what
//! depends on it ([`Mode::ELSEWHERE`]).
//!
//! Law: of two objects that nobody gives back, each is the upper one in one of the modes that lay them
//! apart, and in one of those that lay them close; of the addresses of an object in the modes that lay it
//! apart, each bit but those of its alignment is 0 in one and 1 in the other.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use labrys_abi::Mode;

use crate::memory::{blocks, reserved};
use crate::record::passing::arguments;
use crate::record::region::{header, is_active};

unsafe extern "C" {
    // Of `heap`: blocks that the search knows.
    fn __labrys_w_malloc(size: usize) -> *mut c_void;
}

/// Bytes of the heap between objects that are given back.
const BETWEEN: usize = 1000;
/// A block with so many bytes more is no part of the heap, but lies below the one before it.
const OUTSIDE: usize = 64 << 20;
/// Bytes between objects that lie apart.
const GUARD: usize = 4 << 20;
const PAGE: usize = 4096;
/// The end of addresses of programs, and of the objects that lie apart: near there is nothing else, and what
/// programs have elsewhere lies between these and those of the opposite bits.
const ADDRESSES: usize = 1 << 47;
const END: usize = 0x7e66_6666_6000;
/// The same of objects whose addresses have 32 bits: the lower half, as the code may take them for numbers
/// with a sign.
const LOW_ADDRESSES: usize = 1 << 31;
const LOW_END: usize = 0x6666_6000;
/// Objects that lie close have so much memory.
const ARENA: usize = 256 << 20;
/// No type of C needs more.
const ALIGNMENT: usize = 16;

/// The mode, if memory is elsewhere.
fn elsewhere() -> Option<Mode> {
    let mode = is_active().then(|| header().mode)?;
    Mode::ELSEWHERE.into_iter().find(|one| *one as u32 == mode)
}

/// A new object for a driver, which is never null and may be given back.
#[unsafe(no_mangle)]
extern "C" fn __labrys_new(size: usize) -> *mut c_void {
    let _ = arguments::<0>(__labrys_new as *const () as usize);
    let more = match elsewhere() {
        Some(Mode::Apart) => {
            // SAFETY: a block that nobody gives back.
            core::hint::black_box(unsafe { libc::malloc(BETWEEN) });
            0
        }
        Some(Mode::Opposite) => OUTSIDE,
        _ => 0,
    };
    // SAFETY: the block is the caller's.
    let object = unsafe { __labrys_w_malloc(size + more) };
    if object.is_null() {
        // SAFETY: ends the process.
        unsafe { libc::abort() }
    }
    object
}

/// As [`__labrys_new`], of an object that nobody gives back. In [`Mode::Apart`] it ends where
/// memory ends.
#[unsafe(no_mangle)]
extern "C" fn __labrys_place(size: usize) -> *mut c_void {
    match elsewhere() {
        Some(Mode::Apart) => apart(size, false),
        Some(Mode::Opposite) => apart(size, true),
        Some(Mode::Close) => close(size, false),
        Some(Mode::CloseOpposite) => close(size, true),
        _ => __labrys_new(size),
    }
}

/// As [`__labrys_place`], of an object whose address has 32 bits.
#[unsafe(no_mangle)]
extern "C" fn __labrys_low(size: usize) -> *mut c_void {
    let _ = arguments::<0>(__labrys_low as *const () as usize);
    match elsewhere() {
        Some(Mode::Apart | Mode::Close) => low(size, false),
        Some(Mode::Opposite | Mode::CloseOpposite) => low(size, true),
        _ => {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_32BIT;
            let (place, flags) = reserved::wanted(core::ptr::null_mut(), size, flags);
            let memory = mapped(place as usize, size, flags);
            blocks::allocated(memory, size);
            memory
        }
    }
}

/// Memory with an address of 32 bits and none around it, below the objects before it or above them.
fn low(size: usize, opposite: bool) -> *mut c_void {
    static USED: AtomicUsize = AtomicUsize::new(0);
    let used = USED.fetch_add(size.next_multiple_of(PAGE) + GUARD, Relaxed);
    let (start, inside) = apart_at((LOW_ADDRESSES, LOW_END), size, used, opposite);
    let bytes = (inside + size).next_multiple_of(PAGE);
    mapped(start, bytes, ANYWHERE).wrapping_byte_add(inside)
}

/// The alignment of an object of this size, whatever its type.
fn alignment(size: usize) -> usize {
    match size.trailing_zeros() {
        zeros if zeros < ALIGNMENT.trailing_zeros() => 1 << zeros,
        _ => ALIGNMENT,
    }
}

/// Memory with none around it: below the objects before it and at the end of a page, or above them.
fn apart(size: usize, opposite: bool) -> *mut c_void {
    static USED: AtomicUsize = AtomicUsize::new(0);
    let pages = size.next_multiple_of(PAGE);
    let used = USED.fetch_add(pages + GUARD, Relaxed);
    let (start, inside) = apart_at((ADDRESSES, END), size, used, opposite);
    let bytes = (inside + size).next_multiple_of(PAGE);
    mapped(start, bytes, ANYWHERE).wrapping_byte_add(inside)
}

/// Where a page begins with an object that lies apart behind so many bytes, and the bytes before it.
fn apart_at(
    (addresses, end): (usize, usize),
    size: usize,
    used: usize,
    opposite: bool,
) -> (usize, usize) {
    let pages = size.next_multiple_of(PAGE);
    match opposite {
        false => (end - used - pages, pages - size),
        // Opposite to the bits of the other address are those of the last byte here.
        true => {
            let last = size.saturating_sub(1);
            (
                addresses - end + used,
                last / alignment(size) * alignment(size),
            )
        }
    }
}

/// Memory right behind, or before, the objects before it.
fn close(size: usize, opposite: bool) -> *mut c_void {
    static BEGIN: AtomicUsize = AtomicUsize::new(0);
    static USED: AtomicUsize = AtomicUsize::new(0);
    if BEGIN.load(Relaxed) == 0 {
        BEGIN.store(mapped(END, ARENA, ANYWHERE) as usize, Relaxed);
    }
    let (begin, used) = (BEGIN.load(Relaxed), USED.load(Relaxed));
    let (place, end) = match opposite {
        false => {
            let first = used.next_multiple_of(alignment(size));
            (begin + first, first + size)
        }
        true => {
            let end = (used + size).next_multiple_of(alignment(size));
            ((begin + ARENA).wrapping_sub(end), end)
        }
    };
    if end > ARENA {
        return apart(size, opposite);
    }
    USED.store(end, Relaxed);
    place as *mut c_void
}

/// How fresh memory is mapped at a place if that is free, else anywhere.
const ANYWHERE: c_int = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;

/// Fresh memory at a place.
fn mapped(place: usize, size: usize, flags: c_int) -> *mut c_void {
    let open = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: fresh memory, which nobody else knows.
    let memory = unsafe { libc::mmap(place as *mut c_void, size, open, flags, -1, 0) };
    if memory == libc::MAP_FAILED {
        // SAFETY: ends the process.
        unsafe { libc::abort() }
    }
    memory
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bit_of_an_address_is_the_opposite_in_the_opposite_mode() {
        for (addresses, end) in [(ADDRESSES, END), (LOW_ADDRESSES, LOW_END)] {
            for size in [1, 8, 24, 4096, 5000, 70_000] {
                for used in [0, PAGE + GUARD, 31 * GUARD] {
                    let address = |opposite| {
                        let (start, inside) = apart_at((addresses, end), size, used, opposite);
                        start + inside
                    };
                    let different = (address(false) ^ address(true)) / ALIGNMENT;
                    assert_eq!(different, addresses / ALIGNMENT - 1, "{size} {used}");
                    assert_eq!(address(true) % alignment(size), 0);
                }
            }
        }
    }

    #[test]
    fn objects_lie_above_one_another_or_below() {
        let two = |place: fn(usize, bool) -> *mut c_void, opposite| {
            let (first, second) = (place(8, opposite) as usize, place(8, opposite) as usize);
            second.wrapping_sub(first) as isize
        };
        assert!(two(apart, false) < -(PAGE as isize));
        assert!(two(apart, true) > PAGE as isize);
        assert_eq!([two(close, false), two(close, true)], [8, -8]);
    }
}
