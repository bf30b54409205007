//! The frames of the functions that are executed, and the values in them.

use std::rc::Rc;

use labrys_expr::Value;
use labrys_program::{Function, FunctionId, GlobalId, Operand, Program, Type, ValueId};

use super::ConcreteValue;
use super::memory::Memory;
use super::native::Compiled;
use crate::algebra::Concrete;
use crate::constant::{Addresses, constant};
use crate::value::Operands;

struct MachineFrame {
    function: FunctionId,
    /// Values by id; those behind the end are not computed yet.
    values: Vec<Option<ConcreteValue>>,
    objects: Vec<u64>,
    /// The machine code that executes the function.
    code: Option<Rc<Compiled>>,
}

/// The frames, the innermost last.
#[derive(Default)]
pub(super) struct Frames {
    stack: Vec<MachineFrame>,
}

impl Frames {
    pub(super) fn push(
        &mut self,
        function: FunctionId,
        values: Vec<Option<ConcreteValue>>,
        code: Option<Rc<Compiled>>,
    ) {
        self.stack.push(MachineFrame {
            function,
            values,
            objects: Vec::new(),
            code,
        });
    }

    /// Ends the innermost frame; its objects.
    pub(super) fn pop(&mut self) -> Vec<u64> {
        self.stack
            .pop()
            .map_or_else(Vec::new, |frame| frame.objects)
    }

    /// The number of frames.
    pub(super) fn count(&self) -> usize {
        self.stack.len()
    }

    /// The depth of the innermost frame.
    pub(super) fn depth(&self) -> usize {
        self.stack.len() - 1
    }

    /// The function of the innermost frame.
    pub(super) fn function(&self) -> Option<FunctionId> {
        self.stack.last().map(|frame| frame.function)
    }

    /// The code of the innermost frame.
    pub(super) fn code(&self) -> Option<Rc<Compiled>> {
        self.stack.last()?.code.clone()
    }

    /// A value of the innermost frame.
    pub(super) fn value(&self, id: ValueId) -> Option<&ConcreteValue> {
        self.stack.last()?.values.get(id.index())?.as_ref()
    }

    /// Sets a value of the innermost frame.
    pub(super) fn set(&mut self, id: ValueId, value: Option<ConcreteValue>) {
        if let Some(frame) = self.stack.last_mut() {
            if frame.values.len() <= id.index() {
                frame.values.resize(id.index() + 1, None);
            }
            frame.values[id.index()] = value;
        }
    }

    /// An object lives as long as the innermost frame.
    pub(super) fn own(&mut self, object: u64) {
        if let Some(frame) = self.stack.last_mut() {
            frame.objects.push(object);
        }
    }

    /// The values of the innermost frame, which executes `function`.
    pub(super) fn view<'m>(
        &'m self,
        program: &'m Program,
        function: &'m Function,
    ) -> FrameView<'m> {
        FrameView {
            program,
            function,
            values: self.stack.last().map_or(&[], |frame| &frame.values),
        }
    }
}

/// What a frame's values and the program's constants give.
pub(super) struct FrameView<'m> {
    program: &'m Program,
    pub(super) function: &'m Function,
    values: &'m [Option<ConcreteValue>],
}

impl Operands<Concrete> for FrameView<'_> {
    fn value(&mut self, algebra: &mut Concrete, operand: Operand) -> Option<ConcreteValue> {
        match operand {
            Operand::Value(id) => self.values.get(id.index())?.clone(),
            Operand::Constant(id) => constant(algebra, self.program, id, self),
        }
    }

    fn ty(&self, operand: Operand) -> Option<Type> {
        self.program.operand_type(self.function, operand)
    }
}

impl Addresses<Concrete> for FrameView<'_> {
    fn global(&mut self, _: &mut Concrete, id: GlobalId) -> Value {
        Value::new(64, u128::from(Memory::global(id)))
    }

    fn function(&mut self, _: &mut Concrete, id: FunctionId) -> Value {
        Value::new(64, u128::from(Memory::function(id)))
    }
}
