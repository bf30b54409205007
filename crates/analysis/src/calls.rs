//! Calls: what they pass, and how far from the entry they are.

use std::collections::VecDeque;

use labrys_program::graph::{Call, CallGraph};
use labrys_program::{BlockId, Callee, Function, FunctionId, Operand, Operation, Program};

use crate::external_calls::ExternalCalls;

/// An instruction of a function: its block, and its index there.
pub type Place = (BlockId, usize);

/// What a caller passes to a function that it calls by name; `None` if it calls it otherwise.
pub(crate) fn passed_arguments<'f>(
    function: &'f Function,
    call: &Call,
    callee: FunctionId,
) -> Option<&'f [Operand]> {
    let block = function.block(call.block)?;
    match &block.instructions[call.instruction as usize].operation {
        Operation::Call {
            callee: Callee::Direct(id),
            arguments,
            ..
        } if *id == callee => Some(arguments),
        _ => None,
    }
}

/// The most arguments of a call in the program.
pub(crate) fn most_arguments(program: &Program) -> usize {
    let blocks = program
        .functions
        .iter()
        .flat_map(|function| &function.blocks);
    let instructions = blocks.flat_map(|block| &block.instructions);
    let counts = instructions.map(|instruction| match &instruction.operation {
        Operation::Call { arguments, .. } => arguments.len(),
        _ => 0,
    });
    counts.max().unwrap_or(0)
}

/// The depth of a function that outside code calls.
const CALLED_FROM_OUTSIDE: u32 = 1 << 20;

/// By function: the least number of calls from the entry; `None` where no calls lead there.
pub(crate) fn depths(
    program: &Program,
    calls: &CallGraph,
    entry: FunctionId,
    external: &ExternalCalls,
) -> Vec<Option<u32>> {
    let mut depths = vec![None; program.functions.len()];
    depths[entry.index()] = Some(0);
    let mut queue = VecDeque::from([(entry, 0)]);
    for (index, depth) in depths.iter_mut().enumerate() {
        let id = FunctionId::new(index);
        if external.may_call(id) && depth.is_none() {
            *depth = Some(CALLED_FROM_OUTSIDE);
            queue.push_back((id, CALLED_FROM_OUTSIDE));
        }
    }
    while let Some((id, depth)) = queue.pop_front() {
        for call in calls.calls_in(id) {
            for callee in calls.callees(call) {
                if depths[callee.index()].is_none() {
                    depths[callee.index()] = Some(depth + 1);
                    queue.push_back((*callee, depth + 1));
                }
            }
        }
    }
    depths
}
