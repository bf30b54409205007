//! Changes of values in place.

#![allow(unsafe_code)]

use std::ffi::c_uint;
use std::marker::PhantomData;

use llvm_sys::comdat::LLVMSetComdat;
use llvm_sys::core::*;
use llvm_sys::{LLVMFastMathNone, LLVMVisibility};

use super::{Block, LLVMLinkage, LLVMOpcode, Value};

impl<'m> Value<'m> {
    /// Sets the linkage of a function or global variable.
    pub fn set_linkage(self, linkage: LLVMLinkage) {
        // SAFETY: callers pass globals.
        unsafe { LLVMSetLinkage(self.0, linkage) }
    }

    /// Keeps a function or variable out of the table of the dynamic linker.
    pub fn hide(self) {
        // SAFETY: callers pass globals.
        unsafe { LLVMSetVisibility(self.0, LLVMVisibility::LLVMHiddenVisibility) }
    }

    /// Keeps other definitions from standing for a function or variable where it is linked
    /// dynamically.
    pub fn protect(self) {
        // SAFETY: callers pass globals.
        unsafe { LLVMSetVisibility(self.0, LLVMVisibility::LLVMProtectedVisibility) }
    }

    /// Gives a function or variable another name.
    pub fn rename(self, name: &str) {
        // SAFETY: the name is `len` bytes long and copied.
        unsafe { LLVMSetValueName2(self.0, name.as_ptr().cast(), name.len()) }
    }

    /// Sets the initializer of a global variable.
    pub fn set_initializer(self, value: Value<'m>) {
        // SAFETY: the value has the variable's type.
        unsafe { LLVMSetInitializer(self.0, value.0) }
    }

    /// Makes a global variable one that is defined elsewhere.
    pub fn remove_initializer(self) {
        // SAFETY: callers pass global variables; null is "none".
        unsafe { LLVMSetInitializer(self.0, std::ptr::null_mut()) }
    }

    /// Puts a function or variable into another section.
    pub fn set_section(self, name: &str) {
        let name = std::ffi::CString::new(name).unwrap_or_default();
        // SAFETY: callers pass global objects; the name is copied.
        unsafe { LLVMSetSection(self.0, name.as_ptr()) }
    }

    /// Takes a function or variable out of its comdat, if it is in one.
    pub fn leave_group(self) {
        // SAFETY: callers pass global objects; null is "none".
        unsafe { LLVMSetComdat(self.0, std::ptr::null_mut()) }
    }

    /// Sets the alignment of a global variable or `alloca`, bytes.
    pub fn set_alignment(self, bytes: u32) {
        // SAFETY: callers pass global variables, allocas and powers of two.
        unsafe { LLVMSetAlignment(self.0, bytes) }
    }

    /// Makes an instruction's result defined where flags let LLVM assume that overflow, lost
    /// bits, addresses outside an object, or infinite numbers do not occur.
    pub fn clear_poison_flags(self) {
        use LLVMOpcode as O;
        // SAFETY: each flag exists on the opcodes for which it is cleared.
        unsafe {
            match self.opcode() {
                O::LLVMAdd | O::LLVMSub | O::LLVMMul | O::LLVMShl | O::LLVMTrunc => {
                    LLVMSetNSW(self.0, 0);
                    LLVMSetNUW(self.0, 0);
                }
                O::LLVMUDiv | O::LLVMSDiv | O::LLVMLShr | O::LLVMAShr => LLVMSetExact(self.0, 0),
                O::LLVMGetElementPtr => LLVMGEPSetNoWrapFlags(self.0, 0),
                O::LLVMZExt | O::LLVMUIToFP => LLVMSetNNeg(self.0, 0),
                O::LLVMOr => LLVMSetIsDisjoint(self.0, 0),
                _ if LLVMCanValueUseFastMathFlags(self.0) != 0 => {
                    LLVMSetFastMathFlags(self.0, LLVMFastMathNone);
                }
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

    /// A copy of an instruction that is in no block yet.
    #[must_use]
    pub fn duplicate(self) -> Value<'m> {
        // SAFETY: callers pass instructions.
        Value(unsafe { LLVMInstructionClone(self.0) }, PhantomData)
    }

    /// Takes an instruction out of its block.
    pub fn detach(self) {
        // SAFETY: callers pass instructions that are in a block, and put them into another.
        unsafe { LLVMInstructionRemoveFromParent(self.0) }
    }

    /// Replaces successor `index` of a terminator.
    pub fn set_successor(self, index: usize, block: Block<'m>) {
        // SAFETY: the index is one of the terminator's.
        unsafe { LLVMSetSuccessor(self.0, index as c_uint, block.0) }
    }

    /// Takes an instruction out of its block and frees it; it must have no uses left.
    pub fn erase(self) {
        // SAFETY: callers pass instructions that are in a block, and forget them.
        unsafe { LLVMInstructionEraseFromParent(self.0) }
    }

    /// Replaces all uses by another value of the same type.
    pub fn replace_uses(self, by: Value<'m>) {
        // SAFETY: the caller keeps types equal.
        unsafe { LLVMReplaceAllUsesWith(self.0, by.0) }
    }

    /// Whether anything refers to a function or variable.
    #[must_use]
    pub fn is_used(self) -> bool {
        // SAFETY: the value is valid; null means that there is no use.
        unsafe { !LLVMGetFirstUse(self.0).is_null() }
    }

    /// Forgets where a function stands in the source: what describes a declaration may not
    /// describe a definition.
    pub fn forget_place(self) {
        // SAFETY: callers pass functions; null is "none".
        unsafe { llvm_sys::debuginfo::LLVMSetSubprogram(self.0, std::ptr::null_mut()) }
    }

    /// Removes a function that nothing refers to. The value is not to be used again.
    pub fn delete_function(self) {
        assert!(!self.is_used(), "{} is in use", self.name());
        // SAFETY: callers pass functions; nothing refers to this one.
        unsafe { LLVMDeleteFunction(self.0) }
    }
}

impl Value<'_> {
    /// Removes a global variable that nothing refers to. The value is not to be used again.
    pub fn delete_global(self) {
        assert!(!self.is_used(), "{} is in use", self.name());
        // SAFETY: callers pass global variables; nothing refers to this one.
        unsafe { LLVMDeleteGlobal(self.0) }
    }
}

impl<'m> Block<'m> {
    /// A new block behind all others of the same function.
    #[must_use]
    pub fn append_sibling(self) -> Block<'m> {
        // SAFETY: the block is in a function, which is in a context.
        unsafe {
            let function = LLVMGetBasicBlockParent(self.0);
            let context = LLVMGetTypeContext(LLVMTypeOf(function));
            let block = LLVMAppendBasicBlockInContext(context, function, c"".as_ptr());
            Block(block, PhantomData)
        }
    }

    /// Removes a block. Nothing refers to it or its instructions any more.
    pub fn delete(self) {
        // SAFETY: by the contract above.
        unsafe { LLVMDeleteBasicBlock(self.0) }
    }
}
