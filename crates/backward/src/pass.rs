//! Passing an instruction backward: what holds before it, given what must hold after it
//! (dissertation, algorithm 4.2, with memory).

use labrys_expr::ExprId;
use labrys_program::{Instruction, Intrinsic, Operand, Operation};
use labrys_semantics::{Algebra, pack, unpack};

use crate::demand::{Base, Overrides};
use crate::memory::{Content, Write};
use crate::state::{Known, Skip, State};

/// What came of a step.
#[derive(Debug)]
pub(crate) enum Step {
    /// The state is before the instruction.
    Done,
    /// No run takes this path.
    Dead,
    /// The step has several ways; these are all.
    Fork(Vec<State>),
    /// The step cannot be taken under a guard.
    Refused,
}

/// The circumstances of a step.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// Values that are known otherwise.
    pub(crate) overrides: &'a Overrides,
    /// Whether the instruction is executed at all; `None`: it is.
    pub(crate) guard: Option<ExprId>,
}

impl Base<'_> {
    /// An operand in the top frame.
    pub(crate) fn top(
        &mut self,
        state: &mut State,
        context: Context<'_>,
        operand: Operand,
    ) -> Option<ExprId> {
        self.scalar(state.frame_mut(), context.overrides, operand)
    }

    /// Takes the symbols of a value that is defined here, if the path uses it.
    pub(crate) fn used(&mut self, state: &mut State, instruction: &Instruction) -> Option<Known> {
        let result = instruction.result?;
        state.frame_mut().env.remove(&result)
    }

    /// Passes an instruction that is no call.
    pub(crate) fn pass(
        &mut self,
        state: &mut State,
        context: Context<'_>,
        instruction: &Instruction,
    ) -> Step {
        match &instruction.operation {
            Operation::Load { address, size, .. } => {
                let Some(used) = self.used(state, instruction) else {
                    return Step::Done;
                };
                self.pass_load(state, context, &used, *address, *size);
                Step::Done
            }
            Operation::Store {
                address,
                value,
                size,
                ..
            } => {
                self.pass_store(state, context, *address, *value, *size);
                Step::Done
            }
            Operation::Intrinsic {
                intrinsic,
                arguments,
            } if intrinsic.writes_memory() => {
                self.pass_block_write(state, context, *intrinsic, arguments);
                Step::Done
            }
            Operation::Intrinsic {
                intrinsic,
                arguments,
            } => self.pass_intrinsic(state, context, *intrinsic, arguments, instruction),
            Operation::Allocate { .. } => {
                // The address stays a symbol; what was in the object is anything.
                if let Some(used) = self.used(state, instruction) {
                    self.forget_object(state, &used);
                }
                Step::Done
            }
            Operation::VariableArgument(_) | Operation::Opaque { .. } => {
                self.pass_opaque(state, instruction);
                Step::Done
            }
            operation => {
                let Some(used) = self.used(state, instruction) else {
                    return Step::Done;
                };
                let ty = self.result_type(state, instruction);
                let value = self.result(state.frame_mut(), context.overrides, operation, ty);
                self.bind(state, &used, value.as_ref());
                Step::Done
            }
        }
    }

    pub(crate) fn result_type(
        &self,
        state: &State,
        instruction: &Instruction,
    ) -> labrys_program::Type {
        let function = self.image.function(state.function());
        let ty = instruction.result.and_then(|one| function.value_type(one));
        ty.unwrap_or_default()
    }

    fn pass_load(
        &mut self,
        state: &mut State,
        context: Context<'_>,
        used: &Known,
        address: Operand,
        size: u64,
    ) {
        let address = self.top(state, context, address);
        let (Some(address), Some(scalar), 1..=16) = (address, used.scalar(), size) else {
            state.skip(Skip::Opaque("a load of an aggregate".to_owned()));
            return;
        };
        self.not_null(state, address, context.guard);
        let bits = self.read(state, address, size as u32);
        let width = self.pool.width(scalar);
        let mut symbolic = self.symbolic();
        let value = unpack(&mut symbolic, bits, labrys_program::Type::Int(width));
        if let Some(value) = value {
            self.substitute(state, &[(scalar, value)]);
        }
    }

    fn pass_store(
        &mut self,
        state: &mut State,
        context: Context<'_>,
        address: Operand,
        value: Operand,
        size: u64,
    ) {
        if state.reads.is_empty() {
            return;
        }
        let Some(address) = self.top(state, context, address) else {
            return self.write_anywhere(state, "a store to an address without a model");
        };
        self.not_null(state, address, context.guard);
        let content = match self.top(state, context, value) {
            Some(value) => Content::Scalar(pack(&mut self.symbolic(), value)),
            None => Content::Anything,
        };
        let length = self.pool.constant(64, u128::from(size));
        let write = Write {
            address,
            length,
            content,
            guard: context.guard,
        };
        self.write(state, &write);
    }

    fn write_anywhere(&mut self, state: &mut State, why: &str) {
        state.reads.clear();
        state.skip(Skip::Opaque(why.to_owned()));
    }

    /// `memset`, `memcpy` and their kin.
    fn pass_block_write(
        &mut self,
        state: &mut State,
        context: Context<'_>,
        intrinsic: Intrinsic,
        arguments: &[Operand],
    ) {
        use Intrinsic as I;
        if state.reads.is_empty() {
            return;
        }
        let argument = |base: &mut Self, state: &mut State, index: usize| {
            base.top(state, context, *arguments.get(index)?)
        };
        let copies = matches!(
            intrinsic,
            I::MemoryCopy | I::MemoryCopyInline | I::MemoryMove
        );
        let fills = matches!(intrinsic, I::MemorySet | I::MemorySetInline);
        let parts = (
            argument(self, state, 0),
            argument(self, state, 1),
            argument(self, state, 2),
        );
        let (true, (Some(address), Some(second), Some(length))) = (copies || fills, parts) else {
            return self.write_anywhere(state, intrinsic.name());
        };
        let length = self.symbolic().resize(length, 64);
        let content = if copies {
            Content::Copy(second)
        } else {
            Content::Fill(second)
        };
        let write = Write {
            address,
            length,
            content,
            guard: context.guard,
        };
        self.write(state, &write);
    }

    fn pass_intrinsic(
        &mut self,
        state: &mut State,
        context: Context<'_>,
        intrinsic: Intrinsic,
        arguments: &[Operand],
        instruction: &Instruction,
    ) -> Step {
        use Intrinsic as I;
        match intrinsic {
            I::Trap | I::SanitizerTrap if context.guard.is_none() => return Step::Dead,
            I::Trap | I::SanitizerTrap | I::DebugTrap => return Step::Refused,
            // What the compiler assumes is a promise of the program; nothing checks it.
            I::Assume => return Step::Done,
            _ => {}
        }
        let Some(used) = self.used(state, instruction) else {
            return Step::Done;
        };
        let ty = self.result_type(state, instruction);
        let operation = &instruction.operation;
        let value = match intrinsic {
            I::ThreadLocalAddress => {
                let first = arguments.first().copied();
                first.and_then(|one| self.value(state.frame_mut(), context.overrides, one))
            }
            _ => self.result(state.frame_mut(), context.overrides, operation, ty),
        };
        if value.is_none() {
            state.skip(Skip::Opaque(intrinsic.name().to_owned()));
        }
        self.bind(state, &used, value.as_ref());
        Step::Done
    }

    fn pass_opaque(&mut self, state: &mut State, instruction: &Instruction) {
        let used = self.used(state, instruction).is_some();
        let (writes, why) = match &instruction.operation {
            Operation::Opaque {
                reason,
                writes_memory,
                ..
            } => (*writes_memory, reason.to_string()),
            _ => (true, "variable arguments".to_owned()),
        };
        let mut concerned = used;
        if writes {
            let effects = self.image.outside_effects();
            concerned |= self.touches(effects, state);
            self.havoc(state, effects);
        }
        if concerned {
            state.skip(Skip::Opaque(why));
        }
    }

    /// An object begins here: what was read from it before anything was written is anything.
    pub(crate) fn forget_object(&mut self, state: &mut State, address: &Known) {
        let Some(address) = address.scalar() else {
            return;
        };
        let (pool, objects) = (&mut self.pool, &self.objects);
        state.reads.retain(|read| {
            let root = objects.root(pool, read.address);
            root.is_none_or(|(object, _)| object.symbol != address)
        });
    }
}
