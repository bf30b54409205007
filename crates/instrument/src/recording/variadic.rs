//! Variable arguments: the caller tells where each lies and its label, `va_start` takes them.
//!
//! Places follow the x86-64 System V calling convention: six general registers, eight floating
//! ones, the rest in words on the stack.

use labrys_abi::Cause;

use labrys_llvm::{LLVMTypeKind, Value};

use super::function::{FunctionPass, scalars, width};

/// Variable arguments of a call that may have labels.
const MOST: usize = 32;
/// Added to places on the stack.
const STACK: u32 = 0x1000;
const GENERAL: u32 = 6;
const FLOATING: u32 = 8;

/// What the arguments so far have used up.
#[derive(Default)]
struct Places {
    general: u32,
    floating: u32,
    stack: u32,
}

impl Places {
    /// The place of the next argument.
    fn next(&mut self, argument: Value<'_>, by_value: Option<u64>) -> u32 {
        if let Some(size) = by_value {
            return self.on_stack(size as u32, 8);
        }
        match argument.ty().kind() {
            LLVMTypeKind::LLVMFloatTypeKind | LLVMTypeKind::LLVMDoubleTypeKind => {
                if self.floating < FLOATING {
                    self.floating += 1;
                    return GENERAL * 8 + 16 * (self.floating - 1);
                }
                self.on_stack(8, 8)
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

impl<'m> FunctionPass<'_, 'm> {
    /// Leaves the labels of the arguments behind the `fixed` ones; the builder stands at the call.
    pub(super) fn pass_variadic(&self, i: Value<'m>, callee: Value<'m>, fixed: usize, number: u32) {
        let h = &self.pass.helpers;
        let arguments = i.arguments();
        if arguments[fixed..]
            .iter()
            .all(|a| self.label_of(*a).is_none())
        {
            return;
        }
        let mut places = Places::default();
        let mut count = 0;
        for (position, argument) in arguments.into_iter().enumerate() {
            let size = self.pass.module.by_value_argument_size(i, position);
            // Fixed arguments on the stack lie before those of the list.
            let place = places.next(argument, size);
            if position < fixed {
                places.stack = 0;
                continue;
            }
            let label = self.label_of(argument);
            let fits = scalars(argument.ty()).len() == 1
                && width(argument.ty()).is_some_and(|w| w <= 64)
                && size.is_none()
                && count < MOST;
            if fits {
                let arguments = [h.u32(count as u32), h.u32(place), self.operand(label)];
                let _ = h.call("variadic", &arguments);
                count += 1;
            } else if let Some(label) = label {
                let cause = h.u32(Cause::Vararg as u32);
                let value = self.bits(argument);
                let _ = h.call("lost", &[cause, h.u32(number), label, value]);
            }
        }
        let _ = h.call("pass_variadic", &[callee, h.u32(count as u32)]);
    }

    /// Takes the serial number of the labels left for this function, if it uses them.
    pub(super) fn enter_variadic(&mut self, entry: &[Value<'m>], work: &[Vec<Value<'m>>]) {
        let starts = |i: &Value<'m>| is_call(*i) && i.called().name().starts_with("llvm.va_start");
        let Some(first) = entry.first() else {
            return;
        };
        if work.iter().flatten().any(starts) {
            let h = &self.pass.helpers;
            h.builder.before(*first);
            self.serial = Some(h.call("enter_variadic", &[self.function]));
        }
    }

    /// `va_start` and `va_copy`.
    pub(super) fn variadic_intrinsic(&mut self, i: Value<'m>, name: &str) {
        self.after(i);
        let h = &self.pass.helpers;
        if name.starts_with("llvm.va_start") {
            let serial = self.serial.unwrap_or_else(|| h.u64(0));
            let _ = h.call("va_start", &[i.operand(0), serial]);
        } else if name.starts_with("llvm.va_copy") {
            let _ = h.call("va_copy", &[i.operand(0)]);
        }
    }
}

fn is_call(i: Value<'_>) -> bool {
    i.opcode() == labrys_llvm::LLVMOpcode::LLVMCall
}
