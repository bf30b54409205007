//! New instructions.

#![allow(unsafe_code)]

use std::ffi::c_uint;
use std::marker::PhantomData;

use llvm_sys::core::*;
use llvm_sys::debuginfo::{
    LLVMDIBuilderCreateDebugLocation, LLVMGetSubprogram, LLVMInstructionGetDebugLoc,
};
use llvm_sys::prelude::*;

use super::{Block, Builder, LLVMIntPredicate, LLVMOpcode, Module, Type, Value};

impl<'m> Builder<'m> {
    /// New instructions go before this one.
    pub fn before(&self, instruction: Value<'m>) {
        // SAFETY: the instruction is in a block.
        unsafe { LLVMPositionBuilderBefore(self.0, instruction.0) }
    }

    /// New instructions go to the end of this block.
    pub fn at_end(&self, block: Block<'m>) {
        // SAFETY: the block is valid.
        unsafe { LLVMPositionBuilderAtEnd(self.0, block.0) }
    }

    /// New instructions have the source position of this one.
    pub fn locate_at(&self, instruction: Value<'m>) {
        // SAFETY: an instruction without a position gives null, which means "none".
        unsafe {
            let place = LLVMInstructionGetDebugLoc(instruction.0);
            LLVMSetCurrentDebugLocation2(self.0, place);
        }
    }

    /// New instructions have a source position in this function, but no line, if debug information
    /// knows the function.
    pub fn locate_in(&self, module: &'m Module, function: Value<'m>) {
        // SAFETY: null is a function without debug information; the scope is of the same context.
        unsafe {
            let scope = LLVMGetSubprogram(function.0);
            if !scope.is_null() {
                let none = std::ptr::null_mut();
                let place = LLVMDIBuilderCreateDebugLocation(module.context, 0, 0, scope, none);
                LLVMSetCurrentDebugLocation2(self.0, place);
            }
        }
    }

    /// Goes on at another block.
    pub fn jump(&self, to: Block<'m>) {
        // SAFETY: the block is in the builder's function.
        unsafe { LLVMBuildBr(self.0, to.0) };
    }

    /// Says that control does not get here.
    pub fn unreachable(&self) {
        // SAFETY: the builder stands at the end of a block without terminator.
        unsafe { LLVMBuildUnreachable(self.0) };
    }

    /// Puts a detached instruction in.
    pub fn insert(&self, instruction: Value<'m>) {
        // SAFETY: the instruction is in no block.
        unsafe { LLVMInsertIntoBuilder(self.0, instruction.0) }
    }

    /// A variable on the stack.
    #[must_use]
    pub fn named_variable(&self, ty: Type<'m>, name: &str) -> Value<'m> {
        let name = super::c_string(name);
        // SAFETY: the type is sized.
        Value(
            unsafe { LLVMBuildAlloca(self.0, ty.0, name.as_ptr()) },
            PhantomData,
        )
    }

    /// A branch.
    pub fn branch(&self, condition: Value<'m>, to: Block<'m>, otherwise: Block<'m>) {
        // SAFETY: the blocks are of this function.
        unsafe { LLVMBuildCondBr(self.0, condition.0, to.0, otherwise.0) };
    }

    /// A branch whose condition hardly ever holds.
    pub fn unlikely(&self, condition: Value<'m>, to: Block<'m>, otherwise: Block<'m>) {
        // SAFETY: the blocks are of this function; the metadata is `{"branch_weights", 1, 2000}`.
        unsafe {
            let branch = LLVMBuildCondBr(self.0, condition.0, to.0, otherwise.0);
            let context = LLVMGetTypeContext(LLVMTypeOf(condition.0));
            let int = LLVMInt32TypeInContext(context);
            let number = |n| LLVMValueAsMetadata(LLVMConstInt(int, n, 0));
            let name = c"branch_weights";
            let name = LLVMMDStringInContext2(context, name.as_ptr(), name.count_bytes());
            let mut parts = [name, number(1), number(2000)];
            let node = LLVMMDNodeInContext2(context, parts.as_mut_ptr(), parts.len());
            let kind = LLVMGetMDKindIDInContext(context, c"prof".as_ptr(), 4);
            LLVMSetMetadata(branch, kind, LLVMMetadataAsValue(context, node));
        }
    }

    /// Any fixed value where LLVM might take a value for anything.
    #[must_use]
    pub fn freeze(&self, value: Value<'m>) -> Value<'m> {
        // SAFETY: the value is of this function.
        Value(
            unsafe { LLVMBuildFreeze(self.0, value.0, c"".as_ptr()) },
            PhantomData,
        )
    }

    /// Calls a function.
    #[must_use]
    pub fn call(&self, function: Value<'m>, arguments: &[Value<'m>]) -> Value<'m> {
        let mut raw: Vec<LLVMValueRef> = arguments.iter().map(|v| v.0).collect();
        // SAFETY: arguments match the function's type (LLVM's verifier checks the result).
        let raw = unsafe {
            LLVMBuildCall2(
                self.0,
                function.global_type().0,
                function.0,
                raw.as_mut_ptr(),
                raw.len() as c_uint,
                c"".as_ptr(),
            )
        };
        Value(raw, PhantomData)
    }

    /// An empty phi.
    #[must_use]
    pub fn phi(&self, ty: Type<'m>) -> Value<'m> {
        // SAFETY: the builder stands at the start of a block.
        Value(
            unsafe { LLVMBuildPhi(self.0, ty.0, c"".as_ptr()) },
            PhantomData,
        )
    }

    /// `condition ? a : b`.
    #[must_use]
    pub fn select(&self, condition: Value<'m>, a: Value<'m>, b: Value<'m>) -> Value<'m> {
        // SAFETY: `a` and `b` have one type, the condition is `i1`.
        Value(
            unsafe { LLVMBuildSelect(self.0, condition.0, a.0, b.0, c"".as_ptr()) },
            PhantomData,
        )
    }

    /// A binary integer or floating operation.
    #[must_use]
    pub fn binary(&self, opcode: LLVMOpcode, a: Value<'m>, b: Value<'m>) -> Value<'m> {
        // SAFETY: operands have one type that the opcode takes.
        Value(
            unsafe { LLVMBuildBinOp(self.0, opcode, a.0, b.0, c"".as_ptr()) },
            PhantomData,
        )
    }

    /// An integer comparison.
    #[must_use]
    pub fn compare(&self, predicate: LLVMIntPredicate, a: Value<'m>, b: Value<'m>) -> Value<'m> {
        // SAFETY: operands have one type.
        Value(
            unsafe { LLVMBuildICmp(self.0, predicate, a.0, b.0, c"".as_ptr()) },
            PhantomData,
        )
    }

    /// A cast.
    #[must_use]
    pub fn cast(&self, opcode: LLVMOpcode, value: Value<'m>, to: Type<'m>) -> Value<'m> {
        // SAFETY: the cast is valid for the types.
        Value(
            unsafe { LLVMBuildCast(self.0, opcode, value.0, to.0, c"".as_ptr()) },
            PhantomData,
        )
    }

    /// A load.
    #[must_use]
    pub fn load(&self, ty: Type<'m>, address: Value<'m>) -> Value<'m> {
        // SAFETY: the address is a pointer.
        Value(
            unsafe { LLVMBuildLoad2(self.0, ty.0, address.0, c"".as_ptr()) },
            PhantomData,
        )
    }

    /// A variable on the stack.
    #[must_use]
    pub fn variable(&self, ty: Type<'m>) -> Value<'m> {
        // SAFETY: the type is sized.
        Value(
            unsafe { LLVMBuildAlloca(self.0, ty.0, c"".as_ptr()) },
            PhantomData,
        )
    }

    /// The end of a function with a result.
    pub fn ret(&self, value: Value<'m>) {
        // SAFETY: the value has the type of the function's result.
        unsafe { LLVMBuildRet(self.0, value.0) };
    }

    /// Return from a function without a result.
    pub fn ret_void(&self) {
        // SAFETY: the builder stands in a function without a result.
        unsafe { LLVMBuildRetVoid(self.0) };
    }

    /// A store.
    pub fn store(&self, value: Value<'m>, address: Value<'m>) {
        // SAFETY: the address is a pointer.
        unsafe { LLVMBuildStore(self.0, value.0, address.0) };
    }

    /// Reads memory, where and as often as the code says.
    #[must_use]
    pub fn volatile_load(&self, ty: Type<'m>, address: Value<'m>) -> Value<'m> {
        let load = self.load(ty, address);
        // SAFETY: the load is an instruction that can be volatile.
        unsafe { LLVMSetVolatile(load.0, 1) };
        load
    }

    /// Writes memory, where and as often as the code says.
    pub fn volatile_store(&self, value: Value<'m>, address: Value<'m>) {
        // SAFETY: the address is a pointer, and the store is an instruction that can be volatile.
        unsafe { LLVMSetVolatile(LLVMBuildStore(self.0, value.0, address.0), 1) };
    }

    /// Element `index` of an aggregate value.
    #[must_use]
    pub fn extract_value(&self, aggregate: Value<'m>, index: u32) -> Value<'m> {
        // SAFETY: the index is one of the aggregate's.
        let raw = unsafe { LLVMBuildExtractValue(self.0, aggregate.0, index, c"".as_ptr()) };
        Value(raw, PhantomData)
    }

    /// Element `index` of a vector.
    #[must_use]
    pub fn extract_element(&self, vector: Value<'m>, index: Value<'m>) -> Value<'m> {
        // SAFETY: the first is a vector, the second an integer.
        let raw = unsafe { LLVMBuildExtractElement(self.0, vector.0, index.0, c"".as_ptr()) };
        Value(raw, PhantomData)
    }

    /// A vector with another element `index`.
    #[must_use]
    pub fn insert_element(
        &self,
        vector: Value<'m>,
        element: Value<'m>,
        index: Value<'m>,
    ) -> Value<'m> {
        // SAFETY: the element has the type of the vector's elements, the index is an integer.
        let raw =
            unsafe { LLVMBuildInsertElement(self.0, vector.0, element.0, index.0, c"".as_ptr()) };
        Value(raw, PhantomData)
    }

    /// Address of element `index` of an array of `element`s.
    #[must_use]
    pub fn element_address(
        &self,
        element: Type<'m>,
        base: Value<'m>,
        index: Value<'m>,
    ) -> Value<'m> {
        let mut index = index.0;
        // SAFETY: one integer index.
        let raw =
            unsafe { LLVMBuildGEP2(self.0, element.0, base.0, &raw mut index, 1, c"".as_ptr()) };
        Value(raw, PhantomData)
    }
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        // SAFETY: the builder is not used again.
        unsafe { LLVMDisposeBuilder(self.0) }
    }
}
