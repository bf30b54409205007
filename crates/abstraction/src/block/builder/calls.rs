//! Calls: a function of the program is entered, as long as the stack stays small; else its effects
//! are havocked, and what it may run escapes.

use labrys_analysis::Effects;
use labrys_expr::ExprId;
use labrys_program::{Callee, Constant, FunctionId, Operand};

use super::super::{Escape, Request};
use super::{Arrival, At, Builder, Next};
use crate::guard::Guard;
use crate::memory::Memory;
use crate::terms::{Frame, FrameId, ObjectKind};

/// Frames of one function in a stack.
const MAX_RECURSION: usize = 2;
/// Frames of a stack.
const MAX_FRAMES: usize = 48;
/// Functions that a pointer may be of and that are entered.
const MAX_CANDIDATES: usize = 12;

/// The same of a function by itself; and the blocks of a function that it enters.
const UNIT_FRAMES: usize = 3;
const UNIT_CANDIDATES: usize = 2;
const UNIT_BLOCKS: usize = 40;

impl Builder<'_, '_> {
    /// A call at a place.
    pub(super) fn call(
        &mut self,
        at: At,
        callee: Callee,
        arguments: &[Operand],
        guard: &mut Guard,
        memory: &mut Memory,
    ) -> Next {
        let named = self
            .named_callee(callee)
            .or_else(|| self.pointed_callee(at, callee));
        match named {
            Some(id) if self.terms.analysis().function(id).defined => {
                self.enter_or_skip(at, id, arguments, guard, memory)
            }
            Some(id) => self.library_call(at, id, arguments, guard, memory),
            None => self.indirect(at, callee, arguments, guard, memory),
        }
    }

    /// An exception may leave the call at a place, whatever it did until then.
    pub(super) fn unwind(
        &mut self,
        at: At,
        callee: Callee,
        arguments: &[Operand],
        guard: &Guard,
        memory: &Memory,
    ) {
        let function = self.terms.function(at.frame);
        let unwinding = function.unwinding(at.block);
        let Some((_, to)) = unwinding.filter(|(call, _)| *call == at.index) else {
            return;
        };
        let id = self.terms.frame(at.frame).function;
        let place = (at.block, at.index);
        let effects = self.terms.analysis().effects_of_call(id, place, callee);
        let any = self.terms.fresh(1);
        let (guard, mut memory) = (guard.with(any), memory.clone());
        let scalars = self.scalars(at.frame, arguments);
        self.skip(&guard, &mut memory, &effects, &scalars, Vec::new());
        self.outside(&guard, &mut memory);
        self.edge(at, to, guard, memory);
    }

    /// The function that is called, if the call names it.
    fn named_callee(&self, callee: Callee) -> Option<FunctionId> {
        match callee {
            Callee::Direct(id) => Some(id),
            Callee::Indirect(Operand::Constant(id)) => match self.terms.program().constant(id)? {
                Constant::Function(id) => Some(*id),
                _ => None,
            },
            Callee::Indirect(_) => None,
        }
    }

    /// The function at the address that is called, if that is known.
    fn pointed_callee(&mut self, at: At, callee: Callee) -> Option<FunctionId> {
        let Callee::Indirect(operand) = callee else {
            return None;
        };
        let address = self.scalar(at.frame, operand)?;
        let (object, offset) = self.terms.root(address)?;
        match self.terms.object(object).kind {
            ObjectKind::Function(id) if self.is_zero(offset) => Some(id),
            _ => None,
        }
    }

    fn may_enter(&self, frame: FrameId, id: FunctionId) -> bool {
        if self.terms.analysis().has_second_returns(id) {
            return false;
        }
        let mut frames = 0;
        let mut same = 0;
        for frame in self.terms.stack(frame) {
            frames += 1;
            same += usize::from(self.terms.frame(frame).function == id);
        }
        if self.terms.is_unit() {
            let blocks = self.terms.analysis().function(id).blocks.len();
            return frames < UNIT_FRAMES && same == 0 && blocks <= UNIT_BLOCKS;
        }
        frames < MAX_FRAMES && same < MAX_RECURSION
    }

    fn enter_or_skip(
        &mut self,
        at: At,
        id: FunctionId,
        arguments: &[Operand],
        guard: &mut Guard,
        memory: &mut Memory,
    ) -> Next {
        if self.may_enter(at.frame, id) {
            self.enter_function(at, id, guard.clone(), memory.clone());
            return Next::Elsewhere;
        }
        let effects = self.terms.analysis().effects(id);
        let scalars = self.scalars(at.frame, arguments);
        self.skip(guard, memory, effects, &scalars, vec![id]);
        self.define_result(at);
        Next::Here
    }

    fn enter_function(&mut self, at: At, id: FunctionId, guard: Guard, memory: Memory) {
        let frame = self.terms.frame_id(Frame {
            function: id,
            caller: Some((at.frame, (at.block, at.index))),
        });
        self.block.entered.insert(frame);
        let entry = At {
            frame,
            block: labrys_program::BlockId(0),
            index: 0,
        };
        let arrival = Arrival {
            guard,
            memory,
            defined: Vec::new(),
        };
        self.schedule(entry, arrival);
    }

    /// The scalar values of arguments.
    pub(super) fn scalars(&mut self, frame: FrameId, arguments: &[Operand]) -> Vec<Option<ExprId>> {
        let arguments = arguments.iter();
        arguments
            .map(|argument| self.scalar(frame, *argument))
            .collect()
    }

    /// Code that is not followed: what it may write becomes anything, and what it may run escapes.
    pub(super) fn skip(
        &mut self,
        guard: &Guard,
        memory: &mut Memory,
        effects: &Effects,
        arguments: &[Option<ExprId>],
        functions: Vec<FunctionId>,
    ) {
        let condition = guard.condition(self.terms.pool_mut());
        memory.havoc(self.terms, effects, arguments);
        if effects.makes_inputs() {
            self.block.requests.push(Request {
                condition,
                parts: None,
            });
        }
        if !functions.is_empty() {
            self.block.escapes.push(Escape {
                condition,
                functions,
            });
        }
    }

    /// Code of which nothing is known.
    pub(super) fn outside(&mut self, guard: &Guard, memory: &mut Memory) {
        let effects = self.terms.analysis().outside_effects();
        memory.clobber_shared(self.terms);
        self.skip(guard, memory, effects, &[], Vec::new());
    }

    /// The result of the call at a place is anything.
    fn define_result(&mut self, at: At) {
        let (result, value) = self.any_result(at);
        if let Some(result) = result {
            self.values.define(at.frame, result, value);
        }
    }

    fn any_result(
        &mut self,
        at: At,
    ) -> (
        Option<labrys_program::ValueId>,
        Option<crate::terms::SymbolicValue>,
    ) {
        let function = self.terms.function(at.frame);
        let instruction = &function.blocks[at.block.index()].instructions[at.index];
        let ty = self.result_type(at.frame, instruction);
        (instruction.result, self.anything(ty))
    }

    /// A call through a pointer: each function that it may be of is entered, or all are skipped.
    fn indirect(
        &mut self,
        at: At,
        callee: Callee,
        arguments: &[Operand],
        guard: &mut Guard,
        memory: &mut Memory,
    ) -> Next {
        let analysis = self.terms.analysis();
        let function = self.terms.frame(at.frame).function;
        let place = (at.block, at.index);
        let (effects, leaves) = analysis.effects_of_indirect_call(function, place);
        let call = analysis.call_at(function, place);
        let candidates = call.map_or(&[][..], |call| analysis.calls().callees(call));
        let address = match callee {
            Callee::Indirect(operand) => self.scalar(at.frame, operand),
            Callee::Direct(_) => None,
        };
        let candidates: Vec<FunctionId> = candidates
            .iter()
            .copied()
            .filter(|id| address.is_none_or(|address| self.may_be(address, *id)))
            .collect();
        let most = match self.terms.is_unit() {
            true => UNIT_CANDIDATES,
            false => MAX_CANDIDATES,
        };
        let enters = candidates.len() <= most
            && candidates
                .iter()
                .all(|id| !analysis.function(*id).defined || self.may_enter(at.frame, *id));
        let (Some(address), true) = (address, enters) else {
            let scalars = self.scalars(at.frame, arguments);
            self.skip(guard, memory, &effects, &scalars, candidates);
            if leaves {
                memory.clobber_shared(self.terms);
            }
            self.define_result(at);
            return Next::Here;
        };
        for id in candidates {
            self.candidate(at, id, address, arguments, guard, memory);
        }
        if leaves {
            let mut memory = memory.clone();
            let any = self.terms.fresh(1);
            let guard = guard.with(any);
            self.outside(&guard, &mut memory);
            self.go_on(at, guard, memory, None);
        }
        Next::Elsewhere
    }

    /// Whether an address may be that of a function, as far as can be seen without the solver.
    fn may_be(&mut self, address: ExprId, id: FunctionId) -> bool {
        let object = self.terms.object_id(ObjectKind::Function(id));
        let function = self.terms.object(object).address;
        self.terms.pool_mut().eq(address, function) != ExprId::FALSE
    }

    /// One of the functions that a pointer may be of.
    fn candidate(
        &mut self,
        at: At,
        id: FunctionId,
        address: ExprId,
        arguments: &[Operand],
        guard: &Guard,
        memory: &Memory,
    ) {
        let object = self.terms.object_id(ObjectKind::Function(id));
        let function = self.terms.object(object).address;
        let same = self.terms.pool_mut().eq(address, function);
        let mut guard = guard.with(same);
        if guard.is_false(self.terms.pool_mut()) {
            return;
        }
        let mut memory = memory.clone();
        if self.terms.analysis().function(id).defined {
            self.enter_function(at, id, guard, memory);
        } else if let Some(value) = self.library(at, id, arguments, &mut guard, &mut memory) {
            self.go_on(at, guard, memory, value);
        }
    }

    /// Goes on behind a call, with its result; with any result if it is not known.
    fn go_on(
        &mut self,
        at: At,
        guard: Guard,
        memory: Memory,
        value: Option<crate::terms::SymbolicValue>,
    ) {
        let (result, any) = self.any_result(at);
        let next = At {
            index: at.index + 1,
            ..at
        };
        let arrival = Arrival {
            guard,
            memory,
            defined: result
                .map(|result| (result, value.or(any)))
                .into_iter()
                .collect(),
        };
        self.schedule(next, arrival);
    }

    fn library_call(
        &mut self,
        at: At,
        id: FunctionId,
        arguments: &[Operand],
        guard: &mut Guard,
        memory: &mut Memory,
    ) -> Next {
        let Some(value) = self.library(at, id, arguments, guard, memory) else {
            return Next::Elsewhere;
        };
        let (result, any) = self.any_result(at);
        if let Some(result) = result {
            self.values.define(at.frame, result, value.or(any));
        }
        Next::Here
    }
}
