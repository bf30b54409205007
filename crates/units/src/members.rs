//! Members whose addresses the bitcode computes.

use labrys_llvm::{DebugNode, LLVMOpcode, LLVMTypeKind, Module, Type, Value, tag};

use crate::types::{Member, first_of, layout_of, unwrapped};

/// The member whose address an instruction computes: of the innermost structure.
pub(crate) fn member(module: &Module, instruction: Value<'_>) -> Option<Member> {
    members(module, instruction)?.pop()?
}

/// The number or pointer at an address, as a member: also the first one of a structure, to which no address is
/// computed.
pub(crate) fn member_at<'m>(module: &'m Module, address: Value<'m>) -> Option<Member> {
    if let Some((mut members, ty)) = steps(module, address) {
        let last = members.pop().flatten();
        return last.map(|member| first_inside(module, ty).unwrap_or(member));
    }
    let users = address.users().into_iter();
    let mut found = users.filter_map(|user| first_member(module, user));
    let (first, _) = found.find(|(_, base)| *base == address)?;
    Some(first)
}

/// The first number or pointer of a structure, as a member of the innermost one there. Members of a union that are
/// no structures are those of what is around it.
fn first_inside(module: &Module, ty: Type<'_>) -> Option<Member> {
    let (mut ty, mut found) = (ty, None);
    while ty.kind() == LLVMTypeKind::LLVMStructTypeKind {
        if !ty.to_text().starts_with("%union.") {
            found = Some((layout_in(module, ty), 0));
        }
        ty = *ty.struct_elements().first()?;
    }
    found
}

/// The member that a value is loaded from.
pub(crate) fn loaded<'m>(module: &'m Module, value: Value<'m>) -> Option<Member> {
    let is_load = value.is_instruction() && value.opcode() == LLVMOpcode::LLVMLoad;
    is_load
        .then(|| member_at(module, value.operand(0)))
        .flatten()
}

/// The members through which an instruction computes an address, each in the one before it; none for an
/// element of an array.
pub(crate) fn members(module: &Module, instruction: Value<'_>) -> Option<Vec<Option<Member>>> {
    Some(steps(module, instruction)?.0)
}

/// The same, with the type of what is at the address.
fn steps<'m>(module: &Module, instruction: Value<'m>) -> Option<(Vec<Option<Member>>, Type<'m>)> {
    if !instruction.is_instruction() || instruction.opcode() != LLVMOpcode::LLVMGetElementPtr {
        return None;
    }
    let mut ty = instruction.gep_source_type();
    let mut found = Vec::new();
    for index in instruction.operands().into_iter().skip(2) {
        match ty.kind() {
            LLVMTypeKind::LLVMStructTypeKind => {
                let index = u32::try_from(index.const_int_value()?).ok()?;
                let offset = module.element_offset(ty, index);
                found.push(Some((layout_in(module, ty), offset)));
                ty = *ty.struct_elements().get(index as usize)?;
            }
            LLVMTypeKind::LLVMArrayTypeKind => {
                found.push(None);
                ty = ty.element();
            }
            _ => return None,
        }
    }
    Some((found, ty))
}

/// The first member of a structure, and its address, if an instruction computes that of another one
/// from it: nothing computes the address of the first one.
pub(crate) fn first_member<'m>(
    module: &'m Module,
    instruction: Value<'m>,
) -> Option<(Member, Value<'m>)> {
    if !instruction.is_instruction() || instruction.opcode() != LLVMOpcode::LLVMGetElementPtr {
        return None;
    }
    let mut ty = instruction.gep_source_type();
    let mut found = None;
    while ty.kind() == LLVMTypeKind::LLVMStructTypeKind {
        found = Some((layout_in(module, ty), 0));
        ty = *ty.struct_elements().first()?;
    }
    let single = ty.kind() != LLVMTypeKind::LLVMArrayTypeKind;
    let base = Some(instruction.operand(0)).filter(|base| single && !base.is_constant());
    found.zip(base)
}

/// For each parameter of a function that points to a structure the first member there, by the types in the
/// source: the code may come to it without computing an address.
pub(crate) fn first_members<'m>(
    module: &'m Module,
    function: Value<'m>,
) -> Vec<(Value<'m>, Member)> {
    let described = DebugNode::of_function(module, function);
    let types = described.map(DebugNode::parameters).unwrap_or_default();
    let values = function.params();
    if types.len() != values.len() {
        return Vec::new();
    }
    let first = |(ty, value): (Option<DebugNode<'m>>, Value<'m>)| {
        let pointer = unwrapped(ty?);
        let behind = (pointer.tag() == tag::POINTER).then(|| pointer.base())??;
        Some((value, first_of(behind)?))
    };
    types.into_iter().zip(values).filter_map(first).collect()
}

/// The layout of a structure of the bitcode.
pub(crate) fn layout_in(module: &Module, ty: Type<'_>) -> String {
    let elements = ty.struct_elements().into_iter();
    let is_pointer = |(_, ty): &(u32, Type<'_>)| ty.kind() == LLVMTypeKind::LLVMPointerTypeKind;
    let pointers = (0..).zip(elements).filter(is_pointer);
    let offsets = pointers.map(|(index, _)| module.element_offset(ty, index));
    layout_of(module.size_of(ty), offsets)
}
