//! Post-dominators: `a` post-dominates `b` if every path from `b` to the end passes `a`.
//!
//! The end is a virtual node after all nodes without successors. Where a part of the graph
//! cannot reach it (an endless loop), the last node of that part in reverse postorder is taken
//! as an exit too, until every reachable node reaches the end; so the relation is defined
//! everywhere and the choice is the same each time.

use super::{Digraph, Dominators};

/// The post-dominator tree of the nodes that are reachable from a root.
#[derive(Clone, Debug)]
pub struct PostDominators {
    tree: Dominators,
    end: u32,
}

impl PostDominators {
    /// The post-dominators in the part of the graph that is reachable from `root`.
    #[must_use]
    pub fn new(graph: &Digraph, root: u32) -> Self {
        let end = graph.len() as u32;
        let order = graph.reverse_postorder(root);
        let reachable = graph.reachable(root);
        // Edges reversed, with the exits behind the virtual end.
        let mut edges: Vec<_> = graph
            .edges()
            .filter(|(from, _)| reachable[*from as usize])
            .map(|(from, to)| (to, from))
            .collect();
        edges.extend(exits(graph, &order).into_iter().map(|exit| (end, exit)));
        let reversed = Digraph::new(graph.len() + 1, &edges);
        Self {
            tree: Dominators::new(&reversed, end),
            end,
        }
    }

    /// Whether every path from `node` to the end passes `post`. A reachable node
    /// post-dominates itself.
    #[must_use]
    pub fn dominates(&self, post: u32, node: u32) -> bool {
        self.tree.dominates(post, node)
    }

    /// The closest post-dominator other than the node itself; `None` if that is the end, and
    /// for unreachable nodes.
    #[must_use]
    pub fn immediate(&self, node: u32) -> Option<u32> {
        self.tree.immediate(node).filter(|post| *post != self.end)
    }

    /// Whether a node was reachable from the root.
    #[must_use]
    pub fn reachable(&self, node: u32) -> bool {
        self.tree.reachable(node)
    }
}

/// The nodes that count as exits.
pub(super) fn exits(graph: &Digraph, order: &[u32]) -> Vec<u32> {
    let mut reaches = vec![false; graph.len()];
    let mut exits = Vec::new();
    let without_successors = order
        .iter()
        .filter(|node| graph.successors(**node).is_empty());
    let candidates = without_successors.chain(order.iter().rev());
    for &exit in candidates {
        if reaches[exit as usize] {
            continue;
        }
        exits.push(exit);
        let mut open = vec![exit];
        reaches[exit as usize] = true;
        while let Some(node) = open.pop() {
            for &before in graph.predecessors(node) {
                if !reaches[before as usize] {
                    reaches[before as usize] = true;
                    open.push(before);
                }
            }
        }
    }
    exits
}

#[cfg(test)]
mod tests {
    use super::PostDominators;
    use crate::graph::Digraph;

    #[test]
    fn diamond() {
        let graph = Digraph::new(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        let tree = PostDominators::new(&graph, 0);
        assert_eq!(tree.immediate(0), Some(3));
        assert_eq!(tree.immediate(3), None);
        assert!(tree.dominates(3, 0) && !tree.dominates(1, 0));
    }

    #[test]
    fn endless_loop_gets_an_exit() {
        // 0 → {1, 4}; 1 → 2 → 3 → 1 for ever.
        let graph = Digraph::new(5, &[(0, 1), (0, 4), (1, 2), (2, 3), (3, 1)]);
        let tree = PostDominators::new(&graph, 0);
        assert!((0..5).all(|node| tree.reachable(node)));
        assert!(tree.dominates(3, 1));
        assert_eq!(tree.immediate(0), None);
    }
}
