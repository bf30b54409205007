//! Global variables: initializers as bytes and relocations.

use labrys_program::{Initializer, Program, Relocation, RelocationTarget};

use super::constants::{Constants, Symbol};
use super::types::Types;
use labrys_llvm::{LLVMTypeKind, LLVMValueKind, Module, Type, Value};

/// Fills in all globals of the program, whose names and linkages are there already.
pub(super) fn define<'m>(
    module: &'m Module,
    types: &Types<'m>,
    constants: &mut Constants<'m>,
    program: &mut Program,
) {
    for (value, global) in module.globals().into_iter().zip(&mut program.globals) {
        let ty = value.global_type();
        let own_align = value.alignment();
        global.constant = value.is_constant_global();
        global.thread_local = value.is_thread_local();
        global.size = types.alloc_size(ty);
        global.align = match own_align {
            0 if ty.is_sized() => module.align_of(ty),
            _ => own_align,
        };
        global.initializer = value.initializer().map(|content| {
            let mut image = Image {
                module,
                types,
                constants,
                bytes: Vec::new(),
                relocations: Vec::new(),
            };
            image.put(content, 0);
            image.finish()
        });
    }
}

/// The memory image of an initializer, written from the lowest address up.
struct Image<'a, 'm> {
    module: &'m Module,
    types: &'a Types<'m>,
    constants: &'a mut Constants<'m>,
    /// Without the zeros at the end.
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

impl<'m> Image<'_, 'm> {
    fn finish(self) -> Initializer {
        Initializer {
            bytes: self.bytes,
            relocations: self.relocations,
        }
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) {
        // Zeros at the end are not stored.
        let used = bytes
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |last| last + 1);
        if used == 0 {
            return;
        }
        let start = offset as usize;
        if self.bytes.len() < start + used {
            self.bytes.resize(start + used, 0);
        }
        self.bytes[start..start + used].copy_from_slice(&bytes[..used]);
    }

    fn relocate(&mut self, offset: u64, target: RelocationTarget) {
        if target.size() > 0 {
            self.relocations.push(Relocation { offset, target });
        }
    }

    fn put(&mut self, value: Value<'m>, offset: u64) {
        use LLVMValueKind as K;
        let ty = value.ty();
        match value.kind() {
            K::LLVMConstantAggregateZeroValueKind
            | K::LLVMConstantPointerNullValueKind
            | K::LLVMUndefValueValueKind
            | K::LLVMPoisonValueKind => {}
            K::LLVMConstantDataArrayValueKind if value.const_bytes().is_some() => {
                self.write(offset, value.const_bytes().unwrap_or_default());
            }
            K::LLVMConstantStructValueKind => {
                for (index, element) in (0..).zip(value.operands()) {
                    let inside = self.module.element_offset(ty, index);
                    self.put(element, offset + inside);
                }
            }
            K::LLVMConstantArrayValueKind | K::LLVMConstantDataArrayValueKind => {
                self.put_elements(value, ty, ty.array_len(), offset);
            }
            K::LLVMConstantVectorValueKind | K::LLVMConstantDataVectorValueKind => {
                self.put_vector(value, ty, offset);
            }
            _ => self.put_scalar(value, ty, offset),
        }
    }

    fn put_elements(&mut self, value: Value<'m>, ty: Type<'m>, count: u64, offset: u64) {
        let size = self.types.alloc_size(ty.element());
        for index in 0..count {
            let element = u32::try_from(index)
                .ok()
                .and_then(|index| value.const_element(index));
            match element {
                Some(element) => self.put(element, offset + index * size),
                None => self.put_opaque(ty, offset),
            }
        }
    }

    /// The elements of a vector lie side by side in memory if they have whole bytes.
    fn put_vector(&mut self, value: Value<'m>, ty: Type<'m>, offset: u64) {
        let bits = self.module.bits_of(ty.element());
        if bits % 8 == 0 && bits / 8 == self.types.alloc_size(ty.element()) {
            self.put_elements(value, ty, u64::from(ty.vector_len()), offset);
        } else {
            self.put_opaque(ty, offset);
        }
    }

    fn put_scalar(&mut self, value: Value<'m>, ty: Type<'m>, offset: u64) {
        let size = self.module.store_size_of(ty) as usize;
        if let Some(bits) = value.const_int_bits() {
            self.write(offset, &bits.to_le_bytes()[..size]);
        } else if let Some(bits) = value.const_float_bits() {
            self.write(offset, &bits.to_le_bytes()[..size]);
        } else if let Some(bytes) = extended_float(value, ty) {
            self.write(offset, &bytes);
        } else if let Some(place) = self.constants.place(self.types, value, 0) {
            match place.symbol {
                None => self.write(offset, &place.offset.to_le_bytes()),
                Some(Symbol::Global(id)) => {
                    self.relocate(offset, RelocationTarget::Global(id, place.offset));
                }
                Some(Symbol::Function(id)) => {
                    self.constants.take_address(id);
                    self.relocate(offset, RelocationTarget::Function(id, place.offset));
                }
            }
        } else {
            self.take_addresses(value, 0);
            self.put_opaque(ty, offset);
        }
    }

    fn put_opaque(&mut self, ty: Type<'m>, offset: u64) {
        let size = self.module.store_size_of(ty);
        self.relocate(offset, RelocationTarget::Opaque(size));
    }

    /// Notes the functions whose addresses an opaque constant uses.
    fn take_addresses(&mut self, value: Value<'m>, depth: u32) {
        if let Some(Symbol::Function(id)) = self.constants.symbol(value) {
            self.constants.take_address(id);
        } else if depth < 8 && value.kind() == LLVMValueKind::LLVMConstantExprValueKind {
            for operand in value.operands() {
                self.take_addresses(operand, depth + 1);
            }
        }
    }
}

/// The bytes of an x87 float, which LLVM prints as `x86_fp80 0xK` and 20 digits: sign and
/// exponent, then mantissa.
fn extended_float(value: Value<'_>, ty: Type<'_>) -> Option<[u8; 10]> {
    let constant = value.kind() == LLVMValueKind::LLVMConstantFPValueKind;
    if !constant || ty.kind() != LLVMTypeKind::LLVMX86_FP80TypeKind {
        return None;
    }
    let text = value.to_text();
    let digits = text.split("0xK").nth(1)?.trim();
    let bits = u128::from_str_radix(digits, 16)
        .ok()
        .filter(|_| digits.len() == 20)?;
    bits.to_le_bytes()[..10].try_into().ok()
}
