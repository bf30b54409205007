//! Search for what runs just missed: a branch that no run took is approached over the runs that
//! came to its site and took another one.
//!
//! The value of a number of two digits cannot be one of five, and a counter or a length is
//! concrete, so that no query changes it. Both need another path to the same site. So each such
//! branch is a *goal*, and the runs that missed it are its *approaches*: their decisions are
//! flipped, from the site backwards, all of them, however often a branch repeats; the children
//! that come by again are approaches too.
//!
//! Approaches are ordered by how far apart the values are that the decision compares, as in Xie
//! and others, "Fitness-Guided Path Exploration" (DSN 2009), those of one distance by arrival.
//!
//! The goals have turns; one that is new, or that a run came nearer to, has its turn at once, and
//! longer ones for a while.

use std::collections::{BTreeMap, VecDeque};

use labrys_program::BranchId;
use rustc_hash::FxHashMap;

use super::expansion::{Expansion, Generations};
use crate::strategy::{NodeRange, Pick, RunInfo, Strategy, View};
use crate::tree::Candidate;

/// Picks for one goal before the next one has its turn.
const BATCH: u32 = 4;
/// As many for a goal that had at most [`HOT`] picks since a run came nearer to it.
const LONG_BATCH: u32 = 16;
const HOT: u32 = 64;
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
    /// Open candidates that lead to it.
    direct: VecDeque<Candidate>,
    /// By distance and number.
    approaches: BTreeMap<(u32, u32), Approach>,
    /// The least distance of an approach so far; `None` if there was none.
    least: Option<u32>,
    /// Picks since then.
    work: u32,
    /// Its valid place in the queue, if it has one.
    ticket: Option<u32>,
}

impl Goal {
    /// The next candidate: every second time one that leads to it.
    fn next(&mut self, view: &View) -> Option<Candidate> {
        self.work = self.work.saturating_add(1);
        if self.work % 2 == 0 {
            self.next_direct(view).or_else(|| self.next_approach(view))
        } else {
            self.next_approach(view).or_else(|| self.next_direct(view))
        }
    }

    fn next_direct(&mut self, view: &View) -> Option<Candidate> {
        loop {
            let candidate = self.direct.pop_front()?;
            if view.tree.is_open(candidate) {
                return Some(candidate);
            }
        }
    }

    fn next_approach(&mut self, view: &View) -> Option<Candidate> {
        while let Some(mut first) = self.approaches.first_entry() {
            let approach = first.get_mut();
            let left = approach.nodes.len() - approach.done;
            let node = left
                .checked_sub(1)
                .and_then(|last| approach.nodes.get(last));
            let Some(node) = node else {
                first.remove();
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
    /// Counts approaches and tickets.
    arrivals: u32,
    /// Goals with approaches, with the ticket that makes the place valid.
    turns: VecDeque<(BranchId, u32)>,
    /// The goal whose turn it is, and its picks to come.
    current: Option<(BranchId, u32)>,
    /// What is done where no goal has an approach.
    rest: Generations,
}

impl Default for Missed {
    fn default() -> Self {
        let begin = |nodes, round| Expansion::uncovered_first(nodes, round, PER_BRANCH);
        Missed {
            goals: FxHashMap::default(),
            arrivals: 0,
            turns: VecDeque::new(),
            current: None,
            rest: Generations::new(begin),
        }
    }
}

/// By site: how many of the new nodes of a run come up to its last symbolic decision there.
fn last_decisions(view: &View, info: &RunInfo) -> FxHashMap<u32, usize> {
    let mut last = FxHashMap::default();
    for taken in info.taken {
        let count = (taken.position + 1).saturating_sub(info.first_new);
        let known = last.entry(view.tree.site(taken.node)).or_insert(count);
        *known = count.max(*known);
    }
    last
}

impl Missed {
    fn add(
        &mut self,
        branch: BranchId,
        distance: u32,
        nodes: NodeRange,
        direct: Option<Candidate>,
    ) {
        self.arrivals += 1;
        let goal = self.goals.entry(branch).or_default();
        goal.direct.extend(direct);
        if goal.direct.len() > MOST {
            goal.direct.pop_front();
        }
        let approach = Approach { nodes, done: 0 };
        goal.approaches.insert((distance, self.arrivals), approach);
        if goal.approaches.len() > MOST {
            goal.approaches.pop_last();
        }
        if goal.least.is_none_or(|least| distance < least) {
            goal.least = Some(distance);
            goal.work = 0;
            goal.ticket = Some(self.arrivals);
            self.turns.push_front((branch, self.arrivals));
        } else {
            self.wait(branch);
        }
    }

    /// Puts a goal with approaches at the end of the queue.
    fn wait(&mut self, branch: BranchId) {
        let Some(goal) = self.goals.get_mut(&branch) else {
            return;
        };
        if goal.ticket.is_none() && !(goal.approaches.is_empty() && goal.direct.is_empty()) {
            self.arrivals += 1;
            goal.ticket = Some(self.arrivals);
            self.turns.push_back((branch, self.arrivals));
        }
    }

    /// The goal whose turn it is next, and how many picks it has.
    fn turn(&mut self) -> Option<(BranchId, u32)> {
        loop {
            let (branch, ticket) = self.turns.pop_front()?;
            if let Some(goal) = self.goals.get_mut(&branch)
                && goal.ticket == Some(ticket)
            {
                goal.ticket = None;
                let batch = if goal.work <= HOT { LONG_BATCH } else { BATCH };
                return Some((branch, batch));
            }
        }
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
        let near: FxHashMap<BranchId, u32> = info.near.iter().copied().collect();
        for goal in view.missed(info.coverage) {
            let Some((site, direction)) = view.program.branch_site(goal) else {
                continue;
            };
            // A site without a symbolic decision is decided by what the run's decisions led to.
            let count = last.get(&site.0).copied();
            let nodes = count.map_or(nodes, |count| nodes.first(count));
            let at = count.and_then(|count| nodes.get(count.checked_sub(1)?));
            let direct = at.map(|node| Candidate { node, direction });
            if !nodes.is_empty() {
                let distance = near.get(&goal).copied().unwrap_or(u32::MAX);
                self.add(goal, distance, nodes, direct);
            }
        }
    }

    fn pick(&mut self, view: &View, _: &mut fastrand::Rng) -> Option<Pick> {
        loop {
            let Some((goal, left)) = self.current.take() else {
                match self.turn() {
                    Some(turn) => self.current = Some(turn),
                    None => return self.rest.next(view).map(Pick::Flip),
                }
                continue;
            };
            if left > 0
                && let Some(candidate) = self.advance(view, goal)
            {
                self.current = Some((goal, left - 1));
                return Some(Pick::Flip(candidate));
            }
            self.wait(goal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::drawn::{Drawing, picks};

    /// Site 3 comes after two decisions on each path; its direction 1 has no model.
    fn all_paths_miss() -> Drawing {
        let drawing = Drawing::new(&[2; 4], |taken| match taken {
            [] => Some(0),
            [_] => Some(1),
            [_, _] => Some(3),
            _ => None,
        });
        drawing.infeasible(&["001", "011", "101", "111"])
    }

    /// What was missed is asked for first on each path that leads there, then the decisions of the
    /// path are flipped.
    #[test]
    fn the_path_to_what_was_missed_comes_first() {
        let order = picks(&mut Missed::default(), &all_paths_miss());
        assert_eq!(order, "001 01 1 011 101 11 111");
    }

    /// The same where runs that take direction 1 come nearer to what was missed: when the first of
    /// them has arrived, the last decision of its path is flipped before what is left of the others.
    #[test]
    fn the_nearest_comes_first() {
        let near = |directions: &[u32]| vec![(BranchId(7), 5 - 2 * directions[1] - directions[0])];
        let order = picks(&mut Missed::default(), &all_paths_miss().near(near));
        assert_eq!(order, "001 01 011 1 101 11 111");
    }

    /// What is covered is no goal: the rest is done run by run, the last goal of the first run first.
    #[test]
    fn runs_are_expanded_where_nothing_is_missed() {
        let order = picks(&mut Missed::default(), &Drawing::ladder(3));
        assert_eq!(order, "001 01 1 011 11 101 111");
    }
}
