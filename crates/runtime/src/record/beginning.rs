//! What the beginning of a run recorded, for the runs that begin at a snapshot behind it.

use core::cell::Cell;
use core::ptr::null_mut;
use core::sync::atomic::Ordering::Relaxed;

use crate::record::cell::{SingleWriter, cells};
use crate::record::region::{self, Words, header};

/// Branches that were taken, each with its coverage byte, and those that were not, with the least
/// distance. Both have room for every branch.
struct Kept {
    taken: Cell<*mut (u32, u32)>,
    taken_count: Cell<usize>,
    near: Cell<*mut (u32, u32)>,
    near_count: Cell<usize>,
    concretizations: [Cell<u64>; 16],
}

static KEPT: SingleWriter<Kept> = SingleWriter::new(Kept {
    taken: Cell::new(null_mut()),
    taken_count: Cell::new(0),
    near: Cell::new(null_mut()),
    near_count: Cell::new(0),
    concretizations: [const { Cell::new(0) }; 16],
});

/// Makes room; false if there is none.
pub(crate) unsafe fn prepare() -> bool {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let (branches, words) = (region::coverage_bytes().len(), region::near_words().len());
    let size = (branches + words) * size_of::<(u32, u32)>();
    // SAFETY: new memory.
    let room = unsafe { libc::mmap(null_mut(), size.max(1), protection, flags, -1, 0) };
    if room == libc::MAP_FAILED {
        return false;
    }
    KEPT.taken.set(room.cast());
    KEPT.near
        .set(room.cast::<(u32, u32)>().wrapping_add(branches));
    true
}

/// The beginning begins: the distances of all branches are recorded, not only of those that are
/// wanted now.
pub(crate) unsafe fn begin() {
    // SAFETY: one thread.
    unsafe { region::map_near(Words::Own) };
    for word in region::near_words() {
        word.set(u32::MAX);
    }
}

/// The beginning is over: keeps what it recorded, and whether that is all there is to keep. Distances
/// are this run's again.
pub(crate) unsafe fn end() -> bool {
    KEPT.taken_count
        .set(keep(region::coverage_bytes(), KEPT.taken.get(), 0));
    KEPT.near_count
        .set(keep(region::near_words(), KEPT.near.get(), u32::MAX));
    for (kept, counter) in KEPT.concretizations.iter().zip(&header().concretizations) {
        kept.set(counter.load(Relaxed));
    }
    // SAFETY: one thread.
    unsafe { region::map_near(Words::Shared) };
    give_distances();
    region::is_blank()
}

/// Gives a run what the beginning recorded.
pub(crate) fn give() {
    let bytes = region::coverage_bytes();
    for (index, byte) in kept(&KEPT.taken, &KEPT.taken_count) {
        bytes[index as usize].set(byte as u8);
    }
    give_distances();
    for (kept, counter) in KEPT.concretizations.iter().zip(&header().concretizations) {
        counter.store(kept.get(), Relaxed);
    }
}

fn give_distances() {
    let words = region::near_words();
    for (index, distance) in kept(&KEPT.near, &KEPT.near_count) {
        let word = &words[index as usize];
        word.set(word.get().min(distance));
    }
}

/// Copies the values that are not `nothing`, with their places; how many.
fn keep<T: Copy + Into<u32>>(from: &[Cell<T>], to: *mut (u32, u32), nothing: u32) -> usize {
    let mut count = 0;
    for (index, value) in from.iter().enumerate() {
        let value = value.get().into();
        if value != nothing {
            // SAFETY: there is room for all.
            unsafe { to.add(count).write((index as u32, value)) };
            count += 1;
        }
    }
    count
}

fn kept(start: &Cell<*mut (u32, u32)>, count: &Cell<usize>) -> impl Iterator<Item = (u32, u32)> {
    // SAFETY: so many were written, and they stay.
    unsafe { cells(start.get(), count.get()) }
        .iter()
        .map(Cell::get)
}
