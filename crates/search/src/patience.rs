//! Patience with hard queries: each is first given few steps of the solver, and tried again with more when
//! its turn comes: soon if its branch is uncovered, else when nothing better is left. A program
//! has few branches that need a long query, and many that have a hopeless one in every run.
//!
//! Turns are counted in steps of the search, and patience in steps of the solver, not in seconds,
//! so that the order of work is the same everywhere.

use std::collections::VecDeque;

use crate::tree::Candidate;

/// Steps of the first tries; the last try, for an uncovered branch only, has those of the session.
const STEPS: [u64; 2] = [4_000, 30_000];
/// A hard query is tried again after so many steps.
const EVERY: u64 = 64;

/// A candidate whose query was given up.
#[derive(Clone, Copy, Debug)]
struct Hard {
    candidate: Candidate,
    tries: usize,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    waiting: VecDeque<Hard>,
    steps: u64,
    /// Tries before the one that is under way.
    tries: usize,
}

impl Patience {
    /// A candidate whose turn it is to be tried again, now and then: the first that is wanted.
    pub(crate) fn turn(&mut self, wanted: impl Fn(Candidate) -> bool) -> Option<Candidate> {
        self.steps += 1;
        self.tries = 0;
        if self.steps % EVERY == 0 {
            self.next(wanted)
        } else {
            None
        }
    }

    /// The first candidate that is wanted, to be tried again.
    pub(crate) fn next(&mut self, wanted: impl Fn(Candidate) -> bool) -> Option<Candidate> {
        let found = self
            .waiting
            .iter()
            .position(|hard| wanted(hard.candidate))?;
        let hard = self.waiting.remove(found)?;
        self.tries = hard.tries;
        Some(hard.candidate)
    }

    /// Steps for the query of the try that is under way; `None` for those of the session.
    pub(crate) fn solver_steps(&self) -> Option<u64> {
        STEPS.get(self.tries).copied()
    }

    /// The query was given up.
    pub(crate) fn give_up(&mut self, candidate: Candidate, uncovered: bool) {
        if self.tries + 1 < STEPS.len() + usize::from(uncovered) {
            let tries = self.tries + 1;
            self.waiting.push_back(Hard { candidate, tries });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::NodeId;

    #[test]
    fn each_try_has_more_steps_until_the_last() {
        let candidate = Candidate {
            node: NodeId(3),
            direction: 1,
        };
        let mut patience = Patience::default();
        assert_eq!(patience.turn(|_| true), None);
        assert_eq!(patience.solver_steps(), Some(STEPS[0]));
        patience.give_up(candidate, true);
        let turns: Vec<_> = (0..EVERY).filter_map(|_| patience.turn(|_| true)).collect();
        assert_eq!(turns, [candidate]);
        assert_eq!(patience.next(|_| true), None);
        patience.give_up(candidate, true);
        assert_eq!(patience.next(|_| true), Some(candidate));
        assert_eq!(patience.solver_steps(), Some(STEPS[1]));
        patience.give_up(candidate, true);
        assert_eq!(patience.next(|_| true), Some(candidate));
        assert_eq!(patience.solver_steps(), None);
        patience.give_up(candidate, true);
        assert_eq!(patience.next(|_| true), None);
    }

    #[test]
    fn covered_branches_wait_and_get_less() {
        let candidate = Candidate {
            node: NodeId(3),
            direction: 1,
        };
        let mut patience = Patience::default();
        patience.give_up(candidate, false);
        assert_eq!(patience.next(|_| false), None);
        assert_eq!(patience.next(|_| true), Some(candidate));
        patience.give_up(candidate, false);
        assert_eq!(patience.next(|_| true), None);
    }
}
