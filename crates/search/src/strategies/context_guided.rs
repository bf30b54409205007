//! Context-guided search: flips a branch where it was reached in a context it was not flipped in
//! before (Seo and Kim, "How We Get There", FSE 2014, section 3 and algorithm 2).
//!
//! The k-context of a branch is the branch itself and the k − 1 branches that were taken last
//! before it, of those that do not dominate it: a dominating branch is taken on every path there
//! and distinguishes none. The execution tree is traversed by depth, in random order within
//! a depth, and a branch is picked if its k-context is new; at the end k grows and skipped
//! branches are examined again.
//!
//! Contexts follow the order of the run, across calls and returns; with `--call-contexts` they are
//! made of what the calls decided that have not returned. Dominators are those of the whole
//! program. Decisions of library models and of the runtime are flipped, but are not part of
//! contexts.
//!
//! Contexts consist of what the tree consists of: decisions on symbolic values, in the order of
//! the run. "Selected before" is the state of the candidate in the tree.
//!
//! Departure: after a traversal that picked nothing, no longer context tells the open candidates
//! apart (each of their contexts is a whole path, since a longer one would have been new), and
//! contexts are forgotten once, so that the search is complete. Where runs are so long that looking
//! for a new context takes more than a bound, the next candidate is picked whatever its context;
//! picks that are put off share the bound with those after them.

use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use labrys_program::SiteId;
use labrys_program::graph::BranchDominators;

use super::Options;
use crate::strategy::{Pick, RunInfo, Strategy, View};
use crate::tree::{Candidate, Flip, NodeId};

/// No node.
const END: u32 = u32::MAX;

/// Nodes that may have open flips, by depth: a list of each depth, as a run adds one node to each
/// of many.
#[derive(Default)]
struct Levels {
    /// By depth: the first node.
    first: Vec<u32>,
    /// By node: the next one of its depth.
    next: Vec<u32>,
}

impl Levels {
    fn len(&self) -> usize {
        self.first.len()
    }

    fn is_empty(&self) -> bool {
        self.first.iter().all(|first| *first == END)
    }

    fn push(&mut self, depth: usize, node: NodeId) {
        if self.first.len() <= depth {
            self.first.resize(depth + 1, END);
        }
        if self.next.len() <= node.index() {
            self.next.resize(node.index() + 1, END);
        }
        self.next[node.index()] = std::mem::replace(&mut self.first[depth], node.0);
    }

    /// The nodes of a depth that have open flips; the others are forgotten.
    fn open(&mut self, view: &View, depth: usize, into: &mut Vec<NodeId>) {
        let mut at = std::mem::replace(&mut self.first[depth], END);
        while at != END {
            let node = NodeId(at);
            at = self.next[node.index()];
            if view.tree.has_open_flip(node) {
                into.push(node);
                self.push(depth, node);
            }
        }
    }
}

/// Steps up the tree for a pick that is not put off: after these a candidate is picked whatever its
/// context.
const PATIENCE: u64 = 1 << 16;

/// See the module.
pub struct ContextGuided {
    /// Length of contexts.
    k: u32,
    fixed: bool,
    /// `None` until the program is seen, and where dominators are left out of account.
    dominators: Option<Arc<BranchDominators>>,
    use_dominators: bool,
    /// Leave out what calls decided that have returned?
    calls: bool,
    /// Hashes of the contexts of earlier picks.
    contexts: FxHashSet<u64>,
    levels: Levels,
    /// Where the traversal stands, and the nodes of that depth to come, in random order.
    depth: usize,
    pending: Vec<NodeId>,
    /// Did this traversal pick anything?
    picked: bool,
    /// Steps up the tree for a pick at most, and those since the last one that was not put off.
    patience: u64,
    steps: u64,
    /// The last pick.
    last: Option<Candidate>,
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
            calls: false,
            contexts: FxHashSet::default(),
            levels: Levels::default(),
            depth: 0,
            pending: Vec::new(),
            picked: false,
            patience: PATIENCE,
            steps: 0,
            last: None,
        }
    }

    /// The strategy that these options describe.
    pub(super) fn with(options: &Options) -> Self {
        ContextGuided {
            calls: options.calls,
            ..ContextGuided::new(options.fixed_k, options.dominators)
        }
    }

    /// The hash of a candidate's k-context, of a part of it where patience ends; counts steps up
    /// the tree.
    fn context(&mut self, view: &View, candidate: Candidate) -> u64 {
        let site = view.tree.site(candidate.node);
        let mut hash = rustc_hash::FxHasher::default();
        view.tree.side(candidate).hash(&mut hash);
        let mut left = self.k - 1;
        let mut node = candidate.node;
        let mut frame = view.tree.frame(node);
        while left > 0 && self.is_patient() {
            let Some(passage) = view.tree.parent(node) else {
                break;
            };
            node = passage.node;
            self.steps += 1;
            if self.calls {
                let own = view.tree.frame(node);
                if own < frame {
                    continue;
                }
                frame = own;
            }
            let before = SiteId(view.tree.site(node));
            let Some(branch) = view.program.branch(before, passage.direction) else {
                continue;
            };
            let dominators = self.dominators.as_ref();
            let dominators = dominators.filter(|_| view.program.site(SiteId(site)).is_some());
            let tells_nothing =
                dominators.is_some_and(|known| known.dominates_site(branch, SiteId(site)));
            if !tells_nothing {
                branch.hash(&mut hash);
                left -= 1;
            }
        }
        hash.finish()
    }

    fn is_patient(&self) -> bool {
        self.steps <= self.patience
    }

    /// Goes to the next depth with open flips, or starts the next traversal; false if none of the
    /// nodes that were observed has any.
    fn advance(&mut self, view: &View, rng: &mut fastrand::Rng) -> bool {
        while self.depth < self.levels.len() {
            self.levels.open(view, self.depth, &mut self.pending);
            self.depth += 1;
            if !self.pending.is_empty() {
                rng.shuffle(&mut self.pending);
                if view.tree.has_distances() {
                    let nearest = |node: &NodeId| view.tree.nearest_open_flip(*node);
                    let distance = |candidate| view.tree.distance(candidate);
                    let farthest_first = |node: &NodeId| Reverse(nearest(node).map(distance));
                    self.pending.sort_by_key(farthest_first);
                }
                return true;
            }
        }
        self.depth = 0;
        if !self.picked {
            self.contexts.clear();
        } else if !self.fixed {
            self.k += 1;
        }
        self.picked = false;
        !self.levels.is_empty()
    }
}

impl Default for ContextGuided {
    fn default() -> Self {
        ContextGuided::new(None, true)
    }
}

impl Strategy for ContextGuided {
    fn name(&self) -> &str {
        "context-guided"
    }

    fn observe(&mut self, view: &View, info: &RunInfo) {
        if self.use_dominators && self.dominators.is_none() && !view.program.functions.is_empty() {
            let program = view.program;
            let dominators = program.derived.fact(|| BranchDominators::new(program));
            self.dominators = Some(dominators);
        }
        self.last = None;
        for node in info.new_nodes().iter() {
            self.levels.push(view.tree.depth(node) as usize, node);
        }
    }

    fn pick(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Pick> {
        let waits = |last| matches!(view.tree.flip(last), Flip::Untried | Flip::PutOff);
        if !self.last.is_some_and(waits) {
            self.steps = 0;
        }
        loop {
            let Some(node) = self.pending.last().copied() else {
                if self.advance(view, rng) {
                    continue;
                }
                return None;
            };
            for candidate in view.tree.open_flips(node) {
                let context = self.context(view, candidate);
                let patient = self.is_patient();
                if self.contexts.insert(context) || !patient {
                    self.picked = true;
                    self.last = Some(candidate);
                    if !patient {
                        // If this one waits, it is not named again at once.
                        self.pending.pop();
                    }
                    return Some(Pick::Flip(candidate));
                }
            }
            self.pending.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::strategies::drawn::{Drawing, picks, picks_from, picks_with_seed};

    /// The paper's figure 1: of the three paths b1 b4 b6, b2 b4 b6 and b2 b3 b6, the last
    /// decision is picked in one of the first two, whichever comes first, and in the third; it has
    /// a model in the third alone. (Direction 1 is true: b1, b3, b5. No path takes b1 and b3.)
    #[test]
    fn figure_1_the_third_path_has_a_new_context() {
        let drawing = Drawing::ladder(3).infeasible(&["11", "101", "001"]);
        let paths: [&[u32]; 3] = [&[1, 0, 0], &[0, 0, 0], &[0, 1, 0]];
        let mut orders = BTreeSet::new();
        for seed in 0..40 {
            let mut strategy = ContextGuided::new(Some(2), true);
            orders.insert(picks_from(&mut strategy, &drawing, &paths, seed));
        }
        // The last pick of each order has no new context: it comes when contexts are forgotten.
        let expected = [
            "11 001 011 101",
            "11 011 001 101",
            "11 011 101 001",
            "11 101 011 001",
        ];
        assert_eq!(orders, expected.map(str::to_owned).into());
    }

    /// A part of the paper's figure 5: a decision (b1 or b2), then decisions nested in each other.
    const NESTED: &str = "
define i32 @main(i1 v0) external {
b0:
  br v0, b1, b2
b1:
  jump b3
b2:
  jump b3
b3:
  br v0, b4, b8
b4:
  br v0, b5, b8
b5:
  br v0, b6, b8
b6:
  br v0, b7, b8
b7:
  br v0, b8, b8
b8:
  ret i32 0
}
";

    /// The 2-context of the innermost decision is the outermost branch and itself: all branches
    /// between dominate it. So both of its copies are picked at k = 2; without dominators its
    /// 2-context is the branch around it, and one copy is skipped until k = 6.
    #[test]
    fn figure_5_dominators_are_left_out() {
        let drawing = Drawing::of_program(NESTED);
        let paths: [&[u32]; 2] = [&[1, 1, 1, 1, 1, 0], &[0, 1, 1, 1, 1, 0]];
        let at_k = |k, dominators| {
            let mut strategy = ContextGuided::new(Some(k), dominators);
            let order = picks_from(&mut strategy, &drawing, &paths, 1);
            let first: Vec<usize> = order.split(' ').map(str::len).collect();
            // The picks of the first traversal go down.
            let end = first.windows(2).position(|pair| pair[1] < pair[0]);
            let end = end.map_or(first.len(), |end| end + 1);
            first[..end].iter().filter(|depth| **depth == 6).count()
        };
        assert_eq!((at_k(1, true), at_k(2, true)), (1, 2));
        assert_eq!((at_k(2, false), at_k(4, false), at_k(6, false)), (1, 1, 2));
    }

    /// Where looking for a new context takes too long, each candidate is picked when it is met.
    #[test]
    fn without_patience_no_branch_is_skipped() {
        let depths = |patience| {
            let mut strategy = ContextGuided {
                patience,
                ..ContextGuided::new(Some(2), false)
            };
            let order = picks(&mut strategy, &Drawing::ladder(4));
            order.split(' ').map(str::len).collect::<Vec<_>>()
        };
        assert!(depths(0).is_sorted() && !depths(PATIENCE).is_sorted());
    }

    /// Names candidates that wait, as those of heavy runs do, before the one that is asked for.
    struct Waiting(ContextGuided);

    impl Strategy for Waiting {
        fn name(&self) -> &'static str {
            "waiting"
        }

        fn observe(&mut self, view: &View, info: &RunInfo) {
            self.0.observe(view, info);
        }

        fn pick(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Pick> {
            let picks: Vec<_> = (0..8).map_while(|_| self.0.pick(view, rng)).collect();
            assert!(self.0.steps <= self.0.patience + 1, "{}", self.0.steps);
            picks.last().copied()
        }
    }

    /// Looking for contexts takes no longer where candidates are named that wait, and all are named
    /// in the end.
    #[test]
    fn candidates_that_wait_share_patience() {
        let strategy = ContextGuided {
            patience: 4,
            ..ContextGuided::new(Some(3), false)
        };
        let order = picks(&mut Waiting(strategy), &Drawing::ladder(5));
        assert_eq!(order.split(' ').count(), 31);
    }

    /// k = 1 picks each branch once; the other copy has the same 1-context and comes with k = 2.
    #[test]
    fn skipped_branches_come_back_with_longer_contexts() {
        for seed in 0..10 {
            let mut strategy = ContextGuided::default();
            let order = picks_with_seed(&mut strategy, &Drawing::ladder(2), seed);
            // Which of the two copies comes first is a matter of chance.
            assert!(order == "1 01 11" || order == "1 11 01", "{order}");
        }
    }

    /// Two decisions of a ladder at each depth but the first: one at k = 1, the other at k = 2,
    /// and those that have the same branch before them at k = 3.
    #[test]
    fn k_grows_by_one() {
        for seed in 0..20 {
            let mut strategy = ContextGuided::default();
            let order = picks_with_seed(&mut strategy, &Drawing::ladder(3), seed);
            let depths: Vec<usize> = order.split(' ').map(str::len).collect();
            assert_eq!(depths, [1, 2, 3, 2, 3, 3, 3], "{order}");
        }
    }

    /// Two decisions of a call that has returned, and one of its caller: with contexts of the order
    /// of the run, the two copies that come first have different branches before them; where
    /// contexts are made of calls, all four copies have the same one, and any two come first.
    #[test]
    fn calls_that_returned_are_left_out() {
        let different = |calls: bool| {
            let differs = |seed| {
                let options = Options {
                    fixed_k: Some(2),
                    calls,
                    ..Options::default()
                };
                let drawing = Drawing::ladder(3).frames(&[10, 10, 20]);
                let order = picks_with_seed(&mut ContextGuided::with(&options), &drawing, seed);
                let deepest: Vec<&str> = order.split(' ').filter(|pick| pick.len() == 3).collect();
                deepest[0].as_bytes()[1] != deepest[1].as_bytes()[1]
            };
            (0..40).filter(|seed| differs(*seed)).count()
        };
        assert_eq!(different(false), 40);
        assert!((1..40).contains(&different(true)));
    }

    /// A fixed k picks one candidate of each context, and only then starts over.
    #[test]
    fn a_fixed_context_ends_too() {
        let mut strategy = ContextGuided::new(Some(1), true);
        let order = picks(&mut strategy, &Drawing::ladder(3));
        let depths: Vec<usize> = order.split(' ').map(str::len).collect();
        assert_eq!(depths, [1, 2, 3, 2, 3, 3, 3]);
    }
}
