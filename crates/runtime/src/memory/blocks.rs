//! Which blocks of the heap are live.
//!
//! Invariant: the map of granules names the block that was handed out last at an address, live or
//! not; a block that is not live has size 0.

use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Relaxed};

use labrys_abi::SHADOW_ADDRESS_MASK;

use crate::memory::poison;
use crate::record::cell::{SingleWriter, cells};
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
struct HeapBlock {
    address: u64,
    size: u32,
    /// Next free entry.
    next: u32,
}

impl HeapBlock {
    const NONE: HeapBlock = HeapBlock {
        address: 0,
        size: 0,
        next: 0,
    };
}

static BLOCKS: SingleWriter<[Cell<HeapBlock>; MAX_BLOCKS]> =
    SingleWriter::new([const { Cell::new(HeapBlock::NONE) }; MAX_BLOCKS]);

/// The number behind the last that was used; 0 is no block's.
static USED: SingleWriter<Cell<u32>> = SingleWriter::new(Cell::new(1));

/// The first free entry, 0 if there is none.
static FREE: SingleWriter<Cell<u32>> = SingleWriter::new(Cell::new(0));

/// HeapBlock number by granule of the address space.
static GRANULES: AtomicPtr<u32> = AtomicPtr::new(null_mut());

/// Where the heap begins, which is behind the program: elsewhere in another build.
static START: AtomicU64 = AtomicU64::new(0);

/// More bytes than a heap has that begins behind the program. Other blocks lie in mappings, which are
/// where they are in each build.
const LARGEST_HEAP: u64 = 1 << 40;

/// Where a block lies, the same in each build of a program.
pub(crate) fn offset(address: u64) -> u64 {
    let offset = address.wrapping_sub(START.load(Relaxed));
    if offset < LARGEST_HEAP {
        offset
    } else {
        address
    }
}

/// Reserves the granule map. Before the first run.
pub(crate) fn prepare() {
    // SAFETY: only asks.
    START.store(unsafe { libc::sbrk(0) } as u64, Relaxed);
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

/// The number of the block at a granule. Only while blocks are [`tracked`].
#[inline]
fn granule(address: u64) -> &'static Cell<u32> {
    let index = (address & SHADOW_ADDRESS_MASK) as usize / GRANULE;
    // SAFETY: the map covers the whole masked address space.
    unsafe { &cells(GRANULES.load(Relaxed).add(index), 1)[0] }
}

#[inline]
fn block(number: u32) -> &'static Cell<HeapBlock> {
    &BLOCKS[number as usize % MAX_BLOCKS]
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
    let blocks = [address, page].map(|start| block(granule(start).get()).get());
    let around = |b: &HeapBlock| address.wrapping_sub(b.address) < u64::from(b.size);
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
    let number = match (FREE.get(), USED.get()) {
        (0, used) if used as usize == MAX_BLOCKS => return,
        (0, used) => {
            USED.set(used + 1);
            used
        }
        (free, _) => {
            FREE.set(block(free).get().next);
            free
        }
    };
    block(number).set(HeapBlock {
        address: p as u64,
        size: size as u32,
        next: 0,
    });
    for start in granules(p as usize, size) {
        granule(start as u64).set(number);
    }
}

/// A block is no longer one.
pub(crate) fn released(p: *mut c_void) {
    if p.is_null() || !tracked() {
        return;
    }
    // The first byte of a block that is no longer one has a mark.
    poison::access(p.cast(), 1);
    let number = granule(p as u64).get();
    let b = block(number).get();
    if number != 0 && b.address == p as u64 && b.size != 0 {
        block(number).set(HeapBlock {
            next: FREE.get(),
            ..HeapBlock::NONE
        });
        FREE.set(number);
    }
}
