//! Marks on memory of the heap that no object holds: what was freed, and what lies before and
//! behind each block.
//!
//! A mark is a shadow word with a byte number and no label, which no value has. Instrumented
//! code looks at the shadow anyway, and leaves its fast path where a word is not 0; so marks
//! cost nothing until one is hit. The place of a hit goes into the header, and nothing else is
//! concluded: the C library may use freed memory again without our notice. The explorer has such
//! a run judged by the checked build.
//!
//! Invariant: a mark stands for label 0 wherever labels are asked for.

use core::cell::Cell;
use core::ffi::c_void;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::memory::flags::{LONGEST_RANGE, is_clean, set_lines};
use crate::memory::shadow::{BYTE_SHIFT, any, flagged, has_shadow, shadow};
use crate::record::callers::place;
use crate::record::cell::{contains, fill};
use crate::record::region::{header, is_symbolic};
use crate::record::tracing::tracing;

/// Hits of one run whose places are reported: each costs a walk through the stack.
const MOST_HITS: u32 = 256;

static HITS: AtomicU32 = AtomicU32::new(0);

/// The shadow word of memory that is not to be used.
const MARK: u32 = 1 << BYTE_SHIFT;

/// The bookkeeping of glibc's malloc before each block, bytes.
const HEAD: usize = 8;

/// Most bytes behind a block, and of a freed one, that get marks.
const MOST_BEHIND: usize = 64;

const MOST_FREED: usize = 4096;

/// Of longer blocks the rest is not searched for old marks: it comes fresh from the system.
const MOST_CLEARED: usize = 1 << 30;

/// A block of `size` bytes at `p` was handed out.
pub(crate) fn allocated(p: *mut c_void, size: usize) {
    if p.is_null() || !is_symbolic() || !has_shadow() {
        return;
    }
    let start = p.cast_const().cast::<u8>();
    clear(start, size.min(MOST_CLEARED));
    if tracing() {
        // SAFETY: a block of malloc.
        let room = unsafe { libc::malloc_usable_size(p) };
        let behind = (room.saturating_sub(size) + HEAD).min(MOST_BEHIND);
        fill(flagged(start.wrapping_sub(HEAD), HEAD), MARK);
        fill(flagged(start.wrapping_add(size), behind), MARK);
    }
}

/// A block of `size` bytes at `p` is about to be freed, or was moved away from.
pub(crate) fn freed(p: *mut c_void, size: usize) {
    if tracing() && has_shadow() {
        fill(flagged(p.cast_const().cast(), size.min(MOST_FREED)), MARK);
    }
}

/// Takes marks away and leaves labels.
pub(crate) fn clear(start: *const u8, size: usize) {
    // Pages of the shadow that nobody wrote to are not even read.
    for (start, size) in set_lines(start, size) {
        let words = shadow(start, size);
        // No branch for each word.
        if contains(words, MARK) {
            for word in words {
                word.set(if word.get() == MARK { 0 } else { word.get() });
            }
        }
    }
}

/// The program, or the library for it, accesses these bytes.
#[inline]
pub(crate) fn access(start: *const u8, size: usize) {
    if !tracing() || !has_shadow() || size > LONGEST_RANGE || is_clean(start, size) {
        return;
    }
    let marked = |words: &[Cell<u32>]| contains(words, MARK);
    if any(start, size, marked) && HITS.fetch_add(1, Relaxed) < MOST_HITS {
        note(place());
    }
}

/// Notes that the heap was used wrongly at a place, as far as its marks show.
fn note(place: u32) {
    for slot in &header().misuses {
        match slot.load(Relaxed) {
            0 => return slot.store(place, Relaxed),
            known if known == place => return,
            _ => {}
        }
    }
}
