//! What the layers counted.

use crate::query::Answer;

/// Numbers of queries by answer and by the layer that answered; sums of times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Queries with a model.
    pub sat: u64,
    /// Queries without one.
    pub unsat: u64,
    /// Queries given up.
    pub unknown: u64,
    /// Calls of the back end, restricted attempts included.
    pub calls: u64,
    /// Models that did not satisfy their query. This is never right.
    pub invalid: u64,
    /// Steps that were taken off the budgets of queries.
    pub steps: u64,
    /// Nodes and gates that were gone through beside them: by evaluation, in making queries smaller,
    /// and in the circuits that the back end holds.
    pub visits: u64,
    /// Time for all queries.
    pub seconds: f64,
    /// Part of it spent in the back end.
    pub backend_seconds: f64,
    /// Queries by the counter of the row of the schedule that answered.
    answered: Vec<(&'static str, u64)>,
}

/// Nodes that are gone through in the time of a step.
pub(crate) const VISITS_PER_STEP: u64 = 1_000;

impl Statistics {
    /// What all queries cost, in steps.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.steps + self.visits / VISITS_PER_STEP
    }

    /// Number of queries.
    #[must_use]
    pub fn queries(&self) -> u64 {
        self.sat + self.unsat + self.unknown
    }

    /// Queries that layers answered, by the name of the counter, in the order of the schedule.
    pub fn answered(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.answered.iter().copied()
    }

    /// Queries that the layers with this counter answered.
    #[must_use]
    pub fn answered_by(&self, counter: &str) -> u64 {
        let mut counters = self.answered();
        counters
            .find(|(name, _)| *name == counter)
            .map_or(0, |(_, count)| count)
    }

    /// The number of a counter, which is new if there is none of this name.
    pub(crate) fn counter(&mut self, name: &'static str) -> usize {
        let known = self.answered.iter().position(|(known, _)| *known == name);
        known.unwrap_or_else(|| {
            self.answered.push((name, 0));
            self.answered.len() - 1
        })
    }

    pub(crate) fn name(&self, counter: usize) -> &'static str {
        self.answered[counter].0
    }

    /// Counts an answer, by the counter of what gave it.
    pub(crate) fn count(&mut self, answer: &Answer, counter: Option<usize>, seconds: f64) {
        match answer {
            Answer::Sat(_) => self.sat += 1,
            Answer::Unsat(_) => self.unsat += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
        if let Some(counter) = counter {
            self.answered[counter].1 += 1;
        }
        self.seconds += seconds;
    }
}
