//! Places that the program marks by a name: the calls of `labrys_target("name")`.

use labrys_program::{
    Callee, Constant, ConstantId, Function, Instruction, Location, Operand, Operation, Program,
};

/// The function that marks targets.
const MARKING: &str = "labrys_target";

/// A marked place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Marker {
    /// The string that the call is given.
    pub(crate) name: String,
    /// Where the call stands, if it is known.
    pub(crate) location: Option<Location>,
}

/// The calls with a constant name, in the order of the bitcode; of those with the same name the
/// first.
pub(crate) fn markers(program: &Program) -> Vec<Marker> {
    let mut found: Vec<Marker> = Vec::new();
    let blocks = program.functions.iter().flat_map(Function::blocks);
    for instruction in blocks.flat_map(|(_, block)| &block.instructions) {
        let name = name(program, instruction);
        let name = name.filter(|name| found.iter().all(|marker| marker.name != *name));
        found.extend(name.map(|name| Marker {
            name,
            location: instruction.location,
        }));
    }
    found
}

/// The name that an instruction gives to its place.
fn name(program: &Program, instruction: &Instruction) -> Option<String> {
    let Operation::Call {
        callee: Callee::Direct(callee),
        arguments,
        ..
    } = &instruction.operation
    else {
        return None;
    };
    match arguments.first()? {
        Operand::Constant(name) if program.function(*callee)?.name == MARKING => {
            string(program, *name)
        }
        _ => None,
    }
}

/// The string at a constant address.
fn string(program: &Program, address: ConstantId) -> Option<String> {
    let (global, offset) = match program.constant(address)? {
        Constant::Global(global) => (*global, 0),
        Constant::Offset { base, offset } => match program.constant(*base)? {
            Constant::Global(global) => (*global, usize::try_from(*offset).ok()?),
            _ => return None,
        },
        _ => return None,
    };
    let global = program.global(global).filter(|global| global.constant)?;
    // Zeros after the listed bytes end the string too.
    let bytes = global.initializer.as_ref()?.bytes.get(offset..)?;
    let end = bytes.iter().position(|byte| *byte == 0);
    let text = &bytes[..end.unwrap_or(bytes.len())];
    Some(String::from_utf8_lossy(text).into_owned())
}
