//! Mappings that the program wants at addresses which the shadow has reserved.
//!
//! The shadow of address `a` lies at `4 a` (of its lower 44 bits). Programs and libraries lie at the
//! upper end of the address space, or below 256 MiB if their addresses are fixed, so between their
//! shadows a wide range is reserved and never used. The program gets what it asks for there.
//!
//! Law: no such mapping lies in the shadow of another one. Of two mappings of the program that exclude each other, the second is refused as ever.

use core::ffi::{c_int, c_void};
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

use labrys_abi::SHADOW_SHIFT;

use crate::memory::shadow::has_shadow;

/// Where no shadow of a program at the upper end lies.
const UNUSED: (usize, usize) = (1 << 16, 1 << 44);

/// The addresses of 32 bits that are given: those whose quarter programs rarely ask for.
const SHORT: (usize, usize) = (3 << 29, 1 << 31);

/// No shadow of a program at fixed addresses comes so high.
const ABOVE_FIXED: usize = 1 << 30;

/// Ranges of the program that are remembered.
const MOST: usize = 64;

/// Where they start and end. Any thread may map memory.
static TAKEN: [(AtomicUsize, AtomicUsize); MOST] =
    [const { (AtomicUsize::new(0), AtomicUsize::new(0)) }; MOST];

fn overlaps(start: usize, end: usize) -> bool {
    let mut taken = TAKEN.iter();
    taken.any(|(first, last)| first.load(Relaxed) < end && start < last.load(Relaxed))
}

/// Whether the program may have a range: no shadow of the program lies there, and of none that was
/// given before.
fn is_unused(start: usize, end: usize) -> bool {
    let fixed = (TAKEN.as_ptr() as usize) < SHORT.1;
    let first = if fixed { ABOVE_FIXED } else { UNUSED.0 };
    start >= first
        && end <= UNUSED.1
        && end <= start << SHADOW_SHIFT
        && !overlaps(start, end)
        && !overlaps(start << SHADOW_SHIFT, end << SHADOW_SHIFT)
        && !overlaps(start >> SHADOW_SHIFT, end >> SHADOW_SHIFT)
}

/// Remembers a range; false if it cannot be given.
fn take(start: usize, end: usize) -> bool {
    if !is_unused(start, end) {
        return false;
    }
    let claim = |first: &AtomicUsize| first.compare_exchange(0, start, Relaxed, Relaxed);
    let free = TAKEN.iter().find(|(first, _)| claim(first).is_ok());
    if let Some((_, last)) = free {
        last.store(end, Relaxed);
    }
    free.is_some()
}

/// The address and the flags to map with, so that the program gets what it asks for.
pub(crate) fn wanted(address: *mut c_void, size: usize, flags: c_int) -> (*mut c_void, c_int) {
    let end = |start: usize| start.checked_add(size.next_multiple_of(4096));
    let as_is = (address, flags);
    if !has_shadow() || size == 0 {
        return as_is;
    }
    let fixed = libc::MAP_FIXED;
    if flags & libc::MAP_FIXED_NOREPLACE == libc::MAP_FIXED_NOREPLACE {
        let start = address as usize;
        if !end(start).is_some_and(|end| take(start, end)) {
            return as_is;
        }
        return (address, flags & !libc::MAP_FIXED_NOREPLACE | fixed);
    }
    if flags & libc::MAP_32BIT != 0 && flags & fixed == 0 {
        let ends = TAKEN.iter().map(|(_, last)| last.load(Relaxed));
        let start = ends.filter(|end| *end < SHORT.1).fold(SHORT.0, usize::max);
        if end(start).is_some_and(|end| end <= SHORT.1 && take(start, end)) {
            return (start as *mut c_void, flags & !libc::MAP_32BIT | fixed);
        }
    }
    as_is
}
