//! The result for a target.

use labrys_suite::Input;

use crate::assumptions::Assumption;
use crate::path::{Path, Skip};
use crate::paths::Counts;
use crate::target::Target;

/// The result for a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing yet.
    Open,
    /// The input is a test of the suite and was confirmed on the plain program.
    Reached,
    /// No input reaches it.
    Unreachable,
    /// Neither found nor excluded.
    NotFound,
}

impl Verdict {
    /// Whether the target may be reached yet: by more work, or by another input.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self, Verdict::Open | Verdict::NotFound)
    }
}

/// The result for a target, and how it was found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The target.
    pub target: Target,
    /// The result.
    pub verdict: Verdict,
    /// Segments, queries, jumps of all passes.
    pub counts: Counts,
    /// Executions of paths in phase II.
    pub evaluations: u64,
    /// Work of these.
    pub(crate) executed: u64,
    /// The path of the input, or none.
    pub path: Option<Path>,
    /// The input that reached it.
    pub input: Option<Input>,
    /// What paths did not follow.
    pub skips: Vec<Skip>,
    /// Paths that were left out, and reasons against a proof.
    pub obstacles: Vec<String>,
    /// What the proof assumes of the program, where there is one.
    pub assumptions: Vec<Assumption>,
    /// Whether the proof is one by the numbers that values may be; one by paths otherwise.
    pub by_values: bool,
    /// Whether a search forward found the input.
    pub forward: bool,
    /// Inputs that should have reached it and did not.
    pub diverged: u64,
    /// Passes that were begun.
    pub passes: u32,
}

impl Report {
    pub(crate) fn is_reached(&self) -> bool {
        self.verdict == Verdict::Reached
    }

    pub(crate) fn new(target: Target) -> Self {
        Report {
            target,
            verdict: Verdict::Open,
            counts: Counts::default(),
            evaluations: 0,
            executed: 0,
            path: None,
            input: None,
            skips: Vec::new(),
            obstacles: Vec::new(),
            assumptions: Vec::new(),
            by_values: false,
            forward: false,
            diverged: 0,
            passes: 0,
        }
    }
}
