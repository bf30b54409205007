//! Directed graphs over dense node numbers, with constant-time access to both directions.
//!
//! Parallel edges are kept; the edges of a node stay in the order in which they were given.

use crate::Function;

/// A directed graph with nodes `0 .. len`.
#[derive(Clone, Debug)]
pub struct Digraph {
    forward: Rows,
    backward: Rows,
}

/// Rows of numbers in one vector.
#[derive(Clone, Debug)]
struct Rows {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Rows {
    /// The row of each edge's first end lists the second ends, in order.
    fn new(len: usize, edges: &[(u32, u32)]) -> Self {
        let mut starts = vec![0u32; len + 1];
        for (from, _) in edges {
            starts[*from as usize + 1] += 1;
        }
        for index in 0..len {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut items = vec![0; edges.len()];
        for (from, to) in edges {
            let slot = &mut next[*from as usize];
            items[*slot as usize] = *to;
            *slot += 1;
        }
        Self { starts, items }
    }

    fn row(&self, index: u32) -> &[u32] {
        let index = index as usize;
        &self.items[self.starts[index] as usize..self.starts[index + 1] as usize]
    }
}

impl Digraph {
    /// The graph with these edges.
    ///
    /// # Panics
    /// If an edge has an end outside `0 .. len`.
    #[must_use]
    pub fn new(len: usize, edges: &[(u32, u32)]) -> Self {
        let reversed: Vec<_> = edges.iter().map(|(from, to)| (*to, *from)).collect();
        Self {
            forward: Rows::new(len, edges),
            backward: Rows::new(len, &reversed),
        }
    }

    /// The blocks of a function and the jumps between them; parallel edges where several
    /// directions of a decision lead to one block.
    #[must_use]
    pub fn of_function(function: &Function) -> Self {
        let mut edges = Vec::new();
        for (id, block) in function.blocks() {
            edges.extend(
                block
                    .terminator
                    .successors()
                    .into_iter()
                    .map(|to| (id.0, to.0)),
            );
        }
        Self::new(function.blocks.len(), &edges)
    }

    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.forward.starts.len() - 1
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the edges from a node lead.
    #[must_use]
    pub fn successors(&self, node: u32) -> &[u32] {
        self.forward.row(node)
    }

    /// Where the edges to a node come from.
    #[must_use]
    pub fn predecessors(&self, node: u32) -> &[u32] {
        self.backward.row(node)
    }

    /// All edges, by their first end.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.len() as u32)
            .flat_map(|node| self.successors(node).iter().map(move |next| (node, *next)))
    }

    /// The nodes reachable from a root, each before the nodes that are reached through it
    /// alone: reverse postorder.
    #[must_use]
    pub fn reverse_postorder(&self, root: u32) -> Vec<u32> {
        let mut seen = vec![false; self.len()];
        let mut order = Vec::new();
        let Some(first) = seen.get_mut(root as usize) else {
            return order;
        };
        *first = true;
        let mut stack = vec![(root, 0usize)];
        while let Some((node, next)) = stack.last_mut() {
            match self.successors(*node).get(*next) {
                Some(&successor) => {
                    *next += 1;
                    if !seen[successor as usize] {
                        seen[successor as usize] = true;
                        stack.push((successor, 0));
                    }
                }
                None => {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    /// Which nodes can be reached from a root, the root included.
    #[must_use]
    pub fn reachable(&self, root: u32) -> Vec<bool> {
        let mut seen = vec![false; self.len()];
        let Some(first) = seen.get_mut(root as usize) else {
            return seen;
        };
        *first = true;
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            for &next in self.successors(node) {
                if !seen[next as usize] {
                    seen[next as usize] = true;
                    open.push(next);
                }
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::Digraph;

    #[test]
    fn rows_keep_order_and_parallel_edges() {
        let graph = Digraph::new(4, &[(0, 2), (0, 1), (2, 3), (0, 2), (1, 3)]);
        assert_eq!(graph.successors(0), [2, 1, 2]);
        assert_eq!(graph.predecessors(2), [0, 0]);
        assert_eq!(graph.predecessors(3), [2, 1]);
        assert_eq!(graph.edges().count(), 5);
        assert_eq!(graph.reverse_postorder(0), [0, 1, 2, 3]);
        assert_eq!(graph.reachable(2), [false, false, true, true]);
    }
}
