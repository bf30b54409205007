//! Slots: variables on the stack that hold SSA values between blocks.
//!
//! With all values that live in several blocks in slots, control can change from one version of
//! a block to another at every edge ([`shape`](super::shape)). LLVM makes registers of them again.

use labrys_llvm::{LLVMOpcode, LlvmError, Module, Value};

/// Part of the name that LLVM gives to slots.
pub(super) const SLOT: &str = ".reg2mem";

/// Moves values that live in several blocks to slots.
pub(super) fn move_to_slots(module: &mut Module) -> Result<(), LlvmError> {
    for function in module.functions() {
        module.remove_attribute(function, "optnone");
    }
    // Left to `reg2mem`, splitting edges would keep a dominator tree up to date, in quadratic time.
    module.run_passes("function(break-crit-edges)")?;
    module.run_passes("function(reg2mem)")
}

/// Whether a value is the address of a slot.
pub(super) fn is_slot(value: Value<'_>) -> bool {
    value.is_instruction()
        && value.opcode() == LLVMOpcode::LLVMAlloca
        && value.name().contains(SLOT)
}
