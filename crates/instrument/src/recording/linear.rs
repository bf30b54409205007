//! Values that change by a constant in each iteration of a loop.
//!
//! In iteration *t* of a loop a value is `root + offset + t × step`, modulo 2 to its width, where
//! the root is computed in a block before the loop (the *front*), from the values of slots there.
//! Values between blocks are in [`slots`](super::slots): a slot to which each end of the loop
//! writes its old value plus a constant is a counter of the loop; one that is written outside only
//! is invariant; one that is written at a single place has the value that is written there.
//!
//! Narrow counters are extended to addresses. An extension is linear only while the counter does
//! not wrap, so the front computes whether it will within the iterations that it looks ahead.
//!
//! Nothing that is computed in the front is undefined: roots are frozen, and no operation promises
//! not to wrap.

use std::collections::{HashMap, HashSet};

use labrys_llvm::{
    Block, LLVMIntPredicate, LLVMOpcode, LLVMTypeKind, LLVMValueKind, Module, Type, Value,
};

use super::emit::Emitter;
use super::objects::Stores;
use super::regions::Loop;
use super::slots::is_slot;

/// A value of a loop, by iteration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Linear<'m> {
    /// `None` is 0.
    pub(super) root: Option<Value<'m>>,
    pub(super) offset: i64,
    pub(super) step: i64,
}

impl<'m> Linear<'m> {
    fn constant(offset: i64) -> Self {
        Linear {
            root: None,
            offset,
            step: 0,
        }
    }

    fn root(root: Value<'m>, step: i64) -> Self {
        Linear {
            root: Some(root),
            offset: 0,
            step,
        }
    }
}

/// The work on one loop. The builder stands in the front.
pub(super) struct Front<'a, 'm> {
    module: &'m Module,
    emit: &'a Emitter<'m>,
    stores: &'a Stores<'m>,
    body: HashSet<Block<'m>>,
    /// Blocks that jump to the head from inside.
    ends: HashSet<Block<'m>>,
    /// How many iterations it looks ahead.
    iterations: u64,
    known: HashMap<Value<'m>, Option<Linear<'m>>>,
    sums: HashMap<(Value<'m>, Value<'m>), Value<'m>>,
    /// Conditions under which some of the answers are wrong.
    wrong: Vec<Value<'m>>,
}

impl<'a, 'm> Front<'a, 'm> {
    pub(super) fn new(
        emit: &'a Emitter<'m>,
        stores: &'a Stores<'m>,
        of: &Loop<'m>,
        iterations: u64,
    ) -> Self {
        let to_head = |block: &&Block<'m>| block.successors().contains(&of.head);
        Front {
            module: emit.module(),
            emit,
            stores,
            body: of.body.iter().copied().collect(),
            ends: of.body.iter().filter(to_head).copied().collect(),
            iterations,
            known: HashMap::new(),
            sums: HashMap::new(),
            wrong: Vec::new(),
        }
    }

    /// Conditions, computed in the front, under which some of the answers are wrong.
    pub(super) fn into_wrong(self) -> Vec<Value<'m>> {
        self.wrong
    }

    /// An integer or a pointer, as the integer that it is.
    pub(super) fn linear(&mut self, value: Value<'m>) -> Option<Linear<'m>> {
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let found = self.find(value);
        self.known.insert(value, found);
        found
    }

    fn find(&mut self, value: Value<'m>) -> Option<Linear<'m>> {
        use LLVMValueKind as K;
        if let Some(constant) = value.const_int_signed() {
            return Some(Linear::constant(constant));
        }
        match value.kind() {
            K::LLVMGlobalVariableValueKind => Some(self.given(value)),
            K::LLVMInstructionValueKind if value.opcode() == LLVMOpcode::LLVMAlloca => {
                let outside = !self.body.contains(&value.parent());
                outside.then(|| self.given(value))
            }
            K::LLVMInstructionValueKind => self.computed(value),
            _ => None,
        }
    }

    /// A value that the front can use as it is.
    fn given(&self, value: Value<'m>) -> Linear<'m> {
        let variable = value.kind() != LLVMValueKind::LLVMInstructionValueKind
            || value.opcode() == LLVMOpcode::LLVMAlloca;
        let value = if variable {
            value
        } else {
            self.emit.builder().freeze(value)
        };
        let pointer = value.ty().kind() == LLVMTypeKind::LLVMPointerTypeKind;
        let root = match pointer {
            true => {
                let wide = self.module.int(64);
                self.emit
                    .builder()
                    .cast(LLVMOpcode::LLVMPtrToInt, value, wide)
            }
            false => value,
        };
        Linear::root(root, 0)
    }

    fn computed(&mut self, i: Value<'m>) -> Option<Linear<'m>> {
        use LLVMOpcode as O;
        match i.opcode() {
            O::LLVMLoad if is_slot(i.operand(0)) => self.variable(i.operand(0), i.ty()),
            O::LLVMAdd | O::LLVMSub | O::LLVMMul | O::LLVMShl | O::LLVMOr => {
                self.arithmetic(i.opcode(), i.operand(0), i.operand(1))
            }
            O::LLVMExtractValue if i.indices() == [0] => {
                let call = i.operand(0);
                let is_call = call.is_instruction() && call.opcode() == O::LLVMCall;
                let name = is_call.then(|| call.called().name())?;
                let (_, stem) = name.strip_prefix("llvm.")?.split_at_checked(1)?;
                let opcode = match stem.split_once(".with.overflow")?.0 {
                    "add" => O::LLVMAdd,
                    "sub" => O::LLVMSub,
                    "mul" => O::LLVMMul,
                    _ => return None,
                };
                self.arithmetic(opcode, call.operand(0), call.operand(1))
            }
            O::LLVMSExt | O::LLVMZExt => self.extended(i.operand(0), i.ty(), i.opcode()),
            O::LLVMFreeze => self.linear(i.operand(0)),
            O::LLVMGetElementPtr => self.address(i),
            _ => None,
        }
    }

    /// The value of a slot.
    fn variable(&mut self, slot: Value<'m>, ty: Type<'m>) -> Option<Linear<'m>> {
        let integer = ty.int_width().is_some_and(|width| width <= 64);
        if !integer && ty.kind() != LLVMTypeKind::LLVMPointerTypeKind {
            return None;
        }
        if let Some(known) = self.known.get(&slot) {
            return *known;
        }
        let all = self.stores.of(slot);
        let inside = |store: &&Value<'m>| self.body.contains(&store.parent());
        let inside: Vec<_> = all.iter().filter(inside).copied().collect();
        let found = match inside.as_slice() {
            [] => Some(0),
            [store] if all.len() == 1 => return self.linear(store.operand(0)),
            _ => self.step(slot, &inside),
        };
        let found = found.map(|step| Linear {
            step,
            ..self.given(self.emit.builder().load(ty, slot))
        });
        self.known.insert(slot, found);
        found
    }

    /// By how much each iteration changes a slot that all ends of the loop write.
    fn step(&self, slot: Value<'m>, inside: &[Value<'m>]) -> Option<i64> {
        let homes: HashSet<_> = inside.iter().map(|store| store.parent()).collect();
        if homes != self.ends || homes.len() != inside.len() {
            return None;
        }
        let mut steps = inside.iter().map(|s| self.distance(s.operand(0), slot, 0));
        let first = steps.next()??;
        steps.all(|step| step == Some(first)).then_some(first)
    }

    /// How far a value is from what a slot held when the iteration began.
    fn distance(&self, value: Value<'m>, slot: Value<'m>, depth: u32) -> Option<i64> {
        use LLVMOpcode as O;
        if !value.is_instruction() || depth > 8 {
            return None;
        }
        let further =
            |value, by: i64| Some(self.distance(value, slot, depth + 1)?.wrapping_add(by));
        match value.opcode() {
            O::LLVMLoad if value.operand(0) == slot => Some(0),
            O::LLVMLoad if is_slot(value.operand(0)) => match self.stores.of(value.operand(0)) {
                [store] if self.body.contains(&store.parent()) => further(store.operand(0), 0),
                _ => None,
            },
            O::LLVMAdd => further(value.operand(0), value.operand(1).const_int_signed()?),
            O::LLVMSub => {
                let by = value.operand(1).const_int_signed()?;
                further(value.operand(0), by.wrapping_neg())
            }
            O::LLVMExtractValue if value.indices() == [0] => {
                let call = value.operand(0);
                let is_call = call.is_instruction() && call.opcode() == O::LLVMCall;
                let name = is_call.then(|| call.called().name())?;
                let by = call.operand(1).const_int_signed()?;
                match name.get("llvm.?".len().."llvm.?add.with.overflow".len())? {
                    "add.with.overflow" => further(call.operand(0), by),
                    "sub.with.overflow" => further(call.operand(0), by.wrapping_neg()),
                    _ => None,
                }
            }
            O::LLVMGetElementPtr => {
                let [base, index] = value.operands()[..] else {
                    return None;
                };
                let size = self.module.size_of(value.gep_source_type());
                further(base, index.const_int_signed()?.wrapping_mul(size as i64))
            }
            _ => None,
        }
    }

    fn arithmetic(&mut self, opcode: LLVMOpcode, a: Value<'m>, b: Value<'m>) -> Option<Linear<'m>> {
        use LLVMOpcode as O;
        match opcode {
            O::LLVMAdd => {
                let (a, b) = (self.linear(a)?, self.linear(b)?);
                Some(self.sum(a, b))
            }
            O::LLVMSub => {
                let by = b.const_int_signed()?.wrapping_neg();
                let a = self.linear(a)?;
                Some(self.sum(a, Linear::constant(by)))
            }
            O::LLVMMul => {
                let by = b.const_int_signed()?;
                let a = self.linear(a)?;
                Some(self.scaled(a, by))
            }
            O::LLVMShl => {
                let by = b.const_int_value().filter(|by| *by < 63)?;
                let a = self.linear(a)?;
                Some(self.scaled(a, 1 << by))
            }
            // A sum, since no bit is set in both: `x << 2 | 1`.
            O::LLVMOr => {
                let bits = b.const_int_value()?;
                let shift = a.is_instruction() && a.opcode() == O::LLVMShl;
                let by = shift.then(|| a.operand(1).const_int_value())??;
                let apart = by < 63 && bits < 1 << by;
                let a = apart.then(|| self.linear(a))??;
                Some(self.sum(a, Linear::constant(bits as i64)))
            }
            _ => None,
        }
    }

    fn address(&mut self, i: Value<'m>) -> Option<Linear<'m>> {
        let operands = i.operands();
        if i.ty().kind() != LLVMTypeKind::LLVMPointerTypeKind {
            return None;
        }
        let mut address = self.linear(operands[0])?;
        let mut ty = i.gep_source_type();
        for (position, index) in operands[1..].iter().enumerate() {
            if position > 0 && ty.kind() == LLVMTypeKind::LLVMStructTypeKind {
                let field = index.const_int_value()? as u32;
                let offset = self.module.element_offset(ty, field) as i64;
                address = self.sum(address, Linear::constant(offset));
                ty = ty.struct_elements()[field as usize];
                continue;
            }
            if position > 0 {
                ty = ty.element();
            }
            let index = match index.const_int_signed() {
                Some(constant) => Linear::constant(constant),
                None if index.ty().int_width() == Some(64) => self.linear(*index)?,
                None => self.extended(*index, self.module.int(64), LLVMOpcode::LLVMSExt)?,
            };
            let scaled = self.scaled(index, self.module.size_of(ty) as i64);
            address = self.sum(address, scaled);
        }
        Some(address)
    }

    /// A sum of two values of one width.
    fn sum(&mut self, a: Linear<'m>, b: Linear<'m>) -> Linear<'m> {
        let root = match (a.root, b.root) {
            (Some(a), Some(b)) => {
                let builder = self.emit.builder();
                let add = || builder.binary(LLVMOpcode::LLVMAdd, a, b);
                Some(*self.sums.entry((a, b)).or_insert_with(add))
            }
            (a, b) => a.or(b),
        };
        Linear {
            root,
            offset: a.offset.wrapping_add(b.offset),
            step: a.step.wrapping_add(b.step),
        }
    }

    fn scaled(&self, a: Linear<'m>, by: i64) -> Linear<'m> {
        let root = a.root.map(|root| {
            let bits = root.ty().int_width().unwrap_or(64);
            let factor = self.module.const_int(bits, by as u64);
            self.emit
                .builder()
                .binary(LLVMOpcode::LLVMMul, root, factor)
        });
        Linear {
            root,
            offset: a.offset.wrapping_mul(by),
            step: a.step.wrapping_mul(by),
        }
    }

    /// A narrow value, extended to 64 bits.
    fn extended(
        &mut self,
        value: Value<'m>,
        to: Type<'m>,
        opcode: LLVMOpcode,
    ) -> Option<Linear<'m>> {
        let bits = value.ty().int_width().filter(|bits| *bits <= 32)?;
        if to.int_width() != Some(64) {
            return None;
        }
        let narrow = self.linear(value)?;
        let builder = self.emit.builder();
        let offset = self.module.const_int(bits, narrow.offset as u64);
        let now = match narrow.root {
            Some(root) => builder.binary(LLVMOpcode::LLVMAdd, root, offset),
            None => offset,
        };
        let now = builder.cast(opcode, now, to);
        // The step as a number of the narrow type.
        let step = narrow.step << (64 - bits) >> (64 - bits);
        if step != 0 {
            let distance = self
                .emit
                .u64(step.wrapping_mul(self.iterations as i64) as u64);
            let end = builder.binary(LLVMOpcode::LLVMAdd, now, distance);
            let cut = builder.cast(LLVMOpcode::LLVMTrunc, end, value.ty());
            let same = builder.cast(opcode, cut, to);
            let wraps = builder.compare(LLVMIntPredicate::LLVMIntNE, end, same);
            self.wrong.push(wraps);
        }
        Some(Linear::root(now, step))
    }
}
