//! Counters of a session.

use std::collections::BTreeMap;
use std::time::Duration;

use labrys_abi::Cause;
use labrys_suite::Queries;

use crate::asker::Asker;
use crate::runs::RunCounts;
use crate::start::Start;

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
    /// Inputs to start from that show nothing new in a run of the plain program, and had no other.
    pub aside: u64,
    /// Runs of the checked program.
    pub checks: u64,
    /// Queries by answer.
    pub queries: Queries,
    /// Steps of the solver that queries took.
    pub solver_steps: u64,
    /// Time in the solver.
    pub solver_time: Duration,
    /// Time of the runs that this process recorded, which may be at once.
    pub run_time: Duration,
    /// Runs that left the predicted path.
    pub divergences: u64,
    /// The same by cause.
    pub divergence_causes: BTreeMap<String, u64>,
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
    pub(crate) fn of(
        counts: &RunCounts,
        asker: &Asker,
        start: &Start,
        (steps, tests): (u64, u64),
    ) -> Self {
        Statistics {
            aside: start.aside() as u64,
            steps,
            runs: counts.runs,
            new_runs: counts.new_runs,
            reruns: counts.reruns,
            replays: counts.replays,
            fuzzed: counts.fuzzed,
            checks: counts.checks,
            queries: asker.queries().clone(),
            solver_steps: asker.steps(),
            solver_time: asker.time(),
            run_time: Duration::from_secs_f64(counts.seconds),
            divergences: counts.divergences,
            divergence_causes: counts.divergence_causes.clone(),
            malformed: counts.malformed,
            overflows: counts.overflows,
            concretizations: counts.concretizations.clone(),
            tests,
        }
    }

    /// All queries.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.queries.sat + self.queries.unsat + self.queries.unknown
    }

    /// Functions that are not followed, each with the number of symbolic values that runs gave them;
    /// those with the most come first.
    #[must_use]
    pub fn lost_in_calls(&self) -> Vec<(&str, u64)> {
        let mut calls: Vec<_> = lost_in_calls(&self.concretizations).collect();
        calls.sort_by_key(|(_, values)| std::cmp::Reverse(*values));
        calls
    }

    /// Symbolic values that runs gave to operations that are not followed.
    #[must_use]
    pub fn lost_in_operations(&self) -> u64 {
        lost_in_operations(&self.concretizations)
    }
}

/// Values that went into operations that are not followed, among concretizations by cause.
pub(crate) fn lost_in_operations(concretizations: &BTreeMap<String, u64>) -> u64 {
    let values = concretizations.get(Cause::Operation.name());
    values.copied().unwrap_or(0)
}

/// Functions that are not followed, with the number of values that they were given, among
/// concretizations by cause.
pub(crate) fn lost_in_calls(
    concretizations: &BTreeMap<String, u64>,
) -> impl Iterator<Item = (&str, u64)> {
    let calls = concretizations.iter();
    calls.filter_map(|(cause, values)| {
        let name = cause
            .strip_prefix(Cause::External.name())?
            .strip_prefix(' ')?;
        Some((name, *values))
    })
}

/// Why a run was not where its query said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DivergenceCause {
    /// Soft constraints were dropped: values that a run had fixed moved.
    Relaxed,
    /// The run made values concrete.
    Concretized,
    /// The query gave an input that had been run, and its run was elsewhere.
    TriedBefore,
    /// The same input took another path.
    Unsteady,
    /// None of these: a bug of Labrys, unless the program depends on something that is no input.
    Unexplained,
}

impl DivergenceCause {
    /// What it is called in a summary.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            DivergenceCause::Relaxed => "relaxed",
            DivergenceCause::Concretized => "concretized",
            DivergenceCause::TriedBefore => "tried-before",
            DivergenceCause::Unsteady => "unsteady",
            DivergenceCause::Unexplained => "unexplained",
        }
    }
}
