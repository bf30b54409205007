//! What does not change of a function while its numbers grow.

use labrys_program::graph::Digraph;
use labrys_program::{BlockId, Cast, Function, Operand, Operation, ValueId};
use rustc_hash::FxHashSet;

use crate::body::{Body, Definition};

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Outline {
    /// The blocks that control may reach, in its order.
    pub(super) order: Vec<BlockId>,
    /// By value: blocks whose numbers depend on it, other than those that compute it before.
    readers: Vec<Vec<BlockId>>,
    /// By value: whether more than one place reads it.
    shared: Vec<bool>,
}

impl Outline {
    /// The outline of a function with a body.
    pub(super) fn new(function: &Function, body: &Body) -> Self {
        let order = Digraph::of_function(function).reverse_postorder(0);
        let mut readers = vec![Vec::new(); function.values.len()];
        for (block, _) in function.blocks() {
            for value in reads(function, body, block) {
                readers[value.index()].push(block);
            }
        }
        Outline {
            order: order.into_iter().map(BlockId).collect(),
            readers,
            shared: shared(function),
        }
    }

    pub(super) fn readers(&self, value: ValueId) -> &[BlockId] {
        &self.readers[value.index()]
    }

    pub(super) fn is_shared(&self, value: ValueId) -> bool {
        self.shared[value.index()]
    }
}

/// Values of other blocks that a block reads, with what the decisions in it are made of, and what its
/// phis join.
fn reads(function: &Function, body: &Body, id: BlockId) -> FxHashSet<ValueId> {
    let block = &function.blocks[id.index()];
    let mut waiting = Vec::new();
    let mut note = |operand| {
        if let Operand::Value(value) = operand {
            waiting.push(value);
        }
    };
    for instruction in &block.instructions {
        instruction.operation.visit_operands(&mut note);
    }
    block.terminator.visit_operands(&mut note);
    let mut all = FxHashSet::default();
    while let Some(value) = waiting.pop() {
        if !all.insert(value) {
            continue;
        }
        let Definition::Instruction(at, index) = body.definition(value) else {
            continue;
        };
        let operation = &function.blocks[at.index()].instructions[index].operation;
        if at != id && is_followed(operation) {
            operation.visit_operands(&mut |operand| {
                if let Operand::Value(value) = operand {
                    waiting.push(value);
                }
            });
        }
    }
    all.retain(|value| match body.definition(*value) {
        Definition::Parameter => false,
        Definition::Phi(at) | Definition::Instruction(at, _) => at != id,
    });
    for (_, operand) in block.phis.iter().flat_map(|phi| &phi.incoming) {
        if let Operand::Value(value) = operand {
            all.insert(*value);
        }
    }
    all
}

/// Whether a decision on the result tells of the operands.
fn is_followed(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Compare { .. }
            | Operation::Binary { .. }
            | Operation::Select { .. }
            | Operation::Freeze(_)
            | Operation::Cast {
                cast: Cast::ZeroExtend | Cast::SignExtend,
                ..
            }
    )
}

fn shared(function: &Function) -> Vec<bool> {
    let mut read = vec![false; function.values.len()];
    let mut shared = read.clone();
    let mut note = |operand| {
        if let Operand::Value(value) = operand {
            let before = std::mem::replace(&mut read[value.index()], true);
            shared[value.index()] |= before;
        }
    };
    for block in &function.blocks {
        for phi in &block.phis {
            phi.incoming.iter().for_each(|(_, operand)| note(*operand));
        }
        for instruction in &block.instructions {
            instruction.operation.visit_operands(&mut note);
        }
        block.terminator.visit_operands(&mut note);
    }
    shared
}
