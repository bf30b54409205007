//! Acyclic regions: the blocks between a start and some ends, without loops.

use labrys_program::BlockId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::body::Body;

/// Blocks of a region at most.
const MAX_BLOCKS: usize = 80;

/// The blocks from which `ends` are reached without passing `start`, ends included and `start`
/// not, in an order in which control flows. `None` if they are too many, have cycles, or
/// include `stop`.
#[must_use]
pub fn acyclic_region(
    body: &Body,
    start: BlockId,
    ends: &[BlockId],
    stop: Option<BlockId>,
) -> Option<Vec<BlockId>> {
    let mut inside: FxHashSet<BlockId> = FxHashSet::default();
    let mut stack: Vec<BlockId> = ends.to_vec();
    while let Some(block) = stack.pop() {
        if Some(block) == stop {
            return None;
        }
        if block == start || !inside.insert(block) {
            continue;
        }
        if inside.len() > MAX_BLOCKS || body.loop_at(block).is_some() {
            return None;
        }
        stack.extend(body.predecessors(block));
    }
    let mut order = Order {
        body,
        start,
        marks: FxHashMap::default(),
        blocks: Vec::new(),
    };
    ends.iter()
        .all(|end| order.visit(*end))
        .then_some(order.blocks)
}

/// Depth first, from the ends: a block comes after all before it.
struct Order<'b> {
    body: &'b Body,
    start: BlockId,
    marks: FxHashMap<BlockId, Mark>,
    blocks: Vec<BlockId>,
}

#[derive(Clone, Copy)]
enum Mark {
    Begun,
    Done,
}

impl Order<'_> {
    /// Appends a block behind all before it; `false` if it is on a cycle.
    fn visit(&mut self, block: BlockId) -> bool {
        if block == self.start {
            return true;
        }
        match self.marks.get(&block) {
            Some(Mark::Done) => return true,
            Some(Mark::Begun) => return false,
            None => {}
        }
        self.marks.insert(block, Mark::Begun);
        let body = self.body;
        for from in body.predecessors(block) {
            if !self.visit(*from) {
                return false;
            }
        }
        self.marks.insert(block, Mark::Done);
        self.blocks.push(block);
        true
    }
}
