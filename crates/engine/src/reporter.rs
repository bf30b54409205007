//! The reporting of a session: what observers hear, and when status and summary are due.

use std::time::Duration;

use crate::observer::{Notice, Observer};

/// Status is reported, and the summary written, this far apart.
const STATUS_EVERY: Duration = Duration::from_millis(100);
const SUMMARY_EVERY: Duration = Duration::from_secs(1);

/// See the module.
pub(crate) struct Reporter {
    observer: Box<dyn Observer>,
    last_status: Duration,
    last_summary: Duration,
}

impl Reporter {
    pub(crate) fn new(observer: Box<dyn Observer>) -> Self {
        Reporter {
            observer,
            last_status: Duration::ZERO,
            last_summary: Duration::ZERO,
        }
    }

    pub(crate) fn set_observer(&mut self, observer: Box<dyn Observer>) {
        self.observer = observer;
    }

    pub(crate) fn tell(&mut self, notice: Notice<'_>) {
        self.observer.notice(notice);
    }

    /// Whether the status is due at this time.
    pub(crate) fn status_is_due(&mut self, elapsed: Duration) -> bool {
        is_due(&mut self.last_status, elapsed, STATUS_EVERY)
    }

    /// Whether the summary is to be written at this time.
    pub(crate) fn summary_is_due(&mut self, elapsed: Duration) -> bool {
        is_due(&mut self.last_summary, elapsed, SUMMARY_EVERY)
    }
}

fn is_due(last: &mut Duration, now: Duration, every: Duration) -> bool {
    let due = now >= *last + every;
    if due {
        *last = now;
    }
    due
}
