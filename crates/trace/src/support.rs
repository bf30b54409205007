//! Supports: the symbols that the value of a label depends on, and the slices made of them.
//!
//! The support of a node is the union of those of its operands; simplification may find that
//! an expression depends on fewer symbols.

use labrys_abi::Op;
use rustc_hash::FxHashMap;

use crate::Trace;
use crate::sets::{SetId, Sets, byte_key, length_key};
use crate::slice::Classes;

/// Supports and classes, as far as they were asked for.
#[derive(Debug)]
pub(crate) struct Supports {
    pub(crate) sets: Sets,
    pub(crate) classes: Classes,
    /// By label: 0 if not known, else one plus the index of the set.
    known: Vec<u32>,
    /// By offset: the support of a snapshot's bytes.
    snapshots: FxHashMap<u64, SetId>,
    /// By step, as far as asked for: the symbols that it or a step before it depends on.
    prefixes: Vec<SetId>,
}

impl Supports {
    pub(crate) fn new(labels: usize) -> Self {
        Self {
            sets: Sets::new(),
            classes: Classes::default(),
            known: vec![0; labels],
            snapshots: FxHashMap::default(),
            prefixes: Vec::new(),
        }
    }

    fn get(&self, label: u32) -> Option<SetId> {
        let known = self.known[label as usize];
        known
            .checked_sub(1)
            .map(|index| SetId::from_index(index as usize))
    }

    /// The support of a label. The stack is explicit: chains of nodes can be millions long.
    pub(crate) fn of(&mut self, trace: &Trace, label: u32) -> SetId {
        let mut stack = vec![label];
        while let Some(&next) = stack.last() {
            if self.get(next).is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.for_each_operand(trace, next, |supports, operand| {
                if supports.get(operand).is_none() {
                    stack.push(operand);
                }
            });
            if stack.len() == before {
                let support = self.compute(trace, next);
                self.known[next as usize] = support.index() as u32 + 1;
                stack.pop();
            }
        }
        self.get(label)
            .expect("the loop ends when the label is known")
    }

    fn for_each_operand(&self, trace: &Trace, label: u32, mut visit: impl FnMut(&Self, u32)) {
        let node = &trace.recording().nodes[label as usize];
        if Op::from_u8(node.op) == Some(Op::Table) && self.snapshots.contains_key(&node.imm) {
            visit(self, node.a);
            return;
        }
        trace.operands(label, |operand| visit(self, operand));
    }

    fn compute(&mut self, trace: &Trace, label: u32) -> SetId {
        let node = &trace.recording().nodes[label as usize];
        match Op::from_u8(node.op) {
            Some(Op::Input) => {
                let (stream, offset) = (node.imm >> 32, node.imm & 0xffff_ffff);
                self.sets
                    .range(byte_key(stream, offset), u32::from(node.width / 8))
            }
            Some(Op::Length) => self.sets.singleton(length_key(node.imm)),
            Some(Op::Table) => {
                let index = self.get(node.a).unwrap_or(SetId::EMPTY);
                let bytes = self.snapshot(trace, node.imm);
                self.sets.union(index, bytes)
            }
            _ => {
                let mut support = SetId::EMPTY;
                trace.operands(label, |operand| {
                    let operand = self.get(operand).unwrap_or(SetId::EMPTY);
                    support = self.sets.union(support, operand);
                });
                support
            }
        }
    }

    fn snapshot(&mut self, trace: &Trace, offset: u64) -> SetId {
        if let Some(support) = self.snapshots.get(&offset) {
            return *support;
        }
        let mut support = SetId::EMPTY;
        if let Some(snapshot) = trace.recording().snapshot(offset) {
            for (_, label) in snapshot.labels() {
                let byte = self.get(label).unwrap_or(SetId::EMPTY);
                support = self.sets.union(support, byte);
            }
        }
        self.snapshots.insert(offset, support);
        support
    }

    /// The slice of a step.
    pub(crate) fn slice(&mut self, trace: &Trace, step: usize) -> Vec<usize> {
        for next in self.classes.steps()..step {
            let support = self.of(trace, trace.steps()[next].label);
            self.classes.push(&mut self.sets, support);
        }
        let support = self.of(trace, trace.steps()[step].label);
        self.classes.slice(&mut self.sets, support, step as u32)
    }
    /// The symbols that a step, or one before it, depends on.
    pub(crate) fn prefix(&mut self, trace: &Trace, step: usize) -> SetId {
        for next in self.prefixes.len()..=step {
            let support = self.of(trace, trace.steps()[next].label);
            let before = next
                .checked_sub(1)
                .map_or(SetId::EMPTY, |at| self.prefixes[at]);
            let union = self.sets.union(before, support);
            self.prefixes.push(union);
        }
        self.prefixes[step]
    }
}
