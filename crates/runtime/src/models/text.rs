//! Memory and string functions whose result is one expression.
//!
//! The result of a comparison is a chain over the compared bytes: the difference of the first
//! pair that differs. One decision on it ("equal?") is one flip for the whole block.

use core::ffi::{c_char, c_int, c_void};
use core::slice::from_raw_parts;

use labrys_abi::{Cause, Op, RuntimeSite};

use crate::memory::access::__labrys_slow_copy;
use crate::memory::flags::{LONGEST_RANGE, is_clean};
use crate::memory::poison;
use crate::memory::scatter::__labrys_slow_fill_some;
use crate::memory::shadow::{has_shadow, is_concrete, load_byte};
use crate::memory::table::decide_extent;
use crate::models::compared::compared;
use crate::record::event::{concretized, decision};
use crate::record::node::{Operand, binary, choose, node, predicate, reify, unary};
use crate::record::passing::{arguments, redirect, result};
use crate::record::region::is_symbolic;
use crate::record::tracing::tracing;

/// Longest comparison that becomes an expression, bytes.
const LONGEST: usize = 1 << 14;

const PAGE: usize = 4096;

unsafe fn byte(p: *const u8, i: usize) -> Operand {
    // SAFETY: the caller knows byte `i` to be readable.
    unsafe { Operand::new(load_byte(p.add(i)), u64::from(*p.add(i))) }
}

/// `a − b` of two bytes as a 32-bit difference.
fn difference(a: Operand, b: Operand) -> Operand {
    let wide = |x: Operand| Operand::new(unary(Op::ZExt, 32, 0, x.label, x.value), x.value);
    let value = a.value.wrapping_sub(b.value) & 0xffff_ffff;
    Operand::new(binary(Op::Sub, 32, 32, wide(a), wide(b), value), value)
}

/// `condition ? a : b` on 32 bits where each may be concrete.
fn either(condition: Operand, a: Operand, b: Operand) -> Operand {
    let chosen = if condition.value & 1 == 1 { a } else { b };
    if condition.label == 0 || (a.label == 0 && b.label == 0 && a.value == b.value) {
        return chosen;
    }
    let label = choose(condition.label, reify(a, 32), reify(b, 32), chosen.value);
    Operand::new(label, chosen.value)
}

fn equal(a: Operand, b: Operand) -> Operand {
    let holds = a.value == b.value;
    Operand::new(predicate(Op::Eq, 8, a, b, holds), u64::from(holds))
}

/// The comparison of at most `n` bytes, `length` of them; strings end where both have a zero byte.
/// A length without a label is at least `n`.
unsafe fn compare(a: *const u8, b: *const u8, n: usize, length: Operand, strings: bool) -> Operand {
    let zero = Operand::concrete(0);
    let mut chain = zero;
    for i in (0..n).rev() {
        // SAFETY: the caller knows `n` bytes of both to be readable.
        let (x, y) = unsafe { (byte(a, i), byte(b, i)) };
        if strings {
            // Equal and zero: the end of both. A concrete zero decides alone.
            let known = if y.label == 0 { y } else { x };
            if known.label == 0 {
                if known.value == 0 {
                    chain = zero;
                }
            } else {
                chain = either(equal(known, zero), zero, chain);
            }
        }
        chain = either(equal(x, y), chain, difference(x, y));
        if length.label != 0 {
            chain = either(is_within(i, length), chain, zero);
        }
    }
    chain
}

/// Whether a symbolic number of bytes reaches beyond byte `i`.
fn is_within(i: usize, length: Operand) -> Operand {
    let holds = (i as u64) < length.value;
    let i = Operand::concrete(i as u64);
    Operand::new(predicate(Op::Ult, 64, i, length, holds), u64::from(holds))
}

/// Bytes that a comparison of symbolic length looks at, unless this run's length is longer.
const SYMBOLIC_LENGTH: usize = 64;

/// The most bytes of which a symbolic number, `n` in this run, is compared: that the number is no
/// larger is decided. `None` if the objects are not known or too large; the number is fixed then.
fn most_compared(a: *const u8, b: *const u8, length: u32, n: usize) -> Option<usize> {
    if length == 0 || !tracing() {
        return None;
    }
    let rooms = [a, b].map(|p| decide_extent(p, length, n as u64));
    let most = match rooms {
        [Some(a), Some(b)] => a.min(b) as usize,
        _ => n,
    };
    let wanted = n.max(SYMBOLIC_LENGTH);
    match rooms {
        [Some(_), Some(_)] if most <= LONGEST && n <= most => {
            if wanted < most {
                let (length, most) = (
                    Operand::new(length, n as u64),
                    Operand::concrete(wanted as u64),
                );
                let label = predicate(Op::Ule, 64, length, most, true);
                decision(RuntimeSite::Library, label, true);
            }
            Some(most.min(wanted))
        }
        _ => {
            concretized(Cause::LibraryArgument, length, n as u64);
            None
        }
    }
}

fn answer(chain: Operand) -> c_int {
    if chain.label != 0 && node(chain.label).cv == chain.value {
        result(chain.label);
    }
    chain.value as u32 as c_int
}

/// Whether memory may have labels, or marks of the heap. The usual answer is quick.
#[inline]
fn may_have_labels(p: *const u8, n: usize) -> bool {
    tracing() && has_shadow() && (n > LONGEST_RANGE || !is_clean(p, n))
}

/// `memcmp`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_memcmp(a: *const u8, b: *const u8, n: usize) -> c_int {
    let [_, _, length] = arguments::<3>(__labrys_w_memcmp as *const () as usize);
    // SAFETY: as the caller's.
    unsafe {
        if length == 0 && !may_have_labels(a, n) && !may_have_labels(b, n) {
            return libc::memcmp(a.cast(), b.cast(), n);
        }
        let most = most_compared(a, b, length, n);
        let plain = !tracing() || (is_concrete(a, n) && is_concrete(b, n)) || n > LONGEST;
        poison::access(a, n);
        poison::access(b, n);
        if !plain && n > 0 {
            compared(from_raw_parts(a, n), from_raw_parts(b, n));
        }
        match most {
            Some(most) => answer(compare(a, b, most, Operand::new(length, n as u64), false)),
            None if plain => libc::memcmp(a.cast(), b.cast(), n),
            None => answer(compare(a, b, n, Operand::concrete(n as u64), false)),
        }
    }
}

/// `bcmp`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_bcmp(a: *const u8, b: *const u8, n: usize) -> c_int {
    redirect(
        __labrys_w_bcmp as *const () as usize,
        __labrys_w_memcmp as *const () as usize,
    );
    // SAFETY: as the caller's.
    unsafe { __labrys_w_memcmp(a, b, n) }
}

/// How many bytes from `p` on are surely readable, given that `known` are.
fn readable(p: *const u8, known: usize) -> usize {
    let end = p as usize + known.max(1);
    end.next_multiple_of(PAGE) - p as usize
}

/// The string comparison of at most `n` bytes. A `length` with a label is symbolic, and `n` the
/// most that it is.
unsafe fn compare_strings(a: *const u8, b: *const u8, n: usize, length: Operand) -> c_int {
    // SAFETY: as the caller's; bytes behind the end of a string are read only on its last page.
    unsafe {
        let plain = || libc::strncmp(a.cast(), b.cast(), length.value as usize);
        let la = libc::strnlen(a.cast(), n);
        let lb = libc::strnlen(b.cast(), n);
        let (wa, wb) = ((la + 1).min(n), (lb + 1).min(n));
        let symbolic_length = length.label != 0;
        if !symbolic_length && !may_have_labels(a, wa) && !may_have_labels(b, wb) {
            return plain();
        }
        poison::access(a, wa.min(length.value as usize));
        poison::access(b, wb.min(length.value as usize));
        let symbolic = tracing() && (symbolic_length || !is_concrete(a, wa) || !is_concrete(b, wb));
        // A string of constants bounds the comparison; otherwise the longer one does.
        let extent = match (is_concrete(a, wa), is_concrete(b, wb)) {
            (true, _) => wa,
            (_, true) => wb,
            _ => usize::MAX,
        };
        let extent = extent.min(readable(a, wa)).min(readable(b, wb)).min(n);
        let ends = |i: &usize| {
            let ends = |p: *const u8| *p.add(*i) == 0 && is_concrete(p.add(*i), 1);
            ends(a) || ends(b)
        };
        // Input that stands behind the end of a string is in it in other runs: up to a zero
        // byte that stays.
        let extent = (wa.min(wb) - 1..extent)
            .find(ends)
            .map_or(extent, |i| i + 1);
        if !symbolic || extent > LONGEST {
            return plain();
        }
        compared(from_raw_parts(a, la), from_raw_parts(b, lb));
        answer(compare(a, b, extent, length, true))
    }
}

/// `strcmp`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_strcmp(a: *const c_char, b: *const c_char) -> c_int {
    let _ = arguments::<0>(__labrys_w_strcmp as *const () as usize);
    // SAFETY: as the caller's.
    unsafe {
        let most = isize::MAX as usize;
        compare_strings(a.cast(), b.cast(), most, Operand::concrete(most as u64))
    }
}

/// `strcoll`, in the C locale `strcmp`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_strcoll(a: *const c_char, b: *const c_char) -> c_int {
    // SAFETY: as the caller's.
    unsafe { __labrys_w_strcmp(a, b) }
}

/// For library models: the value without its label, to be compared with what no byte is.
#[unsafe(no_mangle)]
extern "C" fn __labrys_bare(value: c_int) -> c_int {
    result(0);
    value
}

/// `strncmp`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_strncmp(a: *const c_char, b: *const c_char, n: usize) -> c_int {
    let [_, _, length] = arguments::<3>(__labrys_w_strncmp as *const () as usize);
    let most = most_compared(a.cast(), b.cast(), length, n);
    let length = Operand::new(if most.is_some() { length } else { 0 }, n as u64);
    // SAFETY: as the caller's.
    unsafe { compare_strings(a.cast(), b.cast(), most.unwrap_or(n), length) }
}

/// `memmove` with labels.
unsafe fn copy(to: *mut c_void, from: *const c_void, n: usize, length: u32) -> *mut c_void {
    // SAFETY: as the caller's.
    unsafe {
        libc::memmove(to, from, n);
    }
    if is_symbolic() {
        __labrys_slow_copy(to.cast(), from.cast(), n as u64, length);
    }
    to
}

macro_rules! copies {
    ($($name:ident),*) => {$(
        /// The function of the C library.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void {
            let [_, _, length] = arguments::<3>($name as *const () as usize);
            // SAFETY: as the caller's.
            unsafe { copy(to, from, n, length) }
        }
    )*};
}

copies!(
    __labrys_w_memcpy,
    __labrys_w_memmove,
    __labrys_w___memcpy_chk,
    __labrys_w___memmove_chk
);

/// `mempcpy`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_mempcpy(
    to: *mut c_void,
    from: *const c_void,
    n: usize,
) -> *mut c_void {
    let [_, _, length] = arguments::<3>(__labrys_w_mempcpy as *const () as usize);
    // SAFETY: as the caller's.
    unsafe { copy(to, from, n, length).byte_add(n) }
}

/// `bcopy`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_bcopy(from: *const c_void, to: *mut c_void, n: usize) {
    let [_, _, length] = arguments::<3>(__labrys_w_bcopy as *const () as usize);
    // SAFETY: as the caller's.
    unsafe { copy(to, from, n, length) };
}

unsafe fn fill(to: *mut c_void, value: Operand, n: usize, length: u32) -> *mut c_void {
    if is_symbolic() {
        __labrys_slow_fill_some(to.cast(), value.label, value.value, n as u64, length);
    }
    // SAFETY: as the caller's.
    unsafe { libc::memset(to, value.value as c_int, n) };
    to
}

/// `memset`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_memset(to: *mut c_void, value: c_int, n: usize) -> *mut c_void {
    let [_, label, length] = arguments::<3>(__labrys_w_memset as *const () as usize);
    // SAFETY: as the caller's.
    unsafe { fill(to, Operand::new(label, value as u32 as u64), n, length) }
}

/// `__memset_chk`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w___memset_chk(
    to: *mut c_void,
    value: c_int,
    n: usize,
) -> *mut c_void {
    let [_, label, length] = arguments::<3>(__labrys_w___memset_chk as *const () as usize);
    // SAFETY: as the caller's.
    unsafe { fill(to, Operand::new(label, value as u32 as u64), n, length) }
}

/// `bzero`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_bzero(to: *mut c_void, n: usize) {
    let [_, length] = arguments::<2>(__labrys_w_bzero as *const () as usize);
    // SAFETY: as the caller's.
    unsafe { fill(to, Operand::concrete(0), n, length) };
}
