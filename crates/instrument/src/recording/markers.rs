//! Markers: calls that carry decisions, entries and exits through optimization.
//!
//! Optimized bitcode is a fraction of the work to instrument, but optimization moves, copies and
//! rewrites the instructions that have numbers. So before it each decision gets a call that
//! carries its number and its condition, and after it only these calls are decisions. For LLVM
//! a marker is an effect on memory that nothing else touches: markers keep their order and are
//! made as often as before, whatever becomes of the branches.
//!
//! | marker | where |
//! |---|---|
//! | `at_branch(site, branch, condition)` | before a conditional branch |
//! | `at_check_site(site, branch, condition)` | before the branch of an oracle site |
//! | `at_select(site, branch, condition)` | before a select |
//! | `at_switch_N(value)` | before a switch over N bits; its result stands for the value's label |
//! | `at_edge(site, branch, direction, token, value)` | on each edge of a switch |
//! | `at_enter(function)`, `at_leave(function)` | in functions of the program picture |
//!
//! A switch needs two, since behind an edge LLVM replaces the value by the case's constant,
//! which has no label.
//!
//! Invariant: with all markers taken out, the module is the frozen one.

use std::collections::HashMap;

use labrys_program::SiteKind;

use labrys_llvm::{
    Builder, LLVMIntPredicate, LLVMOpcode, LLVMTypeKind, LLVMValueKind, LlvmError, Module, Type,
    Value,
};
use labrys_lower::marked;
use labrys_lower::sites::sites;

use super::function::FunctionPass;
use labrys_library::MODEL_PREFIX;

use super::{Numbers, PREFIX, UNCOUNTED};

/// LLVM's encoding of `memory(inaccessiblemem: readwrite)`.
const INACCESSIBLE: u64 = 3 << 2;

/// Puts the markers in; the number of branches that count.
pub(super) fn insert(module: &Module, numbers: &Numbers) -> u32 {
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
        let place = [markers.u32(id as u32), markers.u32(first)];
        let i = decision.instruction;
        match &decision.kind {
            SiteKind::Branch if decision.oracle => markers.condition("at_check_site", i, place),
            SiteKind::Branch => markers.condition("at_branch", i, place),
            SiteKind::Select => markers.condition("at_select", i, place),
            SiteKind::Switch { .. } => markers.switch(i, place),
        }
    }
    markers.functions(&numbers.functions);
    branches
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
    module.run_passes(OPTIMIZE)
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

impl<'m> FunctionPass<'_, 'm> {
    /// Replaces a marker by what it stands for.
    pub(super) fn decision(&mut self, i: Value<'m>, marker: &str) {
        let h = &self.pass.helpers;
        h.builder.before(i);
        let arguments = i.arguments();
        match (marker, arguments.as_slice()) {
            ("at_branch" | "at_select", &[_, branch, condition]) if self.concrete => {
                if !self.repeated {
                    self.near(branch, condition);
                    h.builder.before(i);
                }
                self.cover(i, branch, condition);
            }
            ("at_edge", &[_, branch, direction, ..]) if self.concrete => {
                let _ = h.call("cover", &[branch, direction]);
            }
            ("at_enter" | "at_leave" | "at_check_site", _) if self.concrete => {}
            ("at_branch" | "at_check_site" | "at_select", &[site, branch, condition]) => {
                let label = self.operand(self.label_of(condition));
                let u32 = self.pass.module.int(32);
                let direction = h.builder.cast(LLVMOpcode::LLVMZExt, condition, u32);
                let helper = &marker["at_".len()..];
                if helper != "check_site" {
                    self.near(branch, condition);
                    h.builder.before(i);
                }
                let _ = h.call(helper, &[site, label, direction, branch]);
                self.decided.insert(condition);
            }
            ("at_edge", &[site, branch, direction, label, value]) => {
                let _ = h.call("switch", &[site, label, direction, value, branch]);
            }
            ("at_enter" | "at_leave", &[function]) => {
                let _ = h.call(&marker["at_".len()..], &[function]);
            }
            // The token of a switch.
            (_, &[value]) => i.replace_uses(self.operand(self.label_of(value))),
            _ => {}
        }
        i.erase();
    }

    /// Measures how near a decision is to its other side, where it compares two numbers. Loops of
    /// the concrete version are spared.
    fn near(&self, branch: Value<'m>, condition: Value<'m>) {
        if branch.const_int_value() == Some(u64::from(UNCOUNTED)) {
            return;
        }
        let is_load = condition.kind() == LLVMValueKind::LLVMInstructionValueKind
            && condition.opcode() == LLVMOpcode::LLVMLoad;
        let stored = is_load.then(|| self.comparisons.get(&condition.operand(0)));
        match stored.flatten() {
            Some(stored) => stored.iter().for_each(|one| self.measure(branch, *one)),
            None => self.measure(branch, condition),
        }
    }

    /// Measures the distance of a comparison behind it, for a branch.
    fn measure(&self, branch: Value<'m>, comparison: Value<'m>) {
        let is_comparison = comparison.kind() == LLVMValueKind::LLVMInstructionValueKind
            && matches!(
                comparison.opcode(),
                LLVMOpcode::LLVMICmp | LLVMOpcode::LLVMFCmp
            );
        let Some(next) = comparison.next().filter(|_| is_comparison) else {
            return;
        };
        let h = &self.pass.helpers;
        h.builder.before(next);
        let kind = order(comparison);
        let operands = [comparison.operand(0), comparison.operand(1)];
        if let [Some(a), Some(b)] = operands.map(|value| self.wide(value, kind)) {
            let u32 = self.pass.module.int(32);
            let direction = h.builder.cast(LLVMOpcode::LLVMZExt, comparison, u32);
            let _ = h.call("near", &[branch, direction, h.u32(kind), a, b]);
        }
    }

    /// A number that is compared, as 64 bits.
    fn wide(&self, value: Value<'m>, kind: u32) -> Option<Value<'m>> {
        use LLVMOpcode as O;
        let builder = &self.pass.helpers.builder;
        let to = self.pass.module.int(64);
        let extension = if kind == SIGNED {
            O::LLVMSExt
        } else {
            O::LLVMZExt
        };
        match value.ty().kind() {
            LLVMTypeKind::LLVMPointerTypeKind => Some(builder.cast(O::LLVMPtrToInt, value, to)),
            LLVMTypeKind::LLVMFloatTypeKind | LLVMTypeKind::LLVMDoubleTypeKind => {
                Some(self.bits(value))
            }
            _ => match value.ty().int_width()? {
                64 => Some(value),
                width if width < 64 => Some(builder.cast(extension, value, to)),
                _ => None,
            },
        }
    }

    /// Counts a decision in coverage: on the edges of the branch that takes it, where it can.
    fn cover(&self, i: Value<'m>, branch: Value<'m>, condition: Value<'m>) {
        let h = &self.pass.helpers;
        let end = i.next().filter(|next| next.opcode() == LLVMOpcode::LLVMBr);
        let edges = end.map(|_| i.parent().successors()).unwrap_or_default();
        if let (Some(end), [yes, no]) = (end, edges.as_slice()) {
            let firsts = [yes, no].map(|edge| edge.first_after_phis());
            let this = end.operand(0) == condition && yes != no;
            if let ([Some(yes), Some(no)], true) = (firsts, this) {
                for (edge, direction) in [(yes, 1), (no, 0)] {
                    h.builder.before(edge);
                    let _ = h.call("cover", &[branch, h.u32(direction)]);
                }
                return;
            }
        }
        let u32 = self.pass.module.int(32);
        let direction = h.builder.cast(LLVMOpcode::LLVMZExt, condition, u32);
        let _ = h.call("cover", &[branch, direction]);
    }
}

/// How the operands of a comparison are ordered, for `near`.
const UNSIGNED: u32 = 0;
const SIGNED: u32 = 1;
const DOUBLE: u32 = 2;
const FLOAT: u32 = 3;

/// The order that a comparison goes by.
fn order(comparison: Value<'_>) -> u32 {
    use LLVMIntPredicate as P;
    match comparison.operand(0).ty().kind() {
        LLVMTypeKind::LLVMFloatTypeKind => return FLOAT,
        LLVMTypeKind::LLVMDoubleTypeKind => return DOUBLE,
        _ if comparison.opcode() == LLVMOpcode::LLVMFCmp => return DOUBLE,
        _ => {}
    }
    match comparison.int_predicate() {
        P::LLVMIntUGT | P::LLVMIntUGE | P::LLVMIntULT | P::LLVMIntULE => UNSIGNED,
        _ => SIGNED,
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
