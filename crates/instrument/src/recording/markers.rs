//! Markers: calls that carry decisions, entries and exits through optimization.
//!
//! Optimized bitcode is a fraction of the work to instrument, but optimization moves, copies and
//! rewrites the instructions that have numbers. So before it each decision gets a call that
//! carries its number and its condition, and after it only these calls are decisions. For LLVM
//! a marker is an effect on memory that nothing else touches: markers keep their order and are
//! made as often as before, whatever becomes of the branches.
//! [`decisions`](super::decisions) replaces them by what they stand for.
//!
//! | marker | where |
//! |---|---|
//! | `at_branch(site, branch, condition)` | before a conditional branch |
//! | `at_check_site(site, branch, condition)` | before the branch of an oracle site |
//! | `at_select(site, branch, condition)` | before a select |
//! | `at_pick(site, branch, condition)` | before a select that is a value ([`large::is_pick`]) |
//! | `at_switch_N(value)` | before a switch over N bits; its result stands for the value's label |
//! | `at_edge(site, branch, direction, token, value)` | on each edge of a switch |
//! | `at_enter(function)`, `at_leave(function)` | in functions of the static program model |
//!
//! A switch needs two, since behind an edge LLVM replaces the value by the case's constant,
//! which has no label.
//!
//! Invariant: with all markers taken out, the module is the frozen one.

use std::collections::HashMap;

use labrys_library::MODEL_PREFIX;
use labrys_program::SiteKind;

use labrys_llvm::{Builder, LLVMOpcode, LlvmError, Module, Type, Value};
use labrys_lower::marked;
use labrys_lower::sites::sites;

use super::{Numbers, PREFIX, UNCOUNTED};
use crate::large;

/// LLVM's encoding of `memory(inaccessiblemem: readwrite)`.
const INACCESSIBLE: u64 = 3 << 2;

/// Puts the markers in; the number of branches that count.
pub(super) fn insert(module: &mut Module, numbers: &Numbers) -> Result<u32, LlvmError> {
    // Each edge of a switch gets a block of its own.
    module.run_passes("function(break-crit-edges)")?;
    let module = &*module;
    let markers = Markers {
        module,
        builder: module.builder(),
    };
    let mut branches = 0;
    for (id, decision) in sites(module).iter().enumerate() {
        let counted = id < numbers.sites;
        let first = if counted { branches } else { UNCOUNTED };
        if counted {
            branches += decision.kind.directions();
        }
        let place = [markers.u32(numbers.first + id as u32), markers.u32(first)];
        let i = decision.instruction;
        match &decision.kind {
            SiteKind::Branch if decision.oracle => markers.condition("at_check_site", i, place),
            SiteKind::Branch => markers.condition("at_branch", i, place),
            SiteKind::Select if large::is_pick(module, i.parent().function(), i) => {
                markers.condition("at_pick", i, place);
            }
            SiteKind::Select => markers.condition("at_select", i, place),
            SiteKind::Switch { .. } => markers.switch(i, place),
        }
    }
    markers.functions(&numbers.functions);
    Ok(branches)
}

/// What LLVM's inliner may take a callee to cost. Its default of 225 doubles large functions,
/// and each instruction counts many times once it is instrumented.
const INLINED: &str = "30";

/// What the inliner takes a marker to cost.
const COST: &str = "10";

/// Passes that make code smaller and leave its decisions what they are: no branch becomes
/// arithmetic, no loop gets another counter. No pass may infer attributes, since what is
/// inserted later has effects that they would deny.
const OPTIMIZE: &str = "cgscc(inline,function(\
    sroa<modify-cfg>,early-cse<memssa>,simplifycfg<no-speculate-blocks;no-simplify-cond-branch>,\
    aggressive-instcombine,instcombine<no-verify-fixpoint>,\
    loop-mssa(loop-instsimplify,licm,loop-rotate,licm),\
    instcombine<no-verify-fixpoint>,loop(loop-deletion),\
    sroa<modify-cfg>,gvn,sccp,bdce,instcombine<no-verify-fixpoint>,dse,adce,\
    simplifycfg<no-speculate-blocks;no-simplify-cond-branch>,instcombine<no-verify-fixpoint>))";

/// Optimizes a module with markers.
pub(super) fn optimize(module: &mut Module) -> Result<(), LlvmError> {
    for function in module.functions() {
        if !function.is_declaration() {
            module.add_text_attribute(function, "function-inline-threshold", INLINED);
        }
        // Its calls are to be seen.
        if marked::is_marked(module, function) {
            module.add_attribute(function, "noinline", 0);
        }
    }
    large::optimize(module, OPTIMIZE)
}

/// The name of a marker without prefixes, if `function` is one.
pub(super) fn marker(name: &str) -> Option<&str> {
    let name = name.strip_prefix(PREFIX)?;
    name.starts_with("at_").then_some(name)
}

struct Markers<'m> {
    module: &'m Module,
    builder: Builder<'m>,
}

impl<'m> Markers<'m> {
    fn u32(&self, value: u32) -> Value<'m> {
        self.module.const_int(32, u64::from(value))
    }

    /// The marker of this name; `memory` is its attribute's value.
    fn declare(&self, name: &str, result: Type<'m>, params: &[Type<'m>], memory: u64) -> Value<'m> {
        let name = format!("{PREFIX}{name}");
        if let Some(found) = self.module.function(&name) {
            return found;
        }
        let function = self.module.declare(&name, result, params);
        for attribute in ["nounwind", "willreturn", "nocallback", "nosync", "nofree"] {
            self.module.add_attribute(function, attribute, 0);
        }
        self.module.add_attribute(function, "memory", memory);
        self.module
            .add_text_attribute(function, "call-inline-cost", COST);
        function
    }

    fn condition(&self, name: &str, i: Value<'m>, [site, branch]: [Value<'m>; 2]) {
        let (u32, bit, void) = (self.module.int(32), self.module.int(1), self.module.void());
        let marker = self.declare(name, void, &[u32, u32, bit], INACCESSIBLE);
        self.builder.before(i);
        let _ = self.builder.call(marker, &[site, branch, i.operand(0)]);
    }

    fn switch(&self, i: Value<'m>, [site, branch]: [Value<'m>; 2]) {
        let (u32, u64) = (self.module.int(32), self.module.int(64));
        let value = i.operand(0);
        let bits = value.ty().int_width().unwrap_or(0);
        let name = format!("at_switch_{bits}");
        let token = self.declare(&name, u32, &[value.ty()], 0);
        let params = [u32, u32, u32, u32, u64];
        let edge = self.declare("at_edge", self.module.void(), &params, INACCESSIBLE);
        self.builder.before(i);
        let token = self.builder.call(token, &[value]);
        let wide = match bits {
            64 => value,
            w if w < 64 => self.builder.cast(LLVMOpcode::LLVMZExt, value, u64),
            _ => self.builder.cast(LLVMOpcode::LLVMTrunc, value, u64),
        };
        for (direction, successor) in (0..).zip(i.parent().successors()) {
            if let Some(first) = successor.first_after_phis() {
                self.builder.before(first);
                let arguments = [site, branch, self.u32(direction), token, wide];
                let _ = self.builder.call(edge, &arguments);
            }
        }
    }

    /// Entries and exits of the functions with these numbers.
    fn functions(&self, numbers: &HashMap<String, u32>) {
        let (u32, void) = (self.module.int(32), self.module.void());
        let enter = self.declare("at_enter", void, &[u32], INACCESSIBLE);
        let leave = self.declare("at_leave", void, &[u32], INACCESSIBLE);
        for function in self.module.functions() {
            let name = function.name();
            let Some(number) = numbers.get(&name) else {
                continue;
            };
            if function.is_declaration() || name.starts_with(MODEL_PREFIX) {
                continue;
            }
            let blocks = function.blocks();
            for block in &blocks {
                let Some(end) = block.terminator() else {
                    continue;
                };
                let tail = end.previous().is_some_and(Value::is_musttail);
                if end.opcode() == LLVMOpcode::LLVMRet && !tail {
                    self.builder.before(end);
                    let _ = self.builder.call(leave, &[self.u32(*number)]);
                }
            }
            if let Some(first) = blocks.first().and_then(|b| b.first_after_phis()) {
                self.builder.before(first);
                let _ = self.builder.call(enter, &[self.u32(*number)]);
            }
        }
    }
}

/// Takes out the markers of code that is never run.
pub(super) fn sweep(module: &Module) {
    for function in module.functions() {
        for block in function.blocks() {
            for i in block.instructions() {
                let called = i.opcode() == LLVMOpcode::LLVMCall && {
                    let name = i.called().name();
                    marker(&name).is_some()
                };
                if called {
                    if i.ty().int_width().is_some() {
                        i.replace_uses(i.ty().zero());
                    }
                    i.erase();
                }
            }
        }
    }
}
