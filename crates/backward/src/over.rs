//! Stepping over code: what it may change is anything afterwards.
//!
//! Law: a step over loses no run. Conditions that hold whatever way control takes through the
//! code stay.

use std::collections::BTreeSet;
use std::rc::Rc;

use labrys_expr::ExprId;
use labrys_program::{BlockId, FunctionId, Operand, Operation, Phi, ValueId};
use rustc_hash::FxHashSet;

use crate::demand::{Base, Overrides};
use crate::effects::{Effects, arguments};
use crate::image::{Definition, Loop};
use crate::keep::Kept;
use crate::objects::Kind;
use crate::pointed::Sources;
use crate::state::{Known, Skip, State};

/// Values of a phi that are told apart where the ways to it are stepped over.
const MAX_VALUES: usize = 8;

/// What a piece of a function does.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    effects: Effects,
    /// The function's own stack objects that it may write.
    own: BTreeSet<ValueId>,
}

impl Base<'_> {
    /// Any number of times round: what the loop changes is anything, but for what its rounds keep.
    /// Its last way out stays.
    pub(crate) fn step_over_loop(&mut self, state: &mut State, natural: &Loop, kept: Kept) {
        let header = state.block;
        self.forget_phis(state);
        self.change(state, &natural.blocks);
        self.keep(state, kept);
        state.skip(Skip::Loop(state.function(), header));
        let level = state.level;
        let inside = |hop: &crate::state::Hop| {
            hop.level > level || (hop.level == level && natural.blocks.contains(&hop.block))
        };
        while state.hops.len() > 1 && state.hops.last().is_some_and(inside) {
            state.hops.pop();
        }
        state.free_last();
    }

    /// From the head of a block to the end of its immediate dominator, whatever happens between;
    /// `false` if no run comes that way.
    pub(crate) fn step_over_ways(&mut self, state: &mut State) -> bool {
        let image = self.image;
        let id = state.function();
        let body = image.body(id);
        let to = state.block;
        let Some(start) = body.dominators.immediate(to.0).map(BlockId) else {
            return false;
        };
        let mut between: FxHashSet<BlockId> = FxHashSet::default();
        let mut stack = body.predecessors[to.index()].clone();
        while let Some(block) = stack.pop() {
            if block != start && between.insert(block) {
                stack.extend(&body.predecessors[block.index()]);
            }
        }
        self.narrow_phis(state, start);
        self.forget_phis(state);
        self.change(state, &between);
        let mut ways = Vec::new();
        let none = Overrides::default();
        for next in &body.successors[start.index()] {
            if *next != to && !between.contains(next) {
                continue;
            }
            let condition = self.edge_condition(state.frame_mut(), &none, start, *next);
            ways.push(condition.unwrap_or(ExprId::TRUE));
        }
        let any = self.pool.any(ways);
        state.require(&self.pool, any);
        state.skip(Skip::Ways(id, to));
        state.free_last();
        let length = image.function(id).blocks[start.index()].instructions.len();
        state.place(start, length);
        state.hop();
        !self.is_dead(state)
    }

    fn forget_phis(&mut self, state: &mut State) {
        let function = self.image.function(state.function());
        for phi in &function.blocks[state.block.index()].phis {
            state.frame_mut().env.remove(&phi.result);
        }
    }

    /// A phi is one of the values that come in; those that are the same everywhere behind `start`
    /// can be said.
    fn narrow_phis(&mut self, state: &mut State, start: BlockId) {
        let function = self.image.function(state.function());
        for phi in &function.blocks[state.block.index()].phis {
            let Some(used) = state.frame().env.get(&phi.result).and_then(Known::scalar) else {
                continue;
            };
            if let Some(values) = self.incoming(state, phi, start) {
                let equal: Vec<ExprId> = values
                    .into_iter()
                    .map(|value| self.pool.eq(used, value))
                    .collect();
                let any = self.pool.any(equal);
                state.require(&self.pool, any);
            }
        }
    }

    fn incoming(&mut self, state: &mut State, phi: &Phi, start: BlockId) -> Option<Vec<ExprId>> {
        let body = self.image.body(state.function());
        let mut operands: Vec<Operand> = Vec::new();
        for (_, operand) in &phi.incoming {
            let early = match operand {
                Operand::Constant(_) => true,
                Operand::Value(value) if *value == phi.result => continue,
                Operand::Value(value) => match body.definitions[value.index()] {
                    Definition::Parameter => true,
                    Definition::Phi(block) | Definition::Instruction(block, _) => {
                        body.dominators.dominates(block.0, start.0)
                    }
                },
            };
            if !early {
                return None;
            }
            if !operands.contains(operand) {
                operands.push(*operand);
            }
        }
        if operands.len() > MAX_VALUES {
            return None;
        }
        let none = Overrides::default();
        let values = operands
            .into_iter()
            .map(|one| self.scalar(state.frame_mut(), &none, one));
        values.collect()
    }

    /// What some blocks of the top frame's function write is anything before them.
    pub(crate) fn change<'b>(
        &mut self,
        state: &mut State,
        blocks: impl IntoIterator<Item = &'b BlockId>,
    ) {
        let id = state.function();
        let mut changes = Changes::default();
        for block in blocks {
            let one = self.changes_of(id, *block);
            changes.effects.absorb(&one.effects, false);
            changes.own.extend(&one.own);
        }
        let Changes { effects, own } = changes;
        // Inside the function, a parameter is an address like others.
        let parameters = 0..self.image.function(id).parameters.len();
        let parameters: Vec<Operand> = parameters
            .map(|index| Operand::Value(ValueId::new(index)))
            .collect();
        self.forget_passed(state, &Overrides::default(), &effects, &parameters);
        self.havoc(state, &effects);
        let frame = state.frame().id;
        let (pool, objects) = (&mut self.pool, &self.objects);
        state
            .reads
            .retain(|read| match objects.root(pool, read.address) {
                Some((object, _)) => match object.kind {
                    Kind::Stack(owner, value) => owner != frame || !own.contains(&value),
                    _ => true,
                },
                None => own.is_empty(),
            });
        state.inputs_lost |= effects.inputs;
    }

    fn changes_of(&mut self, id: FunctionId, block: BlockId) -> Rc<Changes> {
        if let Some(known) = self.changes.get(&(id, block)) {
            return known.clone();
        }
        let image = self.image;
        let function = image.function(id);
        let mut changes = Changes::default();
        let sources = image.sources(id);
        let escaped = |one: &&ValueId| !image.body(id).private.contains(one);
        let block_of = &function.blocks[block.index()];
        for (index, instruction) in block_of.instructions.iter().enumerate() {
            let operation = &instruction.operation;
            changes.effects.add(sources, operation);
            changes.write(sources, written(operation));
            if !matches!(operation, Operation::Call { .. }) {
                continue;
            }
            let call = image.call_at(id, (block, index));
            if call.is_none_or(|one| image.leaves_picture(one)) {
                changes.absorb(sources, &image.outside, None);
            }
            let Some(call) = call else { continue };
            for callee in image.calls.callees(call) {
                let arguments = arguments(function, call, *callee);
                changes.absorb(sources, image.effects(*callee), arguments);
            }
        }
        if changes.effects.anywhere {
            let fixed = image.body(id).fixed.iter();
            changes.own.extend(fixed.filter(escaped));
        }
        let changes = Rc::new(changes);
        self.changes.insert((id, block), changes.clone());
        changes
    }
}

impl Changes {
    fn write(&mut self, sources: &Sources<'_>, address: Option<Operand>) {
        self.own.extend(address.and_then(|one| sources.object(one)));
    }

    /// A call: it writes to what it is given, or to what escaped.
    fn absorb(&mut self, sources: &Sources<'_>, effects: &Effects, arguments: Option<&[Operand]>) {
        for index in &effects.through {
            self.write(sources, arguments.and_then(|all| all.get(*index)).copied());
        }
        self.effects
            .absorb(&effects.placed(sources, arguments), false);
    }
}

/// The address that an operation other than a call writes to.
fn written(operation: &Operation) -> Option<Operand> {
    match operation {
        Operation::Store { address, .. } => Some(*address),
        Operation::Intrinsic {
            intrinsic,
            arguments,
        } if intrinsic.writes_memory() => arguments.first().copied(),
        _ => None,
    }
}
