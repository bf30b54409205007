//! Calls of functions that have no model: what they are given is counted by their names, since
//! nothing follows it there.
//!
//! A labelled argument counts, and so does a pointer that leads to labels, to a `FILE` that reads
//! an input or to the name of one; whether it does is found when the call is made.

use labrys_abi::{Cause, Intrinsic, Meta};
use labrys_library::{Access, Extent, Loss, Mark, function, loss, named};

use labrys_llvm::{LLVMIntPredicate, Value};

use super::PREFIX;
use super::emit::Emitter;
use super::labels::Labels;
use super::objects::Objects;
use super::types::{is_function, is_pointer};

/// Whether nothing gets lost in a function, whatever it is given.
pub(super) fn loses_nothing(name: &str) -> bool {
    loss(name) == Loss::Nothing
}

/// A step on one call of a function without a model.
pub(super) struct External<'s, 'm> {
    pub(super) emit: &'s Emitter<'m>,
    pub(super) objects: &'s Objects<'s, 'm>,
    pub(super) labels: &'s mut Labels<'m>,
    /// Whether the call is in a library model.
    pub(super) model: bool,
}

impl<'m> External<'_, 'm> {
    /// Counts what a call gives to the function of this name and number.
    pub(super) fn call(self, i: Value<'m>, name: &str, number: u32) {
        if named(name, Mark::ReturnsTwice) {
            return self.save_place(i);
        }
        if let (true, [_, value]) = (named(name, Mark::Jumps), &i.arguments()[..]) {
            return self.jump_back(i, *value);
        }
        let emit = self.emit;
        emit.before(i);
        let arguments = i.arguments().into_iter();
        for (argument, label) in arguments.flat_map(|one| self.labels.parts(emit, one)) {
            let value = emit.bits(argument);
            if self.model && is_pointer(argument.ty()) {
                // Models give the library places at which it is to look.
                let cause = emit.u32(Cause::LibraryArgument as u32);
                let _ = emit.call("lost", &[cause, emit.u32(number), label, value]);
                continue;
            }
            let text = emit.name_of(name);
            let _ = emit.call("taken", &[text, emit.u32(number), label, value]);
        }
        // Models say themselves what they do not see.
        if !self.model {
            self.report(i, name);
        }
    }

    /// Has the runtime look at what the function is given; the emitter stands at the call.
    fn report(&self, i: Value<'m>, name: &str) {
        let (emit, module) = (self.emit, self.emit.module());
        let text = || emit.name_of(name);
        let call = |slow: &str, arguments: &[Value<'m>]| {
            let types: Vec<_> = arguments.iter().map(|a| a.ty()).collect();
            let slow = module.declare(&format!("{PREFIX}slow_{slow}"), module.void(), &types);
            let _ = emit.builder().call(slow, arguments);
        };
        let arguments = i.arguments();
        let slow = match loss(name) {
            Loss::Nothing => return,
            Loss::Elsewhere => return call("reads", &[text()]),
            Loss::Descriptor(position) => match arguments.get(position) {
                Some(fd) => return call("descriptor", &[text(), emit.bits(*fd)]),
                None => "given",
            },
            Loss::ByName => "named",
            Loss::Given => "given",
        };
        let row = function(name);
        for (index, argument) in arguments.into_iter().enumerate() {
            let skipped = self.objects.is_concrete(argument) || is_function(argument);
            if !is_pointer(argument.ty()) || skipped {
                continue;
            }
            match row.map_or(Access::Unknown, |row| row.access(index)) {
                Access::Writes(_) => {}
                Access::Reads(Extent::Bytes(bytes)) | Access::Changes(Extent::Bytes(bytes)) => {
                    call("given_bytes", &[text(), argument, emit.u64(bytes)]);
                }
                _ => call(slow, &[text(), argument]),
            }
        }
    }

    /// A call that returns again: what it returns is an argument of the jump.
    fn save_place(self, i: Value<'m>) {
        let emit = self.emit;
        if !emit.after_return(i) {
            return;
        }
        let taken = emit.call("entered", &[self.jump()]);
        let arguments = [taken, emit.u32(0), emit.u32(32), emit.bits(i)];
        let label = emit.call("param", &arguments);
        self.labels.set(i, label);
    }

    /// A call that makes another one return again, with 1 in place of 0.
    fn jump_back(&self, i: Value<'m>, value: Value<'m>) {
        let Some(label) = self.labels.of(value) else {
            return;
        };
        let (emit, builder) = (self.emit, self.emit.builder());
        emit.before(i);
        let (given, one) = (emit.bits(value), emit.u64(1));
        let none = builder.compare(LLVMIntPredicate::LLVMIntEQ, given, emit.u64(0));
        let returned = builder.select(none, one, given);
        let meta = emit.u64(Meta::new(Intrinsic::UMax as u8, 32, 0).0);
        let arguments = [meta, label, emit.u32(0), given, one, returned];
        let label = emit.call("intrinsic", &arguments);
        let _ = emit.call("pass1", &[self.jump(), label]);
    }

    /// Whose argument a jump passes.
    fn jump(&self) -> Value<'m> {
        let module = self.emit.module();
        module.declare(
            "longjmp",
            module.void(),
            &[module.pointer(), module.int(32)],
        )
    }
}
