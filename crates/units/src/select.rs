//! What a function can come to: variables that a driver may fill.

use labrys_llvm::{DebugNode, Module, Value};
use rustc_hash::FxHashSet;

use crate::prototype::is_plain;

/// Bytes of a variable that is worth an input.
const LARGEST: u64 = 256;

/// The functions and variables that the code of a function can come to; calls of `stubs` lead
/// nowhere.
pub(crate) fn named<'m>(function: Value<'m>, stubs: &[String]) -> FxHashSet<Value<'m>> {
    let mut seen: FxHashSet<Value<'m>> = FxHashSet::default();
    let mut open = vec![function];
    while let Some(value) = open.pop() {
        if !seen.insert(value) || stubs.contains(&value.name()) {
            continue;
        }
        let constant = |one: &Value<'m>| one.is_constant();
        if value.is_function() {
            let blocks = value.blocks().into_iter();
            for instruction in blocks.flat_map(labrys_llvm::Block::instructions) {
                open.extend(instruction.operands().into_iter().filter(constant));
            }
        } else if value.is_variable() {
            open.extend(value.initializer());
        } else {
            open.extend(value.operands().into_iter().filter(constant));
        }
    }
    seen
}

/// Whether functions that give memory back are among these.
pub(crate) fn frees(named: &FxHashSet<Value<'_>>) -> bool {
    let frees = |value: &Value<'_>| value.is_function() && gives_back(&value.name());
    named.iter().any(frees)
}

/// Whether a function gives memory back.
pub(crate) fn gives_back(name: &str) -> bool {
    matches!(name, "free" | "realloc" | "reallocarray")
}

/// Whether a variable is declared outside functions of the file of this function.
pub(crate) fn is_beside(module: &Module, variable: Value<'_>, function: Value<'_>) -> bool {
    let described = DebugNode::of_global(module, variable);
    let file = described.and_then(DebugNode::variable_file);
    let own = DebugNode::of_function(module, function).and_then(DebugNode::file);
    !variable.name().contains('.') && file.is_some() && file == own
}

/// Whether a driver may fill a variable: not constant, of a size that is not large, without
/// pointers.
pub(crate) fn is_fillable(module: &Module, variable: Value<'_>) -> bool {
    let ty = variable.global_type();
    let own = !variable.is_declaration() && !variable.is_constant_global();
    own && ty.is_sized()
        && (1..=LARGEST).contains(&module.size_of(ty))
        && is_plain(ty)
        && !variable.name().is_empty()
        && !variable.is_thread_local()
}
