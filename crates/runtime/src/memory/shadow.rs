//! Labels of memory: one `u32` per byte.
//!
//! The shadow of the bytes of one stored value is `label | i << 28` for byte `i`: byte `i` of
//! node `label`. So a store creates no nodes, and a load of the same bytes finds the value's
//! own label again.
//!
//! Invariant: where a shadow word is not 0, the flag of its address is not 0.

use core::cell::Cell;

use labrys_abi::{FLAG_SHIFT, Op, SHADOW_ADDRESS_MASK, SHADOW_SHIFT};

use crate::memory::flags::{LONGEST_RANGE, flags, is_clean, page_flags, set_lines};
use crate::record::cell::{cells, fill};
use crate::record::node::{mask, node, unary};
use crate::record::region::__labrys_instrumented;

pub(crate) const BYTE_SHIFT: u32 = 28;

pub(crate) const LABEL_MASK: u32 = (1 << BYTE_SHIFT) - 1;

/// Most nodes of a run: labels share a word with a byte number.
pub(crate) const MAX_LABEL: u32 = LABEL_MASK;

/// Ranges up to this (bytes) are looked at as one.
const SHORT: usize = 256;

/// Shadow of `size` bytes at `address`, of a program that has a shadow.
#[inline]
pub(crate) fn shadow(address: *const u8, size: usize) -> &'static [Cell<u32>] {
    let slot = ((address as u64) & SHADOW_ADDRESS_MASK) << SHADOW_SHIFT;
    // SAFETY: the whole shadow range is mapped at start-up in instrumented programs.
    unsafe { cells(slot as *mut u32, size) }
}

/// Shadow of bytes that labels or marks may be written to.
pub(crate) fn flagged(address: *const u8, size: usize) -> &'static [Cell<u32>] {
    fill(page_flags(address, size), 1);
    fill(flags(address, size), 1);
    shadow(address, size)
}

pub(crate) fn has_shadow() -> bool {
    // SAFETY: a constant of the program.
    unsafe { __labrys_instrumented != 0 }
}

/// Label of the byte that a shadow word names.
pub(crate) fn byte_label(word: u32) -> u32 {
    let label = word & LABEL_MASK;
    let index = word >> BYTE_SHIFT;
    if label == 0 || node(label).width == 8 {
        return label;
    }
    let value = node(label).cv;
    if index >= 8 {
        // The high half of a wide value: its bytes are not in `cv`.
        return wide_byte(label, index);
    }
    if node(label).width > 64 {
        return wide_byte(label, index);
    }
    unary(
        Op::Extract,
        8,
        index * 8,
        label,
        mask(value >> (index * 8), 8),
    )
}

/// Byte of a value wider than 64 bits; its concrete value is only known from memory, so it is
/// found by evaluating the parts of a concatenation.
fn wide_byte(label: u32, index: u32) -> u32 {
    let n = node(label);
    if n.op != Op::Concat as u8 {
        return 0;
    }
    let low_width = u32::from(node(n.b).width);
    let bit = index * 8;
    let (part, offset) = if bit < low_width {
        (n.b, bit)
    } else {
        (n.a, bit - low_width)
    };
    let p = node(part);
    if p.width > 64 || offset + 8 > u32::from(p.width) {
        return 0;
    }
    unary(Op::Extract, 8, offset, part, mask(p.cv >> offset, 8))
}

/// Label of the byte at `address`, if it still has the byte's value.
pub(crate) fn load_byte(address: *const u8) -> u32 {
    let word = shadow(address, 1)[0].get();
    if word == 0 {
        return 0;
    }
    let label = byte_label(word);
    // SAFETY: callers have read the byte.
    if label != 0 && node(label).cv == u64::from(unsafe { *address }) {
        label
    } else {
        0
    }
}

/// Label of a byte of the shadow without looking at memory; for snapshots.
pub(crate) fn raw_byte(address: *const u8) -> u32 {
    byte_label(shadow(address, 1)[0].get())
}

/// Does no byte of the range carry a label?
pub(crate) fn is_concrete(address: *const u8, size: usize) -> bool {
    if size > LONGEST_RANGE {
        return true;
    }
    let labelled = |words: &[Cell<u32>]| words.iter().any(|word| word.get() & LABEL_MASK != 0);
    !has_shadow() || is_clean(address, size) || !any(address, size, labelled)
}

/// Whether a part of the shadow of a range is as asked. Of a long range only parts with flags are
/// looked at: to read a page of the shadow that nobody wrote to costs a page fault.
pub(crate) fn any(address: *const u8, size: usize, is: impl Fn(&[Cell<u32>]) -> bool) -> bool {
    if size <= SHORT {
        return is(shadow(address, size));
    }
    set_lines(address, size).any(|(start, size)| is(shadow(start, size)))
}

/// Does a byte of the range carry a label that is true of it?
///
/// # Safety
/// Where there are labels, the bytes can be read.
pub(crate) unsafe fn holds_labels(address: *const u8, size: usize) -> bool {
    if is_concrete(address, size) {
        return false;
    }
    let is_current = |(i, word): (usize, &Cell<u32>)| {
        let word = word.get();
        let label = word & LABEL_MASK;
        let n = if label == 0 {
            return false;
        } else {
            node(label)
        };
        let bit = 8 * (word >> BYTE_SHIFT);
        // SAFETY: as the caller's.
        let byte = u64::from(unsafe { *address.add(i) });
        n.width > 64 || bit < 64 && mask(n.cv >> bit, 8) == byte
    };
    shadow(address, size).iter().enumerate().any(is_current)
}

/// Gives `size` bytes the label of one value.
#[inline(always)]
pub(crate) fn set(p: *const u8, size: usize, label: u32) {
    let mut label = label;
    if label != 0 {
        let n = node(label);
        if usize::from(n.width) != 8 * size {
            label = widened(label, size);
        }
    }
    if label == 0 {
        return fill(shadow(p, size), 0);
    }
    for (i, word) in flagged(p, size).iter().enumerate() {
        word.set(label | (i as u32) << BYTE_SHIFT);
    }
}

/// Label of a value in so many bytes that has fewer bits; 0 if it has more.
#[inline(never)]
fn widened(label: u32, size: usize) -> u32 {
    let n = node(label);
    if usize::from(n.width) > 8 * size {
        return 0;
    }
    unary(Op::ZExt, 8 * size as u32, 0, label, n.cv)
}

/// Gives consecutive bytes consecutive labels, from `first` on (0: none).
pub(crate) fn set_bytes(p: *const u8, size: usize, first: u32) {
    if !has_shadow() {
        return;
    }
    if first == 0 {
        return clear(p, size);
    }
    for (i, word) in flagged(p, size).iter().enumerate() {
        word.set(first + i as u32);
    }
}

/// Takes labels and marks away. Flags of memory that lies in the range whole go too.
pub(crate) fn clear(p: *const u8, size: usize) {
    let clean = size > LONGEST_RANGE || !has_shadow() || is_clean(p, size);
    if clean || !any(p, size, |words| words.iter().any(|word| word.get() != 0)) {
        return;
    }
    for (start, size) in set_lines(p, size) {
        fill(shadow(start, size), 0);
    }
    let chunk = 1usize << FLAG_SHIFT;
    let start = p.align_offset(chunk);
    if let Some(whole) = size.checked_sub(start).map(|rest| rest / chunk * chunk) {
        fill(flags(p.wrapping_add(start), whole), 0);
    }
}

/// The label of the low byte of a value.
pub(crate) fn low_byte(label: u32) -> u32 {
    if label == 0 || node(label).width == 8 {
        return label;
    }
    unary(Op::Extract, 8, 0, label, mask(node(label).cv, 8))
}
