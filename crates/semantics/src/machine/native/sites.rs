//! Places in machine code that call the machine, and the values that they bring along.

use std::collections::BTreeSet;

use labrys_library::Mark;
use labrys_program::{
    BlockId, Callee, Function, Instruction, Operand, Operation, Program, Terminator, ValueId,
};

use super::super::decisions::definition;
use super::super::distance;
use crate::LibraryMeaning;
use crate::value::IrValue;

/// A place in a function that hands over to the machine.
#[derive(Debug)]
pub(super) struct HandOver {
    pub(super) block: BlockId,
    /// The instruction, or their number for the end of the block.
    pub(super) index: usize,
    /// Values that code puts into the words of the context, in order, and their widths.
    pub(super) brought: Vec<(ValueId, IrValue<u32>)>,
    /// The value that code takes back: whether it is used, and its width.
    pub(super) result: Option<(ValueId, bool, u32)>,
    /// Steps that were counted for instructions behind this one.
    pub(super) ahead: u64,
}

/// Values that a machine looks at when it executes an instruction.
pub(super) fn looked_at(
    program: &Program,
    function: &Function,
    instruction: &Instruction,
    seen: &mut BTreeSet<ValueId>,
) {
    let operation = &instruction.operation;
    operation.visit_operands(&mut |operand| add(operand, seen));
    if let Operation::Call {
        callee: Callee::Direct(callee),
        arguments,
        ..
    } = operation
    {
        let name = program.function(*callee).map_or("", |callee| &callee.name);
        if let (Some(LibraryMeaning::Assume), Some(first)) =
            (LibraryMeaning::of(name), arguments.first())
        {
            decides(function, *first, seen);
        }
    }
}

/// Values that a machine looks at where a block ends.
pub(super) fn looked_at_end(
    function: &Function,
    terminator: &Terminator,
    seen: &mut BTreeSet<ValueId>,
) {
    terminator.visit_operands(&mut |operand| add(operand, seen));
    if let Terminator::Branch { condition, .. } = terminator {
        decides(function, *condition, seen);
    }
}

fn add(operand: Operand, seen: &mut BTreeSet<ValueId>) {
    if let Operand::Value(id) = operand {
        seen.insert(id);
    }
}

/// Values that the distance of a truth value from another depends on.
fn decides(function: &Function, operand: Operand, seen: &mut BTreeSet<ValueId>) {
    let mut next = Some(operand);
    while let Some(operand) = next.take() {
        add(operand, seen);
        let Some(operation) = definition(function, operand) else {
            return;
        };
        match operation {
            Operation::Compare { left, right, .. }
            | Operation::FloatCompare { left, right, .. } => {
                add(*left, seen);
                add(*right, seen);
            }
            _ => next = distance::same_truth(operation),
        }
    }
}

/// Whether an instruction that has a result may give none.
pub(super) fn gives_nothing(program: &Program, instruction: &Instruction) -> bool {
    let Operation::Call {
        callee: Callee::Direct(callee),
        ..
    } = instruction.operation
    else {
        return false;
    };
    let Some(callee) = program.function(callee).filter(|callee| !callee.defined) else {
        return false;
    };
    // Where it cannot be called, it gives none, and the function gives up its code.
    let is_called = labrys_library::named(&callee.name, Mark::Called);
    let nothing = matches!(
        LibraryMeaning::of(&callee.name),
        Some(
            LibraryMeaning::Harmless { skipped: true }
                | LibraryMeaning::InputObject(_)
                | LibraryMeaning::Assume
        )
    );
    nothing && !is_called
}
