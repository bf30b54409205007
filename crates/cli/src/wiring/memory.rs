//! How much memory a search may take, and what it gives to each of its parts.
//!
//! Three things grow: the execution tree, the traces that are kept, and what one run records. Each
//! has a bound that follows from the whole, in numbers of things and not in what the allocator
//! holds at a moment, so that the same bound gives the same suite. Traces that are not kept are
//! made again by a run; of a run that records more than its part the rest is concrete; a full tree
//! takes no more nodes. What the solver holds is bounded by its own means.

use std::fs;

use labrys_executor::RunLimits;
use labrys_search::SearchOptions;

/// What is assumed of a machine that does not tell.
const UNKNOWN: u64 = 8 << 30;
/// The part of the machine's memory that is taken by default.
const DEFAULT: u64 = 4;
/// Parts of the bound: the tree, the traces, and one recording. A recording is there up to five
/// times: shared, copied, decoded.
const TREE: u64 = 4;
const TRACES: u64 = 8;
const RECORDING: u64 = 12;

/// A bound in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory(u64);

impl Memory {
    /// The bound that the user names, or a quarter of what the machine or the container has.
    pub(crate) fn new(named: Option<u64>) -> Self {
        Memory(named.unwrap_or_else(|| installed() / DEFAULT))
    }

    /// Limits of runs, of which `jobs` are made at a time.
    pub(crate) fn limit_runs(self, limits: &mut RunLimits, jobs: u8) {
        let part = self.0 / RECORDING / u64::from(jobs.max(1));
        let whole = limits.recording_bytes();
        if part < whole {
            let scaled = |limit: u32| (u64::from(limit) * part / whole) as u32;
            limits.nodes = scaled(limits.nodes);
            limits.events = scaled(limits.events);
            limits.data = scaled(limits.data);
        }
    }

    /// Limits of what a search keeps.
    pub(crate) fn limit_search(self, options: &mut SearchOptions) {
        let bytes = |part: u64| usize::try_from(self.0 / part).unwrap_or(usize::MAX);
        options.limit_tree(bytes(TREE));
        options.trace_bytes = options.trace_bytes.min(bytes(TRACES));
    }
}

/// The memory of the machine, or of the container that this runs in.
fn installed() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo").ok();
    let machine = machine.as_deref().and_then(total).unwrap_or(UNKNOWN);
    let container = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|text| text.trim().parse().ok());
    container.map_or(machine, |container: u64| container.min(machine))
}

/// `MemTotal` of `/proc/meminfo`.
fn total(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_tells_its_memory() {
        let text = "MemFree:  12 kB\nMemTotal:       24576 kB\n";
        assert_eq!(total(text), Some(24 << 20));
        assert_eq!(total("MemFree:  12 kB\n"), None);
        assert!(installed() > 64 << 20);
    }

    #[test]
    fn every_part_keeps_to_the_bound() {
        for named in [64 << 20, 512 << 20, 1 << 40] {
            let memory = Memory::new(Some(named));
            for jobs in [1, 4] {
                let mut limits = RunLimits::default();
                memory.limit_runs(&mut limits, jobs);
                assert!(limits.recording_bytes() * 5 * u64::from(jobs) <= named / 2);
                assert!(limits.nodes > 0 && limits.events > 0 && limits.data > 0);
            }
            let mut options = SearchOptions::default();
            memory.limit_search(&mut options);
            assert!(options.trace_bytes as u64 <= named / 8);
            assert!(options.max_nodes > 10_000);
        }
        let mut limits = RunLimits::default();
        Memory::new(Some(1 << 40)).limit_runs(&mut limits, 1);
        assert_eq!(limits, RunLimits::default());
    }
}
