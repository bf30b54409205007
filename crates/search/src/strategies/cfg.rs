//! CFG-directed search (Burnim and Sen, "Heuristics for Scalable Dynamic Test Generation", section
//! 3.1): flips the branch that is nearest to something uncovered in the control flow.
//!
//! The distance of a candidate is the least number of branches that a run crosses from the
//! flipped branch to an uncovered one, across calls and returns (see [`Distances`]). As in CREST:
//!
//! - a *local search* flips branches of one run in the order of distance plus copies of the same
//!   branch before it, in random order, so that a near branch without a model does not take all
//!   the work;
//! - where the new run covers something new, a local search starts on it and the others are
//!   forgotten;
//! - where it only took the predicted path, a short local search tries to come nearer behind the
//!   flipped branch, before the old one goes on.
//!
//! Departure: when the local searches are used up, a random open branch of the tree is flipped,
//! where CREST starts again with random input and forgets what it covered. Decisions of library
//! models and of the runtime are one farther than the program's branch before them.

use std::cmp::Reverse;

use labrys_program::BranchId;
use labrys_program::graph::Distances;
use labrys_suite::Coverage;

use super::picks::PendingPicks;
use super::pool::Pool;
use crate::strategy::{Pick, RunInfo, Strategy, View};
use crate::tree::{Candidate, Passage};

/// Picks of a local search: of the outermost one, and of those inside it. CREST counts runs.
const OUTER: usize = 250;
const INNER: usize = 8;
/// Local searches inside each other.
const MOST: usize = 5;
/// The distance of what cannot lead to anything uncovered.
const FAR: u32 = 1 << 30;

/// A candidate with its distance and copies.
type Scored = (u32, Candidate);

/// See the module.
#[derive(Default)]
pub struct CfgDirected {
    /// The branches to go to; `None`: all that are uncovered.
    targets: Option<Vec<BranchId>>,
    /// `None` until the program is seen.
    distances: Option<Distances>,
    /// What was covered when the distances were brought up to date.
    covered: Coverage,
    /// Local searches, the innermost last; each has its best candidate last.
    searches: Vec<Vec<Scored>>,
    pending_picks: PendingPicks<u32>,
    /// A run that starts a local search: its path from a position on, and the score to beat.
    fresh: Option<Fresh>,
    all: Pool,
}

struct Fresh {
    path: Vec<Passage>,
    from: usize,
    below: u32,
}

impl CfgDirected {
    /// Searches toward these branches, as long as they are uncovered, and toward no others.
    #[must_use]
    pub fn toward(targets: Vec<BranchId>) -> Self {
        CfgDirected {
            targets: Some(targets),
            ..CfgDirected::default()
        }
    }

    fn update(&mut self, view: &View) {
        let Some(distances) = &mut self.distances else {
            let all = || {
                let repeating: Coverage = view.program.repeating_branches().collect();
                let all = (0..view.program.branch_count()).map(BranchId::new);
                all.filter(|branch| !repeating.contains(*branch)).collect()
            };
            let mut open = self.targets.take().unwrap_or_else(all);
            open.retain(|branch| !view.covered.contains(*branch));
            self.distances = Some(Distances::new(view.program, open));
            self.covered = view.covered.clone();
            return;
        };
        let new = view.covered.new_over(&self.covered);
        if !new.is_empty() {
            distances.remove(new.iter());
            self.covered.union(&new);
        }
    }

    /// The candidates of a run that a local search may pick, the best one last.
    fn scored(&self, view: &View, fresh: &Fresh, rng: &mut fastrand::Rng) -> Vec<Scored> {
        let mut scored = self.distances_of(view, &fresh.path, fresh.from);
        rng.shuffle(&mut scored);
        let mut copies = vec![0; view.tree.sides()];
        for (score, candidate) in &mut scored {
            let before: &mut u32 = &mut copies[view.tree.side(*candidate).index()];
            *score += *before;
            *before += 1;
        }
        scored.retain(|(score, _)| *score < fresh.below);
        let most = if self.searches.is_empty() {
            OUTER
        } else {
            INNER
        };
        if scored.len() > most {
            scored.select_nth_unstable_by_key(most, |(score, _)| *score);
            scored.truncate(most);
        }
        let distance = |candidate: &Candidate| view.tree.distance(*candidate);
        scored.sort_by_key(|(score, candidate)| Reverse((*score, distance(candidate))));
        scored
    }

    /// Open candidates of a path from a position on, with their distances.
    fn distances_of(&self, view: &View, path: &[Passage], from: usize) -> Vec<Scored> {
        let mut scored = Vec::new();
        let mut before = FAR;
        for (position, passage) in path.iter().enumerate() {
            let distance = |direction| {
                let node = passage.node;
                let branch = view.branch(Candidate { node, direction })?;
                let distance = self.distances.as_ref()?.get(branch);
                Some(distance.unwrap_or(FAR))
            };
            if position >= from {
                for candidate in view.tree.open_flips(passage.node) {
                    let score = distance(candidate.direction).unwrap_or(before + 1);
                    scored.push((score, candidate));
                }
            }
            before = distance(passage.direction).unwrap_or(before);
        }
        scored
    }
}

impl Strategy for CfgDirected {
    fn name(&self) -> &str {
        "cfg"
    }

    fn observe(&mut self, view: &View, info: &RunInfo) {
        self.update(view);
        self.all.extend(info.new_nodes().iter());
        let named = self
            .pending_picks
            .take(info.flipped)
            .filter(|_| !info.diverged);
        let (from, below) = match named.zip(info.flipped) {
            _ if info.gain > 0 || self.searches.is_empty() => {
                self.searches.clear();
                (0, u32::MAX)
            }
            Some((score, asked)) if self.searches.len() < MOST => {
                (view.tree.depth(asked.node) as usize + 1, score)
            }
            _ => return,
        };
        self.fresh = Some(Fresh {
            path: info.path.to_vec(),
            from,
            below,
        });
    }

    fn pick(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Pick> {
        self.update(view);
        if let Some(fresh) = self.fresh.take() {
            let scored = self.scored(view, &fresh, rng);
            self.searches.push(scored);
        }
        while let Some(search) = self.searches.last_mut() {
            match search.pop() {
                Some((score, candidate)) if view.tree.is_open(candidate) => {
                    self.pending_picks.add(view, candidate, score);
                    return Some(Pick::Flip(candidate));
                }
                Some(_) => {}
                None => {
                    self.searches.pop();
                }
            }
        }
        self.all.draw(view, rng).map(Pick::Flip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::drawn::{Drawing, picks_from};

    /// Two decisions (b0, then b1), and a decision behind each side of b1; only behind its false
    /// side there is one more.
    const PROGRAM: &str = "
define i32 @main(i1 v0) external {
b0:
  br v0, b1, b1
b1:
  br v0, b2, b3
b2:
  br v0, b5, b5
b3:
  br v0, b4, b4
b4:
  br v0, b5, b5
b5:
  ret i32 0
}
";

    /// Toward the true side of b2, which only runs on the true side of b1 come to.
    #[test]
    fn named_targets_only() {
        let paths: [&[u32]; 1] = [&[0, 0, 0]];
        let drawing = Drawing::of_program(PROGRAM);
        // Branches in the order of sites, false before true: 5 is the true side of b2.
        let mut strategy = CfgDirected::toward(vec![BranchId(5)]);
        let order = picks_from(&mut strategy, &drawing, &paths, 1);
        assert!(order.starts_with("01 011 "), "{order}");
    }

    /// Only the true side of b4 is uncovered, and no run behind the false side of b0 gets there.
    /// In the last of the given runs, 10 is two branches away from it and 111 leads nowhere;
    /// behind 10 the inner searches come nearer.
    #[test]
    fn the_nearest_branch_first() {
        let paths: [&[u32]; 5] = [&[0, 1, 0], &[0, 1, 1], &[0, 0, 0], &[0, 0, 1], &[1, 1, 0]];
        for seed in 0..10 {
            let drawing = Drawing::of_program(PROGRAM).infeasible(&["0001", "0011", "1001"]);
            let order = picks_from(&mut CfgDirected::default(), &drawing, &paths, seed);
            assert!(order.starts_with("10 1001 101 1011 "), "{order}");
            assert_eq!(order.split(' ').count(), 7, "{order}");
        }
    }
}
