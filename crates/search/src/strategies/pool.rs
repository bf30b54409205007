//! Decisions of many runs, to draw a random open one from.

use crate::strategy::View;
use crate::tree::{Candidate, NodeId};

/// Flips of which the nearest is taken.
const DRAWN: usize = 4;

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

    /// A random open flip of a random decision; where a monitor knows how far flips are from
    /// something open, the nearest of a few.
    pub(super) fn draw(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Candidate> {
        let first = self.draw_one(view, rng)?;
        if !view.tree.has_distances() {
            return Some(first);
        }
        let others: Vec<_> = (1..DRAWN)
            .filter_map(|_| self.draw_one(view, rng))
            .collect();
        let all = std::iter::once(first).chain(others);
        all.min_by_key(|candidate| view.tree.distance(*candidate))
    }

    /// A random open flip of a random decision. Decisions without one are dropped meanwhile, so
    /// each costs a look once.
    fn draw_one(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Candidate> {
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
