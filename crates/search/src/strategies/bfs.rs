//! Breadth-first search: flips the open branch nearest to the start of the program; among those
//! of one depth, the one that was found first.

use std::collections::VecDeque;

use crate::strategy::{Pick, RunInfo, Strategy, View};
use crate::tree::NodeId;

/// See the module.
#[derive(Default)]
pub struct BreadthFirst {
    /// Decisions that may have open flips, by depth.
    levels: Vec<VecDeque<NodeId>>,
    /// All levels below this one are empty.
    lowest: usize,
}

impl Strategy for BreadthFirst {
    fn name(&self) -> &str {
        "bfs"
    }

    fn observe(&mut self, view: &View, info: &RunInfo) {
        for node in info.new_nodes().iter() {
            let depth = view.tree.depth(node) as usize;
            if self.levels.len() <= depth {
                self.levels.resize_with(depth + 1, VecDeque::new);
            }
            self.levels[depth].push_back(node);
            self.lowest = self.lowest.min(depth);
        }
    }

    fn pick(&mut self, view: &View, _: &mut fastrand::Rng) -> Option<Pick> {
        while let Some(level) = self.levels.get_mut(self.lowest) {
            while let Some(node) = level.front() {
                if let Some(candidate) = view.tree.nearest_open_flip(*node) {
                    return Some(Pick::Flip(candidate));
                }
                level.pop_front();
            }
            *level = VecDeque::new();
            self.lowest += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::drawn::{Drawing, picks};

    #[test]
    fn nearest_to_the_root_first() {
        let order = picks(&mut BreadthFirst::default(), &Drawing::ladder(3));
        assert_eq!(order, "1 01 11 001 101 011 111");
    }

    /// A switch offers its cases one after the other, each before anything deeper.
    #[test]
    fn all_directions_of_a_switch() {
        let drawing = Drawing::new(&[4, 2], |taken| match taken {
            [] => Some(0),
            [_] => Some(1),
            _ => None,
        });
        let order = picks(&mut BreadthFirst::default(), &drawing);
        assert_eq!(order, "1 2 3 01 11 21 31");
    }
}
