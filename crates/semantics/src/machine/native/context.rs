//! What machine code and the machine share.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;

use labrys_program::{BlockId, FunctionId};

use super::super::Watched;

/// Words for arguments, results, and values that go from code to the machine.
pub(super) const WORDS: usize = 256;
/// Objects that accesses remember.
pub(super) const VIEWS: usize = 64;
/// The key of no block.
const NOWHERE: u64 = u64::MAX;
/// Ids and depths below this have keys.
pub(super) const MAX_ID: usize = 1 << 24;
pub(super) const MAX_DEPTH: usize = 1 << 15;

/// Read and written by machine code, at the offsets of its fields.
#[repr(C)]
pub(in super::super) struct CodeContext {
    /// Instructions executed so far, and at most.
    pub(in super::super) steps: Cell<u64>,
    pub(super) limit: u64,
    /// The block whose beginning, and the one whose end, the rules look at.
    pub(super) enter: Cell<u64>,
    pub(super) leave: Cell<u64>,
    /// The machine, while code runs.
    pub(super) machine: Cell<*mut c_void>,
    pub(super) words: [Cell<u64>; WORDS],
    pub(super) views: [ObjectView; VIEWS],
}

/// An object of the machine's memory that an access found.
#[repr(C)]
pub(super) struct ObjectView {
    /// Its address, and its bytes; 0 if there is none.
    pub(super) base: Cell<u64>,
    pub(super) size: Cell<u64>,
    /// Where the bytes are.
    pub(super) data: Cell<*mut u8>,
}

/// The key of a block at a depth, in a function if that matters.
pub(super) fn key(depth: usize, function: usize, block: usize) -> u64 {
    if depth >= MAX_DEPTH || function >= MAX_ID || block >= MAX_ID {
        return NOWHERE;
    }
    (depth as u64) << 48 | (function as u64) << 24 | block as u64
}

impl CodeContext {
    /// For a run of so many instructions.
    pub(in super::super) fn new(limit: u64) -> Box<Self> {
        Box::new(CodeContext {
            steps: Cell::new(0),
            limit,
            enter: Cell::new(NOWHERE),
            leave: Cell::new(NOWHERE),
            machine: Cell::new(null_mut()),
            words: [const { Cell::new(0) }; WORDS],
            views: std::array::from_fn(|_| ObjectView {
                base: Cell::new(0),
                size: Cell::new(0),
                data: Cell::new(null_mut()),
            }),
        })
    }

    /// Notes which blocks the rules look at.
    pub(in super::super) fn watch(&self, watched: Watched) {
        let Watched::These { enter, leave } = watched else {
            return;
        };
        let of_enter = |(depth, function, block): (usize, FunctionId, BlockId)| {
            key(depth, function.index(), block.index())
        };
        let of_leave = |(depth, block): (usize, BlockId)| key(depth, 0, block.index());
        self.enter.set(enter.map_or(NOWHERE, of_enter));
        self.leave.set(leave.map_or(NOWHERE, of_leave));
    }

    /// Empties the views of an object whose bytes are no longer there.
    pub(in super::super) fn drop_views(&self, base: u64) {
        for view in self.views.iter().filter(|view| view.base.get() == base) {
            view.size.set(0);
        }
    }
}
