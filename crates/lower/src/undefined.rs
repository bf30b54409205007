//! Operations that have no result in C: a number that does not fit into an integer, `(int)1e10`, a
//! shift by the width or more. LLVM takes the result for poison, and a decision on it for one that no
//! run comes to, so that the code behind it goes anywhere. A build that is not optimized gives what
//! the processor answers, and goes on.
//!
//! Law: no decision, and no value that a pass sees, is poison by such an operation, whether clang
//! computed it or a pass does. It is frozen: some value, the same wherever it is used.

use crate::traps::is_trap;
use labrys_llvm::{Builder, LLVMOpcode, LLVMTypeKind, LLVMValueKind, Module, Value};

/// Freezes what clang has found undefined, and the results of operations that may be. They stay
/// frozen: a build may put a function in line, and see then that a number is too large.
pub(crate) fn freeze_results(module: &Module) {
    let builder = module.builder();
    for function in module.functions() {
        let blocks = function.blocks();
        let instructions = || blocks.iter().flat_map(|block| block.instructions());
        // Checks look at the distances of shifts.
        let checked = instructions().any(is_trap);
        for one in instructions() {
            freeze_operands(one, &builder);
            let may_be_undefined = is_conversion(one) || is_shift(one) && !checked;
            if let Some(next) = one.next().filter(|_| may_be_undefined && is_scalar(one)) {
                builder.before(next);
                builder.locate_at(one);
                let frozen = builder.freeze(one);
                one.replace_uses(frozen);
                frozen.set_operand(0, one);
            }
        }
    }
}

/// Freezes the operands of an instruction that are poison.
fn freeze_operands<'m>(one: Value<'m>, builder: &Builder<'m>) {
    use LLVMOpcode as O;
    // These build a value up from poison, or are what this is about.
    if matches!(
        one.opcode(),
        O::LLVMInsertValue | O::LLVMInsertElement | O::LLVMShuffleVector | O::LLVMFreeze
    ) {
        return;
    }
    if one.opcode() == O::LLVMPHI {
        for (index, (value, block)) in one.incoming().into_iter().enumerate() {
            if let Some(terminator) = block.terminator().filter(|_| is_poison(value)) {
                builder.before(terminator);
                builder.locate_at(terminator);
                one.set_operand(index, builder.freeze(value));
            }
        }
        return;
    }
    for (index, value) in one.operands().into_iter().enumerate() {
        if is_poison(value) {
            builder.before(one);
            builder.locate_at(one);
            one.set_operand(index, builder.freeze(value));
        }
    }
}

fn is_poison(value: Value<'_>) -> bool {
    value.kind() == LLVMValueKind::LLVMPoisonValueKind && is_scalar(value)
}

/// Vectors are taken apart later, and structures have no operations.
fn is_scalar(value: Value<'_>) -> bool {
    use LLVMTypeKind as K;
    matches!(
        value.ty().kind(),
        K::LLVMIntegerTypeKind
            | K::LLVMFloatTypeKind
            | K::LLVMDoubleTypeKind
            | K::LLVMX86_FP80TypeKind
            | K::LLVMPointerTypeKind
    )
}

/// Whether it makes an integer of a number that may not fit.
fn is_conversion(one: Value<'_>) -> bool {
    use LLVMOpcode as O;
    matches!(one.opcode(), O::LLVMFPToSI | O::LLVMFPToUI)
}

/// Whether it shifts by a distance that is no constant.
fn is_shift(one: Value<'_>) -> bool {
    use LLVMOpcode as O;
    let is_shift = matches!(one.opcode(), O::LLVMShl | O::LLVMLShr | O::LLVMAShr);
    is_shift && !one.operand(1).is_constant()
}
