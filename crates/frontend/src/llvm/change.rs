//! Changes of values in place.

#![allow(unsafe_code)]

use std::ffi::c_uint;

use llvm_sys::core::*;

use super::{Block, LLVMLinkage, LLVMOpcode, Value};

impl<'m> Value<'m> {
    /// Sets the linkage of a function or global variable.
    pub fn set_linkage(self, linkage: LLVMLinkage) {
        // SAFETY: callers pass globals.
        unsafe { LLVMSetLinkage(self.0, linkage) }
    }

    /// Sets the initializer of a global variable.
    pub fn set_initializer(self, value: Value<'m>) {
        // SAFETY: the value has the variable's type.
        unsafe { LLVMSetInitializer(self.0, value.0) }
    }

    /// Sets the alignment of a global variable, bytes.
    pub fn set_alignment(self, bytes: u32) {
        // SAFETY: callers pass global variables and powers of two.
        unsafe { LLVMSetAlignment(self.0, bytes) }
    }

    /// Makes an instruction's result defined where flags let LLVM assume that overflow, lost
    /// bits or addresses outside an object do not occur.
    pub fn clear_poison_flags(self) {
        use LLVMOpcode as O;
        // SAFETY: each flag exists on the opcodes for which it is cleared.
        unsafe {
            match self.opcode() {
                O::LLVMAdd | O::LLVMSub | O::LLVMMul | O::LLVMShl => {
                    LLVMSetNSW(self.0, 0);
                    LLVMSetNUW(self.0, 0);
                }
                O::LLVMUDiv | O::LLVMSDiv | O::LLVMLShr | O::LLVMAShr => LLVMSetExact(self.0, 0),
                O::LLVMGetElementPtr => LLVMSetIsInBounds(self.0, 0),
                _ => {}
            }
        }
    }

    /// Replaces operand `index`.
    pub fn set_operand(self, index: usize, value: Value<'m>) {
        // SAFETY: the caller keeps types equal.
        unsafe { LLVMSetOperand(self.0, index as c_uint, value.0) }
    }

    /// Adds an incoming pair to a phi.
    pub fn add_incoming(self, value: Value<'m>, block: Block<'m>) {
        let (mut value, mut block) = (value.0, block.0);
        // SAFETY: one pair, valid for the call.
        unsafe { LLVMAddIncoming(self.0, &raw mut value, &raw mut block, 1) }
    }

    /// Replaces all uses by another value of the same type.
    pub fn replace_uses(self, by: Value<'m>) {
        // SAFETY: the caller keeps types equal.
        unsafe { LLVMReplaceAllUsesWith(self.0, by.0) }
    }
}
