//! Constants that are addresses.

use labrys_program::{Constant, ConstantId, GlobalId, Program};

/// The global that a constant is the address of, or an address in.
#[must_use]
pub fn global_of(program: &Program, id: ConstantId) -> Option<GlobalId> {
    match program.constant(id)? {
        Constant::Global(global) => Some(*global),
        Constant::Offset { base, .. } if *base < id => global_of(program, *base),
        _ => None,
    }
}
