//! Loads and stores in machine code: within an object that the access found before they are
//! done in place, else the machine looks for the object.

use std::mem::offset_of;

use cranelift_codegen::ir::{InstBuilder, MemFlags, Type, Value, condcodes::IntCC, types};
use labrys_native::Word;
use labrys_program::{Instruction, Operand, Operation};

use super::Emitter;
use crate::bits::scalar_size;
use crate::machine::native::algebra::Held;
use crate::machine::native::context::{CodeContext, ObjectView, VIEWS};
use crate::machine::native::run::find;
use crate::value::IrValue;

/// The type in memory of so many bytes.
fn of_size(size: u64) -> Option<Type> {
    Some(match size {
        1 => types::I8,
        2 => types::I16,
        4 => types::I32,
        8 => types::I64,
        _ => return None,
    })
}

impl Emitter<'_, '_, '_> {
    /// Code for a load or a store, whose instruction has so many counted steps behind it; `None`
    /// if it is something else, or has no code.
    pub(super) fn access(&mut self, instruction: &Instruction, ahead: u64) -> Option<()> {
        match &instruction.operation {
            Operation::Load { address, .. } => {
                let result = instruction.result?;
                let ty = self.function.value_type(result)?;
                let width = ty.width().filter(|width| *width <= 64)?;
                let size = scalar_size(self.program, ty)?;
                let memory = of_size(size)?;
                let place = self.place(*address, size, ahead)?;
                let flags = MemFlags::new();
                let ins = self.code.builder.ins();
                let read = ins.load(memory, flags, place, 0);
                let wide = match memory {
                    types::I64 => read,
                    _ => self.code.builder.ins().uextend(types::I64, read),
                };
                let bits = match u64::from(width) {
                    width if width == 8 * size => wide,
                    _ => self.code.cut(wide, width),
                };
                let held = Held::new(Word::of_bits(width, bits));
                self.set(result, IrValue::Scalar(held));
            }
            Operation::Store { address, value, .. } => {
                let mut value = self.scalar(*value)?.word;
                let size = u64::from(value.width().div_ceil(8));
                let memory = of_size(size)?;
                let place = self.place(*address, size, ahead)?;
                let bits = self.code.bits(&mut value);
                let written = match memory {
                    types::I64 => bits,
                    _ => self.code.builder.ins().ireduce(memory, bits),
                };
                let flags = MemFlags::new();
                self.code.builder.ins().store(flags, written, place, 0);
            }
            _ => return None,
        }
        Some(())
    }

    /// Where the bytes at an address are.
    fn place(&mut self, address: Operand, size: u64, ahead: u64) -> Option<Value> {
        let mut address = self.scalar(address)?.word;
        let address = self.code.bits(&mut address);
        let view = *self.views % VIEWS;
        *self.views += 1;
        let offset = offset_of!(CodeContext, views) + view * size_of::<ObjectView>();
        let base = self.context_word(offset + offset_of!(ObjectView, base));
        let length = self.context_word(offset + offset_of!(ObjectView, size));
        let builder = &mut self.code.builder;
        let start = builder.ins().isub(address, base);
        let mut inside = builder.ins().icmp(IntCC::UnsignedLessThan, start, length);
        if size > 1 {
            let rest = builder.ins().isub(length, start);
            let bound = size as i64;
            let more = builder
                .ins()
                .icmp_imm(IntCC::UnsignedGreaterThanOrEqual, rest, bound);
            inside = builder.ins().band(inside, more);
        }
        let (known, unknown, done) = (
            builder.create_block(),
            builder.create_block(),
            builder.create_block(),
        );
        builder.set_cold_block(unknown);
        builder.append_block_param(done, types::I64);
        builder.ins().brif(inside, known, &[], unknown, &[]);
        builder.switch_to_block(known);
        let data = self.context_word(offset + offset_of!(ObjectView, data));
        let place = self.code.builder.ins().iadd(data, start);
        self.code.builder.ins().jump(done, &[place.into()]);
        self.code.builder.switch_to_block(unknown);
        let size = self.code.integer(size);
        let number = self.code.integer(view as u64);
        let found = self.call_machine(find as *const u8, &[address, size, number]);
        let fault = self.fault(ahead);
        let builder = &mut self.code.builder;
        builder.ins().brif(found, done, &[found.into()], fault, &[]);
        builder.switch_to_block(done);
        Some(self.code.builder.block_params(done)[0])
    }
}
