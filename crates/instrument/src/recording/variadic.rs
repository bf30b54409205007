//! Variable arguments: the caller tells where each lies and its label, `va_start` takes them.
//!
//! Places follow the x86-64 System V calling convention: six general registers, eight floating
//! ones, the rest in words on the stack.

use labrys_abi::Cause;

use labrys_llvm::{LLVMOpcode, LLVMTypeKind, Module, Value};

use super::emit::Emitter;
use super::labels::Labels;
use super::types::{scalars, width};

/// Variable arguments of a call that may have labels.
const MOST: usize = 32;
/// Added to places on the stack.
const STACK: u32 = 0x1000;
const GENERAL: u32 = 6;
const FLOATING: u32 = 8;
/// Bytes of a vector that is passed in a register.
const REGISTER: u64 = 16;

/// What the arguments so far have used up.
#[derive(Default)]
struct Places {
    general: u32,
    floating: u32,
    stack: u32,
}

impl Places {
    /// The place of the next argument.
    fn next(&mut self, module: &Module, argument: Value<'_>, by_value: Option<u64>) -> u32 {
        if let Some(size) = by_value {
            return self.on_stack(size as u32, 8);
        }
        let size = module.store_size_of(argument.ty());
        match argument.ty().kind() {
            LLVMTypeKind::LLVMVectorTypeKind if size > REGISTER => {
                self.on_stack(size as u32, size as u32)
            }
            LLVMTypeKind::LLVMFloatTypeKind
            | LLVMTypeKind::LLVMDoubleTypeKind
            | LLVMTypeKind::LLVMHalfTypeKind
            | LLVMTypeKind::LLVMBFloatTypeKind
            | LLVMTypeKind::LLVMFP128TypeKind
            | LLVMTypeKind::LLVMVectorTypeKind => {
                if self.floating < FLOATING {
                    self.floating += 1;
                    return GENERAL * 8 + 16 * (self.floating - 1);
                }
                let size = size.next_multiple_of(8) as u32;
                self.on_stack(size, size)
            }
            LLVMTypeKind::LLVMX86_FP80TypeKind => self.on_stack(16, 16),
            _ if width(argument.ty()).is_some_and(|w| w > 64) => {
                if self.general + 2 <= GENERAL {
                    self.general += 2;
                    return 8 * (self.general - 2);
                }
                self.on_stack(16, 16)
            }
            _ if self.general < GENERAL => {
                self.general += 1;
                8 * (self.general - 1)
            }
            _ => self.on_stack(8, 8),
        }
    }

    fn on_stack(&mut self, size: u32, alignment: u32) -> u32 {
        let start = self.stack.next_multiple_of(alignment);
        self.stack = start + size.next_multiple_of(8);
        STACK + start
    }
}

/// Leaves the labels of the arguments behind the `fixed` ones; the emitter stands at the call.
pub(super) fn pass<'m>(
    emit: &Emitter<'m>,
    labels: &Labels<'m>,
    i: Value<'m>,
    fixed: usize,
    number: u32,
) {
    let arguments = i.arguments();
    if labels.none(&arguments[fixed..]) {
        return;
    }
    let mut places = Places::default();
    let mut count = 0;
    for (position, argument) in arguments.into_iter().enumerate() {
        let size = emit.module().by_value_argument_size(i, position);
        // Fixed arguments on the stack lie before those of the list.
        let place = places.next(emit.module(), argument, size);
        if position < fixed {
            places.stack = 0;
            continue;
        }
        let label = labels.of(argument);
        let fits = scalars(argument.ty()).len() == 1
            && width(argument.ty()).is_some_and(|w| w <= 64)
            && size.is_none()
            && count < MOST;
        if fits {
            let arguments = [emit.u32(count as u32), emit.u32(place), emit.label(label)];
            let _ = emit.call("variadic", &arguments);
            count += 1;
            continue;
        }
        for (part, label) in labels.parts(emit, argument) {
            let cause = emit.u32(Cause::Vararg as u32);
            let value = emit.bits(part);
            let _ = emit.call("lost", &[cause, emit.u32(number), label, value]);
        }
    }
    let _ = emit.call("pass_variadic", &[i.called(), emit.u32(count as u32)]);
}

/// The variable arguments of the function at hand.
#[derive(Default)]
pub(super) struct Variadic<'m> {
    /// Serial number of their labels.
    serial: Option<Value<'m>>,
}

impl<'m> Variadic<'m> {
    /// Takes the serial number of the labels left for the function, if its blocks use them.
    pub(super) fn enter(
        emit: &Emitter<'m>,
        function: Value<'m>,
        first: Value<'m>,
        blocks: &[Vec<Value<'m>>],
    ) -> Self {
        let starts = |i: &Value<'m>| {
            i.opcode() == LLVMOpcode::LLVMCall && i.called().name().starts_with("llvm.va_start")
        };
        let serial = blocks.iter().flatten().any(starts).then(|| {
            emit.before(first);
            emit.call("enter_variadic", &[function])
        });
        Variadic { serial }
    }

    /// `va_start` and `va_copy`.
    pub(super) fn intrinsic(&self, emit: &Emitter<'m>, i: Value<'m>, name: &str) {
        emit.after(i);
        if name.starts_with("llvm.va_start") {
            let serial = self.serial.unwrap_or_else(|| emit.u64(0));
            let _ = emit.call("va_start", &[i.operand(0), serial]);
        } else if name.starts_with("llvm.va_copy") {
            let _ = emit.call("va_copy", &[i.operand(0)]);
        }
    }
}
