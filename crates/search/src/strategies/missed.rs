//! Search for what runs just missed: a branch that no run took is approached over the runs that
//! came to its site and took another one.
//!
//! The value of a number of two digits cannot be one of five, and a counter or a length is
//! concrete, so that no query changes it. Both want another way to the same site. So each such
//! branch is a *goal*, and the runs that missed it are its *approaches*: their decisions are
//! flipped, from the site backwards, all of them, however often a branch repeats; the children
//! that come by again are approaches too, in the order of arrival.
//! (Approaches are not ordered by a distance of values, as in Xie and others, "Fitness-Guided
//! Path Exploration", DSN 2009: runs record no values of concrete conditions.)
//!
//! The goals share the work evenly; a new one has its turn at once.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use labrys_program::{BranchId, Site};
use rustc_hash::FxHashMap;

use super::expansion::{Expansion, Generations};
use crate::strategy::{NodeRange, RunInfo, Strategy, View};
use crate::tree::Candidate;

/// Picks for one goal before the next one has its turn.
const BATCH: u64 = 4;
/// Approaches of one goal that wait, at most. What is left out is done with the rest.
const MOST: usize = 256;
/// Copies of one branch in the first round of an expansion, where no goal has an approach.
const PER_BRANCH: u32 = 8;

/// Decisions of a run up to the site of a goal.
struct Approach {
    nodes: NodeRange,
    /// How many of them, from the end, were looked at.
    done: usize,
}

/// A branch that no run took.
#[derive(Default)]
struct Goal {
    approaches: VecDeque<Approach>,
    /// Picks so far; more for a goal that came late, so that it does not keep all the others from
    /// work.
    work: u64,
    /// Whether it is in the queue of goals.
    waits: bool,
}

impl Goal {
    /// The next candidate of its approaches.
    fn next(&mut self, view: &View) -> Option<Candidate> {
        while let Some(approach) = self.approaches.front_mut() {
            let left = approach.nodes.len() - approach.done;
            let node = left
                .checked_sub(1)
                .and_then(|last| approach.nodes.get(last));
            let Some(node) = node else {
                self.approaches.pop_front();
                continue;
            };
            if let Some(candidate) = view.tree.open_flips(node).next() {
                return Some(candidate);
            }
            approach.done += 1;
        }
        None
    }
}

/// See the module.
pub struct Missed {
    goals: FxHashMap<BranchId, Goal>,
    /// Goals with approaches, the one with the least work first.
    turns: BinaryHeap<Reverse<(u64, u32)>>,
    /// The goal whose turn it is, and its picks in this turn.
    current: Option<(BranchId, u64)>,
    /// What is done where no goal has an approach.
    rest: Generations,
}

impl Default for Missed {
    fn default() -> Self {
        let begin = |nodes, round| Expansion::uncovered_first(nodes, round, PER_BRANCH);
        Missed {
            goals: FxHashMap::default(),
            turns: BinaryHeap::new(),
            current: None,
            rest: Generations::new(begin),
        }
    }
}

/// The branches that no run took and whose site a run came to.
fn missed<'a>(view: &'a View, info: &'a RunInfo) -> impl Iterator<Item = BranchId> + 'a {
    info.coverage.iter().flat_map(move |taken| {
        let site = view.program.branch_site(taken).map(|(site, _)| site);
        let site = site.and_then(|site| view.program.site(site));
        let branches = site.into_iter().flat_map(Site::branches);
        branches.filter(|branch| !view.covered.contains(*branch))
    })
}

/// By site: how many of the new nodes of a run come up to its last symbolic decision there.
fn last_decisions(view: &View, info: &RunInfo) -> FxHashMap<u32, usize> {
    let positions = info.path.iter().enumerate();
    let count = |position: usize| (position + 1).saturating_sub(info.first_new);
    positions
        .map(|(position, passage)| (view.tree.site(passage.node), count(position)))
        .collect()
}

impl Missed {
    fn add(&mut self, goal: BranchId, nodes: NodeRange) {
        let least = self.turns.peek().map_or(0, |Reverse((work, _))| *work);
        let fresh = || Goal {
            work: least.saturating_sub(1),
            ..Goal::default()
        };
        let found = self.goals.entry(goal).or_insert_with(fresh);
        if found.approaches.len() < MOST {
            found.approaches.push_back(Approach { nodes, done: 0 });
            self.wait(goal, 0);
        }
    }

    /// Puts a goal with approaches in the queue, after so many picks.
    fn wait(&mut self, branch: BranchId, picks: u64) {
        let Some(goal) = self.goals.get_mut(&branch) else {
            return;
        };
        goal.work += picks;
        if !goal.waits && !goal.approaches.is_empty() {
            goal.waits = true;
            self.turns.push(Reverse((goal.work, branch.0)));
        }
    }

    /// The goal whose turn it is next.
    fn turn(&mut self) -> Option<BranchId> {
        let Reverse((_, branch)) = self.turns.pop()?;
        let branch = BranchId(branch);
        if let Some(goal) = self.goals.get_mut(&branch) {
            goal.waits = false;
        }
        Some(branch)
    }

    /// The next candidate for a goal, unless it is covered.
    fn advance(&mut self, view: &View, branch: BranchId) -> Option<Candidate> {
        if view.covered.contains(branch) {
            self.goals.remove(&branch);
        }
        self.goals.get_mut(&branch)?.next(view)
    }
}

impl Strategy for Missed {
    fn name(&self) -> &str {
        "missed"
    }

    fn observe(&mut self, view: &View, info: &RunInfo) {
        let nodes = info.new_nodes();
        self.rest.add(info.gain, nodes);
        if nodes.is_empty() {
            return;
        }
        let last = last_decisions(view, info);
        for goal in missed(view, info) {
            let site = view.program.branch_site(goal).map(|(site, _)| site.0);
            // A site without a symbolic decision is decided by what the run's decisions led to.
            let count = site.and_then(|site| last.get(&site)).copied();
            let nodes = count.map_or(nodes, |count| nodes.first(count));
            if !nodes.is_empty() {
                self.add(goal, nodes);
            }
        }
    }

    fn pick(&mut self, view: &View, _: &mut fastrand::Rng) -> Option<Candidate> {
        loop {
            let Some((goal, picks)) = self.current.take() else {
                match self.turn() {
                    Some(goal) => self.current = Some((goal, 0)),
                    None => return self.rest.next(view),
                }
                continue;
            };
            if picks < BATCH
                && let Some(candidate) = self.advance(view, goal)
            {
                self.current = Some((goal, picks + 1));
                return Some(candidate);
            }
            self.wait(goal, picks);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::drawn::{Drawing, picks};

    /// Site 3 comes after two decisions on each path; its direction 1 has no model. So the ways to
    /// it are tried, the last decision first, before what is left.
    #[test]
    fn the_way_to_what_was_missed_comes_first() {
        let drawing = Drawing::new(&[2; 4], |taken| match taken {
            [] => Some(0),
            [_] => Some(1),
            [_, _] => Some(3),
            _ => None,
        });
        let drawing = drawing.infeasible(&["001", "011", "101", "111"]);
        let order = picks(&mut Missed::default(), &drawing);
        assert_eq!(order, "1 01 001 101 11 011 111");
    }

    /// What is covered is no goal: the rest is done run by run.
    #[test]
    fn runs_are_expanded_where_nothing_is_missed() {
        let order = picks(&mut Missed::default(), &Drawing::ladder(3));
        assert_eq!(order, "1 01 001 11 101 011 111");
    }
}
