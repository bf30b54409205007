//! Control dependence of blocks on the decisions that end blocks.
//!
//! Block `b` depends on the decision from `a` in direction `d` if `b` post-dominates the successor
//! of `a` in direction `d` (or is it) and does not strictly post-dominate `a`: after that
//! decision `b` is executed for certain, before it that was open. (Ferrante, Ottenstein, Warren: "The
//! program dependence graph and its use in optimization", 1987.)

use super::{Digraph, PostDominators};
use crate::{BlockId, Function};

/// Control dependence within one function.
#[derive(Clone, Debug)]
pub struct ControlDependence {
    on: Vec<Vec<(BlockId, u32)>>,
}

impl ControlDependence {
    /// Computes the relation for the reachable blocks of a function.
    #[must_use]
    pub fn new(function: &Function) -> Self {
        if function.blocks.is_empty() {
            return Self { on: Vec::new() };
        }
        Self::of_graph(&Digraph::of_function(function))
    }

    /// Computes the relation for a graph with root 0.
    pub(super) fn of_graph(graph: &Digraph) -> Self {
        let tree = PostDominators::new(graph, 0);
        let mut on = vec![Vec::new(); graph.len()];
        let decides = |node: &u32| graph.successors(*node).len() > 1 && tree.reachable(*node);
        for node in (0..graph.len() as u32).filter(decides) {
            for (direction, &next) in (0..).zip(graph.successors(node)) {
                // The nodes from the successor up to, without, the post-dominator of the decision.
                let stop = tree.immediate(node);
                let mut runner = Some(next);
                while let Some(dependent) = runner.filter(|dependent| Some(*dependent) != stop) {
                    on[dependent as usize].push((BlockId(node), direction));
                    runner = tree.immediate(dependent);
                }
            }
        }
        Self { on }
    }

    /// The decisions that a block depends on directly: block and index into
    /// [`Terminator::successors`](crate::Terminator::successors), which is the direction for a
    /// site. In ascending order, each once.
    #[must_use]
    pub fn of(&self, block: BlockId) -> &[(BlockId, u32)] {
        &self.on[block.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::ControlDependence;
    use crate::BlockId;
    use crate::graph::Digraph;

    #[test]
    fn loop_with_a_branch() {
        // 0 → 1; 1 (head) → {4, 2}; 2 → {1, 3}; 3 → 1.
        let graph = Digraph::new(5, &[(0, 1), (1, 4), (1, 2), (2, 1), (2, 3), (3, 1)]);
        let dependence = ControlDependence::of_graph(&graph);
        assert_eq!(dependence.of(BlockId(0)), []);
        assert_eq!(dependence.of(BlockId(1)), [(BlockId(1), 1)]);
        assert_eq!(dependence.of(BlockId(2)), [(BlockId(1), 1)]);
        assert_eq!(dependence.of(BlockId(3)), [(BlockId(2), 1)]);
        assert_eq!(dependence.of(BlockId(4)), []);
    }
}
