//! Which blocks of the heap are live.
//!
//! Invariant: the map of granules names the block that was handed out last at an address, live or
//! not; a block that is not live has size 0.

use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use labrys_abi::SHADOW_ADDRESS_MASK;

use crate::memory::poison;
use crate::record::tracing::tracing;

/// Blocks up to this size (bytes) are tracked.
const LARGEST: usize = 1 << 20;

/// malloc aligns to this.
const GRANULE: usize = 16;

/// Of a block, the map has each granule up to the first multiple of this, then one at each.
const PAGE: usize = 4096;

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

/// The live block around an address: where it starts, and its size.
pub(crate) fn find(address: u64) -> Option<(u64, u64)> {
    if !tracked() {
        return None;
    }
    let page = address & !(PAGE as u64 - 1);
    let blocks = [address, page].map(|place| *block(*granule(place)));
    let around = |b: &Block| address.wrapping_sub(b.address) < u64::from(b.size);
    let found = blocks.into_iter().find(around);
    found.map(|b| (b.address, u64::from(b.size)))
}

/// Where in the map a block stands.
fn granules(start: usize, size: usize) -> impl Iterator<Item = usize> {
    let end = start + size;
    let border = end.min(start.next_multiple_of(PAGE));
    (start..border)
        .step_by(GRANULE)
        .chain((border..end).step_by(PAGE))
}

/// A block was handed out.
pub(crate) fn allocated(p: *mut c_void, size: usize) {
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
pub(crate) fn released(p: *mut c_void) {
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
