//! The library's tables of characters, to which it keeps pointers.
//!
//! Law: a program that does no more with the address of such a pointer than to read it cannot set it to
//! a table of its own.

use std::collections::BTreeSet;

use labrys_program::{Callee, Function, FunctionId, Operand, Operation, Program, ValueId};
use labrys_semantics::character_table;

/// Whether the program may set the library's pointer to a table of characters.
pub(crate) fn may_be_replaced(program: &Program) -> bool {
    let functions = program.functions.iter().enumerate();
    let givers: BTreeSet<FunctionId> = functions
        .filter(|(_, function)| !function.defined && character_table(&function.name).is_some())
        .map(|(index, _)| FunctionId::new(index))
        .collect();
    let mut called = givers.iter().map(|id| &program.functions[id.index()]);
    let mut functions = program.functions.iter();
    !givers.is_empty()
        && (called.any(|function| function.address_taken)
            || functions.any(|function| keeps(function, &givers)))
}

/// Whether a function does more than to read through what these give.
fn keeps(function: &Function, givers: &BTreeSet<FunctionId>) -> bool {
    let blocks = || function.blocks.iter();
    let instructions = || blocks().flat_map(|block| &block.instructions);
    let given: BTreeSet<ValueId> = instructions()
        .filter(|instruction| {
            matches!(
                instruction.operation,
                Operation::Call { callee: Callee::Direct(id), .. } if givers.contains(&id)
            )
        })
        .filter_map(|instruction| instruction.result)
        .collect();
    if given.is_empty() {
        return false;
    }
    let mut keeps = false;
    let mut look = |operand: Operand| {
        keeps |= matches!(operand, Operand::Value(value) if given.contains(&value));
    };
    for instruction in instructions() {
        if !matches!(instruction.operation, Operation::Load { .. }) {
            instruction.operation.visit_operands(&mut look);
        }
    }
    for block in blocks() {
        let phis = block.phis.iter().flat_map(|phi| &phi.incoming);
        phis.for_each(|(_, operand)| look(*operand));
        block.terminator.visit_operands(&mut look);
    }
    keeps
}
