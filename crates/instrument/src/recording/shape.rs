//! The shape of a function: blocks that can be left for one another, and the concrete version of
//! those that have one.
//!
//! Between blocks all values are in [`slots`](super::slots): both versions use the same ones. The
//! concrete version looks at the shadow of what it loads at the end of a block, and if a word is
//! not 0, the symbolic version does the block again. So blocks are cut: one in which shadow is
//! looked at has no effects that doing it again would double, and a call whose results may have
//! labels ends its block.
//!
//! Which parts of a large function have two versions is for [`regions`](super::regions), what the
//! versions do at their ends for [`versions`](super::versions).

use std::collections::{HashMap, HashSet};

use labrys_llvm::{Block, Builder, LLVMOpcode, LLVMValueKind, Module, Value};

use super::concrete::Concrete;
use super::effects::{is_effect, may_leave_labels};
use super::regions::{Loop, Regions};
use super::slots::{SLOT, is_slot};
use crate::large::is_large;

/// A function cut into blocks between which all values are in slots.
pub(super) struct Shape<'m> {
    /// Holds the slots; runs once.
    pub(super) prologue: Block<'m>,
    pub(super) slots: Vec<Value<'m>>,
    /// The other blocks in reverse postorder.
    pub(super) blocks: Vec<Block<'m>>,
    /// The concrete version of those that have one.
    pub(super) concrete: HashMap<Block<'m>, Block<'m>>,
    /// Heads of loops that have a concrete version, and the ends of the symbolic blocks that look
    /// there whether it can take over.
    pub(super) heads: Vec<(Block<'m>, Vec<Value<'m>>)>,
    /// Loops that may have a clean version.
    pub(super) inner: Vec<Loop<'m>>,
    /// By block, the slots that are live when it begins.
    pub(super) live: HashMap<Block<'m>, Vec<Value<'m>>>,
    /// All blocks of loops, where there are two versions.
    pub(super) repeated: HashSet<Block<'m>>,
}

impl<'m> Shape<'m> {
    /// Cuts a function whose values between blocks are in slots.
    pub(super) fn of(module: &'m Module, function: Value<'m>, concrete: &Concrete<'m>) -> Self {
        let cutter = Cutter {
            module,
            builder: module.builder(),
            concrete,
        };
        let prologue = cutter.prologue(function);
        let two = may_have_two(function) && !is_large(module, function);
        if two {
            for block in function.blocks().into_iter().skip(1) {
                cutter.cut(block);
            }
        }
        let blocks: Vec<_> = reverse_postorder(function)
            .into_iter()
            .filter(|block| *block != prologue)
            .collect();
        if two {
            cutter.demote(function, prologue, &blocks);
        }
        let instructions = prologue.instructions().into_iter();
        let slots: Vec<_> = instructions.filter(|i| is_slot(*i)).collect();
        let mut shape = Shape {
            prologue,
            slots,
            blocks,
            concrete: HashMap::new(),
            heads: Vec::new(),
            inner: Vec::new(),
            live: HashMap::new(),
            repeated: HashSet::new(),
        };
        if two {
            let region = Regions::of(&shape.blocks, &shape.slots, concrete).choose();
            shape.concrete = copy(module, function, &region.blocks);
            shape.heads = region.heads;
            shape.inner = region.inner;
            shape.live = region.live;
            shape.repeated = region.repeated;
        }
        shape
    }
}

/// Whether all of a function's jumps can be redirected. What returns twice comes back to
/// whatever version it left.
fn may_have_two(function: Value<'_>) -> bool {
    let blocks = function.blocks().into_iter();
    blocks
        .flat_map(Block::instructions)
        .all(|i| match i.opcode() {
            LLVMOpcode::LLVMInvoke
            | LLVMOpcode::LLVMCallBr
            | LLVMOpcode::LLVMIndirectBr
            | LLVMOpcode::LLVMPHI => false,
            LLVMOpcode::LLVMCall => {
                let called = i.called();
                called.kind() != LLVMValueKind::LLVMFunctionValueKind
                    || !called.has_attribute("returns_twice")
            }
            _ => true,
        })
}

struct Cutter<'c, 'm> {
    module: &'m Module,
    builder: Builder<'m>,
    concrete: &'c Concrete<'m>,
}

impl<'m> Cutter<'_, 'm> {
    /// Cuts the entry behind its last variable.
    fn prologue(&self, function: Value<'m>) -> Block<'m> {
        let entry = function.blocks()[0];
        let instructions = entry.instructions();
        let fixed = |i: &Value<'m>| {
            i.opcode() == LLVMOpcode::LLVMAlloca && i.operand(0).const_int_value().is_some()
        };
        let rest = instructions.iter().rposition(fixed).map_or(0, |at| at + 1);
        self.split(instructions[rest]);
        entry
    }

    /// Moves an instruction and all behind it into a block of their own.
    fn split(&self, first: Value<'m>) -> Block<'m> {
        let old = first.parent();
        let new = self.module.block_after(old);
        // A builder without a place in the source: moved instructions keep theirs.
        let mover = self.module.builder();
        mover.at_end(new);
        let mut next = Some(first);
        while let Some(i) = next {
            next = i.next();
            i.detach();
            mover.insert(i);
        }
        mover.at_end(old);
        mover.jump(new);
        new
    }

    /// Cuts a block so that what loads has no effects and what takes results ends with the call.
    fn cut(&self, block: Block<'m>) {
        let (mut loads, mut effects) = (false, false);
        let mut read = HashSet::new();
        for i in block.instructions() {
            let look = self.concrete.looks_at_shadow(i);
            let effect = is_effect(i, &read);
            if (effect && loads) || (look && effects) {
                self.split(i);
                (loads, effects) = (false, false);
                read.clear();
            }
            loads |= look;
            effects |= effect;
            if i.opcode() == LLVMOpcode::LLVMLoad {
                read.insert(i.operand(0));
            }
            if effect && may_leave_labels(i) {
                if let Some(next) = i.next() {
                    self.split(next);
                    (loads, effects) = (false, false);
                    read.clear();
                }
            }
        }
    }

    /// Moves values that are used in other blocks to slots; parameters too.
    fn demote(&self, function: Value<'m>, prologue: Block<'m>, blocks: &[Block<'m>]) {
        let parameters: HashSet<_> = function.params().into_iter().collect();
        let is_far = |value: Value<'m>, user: Block<'m>| match value.kind() {
            LLVMValueKind::LLVMInstructionValueKind => {
                let home = value.parent();
                let variable = value.opcode() == LLVMOpcode::LLVMAlloca && home == prologue;
                home != user && !variable
            }
            _ => parameters.contains(&value),
        };
        let mut slots = HashMap::new();
        for block in blocks {
            for user in block.instructions() {
                for (index, value) in user.operands().into_iter().enumerate() {
                    if !is_far(value, *block) {
                        continue;
                    }
                    let slot = *slots.entry(value).or_insert_with(|| {
                        let after = if parameters.contains(&value) {
                            prologue.terminator()
                        } else {
                            value.next()
                        };
                        self.slot_for(value, prologue, after)
                    });
                    self.builder.before(user);
                    user.set_operand(index, self.builder.load(value.ty(), slot));
                }
            }
        }
    }

    /// A slot for a value, which is written before an instruction.
    fn slot_for(
        &self,
        value: Value<'m>,
        prologue: Block<'m>,
        before: Option<Value<'m>>,
    ) -> Value<'m> {
        self.builder.before(prologue.instructions()[0]);
        let slot = self.builder.named_variable(value.ty(), SLOT);
        if let Some(before) = before {
            self.builder.before(before);
            self.builder.store(value, slot);
        }
        slot
    }
}

/// Copies blocks; jumps between them go to copies.
pub(super) fn copy<'m>(
    module: &'m Module,
    function: Value<'m>,
    blocks: &[Block<'m>],
) -> HashMap<Block<'m>, Block<'m>> {
    let copies: HashMap<_, _> = blocks
        .iter()
        .map(|block| (*block, module.block_in(function)))
        .collect();
    for block in blocks {
        let mover = module.builder();
        mover.at_end(copies[block]);
        let mut values = HashMap::new();
        for i in block.instructions() {
            let new = i.duplicate();
            mover.insert(new);
            for (index, operand) in i.operands().into_iter().enumerate() {
                if let Some(value) = values.get(&operand) {
                    new.set_operand(index, *value);
                }
            }
            values.insert(i, new);
        }
        if let Some(end) = copies[block].terminator() {
            for (index, successor) in block.successors().into_iter().enumerate() {
                if let Some(copy) = copies.get(&successor) {
                    end.set_successor(index, *copy);
                }
            }
        }
    }
    copies
}

/// Reachable blocks, each before its successors but for back edges.
fn reverse_postorder(function: Value<'_>) -> Vec<Block<'_>> {
    let Some(entry) = function.blocks().first().copied() else {
        return Vec::new();
    };
    let mut seen = HashSet::from([entry]);
    let mut order = Vec::new();
    let mut stack = vec![(entry, entry.successors(), 0)];
    while let Some((block, successors, next)) = stack.last_mut() {
        if let Some(successor) = successors.get(*next).copied() {
            *next += 1;
            if seen.insert(successor) {
                stack.push((successor, successor.successors(), 0));
            }
        } else {
            order.push(*block);
            stack.pop();
        }
    }
    order.reverse();
    order
}
