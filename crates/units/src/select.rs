//! What a function can come to: variables that a driver may fill.

use labrys_llvm::{DebugNode, LLVMLinkage, LLVMOpcode, LLVMValueKind, Module, Value};
use rustc_hash::FxHashSet;

use crate::Globals;
use crate::prototype::is_plain;

/// Bytes of a variable that is worth an input.
const LARGEST: u64 = 256;

/// The functions and variables that the code of a function can come to; calls of `stubs` lead
/// nowhere.
pub(crate) fn named<'m>(function: Value<'m>, stubs: &[String]) -> FxHashSet<Value<'m>> {
    named_by(function, |value| !stubs.contains(&value.name()))
}

/// The variables among those that a function can come to which a driver fills, first those that the
/// function's source names.
pub(crate) fn variables<'m>(
    module: &'m Module,
    function: Value<'m>,
    named: &FxHashSet<Value<'m>>,
    globals: Globals,
) -> Vec<Value<'m>> {
    if globals == Globals::Initial {
        return Vec::new();
    }
    let source = named_in_source(module, function);
    let mut all = module.globals();
    all.retain(|variable| named.contains(variable) && is_fillable(module, *variable));
    if globals == Globals::File {
        let is_beside = |variable| is_beside(module, variable, function);
        all.retain(|variable| {
            is_outside_functions(*variable) && (source.contains(variable) || is_beside(*variable))
        });
    }
    all.sort_by_key(|variable| !source.contains(variable));
    all
}

/// What the function names, and those of its source that it can come to.
fn named_in_source<'m>(module: &'m Module, function: Value<'m>) -> FxHashSet<Value<'m>> {
    let unit = |function| DebugNode::of_function(module, function).and_then(DebugNode::unit);
    let own = unit(function);
    named_by(function, |value| {
        *value == function || !value.is_function() || unit(*value) == own
    })
}

/// The functions and variables to which code leads from a function through those that pass.
fn named_by<'m>(function: Value<'m>, passes: impl Fn(&Value<'m>) -> bool) -> FxHashSet<Value<'m>> {
    let mut seen: FxHashSet<Value<'m>> = FxHashSet::default();
    let mut open = vec![function];
    while let Some(value) = open.pop() {
        if !seen.insert(value) || !passes(&value) {
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

/// Whether the code of a function looks at the error number.
pub(crate) fn reads_error_number(function: Value<'_>) -> bool {
    let blocks = function.blocks().into_iter();
    let mut instructions = blocks.flat_map(labrys_llvm::Block::instructions);
    instructions.any(|one| {
        let is_load =
            |user: &Value<'_>| user.is_instruction() && user.opcode() == LLVMOpcode::LLVMLoad;
        one.opcode() == LLVMOpcode::LLVMCall
            && one.called().is_function()
            && labrys_library::named(&one.called().name(), labrys_library::Mark::ErrorNumber)
            && one.users().iter().any(is_load)
    })
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

/// Whether a variable is declared outside functions, so that other code can name it.
pub(crate) fn is_outside_functions(variable: Value<'_>) -> bool {
    !variable.name().contains('.')
}

/// Whether a variable is declared in the file of this function.
fn is_beside(module: &Module, variable: Value<'_>, function: Value<'_>) -> bool {
    let described = DebugNode::of_global(module, variable);
    let file = described.and_then(DebugNode::variable_file);
    let own = DebugNode::of_function(module, function).and_then(DebugNode::file);
    file.is_some() && file == own
}

/// Whether a driver may fill a variable: one that may change, of a size that is not large. One with
/// pointers only if it holds zeros when the program begins: others point where the program wants.
fn is_fillable(module: &Module, variable: Value<'_>) -> bool {
    let ty = variable.global_type();
    let own = !variable.is_declaration() && !variable.is_constant_global();
    own && may_change(variable)
        && ty.is_sized()
        && (1..=LARGEST).contains(&module.size_of(ty))
        && (is_plain(ty) || variable.initializer() == Some(module.zero(ty)))
        && !variable.name().is_empty()
}

/// Whether a variable may hold something else than at the beginning: a static one only if the program
/// writes it, its address goes where that cannot be told, or it is volatile: then what is no part of the
/// program may write it.
fn may_change(variable: Value<'_>) -> bool {
    let mut seen: FxHashSet<Value<'_>> = FxHashSet::default();
    let mut open = vec![variable];
    let mut changes = variable.linkage() != LLVMLinkage::LLVMInternalLinkage;
    while let Some(value) = open.pop().filter(|_| !changes) {
        for user in value.users() {
            let opcode = match user.kind() {
                LLVMValueKind::LLVMInstructionValueKind => Some(user.opcode()),
                LLVMValueKind::LLVMConstantExprValueKind => Some(user.const_opcode()),
                _ => None,
            };
            let further = match opcode {
                Some(LLVMOpcode::LLVMLoad) if user.is_volatile() => None,
                Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMICmp) => Some(Vec::new()),
                Some(
                    LLVMOpcode::LLVMGetElementPtr | LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMSelect,
                ) => Some(vec![user]),
                Some(LLVMOpcode::LLVMCall) => passed_as(user, value),
                _ => None,
            };
            changes |= further.is_none();
            open.extend(
                further
                    .into_iter()
                    .flatten()
                    .filter(|one| seen.insert(*one)),
            );
        }
    }
    changes
}

/// The parameters as which a call passes a value to a function of the program; none where it is
/// copied from; `None` where the call may do anything.
fn passed_as<'m>(call: Value<'m>, value: Value<'m>) -> Option<Vec<Value<'m>>> {
    let (called, arguments) = (call.called(), call.arguments());
    if !called.is_function() {
        return None;
    }
    let name = called.name();
    let copies = ["llvm.memcpy.", "llvm.memmove."];
    if copies.iter().any(|copy| name.starts_with(copy)) && arguments[0] != value {
        return Some(Vec::new());
    }
    let parameters = called.params();
    let known = !called.is_declaration() && arguments.len() == parameters.len();
    let pairs = arguments.into_iter().zip(parameters);
    let passed = pairs.filter(|(argument, _)| *argument == value);
    known.then(|| passed.map(|(_, parameter)| parameter).collect())
}
