//! Accesses of memory in the symbolic version: loads and stores with their shadow, and labels of
//! addresses.

use labrys_abi::{Cause, Meta, Op};

use labrys_llvm::{AtomicOperation, LLVMIntPredicate, LLVMOpcode, LLVMTypeKind, Type, Value};

use super::calls::{self, UNKNOWN_FUNCTION};
use super::effects::is_usual;
use super::emit::Emitter;
use super::labels::{Label, Labels};
use super::operations::binary_op;
use super::types::{is_pointer, places, width};

/// A step on one access.
pub(super) struct Memory<'s, 'm> {
    pub(super) emit: &'s Emitter<'m>,
    pub(super) labels: &'s mut Labels<'m>,
}

impl<'m> Memory<'_, 'm> {
    pub(super) fn load(self, i: Value<'m>) {
        let emit = self.emit;
        let address = i.operand(0);
        let address_label = emit.label(self.labels.of(address));
        emit.after(i);
        let parts = emit.scalar_values(i);
        let mut labels: Vec<Label<'m>> = Vec::with_capacity(parts.len());
        for (place, part) in places(emit.module(), i.ty()).into_iter().zip(parts) {
            let p = emit.at_offset(address, place.offset);
            let Some(bits) = width(place.ty) else {
                self.lose_loaded(p, place.ty);
                labels.push(None);
                continue;
            };
            let label = match bits.div_ceil(8) {
                size @ (1 | 2 | 4 | 8) => {
                    emit.call(&format!("load{size}"), &[p, address_label, emit.bits(part)])
                }
                size @ 1..=8 => emit.call(
                    "slow_load",
                    &[p, address_label, emit.u32(size), emit.bits(part)],
                ),
                16 => {
                    let (low, high) = emit.halves(part);
                    emit.call("load16", &[p, address_label, low, high])
                }
                _ => emit.u32(0),
            };
            labels.push(Some(self.fit_loaded(label, part, bits)));
        }
        self.labels.set_all(i, labels);
    }

    /// A value whose type carries no labels was loaded: those of its first bytes are lost.
    fn lose_loaded(&self, address: Value<'m>, ty: Type<'m>) {
        let emit = self.emit;
        let size = [8, 4, 2]
            .into_iter()
            .find(|size| emit.module().store_size_of(ty) >= *size);
        let Some(size) = size else { return };
        let bytes = emit
            .builder()
            .load(emit.module().int(8 * size as u32), address);
        let bytes = emit.bits(bytes);
        let label = emit.call(&format!("load{size}"), &[address, emit.u32(0), bytes]);
        let cause = emit.u32(Cause::Operation as u32);
        let _ = emit.call("lost", &[cause, emit.u32(UNKNOWN_FUNCTION), label, bytes]);
    }

    /// An array on the stack has the size that it has: the search may ask for another.
    pub(super) fn size_of_array(self, i: Value<'m>) {
        let emit = self.emit;
        let count = i.operand(0);
        let label = self.labels.of(count);
        if let Some(label) = label.filter(|_| width(count.ty()) == Some(64)) {
            emit.before(i);
            let element = emit.u64(emit.module().size_of(i.allocated_type()));
            let _ = emit.call("array_size", &[label, count, element]);
        }
    }

    /// A load's label has whole bytes; a value of another width (`i1`, `i17`) is its low part.
    fn fit_loaded(&self, label: Value<'m>, part: Value<'m>, bits: u32) -> Value<'m> {
        if bits % 8 == 0 {
            return label;
        }
        let emit = self.emit;
        let meta = Meta::new(Op::Extract as u8, bits as u16, 0);
        let (low, high) = emit.halves(part);
        emit.call("unary", &[emit.u64(meta.0), label, low, high])
    }

    pub(super) fn store(self, i: Value<'m>) {
        let emit = self.emit;
        let (value, address) = (i.operand(0), i.operand(1));
        let mut labels = self.labels.all(value);
        let mut address_label = emit.label(self.labels.of(address));
        let places = places(emit.module(), value.ty());
        if self.labels.of(address).is_some() && places.len() == 1 {
            if let Some(bits @ 1..=64) = width(value.ty()) {
                emit.before(i);
                let (size, label) = (emit.u32(bits.div_ceil(8)), emit.label(labels[0]));
                let arguments = [address, address_label, size, label, emit.bits(value)];
                labels[0] = Some(emit.call("store_at", &arguments));
                address_label = emit.u32(0);
            }
        }
        emit.after(i);
        for (place, label) in places.into_iter().zip(labels) {
            let p = emit.at_offset(address, place.offset);
            let label = emit.label(label);
            match width(place.ty).map(|bits| bits.div_ceil(8)) {
                Some(size @ (1 | 2 | 4 | 8 | 16)) => {
                    let _ = emit.call(&format!("store{size}"), &[p, address_label, label]);
                }
                Some(size @ 1..=8) => {
                    let arguments = [p, address_label, emit.u32(size), label];
                    let _ = emit.call("slow_store", &arguments);
                }
                _ => {
                    let size = emit.module().size_of(place.ty);
                    let _ = emit.call("clear", &[p, emit.u64(size)]);
                }
            }
        }
    }

    /// Atomic read-modify-write in the concrete version, where the memory becomes concrete.
    pub(super) fn forget(self, i: Value<'m>) {
        let emit = self.emit;
        let size = emit.module().size_of(i.operand(1).ty());
        emit.after(i);
        let _ = emit.call("clear", &[i.operand(0), emit.u64(size)]);
    }

    /// Atomic read-modify-write: a load, an operation and a store.
    pub(super) fn modify(self, i: Value<'m>) {
        let (address, operand) = (i.operand(0), i.operand(1));
        let Some(size) = whole_bytes(operand.ty()) else {
            calls::lose(self.emit, self.labels, i, &[operand]);
            return self.forget(i);
        };
        let emit = self.emit;
        self.fix(i, address, Cause::StoreAddress);
        emit.after(i);
        let zero = emit.u32(0);
        let old = emit.call(&format!("load{size}"), &[address, zero, emit.bits(i)]);
        let given = emit.label(self.labels.of(operand));
        let new = match i.atomic_operation() {
            AtomicOperation::Exchange => given,
            AtomicOperation::Binary(opcode) => {
                let op = binary_op(opcode).map_or(0, |op| op as u8);
                let meta = emit.u64(Meta::new(op, 8 * size as u16, 0).0);
                let result = emit.bits(emit.builder().binary(opcode, i, operand));
                let (a, b) = (emit.bits(i), emit.bits(operand));
                emit.call("binary", &[meta, old, given, a, b, result])
            }
            AtomicOperation::Other => {
                let cause = emit.u32(Cause::Operation as u32);
                for (label, value) in [(old, i), (given, operand)] {
                    let value = emit.bits(value);
                    let function = emit.u32(UNKNOWN_FUNCTION);
                    let _ = emit.call("lost", &[cause, function, label, value]);
                }
                zero
            }
        };
        let _ = emit.call(&format!("store{size}"), &[address, zero, new]);
        self.labels.set(i, old);
    }

    /// Atomic compare and exchange: a load, a comparison, and a store if both are equal.
    pub(super) fn compare_and_exchange(self, i: Value<'m>) {
        let [address, expected, new] = [0, 1, 2].map(|index| i.operand(index));
        let Some(size) = whole_bytes(new.ty()) else {
            calls::lose(self.emit, self.labels, i, &[expected, new]);
            return self.forget(i);
        };
        let emit = self.emit;
        self.fix(i, address, Cause::StoreAddress);
        emit.after(i);
        let [was, equal] = [0, 1].map(|index| emit.builder().extract_value(i, index));
        let zero = emit.u32(0);
        let bits = emit.bits(was);
        let old = emit.call(&format!("load{size}"), &[address, zero, bits]);
        let meta = Meta::new(LLVMIntPredicate::LLVMIntEQ as u8, 8 * size as u16, 0);
        let expected_label = emit.label(self.labels.of(expected));
        let arguments = [
            emit.u64(meta.0),
            old,
            expected_label,
            bits,
            emit.bits(expected),
        ];
        let arguments = [&arguments[..], &[emit.bits(equal)]].concat();
        let decided = emit.call("compare", &arguments);
        let new = emit.label(self.labels.of(new));
        let stands = emit.builder().select(equal, new, old);
        let _ = emit.call(&format!("store{size}"), &[address, zero, stands]);
        self.labels.set_all(i, vec![Some(old), Some(decided)]);
    }

    /// The memcpy family: shadow is copied and filled as bytes are.
    pub(super) fn transfer(self, i: Value<'m>, name: &str) {
        let (to, second, size) = (i.operand(0), i.operand(1), i.operand(2));
        let fills = name.starts_with("llvm.memset");
        if !is_usual(to) {
            return;
        }
        if !fills && !is_usual(second) {
            self.emit.after(i);
            let size = self.emit.bits(size);
            let _ = self.emit.call("clear", &[to, size]);
            return;
        }
        self.fix(i, to, Cause::StoreAddress);
        if !fills {
            self.fix(i, second, Cause::LoadAddress);
        }
        let (emit, labels) = (self.emit, self.labels);
        let length = emit.label(labels.of(size));
        if fills && labels.of(size).is_some() {
            emit.before(i);
            let label = emit.label(labels.of(second));
            let (value, size) = (emit.bits(second), emit.bits(size));
            let _ = emit.call("fill_some", &[to, label, value, size, length]);
            return;
        }
        emit.after(i);
        let size = emit.bits(size);
        if fills {
            let label = emit.label(labels.of(second));
            let _ = emit.call("fill", &[to, label, size, length]);
        } else {
            let _ = emit.call("copy", &[to, second, size, length]);
        }
    }

    /// Before an access of many bytes: they are those at the address of this run.
    fn fix(&self, i: Value<'m>, address: Value<'m>, cause: Cause) {
        let emit = self.emit;
        let Some(label) = self.labels.of(address) else {
            return;
        };
        emit.before(i);
        let (cause, place) = (emit.u32(cause as u32), emit.bits(address));
        let _ = emit.call("lost", &[cause, emit.u32(UNKNOWN_FUNCTION), label, place]);
    }

    /// `getelementptr`: base + Σ index × size + constant offset.
    pub(super) fn address(self, i: Value<'m>) {
        let operands = i.operands();
        if self.labels.none(&operands) || !is_pointer(i.ty()) {
            return;
        }
        let (emit, module) = (self.emit, self.emit.module());
        emit.after(i);
        let i64 = module.int(64);
        let mut label = emit.label(self.labels.of(operands[0]));
        let mut base = emit.bits(operands[0]);
        let mut constant = 0u64;
        let mut ty = i.gep_source_type();
        for (position, index) in operands[1..].iter().enumerate() {
            if position > 0 && ty.kind() == LLVMTypeKind::LLVMStructTypeKind {
                let field = index.const_int_value().unwrap_or(0) as u32;
                constant = constant.wrapping_add(module.element_offset(ty, field));
                ty = ty.struct_elements()[field as usize];
                continue;
            }
            if position > 0 {
                ty = ty.element();
            }
            let scale = module.size_of(ty);
            if let Some(value) = index.const_int_signed() {
                constant = constant.wrapping_add((value as u64).wrapping_mul(scale));
                continue;
            }
            let wide = match index.ty().int_width() {
                Some(w) if w < 64 => emit.builder().cast(LLVMOpcode::LLVMSExt, *index, i64),
                _ => *index,
            };
            let index_label = match self.labels.of(*index) {
                Some(l) if index.ty().int_width() != Some(64) => {
                    let meta = Meta::new(Op::SExt as u8, 64, 0);
                    emit.call("unary", &[emit.u64(meta.0), l, wide, emit.u64(0)])
                }
                l => emit.label(l),
            };
            let scale = emit.u64(scale);
            label = emit.call("index", &[label, index_label, base, wide, scale]);
            let step = emit.builder().binary(LLVMOpcode::LLVMMul, wide, scale);
            base = emit.builder().binary(LLVMOpcode::LLVMAdd, base, step);
        }
        if constant != 0 {
            label = emit.call("offset", &[label, emit.u64(constant)]);
        }
        self.labels.set(i, label);
    }
}

/// Bytes of a number or an address that an atomic operation works on.
fn whole_bytes(ty: Type<'_>) -> Option<u32> {
    let bits = width(ty)?;
    matches!(bits, 8 | 16 | 32 | 64).then_some(bits / 8)
}
