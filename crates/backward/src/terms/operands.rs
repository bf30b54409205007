//! The value of an operand at a place of the path, as an expression over what the path requires
//! from before.

use labrys_analysis::{Definition, ProgramAnalysis};
use labrys_expr::{ExprId, Pool};
use labrys_library::{Mark, named};
use labrys_program::{
    Callee, Constant, ConstantId, FunctionId, GlobalId, Operand, Operation, Program, Type, ValueId,
};
use labrys_semantics::{
    Addresses, IrValue, LibraryMeaning, Operands, Symbolic, constant, havocked, meaning,
};
use rustc_hash::FxHashMap;

use crate::assumptions::Assumptions;

use super::objects::{Description, ObjectKind, Objects};
use super::{Frame, SymbolicValue};

/// Operations that one expression follows back; beyond, a value gets a symbol.
const MAX_DEPTH: u32 = 400;

/// Values that are known otherwise than by their definitions.
pub(crate) type Overrides = FxHashMap<ValueId, SymbolicValue>;

/// Reads operands of one frame.
pub(super) struct OperandReader<'b, 'p> {
    analysis: &'p ProgramAnalysis<'p>,
    objects: &'b mut Objects,
    assumed: &'b mut Assumptions,
    frame: &'b mut Frame,
    overrides: &'b Overrides,
    /// Values computed for this operand; expressions share what they have in common.
    known: FxHashMap<ValueId, Option<SymbolicValue>>,
    depth: u32,
}

impl Operands<Symbolic<'_>> for OperandReader<'_, '_> {
    fn value(&mut self, symbolic: &mut Symbolic<'_>, operand: Operand) -> Option<SymbolicValue> {
        match operand {
            Operand::Constant(id) => {
                let program: &Program = self.analysis.program();
                constant(symbolic, program, id, self)
            }
            Operand::Value(value) => self.read(symbolic, value),
        }
    }

    fn ty(&self, operand: Operand) -> Option<Type> {
        let function = self.analysis.function(self.frame.function());
        self.analysis.program().operand_type(function, operand)
    }
}

impl<'b, 'p> OperandReader<'b, 'p> {
    pub(super) fn new(
        analysis: &'p ProgramAnalysis<'p>,
        objects: &'b mut Objects,
        assumed: &'b mut Assumptions,
        frame: &'b mut Frame,
        overrides: &'b Overrides,
    ) -> Self {
        OperandReader {
            analysis,
            objects,
            assumed,
            frame,
            overrides,
            known: FxHashMap::default(),
            depth: 0,
        }
    }

    fn read(&mut self, symbolic: &mut Symbolic<'_>, value: ValueId) -> Option<SymbolicValue> {
        let overridden = self.overrides.get(&value);
        if let Some(known) = overridden.or_else(|| self.frame.get(value)) {
            return Some(known.clone());
        }
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        let found = self.define(symbolic, value);
        self.known.insert(value, found.clone());
        found
    }

    fn define(&mut self, symbolic: &mut Symbolic<'_>, value: ValueId) -> Option<SymbolicValue> {
        let id = self.frame.function();
        let function = self.analysis.function(id);
        let ty = function.value_type(value)?;
        let body = self.analysis.body(id);
        if body.frame_objects().contains(&value) {
            return Some(IrValue::Scalar(self.stack_object(symbolic, value)));
        }
        if let Definition::Instruction(..) = body.definition(value) {
            if self.depth < MAX_DEPTH {
                let instruction = self.analysis.defining(id, value)?;
                self.depth += 1;
                self.assumed.note_operation(&instruction.operation);
                instruction.operation.visit_operands(&mut |operand| {
                    if let Operand::Value(value) = operand {
                        self.read(symbolic, value);
                    }
                });
                let next = *symbolic.next;
                let found = meaning(symbolic, &instruction.operation, ty, self);
                self.depth -= 1;
                // What may be several values is one wherever it is read: it gets a symbol.
                let is_any = *symbolic.next != next;
                if found.is_some() && !(is_any && self.is_one_value(&instruction.operation)) {
                    return found;
                }
            }
        }
        let fresh = havocked(symbolic, self.analysis.program(), ty)?;
        self.name_object(symbolic.pool, value, &fresh);
        self.frame.set(value, fresh.clone());
        Some(fresh)
    }

    /// Whether the result of an operation is the same wherever it is read. An undefined constant is
    /// not, nor what is computed of one, unless it is frozen.
    fn is_one_value(&self, operation: &Operation) -> bool {
        let program = self.analysis.program();
        let mut one = true;
        operation.visit_operands(&mut |operand| match operand {
            Operand::Constant(id) => one &= !is_undefined(program, id),
            Operand::Value(_) => {}
        });
        one || matches!(operation, Operation::Freeze(_))
    }

    fn stack_object(&mut self, symbolic: &mut Symbolic<'_>, value: ValueId) -> ExprId {
        let id = self.frame.function();
        let analysis = self.analysis;
        let kind = ObjectKind::Stack(self.frame.id(), value);
        self.objects.address(symbolic, kind, || {
            let size =
                analysis
                    .defining(id, value)
                    .and_then(|instruction| match &instruction.operation {
                        Operation::Allocate { size, count, .. } => {
                            Some(size.saturating_mul(constant_count(analysis.program(), *count)?))
                        }
                        _ => None,
                    });
            Description {
                size,
                private: analysis.body(id).is_private(value),
                function: Some(id),
                ..Description::default()
            }
        })
    }

    /// The result of an allocation is the address of an object.
    fn name_object(&mut self, pool: &Pool, value: ValueId, symbol: &SymbolicValue) {
        let id = self.frame.function();
        let (Some(instruction), Some(symbol)) =
            (self.analysis.defining(id, value), symbol.scalar())
        else {
            return;
        };
        let object = match &instruction.operation {
            Operation::Allocate { .. } => Some((ObjectKind::Heap(self.frame.id(), value), None)),
            Operation::Call {
                callee: Callee::Direct(callee),
                arguments,
                ..
            } => self.object_of_call(value, *callee, arguments),
            _ => None,
        };
        if let Some((kind, size)) = object {
            let description = Description {
                size,
                constant: matches!(kind, ObjectKind::CharacterPointer(..)),
                ..Description::default()
            };
            self.objects.add(pool, kind, symbol, description);
        }
    }

    /// The object, with its size, to which the result of a call points.
    fn object_of_call(
        &self,
        value: ValueId,
        callee: FunctionId,
        arguments: &[Operand],
    ) -> Option<(ObjectKind, Option<u64>)> {
        let frame = self.frame.id();
        let called = self.analysis.function(callee);
        if named(&called.name, Mark::ErrorNumber) {
            return Some((ObjectKind::Errno(frame, value), Some(4)));
        }
        if called.defined {
            let is_new = self.analysis.gives_new_object(callee);
            return is_new.then_some((ObjectKind::Heap(frame, value), None));
        }
        if self.analysis.character_table(&called.name).is_some() {
            let kind = ObjectKind::CharacterPointer(frame, value, callee);
            return Some((kind, Some(8)));
        }
        match LibraryMeaning::of(&called.name)? {
            LibraryMeaning::Allocates { fails: true, .. } => {
                Some((ObjectKind::Heap(frame, value), None))
            }
            LibraryMeaning::Allocates { fails: false, .. } => {
                let size = arguments.first();
                let size = size.and_then(|size| constant_count(self.analysis.program(), *size));
                Some((ObjectKind::Made(frame, value), size))
            }
            _ => None,
        }
    }
}

impl Addresses<Symbolic<'_>> for OperandReader<'_, '_> {
    fn global(&mut self, symbolic: &mut Symbolic<'_>, id: GlobalId) -> ExprId {
        self.objects.global_address(symbolic, self.analysis, id)
    }

    fn function(&mut self, symbolic: &mut Symbolic<'_>, id: FunctionId) -> ExprId {
        self.objects.function_address(symbolic, self.analysis, id)
    }
}

/// The number of elements of an allocation, where it is a constant.
fn constant_count(program: &Program, count: Operand) -> Option<u64> {
    let Operand::Constant(id) = count else {
        return None;
    };
    match program.constant(id)? {
        Constant::Int { bits, .. } => u64::try_from(*bits).ok(),
        _ => None,
    }
}

/// Whether a constant, or a part of it, is undefined.
fn is_undefined(program: &Program, id: ConstantId) -> bool {
    match program.constant(id) {
        Some(Constant::Undefined(_) | Constant::Poison(_)) => true,
        Some(constant) => constant
            .children()
            .into_iter()
            .any(|child| child < id && is_undefined(program, child)),
        None => false,
    }
}
