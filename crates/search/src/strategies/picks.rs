//! The candidates that a strategy named and whose runs are still to come: there may be several,
//! where runs are made ahead.

use crate::strategy::View;
use crate::tree::{Candidate, Flip};

/// Candidates, with what the strategy wants to remember of each.
pub(super) struct PendingPicks<T>(Vec<(Candidate, T)>);

impl<T> Default for PendingPicks<T> {
    fn default() -> Self {
        PendingPicks(Vec::new())
    }
}

impl<T> PendingPicks<T> {
    /// A candidate that is named now. Of those named before, only those are kept that have a model.
    pub(super) fn add(&mut self, view: &View, candidate: Candidate, what: T) {
        self.0
            .retain(|(before, _)| view.tree.flip(*before) == Flip::Sat);
        self.0.push((candidate, what));
    }

    /// What was remembered of the candidate that a run was made for; `None` if another strategy
    /// named it.
    pub(super) fn take(&mut self, flipped: Option<Candidate>) -> Option<T> {
        let found = self
            .0
            .iter()
            .position(|(named, _)| Some(*named) == flipped)?;
        Some(self.0.swap_remove(found).1)
    }
}
