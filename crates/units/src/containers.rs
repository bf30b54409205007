//! Structures around what pointers point to: the code goes back from a member to the structure that it
//! is in (`container_of`), or takes a structure for a larger one that begins with it.

use labrys_llvm::{LLVMOpcode, LLVMTypeKind, Module, Value};
use rustc_hash::FxHashSet;

use crate::flow::{addresses, given, name_of, passed_on, structure_behind};

/// Values that are followed from one pointer.
const MOST_VALUES: usize = 64;
/// Bytes by which the code goes back, at most.
const MOST_BACK: u64 = 1 << 16;

/// What the code takes a pointer for: one to a place so many bytes behind the beginning of a structure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Around {
    /// Bytes before the place where the pointer points.
    pub(crate) back: u64,
    /// The name of the structure; none if the code only goes back.
    pub(crate) name: Option<String>,
    /// Whether the code looks at that place too, not only at the structure around it.
    pub(crate) looks: bool,
}

/// What the code takes a pointer for, in the order in which it uses it.
pub(crate) fn around(pointer: Value<'_>) -> Vec<Around> {
    let looks = is_looked_at(pointer);
    let of = |address: Value<'_>| {
        let (back, name) = match back(address) {
            Some(back) => (back, structure_behind(address)),
            None if is_first(address) => (0, Some(name_of(address.gep_source_type())?)),
            None => return None,
        };
        Some(Around { back, name, looks })
    };
    addresses(pointer).filter_map(of).collect()
}

/// Whether the code does more with a pointer than go back from it and compare it.
fn is_looked_at(pointer: Value<'_>) -> bool {
    let is_look = |user: Value<'_>, name: Value<'_>| match user.opcode() {
        LLVMOpcode::LLVMGetElementPtr => back(user).is_none(),
        LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMSelect | LLVMOpcode::LLVMICmp => false,
        LLVMOpcode::LLVMCall => given(user, name).is_empty(),
        _ => true,
    };
    passed_on(pointer).into_iter().any(|name| {
        let mut users = name.users().into_iter();
        users.any(|user| user.is_instruction() && is_look(user, name))
    })
}

/// The bytes by which an instruction goes back from an address.
fn back(address: Value<'_>) -> Option<u64> {
    let [_, index] = address.operands()[..] else {
        return None;
    };
    let bytes = address.gep_source_type().int_width() == Some(8);
    let index = index.const_int_signed().filter(|index| *index < 0 && bytes);
    index
        .map(i64::unsigned_abs)
        .filter(|back| *back <= MOST_BACK)
}

/// Whether an instruction computes an address inside the object at another one, not behind it.
fn is_first(address: Value<'_>) -> bool {
    let first = address.operands().get(1).copied();
    first.and_then(Value::const_int_value) == Some(0)
}

/// A pointer by all its names: where it is joined with others, and where the code goes back from it to a
/// structure and on to the same place.
pub(crate) fn names<'m>(module: &'m Module, pointer: Value<'m>) -> Vec<Value<'m>> {
    let mut names = Vec::new();
    let mut seen: FxHashSet<Value<'m>> = FxHashSet::default();
    // With the bytes by which each is before the pointer.
    let mut open = vec![(pointer, 0)];
    while let Some((value, before)) = open.pop() {
        if seen.len() >= MOST_VALUES || !seen.insert(value) {
            continue;
        }
        if before == 0 {
            names.push(value);
        }
        for user in value.users().into_iter().filter(|one| one.is_instruction()) {
            match user.opcode() {
                LLVMOpcode::LLVMPHI => open.push((user, before)),
                LLVMOpcode::LLVMGetElementPtr if user.operand(0) == value => {
                    let further = match back(user) {
                        Some(back) => Some(before + back),
                        None => forward(module, user).and_then(|on| before.checked_sub(on)),
                    };
                    open.extend(
                        further
                            .filter(|_| before > 0 || back(user).is_some())
                            .map(|at| (user, at)),
                    );
                }
                _ => {}
            }
        }
    }
    names
}

/// The bytes by which the address of a member is behind that of its structure.
fn forward(module: &Module, address: Value<'_>) -> Option<u64> {
    if !is_first(address) {
        return None;
    }
    let mut ty = address.gep_source_type();
    let mut bytes = 0;
    for index in address.operands().into_iter().skip(2) {
        if ty.kind() != LLVMTypeKind::LLVMStructTypeKind {
            return None;
        }
        let index = u32::try_from(index.const_int_value()?).ok()?;
        bytes += module.element_offset(ty, index);
        ty = *ty.struct_elements().get(index as usize)?;
    }
    Some(bytes)
}
