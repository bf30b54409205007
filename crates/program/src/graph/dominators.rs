//! Dominators of a graph: `a` dominates `b` if every path from the root to `b` passes `a`.
//!
//! The tree is built by the Semi-NCA algorithm (Georgiadis: "Linear-time algorithms for
//! dominators and related problems", 2005), which is fast in practice for any shape of graph;
//! queries take constant time by intervals of a walk over the tree.

use super::Digraph;

const NONE: u32 = u32::MAX;

/// The dominator tree of the nodes that are reachable from a root.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// Immediate dominator; `NONE` for the root and for unreachable nodes.
    parent: Vec<u32>,
    /// First and last preorder number in the tree below a node; empty if unreachable.
    interval: Vec<(u32, u32)>,
}

impl Dominators {
    /// The dominators of the nodes reachable from `root`; a root that is no node reaches none.
    #[must_use]
    pub fn new(graph: &Digraph, root: u32) -> Self {
        let walk = Walk::new(graph, root);
        let parent = walk.immediate_dominators(graph);
        let interval = intervals(&parent, &walk.order);
        Self { parent, interval }
    }

    /// Whether a node is reachable from the root.
    #[must_use]
    pub fn reachable(&self, node: u32) -> bool {
        self.interval[node as usize].0 <= self.interval[node as usize].1
    }

    /// The closest dominator other than the node itself; `None` for the root and for
    /// unreachable nodes.
    #[must_use]
    pub fn immediate(&self, node: u32) -> Option<u32> {
        let parent = self.parent[node as usize];
        (parent != NONE).then_some(parent)
    }

    /// Whether every path from the root to `node` passes `dominator`. A reachable node
    /// dominates itself; unreachable nodes neither dominate nor are dominated.
    #[must_use]
    pub fn dominates(&self, dominator: u32, node: u32) -> bool {
        let (first, last) = self.interval[dominator as usize];
        let (number, end) = self.interval[node as usize];
        number <= end && first <= number && number <= last
    }

    /// The dominators of a node from the node itself to the root; empty if unreachable.
    pub fn of(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.reachable(node).then_some(node);
        std::iter::successors(start, |node| self.immediate(*node))
    }
}

/// A depth-first walk. Nodes are named by their preorder numbers in what follows.
struct Walk {
    /// Preorder number to node.
    order: Vec<u32>,
    /// Node to preorder number; `NONE` if unreachable.
    number: Vec<u32>,
    /// Parent in the depth-first tree; of the root: itself.
    parent: Vec<u32>,
}

impl Walk {
    fn new(graph: &Digraph, root: u32) -> Self {
        let mut walk = Walk {
            order: Vec::new(),
            number: vec![NONE; graph.len()],
            parent: Vec::new(),
        };
        let mut stack = Vec::new();
        // A function that is only declared has no blocks.
        stack.extend(((root as usize) < graph.len()).then_some((root, 0)));
        while let Some((node, parent)) = stack.pop() {
            if walk.number[node as usize] != NONE {
                continue;
            }
            let number = walk.order.len() as u32;
            walk.number[node as usize] = number;
            walk.order.push(node);
            walk.parent.push(parent);
            let fresh = graph.successors(node).iter().rev();
            stack.extend(
                fresh
                    .filter(|next| walk.number[**next as usize] == NONE)
                    .map(|n| (*n, number)),
            );
        }
        walk
    }

    /// Semidominators from the highest number down, then immediate dominators as the nearest
    /// common ancestors of parent and semidominator from the lowest number up.
    fn immediate_dominators(&self, graph: &Digraph) -> Vec<u32> {
        let count = self.order.len();
        let mut forest = Forest {
            ancestor: self.parent.clone(),
            label: (0..count as u32).collect(),
            semi: (0..count as u32).collect(),
            path: Vec::new(),
        };
        for node in (1..count as u32).rev() {
            let mut semi = self.parent[node as usize];
            for predecessor in graph.predecessors(self.order[node as usize]) {
                let predecessor = self.number[*predecessor as usize];
                if predecessor != NONE {
                    let best = forest.best(predecessor, node);
                    semi = semi.min(forest.semi[best as usize]);
                }
            }
            forest.semi[node as usize] = semi;
        }
        let mut immediate = self.parent.clone();
        let mut by_node = vec![NONE; graph.len()];
        for node in 1..count {
            while immediate[node] > forest.semi[node] {
                immediate[node] = immediate[immediate[node] as usize];
            }
            by_node[self.order[node] as usize] = self.order[immediate[node] as usize];
        }
        by_node
    }
}

/// The forest of nodes above a bound, with path compression.
struct Forest {
    ancestor: Vec<u32>,
    /// The node with the least semidominator on the compressed path above a node.
    label: Vec<u32>,
    semi: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    /// The node with the least semidominator among `node` and its ancestors above `bound`, in
    /// the forest of the nodes with numbers greater than `bound`.
    fn best(&mut self, node: u32, bound: u32) -> u32 {
        if node <= bound {
            return node;
        }
        self.path.clear();
        let mut top = node;
        while self.ancestor[top as usize] > bound {
            self.path.push(top);
            top = self.ancestor[top as usize];
        }
        while let Some(below) = self.path.pop() {
            let above = self.ancestor[below as usize] as usize;
            let (mine, theirs) = (self.label[below as usize], self.label[above]);
            if self.semi[theirs as usize] < self.semi[mine as usize] {
                self.label[below as usize] = theirs;
            }
            self.ancestor[below as usize] = self.ancestor[above];
        }
        self.label[node as usize]
    }
}

/// For each node the preorder numbers of the subtree below it in the tree of `parent`.
///
/// `order` lists parents before children.
fn intervals(parent: &[u32], order: &[u32]) -> Vec<(u32, u32)> {
    let mut size = vec![0u32; parent.len()];
    for &node in order.iter().rev() {
        size[node as usize] += 1;
        let up = parent[node as usize];
        if up != NONE {
            size[up as usize] += size[node as usize];
        }
    }
    let mut interval = vec![(1, 0); parent.len()];
    // The next free number below each node.
    let mut free = vec![0u32; parent.len()];
    for &node in order {
        let up = parent[node as usize];
        let first = if up == NONE { 0 } else { free[up as usize] };
        interval[node as usize] = (first, first + size[node as usize] - 1);
        free[node as usize] = first + 1;
        if up != NONE {
            free[up as usize] += size[node as usize];
        }
    }
    interval
}

#[cfg(test)]
mod tests {
    use super::Dominators;
    use crate::graph::Digraph;

    #[test]
    fn diamond_with_a_loop() {
        //   0 → 1 → {2, 3} → 4 → {1, 5},  6 → 4 unreachable
        let edges = [
            (0, 1),
            (1, 2),
            (1, 3),
            (2, 4),
            (3, 4),
            (4, 1),
            (4, 5),
            (6, 4),
        ];
        let tree = Dominators::new(&Digraph::new(7, &edges), 0);
        let immediate: Vec<_> = (0..7).map(|node| tree.immediate(node)).collect();
        assert_eq!(
            immediate,
            [None, Some(0), Some(1), Some(1), Some(1), Some(4), None]
        );
        assert_eq!(tree.of(5).collect::<Vec<_>>(), [5, 4, 1, 0]);
        assert!(tree.dominates(1, 5) && tree.dominates(4, 4));
        assert!(!tree.dominates(2, 4) && !tree.dominates(5, 4));
        assert!(!tree.dominates(6, 6) && !tree.dominates(0, 6) && !tree.reachable(6));
    }

    #[test]
    fn graph_without_nodes() {
        let tree = Dominators::new(&Digraph::new(0, &[]), 0);
        assert!(tree.parent.is_empty() && tree.interval.is_empty());
        // The graph of post-dominators has a virtual end besides.
        let post = super::super::PostDominators::new(&Digraph::new(0, &[]), 0);
        assert_eq!(post.immediate(0), None);
    }

    #[test]
    fn irreducible_graph() {
        // Cooper, Harvey and Kennedy's example: 5 → {4, 3}, 4 → 1, 3 → 2, 1 ↔ 2, here with
        // the root renamed to 0.
        let edges = [(0, 4), (0, 3), (4, 1), (3, 2), (1, 2), (2, 1)];
        let tree = Dominators::new(&Digraph::new(5, &edges), 0);
        assert!((1..5).all(|node| tree.immediate(node) == Some(0)));
    }
}
