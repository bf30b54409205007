//! A thin safe wrapper over the LLVM 19 C API: the only place that calls it.
//!
//! Values, types and blocks borrow from their [`Module`], so none outlives it. Every module
//! lives in a context of its own.
//!
//! Invariant: a wrapped pointer is never null.

#![allow(unsafe_code)]

mod attribute;
mod builder;
mod change;
mod construct;
mod debug;
mod module;
mod records;
mod types;
mod value;

use std::ffi::{CStr, CString, c_char};
use std::marker::PhantomData;

pub use debug::{DebugNode, tag};
use llvm_sys::core::LLVMDisposeMessage;
use llvm_sys::prelude::*;
pub use llvm_sys::{
    LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind, LLVMValueKind,
};
pub use records::{DebugRecord, LoopStart};
pub use value::{AtomicOperation, DebugPlace, MemoryEffects};

/// An LLVM operation that failed, with LLVM's own message.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct LlvmError(pub String);

/// One module in a context of its own.
#[derive(Debug)]
pub struct Module {
    context: LLVMContextRef,
    raw: LLVMModuleRef,
}

/// A value: instruction, argument, constant, function or global.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value<'m>(LLVMValueRef, PhantomData<&'m Module>);

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type<'m>(LLVMTypeRef, PhantomData<&'m Module>);

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Block<'m>(LLVMBasicBlockRef, PhantomData<&'m Module>);

/// An insertion point for new instructions.
#[derive(Debug)]
pub struct Builder<'m>(LLVMBuilderRef, PhantomData<&'m Module>);

fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}

/// Follows `next` from `first` until null.
unsafe fn chain<'m>(
    first: LLVMValueRef,
    next: impl Fn(LLVMValueRef) -> LLVMValueRef,
) -> Vec<Value<'m>> {
    let mut found = Vec::new();
    let mut raw = first;
    while !raw.is_null() {
        found.push(Value(raw, PhantomData));
        raw = next(raw);
    }
    found
}

/// Copies a text of so many bytes.
///
/// # Safety
/// There are so many bytes; none are read where there is nothing.
unsafe fn text_of(text: *const c_char, length: usize) -> String {
    if text.is_null() || length == 0 {
        return String::new();
    }
    // SAFETY: as the caller promises.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Copies and frees a message.
///
/// # Safety
/// LLVM allocated the message, and nobody uses it any more; or it is null.
unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::from("unknown LLVM error");
    }
    // SAFETY: as the caller promises; the text ends with a zero byte.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}
