//! The two versions of a function: how control changes from one to the other.
//!
//! Most code handles concrete data most of the time, and labels that are all 0 still cost
//! registers and a test for each operation. So a function has a *concrete* version, which only
//! looks at the shadow of what it loads and at the labels of results, and a *symbolic* one with
//! a label beside each value. A call starts in the concrete version unless a parameter has a
//! label; where a loaded value may have one, control goes on in the symbolic version; at the head
//! of a loop where no live value has a label, it goes back. Inner loops may have a third version
//! ([`clean_loops`](super::clean_loops)).
//!
//! Invariants: the concrete version neither reads nor writes label variables, and an edge out of
//! it writes those that are live; any shadow word that is not 0, label or mark, makes control
//! leave it.

use labrys_llvm::{Block, LLVMOpcode, Value};

use super::calls;
use super::clean_loops::CleanLoop;
use super::emit::Emitter;
use super::labels::Labels;
use super::shape::Shape;
use super::watch::Watch;

/// The edges between the versions of one function.
pub(super) struct Edges<'a, 'm> {
    pub(super) emit: &'a Emitter<'m>,
    pub(super) shape: &'a Shape<'m>,
    pub(super) labels: &'a Labels<'m>,
}

impl<'m> Edges<'_, 'm> {
    /// Edges of the concrete version to blocks that have only a symbolic one.
    pub(super) fn leave_region(&self, block: Block<'m>, copy: Block<'m>) {
        let Some(end) = copy.terminator() else { return };
        for (index, successor) in block.successors().into_iter().enumerate() {
            if !self.shape.concrete.contains_key(&successor) {
                end.set_successor(index, self.door(copy, successor));
            }
        }
    }

    /// A new block behind another that goes on in the symbolic version.
    fn door(&self, behind: Block<'m>, symbolic: Block<'m>) -> Block<'m> {
        let door = self.emit.module().block_after(behind);
        self.emit.builder().at_end(door);
        self.clear_labels(symbolic);
        self.emit.builder().jump(symbolic);
        door
    }

    /// Nothing that is live where a block begins has a label.
    fn clear_labels(&self, block: Block<'m>) {
        for slot in &self.shape.live[&block] {
            for place in self.labels.variables(*slot) {
                self.emit.builder().store(self.emit.u32(0), place);
            }
        }
    }

    /// Ends a block of the concrete version that may have met labels: it is done again with
    /// labels, or the labels of its call's results are taken.
    pub(super) fn leave_block(&self, watch: &Watch<'m>, block: Block<'m>, copy: Block<'m>) {
        let (emit, builder) = (self.emit, self.emit.builder());
        let Some(end) = copy.terminator() else { return };
        emit.before(end);
        let Some(met) = watch.met().and_then(|met| emit.any(&[met])) else {
            return;
        };
        let next = copy.successors()[0];
        let rare = emit.module().block_after(copy);
        builder.unlikely(met, rare, next);
        end.erase();
        let Some(call) = watch.call() else {
            let door = self.door(rare, block);
            builder.at_end(rare);
            let words = watch.shadow_of_reads(emit);
            return match emit.any(words.as_slice()) {
                Some(any) => builder.unlikely(any, door, next),
                None => builder.jump(next),
            };
        };
        let after = block.successors()[0];
        builder.at_end(rare);
        self.clear_labels(after);
        let labels = calls::results(emit, call);
        let stores = copy.instructions().into_iter();
        for store in stores.filter(|i| i.opcode() == LLVMOpcode::LLVMStore) {
            if store.operand(0) == call {
                self.labels.write(emit, store.operand(1), &labels);
            }
        }
        builder.jump(after);
    }

    /// At the head of a loop, the symbolic version goes on in the concrete one if no live value
    /// has a label.
    pub(super) fn return_to_concrete(
        &self,
        clean: &[CleanLoop<'m>],
        head: Block<'m>,
        ends: &[Value<'m>],
    ) {
        let (emit, builder) = (self.emit, self.emit.builder());
        let module = emit.module();
        let look = module.block_after(head);
        for end in ends {
            for (index, successor) in end.parent().successors().into_iter().enumerate() {
                if successor == head {
                    end.set_successor(index, look);
                }
            }
        }
        builder.at_end(look);
        let live = self.shape.live[&head].iter();
        let places = live.flat_map(|slot| self.labels.variables(*slot));
        let mut labels: Vec<_> = places
            .map(|place| builder.load(module.int(32), place))
            .collect();
        labels.push(emit.call("all_calls_wanted", &[]));
        let clean = clean.iter().find(|clean| clean.head == head);
        let concrete = clean.map_or(self.shape.concrete[&head], |clean| clean.entry);
        match emit.any(&labels) {
            Some(any) => builder.unlikely(any, head, concrete),
            None => builder.jump(concrete),
        }
    }

    /// A call begins in the concrete version unless a parameter has a label, or every decision is
    /// recorded.
    pub(super) fn begin(&self, function: Value<'m>) {
        let (emit, prologue) = (self.emit, self.shape.prologue);
        let Some(end) = prologue.terminator() else {
            return;
        };
        let symbolic = prologue.successors()[0];
        let Some(concrete) = self.shape.concrete.get(&symbolic) else {
            return;
        };
        let values = prologue.instructions().into_iter();
        let values = function.params().into_iter().chain(values);
        let labels = values.flat_map(|v| self.labels.all(v));
        let mut labels: Vec<_> = labels.flatten().collect();
        emit.before(end);
        labels.push(emit.call("all_calls_wanted", &[]));
        match emit.any(&labels) {
            Some(any) => emit.builder().unlikely(any, symbolic, *concrete),
            None => emit.builder().jump(*concrete),
        }
        end.erase();
    }
}
