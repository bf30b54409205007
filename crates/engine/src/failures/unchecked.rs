//! Runs that nothing drew attention to, and that may have used memory wrongly all the same.
//!
//! An access at a concrete address that leaves an array lands in some other variable, and the run
//! goes on as if nothing had happened. Runs that do something new are looked at under
//! AddressSanitizer at once; of the others one in so many, and the rest when the search has
//! nothing more to try. Those with the most decisions come first, since what fills an array takes
//! iterations of loops; every other look is at the latest run, so that long ones do not take them all.
//!
//! Invariant: what is kept is bounded, and which run is looked at depends on counts alone.

use std::collections::BTreeMap;

/// Runs for each look.
const RUNS: u64 = 32;
/// Runs that are kept for a look; the shortest go first.
const MOST: usize = 256;

/// The runs that are kept, `T` each.
#[derive(Debug)]
pub(crate) struct UncheckedRuns<T> {
    /// By the number of decisions, then by age.
    runs: BTreeMap<(usize, u64), T>,
    noted: u64,
    looks: u64,
}

impl<T> Default for UncheckedRuns<T> {
    fn default() -> Self {
        UncheckedRuns {
            runs: BTreeMap::new(),
            noted: 0,
            looks: 0,
        }
    }
}

impl<T> UncheckedRuns<T> {
    /// Keeps a run of so many decisions, if those that are kept are not all longer; the run to look
    /// at now, if it is time.
    pub(crate) fn note(&mut self, decisions: usize, run: impl FnOnce() -> T) -> Option<T> {
        self.noted += 1;
        let full = self.runs.len() == MOST;
        let shortest = self.runs.first_key_value().map(|((length, _), _)| *length);
        if !full || shortest.is_some_and(|length| length <= decisions) {
            self.runs.insert((decisions, self.noted), run());
        }
        if self.runs.len() > MOST {
            self.runs.pop_first();
        }
        if self.noted % RUNS != 0 {
            return None;
        }
        self.looks += 1;
        if self.looks % 2 == 1 {
            return self.longest();
        }
        let latest = self.runs.keys().copied().max_by_key(|(_, age)| *age);
        latest.and_then(|key| self.runs.remove(&key))
    }

    /// The run with the most decisions that is left.
    pub(crate) fn longest(&mut self) -> Option<T> {
        self.runs.pop_last().map(|(_, run)| run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_alternate_between_the_longest_and_the_latest() {
        let mut runs = UncheckedRuns::default();
        let length = |run: u64| if run == 5 { 100 } else { (run % 7) as usize };
        let looks: Vec<u64> = (1..=4 * RUNS)
            .filter_map(|run| runs.note(length(run), || run))
            .collect();
        let long = |run: &u64| *run == 5 || run % 7 == 6;
        assert_eq!(looks.len(), 4);
        assert_eq!((looks[0], looks[1], looks[3]), (5, 2 * RUNS, 4 * RUNS));
        assert!(long(&looks[2]));
    }

    #[test]
    fn what_is_kept_is_bounded_and_the_longest_stay() {
        let mut runs = UncheckedRuns::default();
        for run in 0..10 * MOST {
            let _ = runs.note(run, || run);
        }
        let _ = runs.note(10 * MOST, || 10 * MOST);
        assert_eq!(runs.note(0, || panic!("it is not kept")), None);
        let rest: Vec<usize> = std::iter::from_fn(|| runs.longest()).collect();
        assert!(rest.len() <= MOST && rest.is_sorted_by(|a, b| a > b));
        assert!(rest.iter().all(|run| *run >= 8 * MOST));
    }
}
