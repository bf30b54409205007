//! Places in variables of the program to which pointers may point: elements of a pool, a node that stands
//! for none.

use labrys_llvm::{DebugNode, LLVMTypeKind, Value};
use labrys_suite::unit::Choice;

use super::{Aim, Builder};
use crate::select::is_outside_functions;
use crate::types::{is_void, unwrapped};

/// The places in the variables with whose addresses the code compares a pointer, or from which it subtracts
/// them: the first two elements of an array and the last one, and where a pointer to bytes may point,
/// one between two elements. A test names the variables, so they are of the function's own source.
pub(super) fn choices<'m>(
    builder: &Builder<'m, '_>,
    to: Option<DebugNode<'m>>,
    aim: &Aim<'m>,
) -> Vec<Choice> {
    if !builder.for_tests || aim.counted {
        return Vec::new();
    }
    let is_own = |variable: &Value<'m>| {
        let described = builder
            .module
            .and_then(|module| DebugNode::of_global(module, *variable));
        let unit = described.and_then(DebugNode::variable_unit);
        unit.is_some() && unit == builder.unit && is_outside_functions(*variable)
    };
    let own = aim.variables.iter().filter(|variable| is_own(variable));
    own.flat_map(|variable| places(builder, to, *variable))
        .collect()
}

/// The places in a variable, if a pointer to a type may point there.
fn places(
    builder: &Builder<'_, '_>,
    to: Option<DebugNode<'_>>,
    variable: Value<'_>,
) -> Vec<Choice> {
    let Some(module) = builder.module else {
        return Vec::new();
    };
    let ty = variable.global_type();
    let (element, count) = match ty.kind() {
        LLVMTypeKind::LLVMArrayTypeKind => (module.size_of(ty.element()), ty.array_len()),
        _ => (module.size_of(ty), 1),
    };
    let size = match is_void(to) {
        true => 1,
        false => to.map_or(1, |to| unwrapped(to).size()),
    };
    let fits = size > 0
        && if count > 1 {
            element % size == 0
        } else {
            element == size
        };
    let mut elements: Vec<u64> = vec![0, 1, count.saturating_sub(1)];
    elements.retain(|element| fits && *element < count);
    elements.dedup();
    let place = |bytes: u64, path: String| Choice::Variable {
        name: variable.name(),
        bytes,
        path,
    };
    let is_array = ty.kind() == LLVMTypeKind::LLVMArrayTypeKind;
    let between = fits && is_array && size == 1 && element > 1;
    let all = elements.iter().map(|index| {
        let path = if is_array {
            format!("[{index}]")
        } else {
            String::new()
        };
        place(index * element, path)
    });
    all.chain(between.then(|| place(element + 1, String::new())))
        .collect()
}
