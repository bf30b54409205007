//! Address computations: `getelementptr` flattened to base, bytes and scaled indices.

use super::types::Types;
use labrys_llvm::{LLVMTypeKind, Value};

/// The bytes that a `getelementptr` adds to its base.
#[derive(Debug)]
pub(super) struct Steps<'m> {
    pub(super) offset: i64,
    /// Variable indices and their scales.
    pub(super) terms: Vec<(Value<'m>, u64)>,
}

/// The steps of a `getelementptr`, instruction or constant; `None` for one on vectors or
/// with indices of more than 64 bits.
pub(super) fn steps<'m>(types: &Types<'m>, gep: Value<'m>) -> Option<Steps<'m>> {
    let mut steps = Steps {
        offset: 0,
        terms: Vec::new(),
    };
    let mut ty = gep.gep_source_type();
    for position in 1..gep.operand_count() {
        let index = gep.operand(position);
        let width = index.ty().int_width().filter(|width| *width <= 64)?;
        // The first index counts whole objects, the others go into them.
        let scale = if position == 1 {
            types.alloc_size(ty)
        } else if ty.kind() == LLVMTypeKind::LLVMStructTypeKind {
            let field = u32::try_from(index.const_int_value()?).ok()?;
            let offset = types.module().element_offset(ty, field);
            steps.offset = steps.offset.wrapping_add(offset as i64);
            ty = *ty.struct_elements().get(field as usize)?;
            continue;
        } else {
            ty = ty.element();
            types.alloc_size(ty)
        };
        match index.const_int_value() {
            Some(bits) => {
                let bytes = sign_extend(bits, width).wrapping_mul(scale as i64);
                steps.offset = steps.offset.wrapping_add(bytes);
            }
            None => steps.terms.push((index, scale)),
        }
    }
    Some(steps)
}

fn sign_extend(bits: u64, width: u32) -> i64 {
    let unused = 64 - width;
    ((bits << unused) as i64) >> unused
}
