//! When a session ends by itself: what goes on for long asks between its steps.

use std::time::Duration;

use super::Session;

impl Session {
    /// Whether exploring was asked to end: what goes on for long looks at it.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.deadline.stop().is_set()
    }

    /// Whether exploring was asked to end, or its time is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_stopped() || self.time_left().is_some_and(|left| left.is_zero())
    }

    /// What is left of the time, if that has a limit.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.time_left()
    }
}
