//! Value sets of globals: those that hold one of a few numbers, or of known functions, whenever
//! they are read, because all that is stored to them are such; and the functions that calls through
//! pointers may therefore reach.
//!
//! Law: at any moment of any run a global holds one of its values. When and whether a store is
//! executed plays no part, so neither do loops, signals and bounds. All code that may store must
//! be known.

mod accesses;
mod equations;
mod item;

use labrys_program::graph::{Call, CallGraph};
use labrys_program::{BlockId, Callee, FunctionId, GlobalId, Operand, Operation, Program, ValueId};
use rustc_hash::FxHashMap;

use crate::external_calls::ExternalCalls;
use crate::second_returns::SecondReturns;
pub(crate) use accesses::{Accesses, Content, Place, initial, place, places};
use equations::Equations;
pub(crate) use item::Item;

/// A part of a global: offset and size in bytes.
pub type GlobalPart = (u64, u64);

/// See the module.
#[derive(Debug)]
pub(crate) struct GlobalValues {
    accesses: Accesses,
    stored: FxHashMap<(GlobalId, GlobalPart), Vec<u128>>,
    /// By call through a pointer, of those whose pointers are known.
    called: FxHashMap<CallPlace, Vec<FunctionId>>,
}

/// The place of a call: function, block and index of the instruction.
type CallPlace = (FunctionId, BlockId, u32);

impl GlobalValues {
    pub(crate) fn of(
        program: &Program,
        calls: &CallGraph,
        external: &ExternalCalls,
        second_returns: &SecondReturns,
    ) -> Self {
        let accesses = Accesses::of(program, second_returns);
        let mut equations = Equations::new(program, calls, external, second_returns, &accesses);
        let mut variables = Vec::new();
        for (global, part) in accesses.stored_parts() {
            if let Content::Cell = accesses.content(program, global, part) {
                variables.push(((global, part), equations.variable(global, part)));
            }
        }
        let mut pointers = Vec::new();
        for call in calls.calls() {
            if let Some(pointer) = called_pointer(program, call) {
                let place = (call.function, call.block, call.instruction);
                pointers.push((place, equations.of_value(call.function, pointer)));
            }
        }
        let solution = equations.solve();
        let called = pointers.into_iter();
        let called = called.filter_map(|(place, node)| Some((place, solution.functions(node)?)));
        let called = called.collect();
        let stored = variables
            .into_iter()
            .filter_map(|(cell, variable)| Some((cell, solution.numbers(variable)?)))
            .collect();
        GlobalValues {
            accesses,
            stored,
            called,
        }
    }

    /// The functions that a call through a pointer may reach; `None` if they are not known.
    pub(crate) fn called(&self, call: &Call) -> Option<&[FunctionId]> {
        let place = (call.function, call.block, call.instruction);
        Some(&self.called.get(&place)?[..])
    }

    /// Whether the functions of some call through a pointer are known.
    pub(crate) fn knows_pointers(&self) -> bool {
        !self.called.is_empty()
    }

    /// The loads and stores of globals.
    pub(crate) fn accesses(&self) -> &Accesses {
        &self.accesses
    }

    /// All numbers that a part of a global may hold; `None` if they are not known.
    pub(crate) fn values(
        &self,
        program: &Program,
        global: GlobalId,
        part: GlobalPart,
    ) -> Option<Vec<u128>> {
        match self.accesses.content(program, global, part) {
            Content::Initial(item) => Some(vec![item.number()?]),
            Content::Cell => self.stored.get(&(global, part)).cloned(),
            Content::Unknown => None,
        }
    }
}

/// The value through which a call is made.
fn called_pointer(program: &Program, call: &Call) -> Option<ValueId> {
    let block = program.function(call.function)?.block(call.block)?;
    let instruction = block.instructions.get(call.instruction as usize)?;
    match instruction.operation {
        Operation::Call {
            callee: Callee::Indirect(Operand::Value(pointer)),
            ..
        } => Some(pointer),
        _ => None,
    }
}
