//! A thin safe wrapper over the LLVM 19 C API: the only place, with
//! [`llvm_query`](crate::llvm_query), that calls it.
//!
//! Values, types and blocks borrow from their [`Module`], so none outlives it. Every module
//! lives in a context of its own.
//!
//! Invariant: a wrapped pointer is never null.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_uint};
use std::marker::PhantomData;
use std::path::Path;
use std::ptr;

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::bit_reader::LLVMParseBitcodeInContext2;
use llvm_sys::bit_writer::{LLVMWriteBitcodeToFile, LLVMWriteBitcodeToMemoryBuffer};
use llvm_sys::core::*;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::*;
use llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMSizeOfTypeInBits,
};
use llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPasses,
};
pub use llvm_sys::{
    LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind, LLVMValueKind,
};

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

/// Copies and frees a message that LLVM allocated.
unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::from("unknown LLVM error");
    }
    // SAFETY: LLVM hands out a NUL-terminated string that the caller must dispose of.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

impl Module {
    /// Reads a bitcode file.
    ///
    /// # Errors
    /// The file cannot be read or is not bitcode that LLVM 19 understands.
    pub fn read(path: &Path) -> Result<Self, LlvmError> {
        let bytes =
            std::fs::read(path).map_err(|e| LlvmError(format!("{}: {e}", path.display())))?;
        Self::from_bytes(&bytes, &path.to_string_lossy())
    }

    /// Reads bitcode from memory; `name` is for messages.
    ///
    /// # Errors
    /// The bytes are not bitcode that LLVM 19 understands.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self, LlvmError> {
        let name_c = c_string(name);
        // SAFETY: the buffer copies the bytes and is freed here; the context owns the module.
        // A diagnostic handler keeps LLVM from printing and exiting.
        unsafe {
            let context = LLVMContextCreate();
            let mut text = String::new();
            LLVMContextSetDiagnosticHandler(context, Some(keep_diagnostic), (&raw mut text).cast());
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                bytes.as_ptr().cast(),
                bytes.len(),
                name_c.as_ptr(),
            );
            let mut raw = ptr::null_mut();
            let failed = LLVMParseBitcodeInContext2(context, buffer, &raw mut raw) != 0;
            LLVMDisposeMemoryBuffer(buffer);
            LLVMContextSetDiagnosticHandler(context, None, ptr::null_mut());
            if failed {
                LLVMContextDispose(context);
                let why = if text.is_empty() {
                    "not LLVM 19 bitcode".into()
                } else {
                    text
                };
                return Err(LlvmError(format!("{name}: {why}")));
            }
            Ok(Module { context, raw })
        }
    }

    /// Writes the module as bitcode.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), LlvmError> {
        let name = c_string(&path.to_string_lossy());
        // SAFETY: the module is valid and the name NUL-terminated.
        let failed = unsafe { LLVMWriteBitcodeToFile(self.raw, name.as_ptr()) } != 0;
        if failed {
            return Err(LlvmError(format!(
                "{}: cannot write bitcode",
                path.display()
            )));
        }
        Ok(())
    }

    /// The module as bitcode.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        // SAFETY: the buffer is valid until disposed of.
        unsafe {
            let buffer = LLVMWriteBitcodeToMemoryBuffer(self.raw);
            let bytes = std::slice::from_raw_parts(
                LLVMGetBufferStart(buffer).cast::<u8>(),
                LLVMGetBufferSize(buffer),
            )
            .to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            bytes
        }
    }

    /// Runs a pipeline in the syntax of `opt -passes=`, on the module as it is.
    ///
    /// # Errors
    /// The pipeline does not parse.
    pub fn run_passes(&mut self, pipeline: &str) -> Result<(), LlvmError> {
        let passes = c_string(pipeline);
        // SAFETY: no target machine is needed for target-independent passes; null is allowed.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(self.raw, passes.as_ptr(), ptr::null_mut(), options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                return Ok(());
            }
            let message = LLVMGetErrorMessage(error);
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            Err(LlvmError(text))
        }
    }

    /// Links bitcode into this module.
    ///
    /// # Errors
    /// The bytes are not bitcode, or symbols clash.
    pub fn link_bytes(&mut self, bytes: &[u8], name: &str) -> Result<(), LlvmError> {
        let name_c = c_string(name);
        // SAFETY: the linked module is parsed into the same context; linking consumes it.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                bytes.as_ptr().cast(),
                bytes.len(),
                name_c.as_ptr(),
            );
            let mut other = ptr::null_mut();
            let failed = LLVMParseBitcodeInContext2(self.context, buffer, &raw mut other) != 0;
            LLVMDisposeMemoryBuffer(buffer);
            if failed || LLVMLinkModules2(self.raw, other) != 0 {
                return Err(LlvmError(format!(
                    "{name}: cannot be linked into the program"
                )));
            }
        }
        Ok(())
    }

    /// LLVM's own verifier.
    ///
    /// # Errors
    /// The module is not well-formed; the text says where.
    pub fn verify(&self) -> Result<(), LlvmError> {
        let mut message = ptr::null_mut();
        // SAFETY: the message is taken exactly once.
        unsafe {
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let failed = LLVMVerifyModule(self.raw, action, &raw mut message) != 0;
            let text = take_message(message);
            if failed { Err(LlvmError(text)) } else { Ok(()) }
        }
    }

    /// The module as text.
    #[must_use]
    pub fn to_text(&self) -> String {
        // SAFETY: the message is taken exactly once.
        unsafe { take_message(LLVMPrintModuleToString(self.raw)) }
    }

    /// Target triple.
    #[must_use]
    pub fn triple(&self) -> String {
        // SAFETY: the string belongs to the module.
        unsafe {
            CStr::from_ptr(LLVMGetTarget(self.raw))
                .to_string_lossy()
                .into_owned()
        }
    }

    /// Functions in module order, declarations included.
    #[must_use]
    pub fn functions(&self) -> Vec<Value<'_>> {
        // SAFETY: plain traversal of a valid module.
        unsafe { chain(LLVMGetFirstFunction(self.raw), |v| LLVMGetNextFunction(v)) }
    }

    /// Global variables in module order.
    #[must_use]
    pub fn globals(&self) -> Vec<Value<'_>> {
        // SAFETY: plain traversal of a valid module.
        unsafe { chain(LLVMGetFirstGlobal(self.raw), |v| LLVMGetNextGlobal(v)) }
    }

    /// The function of this name.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<Value<'_>> {
        let name = c_string(name);
        // SAFETY: null means "none".
        let raw = unsafe { LLVMGetNamedFunction(self.raw, name.as_ptr()) };
        (!raw.is_null()).then_some(Value(raw, PhantomData))
    }

    /// The global variable of this name.
    #[must_use]
    pub fn global(&self, name: &str) -> Option<Value<'_>> {
        let name = c_string(name);
        // SAFETY: null means "none".
        let raw = unsafe { LLVMGetNamedGlobal(self.raw, name.as_ptr()) };
        (!raw.is_null()).then_some(Value(raw, PhantomData))
    }

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

    /// Size in bytes of the structure that parameter `index` of `function` passes by value.
    #[must_use]
    pub fn by_value_size(&self, function: Value<'_>, index: usize) -> Option<u64> {
        // SAFETY: attribute index 0 is the result, parameters follow; null means "none".
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
            let attribute = LLVMGetEnumAttributeAtIndex(function.0, index as c_uint + 1, kind);
            (!attribute.is_null())
                .then(|| self.size_of(Type(LLVMGetTypeAttributeValue(attribute), PhantomData)))
        }
    }

    /// Adds an attribute to a function; `value` is 0 for those that have none.
    pub fn add_attribute(&self, function: Value<'_>, name: &str, value: u64) {
        // SAFETY: attribute index -1 is the function itself; an unknown name gives kind 0, which
        // is refused.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            assert!(kind != 0, "LLVM does not know the attribute {name}");
            let attribute = LLVMCreateEnumAttribute(self.context, kind, value);
            LLVMAddAttributeAtIndex(function.0, llvm_sys::LLVMAttributeFunctionIndex, attribute);
        }
    }

    /// Removes an attribute of a function, if it has it.
    pub fn remove_attribute(&self, function: Value<'_>, name: &str) {
        // SAFETY: as `add_attribute`.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let index = llvm_sys::LLVMAttributeFunctionIndex;
            LLVMRemoveEnumAttributeAtIndex(function.0, index, kind);
        }
    }

    /// Removes an attribute of a call, if it has it.
    pub fn remove_call_attribute(&self, call: Value<'_>, name: &str) {
        // SAFETY: as `add_attribute`, on a call instruction.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let index = llvm_sys::LLVMAttributeFunctionIndex;
            LLVMRemoveCallSiteEnumAttribute(call.0, index, kind);
        }
    }

    /// Whether a function has an attribute.
    #[must_use]
    pub fn has_attribute(&self, function: Value<'_>, name: &str) -> bool {
        // SAFETY: as `add_attribute`; null means "no".
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let index = llvm_sys::LLVMAttributeFunctionIndex;
            !LLVMGetEnumAttributeAtIndex(function.0, index, kind).is_null()
        }
    }

    /// Byte offset of element `index` of a struct type.
    #[must_use]
    pub fn element_offset(&self, ty: Type<'_>, index: u32) -> u64 {
        // SAFETY: callers pass a sized struct type and an index of it.
        unsafe { LLVMOffsetOfElement(LLVMGetModuleDataLayout(self.raw), ty.0, index) }
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

    /// A builder of this context.
    #[must_use]
    pub fn builder(&self) -> Builder<'_> {
        // SAFETY: the context is valid.
        Builder(
            unsafe { LLVMCreateBuilderInContext(self.context) },
            PhantomData,
        )
    }

    /// Size of a value of this type in memory, bytes.
    #[must_use]
    pub fn size_of(&self, ty: Type<'_>) -> u64 {
        // SAFETY: the type is sized (callers ask for loaded, stored or allocated types only).
        unsafe { LLVMABISizeOfType(LLVMGetModuleDataLayout(self.raw), ty.0) }
    }

    /// Size of a value of this type in bits.
    #[must_use]
    pub fn bits_of(&self, ty: Type<'_>) -> u64 {
        // SAFETY: as `size_of`.
        unsafe { LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(self.raw), ty.0) }
    }

    pub(crate) fn raw(&self) -> LLVMModuleRef {
        self.raw
    }
}

extern "C" fn keep_diagnostic(info: LLVMDiagnosticInfoRef, text: *mut std::ffi::c_void) {
    // SAFETY: `text` is the `String` that the parsing function registered and still owns.
    unsafe {
        let message = take_message(LLVMGetDiagInfoDescription(info));
        let text = &mut *text.cast::<String>();
        if text.is_empty() {
            *text = message;
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: the module belongs to the context; nothing that borrows from it is alive.
        unsafe {
            LLVMDisposeModule(self.raw);
            LLVMContextDispose(self.context);
        }
    }
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

impl<'m> Type<'m> {
    pub(crate) fn raw(self) -> LLVMTypeRef {
        self.0
    }

    pub(crate) fn wrap(raw: LLVMTypeRef) -> Self {
        Type(raw, PhantomData)
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

    /// The zero or null constant.
    #[must_use]
    pub fn zero(self) -> Value<'m> {
        // SAFETY: the type is a first-class type.
        Value(unsafe { LLVMConstNull(self.0) }, PhantomData)
    }
}

impl<'m> Block<'m> {
    pub(crate) fn raw(self) -> LLVMBasicBlockRef {
        self.0
    }

    pub(crate) fn wrap(raw: LLVMBasicBlockRef) -> Self {
        Block(raw, PhantomData)
    }

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

    /// A store.
    pub fn store(&self, value: Value<'m>, address: Value<'m>) {
        // SAFETY: the address is a pointer.
        unsafe { LLVMBuildStore(self.0, value.0, address.0) };
    }

    /// Element `index` of an aggregate value.
    #[must_use]
    pub fn extract_value(&self, aggregate: Value<'m>, index: u32) -> Value<'m> {
        // SAFETY: the index is one of the aggregate's.
        let raw = unsafe { LLVMBuildExtractValue(self.0, aggregate.0, index, c"".as_ptr()) };
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
