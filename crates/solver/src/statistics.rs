//! What the layers counted.

use std::ops::AddAssign;

/// Numbers of queries by answer and by the layer that answered; sums of times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Queries with a model.
    pub sat: u64,
    /// Queries without one.
    pub unsat: u64,
    /// Queries given up.
    pub unknown: u64,
    /// Queries answered without a solver, by earlier answers.
    pub cached: u64,
    /// Queries answered without a solver, by constants or by the hint.
    pub trivial: u64,
    /// Queries answered by bounds propagation, on whole numbers or on floats.
    pub bounded: u64,
    /// Queries answered by elimination of one byte after the other.
    pub eliminated: u64,
    /// Queries answered by fixing most symbols to the hint's values.
    pub restricted: u64,
    /// Queries answered by the concolic walk, before the back end and after it.
    pub walked: [u64; 2],
    /// Queries answered by the back end as a whole.
    pub solved: u64,
    /// Calls of the back end, restricted attempts included.
    pub calls: u64,
    /// Models that did not satisfy their query. This is never right.
    pub invalid: u64,
    /// Time for all queries.
    pub seconds: f64,
    /// Part of it spent in the back end.
    pub backend_seconds: f64,
}

impl Statistics {
    /// Number of queries.
    #[must_use]
    pub fn queries(&self) -> u64 {
        self.sat + self.unsat + self.unknown
    }
}

impl AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.cached += other.cached;
        self.trivial += other.trivial;
        self.bounded += other.bounded;
        self.eliminated += other.eliminated;
        self.restricted += other.restricted;
        (0..2).for_each(|at| self.walked[at] += other.walked[at]);
        self.solved += other.solved;
        self.calls += other.calls;
        self.invalid += other.invalid;
        self.seconds += other.seconds;
        self.backend_seconds += other.backend_seconds;
    }
}
