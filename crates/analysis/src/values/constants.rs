//! The numbers of constants and of addresses.

use labrys_program::{Constant, ConstantId, Linkage, Program, Type};

use super::numbers::Numbers;

/// Addresses of the program's objects, and what the allocator gives.
pub(super) const FIRST_ADDRESS: u64 = 4096;
pub(super) const LAST_ADDRESS: u64 = (1 << 47) - 1;

/// Bits of the numbers of a type; `None` for types that are not followed.
pub(super) fn tracked(ty: Type) -> Option<u32> {
    match ty {
        Type::Int(width @ 1..=64) => Some(width),
        Type::Pointer => Some(64),
        _ => None,
    }
}

/// The numbers of a constant; `None` if its type is not followed.
pub(super) fn constant(program: &Program, id: ConstantId) -> Option<Numbers> {
    let width = tracked(program.constant_type(id)?)?;
    Some(match program.constant(id)? {
        Constant::Int { bits, .. } => Numbers::one(width, *bits as u64),
        Constant::Null | Constant::Zero(_) => Numbers::one(width, 0),
        Constant::Global(global) => {
            let global = program.globals.get(global.index())?;
            let weak = global.linkage == Linkage::Weak && global.initializer.is_none();
            address(weak)
        }
        Constant::Function(function) => {
            let function = program.function(*function)?;
            address(function.linkage == Linkage::Weak && !function.defined)
        }
        Constant::Offset { base, offset } if *base < id => {
            let offset = Numbers::one(64, *offset as u64);
            constant(program, *base)?.plus(&offset)
        }
        _ => Numbers::any(width),
    })
}

fn address(may_be_null: bool) -> Numbers {
    match may_be_null {
        true => Numbers::any(64),
        false => Numbers::between(64, FIRST_ADDRESS, LAST_ADDRESS),
    }
}
