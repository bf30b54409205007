//! The plain build: the frozen program as it is, plus one coverage byte per branch, and with a
//! clock and randomness that repeat under the fork server.
//!
//! Oracle sites count in no coverage. A branch and a select count in `map[first + condition]`; a
//! switch counts at the begin of each edge, for which its edges get blocks of their own. A count
//! goes on with 1 after 255: it is 0 for branches only that were not taken.
//!
//! Invariant: numbering is that of [`sites`](labrys_lower::sites) on the frozen bitcode, and no other
//! effect is added to runs by hand.

use std::path::Path;

use labrys_program::SiteKind;

use crate::recording::repeat;
use crate::{coverage, large};
use labrys_llvm::{Block, Builder, LLVMLinkage, LLVMOpcode, LlvmError, Module, Value};
use labrys_lower::sites::{Decision, sites};

/// Adds coverage to frozen bitcode. Large functions go to a file of their own, if one is named;
/// tells whether there are any.
///
/// # Errors
/// The input is not bitcode of LLVM 19, or (our bug) the result is not well-formed.
pub fn add_coverage(frozen: &Path, out: &Path, apart: Option<&Path>) -> Result<bool, LlvmError> {
    let mut module = Module::read(frozen)?;
    // Stacks of failures are those of the checked build.
    module.strip_debug();
    large::mark(&module);
    // New blocks hold no sites, so the numbering stays.
    module.run_passes("function(break-crit-edges)")?;
    cover(&module);
    repeat(&module);
    module
        .verify()
        .map_err(|e| LlvmError(format!("the plain module is not well-formed: {e}")))?;
    large::write(module, out, apart)
}

/// The name of the function that counts.
const COUNTER: &str = "__labrys_count";

fn cover(module: &Module) {
    let decisions = sites(module);
    let branches = decisions
        .iter()
        .map(|decision| decision.kind.directions())
        .sum();
    let marker = Marker {
        module,
        builder: module.builder(),
        map: coverage::define(module, branches),
        counter: module.declare(COUNTER, module.void(), &[module.int(64)]),
    };
    marker.define_counter();
    let mut first = 0;
    for decision in &decisions {
        if !decision.oracle {
            marker.mark(decision, first);
        }
        first += decision.kind.directions();
    }
}

struct Marker<'m> {
    module: &'m Module,
    builder: Builder<'m>,
    map: Value<'m>,
    /// A function that counts: large functions call it, since LLVM takes more time for what it does.
    counter: Value<'m>,
}

impl<'m> Marker<'m> {
    fn mark(&self, decision: &Decision<'m>, first: u32) {
        match &decision.kind {
            SiteKind::Branch => {
                self.mark_condition(decision.instruction, condition(decision.instruction), first);
            }
            SiteKind::Select => {
                self.mark_condition(decision.instruction, decision.instruction.operand(0), first);
            }
            SiteKind::Switch { .. } => {
                let edges = decision.instruction.parent().successors();
                for (branch, edge) in (first..).zip(edges) {
                    self.mark_edge(edge, branch);
                }
            }
        }
    }

    fn mark_condition(&self, instruction: Value<'m>, condition: Value<'m>, first: u32) {
        self.builder.before(instruction);
        let base = self.module.const_int(64, u64::from(first));
        let direction = self
            .builder
            .cast(LLVMOpcode::LLVMZExt, condition, self.module.int(64));
        let index = self.builder.binary(LLVMOpcode::LLVMAdd, base, direction);
        self.count(instruction, index);
    }

    fn mark_edge(&self, edge: Block<'m>, branch: u32) {
        let first = edge
            .instructions()
            .into_iter()
            .find(|instruction| instruction.opcode() != LLVMOpcode::LLVMPHI);
        if let Some(first) = first {
            self.builder.before(first);
            self.count(first, self.module.const_int(64, u64::from(branch)));
        }
    }

    fn define_counter(&self) {
        self.counter.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        self.module.add_attribute(self.counter, "noinline", 0);
        self.builder.at_end(self.module.define_body(self.counter));
        self.add(self.counter.params()[0]);
        self.builder.ret_void();
    }

    /// Counts at the builder's place, which is in a function of the program.
    fn count(&self, place: Value<'m>, index: Value<'m>) {
        match large::is_large(self.module, place.parent().function()) {
            true => drop(self.builder.call(self.counter, &[index])),
            false => self.add(index),
        }
    }

    /// Adds 1, and the carry; at once, since a loop in which the run is killed has no end where
    /// LLVM might do it instead.
    fn add(&self, index: Value<'m>) {
        let (builder, byte, wide) = (&self.builder, self.module.int(8), self.module.int(16));
        let address = builder.element_address(byte, self.map, index);
        let before = builder.load(byte, address);
        let before = builder.cast(LLVMOpcode::LLVMZExt, before, wide);
        let next = builder.binary(LLVMOpcode::LLVMAdd, before, self.module.const_int(16, 1));
        let carry = builder.binary(LLVMOpcode::LLVMLShr, next, self.module.const_int(16, 8));
        let next = builder.binary(LLVMOpcode::LLVMAdd, next, carry);
        let next = builder.cast(LLVMOpcode::LLVMTrunc, next, byte);
        builder.volatile_store(next, address);
    }
}

/// Condition of a conditional branch: its first operand.
fn condition(branch: Value<'_>) -> Value<'_> {
    branch.operand(0)
}
