//! Patience with hard queries: each is first given few steps of the solver, and tried again with
//! more when its turn comes: soon if its branch is uncovered, else when nothing better is left. A
//! program has few branches that need a long query, and many that have a hopeless one in every run.
//!
//! Each round has several times the steps of the one before, so the earlier rounds add little to
//! the last. A round has its turn after as much other work as one of its tries takes, so none is
//! starved and the hopeless queries do not crowd out the rest. Work is counted in steps of the
//! solver, not in seconds, so that the order of work is the same everywhere.

use std::collections::VecDeque;

use crate::tree::Candidate;

/// Steps of the first tries; the last try, for an uncovered branch only, has those of the session.
const STEPS: [u64; 3] = [500, 4_000, 30_000];
/// What each further try is taken to need.
const NEEDS: [u64; STEPS.len()] = [4_000, 30_000, 240_000];

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
    /// By round after the first: work since it had its turn. Each step of the search counts as a
    /// first try.
    work: [u64; NEEDS.len()],
    /// Tries before the one that is under way.
    tries: usize,
}

impl Patience {
    /// A candidate whose turn it is to be tried again, now and then: the first that is wanted.
    pub(crate) fn turn(&mut self, wanted: impl Fn(Candidate) -> bool) -> Option<Candidate> {
        self.tries = 0;
        self.work.iter_mut().for_each(|work| *work += STEPS[0]);
        for (round, needs) in NEEDS.into_iter().enumerate() {
            if self.work[round] < needs {
                continue;
            }
            let of_round = |hard: &Hard| hard.tries == round + 1 && wanted(hard.candidate);
            if let Some(place) = self.waiting.iter().position(of_round) {
                self.work[round] = 0;
                return self.take(place);
            }
        }
        None
    }

    /// The candidate that is wanted with the fewest tries, to be tried again.
    pub(crate) fn next(&mut self, wanted: impl Fn(Candidate) -> bool) -> Option<Candidate> {
        let waiting = self.waiting.iter().enumerate();
        let all = waiting.filter(|(_, hard)| wanted(hard.candidate));
        let (place, _) = all.min_by_key(|(_, hard)| hard.tries)?;
        self.take(place)
    }

    fn take(&mut self, place: usize) -> Option<Candidate> {
        let hard = self.waiting.remove(place)?;
        self.tries = hard.tries;
        Some(hard.candidate)
    }

    /// Steps for the query of the try that is under way; `None` for those of the session.
    pub(crate) fn solver_steps(&self) -> Option<u64> {
        STEPS.get(self.tries).copied()
    }

    /// Whether the query of the try that is under way was not asked before.
    pub(crate) fn is_first(&self) -> bool {
        self.tries == 0
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

    const CANDIDATE: Candidate = Candidate {
        node: NodeId(3),
        direction: 1,
    };

    #[test]
    fn each_try_has_more_steps_until_the_last() {
        let mut patience = Patience::default();
        assert_eq!(patience.turn(|_| true), None);
        assert_eq!(patience.solver_steps(), Some(STEPS[0]));
        patience.give_up(CANDIDATE, true);
        for steps in [Some(STEPS[1]), Some(STEPS[2]), None] {
            assert_eq!(patience.next(|_| true), Some(CANDIDATE));
            assert_eq!(patience.solver_steps(), steps);
            patience.give_up(CANDIDATE, true);
        }
        assert_eq!(patience.next(|_| true), None);
    }

    #[test]
    fn a_turn_comes_after_as_much_other_work() {
        let mut patience = Patience::default();
        patience.give_up(CANDIDATE, true);
        let mut before = 0;
        for needs in NEEDS {
            let steps = (before + 1..).find(|_| patience.turn(|_| true).is_some());
            assert_eq!(steps, Some(needs / STEPS[0]));
            patience.give_up(CANDIDATE, true);
            before = needs / STEPS[0];
        }
        assert_eq!(patience.turn(|_| true), None);
    }

    #[test]
    fn rounds_do_not_starve_each_other() {
        let mut patience = Patience::default();
        let tries = |patience: &mut Patience| patience.turn(|_| true).map(|_| patience.tries);
        let mut turns = [0; STEPS.len() + 1];
        for _ in 0..4 * NEEDS[2] / STEPS[0] {
            patience.tries = 0;
            patience.give_up(CANDIDATE, true);
            if let Some(round) = tries(&mut patience) {
                turns[round] += 1;
                patience.give_up(CANDIDATE, true);
            }
        }
        // A round waits a step where another is due at the same.
        for (turns, needs) in turns[1..].iter().zip(NEEDS) {
            assert!(turns + 1 >= 4 * NEEDS[2] / needs, "{turns} of {needs}");
        }
    }

    #[test]
    fn the_least_tried_comes_first_where_nothing_else_is_left() {
        let mut patience = Patience::default();
        patience.give_up(CANDIDATE, true);
        assert_eq!(patience.next(|_| true), Some(CANDIDATE));
        patience.give_up(CANDIDATE, true);
        let other = Candidate {
            direction: 0,
            ..CANDIDATE
        };
        patience.tries = 0;
        patience.give_up(other, true);
        assert_eq!(patience.next(|_| true), Some(other));
    }

    #[test]
    fn covered_branches_wait_and_get_less() {
        let mut patience = Patience::default();
        patience.give_up(CANDIDATE, false);
        for _ in 1..STEPS.len() {
            assert_eq!(patience.next(|_| false), None);
            assert_eq!(patience.next(|_| true), Some(CANDIDATE));
            patience.give_up(CANDIDATE, false);
        }
        assert_eq!(patience.next(|_| true), None);
    }
}
