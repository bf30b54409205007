//! Which runs are looked at under the checks of memory.
//!
//! A checked run takes as long as several plain ones, and most inputs do what others did before. So
//! those are looked at that take branches in a combination of classes that no run had before
//! (Kong, Li, Huang, Su, "SAND: Decoupling Sanitization from Fuzzing for Low Overhead", ICSE 2025).
//! Departures: how often a branch is taken counts, by classes, where SAND asks only whether it is. An
//! input of another class of lengths makes another combination, since what fills an array takes a
//! branch more often than classes tell.
//!
//! Law: what is suggested follows from counts alone.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Unless every run is to be looked at, one of so many is.
const SHARE: u32 = 64;
/// Combinations that are known; with more, all are forgotten.
const MOST: usize = 1 << 20;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Suspects {
    seen: HashSet<u64>,
    /// Runs since the last suggestion.
    runs: u32,
}

impl Suspects {
    /// Whether to look at a run that takes the branches in these classes, on an input of so many
    /// bytes; `every` says that no run is to be missed.
    pub(crate) fn suggest(&mut self, classes: &[u8], bytes: usize, every: bool) -> bool {
        self.runs += 1;
        if !every && self.runs < SHARE {
            return false;
        }
        let mut hasher = DefaultHasher::new();
        (classes, bytes.checked_ilog2()).hash(&mut hasher);
        let is_new = self.seen.insert(hasher.finish());
        if is_new {
            self.runs = 0;
        }
        if self.seen.len() > MOST {
            self.seen.clear();
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_combination_is_looked_at_once() {
        let mut suspects = Suspects::default();
        let mut suggest = |classes: &[u8], bytes| suspects.suggest(classes, bytes, true);
        assert!(suggest(&[1, 0, 8], 100));
        assert!(!suggest(&[1, 0, 8], 101));
        assert!(suggest(&[1, 0, 8], 200));
        assert!(suggest(&[1, 1, 8], 100));
        assert!(suggest(&[1, 0, 8], 0));
        assert!(!suggest(&[1, 0, 8], 0));
    }

    #[test]
    fn where_not_every_run_counts_few_are() {
        let mut suspects = Suspects::default();
        let looks = (0..640_u32).filter(|run| suspects.suggest(&run.to_le_bytes(), 1, false));
        assert_eq!(looks.count(), 10);
    }
}
