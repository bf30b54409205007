//! The shared region as this process sees it, and whether the run records anything.
//!
//! Invariant: records below a section's counter, which stands in the region, were reserved; they
//! lie within the section.

use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::{null, null_mut};
use core::sync::atomic::{
    AtomicU32,
    Ordering::{Relaxed, Release},
    compiler_fence,
};

use labrys_abi::{Cause, Event, Header, MAGIC, Mode, Node, PAGE, REGION_FD, Region, VERSION};

use crate::record::cell::{SingleWriter, cells};

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
    static mut __labrys_all_branches: u32;
    static mut __labrys_all_calls: u32;
}

/// The region as this process sees it. Written at start-up only, before the program's code
/// runs, and in the child of a fork; counters in the header are atomic.
struct Mapped {
    header: Cell<*mut Header>,
    nodes: Section<Node>,
    events: Section<Event>,
    data: Section<u8>,
    input: Cell<*const u8>,
    /// Labels are created.
    symbolic: Cell<bool>,
    /// A run of the fork server, symbolic or not.
    active: Cell<bool>,
}

static REGION: SingleWriter<Mapped> = SingleWriter::new(Mapped {
    header: Cell::new(null_mut()),
    nodes: Section::empty(),
    events: Section::empty(),
    data: Section::empty(),
    input: Cell::new(null()),
    symbolic: Cell::new(false),
    active: Cell::new(false),
});

/// Are labels created in this run?
#[inline(always)]
pub(crate) fn is_symbolic() -> bool {
    REGION.symbolic.get()
}

/// Is this a run of the fork server, symbolic or not?
#[inline(always)]
pub(crate) fn is_active() -> bool {
    REGION.active.get()
}

/// Labels of values.
#[inline(always)]
pub(crate) fn nodes() -> &'static Section<Node> {
    &REGION.nodes
}

/// Decisions, and whatever else happened.
#[inline(always)]
pub(crate) fn events() -> &'static Section<Event> {
    &REGION.events
}

/// Names and snapshots.
#[inline(always)]
pub(crate) fn data() -> &'static Section<u8> {
    &REGION.data
}

/// The bytes of streams that are not files. Only to be called while [`is_active`].
pub(crate) fn input() -> *const u8 {
    REGION.input.get()
}

/// The header of the region; only to be called while [`is_active`].
#[inline]
pub(crate) fn header() -> &'static Header {
    // SAFETY: mapped for the life of the process; the explorer's part is not written meanwhile.
    unsafe { &*REGION.header.get() }
}

/// Maps the region and the coverage bytes of the program, for runs with at most so many nodes; an
/// error is `errno`.
///
/// # Safety
/// One thread, before the program's code.
pub(crate) unsafe fn map(most_nodes: u32) -> Result<(), i32> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the header is checked before its offsets are used.
    unsafe {
        let errno = || *libc::__errno_location();
        let mut stat: libc::stat = core::mem::zeroed();
        if libc::fstat(REGION_FD, &raw mut stat) != 0 {
            return Err(errno());
        }
        let size = stat.st_size as usize;
        let base =
            libc::mmap(null_mut(), size, protection, libc::MAP_SHARED, REGION_FD, 0).cast::<u8>();
        if base.cast() == libc::MAP_FAILED {
            return Err(errno());
        }
        let h = base.cast::<Header>();
        if size < size_of::<Header>() || (*h).magic != MAGIC || (*h).version != VERSION {
            return Err(libc::EPROTO);
        }
        let region = &*REGION;
        region.header.set(h);
        region
            .nodes
            .set(base, (*h).nodes, most_nodes, &raw const (*h).node_count);
        region
            .events
            .set(base, (*h).events, u32::MAX, &raw const (*h).event_count);
        region
            .data
            .set(base, (*h).data, u32::MAX, &raw const (*h).data_used);
        region.input.set(base.add((*h).input.offset as usize));
        for (section, target, bytes) in coverage_pages(&*h) {
            let flags = libc::MAP_SHARED | libc::MAP_FIXED;
            let offset = section.offset as libc::off_t;
            if bytes > 0
                && libc::mmap(target, bytes, protection, flags, REGION_FD, offset) != target
            {
                return Err(errno());
            }
        }
    }
    Ok(())
}

/// The sections of the region that the program's coverage bytes and the words beside them are,
/// where those lie, and how many bytes of whole pages.
fn coverage_pages(header: &Header) -> [(Region, *mut c_void, usize); 2] {
    // SAFETY: the program defines its coverage bytes.
    let coverage = unsafe { &__labrys_coverage };
    let pages = |section: Region, bytes: u64| {
        let bytes = bytes.min(section.capacity) as usize;
        bytes.next_multiple_of(PAGE)
    };
    let words = if coverage.near.is_null() {
        0
    } else {
        coverage.size
    };
    let (bytes, near) = (header.coverage, header.near);
    [
        (bytes, coverage.map.cast(), pages(bytes, coverage.size)),
        (near, coverage.near.cast(), pages(near, 4 * words)),
    ]
}

/// The coverage bytes of the program's branches, as far as the region has room for them.
pub(crate) fn coverage_bytes() -> &'static [Cell<u8>] {
    // SAFETY: defined by the program.
    let coverage = unsafe { &__labrys_coverage };
    let count = coverage.size.min(header().coverage.capacity);
    // SAFETY: they stay for the life of the process.
    unsafe { cells(coverage.map, count as usize) }
}

/// The words of distances, one for each branch, where the program has them.
pub(crate) fn near_words() -> &'static [Cell<u32>] {
    // SAFETY: defined by the program.
    let near = unsafe { __labrys_coverage.near };
    let count = if near.is_null() {
        0
    } else {
        coverage_bytes().len()
    };
    // SAFETY: as above.
    unsafe { cells(near, count) }
}

/// Whose words of distances a process writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    /// Its own.
    Own,
    /// Those of the region.
    Shared,
}

/// From now on the words of distances are these. Nothing happens where there is no memory for it.
///
/// # Safety
/// One thread, and the descriptor of the region is open.
pub(crate) unsafe fn map_near(words: Words) {
    let [_, (section, target, bytes)] = coverage_pages(header());
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let (flags, file, offset) = match words {
        Words::Own => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0),
        Words::Shared => (libc::MAP_SHARED, REGION_FD, section.offset as libc::off_t),
    };
    if bytes > 0 {
        // SAFETY: the pages are replaced by others of the same kind.
        unsafe {
            libc::mmap(
                target,
                bytes,
                protection,
                flags | libc::MAP_FIXED,
                file,
                offset,
            )
        };
    }
}

/// Whether the run has recorded nothing yet but coverage, distances and values that became concrete.
pub(crate) fn is_blank() -> bool {
    let header = header();
    let is_zero = |counter: &AtomicU32| counter.load(Relaxed) == 0;
    header.node_count.load(Relaxed) == 1
        && [&header.event_count, &header.data_used, &header.overflow]
            .into_iter()
            .all(is_zero)
        && [&header.exit_kind, &header.objects_used]
            .into_iter()
            .all(is_zero)
        && header.misuses.iter().all(is_zero)
}

/// This process is a run from now on; whether it is symbolic.
///
/// # Safety
/// One thread, before the program's code; the region is mapped.
pub(crate) unsafe fn start_run() -> bool {
    // SAFETY: variables of the program that nobody else uses yet.
    unsafe {
        let symbolic = is_recording();
        REGION.active.set(true);
        REGION.symbolic.set(symbolic);
        __labrys_all_branches = u32::from(all_branches());
        __labrys_all_calls = u32::from(all_branches() || all_calls());
        symbolic
    }
}

/// Whether runs are told to record the decisions on their input.
pub(crate) fn is_recording() -> bool {
    // SAFETY: a constant of the program.
    let instrumented = unsafe { __labrys_instrumented != 0 };
    let mode = header().mode;
    instrumented && mode != Mode::Coverage as u32 && !Mode::is_real(mode)
}

/// This process is no run any more, and has coverage bytes of its own.
///
/// # Safety
/// One thread, as in the child of a fork.
pub(crate) unsafe fn end_run() {
    // SAFETY: the pages are replaced by others of the same kind.
    unsafe {
        for (_, target, bytes) in coverage_pages(header()) {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
            if bytes > 0 {
                let _ = libc::mmap(target, bytes, protection, flags, -1, 0);
            }
        }
        __labrys_all_branches = 0;
        __labrys_all_calls = 0;
    }
    REGION.symbolic.set(false);
    REGION.active.set(false);
}

/// Is every branch recorded, symbolic or not?
pub(crate) fn all_branches() -> bool {
    is_symbolic() && header().mode == Mode::AllBranches as u32
}

/// Is each function that is called recorded?
pub(crate) fn all_calls() -> bool {
    is_symbolic() && header().mode == Mode::Calls as u32
}

/// Counts a symbolic value that became concrete. Two threads that count at once may count one.
pub(crate) fn count(cause: Cause) {
    if is_active() {
        let counter = &header().concretizations[cause as usize];
        counter.store(counter.load(Relaxed) + 1, Relaxed);
    }
}

/// As many bytes as the system maps around a page that is read for the first time: the pages of
/// earlier runs, if they are still there. A page that is written is mapped alone. So each such
/// window is read before it is written.
const WINDOW: usize = 64 << 10;

/// A node or an event: words pass in registers. Through memory, the processor would wait for the
/// small writes of fields to become large reads.
pub(crate) type Record = [u64; 4];

/// A section of records of one type, as this process sees it.
pub(crate) struct Section<T> {
    start: Cell<*mut T>,
    capacity: Cell<u32>,
    counter: Cell<*const AtomicU32>,
    /// Records below this number lie in windows that were read, and below the capacity.
    ready: AtomicU32,
}

impl<T> Section<T> {
    /// No section.
    const fn empty() -> Self {
        Section {
            start: Cell::new(null_mut()),
            capacity: Cell::new(0),
            counter: Cell::new(&raw const NOTHING),
            ready: AtomicU32::new(0),
        }
    }

    /// From now on this is a section of the region at `base`, of at most so many records.
    ///
    /// # Safety
    /// The section and its counter must be mapped for the life of the process.
    unsafe fn set(&self, base: *mut u8, section: Region, most: u32, counter: *const AtomicU32) {
        let records = section.capacity / size_of::<T>() as u64;
        // SAFETY: within the region.
        self.start
            .set(unsafe { base.add(section.offset as usize).cast() });
        self.capacity.set(records.min(u64::from(most)) as u32);
        self.counter.set(counter);
    }

    /// Where a record lies.
    #[inline]
    pub(crate) fn at(&self, index: u32) -> *mut T {
        self.start.get().wrapping_add(index as usize)
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

    /// As [`Section::reserve`], but `None` also if [`Section::extend`] is to be called first.
    #[inline(always)]
    pub(crate) fn reserve_ready(&self, amount: u32) -> Option<u32> {
        let counter = self.counter();
        let start = counter.load(Relaxed);
        let end = u64::from(start) + u64::from(amount);
        if end > u64::from(self.ready.load(Relaxed)) {
            return None;
        }
        if size_of::<T>() == size_of::<Record>() {
            for index in start..end as u32 {
                // SAFETY: below the capacity. Here may be what an earlier run wrote.
                unsafe { self.at(index).cast::<u64>().write(0) };
            }
            compiler_fence(Release);
        }
        counter.store(end as u32, Relaxed);
        Some(start)
    }

    /// Writes a reserved record, its first word last: that is 0 in none, so a reader knows a record
    /// in which the run was killed.
    ///
    /// # Safety
    /// The record must be reserved, and this be a section of records of four words.
    #[inline(always)]
    pub(crate) unsafe fn write(&self, index: u32, [first, rest @ ..]: Record) {
        let at = self.at(index).cast::<u64>();
        // SAFETY: reserved.
        unsafe {
            at.add(1).cast::<[u64; 3]>().write(rest);
            compiler_fence(Release);
            at.write(first);
        }
    }

    /// How many records there are.
    pub(crate) fn count(&self) -> u32 {
        self.counter().load(Relaxed)
    }

    /// Appends a record to those of a run that has ended, in the server. What the section knows of
    /// its pages is inherited by the next run, and stays as it is.
    pub(crate) fn append_behind(&self, record: T) {
        let index = self.count();
        if index < self.capacity.get() {
            // SAFETY: below the capacity, and nobody else writes.
            unsafe { self.at(index).write(record) };
            self.counter().store(index + 1, Relaxed);
        }
    }

    fn counter(&self) -> &AtomicU32 {
        // SAFETY: mapped for the life of the process.
        unsafe { &*self.counter.get() }
    }

    /// Makes so many more records ready; `false` if there are too few, which is recorded.
    #[cold]
    #[inline(never)]
    pub(crate) fn extend(&self, amount: u32) -> bool {
        let end = u64::from(self.counter().load(Relaxed)) + u64::from(amount);
        if end > u64::from(self.capacity.get()) {
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
            ready = ready.saturating_add(more).min(self.capacity.get());
        }
        self.ready.store(ready, Relaxed);
        true
    }
}

static NOTHING: AtomicU32 = AtomicU32::new(0);
