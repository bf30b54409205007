//! Context-guided search: flips a branch where it was reached in a way it was not flipped in
//! before (Seo and Kim, "How We Get There", FSE 2014, section 3 and algorithm 2).
//!
//! The k-context of a branch is the branch itself and the k − 1 branches that were taken last
//! before it, of those that do not dominate it: a dominating branch is taken on every way there
//! and tells none from another. The execution tree is traversed by depth, in random order within
//! a depth, and a branch is picked if its k-context is new; at the end k grows and skipped
//! branches are examined again.
//!
//! Contexts follow the order of the run, across calls and returns; dominators are those of the
//! whole program. Decisions of library models and of the runtime are flipped, but are not part of
//! contexts.
//!
//! Departure: after a traversal that picked nothing k grows by half, not by one. The next picks
//! are the same, found sooner.

use rustc_hash::FxHashSet;
use std::hash::{Hash, Hasher};

use labrys_program::SiteId;
use labrys_program::graph::BranchDominators;

use crate::strategy::{RunInfo, Strategy, View};
use crate::tree::{Candidate, NodeId};

/// See the module.
pub struct ContextGuided {
    /// Length of contexts.
    k: u32,
    fixed: bool,
    /// `None` until the program is seen, and where dominators are left out of account.
    dominators: Option<BranchDominators>,
    use_dominators: bool,
    /// Hashes of the contexts of earlier picks.
    contexts: FxHashSet<u64>,
    /// Nodes that may have open flips, by depth.
    levels: Vec<Vec<NodeId>>,
    /// Where the traversal stands, and the nodes of that depth to come, in random order.
    depth: usize,
    pending: Vec<NodeId>,
    /// Did this traversal pick anything?
    picked: bool,
}

impl ContextGuided {
    /// The strategy; `fixed` keeps k at a number from the start, `use_dominators` is off for
    /// the ablation of the paper's section 5.3.
    #[must_use]
    pub fn new(fixed: Option<u32>, use_dominators: bool) -> Self {
        ContextGuided {
            k: fixed.unwrap_or(1).max(1),
            fixed: fixed.is_some(),
            dominators: None,
            use_dominators,
            contexts: FxHashSet::default(),
            levels: Vec::new(),
            depth: 0,
            pending: Vec::new(),
            picked: false,
        }
    }

    /// The hash of a candidate's k-context.
    fn context(&self, view: &View, candidate: Candidate) -> u64 {
        let site = view.tree.site(candidate.node);
        let mut hash = rustc_hash::FxHasher::default();
        (site, candidate.direction).hash(&mut hash);
        let mut left = self.k - 1;
        let mut node = candidate.node;
        while left > 0 {
            let Some(passage) = view.tree.parent(node) else {
                break;
            };
            node = passage.node;
            let before = SiteId(view.tree.site(node));
            let Some(branch) = view.program.branch(before, passage.direction) else {
                continue;
            };
            let tells_nothing = self.dominators.as_ref().is_some_and(|dominators| {
                view.program.site(SiteId(site)).is_some()
                    && dominators.dominates_site(branch, SiteId(site))
            });
            if !tells_nothing {
                branch.hash(&mut hash);
                left -= 1;
            }
        }
        hash.finish()
    }

    /// Goes to the next depth with open flips, or starts the next traversal.
    fn advance(&mut self, view: &View, rng: &mut fastrand::Rng) {
        while self.depth < self.levels.len() {
            let level = &mut self.levels[self.depth];
            self.depth += 1;
            level.retain(|node| view.tree.has_open_flip(*node));
            if !level.is_empty() {
                self.pending.clone_from(level);
                rng.shuffle(&mut self.pending);
                return;
            }
        }
        self.depth = 0;
        if self.fixed && !self.picked {
            // Nothing new is left at this k; every context counts as new from here on.
            self.contexts.clear();
        }
        if !self.fixed {
            self.k += if self.picked { 1 } else { (self.k / 2).max(1) };
        }
        if self.k > view.tree.max_depth() + 2 {
            self.contexts.clear();
        }
        self.picked = false;
    }
}

impl Default for ContextGuided {
    fn default() -> Self {
        ContextGuided::new(None, true)
    }
}

impl Strategy for ContextGuided {
    fn name(&self) -> &'static str {
        "context-guided"
    }

    fn observe(&mut self, view: &View, info: &RunInfo) {
        if self.use_dominators && self.dominators.is_none() && !view.program.functions.is_empty() {
            self.dominators = Some(BranchDominators::new(view.program));
        }
        for node in info.new_nodes().iter() {
            let depth = view.tree.depth(node) as usize;
            if self.levels.len() <= depth {
                self.levels.resize_with(depth + 1, Vec::new);
            }
            self.levels[depth].push(node);
        }
    }

    fn pick(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Candidate> {
        while view.tree.open() > 0 {
            let Some(node) = self.pending.last().copied() else {
                self.advance(view, rng);
                continue;
            };
            for candidate in view.tree.open_flips(node) {
                let context = self.context(view, candidate);
                if self.contexts.insert(context) {
                    self.picked = true;
                    return Some(candidate);
                }
            }
            self.pending.pop();
        }
        None
    }

    fn is_empty(&self, view: &View) -> bool {
        view.tree.open() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::drawn::{Drawing, picks};

    /// The paper's figure 1: sites 0 (b1 or b2), 1 (b3 or b4) and 2 (b5 or b6); every first
    /// decision of a context is picked before any second.
    #[test]
    fn each_branch_once_before_any_twice() {
        let order = picks(&mut ContextGuided::default(), &Drawing::ladder(3));
        let picks: Vec<&str> = order.split(' ').collect();
        // 1-contexts: sites 0, 1, 2 and direction 1, one pick each, by depth.
        assert_eq!(
            picks[..3].iter().map(|p| p.len()).collect::<Vec<_>>(),
            [1, 2, 3]
        );
        assert_eq!(picks.len(), 7);
    }

    #[test]
    fn skipped_branches_come_back_with_longer_contexts() {
        let drawing = Drawing::ladder(2);
        let order = picks(&mut ContextGuided::default(), &drawing);
        // 11 has the 1-context of 01 and a 2-context of its own.
        assert!(order == "1 01 11" || order == "1 11 01", "{order}");
    }

    /// Without growing, k = 1 takes each branch once and only then starts over.
    #[test]
    fn a_fixed_context_ends_too() {
        let order = picks(&mut ContextGuided::new(Some(1), true), &Drawing::ladder(3));
        assert_eq!(order.split(' ').count(), 7);
    }
}
