//! When runs are cut off, from how long the runs before took.
//!
//! A program that loops for ever by design, with nothing left to ask for, takes all of its limit
//! in each run, and what it does is done in the first thousandth of that. So once such runs take a
//! good part of the time, a run gets a few times as long as the longest one that ended by itself.
//! Some go on to the full limit: what comes late is found, later.

use std::time::{Duration, Instant};

/// Runs that are cut off may take one of so many parts of the time before they get less.
const PART: u32 = 4;
/// How many times as long as the longest run that ended.
const LONGER: u32 = 4;
/// No run gets less than one of so many parts of the full limit.
const LEAST: u32 = 16;
/// One of so many runs that are cut off had the full limit.
const FULL: u32 = 4;

/// What the runs so far took.
#[derive(Debug)]
pub(crate) struct Pace {
    start: Instant,
    longest_ended: Duration,
    cut_off: Duration,
    cut_offs: u32,
}

impl Pace {
    pub(crate) fn new() -> Self {
        Pace {
            start: Instant::now(),
            longest_ended: Duration::ZERO,
            cut_off: Duration::ZERO,
            cut_offs: 0,
        }
    }

    /// The limit of the next run.
    pub(crate) fn limit(&self, full: Duration) -> Duration {
        self.limit_after(self.start.elapsed(), full)
    }

    fn limit_after(&self, elapsed: Duration, full: Duration) -> Duration {
        if self.cut_off * PART <= elapsed || self.cut_offs % FULL == 0 {
            return full;
        }
        (self.longest_ended * LONGER).clamp(full / LEAST, full)
    }

    /// Books a run.
    pub(crate) fn book(&mut self, taken: Duration, is_cut_off: bool) {
        if is_cut_off {
            self.cut_off += taken;
            self.cut_offs += 1;
        } else {
            self.longest_ended = self.longest_ended.max(taken);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn pace(ended: Duration, cut_offs: u32) -> Pace {
        let mut pace = Pace::new();
        pace.book(ended, false);
        (0..cut_offs).for_each(|_| pace.book(SECOND, true));
        pace
    }

    #[test]
    fn runs_that_are_cut_off_get_less_when_they_take_the_time() {
        let quick = pace(SECOND / 1000, 2);
        assert_eq!(quick.limit_after(3 * SECOND, SECOND), SECOND / LEAST);
        // They are rare.
        assert_eq!(quick.limit_after(9 * SECOND, SECOND), SECOND);
        // Runs that end take long as well.
        let slow = pace(SECOND / 8, 2);
        assert_eq!(slow.limit_after(3 * SECOND, SECOND), SECOND / 2);
        let slower = pace(SECOND / 2, 2);
        assert_eq!(slower.limit_after(3 * SECOND, SECOND), SECOND);
        // Each fourth has all of it.
        let fourth = pace(SECOND / 1000, FULL);
        assert_eq!(fourth.limit_after(5 * SECOND, SECOND), SECOND);
    }
}
