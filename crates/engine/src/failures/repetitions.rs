//! How often runs took the branches that depend on the input: a loop that runs once more than
//! ever before covers nothing new, but may leave an array.
//!
//! Counts are distinguished up to 32, then by powers of two, so a branch is new at most some sixty
//! times.

use labrys_trace::Trace;
use rustc_hash::{FxHashMap, FxHashSet};

/// Counts up to this are all different.
const EXACT: u32 = 32;

/// What the runs so far did.
#[derive(Debug, Default)]
pub(crate) struct Repetitions {
    /// Site, direction and class of the count.
    seen: FxHashSet<(u32, u32, u32)>,
    counts: FxHashMap<(u32, u32), u32>,
}

impl Repetitions {
    /// Whether a run took some branch as often as no run before it.
    pub(crate) fn learn(&mut self, trace: &Trace) -> bool {
        let steps = trace.steps().iter();
        self.learn_branches(steps.map(|step| (step.site, step.direction)))
    }

    fn learn_branches(&mut self, branches: impl Iterator<Item = (u32, u32)>) -> bool {
        self.counts.clear();
        for branch in branches {
            *self.counts.entry(branch).or_insert(0) += 1;
        }
        let mut new = false;
        for ((site, direction), count) in &self.counts {
            new |= self.seen.insert((*site, *direction, class(*count)));
        }
        new
    }
}

fn class(count: u32) -> u32 {
    match count {
        0..=EXACT => count,
        more => EXACT + more.ilog2(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_iteration_more_is_new_and_the_same_again_is_not() {
        let mut seen = Repetitions::default();
        let mut iterations =
            |count: usize| seen.learn_branches([(7, 1)].into_iter().cycle().take(count));
        assert!(iterations(3) && iterations(4) && iterations(2));
        assert!(!iterations(3) && !iterations(4));
        assert!(iterations(100) && !iterations(101) && iterations(200));
    }
}
