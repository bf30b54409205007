//! Budget, stop and clock: when a run of Labrys ends, and why.
//!
//! Steps and runs are counted the same on every machine; time is not. Only the time budget and
//! the stop flag make a result depend on anything but program, seed and counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Limits of a session; `None` is no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Runs of new inputs.
    pub runs: Option<u64>,
    /// Steps of the technique.
    pub steps: Option<u64>,
    /// The session ends when this target is reached.
    pub goal: Option<String>,
    /// It does not end by an input with an error of memory on the way there, where another build
    /// may not come.
    pub sound_goal: bool,
    /// The session ends when all targets that the program names are reached.
    pub all_targets: bool,
    /// The session ends when each branch is covered or proved unreachable.
    pub all_branches: bool,
    /// The steps that it goes on behind that, to look for failures.
    pub beyond: u64,
    /// The session ends when tests with runs that are not long cover each branch.
    pub all_tested: bool,
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// The technique has nothing more to try.
    Exhausted,
    /// The time is over.
    Time,
    /// The runs are used up.
    Runs,
    /// The steps are used up.
    Steps,
    /// The one target that was asked for is reached.
    Goal,
    /// All targets that the program names are reached.
    Targets,
    /// Each branch is covered or proved unreachable.
    Branches,
    /// Somebody asked for it.
    Stopped,
}

impl End {
    /// A clause for people.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            End::Exhausted => "nothing more to try",
            End::Time => "the time is over",
            End::Runs => "the runs are used up",
            End::Steps => "the steps are used up",
            End::Goal => "the target is reached",
            End::Targets => "all targets are reached",
            End::Branches => "every branch is covered or proved unreachable",
            End::Stopped => "stopped",
        }
    }
}

/// A flag that asks a session to end in order. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Asks the session to end.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the session was asked to end.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, for a signal handler.
    #[must_use]
    pub fn shared(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

/// The time since a session started; a resumed one starts where the last one ended.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    before: Duration,
}

impl Clock {
    /// A clock that shows this time now.
    #[must_use]
    pub fn starting_at(before: Duration) -> Self {
        Clock {
            start: Instant::now(),
            before,
        }
    }

    /// Time of this session and of those that it continues.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.before + self.elapsed()
    }

    /// Time of this session alone; budgets count this.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

/// When a session ends: its budget, its clock, and the flag that asks it to end.
pub(crate) struct Deadline {
    budget: Budget,
    stop: StopFlag,
    clock: Clock,
    /// Steps of the technique in this session.
    steps: u64,
    /// The steps when each branch was first seen to be decided.
    decided: Option<u64>,
}

impl Deadline {
    pub(crate) fn new(budget: Budget, stop: StopFlag) -> Self {
        Deadline {
            budget,
            stop,
            clock: Clock::starting_at(Duration::ZERO),
            steps: 0,
            decided: None,
        }
    }

    /// The clock goes on from the time of an earlier session.
    pub(crate) fn resume(&mut self, before: Duration) {
        self.clock = Clock::starting_at(before);
    }

    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    pub(crate) fn stop(&self) -> &StopFlag {
        &self.stop
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    pub(crate) fn count_step(&mut self) {
        self.steps += 1;
    }

    /// Whether to end where each branch is decided: behind the steps that are taken beyond that.
    pub(crate) fn is_decided(&self) -> bool {
        let beyond = self.budget.beyond;
        let over = |at: u64| self.steps >= at.saturating_add(beyond);
        beyond == 0 || self.decided.is_some_and(over)
    }

    /// Each branch is decided.
    pub(crate) fn decide(&mut self) {
        self.decided.get_or_insert(self.steps);
    }

    pub(crate) fn time_left(&self) -> Option<Duration> {
        let limit = self.budget.time?;
        Some(limit.saturating_sub(self.clock.elapsed()))
    }

    /// The first limit that is reached; `reached` is what the targets say.
    pub(crate) fn end(&self, reached: Option<End>, new_runs: u64) -> Option<End> {
        let stopped = self.stop.is_set().then_some(End::Stopped);
        let over = || self.budget.end(self.clock.elapsed(), new_runs, self.steps);
        stopped.or(reached).or_else(over)
    }

    /// See [`Budget::used`].
    pub(crate) fn used(&self, new_runs: u64) -> Option<f64> {
        self.budget.used(self.clock.elapsed(), new_runs, self.steps)
    }
}

impl Budget {
    /// The first limit that is reached.
    #[must_use]
    pub fn end(&self, elapsed: Duration, runs: u64, steps: u64) -> Option<End> {
        let over = |limit: Option<u64>, count: u64| limit.is_some_and(|limit| count >= limit);
        if self.time.is_some_and(|limit| elapsed >= limit) {
            Some(End::Time)
        } else if over(self.runs, runs) {
            Some(End::Runs)
        } else if over(self.steps, steps) {
            Some(End::Steps)
        } else {
            None
        }
    }

    /// The part of the budget that is used up, 0 to 1; `None` without a limit.
    #[must_use]
    pub fn used(&self, elapsed: Duration, runs: u64, steps: u64) -> Option<f64> {
        let part = |limit: Option<u64>, count: u64| limit.map(|limit| count as f64 / limit as f64);
        let time = self
            .time
            .map(|limit| elapsed.as_secs_f64() / limit.as_secs_f64());
        let parts = [time, part(self.runs, runs), part(self.steps, steps)];
        let most = parts
            .into_iter()
            .flatten()
            .fold(None, |most: Option<f64>, used| {
                Some(most.map_or(used, |most| most.max(used)))
            });
        most.map(|used| {
            if used.is_nan() {
                1.0
            } else {
                used.clamp(0.0, 1.0)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_limit_ends() {
        let budget = Budget {
            time: Some(Duration::from_secs(10)),
            runs: Some(100),
            ..Budget::default()
        };
        let second = Duration::from_secs(1);
        assert_eq!(budget.end(second, 99, 1_000_000), None);
        assert_eq!(budget.end(second, 100, 0), Some(End::Runs));
        assert_eq!(budget.end(10 * second, 0, 0), Some(End::Time));
        assert_eq!(budget.used(second, 50, 0), Some(0.5));
        assert_eq!(budget.used(second, 1, 0), Some(0.1));
        assert_eq!(Budget::default().used(second, 1, 1), None);
        assert_eq!(Budget::default().end(second, u64::MAX, u64::MAX), None);
    }
}
