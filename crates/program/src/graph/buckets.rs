//! A queue of nodes by small distances.
//!
//! Law: nothing is put in nearer than what was taken out last, as in Dijkstra's search.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Distances from here on are rare: calls of calls of calls.
const FAR: u32 = 4096;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Buckets {
    /// The nodes of each distance that is not far.
    nodes: Vec<Vec<u32>>,
    /// No node is nearer.
    nearest: usize,
    far: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Buckets {
    pub(super) fn push(&mut self, distance: u32, node: u32) {
        if distance >= FAR {
            return self.far.push(Reverse((distance, node)));
        }
        let distance = distance as usize;
        if distance >= self.nodes.len() {
            self.nodes.resize_with(distance + 1, Vec::new);
        }
        self.nodes[distance].push(node);
    }

    /// One of the nearest nodes, with its distance.
    pub(super) fn pop(&mut self) -> Option<(u32, u32)> {
        while let Some(nodes) = self.nodes.get_mut(self.nearest) {
            match nodes.pop() {
                Some(node) => return Some((self.nearest as u32, node)),
                None => self.nearest += 1,
            }
        }
        self.far.pop().map(|Reverse(one)| one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first() {
        let mut open = Buckets::default();
        open.push(2, 20);
        open.push(0, 1);
        assert_eq!(open.pop(), Some((0, 1)));
        open.push(1, 10);
        open.push(2 * FAR, 60);
        open.push(5, 50);
        let rest: Vec<_> = std::iter::from_fn(|| open.pop()).collect();
        assert_eq!(rest, [(1, 10), (2, 20), (5, 50), (2 * FAR, 60)]);
    }
}
