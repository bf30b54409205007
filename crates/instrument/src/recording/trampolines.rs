//! Trampolines: functions of the program by which its pointers call functions of libraries.
//!
//! Where the program takes the address of a library function without a model, it gets that of a
//! trampoline instead, which makes the call: so what is given is counted there as in any other
//! call.
//!
//! Left alone are functions that may be absent (weak), those with variable arguments or results
//! and parameters that a copy would not pass on alike, and those of the runtime of C++.

use labrys_library::{Forward, Mark, function, named};
use labrys_llvm::{Block, LLVMLinkage, LLVMOpcode, LLVMTypeKind, Module, Type, Value};

use super::external::loses_nothing;

/// Prefix of trampolines.
const TRAMPOLINE: &str = "labrys.through.";
/// Makes the program's pointers to such functions point to trampolines.
pub(super) fn insert(module: &Module) {
    let functions = module.functions();
    let external: Vec<_> = functions
        .iter()
        .copied()
        .filter(|f| needs_trampoline(module, *f))
        .collect();
    let replaced: Vec<_> = external
        .into_iter()
        .map(|function| {
            let own = module.declare_like(&format!("{TRAMPOLINE}{}", function.name()), function);
            function.replace_uses(own);
            (function, own)
        })
        .collect();
    // Direct calls stay as they are.
    let blocks = functions
        .iter()
        .flat_map(|function: &Value<'_>| function.blocks());
    for i in blocks.flat_map(Block::instructions) {
        if !matches!(i.opcode(), LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke) {
            continue;
        }
        let called = i.called();
        if let Some((function, _)) = replaced.iter().find(|(_, own)| *own == called) {
            i.set_operand(i.operand_count() - 1, *function);
        }
    }
    for (function, own) in replaced {
        if own.is_used() {
            define(module, function, own);
        } else {
            own.delete_function();
        }
    }
}

fn needs_trampoline(module: &Module, function: Value<'_>) -> bool {
    let name = function.name();
    let ty = function.global_type();
    function.is_declaration()
        && function.is_used()
        && function.linkage() == LLVMLinkage::LLVMExternalLinkage
        && !named(&name, Mark::Support)
        && !has_model(&name)
        && !loses_nothing(&name)
        && !ty.is_variadic()
        && is_passed_on(ty.function_result())
        && function.params().iter().all(|p| is_passed_on(p.ty()))
        && (0..ty.param_count()).all(|index| module.by_value_size(function, index).is_none())
}

/// Whether the effect of a function on labels is known.
fn has_model(name: &str) -> bool {
    function(name).is_some_and(|function| function.forward() != Forward::None)
}

/// Whether a value of this type is passed alike whatever attributes a call has.
fn is_passed_on(ty: Type<'_>) -> bool {
    match ty.kind() {
        LLVMTypeKind::LLVMIntegerTypeKind => ty.int_width().is_some_and(|w| w == 32 || w == 64),
        kind => matches!(
            kind,
            LLVMTypeKind::LLVMPointerTypeKind
                | LLVMTypeKind::LLVMFloatTypeKind
                | LLVMTypeKind::LLVMDoubleTypeKind
        ),
    }
}

fn define<'m>(module: &'m Module, function: Value<'m>, own: Value<'m>) {
    let builder = module.builder();
    builder.at_end(module.define_body(own));
    builder.ret(builder.call(function, &own.params()));
    own.set_linkage(LLVMLinkage::LLVMInternalLinkage);
}
