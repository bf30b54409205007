//! What a technique sees of a run, and the inputs that it starts from.

use labrys_program::BranchId;
use labrys_suite::{Coverage, Input, Outcome};
use labrys_trace::Trace;

/// What a run was.
#[derive(Debug)]
pub struct Observation {
    /// The input as it was run; objects reach as far as the program read.
    pub input: Input,
    /// How the run ended.
    pub outcome: Outcome,
    /// Whether it is known to fail, under the checks of memory at least. Not every run is looked at under
    /// them; those that become tests are.
    pub fails: bool,
    /// Its trace; `None` if the program spoiled its records.
    pub trace: Option<Trace>,
    /// Whether it was cut off by a limit, or decided more than a record holds.
    pub is_long: bool,
    /// Branches that it took.
    pub coverage: Coverage,
    /// Branches that no run of this session covered before.
    pub gain: usize,
    /// Branches that are still uncovered and to whose sites this run came:
    /// how far apart the values are that the decision compares, as far as the run measured it.
    pub near: Vec<(BranchId, u32)>,
    /// The test case that the run became, or is.
    pub case: Option<u32>,
}

/// An input that a technique starts from.
#[derive(Clone, Debug)]
pub struct Initial {
    /// The input.
    pub input: Input,
    /// The test case that it is in a resumed suite.
    pub case: Option<u32>,
    /// What its test says made it.
    pub made_by: &'static str,
    /// Whether the search was to begin with it: it is neither a test nor what a technique found.
    pub(crate) is_seed: bool,
}

impl Initial {
    /// An input that was there before the session.
    pub(crate) fn seed(input: Input, case: Option<u32>) -> Self {
        Initial {
            input,
            case,
            made_by: "seed",
            is_seed: case.is_none(),
        }
    }

    /// An input that a technique found.
    pub(crate) fn found(input: Input, made_by: &'static str) -> Self {
        Initial {
            input,
            case: None,
            made_by,
            is_seed: false,
        }
    }
}
