//! Summary and events: what a run of Labrys found, for machines.
//!
//! Wall-clock times stand here and nowhere else in a suite folder, so that the rest depends on
//! program, seed and step budget only.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Branches of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branches {
    /// All branches, oracle sites apart.
    pub total: u64,
    /// Branches taken by confirmed test cases.
    pub covered: u64,
    /// Branches proved unreachable.
    pub unreachable: u64,
}

impl Branches {
    /// Branches that are neither covered nor proved unreachable.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.total - self.covered - self.unreachable
    }
}

/// Queries by answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queries {
    /// Answered with a model.
    pub sat: u64,
    /// Answered with a core.
    pub unsat: u64,
    /// Not answered within the budget.
    pub unknown: u64,
    /// Answered from the cache; these count under their answer too.
    pub cached: u64,
    /// What answered the others.
    #[serde(default)]
    pub by_layer: ByLayer,
}

/// Queries by the layer of the solver that answered them, under the name that the solver counts it
/// by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ByLayer(BTreeMap<String, u64>);

impl ByLayer {
    /// Counts from 0 on for those of these layers that have no count.
    pub fn begin<'a>(&mut self, layers: impl IntoIterator<Item = &'a str>) {
        for layer in layers {
            self.0.entry(layer.to_owned()).or_default();
        }
    }

    /// Counts a query that a layer answered.
    pub fn add(&mut self, layer: &str) {
        match self.0.get_mut(layer) {
            Some(count) => *count += 1,
            None => drop(self.0.insert(layer.to_owned(), 1)),
        }
    }
}

/// A failure in the summary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureSummary {
    /// One word for what went wrong.
    pub kind: String,
    /// What was accessed and how it lies to the object.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Source location as `FILE:LINE:COLUMN`.
    pub location: Option<String>,
    /// Stack at the failure, innermost frame first.
    pub stack: Vec<String>,
    /// Path of the input in the suite folder.
    pub input: String,
    /// The command that shows it again.
    #[serde(default)]
    pub reproduce: String,
    /// Whether a build without instrumentation showed it too.
    pub confirmed: bool,
}

/// What is known of a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetStatus {
    /// Not reached so far.
    #[default]
    Open,
    /// A confirmed input reaches it.
    Reached,
    /// No input reaches it.
    Unreachable,
}

/// A target in the summary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetSummary {
    /// Source location, function or name.
    pub location: String,
    /// Where a name stands in the source, as `FILE:LINE:COLUMN`.
    #[serde(default)]
    pub place: Option<String>,
    /// What is known of it.
    pub status: TargetStatus,
    /// Path in the suite folder of the input that reaches it.
    pub input: Option<String>,
    /// Path in the suite folder of the certificate that shows it unreachable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
}

/// What `summary.json` holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Path of the program.
    pub program: String,
    /// Name of the technique.
    pub technique: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Seed of all random choices.
    pub seed: u64,
    /// Branches of the program.
    pub branches: Branches,
    /// Runs of the instrumented program.
    pub runs: u64,
    /// Runs per second of wall-clock time.
    pub runs_per_second: f64,
    /// Queries by answer.
    pub queries: Queries,
    /// Seconds spent in the solver.
    pub solver_seconds: f64,
    /// Seconds of wall-clock time.
    pub seconds: f64,
    /// Runs that did not take the branch that was predicted.
    pub divergences: u64,
    /// The same by cause.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub divergence_causes: BTreeMap<String, u64>,
    /// Symbolic values that were replaced by their concrete ones, by cause.
    pub concretizations: BTreeMap<String, u64>,
    /// Failures, confirmed ones first.
    pub failures: Vec<FailureSummary>,
    /// Targets: those that the program names, in the order of its functions, then others.
    pub targets: Vec<TargetSummary>,
    /// What was proved unreachable and reached by a run all the same: bugs of Labrys.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<String>,
}

impl Summary {
    /// The same with all times 0.
    pub(crate) fn without_times(&self) -> Self {
        Summary {
            runs_per_second: 0.0,
            solver_seconds: 0.0,
            seconds: 0.0,
            ..self.clone()
        }
    }
}

/// One line of `events.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A run took branches that none before had taken.
    Coverage {
        /// Number of the run.
        run: u64,
        /// Seconds since the start.
        seconds: f64,
        /// Id of the test case.
        case: u32,
        /// Branches covered so far.
        branches: u64,
        /// How many of them are new.
        new: u64,
    },
    /// A failure was found.
    Failure {
        /// Number of the run.
        run: u64,
        /// Seconds since the start.
        seconds: f64,
        /// One word for what went wrong.
        kind: String,
        /// Path of the input in the suite folder.
        input: String,
    },
    /// Something else worth telling: start, resumption, a target reached, the end.
    Milestone {
        /// Number of runs so far.
        run: u64,
        /// Seconds since the start.
        seconds: f64,
        /// What happened.
        text: String,
    },
}

impl Event {
    /// The same at time 0.
    pub(crate) fn without_time(&self) -> Self {
        let mut event = self.clone();
        match &mut event {
            Event::Coverage { seconds, .. }
            | Event::Failure { seconds, .. }
            | Event::Milestone { seconds, .. } => *seconds = 0.0,
        }
        event
    }
}
