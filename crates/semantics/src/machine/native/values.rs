//! Values in machine code.

use labrys_program::{ConstantId, Function, FunctionId, GlobalId, Operand, Program, Type};

use super::super::Memory;
use super::algebra::{Emitting, Held};
use crate::Algebra;
use crate::constant::{Addresses, constant};
use crate::value::{IrValue, Operands};

/// Width of a value that code holds in a register.
pub(super) fn word_width(ty: Type) -> Option<u32> {
    ty.width().filter(|width| *width <= 64)
}

/// What the code's values and the program's constants give.
pub(super) struct CodeValues<'r> {
    pub(super) program: &'r Program,
    pub(super) function: &'r Function,
    pub(super) values: &'r [Option<IrValue<Held>>],
}

impl Operands<Emitting<'_, '_>> for CodeValues<'_> {
    fn value(&mut self, algebra: &mut Emitting<'_, '_>, operand: Operand) -> Option<IrValue<Held>> {
        match operand {
            Operand::Value(id) => self.values[id.index()].clone(),
            Operand::Constant(id) => self.constant(algebra, id),
        }
    }

    fn ty(&self, operand: Operand) -> Option<Type> {
        self.program.operand_type(self.function, operand)
    }
}

impl CodeValues<'_> {
    fn constant(
        &mut self,
        algebra: &mut Emitting<'_, '_>,
        id: ConstantId,
    ) -> Option<IrValue<Held>> {
        constant(algebra, self.program, id, self)
    }
}

impl Addresses<Emitting<'_, '_>> for CodeValues<'_> {
    fn global(&mut self, algebra: &mut Emitting<'_, '_>, id: GlobalId) -> Held {
        algebra.constant(64, u128::from(Memory::global(id)))
    }

    fn function(&mut self, algebra: &mut Emitting<'_, '_>, id: FunctionId) -> Held {
        algebra.constant(64, u128::from(Memory::function(id)))
    }
}

/// The widths of a value's parts.
pub(super) fn shape(value: &IrValue<Held>) -> IrValue<u32> {
    match value {
        IrValue::Scalar(held) => IrValue::Scalar(held.word.width()),
        IrValue::Parts(parts) => IrValue::Parts(parts.iter().map(shape).collect()),
    }
}

/// Which values something uses.
pub(super) fn used(function: &Function) -> Vec<bool> {
    let mut used = vec![false; function.values.len()];
    let mut note = |operand: Operand| {
        if let Operand::Value(id) = operand {
            used[id.index()] = true;
        }
    };
    for block in &function.blocks {
        let incoming = block.phis.iter().flat_map(|phi| &phi.incoming);
        incoming.for_each(|(_, operand)| note(*operand));
        for instruction in &block.instructions {
            instruction.operation.visit_operands(&mut note);
        }
        block.terminator.visit_operands(&mut note);
    }
    used
}
