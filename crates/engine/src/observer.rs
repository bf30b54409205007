//! Observers: what a session tells the outside while it goes on.

use std::time::Duration;

use labrys_suite::{Failure, TestCase};

/// Numbers that change while a session goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Status {
    /// Time of this session.
    pub elapsed: Duration,
    /// The part of the budget that is used up, 0 to 1; `None` without a limit.
    pub used: Option<f64>,
    /// The time budget.
    pub time_limit: Option<Duration>,
    /// Runs of new inputs, those of a resumed suite included.
    pub runs: u64,
    /// Runs of new inputs in this session.
    pub new_runs: u64,
    /// Branches that confirmed tests cover.
    pub covered: u64,
    /// Branches that count in coverage.
    pub branches: u64,
    /// Branches that are proved unreachable.
    pub unreachable: u64,
    /// Seeds that were not run yet.
    pub seeds: u64,
    /// Queries asked.
    pub queries: u64,
    /// Tests kept.
    pub tests: u64,
    /// Confirmed failures.
    pub failures: u64,
    /// Targets reached.
    pub targets: u64,
}

impl Status {
    /// What is left of the time budget.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        Some(self.time_limit?.saturating_sub(self.elapsed))
    }
}

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub enum Notice<'a> {
    /// The numbers as they are now; a few times a second.
    Status(&'a Status),
    /// A test was kept.
    Kept(&'a TestCase),
    /// A failure was found, or one known before was confirmed.
    Failure(&'a Failure),
    /// A target was reached for the first time.
    Target(&'a str),
    /// Something that a user may want to know, such as a limit that was reached.
    Note(&'a str),
}

/// Observes a session.
pub trait Observer {
    /// Something happened.
    fn notice(&mut self, notice: Notice<'_>);
}

/// Does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn notice(&mut self, _: Notice<'_>) {}
}
