//! Runs that are many times as long as others wait for their turn.
//!
//! A program that asks for a block of its input, 8 KiB say, is soon given one, and that run makes
//! more decisions than hundreds of others. Each of its branches costs as much again: the
//! conditions before it, and a run as long. So these branches wait until as many decisions were
//! made in other runs, or nothing else is left: they get half of the work at most, and none is
//! starved. Decisions are counted, not seconds.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use crate::strategy::{Pick, Strategy, View};
use crate::tree::{Candidate, Flip, RunId, Tree};

/// A run is heavy from so many steps on, if it also has so many times as many as is typical.
const HEAVY: u64 = 4_096;
const TIMES_LOG2: u64 = 4;
/// Candidates that one step puts off.
const MOST_PUT_OFF: usize = 1024;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Weights {
    /// By run: its steps.
    steps: Vec<u32>,
    /// The sum of their logarithms.
    logarithms: u64,
    /// Steps of light runs that no heavy one was worked on for.
    credit: u64,
    waiting: VecDeque<Candidate>,
    /// All that were put off.
    known: FxHashSet<Candidate>,
}

impl Weights {
    /// A run with so many steps was made; runs are numbered in this order.
    pub(crate) fn learn(&mut self, steps: usize) {
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        self.steps.push(steps);
        self.logarithms += u64::from(steps.max(1).ilog2());
        if !self.is_heavy(RunId((self.steps.len() - 1) as u32)) {
            self.credit += u64::from(steps);
        }
    }

    /// Whether a run is to be worked on now: if it is heavy, this is its turn.
    pub(crate) fn admits(&mut self, run: RunId) -> bool {
        if !self.is_heavy(run) {
            return true;
        }
        let steps = self.steps(run);
        let enough = self.credit >= steps;
        if enough {
            self.credit -= steps;
        }
        enough
    }

    /// What a strategy picks; candidates of runs that are not worked on now are put off.
    pub(crate) fn light(
        &mut self,
        strategy: &mut dyn Strategy,
        seen: &View<'_>,
        rng: &mut fastrand::Rng,
    ) -> Option<Pick> {
        for _ in 0..MOST_PUT_OFF {
            let pick = strategy.pick(seen, rng)?;
            let candidate = match pick {
                Pick::Flip(candidate) => candidate,
                Pick::Mutate(run) if self.admits(run) => return Some(pick),
                Pick::Mutate(_) => continue,
            };
            if self.admits(seen.tree.run(candidate.node)) {
                return Some(pick);
            }
            if self.known.insert(candidate) {
                self.waiting.push_back(candidate);
            }
        }
        None
    }

    /// The candidate that waits longest and is still open, if it is its turn.
    pub(crate) fn turn(&mut self, tree: &Tree) -> Option<Candidate> {
        let first = self.first(tree)?;
        if !self.admits(tree.run(first.node)) {
            return None;
        }
        self.waiting.pop_front()
    }

    /// The candidate that waits longest and is still open, whose turn it is for want of others.
    pub(crate) fn next(&mut self, tree: &Tree) -> Option<Candidate> {
        self.first(tree)?;
        self.waiting.pop_front()
    }

    /// Other runs and other strategies may have done what waited.
    fn first(&mut self, tree: &Tree) -> Option<Candidate> {
        while let Some(first) = self.waiting.front() {
            if tree.flip(*first) == Flip::Untried {
                return Some(*first);
            }
            self.waiting.pop_front();
        }
        None
    }

    fn steps(&self, run: RunId) -> u64 {
        u64::from(self.steps.get(run.index()).copied().unwrap_or(0))
    }

    fn is_heavy(&self, run: RunId) -> bool {
        let typical = self.logarithms / (self.steps.len() as u64).max(1);
        let steps = self.steps(run);
        steps >= HEAVY && steps >> TIMES_LOG2 >> typical > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Decision;

    /// A tree with a short run and a long one; its candidate at a depth.
    fn tree() -> (Tree, impl Fn(usize) -> Candidate) {
        let decision = |site| Decision {
            site,
            arity: 2,
            direction: 0,
            frame: 0,
            value: 0,
            closed: None,
        };
        let mut tree = Tree::default();
        tree.insert([]);
        let long = tree.insert((0..9).map(decision));
        let candidate = move |depth: usize| Candidate {
            node: long.path[depth].node,
            direction: 1,
        };
        (tree, candidate)
    }

    #[test]
    fn a_heavy_run_waits_for_as_many_steps_of_others() {
        let (tree, candidate) = tree();
        let mut weights = Weights::default();
        weights.learn(100);
        weights.learn(100_000);
        for _ in 0..98 {
            weights.learn(100);
            assert!(weights.admits(RunId(0)));
        }
        weights.waiting.extend([candidate(7), candidate(8)]);
        assert_eq!(weights.turn(&tree), None);
        (0..901).for_each(|_| weights.learn(100));
        assert_eq!(weights.turn(&tree), Some(candidate(7)));
        assert_eq!(weights.turn(&tree), None);
        assert_eq!(weights.next(&tree), Some(candidate(8)));
        assert_eq!(weights.next(&tree), None);
    }

    #[test]
    fn what_was_done_meanwhile_waits_no_more() {
        let (mut tree, candidate) = tree();
        let mut weights = Weights::default();
        weights.waiting.extend([candidate(3), candidate(4)]);
        tree.mark(candidate(3), Flip::Unsat);
        assert_eq!(weights.next(&tree), Some(candidate(4)));
    }

    #[test]
    fn where_all_runs_are_long_none_waits() {
        let mut weights = Weights::default();
        (0..20).for_each(|_| weights.learn(100_000));
        assert!((0..20).all(|run| weights.admits(RunId(run))));
    }
}
