//! Further questions to the LLVM 19 C API, asked by the numbering of sites and by lowering.
//!
//! Invariant: nothing here changes a module.

#![allow(unsafe_code)]

use std::ffi::CStr;

use llvm_sys::core::{LLVMDisposeMessage, LLVMPrintValueToString};

use crate::llvm::{LLVMValueKind, Value};

impl Value<'_> {
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

    /// The value as LLVM prints it.
    #[must_use]
    pub fn to_text(self) -> String {
        // SAFETY: the value is valid; the message is disposed of once.
        unsafe {
            let message = LLVMPrintValueToString(self.raw());
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeMessage(message);
            text
        }
    }
}
