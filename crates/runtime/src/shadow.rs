//! Labels of memory: one `u32` per byte.
//!
//! The shadow of the bytes of one stored value is `label | i << 28` for byte `i`: byte `i` of
//! node `label`. So a store creates no nodes, and a load of the same bytes finds the value's
//! own label again.
//!
//! Invariant: where a shadow word is not 0, the flag of its address is not 0.

use labrys_abi::{Cause, FLAG_SHIFT, Node, Op, SHADOW_ADDRESS_MASK, SHADOW_SHIFT};

use crate::event::concretized;
use crate::flags::{LONGEST_RANGE, flags, is_clean, page_flags};
use crate::node::{Operand, append, concat, constant, mask, node, unary};
use crate::object;
use crate::poison;
use crate::state::{__labrys_instrumented, count, tracing};

pub(crate) const BYTE_SHIFT: u32 = 28;
const LABEL_MASK: u32 = (1 << BYTE_SHIFT) - 1;

/// Most nodes of a run: labels share a word with a byte number.
pub(crate) const MAX_LABEL: u32 = LABEL_MASK;

/// Shadow of `size` bytes at `address`, of a program that has a shadow.
pub(crate) fn shadow(address: *const u8, size: usize) -> &'static mut [u32] {
    if size == 0 {
        return &mut [];
    }
    let slot = ((address as u64) & SHADOW_ADDRESS_MASK) << SHADOW_SHIFT;
    // SAFETY: the whole shadow range is mapped at start-up in instrumented programs.
    unsafe { core::slice::from_raw_parts_mut(slot as *mut u32, size) }
}

/// Shadow of bytes that labels or marks may be written to.
pub(crate) fn flagged(address: *const u8, size: usize) -> &'static mut [u32] {
    page_flags(address, size).fill(1);
    flags(address, size).fill(1);
    shadow(address, size)
}

pub(crate) fn has_shadow() -> bool {
    // SAFETY: a constant of the program.
    unsafe { __labrys_instrumented != 0 }
}

/// Label of the byte that a shadow word names.
fn byte_label(word: u32) -> u32 {
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
    let word = shadow(address, 1)[0];
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
    byte_label(shadow(address, 1)[0])
}

/// Does no byte of the range carry a label?
pub(crate) fn is_concrete(address: *const u8, size: usize) -> bool {
    if size > LONGEST_RANGE {
        return true;
    }
    !has_shadow()
        || is_clean(address, size)
        || shadow(address, size)
            .iter()
            .all(|word| word & LABEL_MASK == 0)
}

/// Does a byte of the range carry a label that is true of it?
///
/// # Safety
/// Where there are labels, the bytes can be read.
pub(crate) unsafe fn holds_labels(address: *const u8, size: usize) -> bool {
    if is_concrete(address, size) {
        return false;
    }
    let is_current = |(i, word): (usize, &u32)| {
        let label = word & LABEL_MASK;
        let n = if label == 0 {
            return false;
        } else {
            node(label)
        };
        let place = 8 * (word >> BYTE_SHIFT);
        // SAFETY: as the caller's.
        let byte = u64::from(unsafe { *address.add(i) });
        n.width > 64 || place < 64 && mask(n.cv >> place, 8) == byte
    };
    shadow(address, size).iter().enumerate().any(is_current)
}

/// Are these the words of all bytes of the value with this label, in order? Without a branch for
/// each byte.
#[inline(always)]
fn are_bytes_of(label: u32, words: &[u32]) -> bool {
    let differs = |(i, word): (u32, &u32)| *word ^ (label | i << BYTE_SHIFT);
    (0..).zip(words).map(differs).fold(0, |all, one| all | one) == 0
}

/// Label of the `words.len()`-byte little-endian value whose bytes have these shadow words.
fn gather(words: &[u32], value: u64) -> u32 {
    let size = words.len();
    let first = words[0] & LABEL_MASK;
    if first != 0 && words[0] >> BYTE_SHIFT == 0 {
        let n = node(first);
        if usize::from(n.width) == 8 * size && are_bytes_of(first, words) {
            return first;
        }
        let input = n.op == Op::Input as u8 && n.width == 8;
        if input && (0..size).all(|i| words[i] == first + i as u32) && consecutive(first, size) {
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
fn assemble(words: &[u32], value: u64) -> u32 {
    let mut label = 0;
    let mut done = 0u64;
    for (i, word) in words.iter().enumerate().rev() {
        let byte = mask(value >> (8 * i), 8);
        let mut part = byte_label(*word);
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
fn all_stale(words: &[u32], value: u64) -> bool {
    words.iter().enumerate().all(|(i, word)| {
        let label = byte_label(*word);
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
    let label = object::read_table(p, address, size, value);
    if label == 0 {
        concretized(Cause::LoadAddress, address, p as u64);
    }
    label
}

/// Label of `size` bytes that were loaded, if they have this value.
#[inline(always)]
fn loaded(p: *const u8, size: u32, value: u64) -> u32 {
    let words = &*shadow(p, size as usize);
    let first = words[0];
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
    let words = &*shadow(p, size as usize);
    if words.iter().all(|word| word & LABEL_MASK == 0) {
        return 0;
    }
    let whole = words[0] & LABEL_MASK;
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
    let words = &*shadow(p, 16);
    let first = words[0] & LABEL_MASK;
    let whole = first != 0 && node(first).width == 128 && node(first).cv == low ^ high;
    if whole && (0..16).all(|i| words[i] == first | (i as u32) << BYTE_SHIFT) {
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
    if address != 0 {
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
        return shadow(p, size).fill(0);
    }
    for (i, word) in flagged(p, size).iter_mut().enumerate() {
        *word = label | (i as u32) << BYTE_SHIFT;
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
    for (i, word) in flagged(p, size).iter_mut().enumerate() {
        *word = first + i as u32;
    }
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
        let _ = object::decide_extent(to, length, size);
        let _ = object::decide_extent(from, length, size);
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
    let source = shadow(from, size).as_ptr();
    // SAFETY: both ranges lie in the shadow; `copy` allows overlap.
    unsafe { core::ptr::copy(source, flagged(to, size).as_mut_ptr(), size) };
    poison::clear(to, size);
}

/// Takes labels and marks away. Flags of memory that lies in the range whole go too.
fn clear(p: *const u8, size: usize) {
    let clean = size > LONGEST_RANGE || !has_shadow() || is_clean(p, size);
    if clean || shadow(p, size).iter().all(|word| *word == 0) {
        return;
    }
    shadow(p, size).fill(0);
    let chunk = 1usize << FLAG_SHIFT;
    let start = p.align_offset(chunk);
    if let Some(whole) = size.checked_sub(start).map(|rest| rest / chunk * chunk) {
        flags(p.wrapping_add(start), whole).fill(0);
    }
}

/// The label of the low byte of a value.
pub(crate) fn low_byte(label: u32) -> u32 {
    if label == 0 || node(label).width == 8 {
        return label;
    }
    unary(Op::Extract, 8, 0, label, mask(node(label).cv, 8))
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
        label => flagged(to, size).fill(label),
    }
}

/// For library models in C: is the range free of labels?
#[unsafe(no_mangle)]
extern "C" fn __labrys_concrete(p: *const u8, size: usize) -> i32 {
    crate::control::result(0);
    poison::access(p, size);
    i32::from(is_concrete(p, size) || !tracing())
}

/// For library models in C: the library writes these bytes.
#[unsafe(no_mangle)]
extern "C" fn __labrys_unlabel(p: *const u8, size: usize) {
    crate::control::result(0);
    poison::access(p, size);
    clear(p, size);
}
