//! Memory that many parts of the runtime hold and one thread writes.
//!
//! Law: such memory is written by the traced thread, or while the process has one thread: before
//! the program's code runs, and in the child of a fork. Nobody hands out a reference to what a cell
//! holds, so none can alias another. All of it costs as much as a plain variable.

use core::cell::Cell;
use core::ops::Deref;

/// A variable of the process under the law above.
pub(crate) struct SingleWriter<T>(T);

// SAFETY: the law of this module.
unsafe impl<T> Sync for SingleWriter<T> {}

impl<T> SingleWriter<T> {
    pub(crate) const fn new(content: T) -> Self {
        SingleWriter(content)
    }
}

impl<T> Deref for SingleWriter<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// `length` values at an address.
///
/// # Safety
/// They are mapped for the life of the process, under the law above.
#[inline(always)]
pub(crate) unsafe fn cells<T>(start: *mut T, length: usize) -> &'static [Cell<T>] {
    if length == 0 {
        return &[];
    }
    // SAFETY: the caller's; a cell is as its content.
    unsafe { core::slice::from_raw_parts(start.cast::<Cell<T>>(), length) }
}

/// Gives all cells one value.
#[inline(always)]
pub(crate) fn fill<T: Copy>(cells: &[Cell<T>], value: T) {
    for cell in cells {
        cell.set(value);
    }
}

/// Whether a cell has this value. Cells are looked at in groups: a branch for each would cost more.
#[inline]
pub(crate) fn contains<T: Copy + PartialEq>(cells: &[Cell<T>], value: T) -> bool {
    let is_in = |group: &[Cell<T>]| group.iter().fold(false, |any, c| any | (c.get() == value));
    cells.chunks(32).any(is_in)
}
