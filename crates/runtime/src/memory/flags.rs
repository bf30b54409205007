//! Flags: which memory may have labels.
//!
//! The concrete version of a function looks at flags, not at shadow: one byte for each line of
//! memory, and one for each page for checks of much memory at once.
//!
//! Invariants: where a shadow word is not 0, the flag of its address is not 0; where a flag is not
//! 0, that of its page is not 0. The flag of a page is never cleared.

use core::cell::Cell;

use labrys_abi::{FLAG_SHIFT, FLAG_START, PAGE_FLAG_SHIFT, PAGE_FLAG_START};

use crate::record::cell::cells;

/// Flags of `size` bytes at `address`, of a program that has a shadow.
pub(crate) fn flags(address: *const u8, size: usize) -> &'static [Cell<u8>] {
    bytes_for(FLAG_START, FLAG_SHIFT, address, size)
}

/// Flags of the pages of these bytes.
pub(crate) fn page_flags(address: *const u8, size: usize) -> &'static [Cell<u8>] {
    bytes_for(PAGE_FLAG_START, PAGE_FLAG_SHIFT, address, size)
}

/// Of a table with one byte for each `1 << shift` bytes of memory, those of `size` bytes at
/// `address`.
#[inline]
fn bytes_for(table: u64, shift: u32, address: *const u8, size: usize) -> &'static [Cell<u8>] {
    if size == 0 {
        return &[];
    }
    let (first, last) = (address as u64, address as u64 + size as u64 - 1);
    let (first, last) = (first >> shift, last >> shift);
    let start = (table + first) as *mut u8;
    // SAFETY: both tables are mapped at start-up in instrumented programs.
    unsafe { cells(start, (last - first + 1) as usize) }
}

/// Ranges longer than this (bytes) are not looked at: no call can mean them.
pub(crate) const LONGEST_RANGE: usize = 1 << 36;

/// Is no flag of the range set, so that it has neither labels nor marks? Few bytes have one flag
/// or two.
#[inline]
pub(crate) fn is_clean(address: *const u8, size: usize) -> bool {
    match flags(address, size) {
        [] => true,
        [flag] => flag.get() == 0,
        [first, second] => first.get() | second.get() == 0,
        all if all.len() > 64 && none_set(page_flags(address, size)) => true,
        all => none_set(all),
    }
}

/// The parts of a range that lie in lines whose flag is set, as start and size in bytes.
pub(crate) fn set_lines(
    address: *const u8,
    size: usize,
) -> impl Iterator<Item = (*const u8, usize)> {
    pieces(address, size, PAGE_FLAG_SHIFT)
        .filter(|page| !none_set(page_flags(page.0, page.1)))
        .flat_map(|page| pieces(page.0, page.1, FLAG_SHIFT))
        .filter(|line| !none_set(flags(line.0, line.1)))
}

/// A range, cut where addresses are multiples of `1 << shift`.
fn pieces(address: *const u8, size: usize, shift: u32) -> impl Iterator<Item = (*const u8, usize)> {
    let (mut start, end) = (address as usize, address as usize + size);
    core::iter::from_fn(move || {
        let here = start;
        start = end.min((here | ((1 << shift) - 1)) + 1);
        (here < end).then_some((here as *const u8, start - here))
    })
}

/// Of a loop that is about to go on: may any of the bytes that so many iterations touch have labels?
/// The first iteration touches `more + 1` bytes, and each other one those a step further.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_ahead(start: u64, more: u64, step: i64, times: u64) -> u64 {
    let distance = (step as u64).wrapping_mul(times - 1);
    let (from, to) = (start, start.wrapping_add(distance));
    let (first, last) = (from.min(to), from.max(to).saturating_add(more));
    if last >= 1 << 47 || last - first >= LONGEST_RANGE as u64 {
        return 1;
    }
    let size = (last - first + 1) as usize;
    if none_set(page_flags(first as *const u8, size)) {
        return 0;
    }
    // Elements that lie far apart are looked at one by one.
    if step.unsigned_abs() <= 4 << FLAG_SHIFT {
        return u64::from(!is_clean(first as *const u8, size));
    }
    let iteration = |i: u64| start.wrapping_add((step as u64).wrapping_mul(i)) as *const u8;
    u64::from((0..times).any(|i| !is_clean(iteration(i), more as usize + 1)))
}

fn none_set(flags: &[Cell<u8>]) -> bool {
    let chunks = &mut flags.chunks(64);
    chunks.all(|chunk| chunk.iter().fold(0, |any, flag| any | flag.get()) == 0)
}
