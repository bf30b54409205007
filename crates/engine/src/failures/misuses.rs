//! Which runs that seem to use memory wrongly are looked at under AddressSanitizer.
//!
//! Marks on the heap see every such run, but the C library uses freed memory again without
//! notice, so some programs seem to do it in every run, always at the same places. A place is
//! looked at until that found nothing new a few times, and after that once for so many runs.
//! Counted in runs, not in seconds, so that a search repeats.

use rustc_hash::FxHashMap;

/// Looks at one place that may find nothing.
const TRIES: u32 = 3;
/// Runs for each further look.
const RUNS: u64 = 64;

/// Looks that found nothing new, so far.
#[derive(Debug, Default)]
pub(crate) struct MisuseFilter {
    wasted: u64,
    places: FxHashMap<u32, u32>,
}

impl MisuseFilter {
    /// Whether a run is worth a look, after so many runs.
    pub(crate) fn suggest(&self, places: &[u32], runs: u64) -> bool {
        let wasted = |place| self.places.get(place).copied().unwrap_or(0);
        let fresh = places.iter().any(|place| wasted(place) < TRIES);
        fresh || !places.is_empty() && self.wasted < runs / RUNS
    }

    /// Takes note of a look that found nothing new.
    pub(crate) fn learn(&mut self, places: &[u32]) {
        self.wasted += 1;
        for place in places {
            *self.places.entry(*place).or_insert(0) += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of so many runs are looked at that all have these places.
    fn looks(filter: &mut MisuseFilter, places: &[u32], runs: u64) -> u64 {
        let looked = (0..runs).filter(|run| {
            let look = filter.suggest(places, *run);
            if look {
                filter.learn(places);
            }
            look
        });
        looked.count() as u64
    }

    #[test]
    fn false_alarms_become_rare_and_hide_no_other_place() {
        let mut filter = MisuseFilter::default();
        assert_eq!(looks(&mut filter, &[], 100), 0);
        assert_eq!(looks(&mut filter, &[7], 100), u64::from(TRIES));
        assert_eq!(looks(&mut filter, &[7], 6400), 6399 / RUNS - 3);
        assert_eq!(looks(&mut filter, &[7, 8], 10), u64::from(TRIES));
    }
}
