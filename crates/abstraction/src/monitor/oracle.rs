//! Queries of a monitor: answered once, and within the budget of a run.

use labrys_expr::ExprId;
use labrys_solver::Answer;
use rustc_hash::FxHashMap;

use crate::ask::{Ask, Asker};
use crate::block::{LargeBlock, Location};
use crate::invariants::at_end;
use crate::terms::Terms;

/// Steps of the solver for a query.
const STEPS: u64 = 2_000;
/// Answers that are kept.
const MOST: usize = 1 << 18;

/// What is known of queries; it holds whatever graph is looked at.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// By constraints, in ascending order: whether they may all be true.
    known: FxHashMap<Vec<ExprId>, bool>,
    /// By location, transition and cube at the target: the cube at the beginning.
    before: FxHashMap<(Location, usize, Vec<ExprId>), Vec<ExprId>>,
}

/// Asks.
pub(super) struct Oracle<'a> {
    pub(super) answers: &'a mut Answers,
    pub(super) ask: &'a mut dyn Ask,
    /// The work at which no more is asked.
    pub(super) until: u64,
}

impl Oracle<'_> {
    /// Whether the constraints may all be true; yes where that is not known.
    pub(super) fn may(&mut self, terms: &mut Terms<'_>, mut constraints: Vec<ExprId>) -> bool {
        constraints.sort_unstable();
        constraints.dedup();
        constraints.retain(|id| *id != ExprId::TRUE);
        if constraints.is_empty() || constraints.contains(&ExprId::FALSE) {
            return constraints.is_empty();
        }
        if let Some(known) = self.answers.known.get(&constraints) {
            return *known;
        }
        if self.ask.work() >= self.until {
            return true;
        }
        let mut asker = Asker {
            ask: &mut *self.ask,
            steps: STEPS,
            // Each run has many flips: what is not decided near is not worth its price.
            local: true,
        };
        let may = !matches!(asker.check(terms, &constraints), Answer::Unsat(_));
        if self.answers.known.len() >= MOST {
            self.answers.known.clear();
        }
        self.answers.known.insert(constraints, may);
        may
    }

    /// A cube at the target of a transition, at the beginning of the transition.
    pub(super) fn before(
        &mut self,
        terms: &mut Terms<'_>,
        (location, block, index): (Location, &LargeBlock, usize),
        cube: &[ExprId],
    ) -> Vec<ExprId> {
        let key = (location, index, cube.to_vec());
        if let Some(known) = self.answers.before.get(&key) {
            return known.clone();
        }
        let found = at_end(terms, block, &block.transitions[index], cube);
        self.answers.before.insert(key, found.clone());
        found
    }
}
