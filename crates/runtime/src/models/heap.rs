//! Allocation: the heap's blocks become objects, and labels move with them. The sizes of arrays on
//! the stack are fixed as those of blocks are.

use core::ffi::{c_int, c_void};
use core::ptr::null_mut;

use labrys_abi::Op;

use crate::memory::access::{__labrys_slow_fill, copy_labels};
use crate::memory::blocks;
use crate::memory::poison;
use crate::record::event::size_fixed;
use crate::record::node::{Operand, binary};
use crate::record::passing::{arguments, result};
use crate::record::region::is_symbolic;

/// Zeroed blocks larger than this come fresh from the system.
const FRESH: usize = 1 << 20;

/// A size argument with a label is fixed to its value.
fn fix_size(label: u32, size: usize) {
    size_fixed(label, size as u64);
}

/// The same of a product, which is what the size depends on.
fn fix_product(labels: [u32; 2], count: usize, size: usize) {
    let [a, b] = labels;
    let (a, b) = (Operand::new(a, count as u64), Operand::new(b, size as u64));
    let total = count.wrapping_mul(size);
    fix_size(binary(Op::Mul, 64, 64, a, b, total as u64), total);
}

/// An array on the stack is about to come to life: its count has a label, its elements have
/// this many bytes.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_array_size(label: u32, count: u64, element: u64) {
    fix_product([label, 0], count as usize, element as usize);
}

/// `malloc`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_malloc(size: usize) -> *mut c_void {
    let [label] = arguments::<1>(__labrys_w_malloc as *const () as usize);
    fix_size(label, size);
    // SAFETY: as the caller's.
    let p = unsafe { libc::malloc(size) };
    blocks::allocated(p, size);
    p
}

/// `calloc`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_calloc(count: usize, size: usize) -> *mut c_void {
    let labels = arguments::<2>(__labrys_w_calloc as *const () as usize);
    fix_product(labels, count, size);
    // SAFETY: as the caller's.
    let p = unsafe { libc::calloc(count, size) };
    let total = count.wrapping_mul(size);
    if !p.is_null() && is_symbolic() && total <= FRESH {
        poison::clear(p.cast(), total);
        __labrys_slow_fill(p.cast(), 0, total as u64, 0);
    }
    blocks::allocated(p, total);
    p
}

/// `realloc`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_realloc(old: *mut c_void, size: usize) -> *mut c_void {
    let [_, label] = arguments::<2>(__labrys_w_realloc as *const () as usize);
    fix_size(label, size);
    // SAFETY: as the caller's; the old size is read before the block may go.
    unsafe {
        let before = if old.is_null() {
            0
        } else {
            libc::malloc_usable_size(old)
        };
        blocks::released(old);
        let p = libc::realloc(old, size);
        if !p.is_null() && p != old && is_symbolic() {
            copy_labels(p.cast(), old.cast(), before.min(size));
            poison::freed(old, before);
        }
        // Where it fails, the block stays as it was.
        match p.is_null() && size != 0 {
            true => blocks::allocated(old, before),
            false => blocks::allocated(p, size),
        }
        p
    }
}

/// `reallocarray`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_reallocarray(
    old: *mut c_void,
    count: usize,
    size: usize,
) -> *mut c_void {
    let [_, a, b] = arguments::<3>(__labrys_w_reallocarray as *const () as usize);
    fix_product([a, b], count, size);
    let Some(total) = count.checked_mul(size) else {
        // SAFETY: always valid.
        unsafe { *libc::__errno_location() = libc::ENOMEM };
        return null_mut();
    };
    // SAFETY: as the caller's.
    unsafe { __labrys_w_realloc(old, total) }
}

/// `free`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_free(p: *mut c_void) {
    let _ = arguments::<0>(__labrys_w_free as *const () as usize);
    blocks::released(p);
    // SAFETY: as the caller's.
    unsafe {
        if !p.is_null() {
            poison::freed(p, libc::malloc_usable_size(p));
        }
        libc::free(p);
    }
}

/// `aligned_alloc` and `memalign`.
unsafe fn aligned(labels: [u32; 2], alignment: usize, size: usize) -> *mut c_void {
    fix_size(labels[1], size);
    // SAFETY: as the caller's.
    let p = unsafe { libc::memalign(alignment, size) };
    blocks::allocated(p, size);
    p
}

/// `aligned_alloc`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
    let labels = arguments::<2>(__labrys_w_aligned_alloc as *const () as usize);
    // SAFETY: as the caller's.
    unsafe { aligned(labels, alignment, size) }
}

/// `memalign`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_memalign(alignment: usize, size: usize) -> *mut c_void {
    let labels = arguments::<2>(__labrys_w_memalign as *const () as usize);
    // SAFETY: as the caller's.
    unsafe { aligned(labels, alignment, size) }
}

/// `posix_memalign`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_posix_memalign(
    to: *mut *mut c_void,
    alignment: usize,
    size: usize,
) -> c_int {
    let [_, _, label] = arguments::<3>(__labrys_w_posix_memalign as *const () as usize);
    fix_size(label, size);
    // SAFETY: as the caller's.
    unsafe {
        let failed = libc::posix_memalign(to, alignment, size);
        if failed == 0 {
            if is_symbolic() {
                __labrys_slow_fill(to.cast(), 0, 8, 0);
            }
            blocks::allocated(*to, size);
        }
        result(0);
        failed
    }
}
