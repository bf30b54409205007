//! Calls of functions that have no model: what they are given is counted by their names, since
//! nothing follows it there.
//!
//! A labelled argument counts, and so does a pointer that leads to labels, to a `FILE` that reads
//! an input or to the name of one; whether it does is found when the call is made.

use labrys_abi::{Intrinsic, Meta};
use labrys_library::{Loss, Mark, loss, named};

use labrys_llvm::{LLVMIntPredicate, LLVMTypeKind, LLVMValueKind, Value};

use super::PREFIX;
use super::function::FunctionPass;

/// Does nothing get lost in this function, whatever it is given?
pub(super) fn loses_nothing(name: &str) -> bool {
    loss(name) == Loss::Nothing
}

impl<'m> FunctionPass<'_, 'm> {
    /// A call that returns again: what it returns is an argument of the jump.
    fn save_place(&mut self, i: Value<'m>) {
        if !self.behind(i) {
            return;
        }
        let h = &self.pass.helpers;
        let taken = h.call("entered", &[self.jump()]);
        let label = h.call("param", &[taken, h.u32(0), h.u32(32), self.bits(i)]);
        self.set_label(i, label);
    }

    /// A call that makes another one return again, with 1 in place of 0.
    fn jump_back(&self, i: Value<'m>, value: Value<'m>) {
        let Some(label) = self.label_of(value) else {
            return;
        };
        let h = &self.pass.helpers;
        h.builder.before(i);
        let (given, one) = (self.bits(value), h.u64(1));
        let none = h
            .builder
            .compare(LLVMIntPredicate::LLVMIntEQ, given, h.u64(0));
        let returned = h.builder.select(none, one, given);
        let meta = h.u64(Meta::new(Intrinsic::UMax as u8, 32, 0).0);
        let label = h.call("intrinsic", &[meta, label, h.u32(0), given, one, returned]);
        let _ = h.call("pass1", &[self.jump(), label]);
    }

    /// Whose argument a jump passes.
    fn jump(&self) -> Value<'m> {
        let module = self.pass.module;
        module.declare(
            "longjmp",
            module.void(),
            &[module.pointer(), module.int(32)],
        )
    }

    /// Counts what a call gives to a function without a model.
    pub(super) fn external_call(&mut self, i: Value<'m>, name: &str, number: u32) {
        if named(name, Mark::ReturnsTwice) {
            return self.save_place(i);
        }
        let (h, module) = (&self.pass.helpers, self.pass.module);
        if let (true, [_, value]) = (named(name, Mark::Jumps), &i.arguments()[..]) {
            return self.jump_back(i, *value);
        }
        let labelled = i.arguments().into_iter();
        let labelled: Vec<_> = labelled
            .filter_map(|argument| Some((argument, self.label_of(argument)?)))
            .collect();
        let text = || self.pass.name_of(name);
        h.builder.before(i);
        for (argument, label) in labelled {
            let value = self.bits(argument);
            let _ = h.call("taken", &[text(), h.u32(number), label, value]);
        }
        // Models say themselves what they do not see.
        if self.model {
            return;
        }
        let call = |slow: &str, arguments: &[Value<'m>]| {
            let types: Vec<_> = arguments.iter().map(|a| a.ty()).collect();
            let slow = module.declare(&format!("{PREFIX}slow_{slow}"), module.void(), &types);
            let _ = h.builder.call(slow, arguments);
        };
        let arguments = i.arguments();
        let slow = match loss(name) {
            Loss::Nothing => return,
            Loss::Elsewhere => return call("reads", &[text()]),
            Loss::Descriptor(position) => match arguments.get(position) {
                Some(fd) => return call("descriptor", &[text(), self.bits(*fd)]),
                None => "given",
            },
            Loss::ByName => "named",
            Loss::Given => "given",
        };
        let pointers = arguments.into_iter().filter(|a| {
            a.ty().kind() == LLVMTypeKind::LLVMPointerTypeKind
                && !self.points_to_constant(*a)
                && !is_function(*a)
        });
        for argument in pointers {
            call(slow, &[text(), argument]);
        }
    }
}

pub(super) fn is_function(value: Value<'_>) -> bool {
    value.kind() == LLVMValueKind::LLVMFunctionValueKind
}
