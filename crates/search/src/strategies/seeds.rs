//! Runs whose inputs are worth changing: those that covered a branch first, or took a branch so
//! often as none before, in classes as fuzzers use them (Zalewski, AFL).

use rustc_hash::FxHashMap;

use crate::strategy::{RunInfo, View};
use crate::tree::RunId;

/// Seeds that count as recent.
const RECENT: usize = 12;

/// See the module.
#[derive(Default)]
pub(super) struct Seeds {
    runs: Vec<RunId>,
    /// By branch, `(site, direction)`: the classes of repetitions that some run had, as bits.
    classes: FxHashMap<(u32, u32), u64>,
}

/// The class of a number of repetitions: exact up to 8, then two classes for each doubling.
fn class(count: u32) -> u32 {
    match count {
        0..=8 => count,
        _ => {
            let log = count.ilog2();
            let upper = count >> (log - 1) & 1;
            (9 + 2 * (log - 3) + upper).min(63)
        }
    }
}

impl Seeds {
    /// Learns a run; tells whether it is a seed.
    pub(super) fn learn(&mut self, view: &View, info: &RunInfo) -> bool {
        let mut counts: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for passage in info.path {
            let branch = (view.tree.site(passage.node), passage.direction);
            *counts.entry(branch).or_insert(0) += 1;
        }
        let mut new = info.gain > 0;
        for (branch, count) in counts {
            let seen = self.classes.entry(branch).or_insert(0);
            new |= *seen >> class(count) & 1 == 0;
            *seen |= 1 << class(count);
        }
        // Only a run with nodes of its own can be had again.
        let is_seed = new && !info.new_nodes().is_empty();
        if is_seed {
            self.runs.push(info.run);
        }
        is_seed
    }

    /// A random seed, every second time one of the last.
    pub(super) fn draw(&self, rng: &mut fastrand::Rng) -> Option<RunId> {
        let from = match rng.bool() {
            true => self.runs.len().saturating_sub(RECENT),
            false => 0,
        };
        rng.choice(&self.runs[from..]).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_grow_with_the_count() {
        let classes: Vec<u32> = (1..100_000).map(class).collect();
        assert!(classes.is_sorted() && classes[..8] == [1, 2, 3, 4, 5, 6, 7, 8]);
        assert!(class(11) < class(12) && class(12) == class(15) && class(15) < class(16));
        assert_eq!(class(u32::MAX), 63);
    }
}
