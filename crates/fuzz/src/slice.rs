//! How much a turn of the fuzzer may take.
//!
//! A turn is some executions. They are booked by their number, which says little where an execution
//! takes as long as hundreds of usual ones but ends: then a turn with a time limit ends by the clock,
//! and is booked as the time that it took.
//!
//! Law: without a time limit a turn is its executions, whatever the clock says.

use std::time::Duration;

/// The time after which a turn ends: several times that of its executions, where they are as quick as
/// they are taken to be, on a busy machine too.
const LONGEST: Duration = Duration::from_millis(400);
/// Steps of the solver in a second.
const STEPS: f64 = 20_000.0;

/// What is left of a turn. Times are what is left of the search's time, if that has a limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice {
    executions: usize,
    began: Option<Duration>,
}

impl Slice {
    /// A turn of so many executions that begins now.
    pub(crate) fn new(executions: usize, left: Option<Duration>) -> Self {
        Slice {
            executions,
            began: left,
        }
    }

    /// Half of its executions, from the same beginning.
    pub(crate) fn half(self) -> Self {
        Slice {
            executions: self.executions / 2,
            ..self
        }
    }

    /// Whether it has ended, after so many executions.
    pub(crate) fn is_over(&self, executions: usize, left: Option<Duration>) -> bool {
        executions >= self.executions || self.is_slow(left)
    }

    /// Whether the clock ends it.
    pub(crate) fn is_slow(&self, left: Option<Duration>) -> bool {
        self.taken(left) >= LONGEST
    }

    /// The steps of the solver that take as long, if the clock ended it.
    pub(crate) fn steps(&self, left: Option<Duration>) -> Option<f64> {
        let taken = self.is_slow(left).then(|| self.taken(left))?;
        Some(taken.as_secs_f64() * STEPS)
    }

    fn taken(&self, left: Option<Duration>) -> Duration {
        let taken = |(began, left): (Duration, Duration)| began.saturating_sub(left);
        self.began.zip(left).map_or(Duration::ZERO, taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_clock_ends_a_turn_of_slow_executions() {
        let slice = Slice::new(64, Some(60 * SECOND));
        let soon = Some(60 * SECOND - LONGEST / 2);
        assert!(!slice.is_over(63, soon));
        assert!(slice.is_over(64, soon));
        assert_eq!(slice.steps(soon), None);
        // Executions of a quarter of a second.
        let late = Some(59 * SECOND);
        assert!(slice.is_over(4, late) && slice.half().is_over(4, late));
        assert_eq!(slice.steps(late), Some(20_000.0));
    }

    #[test]
    fn without_a_time_limit_no_clock_counts() {
        let slice = Slice::new(64, None);
        assert!(!slice.is_over(63, None) && slice.is_over(64, None));
        assert_eq!(slice.steps(None), None);
    }
}
