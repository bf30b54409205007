//! Functions that run before anything is ready: resolvers of indirect functions (`ifunc`,
//! `target_clones`), and what they call. The loader calls them while it relocates the program, in a
//! static one before there is storage of the thread.
//!
//! Law: nothing of the instrumentation is in them, and they are called as functions of libraries are.

use labrys_llvm::{Block, LLVMOpcode, Module, Value};

/// The text attribute of such functions.
const MARK: &str = "labrys-early";

/// Marks them.
pub(super) fn mark(module: &Module) {
    let resolvers = module.ifuncs().into_iter().filter_map(Value::resolver);
    let mut open: Vec<_> = resolvers
        .map(|resolver| resolver.aliased_object().unwrap_or(resolver))
        .collect();
    while let Some(function) = open.pop() {
        if function.is_declaration() || is_early(module, function) {
            continue;
        }
        module.add_text_attribute(function, MARK, "");
        // What is recorded of a copy in another function would be a part of it.
        module.remove_attribute(function, "alwaysinline");
        module.add_attribute(function, "noinline", 0);
        let calls = calls(function).map(Value::called);
        open.extend(calls.filter(|called| called.is_function()));
    }
}

/// Whether a function is one of them.
pub(super) fn is_early(module: &Module, function: Value<'_>) -> bool {
    module.has_text_attribute(function, MARK)
}

fn calls(function: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let blocks = function.blocks().into_iter();
    blocks
        .flat_map(Block::instructions)
        .filter(|i| matches!(i.opcode(), LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke))
}

/// Gives their calls of library functions back, which became calls of models: pairs of both.
pub(super) fn restore<'m>(module: &'m Module, redirected: &[(Value<'m>, Value<'m>)]) {
    let functions = module.functions().into_iter();
    for function in functions.filter(|function| is_early(module, *function)) {
        for call in calls(function) {
            let called = call.called();
            if let Some((library, _)) = redirected.iter().find(|(_, model)| *model == called) {
                call.set_operand(call.operand_count() - 1, *library);
            }
        }
    }
}
