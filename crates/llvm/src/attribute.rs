//! Attributes of functions and calls, and the layout of types.

#![allow(unsafe_code)]

use std::ffi::c_uint;
use std::marker::PhantomData;

use llvm_sys::core::*;
use llvm_sys::target::{
    LLVMABIAlignmentOfType, LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement,
    LLVMSizeOfTypeInBits, LLVMStoreSizeOfType,
};

use super::{Module, Type, Value};

impl Module {
    /// Size in bytes of the structure that parameter `index` of `function` passes by value.
    #[must_use]
    pub fn by_value_size(&self, function: Value<'_>, index: usize) -> Option<u64> {
        self.attribute_size(function, index, "byval")
    }

    /// Size in bytes of the result that a function writes behind parameter `index`.
    #[must_use]
    pub fn result_size(&self, function: Value<'_>, index: usize) -> Option<u64> {
        self.attribute_size(function, index, "sret")
    }

    /// Size of the type that an attribute of parameter `index` names.
    fn attribute_size(&self, function: Value<'_>, index: usize, name: &str) -> Option<u64> {
        // SAFETY: attribute index 0 is the result, parameters follow; null means "none"; callers
        // name attributes that have a type.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let attribute = LLVMGetEnumAttributeAtIndex(function.0, index as c_uint + 1, kind);
            (!attribute.is_null())
                .then(|| self.size_of(Type(LLVMGetTypeAttributeValue(attribute), PhantomData)))
        }
    }

    /// Whether parameter `index` of a function has an attribute without a value.
    #[must_use]
    pub fn has_parameter_attribute(&self, function: Value<'_>, index: usize, name: &str) -> bool {
        // SAFETY: as `attribute_size`; null means "no".
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            !LLVMGetEnumAttributeAtIndex(function.0, index as c_uint + 1, kind).is_null()
        }
    }

    /// Size in bytes of the structure that argument `index` of a call passes by value.
    #[must_use]
    pub fn by_value_argument_size(&self, call: Value<'_>, index: usize) -> Option<u64> {
        // SAFETY: as `attribute_size`, on a call instruction.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
            let attribute = LLVMGetCallSiteEnumAttribute(call.0, index as c_uint + 1, kind);
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

    /// Adds an attribute that LLVM's code generator knows by its text.
    pub fn add_text_attribute(&self, function: Value<'_>, name: &str, value: &str) {
        // SAFETY: as `add_attribute`; the texts are copied.
        unsafe {
            let (n, v) = (name.len() as c_uint, value.len() as c_uint);
            let (name, value) = (name.as_ptr().cast(), value.as_ptr().cast());
            let attribute = LLVMCreateStringAttribute(self.context, name, n, value, v);
            LLVMAddAttributeAtIndex(function.0, llvm_sys::LLVMAttributeFunctionIndex, attribute);
        }
    }

    /// Removes an attribute that is a text, if the function has it.
    pub fn remove_text_attribute(&self, function: Value<'_>, name: &str) {
        // SAFETY: as `add_attribute`.
        unsafe {
            let index = llvm_sys::LLVMAttributeFunctionIndex;
            let (text, length) = (name.as_ptr().cast(), name.len() as c_uint);
            LLVMRemoveStringAttributeAtIndex(function.0, index, text, length);
        }
    }

    /// Whether a function has an attribute that is a text.
    #[must_use]
    pub fn has_text_attribute(&self, function: Value<'_>, name: &str) -> bool {
        // SAFETY: as `add_attribute`; null means "no".
        unsafe {
            let index = llvm_sys::LLVMAttributeFunctionIndex;
            let (text, length) = (name.as_ptr().cast(), name.len() as c_uint);
            !LLVMGetStringAttributeAtIndex(function.0, index, text, length).is_null()
        }
    }

    /// The text of an attribute of a function; `None` if it has none of this name.
    #[must_use]
    pub fn text_attribute(&self, function: Value<'_>, name: &str) -> Option<String> {
        // SAFETY: as `add_attribute`; the text belongs to the attribute and is so long.
        unsafe {
            let index = llvm_sys::LLVMAttributeFunctionIndex;
            let (text, length) = (name.as_ptr().cast(), name.len() as c_uint);
            let attribute = LLVMGetStringAttributeAtIndex(function.0, index, text, length);
            (!attribute.is_null()).then(|| {
                let mut length = 0;
                let text = LLVMGetStringAttributeValue(attribute, &raw mut length);
                super::text_of(text, length as usize)
            })
        }
    }

    /// Removes an attribute of the result (0) or of a parameter (from 1 on) of a function.
    pub fn remove_value_attribute(&self, function: Value<'_>, index: usize, name: &str) {
        // SAFETY: as `add_attribute`.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            LLVMRemoveEnumAttributeAtIndex(function.0, index as c_uint, kind);
        }
    }

    /// Removes an attribute of the result (0) or of an argument (from 1 on) of a call.
    pub fn remove_argument_attribute(&self, call: Value<'_>, index: usize, name: &str) {
        // SAFETY: as `add_attribute`, on a call instruction.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            LLVMRemoveCallSiteEnumAttribute(call.0, index as c_uint, kind);
        }
    }

    /// Removes what an instruction is annotated with under this name.
    pub fn remove_annotation(&self, instruction: Value<'_>, name: &str) {
        // SAFETY: callers pass instructions; null removes.
        unsafe {
            let (text, length) = (name.as_ptr().cast(), name.len() as c_uint);
            let kind = LLVMGetMDKindIDInContext(self.context, text, length);
            LLVMSetMetadata(instruction.0, kind, std::ptr::null_mut());
        }
    }

    /// Adds an attribute without a value to an argument of a call, counted from 0.
    pub fn add_argument_attribute(&self, call: Value<'_>, argument: usize, name: &str) {
        // SAFETY: as `add_attribute`, on a call instruction that has the argument.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            assert!(kind != 0, "LLVM does not know the attribute {name}");
            let attribute = LLVMCreateEnumAttribute(self.context, kind, 0);
            LLVMAddCallSiteAttribute(call.0, argument as c_uint + 1, attribute);
        }
    }

    /// Adds an attribute without a value to a call.
    pub fn add_call_attribute(&self, call: Value<'_>, name: &str) {
        // SAFETY: as `add_attribute`, on a call instruction.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            assert!(kind != 0, "LLVM does not know the attribute {name}");
            let attribute = LLVMCreateEnumAttribute(self.context, kind, 0);
            LLVMAddCallSiteAttribute(call.0, llvm_sys::LLVMAttributeFunctionIndex, attribute);
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

    /// Whether a function's narrow result comes with its upper bits zero.
    #[must_use]
    pub fn returns_zero_extended(&self, function: Value<'_>) -> bool {
        // SAFETY: as `has_attribute`; attribute index 0 is the result.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"zeroext".as_ptr(), 7);
            !LLVMGetEnumAttributeAtIndex(function.0, 0, kind).is_null()
        }
    }

    /// Gives an access or call the type, for alias analysis, that another access has.
    pub fn copy_alias_type(&self, from: Value<'_>, to: Value<'_>) {
        // SAFETY: both are instructions of this context; null metadata means "any type".
        unsafe {
            let kind = LLVMGetMDKindIDInContext(self.context, c"tbaa".as_ptr(), 4);
            LLVMSetMetadata(to.0, kind, LLVMGetMetadata(from.0, kind));
        }
    }

    /// Byte offset of element `index` of a struct type.
    #[must_use]
    pub fn element_offset(&self, ty: Type<'_>, index: u32) -> u64 {
        // SAFETY: callers pass a sized struct type and an index of it.
        unsafe { LLVMOffsetOfElement(LLVMGetModuleDataLayout(self.raw), ty.0, index) }
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

    /// Bytes that a load or store of this type accesses.
    #[must_use]
    pub fn store_size_of(&self, ty: Type<'_>) -> u64 {
        // SAFETY: callers pass sized types.
        unsafe { LLVMStoreSizeOfType(LLVMGetModuleDataLayout(self.raw()), ty.raw()) }
    }

    /// Alignment of a type in memory, bytes.
    #[must_use]
    pub fn align_of(&self, ty: Type<'_>) -> u64 {
        // SAFETY: callers pass sized types.
        let align =
            unsafe { LLVMABIAlignmentOfType(LLVMGetModuleDataLayout(self.raw()), ty.raw()) };
        u64::from(align)
    }
}
