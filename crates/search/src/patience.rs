//! Patience with hard queries: each is first given few steps of the solver, and tried again with
//! more when its turn comes: soon if its branch is uncovered, else when nothing better is left. A
//! program has few branches that need a long query, and many that have a hopeless one in every run.
//!
//! So a branch whose query was given up is put off: until other work has been done, as much as the
//! query took, twice as much after each further one, and none after an answer. What is put off is
//! asked when nothing better is left.
//!
//! Each round has several times the steps of the one before, so the earlier rounds add little to
//! the last. A round has its turn after some times as much other work as one of its tries takes, the
//! more often it gave nothing, so none is starved and the hopeless queries do not crowd out the rest.
//! Work is counted in steps of the solver, not in seconds, so that the order of work is the same
//! everywhere.
//!
//! In some programs most queries that 500 steps do not answer need a few more (jhead), in others they
//! are hopeless (the hashes of strings in Lua). So first tries get four times as many steps where
//! tries that took more than 500 have mostly been answered.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::tree::Candidate;

/// Steps of the first tries; the last try, for an uncovered branch only, has those of the session.
const STEPS: [u64; 3] = [500, 4_000, 30_000];
/// Steps of the first tries where tries with more than those above are mostly answered.
const LONG: u64 = 2_000;
/// So many answered ones more than others make first tries longer, and so many fewer shorter again:
/// hopeless queries come many at a time.
const LONGER: u32 = 4;
const SHORTER: u32 = 16;
/// What each further try is taken to need.
const NEEDS: [u64; STEPS.len()] = [4_000, 30_000, 240_000];
/// Tries of a round that gave nothing which are counted.
const MOST_FAILED: u64 = 8;
/// Doublings of the time for which a branch is put off.
const MOST_DOUBLINGS: u32 = 20;

/// A site and a direction.
pub(crate) type Branch = (u32, u32);

/// A candidate whose query was given up.
#[derive(Clone, Copy, Debug)]
struct Hard {
    candidate: Candidate,
    tries: usize,
}

/// What first queries for a branch have come to.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    /// Queries in a row that were given up.
    given_up: u32,
    /// No query before so much work was done.
    due: u64,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    waiting: VecDeque<Hard>,
    put_off: VecDeque<Candidate>,
    records: FxHashMap<Branch, Record>,
    /// By round after the first: work since it had its turn, and tries in a row that gave nothing.
    rounds: [(u64, u64); NEEDS.len()],
    /// Whether first tries have [`LONG`] steps.
    long: bool,
    /// Tries of more than [`STEPS`]`[0]` steps that were answered less those that were not, from 0 to
    /// [`SHORTER`].
    answered: u32,
    /// Tries before the one that is under way.
    tries: usize,
    /// The work when the try that is under way was chosen, and at the choice before it.
    begun: u64,
}

impl Patience {
    /// A candidate whose turn it is to be tried again, now and then: the first that is wanted. `now`
    /// is the work so far.
    pub(crate) fn turn(
        &mut self,
        now: u64,
        wanted: impl Fn(Candidate) -> bool,
    ) -> Option<Candidate> {
        // Further tries do not wait for one another.
        let since = if self.tries == 0 {
            now.saturating_sub(self.begun)
        } else {
            0
        };
        self.tries = 0;
        self.begun = now;
        self.rounds.iter_mut().for_each(|(work, _)| *work += since);
        for (round, needs) in NEEDS.into_iter().enumerate() {
            let (work, failed) = self.rounds[round];
            if work < needs * (1 + failed) {
                continue;
            }
            let of_round = |hard: &Hard| hard.tries == round + 1 && wanted(hard.candidate);
            // A round that has none looks again after as much work.
            self.rounds[round].0 = 0;
            if let Some(place) = self.waiting.iter().position(of_round) {
                return self.take(place);
            }
        }
        None
    }

    /// The candidate that is wanted with the fewest tries, to be tried again.
    pub(crate) fn next(&mut self, wanted: impl Fn(Candidate) -> bool) -> Option<Candidate> {
        if let Some(place) = self.put_off.iter().position(|candidate| wanted(*candidate)) {
            self.tries = 0;
            self.records.clear();
            return self.put_off.remove(place);
        }
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

    /// Whether a candidate is not asked for now, for its branch's sake; it is then kept for later.
    pub(crate) fn puts_off(&mut self, candidate: Candidate, branch: Branch) -> bool {
        let record = self.records.get(&branch);
        let early = self.tries == 0 && record.is_some_and(|record| self.begun < record.due);
        if early {
            self.put_off.push_back(candidate);
        }
        early
    }

    /// Steps for the query of the try that is under way; `None` for those of the session.
    pub(crate) fn solver_steps(&self) -> Option<u64> {
        match self.tries {
            0 if self.long => Some(LONG),
            tries => STEPS.get(tries).copied(),
        }
    }

    /// Whether the query of the try that is under way was not asked before.
    pub(crate) fn is_first(&self) -> bool {
        self.tries == 0
    }

    /// The query was answered, with a model or without one; `now` is the work so far.
    pub(crate) fn answered(&mut self, branch: Branch, has_model: bool, now: u64) {
        self.records.remove(&branch);
        self.learn_length(now, true);
        self.count(has_model);
    }

    /// Learns from a try that took more than a first one has whether such tries are answered.
    fn learn_length(&mut self, now: u64, answered: bool) {
        let is_next = self.tries == 1 - usize::from(self.long);
        let is_short = now.saturating_sub(self.begun) <= STEPS[0];
        if !is_next || answered && is_short {
            return;
        }
        self.answered = match answered {
            true => (self.answered + 1).min(SHORTER),
            false => self.answered.saturating_sub(1),
        };
        if !self.long && self.answered >= LONGER {
            self.answered = SHORTER;
            self.long = true;
        }
        self.long &= self.answered > 0;
    }

    /// The query was given up; `now` is the work so far.
    pub(crate) fn give_up(
        &mut self,
        candidate: Candidate,
        branch: Branch,
        uncovered: bool,
        now: u64,
    ) {
        self.learn_length(now, false);
        if self.tries == 0 {
            let took = now.saturating_sub(self.begun);
            let record = self.records.entry(branch).or_default();
            record.due = now + (took << record.given_up.min(MOST_DOUBLINGS));
            record.given_up += 1;
        }
        self.count(false);
        if self.tries + 1 < STEPS.len() + usize::from(uncovered) {
            let tries = self.tries + 1;
            self.waiting.push_back(Hard { candidate, tries });
        }
    }

    /// Counts what the try that is under way gave, for its round.
    fn count(&mut self, has_model: bool) {
        if let Some((_, failed)) = self.round() {
            *failed = match has_model {
                true => 0,
                false => (*failed + 1).min(MOST_FAILED),
            };
        }
    }

    /// Of the try that is under way, if it is a further one.
    fn round(&mut self) -> Option<&mut (u64, u64)> {
        self.rounds.get_mut(self.tries.checked_sub(1)?)
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
    const BRANCH: Branch = (7, 1);

    #[test]
    fn each_try_has_more_steps_until_the_last() {
        let mut patience = Patience::default();
        assert_eq!(patience.turn(0, |_| true), None);
        assert_eq!(patience.solver_steps(), Some(STEPS[0]));
        patience.give_up(CANDIDATE, BRANCH, true, 500);
        for steps in [Some(STEPS[1]), Some(STEPS[2]), None] {
            assert_eq!(patience.next(|_| true), Some(CANDIDATE));
            assert_eq!(patience.solver_steps(), steps);
            patience.give_up(CANDIDATE, BRANCH, true, 500);
        }
        assert_eq!(patience.next(|_| true), None);
    }

    /// Answers behind the steps of a first try lengthen it, as many fewer shorten it again, and what
    /// is answered within these steps tells nothing.
    #[test]
    fn first_tries_are_as_long_as_hard_queries_are_answered() {
        let mut patience = Patience::default();
        let mut steps = |tries: usize, took: u64, answered: bool, count: u32| {
            for _ in 0..count {
                (patience.tries, patience.begun) = (tries, 0);
                match answered {
                    true => patience.answered(BRANCH, true, took),
                    false => patience.give_up(CANDIDATE, BRANCH, false, took),
                }
            }
            patience.tries = 0;
            patience.solver_steps()
        };
        assert_eq!(steps(1, STEPS[0], true, 99), Some(STEPS[0]));
        assert_eq!(steps(0, LONG, true, 99), Some(STEPS[0]));
        assert_eq!(steps(1, LONG, true, LONGER - 1), Some(STEPS[0]));
        assert_eq!(steps(1, LONG, true, 1), Some(LONG));
        assert_eq!(steps(1, LONG, false, 99), Some(LONG));
        assert_eq!(steps(0, LONG, false, SHORTER - 1), Some(LONG));
        assert_eq!(steps(0, LONG, false, 1), Some(STEPS[0]));
    }

    #[test]
    fn a_turn_comes_after_other_work() {
        let mut patience = Patience::default();
        patience.give_up(CANDIDATE, BRANCH, true, 0);
        assert_eq!(patience.turn(NEEDS[0] - 1, |_| true), None);
        assert_eq!(patience.turn(NEEDS[0], |_| true), Some(CANDIDATE));
        patience.give_up(CANDIDATE, BRANCH, true, NEEDS[0] + 4_000);
        // What the further try took is not other work.
        let begin = NEEDS[0] + 4_000;
        assert_eq!(patience.turn(begin, |_| true), None);
        let rest = NEEDS[1] - NEEDS[0];
        assert_eq!(patience.turn(begin + rest - 1, |_| true), None);
        assert_eq!(patience.turn(begin + rest, |_| true), Some(CANDIDATE));
    }

    /// A round whose tries are given up or refuted has its turn less often, and as often as before
    /// when one gives a model.
    #[test]
    fn rounds_that_give_nothing_wait_longer() {
        let mut patience = Patience::default();
        let mut now = 0;
        let mut turns = |patience: &mut Patience, has_model: Option<bool>| {
            let mut turns = 0;
            for _ in 0..100 {
                patience.tries = 0;
                patience.give_up(CANDIDATE, BRANCH, true, now);
                now += NEEDS[0];
                if patience.turn(now, |_| true).is_some() && patience.tries == 1 {
                    turns += 1;
                    match has_model {
                        Some(has_model) => patience.answered(BRANCH, has_model, now),
                        None => patience.give_up(CANDIDATE, BRANCH, false, now),
                    }
                }
            }
            turns
        };
        let given_up = turns(&mut patience, None);
        let refuted = turns(&mut patience, Some(false));
        let paying = turns(&mut patience, Some(true));
        let counts = [given_up, refuted, paying];
        assert!(given_up < 20 && refuted < 20 && paying > 80, "{counts:?}");
    }

    /// A branch is put off for as long as its last query took, twice as long after each further
    /// one, and not at all once one was answered.
    #[test]
    fn hopeless_branches_are_put_off() {
        let mut patience = Patience::default();
        let mut now = 0;
        for doubled in 0..4 {
            assert_eq!(patience.turn(now, |_| false), None);
            assert!(!patience.puts_off(CANDIDATE, BRANCH));
            patience.give_up(CANDIDATE, BRANCH, true, now + 100);
            now += 100 + (100 << doubled);
            patience.turn(now - 1, |_| false);
            assert!(patience.puts_off(CANDIDATE, BRANCH));
            assert!(!patience.puts_off(CANDIDATE, (7, 0)));
        }
        patience.answered(BRANCH, true, now);
        assert!(!patience.puts_off(CANDIDATE, BRANCH));
    }

    #[test]
    fn what_is_put_off_comes_first_where_nothing_else_is_left() {
        let mut patience = Patience::default();
        patience.give_up(CANDIDATE, BRANCH, true, 100);
        let other = Candidate {
            direction: 0,
            ..CANDIDATE
        };
        assert!(patience.puts_off(other, BRANCH));
        assert_eq!(patience.next(|_| true), Some(other));
        assert!(patience.is_first() && !patience.puts_off(other, BRANCH));
        patience.give_up(other, BRANCH, true, 200);
        assert_eq!(patience.next(|_| true), Some(CANDIDATE));
    }

    #[test]
    fn covered_branches_wait_and_get_less() {
        let mut patience = Patience::default();
        patience.give_up(CANDIDATE, BRANCH, false, 0);
        for _ in 1..STEPS.len() {
            assert_eq!(patience.next(|_| false), None);
            assert_eq!(patience.next(|_| true), Some(CANDIDATE));
            patience.give_up(CANDIDATE, BRANCH, false, 0);
        }
        assert_eq!(patience.next(|_| true), None);
    }
}
