//! Depth-first search: flips the deepest open branch of the newest run, then goes up.
//!
//! With a depth bound, decisions at that depth and below are never flipped (CREST's bounded
//! depth-first search).

use crate::strategy::{Pick, RunInfo, Strategy, View};
use crate::tree::NodeId;

/// See the module.
#[derive(Default)]
pub struct DepthFirst {
    bound: Option<u32>,
    /// Decisions that may have open flips, the next one last.
    stack: Vec<NodeId>,
}

impl DepthFirst {
    /// Depth-first search, down to a depth if one is given.
    #[must_use]
    pub fn new(bound: Option<u32>) -> Self {
        DepthFirst {
            bound,
            stack: Vec::new(),
        }
    }
}

impl Strategy for DepthFirst {
    fn name(&self) -> &str {
        "dfs"
    }

    fn observe(&mut self, view: &View, info: &RunInfo) {
        let bound = self.bound.unwrap_or(u32::MAX);
        let fresh = info.new_nodes().iter();
        self.stack
            .extend(fresh.take_while(|node| view.tree.depth(*node) < bound));
    }

    fn pick(&mut self, view: &View, _: &mut fastrand::Rng) -> Option<Pick> {
        while let Some(node) = self.stack.last() {
            if let Some(candidate) = view.tree.nearest_open_flip(*node) {
                return Some(Pick::Flip(candidate));
            }
            self.stack.pop();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::drawn::{Drawing, picks};

    /// Three two-way decisions in a row: the last one is flipped first.
    #[test]
    fn deepest_first() {
        let order = picks(&mut DepthFirst::new(None), &Drawing::ladder(3));
        assert_eq!(order, "001 01 011 1 101 11 111");
    }

    #[test]
    fn infeasible_branches_are_passed_over() {
        let drawing = Drawing::ladder(3).infeasible(&["01", "101"]);
        let order = picks(&mut DepthFirst::new(None), &drawing);
        assert_eq!(order, "001 01 1 101 11 111");
    }

    #[test]
    fn bound_keeps_deep_decisions() {
        let order = picks(&mut DepthFirst::new(Some(1)), &Drawing::ladder(3));
        assert_eq!(order, "1");
    }
}
