//! Types, constants, declarations and definitions in a module.

#![allow(unsafe_code)]

use std::ffi::c_uint;
use std::marker::PhantomData;

use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::{Block, Builder, LLVMLinkage, LLVMTypeKind, Module, Type, Value, c_string};

impl Module {
    /// Declares a function, or finds it if it is there.
    #[must_use]
    pub fn declare<'m>(&'m self, name: &str, result: Type<'m>, params: &[Type<'m>]) -> Value<'m> {
        if let Some(found) = self.function(name) {
            return found;
        }
        let name = c_string(name);
        let mut raw: Vec<LLVMTypeRef> = params.iter().map(|t| t.0).collect();
        // SAFETY: types are of this context.
        unsafe {
            let ty = LLVMFunctionType(result.0, raw.as_mut_ptr(), raw.len() as c_uint, 0);
            Value(LLVMAddFunction(self.raw, name.as_ptr(), ty), PhantomData)
        }
    }

    /// A new block behind another.
    #[must_use]
    pub fn block_after<'m>(&'m self, block: Block<'m>) -> Block<'m> {
        // SAFETY: the block is in a function of this module.
        unsafe {
            let function = LLVMGetBasicBlockParent(block.0);
            let new = LLVMAppendBasicBlockInContext(self.context, function, c"".as_ptr());
            LLVMMoveBasicBlockAfter(new, block.0);
            Block(new, PhantomData)
        }
    }

    /// A new block at the end of a function.
    #[must_use]
    pub fn block_in<'m>(&'m self, function: Value<'m>) -> Block<'m> {
        // SAFETY: callers pass functions with a body.
        let raw = unsafe { LLVMAppendBasicBlockInContext(self.context, function.0, c"".as_ptr()) };
        Block(raw, PhantomData)
    }

    /// Declares an external variable, or finds it if it is there.
    #[must_use]
    pub fn declare_global<'m>(&'m self, name: &str, ty: Type<'m>) -> Value<'m> {
        if let Some(found) = self.global(name) {
            return found;
        }
        let name = c_string(name);
        // SAFETY: the type is of this context.
        Value(
            unsafe { LLVMAddGlobal(self.raw, ty.0, name.as_ptr()) },
            PhantomData,
        )
    }

    /// Defines a private constant with this initializer.
    #[must_use]
    pub fn define_constant<'m>(&'m self, name: &str, value: Value<'m>) -> Value<'m> {
        let name = c_string(name);
        // SAFETY: the initializer's type is the variable's.
        unsafe {
            let raw = LLVMAddGlobal(self.raw, LLVMTypeOf(value.0), name.as_ptr());
            LLVMSetInitializer(raw, value.0);
            LLVMSetGlobalConstant(raw, 1);
            LLVMSetLinkage(raw, LLVMLinkage::LLVMPrivateLinkage);
            Value(raw, PhantomData)
        }
    }

    /// Gives a declared function a body: one empty block. What debug information says of the
    /// declaration holds of no definition.
    #[must_use]
    pub fn define_body<'m>(&'m self, function: Value<'m>) -> Block<'m> {
        // SAFETY: the function is of this context and has no body.
        unsafe {
            LLVMGlobalClearMetadata(function.0);
            let raw = LLVMAppendBasicBlockInContext(self.context, function.0, c"".as_ptr());
            Block(raw, PhantomData)
        }
    }

    /// Defines a private constant that holds a string and its final zero.
    #[must_use]
    pub fn define_string(&self, text: &str) -> Value<'_> {
        let byte = self.int(8);
        let bytes = text.bytes().chain([0]);
        let values: Vec<Value<'_>> = bytes.map(|b| self.const_int(8, u64::from(b))).collect();
        self.define_constant("__labrys_text", self.const_array(byte, &values))
    }

    /// Integer type of `bits` bits.
    #[must_use]
    pub fn int(&self, bits: u32) -> Type<'_> {
        // SAFETY: any width up to 2^23 is valid.
        Type(
            unsafe { LLVMIntTypeInContext(self.context, bits) },
            PhantomData,
        )
    }

    /// The pointer type.
    #[must_use]
    pub fn pointer(&self) -> Type<'_> {
        // SAFETY: address space 0 exists.
        Type(
            unsafe { LLVMPointerTypeInContext(self.context, 0) },
            PhantomData,
        )
    }

    /// The void type.
    #[must_use]
    pub fn void(&self) -> Type<'_> {
        // SAFETY: the context is valid.
        Type(unsafe { LLVMVoidTypeInContext(self.context) }, PhantomData)
    }

    /// Array type.
    #[must_use]
    pub fn array<'m>(&'m self, element: Type<'m>, len: u64) -> Type<'m> {
        // SAFETY: the element type is sized.
        Type(unsafe { LLVMArrayType2(element.0, len) }, PhantomData)
    }

    /// Declares a function with the type of another.
    #[must_use]
    pub fn declare_like<'m>(&'m self, name: &str, other: Value<'m>) -> Value<'m> {
        if let Some(found) = self.function(name) {
            return found;
        }
        let name = c_string(name);
        // SAFETY: the type is a function type of this context.
        let raw = unsafe { LLVMAddFunction(self.raw, name.as_ptr(), other.global_type().0) };
        Value(raw, PhantomData)
    }

    /// Integer constant.
    #[must_use]
    pub fn const_int(&self, bits: u32, value: u64) -> Value<'_> {
        // SAFETY: the type is an integer type; higher bits are cut off.
        Value(
            unsafe { LLVMConstInt(self.int(bits).0, value, 0) },
            PhantomData,
        )
    }

    /// Zeros of a type.
    #[must_use]
    pub fn zero<'m>(&'m self, ty: Type<'m>) -> Value<'m> {
        // SAFETY: the caller's type is of this context.
        Value(unsafe { LLVMConstNull(ty.0) }, PhantomData)
    }

    /// Constant array of values of one type.
    #[must_use]
    pub fn const_array<'m>(&'m self, element: Type<'m>, values: &[Value<'m>]) -> Value<'m> {
        let mut raw: Vec<LLVMValueRef> = values.iter().map(|v| v.0).collect();
        // SAFETY: the caller's values have the element type.
        let raw = unsafe { LLVMConstArray2(element.0, raw.as_mut_ptr(), raw.len() as u64) };
        Value(raw, PhantomData)
    }

    /// Constant struct without padding rules of its own.
    #[must_use]
    pub fn const_struct<'m>(&'m self, values: &[Value<'m>]) -> Value<'m> {
        let mut raw: Vec<LLVMValueRef> = values.iter().map(|v| v.0).collect();
        // SAFETY: values are constants of this context.
        let raw = unsafe {
            LLVMConstStructInContext(self.context, raw.as_mut_ptr(), raw.len() as c_uint, 0)
        };
        Value(raw, PhantomData)
    }

    /// Constant array or struct of a type.
    #[must_use]
    pub fn const_aggregate<'m>(&'m self, ty: Type<'m>, values: &[Value<'m>]) -> Value<'m> {
        if ty.kind() != LLVMTypeKind::LLVMStructTypeKind {
            return self.const_array(ty.element(), values);
        }
        let mut raw: Vec<LLVMValueRef> = values.iter().map(|v| v.0).collect();
        // SAFETY: the caller's values are constants and have the types of the members.
        let raw = unsafe { LLVMConstNamedStruct(ty.0, raw.as_mut_ptr(), raw.len() as c_uint) };
        Value(raw, PhantomData)
    }

    /// A builder of this context.
    #[must_use]
    pub fn builder(&self) -> Builder<'_> {
        // SAFETY: the context is valid.
        Builder(
            unsafe { LLVMCreateBuilderInContext(self.context) },
            PhantomData,
        )
    }
}
