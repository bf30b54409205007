//! Promises: what sources and options let the compiler assume. Freezing takes them back, so that
//! each build of the frozen bitcode computes the same, whatever its optimizer would make of them:
//! floats as IEEE says, each operation rounded; no pointer is promised to be apart from others, or
//! not to be null. What is read before it is written is some value as well ([`unset`](crate::unset)).
//!
//! What the promises were, where another build may keep to them, stays as a mark for
//! [`lower`](crate::lower).

use std::collections::BTreeSet;

use labrys_llvm::{LLVMOpcode, Module, Value};
use labrys_program::Caveat;

/// Attributes of parameters, arguments and results that promise something.
const OF_VALUES: [&str; 6] = [
    "nonnull",
    "noalias",
    "dereferenceable",
    "dereferenceable_or_null",
    "noundef",
    "range",
];
/// What loads, stores and calls are annotated with.
const OF_ACCESSES: [&str; 10] = [
    "tbaa",
    "tbaa.struct",
    "noalias",
    "alias.scope",
    "nonnull",
    "range",
    "noundef",
    "dereferenceable",
    "invariant.load",
    "invariant.group",
];
/// Attributes of functions that let floats be computed otherwise.
const OF_FLOATS: [&str; 8] = [
    "no-infs-fp-math",
    "no-nans-fp-math",
    "no-signed-zeros-fp-math",
    "approx-func-fp-math",
    "unsafe-fp-math",
    "denormal-fp-math",
    "denormal-fp-math-f32",
    "less-precise-fpmad",
];

/// Text attribute of functions, with a caveat in its name.
const MARK: &str = "labrys-caveat-";

/// Marks a function with something that its model does not show.
pub(crate) fn mark(module: &Module, function: Value<'_>, caveat: Caveat) {
    module.add_text_attribute(function, &format!("{MARK}{}", caveat.name()), "");
}

/// What the functions of a module are marked with.
pub(crate) fn marks(module: &Module) -> BTreeSet<Caveat> {
    let functions = module.functions();
    let has = |caveat: &Caveat| {
        let name = format!("{MARK}{}", caveat.name());
        let mut functions = functions.iter();
        functions.any(|function| module.has_text_attribute(*function, &name))
    };
    Caveat::ALL.iter().copied().filter(has).collect()
}

/// Takes the promises of a module back.
pub(crate) fn take_back(module: &Module) {
    for function in module.functions() {
        round_each_operation(module, function);
        for name in OF_FLOATS {
            module.remove_text_attribute(function, name);
        }
        module.remove_attribute(function, "mustprogress");
        let count = function.global_type().param_count();
        for index in 0..=count {
            for name in OF_VALUES {
                module.remove_value_attribute(function, index, name);
            }
        }
        for block in function.blocks() {
            for instruction in block.instructions() {
                of_instruction(module, instruction);
            }
        }
    }
}

fn of_instruction(module: &Module, instruction: Value<'_>) {
    use LLVMOpcode as O;
    let opcode = instruction.opcode();
    if matches!(
        opcode,
        O::LLVMLoad | O::LLVMStore | O::LLVMCall | O::LLVMInvoke
    ) {
        for name in OF_ACCESSES {
            module.remove_annotation(instruction, name);
        }
    }
    if !matches!(opcode, O::LLVMCall | O::LLVMInvoke) {
        return;
    }
    let called = instruction.called().name();
    if called.starts_with("llvm.assume") {
        return instruction.erase();
    }
    if called.starts_with("llvm.expect.with.probability") {
        // No build that is not optimized has instructions for it.
        instruction.replace_uses(instruction.operand(0));
        return instruction.erase();
    }
    let counts = ["llvm.ctlz.", "llvm.cttz.", "llvm.abs."];
    if counts.iter().any(|name| called.starts_with(name)) {
        // Zero, and the least number, are numbers like others.
        instruction.set_operand(1, module.const_int(1, 0));
    }
    for index in 0..=instruction.arguments().len() {
        for name in OF_VALUES {
            module.remove_argument_attribute(instruction, index, name);
        }
    }
}

/// Products and sums are rounded each; marks functions in which others may not do so.
fn round_each_operation(module: &Module, function: Value<'_>) {
    let features = module.text_attribute(function, "target-features");
    let can_fuse = features.is_some_and(|text| text.contains("+fma"));
    let (mut fused, mut free) = (false, false);
    for block in function.blocks() {
        for instruction in block.instructions() {
            let (fuses, otherwise) = instruction.float_freedom();
            fused |= fuses;
            free |= otherwise;
            let call = instruction.opcode() == LLVMOpcode::LLVMCall;
            if call && instruction.called().name().starts_with("llvm.fmuladd.") {
                fused = true;
                split(module, instruction);
            }
        }
    }
    if fused && can_fuse {
        mark(module, function, Caveat::FusedFloats);
    }
    if free {
        mark(module, function, Caveat::FreeFloats);
    }
}

/// `a × b + c` in two operations.
fn split(module: &Module, call: Value<'_>) {
    let builder = module.builder();
    builder.before(call);
    builder.locate_at(call);
    let [a, b, c] = [0, 1, 2].map(|index| call.operand(index));
    let product = builder.binary(LLVMOpcode::LLVMFMul, a, b);
    let sum = builder.binary(LLVMOpcode::LLVMFAdd, product, c);
    call.replace_uses(sum);
    call.erase();
}
