//! Counters of a session.

use std::collections::BTreeMap;
use std::time::Duration;

use labrys_suite::{Queries, Summary};

/// What happened so far. A resumed session counts on from the suite's summary.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Steps of the technique, in this session.
    pub steps: u64,
    /// Runs of new inputs.
    pub runs: u64,
    /// Of those, the ones in this session.
    pub new_runs: u64,
    /// Runs of known inputs, for their traces.
    pub reruns: u64,
    /// Runs of the plain program.
    pub replays: u64,
    /// Runs of the plain program by a fuzzer, those before `--resume` apart.
    pub fuzzed: u64,
    /// Runs of the checked program.
    pub checks: u64,
    /// Queries by answer.
    pub queries: Queries,
    /// Steps of the solver that queries took.
    pub solver_steps: u64,
    /// Time in the solver.
    pub solver_time: Duration,
    /// Runs that left the predicted path.
    pub divergences: u64,
    /// Recordings that made no sense.
    pub malformed: u64,
    /// Runs with a full table.
    pub overflows: u64,
    /// Concretizations by cause.
    pub concretizations: BTreeMap<String, u64>,
    /// Tests in the suite.
    pub tests: u64,
}

impl Statistics {
    /// The counters that a summary holds.
    #[must_use]
    pub(crate) fn resumed(summary: &Summary) -> Self {
        Statistics {
            runs: summary.runs,
            queries: summary.queries.clone(),
            solver_time: Duration::try_from_secs_f64(summary.solver_seconds).unwrap_or_default(),
            divergences: summary.divergences,
            concretizations: summary.concretizations.clone(),
            ..Statistics::default()
        }
    }

    /// All queries.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.queries.sat + self.queries.unsat + self.queries.unknown
    }
}
