//! Two versions of each function: one for while nothing in it is symbolic, one that computes
//! labels.
//!
//! Most code handles concrete data most of the time, and labels that are all 0 still cost
//! registers and a test for each operation. So a function has a *concrete* version, which only
//! looks at the shadow of what it loads and at the labels of results, and a *symbolic* one with
//! a label beside each value. A call starts in the concrete version unless a parameter has a
//! label; where a loaded value may have one, it goes on in the symbolic version; at the head of
//! a loop where no live value has a label, it goes back.
//!
//! To be able to change versions, values live in variables on the stack between blocks (LLVM
//! makes registers of them again): both versions use the same ones, and each has label variables
//! beside it. The shadow of loads is looked at together, at the end of a block that has no
//! effects: if a word is not 0, the block is done again by the symbolic version.
//!
//! Which parts of a large function have two versions is for [`regions`](super::regions).
//!
//! Invariants: the concrete version neither reads nor writes label variables, and whoever leaves
//! it writes those that are live; a block in which the concrete version looks at shadow has no
//! effects that doing it again would double; any shadow word that is not 0, label or mark, makes
//! it leave.

use std::collections::{HashMap, HashSet};

use labrys_llvm::{Block, Builder, LLVMOpcode, LLVMValueKind, LlvmError, Module, Value};

use super::calls::{comparison, may_leave_labels};
use super::function::reverse_postorder;
use super::intrinsics::is_computation;
use super::markers::marker;
use super::regions::{Loop, Regions};

/// A function cut into blocks between which all values are in variables.
pub(super) struct Shape<'m> {
    /// Holds the variables; runs once.
    pub(super) prologue: Block<'m>,
    /// Variables that hold values between blocks.
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

/// Part of the name that LLVM gives to variables that hold values between blocks.
const SLOT: &str = ".reg2mem";

/// Moves values that live in several blocks to variables on the stack.
pub(super) fn move_to_variables(module: &mut Module) -> Result<(), LlvmError> {
    for function in module.functions() {
        module.remove_attribute(function, "optnone");
    }
    module.run_passes("function(reg2mem)")
}

/// Whether a value is a variable that holds a value between blocks.
pub(super) fn is_slot(value: Value<'_>) -> bool {
    value.kind() == LLVMValueKind::LLVMInstructionValueKind
        && value.opcode() == LLVMOpcode::LLVMAlloca
        && value.name().contains(SLOT)
}

/// Whether the concrete version looks at shadow for an instruction.
pub(super) fn looks_at_shadow(i: Value<'_>) -> bool {
    i.opcode() == LLVMOpcode::LLVMLoad && !is_slot(i.operand(0)) || comparison(i).is_some()
}

/// Cuts a function whose values between blocks are in variables.
pub(super) fn shape<'m>(module: &'m Module, function: Value<'m>) -> Shape<'m> {
    let cutter = Cutter {
        module,
        builder: module.builder(),
    };
    let prologue = cutter.prologue(function);
    let two = may_have_two(function);
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
        let region = Regions::of(&shape.blocks, &shape.slots).choose();
        shape.concrete = copy(module, function, &region.blocks);
        shape.heads = region.heads;
        shape.inner = region.inner;
        shape.live = region.live;
        shape.repeated = region.repeated;
    }
    shape
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

struct Cutter<'m> {
    module: &'m Module,
    builder: Builder<'m>,
}

impl<'m> Cutter<'m> {
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
            let look = looks_at_shadow(i);
            let effect = self.is_effect(i, &read);
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

    /// Whether an instruction must not be done twice. A slot that was read before is an effect:
    /// the second reading would be another.
    fn is_effect(&self, i: Value<'m>, read: &HashSet<Value<'m>>) -> bool {
        use LLVMOpcode as O;
        match i.opcode() {
            O::LLVMStore if is_slot(i.operand(1)) => read.contains(&i.operand(1)),
            O::LLVMCall => {
                let direct = i.called().kind() == LLVMValueKind::LLVMFunctionValueKind;
                let name = if direct {
                    i.called().name()
                } else {
                    String::new()
                };
                let token = marker(&name).is_some_and(|name| name.starts_with("at_switch"));
                !token && !is_computation(&name) && comparison(i).is_none()
            }
            O::LLVMBr => i.is_conditional(),
            O::LLVMStore
            | O::LLVMAlloca
            | O::LLVMFence
            | O::LLVMAtomicRMW
            | O::LLVMAtomicCmpXchg
            | O::LLVMVAArg
            | O::LLVMRet
            | O::LLVMSwitch
            | O::LLVMUnreachable
            | O::LLVMResume
            | O::LLVMLandingPad => true,
            _ => false,
        }
    }

    /// Moves values that are used in other blocks to variables; parameters too.
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

    /// A variable for a value, which is written before an instruction.
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
