//! Natural loops of a function.
//!
//! Law: a cycle of control flow goes through the header of a natural loop, or the function is
//! irreducible.

use labrys_program::BlockId;
use labrys_program::graph::{Digraph, Dominators};
use rustc_hash::{FxHashMap, FxHashSet};

/// A natural loop.
#[derive(Clone, Debug)]
pub struct Loop {
    blocks: FxHashSet<BlockId>,
    latches: Vec<BlockId>,
}

impl Loop {
    /// Its blocks, the header included.
    #[must_use]
    pub fn blocks(&self) -> &FxHashSet<BlockId> {
        &self.blocks
    }

    /// Whether a block is in the loop.
    #[must_use]
    pub fn contains(&self, block: BlockId) -> bool {
        self.blocks.contains(&block)
    }

    /// The blocks from which control goes back to the header.
    #[must_use]
    pub fn latches(&self) -> &[BlockId] {
        &self.latches
    }
}

/// The natural loops of a function.
#[derive(Debug)]
pub(crate) struct Loops {
    by_header: FxHashMap<BlockId, Loop>,
    irreducible: bool,
}

impl Loops {
    pub(crate) fn of(
        graph: &Digraph,
        dominators: &Dominators,
        predecessors: &[Vec<BlockId>],
    ) -> Self {
        let mut by_header: FxHashMap<BlockId, Loop> = FxHashMap::default();
        let order = graph.reverse_postorder(0);
        let mut position = vec![usize::MAX; graph.len()];
        for (index, node) in order.iter().enumerate() {
            position[*node as usize] = index;
        }
        let mut irreducible = false;
        for (from, to) in graph.edges() {
            if position[from as usize] == usize::MAX {
                continue;
            }
            if dominators.dominates(to, from) {
                let natural = by_header.entry(BlockId(to)).or_insert_with(|| Loop {
                    blocks: FxHashSet::from_iter([BlockId(to)]),
                    latches: Vec::new(),
                });
                natural.add(BlockId(from), predecessors);
            } else if position[to as usize] <= position[from as usize] {
                irreducible = true;
            }
        }
        Loops {
            by_header,
            irreducible,
        }
    }

    pub(crate) fn at(&self, header: BlockId) -> Option<&Loop> {
        self.by_header.get(&header)
    }

    /// Whether a cycle has more than one entry, so that some cycle is no natural loop.
    pub(crate) fn is_irreducible(&self) -> bool {
        self.irreducible
    }
}

impl Loop {
    /// Adds an edge back to the header, with the blocks that lead to it.
    fn add(&mut self, latch: BlockId, predecessors: &[Vec<BlockId>]) {
        if !self.latches.contains(&latch) {
            self.latches.push(latch);
        }
        let mut stack = vec![latch];
        while let Some(block) = stack.pop() {
            if self.blocks.insert(block) {
                stack.extend(&predecessors[block.index()]);
            }
        }
    }
}
