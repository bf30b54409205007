//! Objects that an access lies in for certain: variables on the stack and global variables.
//!
//! A pointer that is computed from a variable's address points into that variable, or its use is
//! undefined. So an access through it needs no look at shadow if the variable is constant; and if
//! the variable lies in one line of flags, its flag is that of the whole variable, whatever the
//! index: LLVM finds one look enough for several accesses, and takes it out of loops. Small
//! variables are aligned to their size for that.

use std::collections::HashMap;

use labrys_abi::FLAG_SHIFT;

use labrys_llvm::{Block, LLVMLinkage, LLVMOpcode, LLVMValueKind, Module, Value};

use super::PREFIX;
use super::concrete::Concrete;
use super::slots::is_slot;

/// Bytes that have one flag.
const LINE: u64 = 1 << FLAG_SHIFT;

/// Where slots are written.
pub(super) struct Stores<'m>(HashMap<Value<'m>, Vec<Value<'m>>>);

impl<'m> Stores<'m> {
    pub(super) fn new(blocks: &[Block<'m>], slots: &[Value<'m>]) -> Self {
        let mut stores: HashMap<_, _> = slots.iter().map(|slot| (*slot, Vec::new())).collect();
        for i in blocks.iter().flat_map(|block| block.instructions()) {
            if i.opcode() == LLVMOpcode::LLVMStore {
                if let Some(stores) = stores.get_mut(&i.operand(1)) {
                    stores.push(i);
                }
            }
        }
        Stores(stores)
    }

    pub(super) fn of(&self, slot: Value<'m>) -> &[Value<'m>] {
        self.0.get(&slot).map_or(&[], Vec::as_slice)
    }
}

/// Variables into which pointers point. Those on the stack are of the block that runs once: others
/// are there in each version of the function.
pub(super) struct Objects<'c, 'm> {
    prologue: Block<'m>,
    concrete: &'c Concrete<'m>,
    /// By the variable that holds the pointer between blocks.
    pointed: HashMap<Value<'m>, Value<'m>>,
}

impl<'c, 'm> Objects<'c, 'm> {
    /// Of the slots that are written at one place.
    pub(super) fn of(stores: &Stores<'m>, prologue: Block<'m>, concrete: &'c Concrete<'m>) -> Self {
        let mut objects = Objects {
            prologue,
            concrete,
            pointed: HashMap::new(),
        };
        // A slot may hold what is computed from another.
        let mut before = usize::MAX;
        while objects.pointed.len() != before {
            before = objects.pointed.len();
            for (slot, stores) in &stores.0 {
                if let [store] = stores.as_slice() {
                    if let Some(object) = objects.object(store.operand(0)) {
                        objects.pointed.insert(*slot, object);
                    }
                }
            }
        }
        objects
    }

    /// The variable that an address is computed from.
    pub(super) fn object(&self, address: Value<'m>) -> Option<Value<'m>> {
        use LLVMValueKind as K;
        match address.kind() {
            K::LLVMGlobalVariableValueKind => Some(address),
            K::LLVMConstantExprValueKind
                if address.const_opcode() == LLVMOpcode::LLVMGetElementPtr =>
            {
                self.object(address.operand(0))
            }
            K::LLVMInstructionValueKind => match address.opcode() {
                LLVMOpcode::LLVMAlloca => (address.parent() == self.prologue).then_some(address),
                LLVMOpcode::LLVMGetElementPtr => self.object(address.operand(0)),
                LLVMOpcode::LLVMLoad => self.pointed.get(&address.operand(0)).copied(),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether an address is inside a variable that has no labels.
    pub(super) fn is_concrete(&self, address: Value<'m>) -> bool {
        let object = self.object(address);
        object.is_some_and(|object| is_constant(object) || self.concrete.has(object))
    }
}

/// Whether a variable is read-only memory, which has no labels.
fn is_constant(object: Value<'_>) -> bool {
    object.kind() == LLVMValueKind::LLVMGlobalVariableValueKind
        && object.is_constant_global()
        && object.initializer().is_some()
}

/// The size of a variable that is defined here, in bytes.
pub(super) fn size(module: &Module, object: Value<'_>) -> Option<u64> {
    if object.kind() == LLVMValueKind::LLVMGlobalVariableValueKind {
        let fixed = matches!(
            object.linkage(),
            LLVMLinkage::LLVMInternalLinkage
                | LLVMLinkage::LLVMPrivateLinkage
                | LLVMLinkage::LLVMExternalLinkage
        );
        let defined = fixed && object.initializer().is_some();
        return defined.then(|| module.size_of(object.global_type()));
    }
    let count = object.operand(0).const_int_value()?;
    module.size_of(object.allocated_type()).checked_mul(count)
}

/// Whether one flag is that of all bytes of a variable.
pub(super) fn has_one_flag(module: &Module, object: Value<'_>) -> bool {
    size(module, object).is_some_and(|size| {
        (1..=LINE).contains(&size) && object.alignment() >= size.next_power_of_two()
    })
}

/// Aligns small variables so that each lies in one line of flags.
pub(super) fn align(module: &Module) {
    let globals = module.globals().into_iter();
    // What has a section of its own is an array with what else is put there.
    let globals = globals.filter(|global| {
        !global.name().starts_with(PREFIX)
            && !global.name().starts_with("llvm.")
            && global.section().is_empty()
    });
    let functions = module.functions().into_iter();
    let entries = functions.filter_map(|function| function.blocks().first().copied());
    let variables = entries
        .flat_map(Block::instructions)
        .filter(|i| i.opcode() == LLVMOpcode::LLVMAlloca && !is_slot(*i));
    for object in globals.chain(variables) {
        let size = size(module, object).filter(|size| (1..=LINE).contains(size));
        if let Some(size) = size {
            let alignment = size.next_power_of_two().max(object.alignment());
            object.set_alignment(alignment as u32);
        }
    }
}
