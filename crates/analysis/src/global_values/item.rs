//! What a value may be, as far as constants say.

use labrys_program::{Constant, ConstantId, FunctionId, GlobalId, Program, RelocationTarget};

/// What a value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Item {
    /// The bits of a number.
    Number(u128),
    /// The address of a function.
    Function(FunctionId),
    /// Something that is no address of a function.
    Data,
}

impl Item {
    /// The bits of a number.
    pub(crate) fn number(self) -> Option<u128> {
        match self {
            Item::Number(bits) => Some(bits),
            Item::Function(_) | Item::Data => None,
        }
    }
}

/// What a constant is.
pub(super) fn constant(program: &Program, id: ConstantId) -> Option<Item> {
    Some(match program.constant(id)? {
        Constant::Int { bits, .. } => Item::Number(*bits),
        Constant::Float(bits) => Item::Number(u128::from(*bits)),
        Constant::Double(bits) => Item::Number(u128::from(*bits)),
        Constant::Null => Item::Number(0),
        Constant::Function(function) => Item::Function(*function),
        Constant::Global(global) => data(program, *global)?,
        _ => return None,
    })
}

/// What a constant holds where an address is written by the linker.
pub(super) fn relocated(program: &Program, target: &RelocationTarget) -> Option<Item> {
    match target {
        RelocationTarget::Function(function, 0) => Some(Item::Function(*function)),
        RelocationTarget::Global(global, _) => data(program, *global),
        _ => None,
    }
}

/// The address of a variable. What other code defines may be a function by that name.
fn data(program: &Program, global: GlobalId) -> Option<Item> {
    let defined = program.globals[global.index()].initializer.is_some();
    defined.then_some(Item::Data)
}
