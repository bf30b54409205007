//! The path that a state has come along.

use labrys_expr::ExprId;
use labrys_program::{BlockId, FunctionId};

use crate::path::{Hop, Skip};

/// See the module. Hops and inputs are in backward order.
#[derive(Clone, Debug)]
pub(crate) struct Trail {
    hops: Vec<Hop>,
    level: i32,
    inputs: Vec<Vec<ExprId>>,
    inputs_lost: bool,
    skips: Vec<Skip>,
}

impl Trail {
    /// The path that begins in a block.
    pub(super) fn new(function: FunctionId, block: BlockId) -> Self {
        let mut trail = Trail {
            hops: Vec::new(),
            level: 0,
            inputs: Vec::new(),
            inputs_lost: false,
            skips: Vec::new(),
        };
        trail.hop(function, block);
        trail
    }

    pub(crate) fn skips(&self) -> &[Skip] {
        &self.skips
    }

    /// The parts of the input objects that the path makes, in no order.
    pub(crate) fn input_parts(&self) -> Vec<ExprId> {
        self.inputs.iter().flatten().copied().collect()
    }

    /// Whether the path may make input objects that it does not show.
    pub(crate) fn inputs_lost(&self) -> bool {
        self.inputs_lost
    }

    /// The blocks from the entry on, the first at level 0, and the input objects in order.
    pub(crate) fn in_order(self) -> (Vec<Hop>, Vec<Vec<ExprId>>, Vec<Skip>) {
        let mut hops: Vec<Hop> = self.hops.into_iter().rev().collect();
        let first = hops.first().map_or(0, |hop| hop.level);
        for hop in &mut hops {
            hop.level -= first;
        }
        (hops, self.inputs.into_iter().rev().collect(), self.skips)
    }

    /// Goes through a block.
    pub(super) fn hop(&mut self, function: FunctionId, block: BlockId) {
        self.hops.push(Hop {
            level: self.level,
            function,
            block,
            free: false,
            resumed: false,
        });
    }

    /// The path goes from a callee to its caller.
    pub(crate) fn leave_callee(&mut self) {
        self.level -= 1;
    }

    /// The path enters a callee from behind: control comes back from it to the last block.
    pub(crate) fn enter_callee(&mut self) {
        if let Some(last) = self.hops.last_mut() {
            last.resumed = true;
        }
        self.level += 1;
    }

    /// Anything may happen between the place and the last block.
    pub(crate) fn free_last(&mut self) {
        if let Some(last) = self.hops.last_mut() {
            last.free = true;
        }
    }

    /// The blocks of a loop at the place, and of its callees, are not a part of the path: it is
    /// entered any number of times.
    pub(crate) fn drop_loop(&mut self, contains: impl Fn(BlockId) -> bool) {
        let level = self.level;
        let inside = |hop: &Hop| hop.level > level || (hop.level == level && contains(hop.block));
        while self.hops.len() > 1 && self.hops.last().is_some_and(inside) {
            self.hops.pop();
        }
        self.free_last();
    }

    /// The program makes an input object of these parts.
    pub(crate) fn input(&mut self, parts: Vec<ExprId>) {
        self.inputs.push(parts);
    }

    /// The program may make input objects that the path does not show.
    pub(crate) fn lose_inputs(&mut self) {
        self.inputs_lost = true;
    }

    /// Notes that the path does not follow something.
    pub(super) fn skip(&mut self, skip: Skip) {
        if !self.skips.contains(&skip) {
            self.skips.push(skip);
        }
    }

    /// Keeps the last block alone.
    pub(super) fn begin_again(&mut self) {
        self.hops.drain(..self.hops.len().saturating_sub(1));
        self.inputs.clear();
        self.skips.clear();
    }
}
