//! Questions to values.

#![allow(unsafe_code)]

use std::ffi::c_uint;
use std::marker::PhantomData;

use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::{
    Block, LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMRealPredicate, LLVMValueKind, Type, Value,
};

impl<'m> Value<'m> {
    pub(crate) fn raw(self) -> LLVMValueRef {
        self.0
    }

    pub(crate) fn wrap(raw: LLVMValueRef) -> Self {
        Value(raw, PhantomData)
    }

    /// Its type.
    #[must_use]
    pub fn ty(self) -> Type<'m> {
        // SAFETY: every value has a type.
        Type(unsafe { LLVMTypeOf(self.0) }, PhantomData)
    }

    /// What kind of value it is.
    #[must_use]
    pub fn kind(self) -> LLVMValueKind {
        // SAFETY: the value is valid.
        unsafe { LLVMGetValueKind(self.0) }
    }

    /// Its name, empty if it has none.
    #[must_use]
    pub fn name(self) -> String {
        let mut len = 0;
        // SAFETY: the bytes belong to the value and are `len` long.
        unsafe {
            let start = LLVMGetValueName2(self.0, &raw mut len);
            String::from_utf8_lossy(std::slice::from_raw_parts(start.cast(), len)).into_owned()
        }
    }

    /// Opcode of an instruction.
    #[must_use]
    pub fn opcode(self) -> LLVMOpcode {
        // SAFETY: callers pass instructions.
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    /// Whether it is an instruction.
    #[must_use]
    pub fn is_instruction(self) -> bool {
        self.kind() == LLVMValueKind::LLVMInstructionValueKind
    }

    /// Whether it is a constant (functions and globals included).
    #[must_use]
    pub fn is_constant(self) -> bool {
        // SAFETY: the value is valid.
        unsafe { LLVMIsConstant(self.0) != 0 }
    }

    /// Operands in order.
    #[must_use]
    pub fn operands(self) -> Vec<Value<'m>> {
        (0..self.operand_count()).map(|i| self.operand(i)).collect()
    }

    /// Number of operands.
    #[must_use]
    pub fn operand_count(self) -> usize {
        // SAFETY: callers pass users (instructions, constants).
        unsafe { LLVMGetNumOperands(self.0) as usize }
    }

    /// Operand `index`, which must be below [`Value::operand_count`].
    #[must_use]
    pub fn operand(self, index: usize) -> Value<'m> {
        debug_assert!(index < self.operand_count());
        // SAFETY: the index is in range.
        Value(
            unsafe { LLVMGetOperand(self.0, index as c_uint) },
            PhantomData,
        )
    }

    /// Value of an integer constant of at most 64 bits, zero-extended.
    #[must_use]
    pub fn const_int_value(self) -> Option<u64> {
        let small = self.ty().int_width().is_some_and(|w| w <= 64);
        (self.kind() == LLVMValueKind::LLVMConstantIntValueKind && small)
            // SAFETY: kind and width are checked.
            .then(|| unsafe { LLVMConstIntGetZExtValue(self.0) })
    }

    /// Predicate of an integer comparison.
    #[must_use]
    pub fn int_predicate(self) -> LLVMIntPredicate {
        // SAFETY: callers pass integer comparisons.
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    /// Predicate of a floating comparison.
    #[must_use]
    pub fn real_predicate(self) -> LLVMRealPredicate {
        // SAFETY: callers pass floating comparisons.
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }

    /// Blocks of a function, in order; empty for a declaration.
    #[must_use]
    pub fn blocks(self) -> Vec<Block<'m>> {
        let mut found = Vec::new();
        // SAFETY: callers pass functions.
        let mut block = unsafe { LLVMGetFirstBasicBlock(self.0) };
        while !block.is_null() {
            found.push(Block(block, PhantomData));
            // SAFETY: the block is valid.
            block = unsafe { LLVMGetNextBasicBlock(block) };
        }
        found
    }

    /// Parameters of a function.
    #[must_use]
    pub fn params(self) -> Vec<Value<'m>> {
        // SAFETY: callers pass functions; the index is in range.
        unsafe {
            (0..LLVMCountParams(self.0))
                .map(|i| Value(LLVMGetParam(self.0, i), PhantomData))
                .collect()
        }
    }

    /// Whether a function or global has no body or initializer here.
    #[must_use]
    pub fn is_declaration(self) -> bool {
        // SAFETY: callers pass globals.
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    /// Type of a function or global variable (not the pointer to it).
    #[must_use]
    pub fn global_type(self) -> Type<'m> {
        // SAFETY: callers pass globals.
        Type(unsafe { LLVMGlobalGetValueType(self.0) }, PhantomData)
    }

    /// Whether a global variable is constant.
    #[must_use]
    pub fn is_constant_global(self) -> bool {
        // SAFETY: callers pass global variables.
        unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    /// Initializer of a global variable.
    #[must_use]
    pub fn initializer(self) -> Option<Value<'m>> {
        // SAFETY: null means "none".
        let raw = unsafe { LLVMGetInitializer(self.0) };
        (!raw.is_null()).then_some(Value(raw, PhantomData))
    }

    /// Linkage of a function or global variable.
    #[must_use]
    pub fn linkage(self) -> LLVMLinkage {
        // SAFETY: callers pass globals.
        unsafe { LLVMGetLinkage(self.0) }
    }

    /// Called operand of a call.
    #[must_use]
    pub fn called(self) -> Value<'m> {
        // SAFETY: callers pass calls.
        Value(unsafe { LLVMGetCalledValue(self.0) }, PhantomData)
    }

    /// Function type of a call.
    #[must_use]
    pub fn called_type(self) -> Type<'m> {
        // SAFETY: callers pass calls.
        Type(unsafe { LLVMGetCalledFunctionType(self.0) }, PhantomData)
    }

    /// Arguments of a call.
    #[must_use]
    pub fn arguments(self) -> Vec<Value<'m>> {
        // SAFETY: callers pass calls.
        let count = unsafe { LLVMGetNumArgOperands(self.0) } as usize;
        (0..count).map(|i| self.operand(i)).collect()
    }

    /// Type allocated by an `alloca`.
    #[must_use]
    pub fn allocated_type(self) -> Type<'m> {
        // SAFETY: callers pass allocas.
        Type(unsafe { LLVMGetAllocatedType(self.0) }, PhantomData)
    }

    /// Source element type of a `getelementptr`.
    #[must_use]
    pub fn gep_source_type(self) -> Type<'m> {
        // SAFETY: callers pass geps.
        Type(unsafe { LLVMGetGEPSourceElementType(self.0) }, PhantomData)
    }

    /// Indices of an `extractvalue` or `insertvalue`.
    #[must_use]
    pub fn indices(self) -> Vec<u32> {
        // SAFETY: callers pass such instructions; the array belongs to them.
        unsafe {
            let count = LLVMGetNumIndices(self.0) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.0), count).to_vec()
        }
    }

    /// Incoming `(value, block)` pairs of a phi.
    #[must_use]
    pub fn incoming(self) -> Vec<(Value<'m>, Block<'m>)> {
        // SAFETY: callers pass phis; the index is in range.
        unsafe {
            (0..LLVMCountIncoming(self.0))
                .map(|i| {
                    let value = Value(LLVMGetIncomingValue(self.0, i), PhantomData);
                    (value, Block(LLVMGetIncomingBlock(self.0, i), PhantomData))
                })
                .collect()
        }
    }

    /// Whether a branch is conditional.
    #[must_use]
    pub fn is_conditional(self) -> bool {
        // SAFETY: callers pass `br` instructions.
        unsafe { LLVMIsConditional(self.0) != 0 }
    }

    /// Block that contains an instruction.
    #[must_use]
    pub fn parent(self) -> Block<'m> {
        // SAFETY: callers pass inserted instructions.
        Block(unsafe { LLVMGetInstructionParent(self.0) }, PhantomData)
    }

    /// Next instruction of the block.
    #[must_use]
    pub fn next(self) -> Option<Value<'m>> {
        // SAFETY: null means "none".
        let raw = unsafe { LLVMGetNextInstruction(self.0) };
        (!raw.is_null()).then_some(Value(raw, PhantomData))
    }

    /// Previous instruction of the block.
    #[must_use]
    pub fn previous(self) -> Option<Value<'m>> {
        // SAFETY: null means "none".
        let raw = unsafe { LLVMGetPreviousInstruction(self.0) };
        (!raw.is_null()).then_some(Value(raw, PhantomData))
    }

    /// Whether it is a call that must be a tail call.
    #[must_use]
    pub fn is_musttail(self) -> bool {
        self.opcode() == LLVMOpcode::LLVMCall
            // SAFETY: it is a call.
            && unsafe { LLVMGetTailCallKind(self.0) }
                == llvm_sys::LLVMTailCallKind::LLVMTailCallKindMustTail
    }

    /// Whether argument `index` of a call is a structure passed by value.
    #[must_use]
    pub fn is_by_value_argument(self, index: usize) -> bool {
        // SAFETY: callers pass calls; null means "no".
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
            !LLVMGetCallSiteEnumAttribute(self.0, index as c_uint + 1, kind).is_null()
        }
    }

    /// Value of an integer constant of at most 64 bits, sign-extended.
    #[must_use]
    pub fn const_int_signed(self) -> Option<i64> {
        self.const_int_value()
            // SAFETY: it is an integer constant.
            .map(|_| unsafe { LLVMConstIntGetSExtValue(self.0) })
    }

    /// Whether a global variable is thread-local.
    #[must_use]
    pub fn is_thread_local(self) -> bool {
        // SAFETY: callers pass global variables.
        unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }
}
