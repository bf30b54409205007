//! Symbolic states: the conditions under which a run at the place that a path has come to, going
//! backward from the target, takes the path (dissertation, section 4.2).
//!
//! Invariant: every run that passes the place and then takes the path satisfies all constraints,
//! where each symbol stands for the value that it has in that run. A step that does not know a
//! value leaves its symbol free. So a state whose constraints cannot be satisfied proves that no
//! run takes the path.

mod conditions;
mod memory;
mod trail;

use std::collections::BTreeMap;

use labrys_analysis::Place;
use labrys_expr::ExprId;
use labrys_program::{BlockId, FunctionId, ValueId};

use crate::path::Skip;
use crate::terms::{Frame, SymbolicValue, Terms, pair_scalars};

pub(crate) use conditions::Conditions;
pub(crate) use memory::{Content, Memory, NULL_PAGE, Read, UnknownWrite, Write};
pub(crate) use trail::Trail;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct State {
    frames: Vec<Frame>,
    conditions: Conditions,
    memory: Memory,
    trail: Trail,
    block: BlockId,
    index: usize,
    /// How often the path goes from a function to each of its callers.
    rises: BTreeMap<(FunctionId, Place), u32>,
}

impl State {
    /// The state at a place of a frame, without any conditions.
    pub(crate) fn new(frame: Frame, block: BlockId, index: usize) -> Self {
        State {
            conditions: Conditions::default(),
            memory: Memory::default(),
            trail: Trail::new(frame.function(), block),
            frames: vec![frame],
            block,
            index,
            rises: BTreeMap::new(),
        }
    }

    pub(crate) fn frame(&self) -> &Frame {
        self.frames.last().expect("a state has a frame")
    }

    pub(crate) fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a state has a frame")
    }

    /// Calls on the stack, as far as the path knows them.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Frames of a function.
    pub(crate) fn depth_of(&self, function: FunctionId) -> usize {
        let frames = self.frames.iter();
        frames.filter(|frame| frame.function() == function).count()
    }

    pub(crate) fn push_frame(&mut self, frame: Frame) {
        self.frames.push(frame);
    }

    pub(crate) fn pop_frame(&mut self) -> Option<Frame> {
        self.frames.pop()
    }

    /// The function of the top frame.
    pub(crate) fn function(&self) -> FunctionId {
        self.frame().function()
    }

    /// The block that the path has come to.
    pub(crate) fn block(&self) -> BlockId {
        self.block
    }

    /// The instruction of the block before which the path has come.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Goes to the end of a block, or before an instruction of it.
    pub(crate) fn place(&mut self, block: BlockId, index: usize) {
        self.block = block;
        self.index = index;
    }

    /// Goes before the instruction before; `false` at the head of the block.
    pub(crate) fn step_back(&mut self) -> bool {
        let Some(index) = self.index.checked_sub(1) else {
            return false;
        };
        self.index = index;
        true
    }

    /// Notes that the path goes through the block of the place.
    pub(crate) fn hop(&mut self) {
        let hop = (self.function(), self.block);
        self.trail.hop(hop.0, hop.1);
    }

    /// How often the path goes from a function to this call of it.
    pub(crate) fn rises(&self, caller: FunctionId, call: Place) -> u32 {
        self.rises.get(&(caller, call)).copied().unwrap_or(0)
    }

    /// The path goes from a function to this call of it.
    pub(crate) fn rise(&mut self, caller: FunctionId, call: Place) {
        *self.rises.entry((caller, call)).or_insert(0) += 1;
    }

    pub(crate) fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    pub(crate) fn conditions_mut(&mut self) -> &mut Conditions {
        &mut self.conditions
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    pub(crate) fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    pub(crate) fn trail(&self) -> &Trail {
        &self.trail
    }

    pub(crate) fn trail_mut(&mut self) -> &mut Trail {
        &mut self.trail
    }

    /// Gives the trail away.
    pub(crate) fn into_trail(self) -> Trail {
        self.trail
    }

    /// Notes that the path does not follow something.
    pub(crate) fn skip(&mut self, skip: Skip) {
        self.trail.skip(skip);
    }

    /// Runs on the path satisfy this.
    pub(crate) fn require(&mut self, terms: &Terms<'_>, condition: ExprId) {
        self.conditions.require(terms.pool(), condition);
    }

    /// Notes what symbols turn out to be.
    pub(crate) fn substitute(&mut self, terms: &mut Terms<'_>, pairs: &[(ExprId, ExprId)]) {
        let bindings = terms.bindings(pairs);
        if bindings.is_empty() {
            return;
        }
        terms.bind_all(&bindings, self.memory.addresses_mut());
        self.conditions.bind_later(bindings);
    }

    /// Replaces the symbols of a value that the path uses by what it is; where that is not known,
    /// they stay free.
    pub(crate) fn bind(
        &mut self,
        terms: &mut Terms<'_>,
        used: &SymbolicValue,
        value: Option<&SymbolicValue>,
    ) {
        let mut pairs = Vec::new();
        if let Some(value) = value {
            pair_scalars(used, value, &mut pairs);
        }
        self.substitute(terms, &pairs);
    }

    /// Whether no run takes the path, as far as can be seen without the solver.
    pub(crate) fn is_infeasible(&mut self, terms: &mut Terms<'_>) -> bool {
        self.conditions.settle(terms);
        self.conditions.has_false()
    }

    /// The content of memory at an address, before the place.
    pub(crate) fn read(&mut self, terms: &mut Terms<'_>, address: ExprId, size: u32) -> ExprId {
        self.memory.read(terms, address, size)
    }

    /// Passes a write, backward.
    pub(crate) fn write(&mut self, terms: &mut Terms<'_>, write: &Write) {
        let pairs = self.memory.split_choices(terms);
        self.substitute(terms, &pairs);
        let pairs = self.memory.write(terms, write);
        self.substitute(terms, &pairs);
    }

    /// An object that begins here holds zeros.
    pub(crate) fn begin_with_zeros(&mut self, terms: &mut Terms<'_>, object: ExprId) {
        for read in self.memory.reads().to_vec() {
            let root = terms.root(read.address);
            if root.is_some_and(|(root, _)| root.symbol() == object) {
                let zero = terms.constant(8 * read.size, 0);
                self.substitute(terms, &[(read.symbol, zero)]);
            }
        }
    }

    /// The program has just started: memory holds its initial values.
    pub(crate) fn start(&mut self, terms: &mut Terms<'_>) {
        // Reads of an initial value may lead to others, through pointers in it.
        while let Some(read) = self.memory.pop(terms) {
            let initial = self.memory.initial(terms, &read);
            if let Some(outside) = initial.outside {
                self.skip(Skip::Outside(outside));
            }
            if let Some(value) = initial.value {
                self.substitute(terms, &[(read.symbol, value)]);
            }
        }
    }

    /// The state with nothing but these constraints, and the phis and reads that they depend on.
    pub(crate) fn restricted(
        &self,
        constraints: &[ExprId],
        reads: &[Read],
        mut drops: impl FnMut(&mut Frame),
    ) -> State {
        let mut start = self.clone();
        start.conditions.restrict(constraints);
        start.memory.restrict(reads);
        start.trail.begin_again();
        start.frame_mut().clear_iterations();
        drops(start.frame_mut());
        start
    }

    /// Whether the path uses the result of an instruction.
    pub(crate) fn uses(&self, result: Option<ValueId>) -> bool {
        result.is_some_and(|value| self.frame().uses(value))
    }

    /// Takes the symbols of the result of an instruction, if the path uses it.
    pub(crate) fn take(&mut self, result: Option<ValueId>) -> Option<SymbolicValue> {
        self.frame_mut().take(result?)
    }
}
