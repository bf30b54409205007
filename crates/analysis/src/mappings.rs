//! Files that the program maps into its memory: whoever writes such a file writes that memory, and
//! the same page may be at several addresses.

use labrys_library::{Mark, function, named};
use labrys_program::{Callee, Constant, Operand, Operation, Program};

/// `MAP_TYPE`, `MAP_PRIVATE`, `MAP_ANONYMOUS`.
const TYPE: u128 = 15;
const PRIVATE: u128 = 2;
const ANONYMOUS: u128 = 32;

/// What is mapped at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mapped {
    /// Memory alone.
    Nothing,
    /// Files, of which the program sees what is written to them until it writes there itself.
    Files,
    /// Files, or memory of others, that are written through the mapping.
    Shared,
}

/// What a program maps.
pub(crate) fn mapped(program: &Program) -> Mapped {
    let functions = program.functions.iter();
    let mut called_by_address = functions.filter(|called| named(&called.name, Mark::Maps));
    if called_by_address.any(|called| called.address_taken) {
        return Mapped::Shared;
    }
    let blocks = program
        .functions
        .iter()
        .flat_map(|function| &function.blocks);
    let instructions = blocks.flat_map(|block| &block.instructions);
    let calls = instructions.filter_map(|instruction| match &instruction.operation {
        Operation::Call {
            callee: Callee::Direct(id),
            arguments,
            ..
        } => call(program, &program.functions[id.index()].name, arguments),
        _ => None,
    });
    calls.max().unwrap_or(Mapped::Nothing)
}

/// What a call maps, if it maps something.
fn call(program: &Program, name: &str, arguments: &[Operand]) -> Option<Mapped> {
    let row = function(name).filter(|row| row.has(Mark::Maps))?;
    let place = row.parameters().iter().position(|one| one.name == "flags");
    let flags = match arguments.get(place?) {
        Some(Operand::Constant(id)) => program.constant(*id),
        _ => None,
    };
    let Some(Constant::Int { bits, .. }) = flags else {
        return Some(Mapped::Shared);
    };
    Some(if bits & ANONYMOUS != 0 {
        Mapped::Nothing
    } else if bits & TYPE == PRIVATE {
        Mapped::Files
    } else {
        Mapped::Shared
    })
}
