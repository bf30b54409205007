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
    /// By block: values of other blocks, and what its phis join, on which its numbers depend.
    reads: Vec<Vec<ValueId>>,
    /// By value: whether more than one place reads it.
    shared: Vec<bool>,
}

impl Outline {
    /// The outline of a function with a body.
    pub(super) fn new(function: &Function, body: &Body) -> Self {
        let order = Digraph::of_function(function).reverse_postorder(0);
        let blocks = function.blocks();
        Outline {
            order: order.into_iter().map(BlockId).collect(),
            reads: blocks.map(|(id, _)| reads(function, body, id)).collect(),
            shared: shared(function),
        }
    }

    pub(super) fn reads(&self, block: BlockId) -> &[ValueId] {
        &self.reads[block.index()]
    }

    pub(super) fn is_shared(&self, value: ValueId) -> bool {
        self.shared[value.index()]
    }
}

/// What a block reads, with what the decisions in it are made of.
fn reads(function: &Function, body: &Body, id: BlockId) -> Vec<ValueId> {
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
    let mut all: Vec<ValueId> = all.into_iter().collect();
    all.sort_unstable();
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
