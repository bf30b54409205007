//! Variables that have a label in no run, by the code of the whole program.
//!
//! The state of a state machine is set to constants, a counter to what it was plus one. Where no
//! value that may have a label reaches a variable, its accesses need no look at shadow and its
//! values no labels, which is most of the code of such programs.
//!
//! All accesses of a variable are known if its address is used for accesses only. Which values may
//! have labels is the least fixpoint over the data flow: results of calls, parameters and what is
//! read from other memory may, and what is computed from such values or read at such addresses.
//!
//! Law: a variable that is found has no label as long as the program stays inside its objects.
//! What is written there from outside of them has none either, as where native code writes.

use std::collections::{HashMap, HashSet};

use labrys_llvm::{Block, LLVMLinkage, LLVMOpcode, LLVMValueKind, Module, Value};

use super::PREFIX;
use super::effects::{callee_name, comparison};
use super::intrinsics::{self, Kind, is_computation};
use super::is_helper;
use super::markers::marker;
use super::slots::is_slot;

/// The variables that have no labels: global ones, and slots.
pub(super) struct Concrete<'m>(HashSet<Value<'m>>);

impl<'m> Concrete<'m> {
    /// Looks at a module with slots. Only the module has labels for globals of its own.
    pub(super) fn of(module: &'m Module, is_own: impl Fn(&str) -> bool) -> Self {
        let mut flow = Flow::default();
        let globals = module.globals().into_iter();
        let own = globals.filter(|g| is_defined_here(*g) && is_own(&g.name()));
        own.for_each(|global| flow.add(global));
        let functions = module.functions().into_iter();
        let functions = functions.filter(|f| !f.is_declaration() && !is_helper(&f.name()));
        let functions: Vec<_> = functions.collect();
        for function in &functions {
            let entry = function.blocks().into_iter().take(1);
            let slots = entry.flat_map(Block::instructions);
            slots.filter(|i| is_slot(*i)).for_each(|i| flow.add(i));
        }
        for function in functions {
            function.params().into_iter().for_each(|p| flow.label(p));
            let instructions = function.blocks().into_iter().flat_map(Block::instructions);
            instructions.for_each(|i| flow.begin(i));
        }
        Concrete(flow.concrete())
    }

    /// Whether a variable has no labels.
    pub(super) fn has(&self, variable: Value<'m>) -> bool {
        self.0.contains(&variable)
    }

    /// Whether the concrete version looks at shadow for an instruction.
    pub(super) fn looks_at_shadow(&self, i: Value<'m>) -> bool {
        let has_shadow = |address| !is_slot(address) && !self.holds(address);
        i.opcode() == LLVMOpcode::LLVMLoad && has_shadow(i.operand(0)) || comparison(i).is_some()
    }

    /// Whether an address is computed from that of a global variable without labels.
    fn holds(&self, address: Value<'m>) -> bool {
        let is_part = match address.kind() {
            LLVMValueKind::LLVMGlobalVariableValueKind => return self.has(address),
            LLVMValueKind::LLVMConstantExprValueKind => {
                address.const_opcode() == LLVMOpcode::LLVMGetElementPtr
            }
            LLVMValueKind::LLVMInstructionValueKind => {
                address.opcode() == LLVMOpcode::LLVMGetElementPtr
            }
            _ => false,
        };
        is_part && self.holds(address.operand(0))
    }
}

/// Whether a global variable is one of the module's own, as it stands there.
fn is_defined_here(global: Value<'_>) -> bool {
    let name = global.name();
    let fixed = matches!(
        global.linkage(),
        LLVMLinkage::LLVMInternalLinkage
            | LLVMLinkage::LLVMPrivateLinkage
            | LLVMLinkage::LLVMExternalLinkage
    );
    fixed
        && global.initializer().is_some()
        && !global.is_thread_local()
        && !name.starts_with(PREFIX)
        && !name.starts_with("llvm.")
}

/// The data flow of a module, as far as it matters for its variables.
#[derive(Default)]
struct Flow<'m> {
    /// Loads of the variables that may turn out to be concrete.
    loads: HashMap<Value<'m>, Vec<Value<'m>>>,
    /// The variable that a load or a store accesses.
    accessed: HashMap<Value<'m>, Value<'m>>,
    /// Values that may have labels.
    labelled: HashSet<Value<'m>>,
    /// Those whose users were not looked at.
    open: Vec<Value<'m>>,
}

impl<'m> Flow<'m> {
    /// Adds a variable if all its accesses can be known.
    fn add(&mut self, variable: Value<'m>) {
        let mut accesses = Vec::new();
        if !only_accessed(variable, &mut accesses) {
            return;
        }
        let loads = accesses.iter().copied();
        let loads = loads.filter(|i| i.opcode() == LLVMOpcode::LLVMLoad);
        self.loads.insert(variable, loads.collect());
        let accesses = accesses.into_iter();
        self.accessed.extend(accesses.map(|i| (i, variable)));
    }

    /// A value may have a label.
    fn label(&mut self, value: Value<'m>) {
        if self.labelled.insert(value) {
            self.open.push(value);
        }
    }

    /// Labels the result of an instruction that brings labels in.
    fn begin(&mut self, i: Value<'m>) {
        use LLVMOpcode as O;
        let is_source = match i.opcode() {
            O::LLVMLoad => !self.accessed.contains_key(&i),
            O::LLVMCall => {
                let name = callee_name(i);
                let follows = is_computation(&name) || intrinsics::kind(&name) == Kind::Identity;
                marker(&name).is_none() && !(name.starts_with("llvm.") && follows)
            }
            O::LLVMInvoke
            | O::LLVMCallBr
            | O::LLVMAtomicRMW
            | O::LLVMAtomicCmpXchg
            | O::LLVMVAArg
            | O::LLVMLandingPad => true,
            _ => false,
        };
        if is_source {
            self.label(i);
        }
    }

    /// Follows the labels; the variables that none reaches.
    fn concrete(mut self) -> HashSet<Value<'m>> {
        while let Some(value) = self.open.pop() {
            for user in value.users() {
                if user.opcode() != LLVMOpcode::LLVMStore {
                    self.label(user);
                    continue;
                }
                // What is written, or where: then it may be any part of the variable.
                let variable = self.accessed.get(&user);
                let loads = variable.and_then(|variable| self.loads.remove(variable));
                loads.into_iter().flatten().for_each(|i| self.label(i));
            }
        }
        self.loads.into_keys().collect()
    }
}

/// Whether an address is used for loads and stores only, at once, as the base of another address or
/// from a slot that holds nothing else. Notes the accesses.
fn only_accessed<'m>(address: Value<'m>, accesses: &mut Vec<Value<'m>>) -> bool {
    use LLVMOpcode as O;
    address.users().into_iter().all(|user| {
        let opcode = match user.kind() {
            LLVMValueKind::LLVMConstantExprValueKind => user.const_opcode(),
            LLVMValueKind::LLVMInstructionValueKind => user.opcode(),
            _ => return false,
        };
        match opcode {
            O::LLVMLoad if !user.is_atomic() => accesses.push(user),
            O::LLVMStore if user.operand(0) == address => {
                let slot = user.operand(1);
                return is_written_once(slot)
                    && slot
                        .users()
                        .into_iter()
                        .all(|one| one == user || only_accessed(one, accesses));
            }
            O::LLVMStore if !user.is_atomic() => accesses.push(user),
            O::LLVMGetElementPtr if !user.operands()[1..].contains(&address) => {
                return only_accessed(user, accesses);
            }
            _ => return false,
        }
        true
    })
}

/// Whether a value is the address of a slot that is written at one place.
fn is_written_once(slot: Value<'_>) -> bool {
    let writes = |user: &Value<'_>| user.opcode() == LLVMOpcode::LLVMStore;
    is_slot(slot) && slot.users().iter().filter(|user| writes(user)).count() == 1
}
