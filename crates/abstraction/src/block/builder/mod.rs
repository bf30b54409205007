//! Executes the paths of a block, all at once, in the order of control flow.
//!
//! A place is executed when all paths to it have been: places are taken in the order of their
//! keys, the positions of the calls of the stack and of the block. So each place is executed once,
//! on the joined state of all paths to it.

mod calls;
mod library;

use std::collections::BTreeMap;

use labrys_expr::{ExprId, Op};
use labrys_program::{
    BlockId, Function, Instruction, Intrinsic, Opaque, Operand, Operation, SiteId, Terminator,
    Type, ValueId,
};
use labrys_semantics::{IrValue, choose, havocked, stored, unpack};

use super::values::Values;
use super::{Beginning, LargeBlock, Location, Occurrence, Orders, Transition};
use crate::cases::cases;
use crate::guard::Guard;
use crate::memory::Memory;
use crate::terms::{FrameId, ObjectKind, SymbolicValue, Terms};

/// Places of a block at most.
const MAX_PLACES: u32 = 60_000;
/// The same of a function by itself.
const UNIT_PLACES: u32 = 4_000;
/// Bytes that a copy or a fill of memory is followed for.
const MAX_COPY: u64 = 256;

/// Bytes of a copy of unknown length while a path is tried.
const MAX_TRIED: u128 = 48;

/// A block has too many places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// A path that comes to a place.
#[derive(Clone, Debug)]
pub(super) struct Arrival {
    pub(super) guard: Guard,
    pub(super) memory: Memory,
    /// Values that are defined by coming there: of phis, or of a call that returns.
    pub(super) defined: Vec<(ValueId, Option<SymbolicValue>)>,
}

/// An instruction of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) frame: FrameId,
    pub(super) block: BlockId,
    pub(super) index: usize,
}

/// Executes the paths of one block.
pub(super) struct Builder<'t, 'p> {
    pub(super) terms: &'t mut Terms<'p>,
    orders: &'t mut Orders,
    pub(super) block: LargeBlock,
    values: Values,
    pending: BTreeMap<Vec<u32>, (At, Vec<Arrival>)>,
    targets: BTreeMap<Location, Vec<Arrival>>,
    places: u32,
}

/// The block that begins somewhere.
pub(crate) fn build(
    terms: &mut Terms<'_>,
    orders: &mut Orders,
    beginning: Beginning,
) -> Result<LargeBlock, TooLarge> {
    let location = beginning.location;
    let mut builder = Builder {
        terms,
        orders,
        block: LargeBlock::default(),
        values: beginning.values,
        pending: BTreeMap::new(),
        targets: BTreeMap::new(),
        places: 0,
    };
    let start = At {
        frame: location.frame,
        block: location.block,
        index: 0,
    };
    let phis = beginning.phis.into_iter();
    let arrival = Arrival {
        guard: Guard::default(),
        memory: beginning.memory,
        defined: phis.map(|(value, known)| (value, Some(known))).collect(),
    };
    builder.schedule(start, arrival);
    builder.run()?;
    Ok(builder.finished())
}

/// Whether a path goes on behind an instruction.
pub(super) enum Next {
    Here,
    /// It ends, or goes on elsewhere.
    Elsewhere,
}

impl Builder<'_, '_> {
    /// The value of an operand in a frame; `None` if it has no model.
    fn operand(&mut self, frame: FrameId, operand: Operand) -> Option<SymbolicValue> {
        self.values.operand(self.terms, frame, operand)
    }

    /// The scalar value of an operand in a frame.
    fn scalar(&mut self, frame: FrameId, operand: Operand) -> Option<ExprId> {
        self.values.scalar(self.terms, frame, operand)
    }

    /// Any value of a type.
    fn anything(&mut self, ty: Type) -> Option<SymbolicValue> {
        let program = self.terms.program();
        havocked(&mut self.terms.symbolic(), program, ty)
    }

    /// Paths that come to a place are executed later.
    pub(super) fn schedule(&mut self, at: At, arrival: Arrival) {
        let key = self.key(at);
        let (_, arrivals) = self.pending.entry(key).or_insert_with(|| (at, Vec::new()));
        arrivals.push(arrival);
    }

    fn key(&mut self, at: At) -> Vec<u32> {
        let mut key = Vec::new();
        let mut next = Some((at.frame, (at.block, at.index)));
        while let Some((id, (block, index))) = next {
            let frame = self.terms.frame(id);
            let order = self.orders.of(frame.function, self.terms.function(id));
            // Several functions may be entered by one call.
            key.extend([index as u32, order.position(block), frame.function.0]);
            next = frame.caller;
        }
        key.reverse();
        key
    }

    fn run(&mut self) -> Result<(), TooLarge> {
        let most = match self.terms.is_unit() {
            true => UNIT_PLACES,
            false => MAX_PLACES,
        };
        while let Some((_, (at, arrivals))) = self.pending.pop_first() {
            self.places += 1;
            if self.places > most {
                return Err(TooLarge);
            }
            let Some(arrival) = self.join(arrivals) else {
                continue;
            };
            for (value, defined) in arrival.defined {
                self.values.define(at.frame, value, defined);
            }
            self.execute(at, arrival.guard, arrival.memory);
        }
        Ok(())
    }

    /// All paths to a place as one.
    fn join(&mut self, mut arrivals: Vec<Arrival>) -> Option<Arrival> {
        arrivals.retain(|arrival| !arrival.guard.is_false(self.terms.pool_mut()));
        while arrivals.len() > 1 {
            // Those that parted last join first, so that their decisions are gone at once.
            let last = arrivals.pop()?;
            let common = |other: &Arrival| last.guard.common(&other.guard);
            let nearest = (0..arrivals.len()).max_by_key(|index| common(&arrivals[*index]))?;
            let other = arrivals.remove(nearest);
            let joined = self.join_two(other, last);
            arrivals.push(joined);
        }
        arrivals.pop()
    }

    fn join_two(&mut self, first: Arrival, second: Arrival) -> Arrival {
        let (guard, choice) = Guard::join(self.terms.pool_mut(), &first.guard, &second.guard);
        let pairs = first.defined.into_iter().zip(second.defined);
        let defined = pairs.map(|((value, a), (_, b))| {
            let chosen = match (a, b) {
                (Some(a), Some(b)) => choose(&mut self.terms.symbolic(), choice, &a, &b),
                _ => None,
            };
            (value, chosen)
        });
        let defined = defined.collect();
        Arrival {
            guard,
            defined,
            memory: Memory::merge(self.terms, choice, first.memory, second.memory),
        }
    }

    /// Executes the instructions from a place to the end of its block.
    fn execute(&mut self, at: At, mut guard: Guard, mut memory: Memory) {
        let function = self.terms.function(at.frame);
        let block = &function.blocks[at.block.index()];
        if at.index == 0 && at.block.index() == 0 {
            self.enter(at.frame, &mut memory);
        }
        for (index, instruction) in block.instructions.iter().enumerate().skip(at.index) {
            let here = At { index, ..at };
            match self.instruction(here, instruction, &mut guard, &mut memory) {
                Next::Here => {}
                Next::Elsewhere => return,
            }
        }
        self.terminator(at, function, guard, memory);
    }

    /// The objects of a frame begin.
    fn enter(&mut self, frame: FrameId, memory: &mut Memory) {
        let function = self.terms.frame(frame).function;
        let objects = self.terms.analysis().body(function).frame_objects();
        let mut objects: Vec<ValueId> = objects.iter().copied().collect();
        objects.sort_unstable();
        for value in objects {
            let object = self.terms.object_id(ObjectKind::Stack(frame, value));
            memory.clobber(object);
            if !self.terms.object(object).private {
                let address = self.terms.renew_address(object);
                let address = Some(IrValue::Scalar(address));
                self.values.define(frame, value, address);
            }
        }
    }

    fn instruction(
        &mut self,
        at: At,
        instruction: &Instruction,
        guard: &mut Guard,
        memory: &mut Memory,
    ) -> Next {
        let frame = at.frame;
        let ty = self.result_type(frame, instruction);
        let value = match &instruction.operation {
            Operation::Load { address, size, .. } => {
                let address = self.scalar(frame, *address);
                self.load(memory, address, *size, ty)
            }
            Operation::Store {
                address,
                value,
                size,
                ..
            } => {
                self.store(frame, memory, *address, *value, *size);
                return Next::Here;
            }
            Operation::Allocate { .. } => match instruction.result {
                Some(value) if self.is_frame_object(frame, value) => return Next::Here,
                _ => self.anything(ty),
            },
            Operation::Call {
                callee, arguments, ..
            } => {
                self.unwind(at, *callee, arguments, guard, memory);
                return self.call(at, *callee, arguments, guard, memory);
            }
            Operation::Intrinsic {
                intrinsic,
                arguments,
            } if intrinsic.writes_memory() => {
                self.write_block(frame, memory, *intrinsic, arguments, guard);
                return Next::Here;
            }
            Operation::Intrinsic {
                intrinsic: Intrinsic::Trap | Intrinsic::SanitizerTrap | Intrinsic::DebugTrap,
                ..
            } => return Next::Elsewhere,
            Operation::VariableArgument(_) => {
                memory.clobber_shared(self.terms);
                self.anything(ty)
            }
            Operation::Opaque { writes_memory, .. } => {
                if *writes_memory {
                    self.outside(guard, memory);
                }
                self.anything(ty)
            }
            operation => {
                if let Operation::Select {
                    site, condition, ..
                } = operation
                {
                    self.decide(frame, *site, *condition, guard);
                }
                let value = self.values.result(self.terms, frame, operation, ty);
                value.or_else(|| self.anything(ty))
            }
        };
        if let Some(result) = instruction.result {
            self.values.define(frame, result, value);
        }
        Next::Here
    }

    fn is_frame_object(&self, frame: FrameId, value: ValueId) -> bool {
        let function = self.terms.frame(frame).function;
        self.terms
            .analysis()
            .body(function)
            .frame_objects()
            .contains(&value)
    }

    /// The type of what an instruction gives.
    pub(super) fn result_type(&self, frame: FrameId, instruction: &Instruction) -> Type {
        let function = self.terms.function(frame);
        let result = instruction.result;
        result
            .and_then(|value| function.value_type(value))
            .unwrap_or(Type::Void)
    }

    fn load(
        &mut self,
        memory: &mut Memory,
        address: Option<ExprId>,
        size: u64,
        ty: Type,
    ) -> Option<SymbolicValue> {
        let (Some(address), 1..=16, Some(_)) = (address, size, ty.width()) else {
            return self.anything(ty);
        };
        let bits = memory.read(self.terms, address, size as u32);
        unpack(&mut self.terms.symbolic(), bits, ty).map(IrValue::Scalar)
    }

    fn store(
        &mut self,
        frame: FrameId,
        memory: &mut Memory,
        address: Operand,
        value: Operand,
        size: u64,
    ) {
        let address = self.scalar(frame, address);
        let program = self.terms.program();
        let ty = program.operand_type(self.terms.function(frame), value);
        let value = self.scalar(frame, value);
        match (address, value, size) {
            (Some(address), Some(value), 1..=16) => {
                let bits = stored(&mut self.terms.symbolic(), value, ty);
                memory.write(self.terms, address, bits);
            }
            _ => memory.clobber_at(self.terms, address),
        }
    }

    /// A fill or a copy of memory of few bytes at fixed offsets; else the destination is havocked.
    fn write_block(
        &mut self,
        frame: FrameId,
        memory: &mut Memory,
        intrinsic: Intrinsic,
        arguments: &[Operand],
        guard: &mut Guard,
    ) {
        let mut scalars = arguments
            .iter()
            .map(|argument| self.scalar(frame, *argument));
        let (to, from, length) = (
            scalars.next().flatten(),
            scalars.next().flatten(),
            scalars.next().flatten(),
        );
        drop(scalars);
        let (Some(to), Some(from), Some(length)) = (to, from, length) else {
            memory.clobber_at(self.terms, to);
            return;
        };
        let count = match self.terms.pool().bits(length) {
            None if self.terms.is_trial() => self.at_most(length, guard),
            fixed => fixed.filter(|count| *count <= u128::from(MAX_COPY)),
        };
        let Some(count) = count else {
            memory.clobber_at(self.terms, Some(to));
            return;
        };
        let byte = |builder: &mut Self, memory: &mut Memory, at: u128| match intrinsic {
            Intrinsic::MemorySet | Intrinsic::MemorySetInline => Some(from),
            Intrinsic::MemoryCopy | Intrinsic::MemoryCopyInline | Intrinsic::MemoryMove => {
                let at = builder.terms.constant(64, at);
                let address = builder.terms.pool_mut().add(from, at);
                Some(memory.read(builder.terms, address, 1))
            }
            _ => None,
        };
        let bytes: Option<Vec<ExprId>> = (0..count).map(|at| byte(self, memory, at)).collect();
        let Some(bytes) = bytes else {
            memory.clobber_at(self.terms, Some(to));
            return;
        };
        for (at, byte) in (0..).zip(bytes) {
            let at = self.terms.constant(64, at);
            let address = self.terms.pool_mut().add(to, at);
            let mut byte = byte;
            if self.terms.pool().bits(length).is_none() {
                let old = memory.read(self.terms, address, 1);
                let pool = self.terms.pool_mut();
                let is_written = pool.ult(at, length);
                byte = pool.ite(is_written, byte, old);
            }
            memory.write(self.terms, address, byte);
        }
    }

    /// While a path is tried: a number of bytes that a length is assumed not to exceed.
    fn at_most(&mut self, length: ExprId, guard: &mut Guard) -> Option<u128> {
        let pool = self.terms.pool_mut();
        let known = cases(pool, length).into_iter();
        let known: Option<Vec<u128>> = known.map(|(_, value)| pool.bits(value)).collect();
        let most = known.and_then(|known| known.into_iter().max());
        let most = most.unwrap_or(MAX_TRIED).min(MAX_TRIED);
        let bound = pool.constant(pool.width(length), most);
        guard.push(pool.ule(length, bound));
        (pool.width(length) == 64).then_some(most)
    }

    /// Notes both branches of a decision that is no jump.
    fn decide(&mut self, frame: FrameId, site: SiteId, condition: Operand, guard: &Guard) {
        let condition = self.condition(frame, condition);
        let opposite = self.terms.pool_mut().not(condition);
        self.occur(frame, site, 1, &guard.with(condition));
        self.occur(frame, site, 0, &guard.with(opposite));
    }

    /// Notes a branch.
    fn occur(&mut self, frame: FrameId, site: SiteId, direction: u32, guard: &Guard) {
        let Some(branch) = self.terms.program().branch(site, direction) else {
            return;
        };
        let condition = guard.condition(self.terms.pool_mut());
        if condition != ExprId::FALSE {
            self.block.occurrences.push(Occurrence {
                branch,
                condition,
                frame,
            });
        }
    }

    /// A condition of one bit; anything if it has no model.
    fn condition(&mut self, frame: FrameId, operand: Operand) -> ExprId {
        match self.scalar(frame, operand) {
            Some(condition) => condition,
            None => self.terms.fresh(1),
        }
    }

    fn terminator(&mut self, at: At, function: &Function, guard: Guard, memory: Memory) {
        let frame = at.frame;
        match &function.blocks[at.block.index()].terminator {
            Terminator::Return(operand) => self.return_to_caller(at, *operand, guard, memory),
            Terminator::Jump(to) => self.edge(at, *to, guard, memory),
            Terminator::Branch {
                site,
                condition,
                if_true,
                if_false,
            } => {
                let condition = self.condition(frame, *condition);
                let opposite = self.terms.pool_mut().not(condition);
                for (direction, condition, to) in [(1, condition, if_true), (0, opposite, if_false)]
                {
                    let guard = guard.with(condition);
                    self.occur(frame, *site, direction, &guard);
                    self.edge(at, *to, guard, memory.clone());
                }
            }
            Terminator::Switch {
                site,
                value,
                default,
                cases,
            } => {
                let value = self.scalar(frame, *value);
                let mut none = guard.clone();
                for (direction, (case, to)) in (1..).zip(cases) {
                    let is_case = match value {
                        Some(value) => {
                            let case = self.terms.constant(self.terms.pool().width(value), *case);
                            self.terms.pool_mut().eq(value, case)
                        }
                        None => self.terms.fresh(1),
                    };
                    let guard = guard.with(is_case);
                    self.occur(frame, *site, direction, &guard);
                    self.edge(at, *to, guard, memory.clone());
                    none.push(self.terms.pool_mut().not(is_case));
                }
                self.occur(frame, *site, 0, &none);
                self.edge(at, *default, none, memory);
            }
            Terminator::Unreachable => {}
            Terminator::Opaque {
                reason, successors, ..
            } => {
                // By an exception control left the call before.
                let unwinds = function.unwinding(at.block).is_some();
                let most = if unwinds { 1 } else { successors.len() };
                self.go_anywhere(at, reason, &successors[..most], &guard, memory);
            }
        }
    }

    /// Goes to any of some blocks.
    fn go_anywhere(
        &mut self,
        at: At,
        reason: &Opaque,
        successors: &[BlockId],
        guard: &Guard,
        mut memory: Memory,
    ) {
        if !reason.is_known_to_runs() {
            self.outside(guard, &mut memory);
        }
        for to in successors {
            let any = self.terms.fresh(1);
            self.edge(at, *to, guard.with(any), memory.clone());
        }
    }

    /// Goes along an edge of control flow.
    fn edge(&mut self, at: At, to: BlockId, guard: Guard, memory: Memory) {
        if guard.is_false(self.terms.pool_mut()) {
            return;
        }
        let function = self.terms.function(at.frame);
        let phis = &function.blocks[to.index()].phis;
        let defined = phis.iter().map(|phi| {
            let mut incoming = phi.incoming.iter();
            let operand = incoming.find(|(from, _)| *from == at.block);
            let value = operand.and_then(|(_, operand)| self.operand(at.frame, *operand));
            (phi.result, value)
        });
        let arrival = Arrival {
            defined: defined.collect(),
            guard,
            memory,
        };
        let id = self.terms.frame(at.frame).function;
        if self.orders.of(id, function).is_head(to) {
            let location = Location {
                frame: at.frame,
                block: to,
            };
            self.targets.entry(location).or_default().push(arrival);
        } else {
            let next = At {
                block: to,
                index: 0,
                ..at
            };
            self.schedule(next, arrival);
        }
    }

    fn return_to_caller(&mut self, at: At, operand: Option<Operand>, guard: Guard, memory: Memory) {
        let Some((caller, (block, index))) = self.terms.frame(at.frame).caller else {
            return;
        };
        let call = &self.terms.function(caller).blocks[block.index()].instructions[index];
        let ty = self.result_type(caller, call);
        let returned = operand.and_then(|operand| {
            let given = self
                .terms
                .program()
                .operand_type(self.terms.function(at.frame), operand);
            (given == Some(ty)).then(|| self.operand(at.frame, operand))?
        });
        let returned = returned.or_else(|| self.anything(ty));
        let next = At {
            frame: caller,
            block,
            index: index + 1,
        };
        let arrival = Arrival {
            guard,
            memory,
            defined: call
                .result
                .map(|result| (result, returned))
                .into_iter()
                .collect(),
        };
        self.schedule(next, arrival);
    }

    fn finished(mut self) -> LargeBlock {
        for (target, arrivals) in std::mem::take(&mut self.targets) {
            let Some(arrival) = self.join(arrivals) else {
                continue;
            };
            let phis = arrival.defined.into_iter();
            let phis = phis.map(|(value, defined)| {
                let ty = self.terms.function(target.frame).value_type(value);
                let known = defined.or_else(|| self.anything(ty?));
                (value, known)
            });
            let phis = phis
                .filter_map(|(value, known)| Some((value, known?)))
                .collect();
            let condition = arrival.guard.condition(self.terms.pool_mut());
            self.block.transitions.push(Transition {
                target,
                condition,
                phis,
                memory: arrival.memory,
            });
        }
        self.block.values = self.values;
        self.block
    }

    /// Whether an expression is the constant 0.
    pub(super) fn is_zero(&self, id: ExprId) -> bool {
        self.terms.pool().op(id) == Op::Const && self.terms.pool().bits(id) == Some(0)
    }
}
