//! The shared region as this process sees it, and whether the run records anything.
//!
//! Invariant: records below a section's counter, which stands in the region, were reserved; they
//! lie within the section.

use core::ptr::null_mut;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use labrys_abi::{Cause, Event, Header, Mode, Node, Region};

/// Where the program's coverage bytes are.
#[repr(C)]
pub(crate) struct CoverageMap {
    pub(crate) map: *mut u8,
    pub(crate) size: u64,
    /// As many words, or null.
    pub(crate) near: *mut u32,
}

unsafe extern "C" {
    pub(crate) static __labrys_coverage: CoverageMap;
    pub(crate) static __labrys_instrumented: u32;
    pub(crate) static mut __labrys_all_branches: u32;
}

/// The region as this process sees it. Written at start-up only, before the program's code
/// runs; counters in the header are atomic.
pub(crate) struct State {
    pub(crate) header: *mut Header,
    pub(crate) nodes: Table<Node>,
    pub(crate) events: Table<Event>,
    pub(crate) data: Table<u8>,
    pub(crate) input: *mut u8,
    /// Labels are created.
    pub(crate) symbolic: bool,
    /// A run of the fork server, symbolic or not.
    pub(crate) active: bool,
}

pub(crate) static mut STATE: State = State {
    header: null_mut(),
    nodes: Table::empty(),
    events: Table::empty(),
    data: Table::empty(),
    input: null_mut(),
    symbolic: false,
    active: false,
};

/// The state.
#[inline]
pub(crate) fn state() -> &'static State {
    // SAFETY: written only before the program's code runs and in the child of a fork.
    unsafe { &*(&raw const STATE).cast::<State>() }
}

/// The header of the region; only to be called while [`State::active`].
#[inline]
pub(crate) fn header() -> &'static Header {
    // SAFETY: mapped for the life of the process; the explorer's part is not written meanwhile.
    unsafe { &*state().header }
}

/// Is every branch recorded, symbolic or not?
pub(crate) fn all_branches() -> bool {
    state().symbolic && header().mode == Mode::AllBranches as u32
}

/// Counts a symbolic value that became concrete. Two threads that count at once may count one.
pub(crate) fn count(cause: Cause) {
    if state().active {
        let counter = &header().concretizations[cause as usize];
        counter.store(counter.load(Relaxed) + 1, Relaxed);
    }
}

/// As many bytes as the system maps around a page that is read for the first time: the pages of
/// earlier runs, if they are still there. A page that is written is mapped alone. So each such
/// window is read before it is written.
const WINDOW: usize = 64 << 10;

/// A section of records of one type, as this process sees it.
pub(crate) struct Table<T> {
    start: *mut T,
    capacity: u32,
    counter: *const AtomicU32,
    /// Records below this number lie in windows that were read, and below the capacity.
    ready: AtomicU32,
}

impl<T> Table<T> {
    /// No section.
    pub(crate) const fn empty() -> Self {
        Table {
            start: null_mut(),
            capacity: 0,
            counter: &raw const NOTHING,
            ready: AtomicU32::new(0),
        }
    }

    /// A section of the region at `base`, of at most so many records.
    ///
    /// # Safety
    /// The section and its counter must be mapped for the life of the process.
    pub(crate) unsafe fn new(
        base: *mut u8,
        section: Region,
        most: u32,
        counter: *const AtomicU32,
    ) -> Self {
        let records = section.capacity / size_of::<T>() as u64;
        Table {
            // SAFETY: within the region.
            start: unsafe { base.add(section.offset as usize).cast() },
            capacity: records.min(u64::from(most)) as u32,
            counter,
            ready: AtomicU32::new(0),
        }
    }

    /// Where a record lies.
    #[inline]
    pub(crate) fn at(&self, index: u32) -> *mut T {
        self.start.wrapping_add(index as usize)
    }

    /// Reserves consecutive records; `None` if there are too few, which is recorded.
    #[inline]
    pub(crate) fn reserve(&self, amount: u32) -> Option<u32> {
        let ready = self.reserve_ready(amount);
        if ready.is_none() && self.extend(amount) {
            return self.reserve_ready(amount);
        }
        ready
    }

    /// As [`Table::reserve`], but `None` also if [`Table::extend`] is to be called first.
    #[inline(always)]
    pub(crate) fn reserve_ready(&self, amount: u32) -> Option<u32> {
        let counter = self.counter();
        let start = counter.load(Relaxed);
        let end = u64::from(start) + u64::from(amount);
        if end > u64::from(self.ready.load(Relaxed)) {
            return None;
        }
        counter.store(end as u32, Relaxed);
        Some(start)
    }

    fn counter(&self) -> &AtomicU32 {
        // SAFETY: mapped for the life of the process.
        unsafe { &*self.counter }
    }

    /// Makes so many more records ready; `false` if there are too few, which is recorded.
    #[cold]
    #[inline(never)]
    pub(crate) fn extend(&self, amount: u32) -> bool {
        let end = u64::from(self.counter().load(Relaxed)) + u64::from(amount);
        if end > u64::from(self.capacity) {
            header().overflow.store(1, Relaxed);
            count(Cause::TableFull);
            return false;
        }
        let mut ready = self.ready.load(Relaxed);
        while u64::from(ready) < end {
            let first = self.at(ready);
            // SAFETY: below the capacity.
            unsafe { first.cast::<u8>().read_volatile() };
            let rest = WINDOW - first as usize % WINDOW;
            let more = rest.div_ceil(size_of::<T>()) as u32;
            ready = ready.saturating_add(more).min(self.capacity);
        }
        self.ready.store(ready, Relaxed);
        true
    }
}

static NOTHING: AtomicU32 = AtomicU32::new(0);
