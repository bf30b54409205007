//! The emitter: new code at one place of a function, calls of the helpers of `c/inline.c` above
//! all.
//!
//! Invariant: it changes nothing that is there; it knows neither labels nor versions.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use labrys_llvm::{Builder, LLVMIntPredicate, LLVMOpcode, LLVMTypeKind, Module, Value};

use super::PREFIX;
use super::types::{is_vector, places};
use crate::large;

/// A builder with a place, and what helpers take as arguments.
pub(super) struct Emitter<'m> {
    module: &'m Module,
    builder: Builder<'m>,
    /// Constants that hold names of functions.
    names: RefCell<HashMap<String, Value<'m>>>,
    /// Whether the function at hand is large: then helpers are called rather than inlined.
    is_far: Cell<bool>,
}

impl<'m> Emitter<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        Emitter {
            module,
            builder: module.builder(),
            names: RefCell::default(),
            is_far: Cell::new(false),
        }
    }

    pub(super) fn module(&self) -> &'m Module {
        self.module
    }

    pub(super) fn builder(&self) -> &Builder<'m> {
        &self.builder
    }

    /// Begins a function, which may be large.
    pub(super) fn begin(&self, function: Value<'m>) {
        self.is_far.set(large::is_large(self.module, function));
    }

    /// Calls helper `name`.
    pub(super) fn call(&self, name: &str, arguments: &[Value<'m>]) -> Value<'m> {
        let helper = |kind: &str| self.module.function(&format!("{PREFIX}{kind}{name}"));
        let far = self.is_far.get().then(|| helper("far_")).flatten();
        let function = far.or_else(|| helper(""));
        let function = function.unwrap_or_else(|| panic!("c/inline.c lacks {name}"));
        self.builder.call(function, arguments)
    }

    pub(super) fn u32(&self, value: u32) -> Value<'m> {
        self.module.const_int(32, u64::from(value))
    }

    pub(super) fn u64(&self, value: u64) -> Value<'m> {
        self.module.const_int(64, value)
    }

    /// A constant that holds the name of a function.
    pub(super) fn name_of(&self, function: &str) -> Value<'m> {
        let mut names = self.names.borrow_mut();
        if let Some(known) = names.get(function) {
            return *known;
        }
        let text = self.module.define_string(function);
        names.insert(function.to_owned(), text);
        text
    }

    /// New code goes before an instruction.
    pub(super) fn before(&self, instruction: Value<'m>) {
        self.builder.before(instruction);
    }

    /// New code goes behind an instruction.
    pub(super) fn after(&self, instruction: Value<'m>) {
        if let Some(next) = instruction.next() {
            self.builder.before(next);
        }
    }

    /// New code goes to where a call has returned; false if there is no such place.
    pub(super) fn after_return(&self, call: Value<'m>) -> bool {
        match call.opcode() {
            LLVMOpcode::LLVMInvoke => {
                let normal = call.parent().successors();
                let Some(first) = normal.first().and_then(|block| block.first_after_phis()) else {
                    return false;
                };
                self.builder.before(first);
            }
            LLVMOpcode::LLVMCallBr => return false,
            _ => self.after(call),
        }
        true
    }

    /// A label as an operand.
    pub(super) fn label(&self, label: Option<Value<'m>>) -> Value<'m> {
        label.unwrap_or_else(|| self.u32(0))
    }

    /// Whether any of these numbers is not 0.
    pub(super) fn any(&self, numbers: &[Value<'m>]) -> Option<Value<'m>> {
        let all = numbers
            .iter()
            .copied()
            .reduce(|a, b| self.builder.binary(LLVMOpcode::LLVMOr, a, b))?;
        let zero = all.ty().zero();
        Some(self.builder.compare(LLVMIntPredicate::LLVMIntNE, all, zero))
    }

    /// The bits of a scalar of at most 64 bits, zero-extended to `i64`.
    pub(super) fn bits(&self, value: Value<'m>) -> Value<'m> {
        let (module, builder) = (self.module, &self.builder);
        let ty = value.ty();
        let i64 = module.int(64);
        match ty.kind() {
            LLVMTypeKind::LLVMPointerTypeKind => builder.cast(LLVMOpcode::LLVMPtrToInt, value, i64),
            LLVMTypeKind::LLVMDoubleTypeKind => builder.cast(LLVMOpcode::LLVMBitCast, value, i64),
            LLVMTypeKind::LLVMFloatTypeKind => {
                let bits = builder.cast(LLVMOpcode::LLVMBitCast, value, module.int(32));
                builder.cast(LLVMOpcode::LLVMZExt, bits, i64)
            }
            _ => match ty.int_width() {
                Some(64) => value,
                Some(w) if w < 64 => builder.cast(LLVMOpcode::LLVMZExt, value, i64),
                _ => builder.cast(LLVMOpcode::LLVMTrunc, value, i64),
            },
        }
    }

    /// The low and high 64 bits of a scalar of at most 128 bits.
    pub(super) fn halves(&self, value: Value<'m>) -> (Value<'m>, Value<'m>) {
        let (module, builder) = (self.module, &self.builder);
        let low = self.bits(value);
        match value.ty().int_width() {
            Some(w) if w > 64 => {
                let i128 = module.int(128);
                let wide = if w == 128 {
                    value
                } else {
                    builder.cast(LLVMOpcode::LLVMZExt, value, i128)
                };
                let shifted = builder.binary(LLVMOpcode::LLVMLShr, wide, module.const_int(128, 64));
                (
                    low,
                    builder.cast(LLVMOpcode::LLVMTrunc, shifted, module.int(64)),
                )
            }
            _ => (low, self.u64(0)),
        }
    }

    /// The scalars of a value, taken apart.
    pub(super) fn scalar_values(&self, value: Value<'m>) -> Vec<Value<'m>> {
        places(self.module, value.ty())
            .into_iter()
            .map(|place| {
                let path = place.path.iter();
                path.fold(value, |whole, index| match is_vector(whole.ty()) {
                    true => self.builder.extract_element(whole, self.u32(*index)),
                    false => self.builder.extract_value(whole, *index),
                })
            })
            .collect()
    }

    /// An address some bytes further on.
    pub(super) fn at_offset(&self, address: Value<'m>, offset: u64) -> Value<'m> {
        if offset == 0 {
            return address;
        }
        let byte = self.module.int(8);
        self.builder
            .element_address(byte, address, self.u64(offset))
    }
}
