//! How much of the time looks at runs that do not fail may take.
//!
//! The checked build of most programs is a few times slower than the plain one, and looks take some
//! hundredths of the time. In others it is a thousand times slower: where a block grows by `realloc`,
//! the system moves pages in the one and AddressSanitizer copies gigabytes in the other. So where the
//! time is limited, looks have a part of it, and runs beyond that wait: tests first, the latest of
//! them before the others, then the rest in their order.
//!
//! Law: without a limit of time no run waits, so nothing depends on the clock.

use std::collections::VecDeque;
use std::time::Duration;

/// Looks may take one of so many parts of the time that has passed and of the whole time together.
const PART: u32 = 16;
/// Runs that wait, at most.
const MOST: usize = 256;

/// The time that looks took, and the runs that wait for one, `T` each.
#[derive(Debug)]
pub(super) struct Looks<T> {
    taken: Duration,
    waiting: VecDeque<T>,
}

impl<T> Default for Looks<T> {
    fn default() -> Self {
        Looks {
            taken: Duration::ZERO,
            waiting: VecDeque::new(),
        }
    }
}

impl<T> Looks<T> {
    /// Whether there may be a look after so much of the time that there is, if it is limited.
    pub(super) fn admits(&self, elapsed: Duration, limit: Option<Duration>) -> bool {
        limit.is_none_or(|limit| self.taken * PART <= elapsed + limit)
    }

    /// Books a look.
    pub(super) fn book(&mut self, took: Duration) {
        self.taken += took;
    }

    /// Lets a run wait.
    pub(super) fn put_off(&mut self, run: T, is_test: bool) {
        if is_test {
            self.waiting.push_front(run);
            self.waiting.truncate(MOST);
        } else if self.waiting.len() < MOST {
            self.waiting.push_back(run);
        }
    }

    /// The run that waits and comes first.
    pub(super) fn next(&mut self) -> Option<T> {
        self.waiting.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn looks_take_a_part_of_the_time() {
        let mut looks = Looks::<u32>::default();
        let whole = Some(PART * SECOND);
        assert!(looks.admits(Duration::ZERO, whole));
        looks.book(SECOND);
        assert!(looks.admits(Duration::ZERO, whole));
        looks.book(SECOND / 2);
        assert!(!looks.admits(SECOND, whole) && looks.admits(PART * SECOND / 2, whole));
        looks.book(PART * SECOND);
        assert!(!looks.admits(PART * SECOND, whole));
        assert!(looks.admits(Duration::ZERO, None), "without a limit");
    }

    #[test]
    fn tests_come_first_and_few_wait() {
        let mut looks = Looks::default();
        (0..2 * MOST).for_each(|run| looks.put_off(run, false));
        looks.put_off(7_000, true);
        looks.put_off(7_001, true);
        let order: Vec<usize> = std::iter::from_fn(|| looks.next()).collect();
        assert_eq!(order[..4], [7_001, 7_000, 0, 1]);
        assert_eq!(order.len(), MOST);
    }
}
