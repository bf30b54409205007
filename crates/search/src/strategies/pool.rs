//! Decisions of many runs, to draw a random open one from.

use crate::strategy::View;
use crate::tree::{Candidate, NodeId};

/// See the module.
#[derive(Default)]
pub(super) struct Pool {
    /// All decisions that were added and may have open flips.
    nodes: Vec<NodeId>,
}

impl Pool {
    pub(super) fn extend(&mut self, nodes: impl IntoIterator<Item = NodeId>) {
        self.nodes.extend(nodes);
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
    }

    /// A random open flip of a random decision. Decisions without one are dropped meanwhile, so
    /// each costs a look once.
    pub(super) fn draw(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Candidate> {
        while !self.nodes.is_empty() {
            let index = rng.usize(..self.nodes.len());
            let flips = view.tree.open_flips(self.nodes[index]);
            if let Some(candidate) = rng.choice(flips.collect::<Vec<_>>()) {
                return Some(candidate);
            }
            self.nodes.swap_remove(index);
        }
        None
    }
}
