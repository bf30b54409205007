//! Loads and stores of memory that may have labels, and the copies and fills of libraries.
//!
//! Law: the label of what was loaded names a node with the value that was loaded.

use core::cell::Cell;

use labrys_abi::{Cause, Node, Op};

use crate::memory::pick::decide_pick;
use crate::memory::poison;
use crate::memory::shadow::{
    BYTE_SHIFT, LABEL_MASK, byte_label, clear, flagged, is_concrete, low_byte, set, shadow,
};
use crate::memory::table::{decide_extent, read_table};
use crate::record::cell::fill;
use crate::record::event::concretized;
use crate::record::node::{Operand, append, concat, constant, mask, node};
use crate::record::region::count;
use crate::record::tracing::tracing;

/// Are these the words of all bytes of the value with this label, in order? Without a branch for
/// each byte.
#[inline(always)]
fn are_bytes_of(label: u32, words: &[Cell<u32>]) -> bool {
    let differs = |(i, word): (u32, &Cell<u32>)| word.get() ^ (label | i << BYTE_SHIFT);
    (0..)
        .zip(words)
        .map(differs)
        .fold(0, |any, bits| any | bits)
        == 0
}

/// Label of the `words.len()`-byte little-endian value whose bytes have these shadow words.
fn gather(words: &[Cell<u32>], value: u64) -> u32 {
    let size = words.len();
    let first = words[0].get() & LABEL_MASK;
    if first != 0 && words[0].get() >> BYTE_SHIFT == 0 {
        let n = node(first);
        if usize::from(n.width) == 8 * size && are_bytes_of(first, words) {
            return first;
        }
        let input = n.op == Op::Input as u8 && n.width == 8;
        if input
            && (0..size).all(|i| words[i].get() == first + i as u32)
            && consecutive(first, size)
        {
            return append(Node {
                width: 8 * size as u16,
                cv: mask(value, 8 * size as u32),
                ..*n
            });
        }
    }
    assemble(words, value)
}

/// Are `size` nodes from `first` on consecutive bytes of one stream?
fn consecutive(first: u32, size: usize) -> bool {
    let start = node(first).imm;
    (1..size).all(|i| {
        let n = node(first + i as u32);
        n.op == Op::Input as u8 && n.width == 8 && n.imm == start + i as u64
    })
}

/// Concatenates bytes, most significant first; unlabelled bytes are constants.
fn assemble(words: &[Cell<u32>], value: u64) -> u32 {
    let mut label = 0;
    let mut done = 0u64;
    for (i, word) in words.iter().enumerate().rev() {
        let byte = mask(value >> (8 * i), 8);
        let mut part = byte_label(word.get());
        if part == 0 || node(part).cv != byte {
            if part != 0 {
                count(Cause::Mismatch);
            }
            part = constant(8, byte);
        }
        done = done << 8 | byte;
        label = if i + 1 == words.len() {
            part
        } else {
            concat(label, part, done)
        };
        if label == 0 {
            return 0;
        }
    }
    if node(label).op == Op::Const as u8 {
        0
    } else {
        label
    }
}

/// Does any node below a fresh concatenation depend on input? Only constants are cheap to see.
fn all_stale(words: &[Cell<u32>], value: u64) -> bool {
    words.iter().enumerate().all(|(i, word)| {
        let label = byte_label(word.get());
        label == 0 || node(label).cv != mask(value >> (8 * i), 8)
    })
}

/// Load of `size` ≤ 8 bytes: an address or a byte is labelled.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_load(p: *const u8, address: u32, size: u32, value: u64) -> u32 {
    if !tracing() {
        return 0;
    }
    if address != 0 {
        let label = read_at(p, address, size, value);
        if label != 0 {
            return label;
        }
    }
    // Of a constant size, each is a few instructions.
    match size {
        1 => loaded(p, 1, value),
        4 => loaded(p, 4, value),
        8 => loaded(p, 8, value),
        _ => loaded(p, size, value),
    }
}

/// Label of a load at a symbolic address if it reads a table; else the address is fixed.
#[inline(never)]
fn read_at(p: *const u8, address: u32, size: u32, value: u64) -> u32 {
    if decide_pick(address) {
        return 0;
    }
    let label = read_table(p, address, size, value);
    if label == 0 {
        concretized(Cause::LoadAddress, address, p as u64);
    }
    label
}

/// Label of `size` bytes that were loaded, if they have this value.
#[inline(always)]
fn loaded(p: *const u8, size: u32, value: u64) -> u32 {
    let words = shadow(p, size as usize);
    let first = words[0].get();
    if first != 0 && first <= LABEL_MASK {
        let n = node(first);
        let fits = u32::from(n.width) == 8 * size && n.cv == mask(value, 8 * size);
        if fits && are_bytes_of(first, words) {
            return first;
        }
    }
    assembled(p, size, value)
}

/// As [`loaded`], of bytes that are not all of one value.
#[inline(never)]
fn assembled(p: *const u8, size: u32, value: u64) -> u32 {
    poison::access(p, size as usize);
    let words = shadow(p, size as usize);
    if words.iter().all(|word| word.get() & LABEL_MASK == 0) {
        return 0;
    }
    let whole = words[0].get() & LABEL_MASK;
    let label = gather(words, value);
    if label == 0 {
        return 0;
    }
    if node(label).cv == mask(value, 8 * size) {
        if label != whole && all_stale(words, value) {
            count(Cause::Mismatch);
            return 0;
        }
        return label;
    }
    count(Cause::Mismatch);
    0
}

/// The `size`-byte value in memory with its label.
pub(crate) fn load_value(p: *const u8, size: u32) -> Operand {
    // SAFETY: callers know the bytes to be readable.
    let bytes = unsafe { core::slice::from_raw_parts(p, size as usize) };
    let value = bytes.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
    Operand::new(__labrys_slow_load(p, 0, size, value), value)
}

/// Load of 16 bytes.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_load_wide(p: *const u8, address: u32, low: u64, high: u64) -> u32 {
    if !tracing() {
        return 0;
    }
    poison::access(p, 16);
    let words = shadow(p, 16);
    let first = words[0].get() & LABEL_MASK;
    let whole = first != 0 && node(first).width == 128 && node(first).cv == low ^ high;
    if whole && (0..16).all(|i| words[i].get() == first | (i as u32) << BYTE_SHIFT) {
        return first;
    }
    let l = __labrys_slow_load(p, address, 8, low);
    // SAFETY: the second half of the 16 bytes just loaded.
    let h = __labrys_slow_load(unsafe { p.add(8) }, 0, 8, high);
    if l == 0 && h == 0 {
        return 0;
    }
    let l = if l == 0 { constant(64, low) } else { l };
    let h = if h == 0 { constant(64, high) } else { h };
    concat(h, l, low ^ high)
}

/// Store of `size` bytes whose value has this label.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_store(p: *const u8, address: u32, size: u32, label: u32) {
    if address != 0 && !decide_pick(address) {
        concretized(Cause::StoreAddress, address, p as u64);
    }
    match size {
        1 => stored(p, 1, label),
        4 => stored(p, 4, label),
        8 => stored(p, 8, label),
        _ => stored(p, size as usize, label),
    }
}

#[inline(always)]
fn stored(p: *const u8, size: usize, label: u32) {
    poison::access(p, size);
    set(p, size, label);
}

/// The memcpy family, overlapping or not; `length` is the label of the size.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __labrys_slow_copy(
    to: *const u8,
    from: *const u8,
    size: u64,
    length: u32,
) {
    if length != 0 {
        let _ = decide_extent(to, length, size);
        let _ = decide_extent(from, length, size);
        concretized(Cause::LibraryArgument, length, size);
    }
    let size = size as usize;
    poison::access(from, size);
    poison::access(to, size);
    copy_labels(to, from, size);
}

/// Labels of a range go where its bytes went.
pub(crate) fn copy_labels(to: *const u8, from: *const u8, size: usize) {
    if is_concrete(from, size) {
        clear(to, size);
        return;
    }
    let (source, target) = (shadow(from, size), flagged(to, size));
    // SAFETY: both ranges lie in the shadow; `copy` allows overlap.
    unsafe { core::ptr::copy(source.as_ptr(), target.as_ptr().cast_mut(), size) };
    poison::clear(to, size);
}

/// The memset family: every byte gets the low byte of the value with this label.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __labrys_slow_fill(to: *const u8, label: u32, size: u64, length: u32) {
    if length != 0 {
        concretized(Cause::LibraryArgument, length, size);
    }
    let size = size as usize;
    poison::access(to, size);
    match low_byte(label) {
        0 => clear(to, size),
        label => fill_labels(to, size, label),
    }
}

/// Every byte of a range gets a label. A range that is far too long, as one of a negative size, ends
/// where the memory of the program does: labels take four times as much, and all of it.
fn fill_labels(to: *const u8, size: usize, label: u32) {
    const PIECE: usize = 1 << 20;
    const PAGE: usize = 1 << 12;
    let mut done = 0;
    while done < size {
        let (start, piece) = (to.wrapping_add(done), PIECE.min(size - done));
        for page in (0..piece).step_by(PAGE).filter(|_| size > PIECE) {
            // SAFETY: the program writes there next.
            unsafe { start.wrapping_add(page).read_volatile() };
        }
        fill(flagged(start, piece), label);
        done += piece;
    }
}

/// For library models in C: is the range free of labels?
#[unsafe(no_mangle)]
extern "C" fn __labrys_concrete(p: *const u8, size: usize) -> i32 {
    crate::record::passing::result(0);
    poison::access(p, size);
    i32::from(is_concrete(p, size) || !tracing())
}

/// For library models in C: the library writes these bytes.
#[unsafe(no_mangle)]
extern "C" fn __labrys_unlabel(p: *const u8, size: usize) {
    crate::record::passing::result(0);
    poison::access(p, size);
    clear(p, size);
}
