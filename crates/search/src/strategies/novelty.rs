//! Novelty search: runs that do something new are expanded first, where new is a branch that was
//! never covered, or a branch taken more often in one run than ever before.
//!
//! Coverage alone does not see that a parser went one level deeper or read one digit more;
//! numbers of repetitions, in classes as fuzzers use them, do. The order of work:
//!
//! 1. in each new run, the branches whose other side is uncovered;
//! 2. then the run with the largest score is expanded, as in generational search, with few
//!    copies of each branch in a round: the deepest one first, then those nearest to the root.
//!
//! `score = (16 × (8 × new branches + new classes) + parent's score / 2) / 4^round`: what follows
//! on something new is worth more than what follows on nothing. The order of arrival decides
//! ties.

use rustc_hash::FxHashMap;

use super::eager::Eager;
use super::expansion::{Expansion, Generations};
use crate::strategy::{RunInfo, Strategy, View};
use crate::tree::{Candidate, Passage};

/// Copies of one branch in the first round of an expansion.
const PER_BRANCH: u32 = 2;
/// What a new branch weighs against a new class of repetitions.
const BRANCH_WEIGHT: usize = 8;
/// What one new class weighs in a score, so that a few generations inherit some of it.
const SCALE: usize = 16;

/// A branch as `(site, direction)`.
type Branch = (u32, u32);

/// See the module.
pub struct Novelty {
    eager: Eager,
    generations: Generations,
    /// Scores by run.
    scores: Vec<u32>,
    /// By branch: the classes of repetitions that some run had, as bits.
    classes: FxHashMap<Branch, u64>,
}

/// The class of a number of repetitions: exact up to 8, then two classes for each doubling.
fn class(count: u32) -> u32 {
    match count {
        0..=8 => count,
        _ => {
            let log = count.ilog2();
            let upper = count >> (log - 1) & 1;
            (9 + 2 * (log - 3) + upper).min(63)
        }
    }
}

impl Default for Novelty {
    fn default() -> Self {
        let begin = |nodes, round| Expansion::deepest_first(nodes, round, PER_BRANCH);
        Novelty {
            eager: Eager::default(),
            generations: Generations::new(begin),
            scores: Vec::new(),
            classes: FxHashMap::default(),
        }
    }
}

impl Novelty {
    /// Classes of repetitions that this run is the first to have.
    fn novelty(&mut self, view: &View, path: &[Passage]) -> usize {
        let mut counts: FxHashMap<Branch, u32> = FxHashMap::default();
        for passage in path {
            let branch = (view.tree.site(passage.node), passage.direction);
            *counts.entry(branch).or_insert(0) += 1;
        }
        let mut new = 0;
        for (branch, count) in counts {
            let seen = self.classes.entry(branch).or_insert(0);
            let bit = 1 << class(count);
            new += usize::from(*seen & bit == 0);
            *seen |= bit;
        }
        new
    }

    fn score(&mut self, view: &View, info: &RunInfo) -> usize {
        let own = info.gain * BRANCH_WEIGHT + self.novelty(view, info.path);
        let parent = info.flipped.map(|candidate| view.tree.run(candidate.node));
        let inherited = parent
            .and_then(|run| self.scores.get(run.index()))
            .copied()
            .unwrap_or(0);
        own * SCALE + inherited as usize / 2
    }
}

impl Strategy for Novelty {
    fn name(&self) -> &str {
        "novelty"
    }

    fn observe(&mut self, view: &View, info: &RunInfo) {
        self.eager.add(view, info);
        let score = self.score(view, info);
        self.scores.resize(info.run.index(), 0);
        self.scores.push(u32::try_from(score).unwrap_or(u32::MAX));
        self.generations.add(score, info.new_nodes());
    }

    fn pick(&mut self, view: &View, _: &mut fastrand::Rng) -> Option<Candidate> {
        let eager = self.eager.next(view);
        eager.or_else(|| self.generations.next(view))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::drawn::{Drawing, picks};

    #[test]
    fn classes_grow_with_the_count() {
        let classes: Vec<u32> = (1..100_000).map(class).collect();
        assert!(classes.is_sorted() && classes[..8] == [1, 2, 3, 4, 5, 6, 7, 8]);
        assert!(class(11) < class(12) && class(12) == class(15) && class(15) < class(16));
        assert_eq!(class(u32::MAX), 63);
    }

    /// The uncovered branches of each run come first, the deepest one first.
    #[test]
    fn uncovered_branches_first() {
        let order = picks(&mut Novelty::default(), &Drawing::ladder(3));
        assert_eq!(order, "001 01 1 011 101 11 111");
    }

    /// A loop of one site that goes on in direction 1. More turns are new, so the loop is driven
    /// to its end; the runs behind the first decision inherit from that it was new, which puts
    /// 111 before 01111.
    #[test]
    fn more_turns_are_progress() {
        let drawing = Drawing::new(&[2, 2], |taken| match taken {
            [] => Some(0),
            [_, rest @ ..] => (rest.len() < 6 && rest.iter().all(|turn| *turn == 1)).then_some(1),
        });
        let order = picks(&mut Novelty::default(), &drawing);
        assert_eq!(
            order,
            "01 1 011 11 0111 111 01111 1111 011111 0111111 11111 111111 1111111"
        );
    }
}
