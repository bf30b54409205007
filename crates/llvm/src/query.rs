//! Further questions to the LLVM 19 C API, asked by the numbering of sites and by lowering.
//!
//! Invariant: nothing here changes a module.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_uint};

use llvm_sys::core::{
    LLVMAliasGetAliasee, LLVMConstRealGetDouble, LLVMDisposeMessage, LLVMGetAggregateElement,
    LLVMGetAlignment, LLVMGetAsString, LLVMGetConstOpcode, LLVMGetDebugLocColumn,
    LLVMGetDebugLocDirectory, LLVMGetDebugLocFilename, LLVMGetDebugLocLine,
    LLVMGetEnumAttributeAtIndex, LLVMGetEnumAttributeKindForName, LLVMGetEnumAttributeValue,
    LLVMGetOrdering, LLVMGetPointerAddressSpace, LLVMGetVectorSize, LLVMGetVolatile,
    LLVMIsAInlineAsm, LLVMPrintTypeToString, LLVMPrintValueToString, LLVMTypeIsSized,
};
use llvm_sys::target::{LLVMABIAlignmentOfType, LLVMGetModuleDataLayout, LLVMStoreSizeOfType};
use llvm_sys::{LLVMAtomicOrdering, LLVMAttributeFunctionIndex};

use super::{LLVMOpcode, LLVMTypeKind, LLVMValueKind, Module, Type, Value};

/// A source position as debug information gives it; the strings belong to the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugPlace<'m> {
    /// The folder of the compilation.
    pub directory: &'m [u8],
    /// The path of the file, from that folder or absolute.
    pub file: &'m [u8],
    /// Line, from 1; 0 where the compiler made the code.
    pub line: u32,
    /// Column, from 1; 0 for none.
    pub column: u32,
}

/// What LLVM knows of the memory effects of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryEffects {
    /// It writes no memory.
    ReadsOnly,
    /// It may write memory.
    Writes,
}

impl Module {
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

impl<'m> Type<'m> {
    /// The type as LLVM prints it.
    #[must_use]
    pub fn to_text(self) -> String {
        // SAFETY: the type is valid; the message is taken once.
        unsafe { take_text(LLVMPrintTypeToString(self.raw())) }
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

impl<'m> Value<'m> {
    /// Value of an integer constant of at most 128 bits, zero-extended.
    #[must_use]
    pub fn const_int_bits(self) -> Option<u128> {
        let width = self.ty().int_width()?;
        if width <= 64 {
            return self.const_int_value().map(u128::from);
        }
        if width > 128 || self.kind() != LLVMValueKind::LLVMConstantIntValueKind {
            return None;
        }
        // The C API hands out no more than 64 bits of a constant, except as text: `i128 -5`.
        let text = self.to_text();
        let digits = text.rsplit(' ').next()?;
        let bits = match digits.strip_prefix('-') {
            Some(magnitude) => magnitude.parse::<u128>().ok()?.wrapping_neg(),
            None => digits.parse().ok()?,
        };
        Some(bits & (u128::MAX >> (128 - width)))
    }

    /// Value of a floating constant of 32 or 64 bits.
    #[must_use]
    pub fn const_double(self) -> Option<f64> {
        let modelled = matches!(
            self.ty().kind(),
            LLVMTypeKind::LLVMFloatTypeKind | LLVMTypeKind::LLVMDoubleTypeKind
        );
        if !modelled || self.kind() != LLVMValueKind::LLVMConstantFPValueKind {
            return None;
        }
        let mut lost = 0;
        // SAFETY: it is a floating constant.
        Some(unsafe { LLVMConstRealGetDouble(self.raw(), &raw mut lost) })
    }

    /// Bytes of a constant array of 8-bit integers that is stored as data.
    #[must_use]
    pub fn const_bytes(self) -> Option<&'m [u8]> {
        let data = self.kind() == LLVMValueKind::LLVMConstantDataArrayValueKind;
        if !data || self.ty().element().int_width() != Some(8) {
            return None;
        }
        let mut length = 0;
        // SAFETY: kind and element type are checked; the bytes belong to the constant.
        unsafe {
            let start = LLVMGetAsString(self.raw(), &raw mut length);
            Some(bytes(start, length))
        }
    }

    /// Element of a constant aggregate or vector.
    #[must_use]
    pub fn const_element(self, index: u32) -> Option<Value<'m>> {
        // SAFETY: callers pass constants; null means "none".
        let raw = unsafe { LLVMGetAggregateElement(self.raw(), index) };
        (!raw.is_null()).then(|| Value::wrap(raw))
    }

    /// Opcode of a constant expression.
    #[must_use]
    pub fn const_opcode(self) -> LLVMOpcode {
        // SAFETY: callers pass constant expressions.
        unsafe { LLVMGetConstOpcode(self.raw()) }
    }

    /// What an alias stands for.
    #[must_use]
    pub fn aliasee(self) -> Option<Value<'m>> {
        if self.kind() != LLVMValueKind::LLVMGlobalAliasValueKind {
            return None;
        }
        // SAFETY: it is an alias.
        Some(Value::wrap(unsafe { LLVMAliasGetAliasee(self.raw()) }))
    }

    /// The function or variable that an alias is a name of, or of a part of.
    #[must_use]
    pub fn aliased_object(self) -> Option<Value<'m>> {
        let mut value = self;
        for _ in 0..16 {
            value = match value.kind() {
                LLVMValueKind::LLVMGlobalAliasValueKind => value.aliasee()?,
                LLVMValueKind::LLVMConstantExprValueKind => value.operand(0),
                _ => return Some(value),
            };
        }
        None
    }

    /// Whether it is inline assembly.
    #[must_use]
    pub fn is_assembly(self) -> bool {
        // SAFETY: the value is valid.
        unsafe { !LLVMIsAInlineAsm(self.raw()).is_null() }
    }

    /// Whether a load or store is volatile.
    #[must_use]
    pub fn is_volatile(self) -> bool {
        // SAFETY: callers pass loads and stores.
        unsafe { LLVMGetVolatile(self.raw()) != 0 }
    }

    /// Whether a load or store is atomic.
    #[must_use]
    pub fn is_atomic(self) -> bool {
        // SAFETY: callers pass loads and stores.
        let ordering = unsafe { LLVMGetOrdering(self.raw()) };
        ordering != LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
    }

    /// The section that a global variable is put in; empty if none is named.
    #[must_use]
    pub fn section(self) -> String {
        // SAFETY: callers pass global variables; null is "none".
        unsafe {
            let name = llvm_sys::core::LLVMGetSection(self.0);
            if name.is_null() {
                return String::new();
            }
            CStr::from_ptr(name).to_string_lossy().into_owned()
        }
    }

    /// Alignment of a global variable, `alloca` or access, bytes; 0 if it has none of its own.
    #[must_use]
    pub fn alignment(self) -> u64 {
        // SAFETY: callers pass global variables, allocas, loads and stores.
        u64::from(unsafe { LLVMGetAlignment(self.raw()) })
    }

    /// Whether a function has an attribute without a value, by its name.
    #[must_use]
    pub fn has_attribute(self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    /// What attributes tell of the memory effects of a function.
    pub fn memory_effects(self) -> MemoryEffects {
        // Two bits for each kind of memory; the higher one stands for writing.
        let any_write = 0xaaaa_aaaa_aaaa_aaaa;
        match self.attribute("memory") {
            Some(effects) if effects & any_write == 0 => MemoryEffects::ReadsOnly,
            _ => MemoryEffects::Writes,
        }
    }

    fn attribute(self, name: &str) -> Option<u64> {
        // SAFETY: callers pass functions; the name is `len` bytes long; null means "none".
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let attribute =
                LLVMGetEnumAttributeAtIndex(self.raw(), LLVMAttributeFunctionIndex as c_uint, kind);
            (!attribute.is_null()).then(|| LLVMGetEnumAttributeValue(attribute))
        }
    }

    /// Source position of an instruction or function, if debug information gives one.
    pub fn debug_place(self) -> Option<DebugPlace<'m>> {
        // SAFETY: callers pass instructions and functions; the strings belong to the module.
        unsafe {
            let line = LLVMGetDebugLocLine(self.raw());
            let mut length = 0;
            let start = LLVMGetDebugLocFilename(self.raw(), &raw mut length);
            let file = bytes(start, length as usize);
            if line == 0 || file.is_empty() {
                return None;
            }
            let start = LLVMGetDebugLocDirectory(self.raw(), &raw mut length);
            let directory = bytes(start, length as usize);
            let column = if self.is_instruction() {
                LLVMGetDebugLocColumn(self.raw())
            } else {
                0
            };
            Some(DebugPlace {
                directory,
                file,
                line,
                column,
            })
        }
    }

    /// The value as LLVM prints it.
    #[must_use]
    pub fn to_text(self) -> String {
        // SAFETY: the value is valid; the message is taken once.
        unsafe { take_text(LLVMPrintValueToString(self.raw())) }
    }
}

/// Bytes that LLVM points to; none for a null pointer.
///
/// # Safety
/// The pointer is null or points to `length` bytes that live as long as the module.
unsafe fn bytes<'m>(start: *const c_char, length: usize) -> &'m [u8] {
    if start.is_null() {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(start.cast(), length) }
}

/// Copies and frees a message.
///
/// # Safety
/// LLVM allocated the message, and nobody uses it any more.
unsafe fn take_text(message: *mut c_char) -> String {
    // SAFETY: as the caller promises.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}
