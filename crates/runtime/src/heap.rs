//! The heap: which blocks are live, and labels that move with them.

use core::ffi::{c_int, c_void};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use labrys_abi::{Op, SHADOW_ADDRESS_MASK};

use crate::control::{arguments, result};
use crate::event::size_fixed;
use crate::node::{Operand, binary};
use crate::object::Object;
use crate::poison;
use crate::shadow::{__labrys_slow_fill, copy_labels};
use crate::state::{state, tracing};

/// Blocks up to this size (bytes) are tracked.
const LARGEST: usize = 1 << 20;
/// malloc aligns to this.
const GRANULE: usize = 16;
/// Of a block, the map has each granule up to the first multiple of this, then one at each.
const PAGE: usize = 4096;
/// Zeroed blocks larger than this come fresh from the system.
const FRESH: usize = 1 << 20;

const MAX_BLOCKS: usize = 1 << 20;

/// Start and size of a tracked block; size 0 when freed.
#[derive(Clone, Copy)]
struct Block {
    address: u64,
    size: u32,
    /// Next free entry.
    next: u32,
}

static mut BLOCKS: [Block; MAX_BLOCKS] = [Block {
    address: 0,
    size: 0,
    next: 0,
}; MAX_BLOCKS];
static mut USED: u32 = 1;
static mut FREE: u32 = 0;
/// Block number by granule of the address space.
static GRANULES: AtomicPtr<u32> = AtomicPtr::new(null_mut());

/// Reserves the granule map. Before the first run.
pub(crate) fn prepare() {
    let size = (SHADOW_ADDRESS_MASK as usize + 1) / GRANULE * size_of::<u32>();
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: fresh memory; untouched pages cost nothing.
    let map = unsafe {
        libc::mmap(
            null_mut(),
            size,
            libc::PROT_READ | libc::PROT_WRITE,
            flags,
            -1,
            0,
        )
    };
    if map != libc::MAP_FAILED {
        GRANULES.store(map.cast(), Relaxed);
    }
}

fn granule(address: u64) -> &'static mut u32 {
    let index = (address & SHADOW_ADDRESS_MASK) as usize / GRANULE;
    // SAFETY: the map covers the whole masked address space.
    unsafe { &mut *GRANULES.load(Relaxed).add(index) }
}

fn block(number: u32) -> &'static mut Block {
    // SAFETY: numbers are below the maximum; only the traced thread gets here.
    unsafe { &mut *(&raw mut BLOCKS).cast::<Block>().add(number as usize) }
}

fn tracked() -> bool {
    tracing() && !GRANULES.load(Relaxed).is_null()
}

/// The live block around an address.
pub(crate) fn find(address: u64) -> Option<Object> {
    if !tracked() {
        return None;
    }
    let page = address & !(PAGE as u64 - 1);
    let blocks = [address, page].map(|place| *block(*granule(place)));
    let around = |b: &Block| address.wrapping_sub(b.address) < u64::from(b.size);
    blocks.into_iter().find(around).map(|b| Object {
        address: b.address,
        size: u64::from(b.size),
        constant: false,
    })
}

/// Where in the map a block stands.
fn granules(start: usize, size: usize) -> impl Iterator<Item = usize> {
    let end = start + size;
    let border = end.min(start.next_multiple_of(PAGE));
    (start..border)
        .step_by(GRANULE)
        .chain((border..end).step_by(PAGE))
}

fn note_allocation(p: *mut c_void, size: usize) {
    poison::allocated(p, size);
    if p.is_null() || size == 0 || size > LARGEST || !tracked() {
        return;
    }
    // SAFETY: only the traced thread gets here.
    let number = unsafe {
        if FREE != 0 {
            let number = FREE;
            FREE = block(number).next;
            number
        } else if (USED as usize) < MAX_BLOCKS {
            USED += 1;
            USED - 1
        } else {
            return;
        }
    };
    *block(number) = Block {
        address: p as u64,
        size: size as u32,
        next: 0,
    };
    for place in granules(p as usize, size) {
        *granule(place as u64) = number;
    }
}

/// A block is no longer one.
fn note_release(p: *mut c_void) {
    if p.is_null() || !tracked() {
        return;
    }
    // The first byte of a block that is no longer one has a mark.
    poison::access(p.cast(), 1);
    let number = *granule(p as u64);
    let b = block(number);
    if number != 0 && b.address == p as u64 && b.size != 0 {
        // SAFETY: only the traced thread gets here.
        unsafe {
            *b = Block {
                address: 0,
                size: 0,
                next: FREE,
            };
            FREE = number;
        }
    }
}

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

/// `malloc`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_malloc(size: usize) -> *mut c_void {
    let [label] = arguments::<1>(__labrys_w_malloc as *const () as usize);
    fix_size(label, size);
    // SAFETY: as the caller's.
    let p = unsafe { libc::malloc(size) };
    note_allocation(p, size);
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
    if !p.is_null() && state().symbolic && total <= FRESH {
        poison::clear(p.cast(), total);
        __labrys_slow_fill(p.cast(), 0, total as u64, 0);
    }
    note_allocation(p, total);
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
        note_release(old);
        let p = libc::realloc(old, size);
        if !p.is_null() && p != old && state().symbolic {
            copy_labels(p.cast(), old.cast(), before.min(size));
            poison::freed(old, before);
        }
        note_allocation(if p.is_null() && size != 0 { old } else { p }, size);
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
    note_release(p);
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
    note_allocation(p, size);
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
            if state().symbolic {
                __labrys_slow_fill(to.cast(), 0, 8, 0);
            }
            note_allocation(*to, size);
        }
        result(0);
        failed
    }
}
