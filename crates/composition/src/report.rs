//! What a hunt found, and the figures of the paper's tables.

use serde::{Deserialize, Serialize};

/// A failure that a system input shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validated {
    /// Where it fails, as `FILE:LINE`.
    pub location: String,
    /// One word for what goes wrong.
    pub kind: String,
    /// The calls from main to the function in whose unit the failure was found; empty if a run of
    /// the whole program showed it first.
    pub chain: Vec<String>,
    /// Chains that were given up before, with what stopped them.
    pub backtracked: Vec<String>,
    /// The refining constraints, each with the caller and the callee.
    pub constraints: Vec<String>,
}

/// A failure of a unit that no system input is known to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alarm {
    /// Where the unit fails, as `FILE:LINE`.
    pub location: String,
    /// One word for what goes wrong.
    pub kind: String,
    /// The function that the unit is of.
    pub function: String,
    /// The longest chain of calls under which it still may fail, outermost first.
    pub context: Vec<String>,
    /// Each chain that was tried, with what stopped it.
    pub conflicts: Vec<String>,
}

/// Time of the phases in seconds (section 4.5.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// Fuzzing and measuring relevance.
    pub fz: f64,
    /// Testing units for failures.
    pub fli: f64,
    /// Checking combined formulas.
    pub sc: f64,
    /// Computing interpolants.
    pub cc: f64,
    /// Refining summaries.
    pub fsr: f64,
    /// Building units; for those that are tested, a part of the time of these.
    #[serde(default)]
    pub build: f64,
}

/// Counts of a hunt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// System runs that relevance was measured by.
    pub profiled: u32,
    /// Units that were tested.
    pub units: u32,
    /// Units that an earlier hunt explored and that were the same.
    #[serde(default)]
    pub remembered: u32,
    /// Failure lines of units.
    pub targets: u32,
    /// Combined formulas that were checked.
    pub formulas: u64,
    /// Satisfiable ones that reach main; of these, whose input showed the failure.
    pub at_main: u64,
    /// See above.
    pub validating: u64,
    /// Calls below which units failed in ways that fit the call.
    pub below: u64,
    /// Lines that the whole program was searched for from inputs that came near.
    pub directed: u32,
    /// Interpolants.
    pub interpolants: u64,
    /// Refinements of summaries.
    pub refinements: u64,
    /// Branch coverage of the refined functions before and after, in percent, on average.
    pub coverage_before: f64,
    /// See above.
    pub coverage_after: f64,
}

/// What a hunt found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Failures that a system input shows; their inputs are in `failures/` of the suite.
    pub validated: Vec<Validated>,
    /// Failures of units only, the likeliest first.
    pub alarms: Vec<Alarm>,
    /// Functions without a unit, and why.
    pub left_out: Vec<String>,
    /// Counts.
    pub figures: Figures,
    /// Time by phase.
    pub phases: Phases,
}

impl Report {
    /// Puts the alarms that more of the program bears out first.
    pub(crate) fn rank(&mut self) {
        self.alarms.sort_by(|a, b| {
            let length = |alarm: &Alarm| alarm.context.len();
            length(b)
                .cmp(&length(a))
                .then_with(|| a.location.cmp(&b.location))
        });
    }
}
