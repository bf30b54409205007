//! The values of operands and of operations without effects.

use labrys_analysis::Definition;
use labrys_expr::ExprId;
use labrys_program::{
    Constant, ConstantId, FunctionId, GlobalId, Operand, Operation, Program, Type, ValueId,
};
use labrys_semantics::environment::is_surrounding;
use labrys_semantics::{Addresses, IrValue, Operands, Symbolic, constant, havocked, meaning};
use rustc_hash::FxHashMap;

use super::{frame_object, is_pure};
use crate::terms::{FrameId, ObjectKind, SymbolicValue, Terms, Variable};

/// Values that one value is computed from, in each other.
const MAX_DEPTH: u32 = 300;

/// Operands whose values are known.
struct Known(Vec<(Operand, Option<SymbolicValue>, Option<Type>)>);

impl Operands<Symbolic<'_>> for Known {
    fn value(&mut self, _: &mut Symbolic<'_>, operand: Operand) -> Option<SymbolicValue> {
        let known = self.0.iter().find(|(known, ..)| *known == operand)?;
        known.1.clone()
    }

    fn ty(&self, operand: Operand) -> Option<Type> {
        self.0.iter().find(|(known, ..)| *known == operand)?.2
    }
}

/// Addresses of globals and functions that a constant names.
#[derive(Default)]
struct Named {
    globals: FxHashMap<GlobalId, ExprId>,
    functions: FxHashMap<FunctionId, ExprId>,
}

impl Addresses<Symbolic<'_>> for Named {
    fn global(&mut self, symbolic: &mut Symbolic<'_>, id: GlobalId) -> ExprId {
        let known = self.globals.get(&id).copied();
        known.unwrap_or_else(|| symbolic.fresh(64))
    }

    fn function(&mut self, symbolic: &mut Symbolic<'_>, id: FunctionId) -> ExprId {
        let known = self.functions.get(&id).copied();
        known.unwrap_or_else(|| symbolic.fresh(64))
    }
}

impl Named {
    fn collect(&mut self, terms: &mut Terms<'_>, program: &Program, id: ConstantId) {
        match program.constant(id) {
            Some(Constant::Global(global)) => {
                let object = terms.object_id(ObjectKind::Global(*global));
                self.globals.insert(*global, terms.object(object).address);
            }
            Some(Constant::Function(function)) => {
                let object = terms.object_id(ObjectKind::Function(*function));
                self.functions
                    .insert(*function, terms.object(object).address);
            }
            Some(constant) => {
                for child in constant.children().into_iter().filter(|child| *child < id) {
                    self.collect(terms, program, child);
                }
            }
            None => {}
        }
    }
}

/// The values of a block's places, by frame; `None` for those without a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    known: FxHashMap<(FrameId, ValueId), Option<SymbolicValue>>,
    depth: u32,
}

impl Values {
    /// A value that is defined at a place.
    pub(super) fn define(
        &mut self,
        frame: FrameId,
        value: ValueId,
        defined: Option<SymbolicValue>,
    ) {
        self.known.insert((frame, value), defined);
    }

    /// A value that was defined, or computed for others, in the block.
    pub(super) fn defined(&self, frame: FrameId, value: ValueId) -> Option<&SymbolicValue> {
        self.known.get(&(frame, value))?.as_ref()
    }

    /// The value of an operand in a frame; `None` if it has no model.
    pub(super) fn operand(
        &mut self,
        terms: &mut Terms<'_>,
        frame: FrameId,
        operand: Operand,
    ) -> Option<SymbolicValue> {
        match operand {
            Operand::Value(value) => self.value(terms, frame, value),
            Operand::Constant(id) => {
                let program = terms.program();
                if let Some(zero) = self.zero_of_definition(terms, frame, id) {
                    return Some(zero);
                }
                let mut named = Named::default();
                named.collect(terms, program, id);
                constant(&mut terms.symbolic(), program, id, &mut named)
            }
        }
    }

    /// While a path is tried, what is any value in the definition of a library function is 0: then
    /// it does what the function does.
    fn zero_of_definition(
        &self,
        terms: &mut Terms<'_>,
        frame: FrameId,
        id: ConstantId,
    ) -> Option<SymbolicValue> {
        let Some(Constant::Undefined(ty)) = terms.program().constant(id) else {
            return None;
        };
        let is_definition = terms.is_trial() && is_surrounding(&terms.function(frame).name);
        let width = ty.width().filter(|_| is_definition)?;
        Some(IrValue::Scalar(terms.constant(width, 0)))
    }

    /// The scalar value of an operand in a frame.
    pub(super) fn scalar(
        &mut self,
        terms: &mut Terms<'_>,
        frame: FrameId,
        operand: Operand,
    ) -> Option<ExprId> {
        self.operand(terms, frame, operand)?.scalar()
    }

    /// The value of an operation without effects.
    pub(super) fn result(
        &mut self,
        terms: &mut Terms<'_>,
        frame: FrameId,
        operation: &Operation,
        ty: Type,
    ) -> Option<SymbolicValue> {
        let function = terms.function(frame);
        let mut operands = Vec::new();
        operation.visit_operands(&mut |operand| operands.push(operand));
        let program = terms.program();
        let known = operands.into_iter().map(|operand| {
            let value = self.operand(terms, frame, operand);
            (operand, value, program.operand_type(function, operand))
        });
        let mut known = Known(known.collect());
        let value = meaning(&mut terms.symbolic(), operation, ty, &mut known);
        match operation {
            // Whatever the offset is: the object stays.
            Operation::Address { base, .. } => {
                value.or_else(|| self.somewhere_from(terms, frame, *base))
            }
            _ => value,
        }
    }

    /// An address at any offset from another one.
    fn somewhere_from(
        &mut self,
        terms: &mut Terms<'_>,
        frame: FrameId,
        base: Operand,
    ) -> Option<SymbolicValue> {
        let base = self.scalar(terms, frame, base)?;
        let offset = terms.fresh(64);
        Some(IrValue::Scalar(terms.pool_mut().add(base, offset)))
    }

    fn value(
        &mut self,
        terms: &mut Terms<'_>,
        frame: FrameId,
        value: ValueId,
    ) -> Option<SymbolicValue> {
        if let Some(known) = self.known.get(&(frame, value)) {
            return known.clone();
        }
        let found = self.before(terms, frame, value);
        self.known.insert((frame, value), found.clone());
        found
    }

    /// The value of a definition that control passed before the block.
    fn before(
        &mut self,
        terms: &mut Terms<'_>,
        frame: FrameId,
        value: ValueId,
    ) -> Option<SymbolicValue> {
        if let Some(address) = frame_object(terms, frame, value) {
            return Some(IrValue::Scalar(address));
        }
        if self.depth < MAX_DEPTH || self.is_address(terms, frame, value) {
            self.depth += 1;
            let found = self.computed(terms, frame, value);
            self.depth -= 1;
            if found.is_some() {
                return found;
            }
        }
        self.variable(terms, frame, value)
    }

    /// Whether a value is an address computed from another one: it never is a variable, so that the
    /// object that it is in is known.
    fn is_address(&self, terms: &Terms<'_>, frame: FrameId, value: ValueId) -> bool {
        let Definition::Instruction(block, index) = terms.definition(frame, value) else {
            return false;
        };
        let function = terms.function(frame);
        let instruction = &function.blocks[block.index()].instructions[index];
        matches!(instruction.operation, Operation::Address { .. })
    }

    /// The value, if it is computed from others that are known at the same place.
    fn computed(
        &mut self,
        terms: &mut Terms<'_>,
        frame: FrameId,
        value: ValueId,
    ) -> Option<SymbolicValue> {
        let function = terms.function(frame);
        let ty = function.value_type(value)?;
        match terms.definition(frame, value) {
            Definition::Parameter => self.argument(terms, frame, value, ty),
            Definition::Phi(_) => None,
            Definition::Instruction(block, index) => {
                let instruction = &function.blocks[block.index()].instructions[index];
                let operation = &instruction.operation;
                is_pure(operation).then(|| self.result(terms, frame, operation, ty))?
            }
        }
    }

    /// The value of a parameter: what the caller passes.
    fn argument(
        &mut self,
        terms: &mut Terms<'_>,
        frame: FrameId,
        value: ValueId,
        ty: Type,
    ) -> Option<SymbolicValue> {
        let function = terms.function(frame);
        let parameter = function.parameters.get(value.index())?;
        let (caller, (block, index)) = terms.frame(frame).caller?;
        let calling = terms.function(caller);
        let call = &calling.blocks[block.index()].instructions[index].operation;
        let Operation::Call { arguments, .. } = call else {
            return None;
        };
        let argument = *arguments.get(value.index())?;
        let program = terms.program();
        let fits = program.argument_fits(calling, arguments, function, value.index());
        (parameter.by_value.is_none() && parameter.ty == ty && fits)
            .then(|| self.operand(terms, caller, argument))?
    }

    /// The value as variables of the state.
    fn variable(
        &mut self,
        terms: &mut Terms<'_>,
        frame: FrameId,
        value: ValueId,
    ) -> Option<SymbolicValue> {
        let ty = terms.function(frame).value_type(value)?;
        let program = terms.program();
        let shape = havocked(&mut terms.symbolic(), program, ty)?;
        let mut part = 0;
        Some(self.renamed(terms, &shape, frame, value, &mut part))
    }

    fn renamed(
        &mut self,
        terms: &mut Terms<'_>,
        shape: &SymbolicValue,
        frame: FrameId,
        value: ValueId,
        part: &mut u32,
    ) -> SymbolicValue {
        match shape {
            IrValue::Scalar(id) => {
                let width = terms.pool().width(*id);
                let variable = Variable::Value(frame, value, *part);
                *part += 1;
                IrValue::Scalar(terms.variable(variable, width))
            }
            IrValue::Parts(parts) => {
                let parts = parts.iter();
                IrValue::Parts(
                    parts
                        .map(|shape| self.renamed(terms, shape, frame, value, part))
                        .collect(),
                )
            }
        }
    }
}
