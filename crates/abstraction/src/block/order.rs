//! The order in which the blocks of a function are executed, and where cycles are cut.
//!
//! Law: an edge that does not go forward in the order leads to the head of a cycle.

use labrys_program::graph::Digraph;
use labrys_program::{BlockId, Function, FunctionId};
use rustc_hash::FxHashMap;

/// The order of a function.
#[derive(Debug)]
pub(crate) struct Order {
    positions: Vec<u32>,
    heads: Vec<bool>,
}

impl Order {
    fn of(function: &Function) -> Self {
        let graph = Digraph::of_function(function);
        let mut positions = vec![u32::MAX; graph.len()];
        for (position, node) in (0..).zip(graph.reverse_postorder(0)) {
            positions[node as usize] = position;
        }
        let mut heads = vec![false; graph.len()];
        for (from, to) in graph.edges() {
            heads[to as usize] |= positions[to as usize] <= positions[from as usize];
        }
        Order { positions, heads }
    }

    /// The position of a block.
    pub(crate) fn position(&self, block: BlockId) -> u32 {
        self.positions[block.index()]
    }

    /// Whether a block is the head of a cycle.
    pub(crate) fn is_head(&self, block: BlockId) -> bool {
        self.heads[block.index()]
    }
}

/// The orders of functions, computed when they are first required.
#[derive(Debug, Default)]
pub(crate) struct Orders(FxHashMap<FunctionId, Order>);

impl Orders {
    pub(crate) fn of(&mut self, id: FunctionId, function: &Function) -> &Order {
        self.0.entry(id).or_insert_with(|| Order::of(function))
    }
}
