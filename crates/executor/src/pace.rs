//! When runs are cut off, from how long the runs before took.
//!
//! A program that loops for ever by design, with nothing left to ask for, takes all of its limit
//! in each run, and what it does is done in the first thousandth of that. An interpreter of a language
//! with loops does so on many inputs. So once such runs take a small part of the time, a run gets a
//! few times as long as nearly all of those that ended by themselves. As long as it is less than that
//! part, the next has the full limit: what comes late is found, later.

use std::time::{Duration, Instant};

/// Runs that are cut off may take one of so many parts of the time before they get less.
const PART: u32 = 16;
/// How many times as long as the runs that ended.
const LONGER: u32 = 4;
/// No run gets less than one of so many parts of the full limit.
const LEAST: u32 = 16;
/// One of so many runs that ended may have taken longer than the others.
const OTHERS: u32 = 64;

/// What the runs so far took.
#[derive(Debug)]
pub(crate) struct Pace {
    start: Instant,
    /// Runs that ended, by the number of bits of their microseconds.
    ended: [u32; 64],
    cut_off: Duration,
}

impl Pace {
    pub(crate) fn new() -> Self {
        Pace {
            start: Instant::now(),
            ended: [0; 64],
            cut_off: Duration::ZERO,
        }
    }

    /// The limit of the next run.
    pub(crate) fn limit(&self, full: Duration) -> Duration {
        self.limit_after(self.start.elapsed(), full)
    }

    fn limit_after(&self, elapsed: Duration, full: Duration) -> Duration {
        if self.cut_off * PART <= elapsed {
            return full;
        }
        (self.nearly_all() * LONGER).clamp(full / LEAST, full)
    }

    /// A time within which nearly all runs ended that did, at most twice as long as need be.
    fn nearly_all(&self) -> Duration {
        let most = self.ended.iter().sum::<u32>() / OTHERS;
        let mut longer = 0;
        let bits = (0_u32..64).zip(self.ended).rev().find(|(_, runs)| {
            longer += runs;
            longer > most
        });
        bits.map_or(Duration::ZERO, |(bits, _)| Duration::from_micros(1 << bits))
    }

    /// Books a run.
    pub(crate) fn book(&mut self, taken: Duration, is_cut_off: bool) {
        if is_cut_off {
            self.cut_off += taken;
        } else {
            let micros = u64::try_from(taken.as_micros()).unwrap_or(u64::MAX);
            self.ended[(u64::BITS - micros.leading_zeros()).min(63) as usize] += 1;
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
        assert_eq!(quick.limit_after(33 * SECOND, SECOND), SECOND);
        // Runs that end take long as well.
        let slow = pace(SECOND / 10, 2);
        let limit = Duration::from_micros(4 << 17);
        assert_eq!(slow.limit_after(3 * SECOND, SECOND), limit);
        let slower = pace(SECOND / 2, 2);
        assert_eq!(slower.limit_after(3 * SECOND, SECOND), SECOND);
    }

    #[test]
    fn few_runs_that_take_longer_than_the_others_do_not_count() {
        let mut pace = pace(SECOND / 2, 2);
        (1..OTHERS).for_each(|_| pace.book(SECOND / 1000, false));
        assert_eq!(pace.limit_after(3 * SECOND, SECOND), SECOND / LEAST);
        pace.book(SECOND / 2, false);
        assert_eq!(pace.limit_after(3 * SECOND, SECOND), SECOND);
    }
}
