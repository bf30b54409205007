//! Questions to types and blocks.

#![allow(unsafe_code)]

use std::marker::PhantomData;

use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::{Block, LLVMTypeKind, Type, Value, chain, take_message};

impl<'m> Type<'m> {
    pub(crate) fn raw(self) -> LLVMTypeRef {
        self.0
    }

    /// What kind of type it is.
    #[must_use]
    pub fn kind(self) -> LLVMTypeKind {
        // SAFETY: the type is valid.
        unsafe { LLVMGetTypeKind(self.0) }
    }

    /// Width in bits if it is an integer type.
    #[must_use]
    pub fn int_width(self) -> Option<u32> {
        // SAFETY: the kind is checked first.
        (self.kind() == LLVMTypeKind::LLVMIntegerTypeKind)
            .then(|| unsafe { LLVMGetIntTypeWidth(self.0) })
    }

    /// Element types if it is a struct type.
    #[must_use]
    pub fn struct_elements(self) -> Vec<Type<'m>> {
        // SAFETY: the kind is checked first.
        unsafe {
            let count = LLVMCountStructElementTypes(self.0);
            (0..count)
                .map(|i| Type(LLVMStructGetTypeAtIndex(self.0, i), PhantomData))
                .collect()
        }
    }

    /// Element type of an array or vector type.
    #[must_use]
    pub fn element(self) -> Type<'m> {
        // SAFETY: callers have seen the kind.
        Type(unsafe { LLVMGetElementType(self.0) }, PhantomData)
    }

    /// Number of elements of an array type.
    #[must_use]
    pub fn array_len(self) -> u64 {
        // SAFETY: callers have seen the kind.
        unsafe { LLVMGetArrayLength2(self.0) }
    }

    /// Result type of a function type.
    #[must_use]
    pub fn function_result(self) -> Type<'m> {
        // SAFETY: callers have a function type.
        Type(unsafe { LLVMGetReturnType(self.0) }, PhantomData)
    }

    /// Whether a function type takes variable arguments.
    #[must_use]
    pub fn is_variadic(self) -> bool {
        // SAFETY: callers have a function type.
        unsafe { LLVMIsFunctionVarArg(self.0) != 0 }
    }

    /// Number of fixed parameters of a function type.
    #[must_use]
    pub fn param_count(self) -> usize {
        // SAFETY: callers have a function type.
        unsafe { LLVMCountParamTypes(self.0) as usize }
    }

    /// A value that is not defined.
    #[must_use]
    pub fn undefined(self) -> Value<'m> {
        // SAFETY: callers pass types of values.
        Value(unsafe { LLVMGetUndef(self.0) }, PhantomData)
    }

    /// The zero or null constant.
    #[must_use]
    pub fn zero(self) -> Value<'m> {
        // SAFETY: the type is a first-class type.
        Value(unsafe { LLVMConstNull(self.0) }, PhantomData)
    }

    /// The type as LLVM prints it.
    #[must_use]
    pub fn to_text(self) -> String {
        // SAFETY: the type is valid; the message is taken once.
        unsafe { take_message(LLVMPrintTypeToString(self.raw())) }
    }

    /// Whether values of the type have one size, known to the data layout.
    #[must_use]
    pub fn is_sized(self) -> bool {
        let scalable = self.kind() == LLVMTypeKind::LLVMScalableVectorTypeKind;
        // SAFETY: the type is valid.
        !scalable && unsafe { LLVMTypeIsSized(self.raw()) != 0 }
    }

    /// Address space of a pointer type; 0 for others.
    #[must_use]
    pub fn address_space(self) -> u32 {
        if self.kind() != LLVMTypeKind::LLVMPointerTypeKind {
            return 0;
        }
        // SAFETY: it is a pointer type.
        unsafe { LLVMGetPointerAddressSpace(self.raw()) }
    }

    /// Number of elements of a vector type of fixed length; 0 for others.
    #[must_use]
    pub fn vector_len(self) -> u32 {
        if self.kind() != LLVMTypeKind::LLVMVectorTypeKind {
            return 0;
        }
        // SAFETY: it is a vector type.
        unsafe { LLVMGetVectorSize(self.raw()) }
    }
}

impl<'m> Block<'m> {
    /// Instructions in order.
    #[must_use]
    pub fn instructions(self) -> Vec<Value<'m>> {
        // SAFETY: plain traversal.
        unsafe {
            chain(LLVMGetFirstInstruction(self.0), |v| {
                LLVMGetNextInstruction(v)
            })
        }
    }

    /// The function that the block is in.
    #[must_use]
    pub fn function(self) -> Value<'m> {
        // SAFETY: the block is in a function.
        Value::wrap(unsafe { LLVMGetBasicBlockParent(self.0) })
    }

    /// The first instruction behind the phis.
    #[must_use]
    pub fn first_after_phis(self) -> Option<Value<'m>> {
        let instructions = self.instructions().into_iter();
        let mut rest = instructions.skip_while(|i| i.opcode() == super::LLVMOpcode::LLVMPHI);
        rest.next()
    }

    /// The terminator, if the block is complete.
    #[must_use]
    pub fn terminator(self) -> Option<Value<'m>> {
        // SAFETY: null means "none".
        let raw = unsafe { LLVMGetBasicBlockTerminator(self.0) };
        (!raw.is_null()).then_some(Value(raw, PhantomData))
    }

    /// Successor blocks in the terminator's order.
    #[must_use]
    pub fn successors(self) -> Vec<Block<'m>> {
        let Some(end) = self.terminator() else {
            return Vec::new();
        };
        // SAFETY: the index is below the count.
        unsafe {
            (0..LLVMGetNumSuccessors(end.0))
                .map(|i| Block(LLVMGetSuccessor(end.0, i), PhantomData))
                .collect()
        }
    }
}
