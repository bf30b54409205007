//! Decisions: each marker is replaced by what it stands for.
//!
//! The symbolic version records decisions with their labels; the concrete version only counts
//! them in coverage. Both measure how near a decision is to its other side.

use std::collections::{HashMap, HashSet};

use labrys_llvm::{LLVMIntPredicate, LLVMOpcode, LLVMTypeKind, Value};

use super::UNCOUNTED;
use super::emit::Emitter;
use super::labels::Labels;
use super::slots::is_slot;

/// What is known of the decisions of the version at hand.
#[derive(Default)]
pub(super) struct Decisions<'m> {
    /// Comparisons by the slot that holds the result.
    comparisons: HashMap<Value<'m>, Vec<Value<'m>>>,
    /// Conditions that had an event in the block at hand.
    decided: HashSet<Value<'m>>,
    /// Whether the block at hand is in a loop of the concrete version.
    repeated: bool,
}

impl<'m> Decisions<'m> {
    /// Begins a version, given by the instructions of its blocks.
    pub(super) fn begin_version(&mut self, blocks: &[Vec<Value<'m>>]) {
        self.comparisons = stored_comparisons(blocks);
    }

    /// Begins a block of the symbolic version.
    pub(super) fn begin_block(&mut self) {
        self.decided.clear();
    }

    /// Begins a block of the concrete version, which may be in a loop.
    pub(super) fn begin_concrete_block(&mut self, repeated: bool) {
        self.repeated = repeated;
    }

    /// Whether a condition had an event in this block.
    pub(super) fn is_decided(&self, condition: Value<'m>) -> bool {
        self.decided.contains(&condition)
    }

    /// Replaces a marker of the symbolic version.
    pub(super) fn record(
        &mut self,
        emit: &Emitter<'m>,
        labels: &Labels<'m>,
        i: Value<'m>,
        marker: &str,
    ) {
        emit.before(i);
        match (marker, i.arguments().as_slice()) {
            ("at_branch" | "at_check_site" | "at_select", &[site, branch, condition]) => {
                let label = emit.label(labels.of(condition));
                let u32 = emit.module().int(32);
                let direction = emit.builder().cast(LLVMOpcode::LLVMZExt, condition, u32);
                let helper = &marker["at_".len()..];
                if helper != "check_site" {
                    self.near(emit, branch, condition);
                    emit.before(i);
                }
                let _ = emit.call(helper, &[site, label, direction, branch]);
                self.decided.insert(condition);
            }
            ("at_pick", &[site, branch, condition]) => {
                let u32 = emit.module().int(32);
                let direction = emit.builder().cast(LLVMOpcode::LLVMZExt, condition, u32);
                let _ = emit.call("select", &[site, emit.u32(0), direction, branch]);
            }
            ("at_edge", &[site, branch, direction, label, value]) => {
                let _ = emit.call("switch", &[site, label, direction, value, branch]);
            }
            ("at_enter" | "at_leave", &[function]) => {
                let _ = emit.call(&marker["at_".len()..], &[function]);
            }
            // The token of a switch.
            (_, &[value]) => i.replace_uses(emit.label(labels.of(value))),
            _ => {}
        }
        i.erase();
    }

    /// Replaces a marker of the concrete version.
    pub(super) fn count(
        &self,
        emit: &Emitter<'m>,
        labels: &Labels<'m>,
        i: Value<'m>,
        marker: &str,
    ) {
        emit.before(i);
        match (marker, i.arguments().as_slice()) {
            ("at_branch" | "at_select" | "at_pick", &[_, branch, condition]) => {
                if !self.repeated {
                    self.near(emit, branch, condition);
                    emit.before(i);
                }
                cover(emit, i, branch, condition);
            }
            ("at_edge", &[_, branch, direction, ..]) => {
                let _ = emit.call("cover", &[branch, direction]);
            }
            ("at_enter" | "at_leave" | "at_check_site", _) => {}
            // The token of a switch.
            (_, &[value]) => i.replace_uses(emit.label(labels.of(value))),
            _ => {}
        }
        i.erase();
    }

    /// Measures how near a decision is to its other side, where it compares two numbers.
    fn near(&self, emit: &Emitter<'m>, branch: Value<'m>, condition: Value<'m>) {
        if branch.const_int_value() == Some(u64::from(UNCOUNTED)) {
            return;
        }
        let is_load = condition.is_instruction() && condition.opcode() == LLVMOpcode::LLVMLoad;
        let stored = is_load.then(|| self.comparisons.get(&condition.operand(0)));
        match stored.flatten() {
            Some(stored) => stored
                .iter()
                .for_each(|comparison| measure(emit, branch, *comparison)),
            None => measure(emit, branch, condition),
        }
    }
}

/// The comparisons whose results are kept in slots, by these, also where one slot is copied to the
/// next: what is compared behind a loop is often compared in its last iteration.
fn stored_comparisons<'m>(blocks: &[Vec<Value<'m>>]) -> HashMap<Value<'m>, Vec<Value<'m>>> {
    use LLVMOpcode as O;
    let stores = blocks.iter().flatten().filter(|i| {
        i.opcode() == O::LLVMStore && is_slot(i.operand(1)) && i.operand(0).is_instruction()
    });
    let mut stored: HashMap<Value<'m>, Vec<Value<'m>>> = HashMap::new();
    let mut copied: HashMap<Value<'m>, Vec<Value<'m>>> = HashMap::new();
    let mut new = Vec::new();
    for store in stores {
        let [value, slot] = [0, 1].map(|operand| store.operand(operand));
        match value.opcode() {
            O::LLVMICmp | O::LLVMFCmp => new.push((slot, value)),
            O::LLVMLoad => copied.entry(value.operand(0)).or_default().push(slot),
            _ => {}
        }
    }
    while let Some((slot, comparison)) = new.pop() {
        let known = stored.entry(slot).or_default();
        if !known.contains(&comparison) {
            known.push(comparison);
            let copies = copied.get(&slot).into_iter().flatten();
            new.extend(copies.map(|copy| (*copy, comparison)));
        }
    }
    stored
}

/// Measures the distance of a comparison behind it, for a branch.
fn measure<'m>(emit: &Emitter<'m>, branch: Value<'m>, comparison: Value<'m>) {
    let is_comparison = comparison.is_instruction()
        && matches!(
            comparison.opcode(),
            LLVMOpcode::LLVMICmp | LLVMOpcode::LLVMFCmp
        );
    let Some(next) = comparison.next().filter(|_| is_comparison) else {
        return;
    };
    emit.before(next);
    let kind = order(comparison);
    let operands = [comparison.operand(0), comparison.operand(1)];
    if let [Some(a), Some(b)] = operands.map(|value| wide(emit, value, kind)) {
        let u32 = emit.module().int(32);
        let direction = emit.builder().cast(LLVMOpcode::LLVMZExt, comparison, u32);
        let _ = emit.call("near", &[branch, direction, emit.u32(kind), a, b]);
    }
}

/// A number that is compared, as 64 bits.
fn wide<'m>(emit: &Emitter<'m>, value: Value<'m>, kind: u32) -> Option<Value<'m>> {
    use LLVMOpcode as O;
    let to = emit.module().int(64);
    let extension = if kind == SIGNED {
        O::LLVMSExt
    } else {
        O::LLVMZExt
    };
    match value.ty().kind() {
        LLVMTypeKind::LLVMPointerTypeKind
        | LLVMTypeKind::LLVMFloatTypeKind
        | LLVMTypeKind::LLVMDoubleTypeKind => Some(emit.bits(value)),
        _ => match value.ty().int_width()? {
            64 => Some(value),
            width if width < 64 => Some(emit.builder().cast(extension, value, to)),
            _ => None,
        },
    }
}

/// Counts a decision in coverage: on the edges of the branch that takes it, where it can.
fn cover<'m>(emit: &Emitter<'m>, i: Value<'m>, branch: Value<'m>, condition: Value<'m>) {
    let end = i.next().filter(|next| next.opcode() == LLVMOpcode::LLVMBr);
    let edges = end.map(|_| i.parent().successors()).unwrap_or_default();
    if let (Some(end), [yes, no]) = (end, edges.as_slice()) {
        let firsts = [yes, no].map(|edge| edge.first_after_phis());
        let this = end.operand(0) == condition && yes != no;
        if let ([Some(yes), Some(no)], true) = (firsts, this) {
            for (edge, direction) in [(yes, 1), (no, 0)] {
                emit.before(edge);
                let _ = emit.call("cover", &[branch, emit.u32(direction)]);
            }
            return;
        }
    }
    let u32 = emit.module().int(32);
    let direction = emit.builder().cast(LLVMOpcode::LLVMZExt, condition, u32);
    let _ = emit.call("cover", &[branch, direction]);
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
