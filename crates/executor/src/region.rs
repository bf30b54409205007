//! The shared region, from the explorer's side.
//!
//! Invariant: every access stays within the mapping, whatever the program under test wrote into
//! the header; offsets and capacities are taken from this side's copy.

#![allow(unsafe_code)]

use core::ptr::NonNull;
use core::sync::atomic::Ordering::{Acquire, Relaxed};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use labrys_abi::{Event, Header, MAGIC, Mode, Node, PAGE, Region, Stream, VERSION};
use labrys_trace::{Exit, Recording};

use crate::{RunLimits, sys};

/// Records above this many bytes are given back to the system after the run.
const KEPT: usize = 64 << 20;

/// A recording keeps the room of an earlier one if that is at most so many times what it needs, and
/// so many bytes.
const TIMES: usize = 2;
const SPARE: usize = 256 << 10;

/// The memory file that runs write their records into, and its mapping.
#[derive(Debug)]
pub(crate) struct SharedRegion {
    file: OwnedFd,
    base: NonNull<u8>,
    size: usize,
    branches: usize,
    coverage: Region,
    near: Region,
    /// The branches whose distances are recorded.
    wanted: Vec<u32>,
    input: Region,
    events: Region,
    nodes: Region,
    data: Region,
    events_per_branch: u32,
}

// SAFETY: the mapping belongs to this value alone; nothing in it is tied to a thread.
unsafe impl Send for SharedRegion {}

impl SharedRegion {
    /// A region with these capacities, ready for the first run.
    pub(crate) fn new(branches: usize, limits: &RunLimits) -> io::Result<Self> {
        let mut size = PAGE;
        let mut section = |bytes: usize| {
            let capacity = bytes.max(1).next_multiple_of(PAGE);
            let region = Region {
                offset: size as u64,
                capacity: capacity as u64,
            };
            size += capacity;
            region
        };
        let coverage = section(branches);
        let near = section(branches * size_of::<u32>());
        let input = section(limits.input as usize);
        let events = section(limits.events as usize * size_of::<Event>());
        let nodes = section(limits.nodes as usize * size_of::<Node>());
        let data = section(limits.data as usize);
        let file = sys::memory_file(c"labrys-region", size as u64)?;
        let base = sys::map_shared(file.as_fd(), size)?;
        let mut region = Self {
            file,
            base,
            size,
            branches,
            coverage,
            near,
            wanted: Vec::new(),
            input,
            events,
            nodes,
            data,
            events_per_branch: limits.events_per_branch,
        };
        region.write_header();
        Ok(region)
    }

    /// Number of the descriptor, for a child process.
    pub(crate) fn raw(&self) -> i32 {
        self.file.as_raw_fd()
    }

    fn header(&mut self) -> *mut Header {
        self.base.as_ptr().cast()
    }

    /// The header's counters.
    fn counters(&self) -> &Header {
        // SAFETY: the mapping is page-aligned and at least a header long; all fields accept any
        // bits. Other processes write the counters, which are atomic; plain fields are read
        // nowhere through this reference.
        unsafe { self.base.cast().as_ref() }
    }

    /// Writes the part of the header that runs only read: the last may have written over it.
    fn write_header(&mut self) {
        let (coverage, near, input) = (self.coverage, self.near, self.input);
        let (events, nodes, data) = (self.events, self.nodes, self.data);
        let (size, events_per_branch) = (self.size as u64, self.events_per_branch);
        let header = self.header();
        // SAFETY: the header is within the mapping, and no program runs now.
        unsafe {
            (*header).magic = MAGIC;
            (*header).version = VERSION;
            (*header).size = size;
            (*header).coverage = coverage;
            (*header).near = near;
            (*header).input = input;
            (*header).events = events;
            (*header).nodes = nodes;
            (*header).data = data;
            (*header).events_per_branch = events_per_branch;
        }
    }

    /// Whether that part is still as it was written.
    fn is_intact(&self) -> bool {
        let header: *const Header = self.base.as_ptr().cast();
        // SAFETY: the header is within the mapping, and no program runs now.
        unsafe { (*header).magic == MAGIC && (*header).version == VERSION }
    }

    /// Prepares the region for a run: streams, mode, end of the input objects, counters at their
    /// start, no coverage.
    pub(crate) fn prepare(&mut self, streams: &[Stream], mode: Mode, objects_end: u64) {
        self.write_header();
        let header = self.header();
        // SAFETY: the header is within the mapping, and no program runs now: the last run ended
        // and its strays were killed. The header is written field by field, so no reference to
        // memory that others might write is made.
        unsafe {
            (*header).mode = mode as u32;
            (*header).objects_end = objects_end;
            (*header).stream_count = streams.len().min(Header::MAX_STREAMS) as u32;
            for (index, stream) in streams.iter().take(Header::MAX_STREAMS).enumerate() {
                (&raw mut (*header).streams[index]).write(*stream);
            }
        }
        let counters = self.counters();
        counters.event_count.store(0, Relaxed);
        counters.node_count.store(1, Relaxed);
        counters.data_used.store(0, Relaxed);
        counters.overflow.store(0, Relaxed);
        counters.untold_calls.store(0, Relaxed);
        counters.exit_kind.store(0, Relaxed);
        counters.objects_used.store(0, Relaxed);
        for place in &counters.misuses {
            place.store(0, Relaxed);
        }
        for count in &counters.concretizations {
            count.store(0, Relaxed);
        }
        // SAFETY: the coverage section holds at least a byte per branch.
        unsafe { self.section(self.coverage).write_bytes(0, self.branches) }
        self.set_distances(u32::MAX);
    }

    /// From now on runs record how near they come to these branches, and to no others.
    pub(crate) fn want(&mut self, branches: impl Iterator<Item = u32>) {
        self.set_distances(0);
        let known = |branch: &u32| (*branch as usize) < self.branches;
        self.wanted = branches.filter(known).collect();
    }

    /// Of the branches that are wanted.
    fn set_distances(&mut self, distance: u32) {
        let first = self.section(self.near).cast::<u32>();
        for branch in &self.wanted {
            // SAFETY: the section holds a word per branch, and wanted branches are among them.
            unsafe { first.add(*branch as usize).write(distance) }
        }
    }

    /// The wanted branches that a run came near to, with distances.
    fn copy_distances(&self, to: &mut Vec<(u32, u32)>) {
        let first = self.section(self.near).cast::<u32>();
        // SAFETY: as in `set_distances`.
        let distance = |branch: &u32| unsafe { first.add(*branch as usize).read() };
        let near = self.wanted.iter().map(|branch| (*branch, distance(branch)));
        to.clear();
        to.extend(near.filter(|(_, distance)| *distance < u32::MAX));
    }

    /// Bytes of the input section that can be written.
    pub(crate) fn input_capacity(&self) -> usize {
        self.input.capacity as usize
    }

    /// Writes bytes into the input section.
    ///
    /// # Panics
    /// If they do not fit.
    pub(crate) fn write_input(&mut self, offset: usize, bytes: &[u8]) {
        let end = offset.checked_add(bytes.len());
        assert!(
            end.is_some_and(|end| end <= self.input_capacity()),
            "input section"
        );
        // SAFETY: the range was checked; the source is not in the mapping.
        unsafe {
            let to = self.section(self.input).add(offset);
            to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
    }

    /// Copies what the run recorded. No program runs now. A run that wrote over the header has
    /// recorded nothing that could be believed.
    pub(crate) fn copy(&mut self, recording: &mut Recording) {
        if !self.is_intact() {
            self.prepare(&[], Mode::Symbolic, 0);
            self.counters().overflow.store(1, Relaxed);
        }
        let counters = self.counters();
        let nodes = counters.node_count.load(Acquire) as usize;
        let events = counters.event_count.load(Acquire) as usize;
        let data = counters.data_used.load(Acquire) as usize;
        recording.overflow = counters.overflow.load(Relaxed) != 0;
        recording.untold_calls = counters.untold_calls.load(Relaxed) != 0;
        recording.exit = Exit::from_u32(counters.exit_kind.load(Relaxed));
        recording.objects_used = counters.objects_used.load(Relaxed);
        recording.misuses.clear();
        let places = counters.misuses.iter().map(|place| place.load(Relaxed));
        recording.misuses.extend(places.filter(|place| *place != 0));
        for (to, from) in recording
            .concretizations
            .iter_mut()
            .zip(&counters.concretizations)
        {
            *to = from.load(Relaxed);
        }
        // SAFETY: `Node`, `Event` and `u8` accept any bits; all sections are page-aligned.
        unsafe {
            self.copy_section(self.nodes, nodes, &mut recording.nodes);
            self.copy_section(self.events, events, &mut recording.events);
            self.copy_section(self.data, data, &mut recording.data);
            self.copy_section(self.coverage, self.branches, &mut recording.coverage);
        }
        self.copy_distances(&mut recording.near);
        if let Some(unused) = recording.nodes.first_mut() {
            *unused = Node::default();
        }
        recording.drop_unfinished();
        self.trim(nodes, events, data);
    }

    /// Copies the first `count` elements of a section, or as many as fit into it.
    ///
    /// # Safety
    /// `T` must accept any bits and need no more than a page's alignment.
    unsafe fn copy_section<T: Copy>(&self, section: Region, count: usize, to: &mut Vec<T>) {
        let count = count.min(section.capacity as usize / size_of::<T>());
        to.clear();
        // A long run leaves its room to the short one that comes next, which may be kept.
        let spare = to.capacity().saturating_sub(TIMES * count);
        if spare * size_of::<T>() > SPARE {
            *to = Vec::new();
        }
        to.reserve_exact(count);
        // SAFETY: the section lies within the mapping and holds `count` elements, and the
        // vector has room for them.
        unsafe {
            let from = self.section(section).cast::<T>();
            to.as_mut_ptr().copy_from_nonoverlapping(from, count);
            to.set_len(count);
        }
    }

    /// Gives memory back after a run that recorded very much.
    fn trim(&self, nodes: usize, events: usize, data: usize) {
        let used = nodes * size_of::<Node>() + events * size_of::<Event>() + data;
        if used > KEPT {
            let start = self.events.offset;
            sys::punch_hole(self.file.as_fd(), start, self.size as u64 - start);
        }
    }

    fn section(&self, section: Region) -> *mut u8 {
        // SAFETY: all sections lie within the mapping.
        unsafe { self.base.as_ptr().add(section.offset as usize) }
    }
}

impl Drop for SharedRegion {
    fn drop(&mut self) {
        sys::unmap(self.base, self.size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_beyond_the_sections_are_cut() {
        let limits = RunLimits {
            nodes: 128,
            events: 128,
            data: 4096,
            ..RunLimits::default()
        };
        let mut region = SharedRegion::new(3, &limits).unwrap();
        region.prepare(&[], Mode::Symbolic, 0);
        for section in [region.events, region.nodes] {
            let start = region.section(section);
            // SAFETY: a section of 128 records.
            unsafe { start.write_bytes(1, 128 * size_of::<Node>()) };
        }
        region.counters().node_count.store(u32::MAX, Relaxed);
        region.counters().event_count.store(u32::MAX, Relaxed);
        region.counters().data_used.store(u32::MAX, Relaxed);
        let mut recording = Recording::default();
        region.copy(&mut recording);
        assert_eq!(recording.nodes.len(), 128);
        assert_eq!(recording.events.len(), 128);
        assert_eq!(recording.data.len(), 4096);
        assert_eq!(recording.coverage.len(), 3);
    }

    /// A run that is killed may have reserved records that it has not written.
    #[test]
    fn reserved_records_are_no_records() {
        let mut region = SharedRegion::new(3, &RunLimits::default()).unwrap();
        region.prepare(&[], Mode::Symbolic, 0);
        region.counters().node_count.store(5, Relaxed);
        region.counters().event_count.store(4, Relaxed);
        for (section, last) in [(region.nodes, 2), (region.events, 1)] {
            // SAFETY: below the capacity.
            let record = unsafe { region.section(section).add(last * size_of::<Node>()) };
            // SAFETY: as above.
            unsafe { record.write(1) };
        }
        let mut recording = Recording::default();
        region.copy(&mut recording);
        assert_eq!((recording.nodes.len(), recording.events.len()), (3, 2));
    }

    #[test]
    fn a_header_that_a_run_wrote_over_is_restored() {
        let mut region = SharedRegion::new(3, &RunLimits::default()).unwrap();
        region.prepare(&[], Mode::Symbolic, 0);
        // SAFETY: the header and the coverage behind it.
        unsafe { region.base.as_ptr().write_bytes(0xff, PAGE + 3) };
        let mut recording = Recording::default();
        region.copy(&mut recording);
        assert_eq!(recording.coverage, [0; 3]);
        assert!(recording.overflow && recording.concretizations.iter().all(|n| *n == 0));
        region.prepare(&[], Mode::Symbolic, 0);
        assert!(region.is_intact() && region.counters().size == region.size as u64);
    }
}
