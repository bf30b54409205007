//! Stepping over code: what it may change is anything afterwards.
//!
//! Law: a step over loses no run. Conditions that hold whatever way control takes through the
//! code stay.

use labrys_expr::ExprId;
use labrys_program::{BlockId, Operand, Phi, ValueId};
use rustc_hash::FxHashSet;

use crate::demand::{Base, Overrides};
use crate::keep::Kept;
use crate::objects::Kind;
use crate::state::{Known, Skip, State};
use labrys_analysis::{BlockEffects, Definition, Loop};

/// Values of a phi that are told apart where the ways to it are stepped over.
const MAX_VALUES: usize = 8;

impl Base<'_> {
    /// Any number of times round: what the loop changes is anything, but for what its rounds keep.
    /// Its last way out stays.
    pub(crate) fn step_over_loop(&mut self, state: &mut State, natural: &Loop, kept: Kept) {
        let header = state.block;
        self.forget_phis(state);
        self.change(state, natural.blocks());
        self.keep(state, kept);
        state.skip(Skip::Loop(state.function(), header));
        let level = state.level;
        let inside = |hop: &crate::state::Hop| {
            hop.level > level || (hop.level == level && natural.contains(hop.block))
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
        let Some(start) = body.immediate_dominator(to) else {
            return false;
        };
        let mut between: FxHashSet<BlockId> = FxHashSet::default();
        let mut stack = body.predecessors(to).to_vec();
        while let Some(block) = stack.pop() {
            if block != start && between.insert(block) {
                stack.extend(body.predecessors(block));
            }
        }
        self.narrow_phis(state, start);
        self.forget_phis(state);
        self.change(state, &between);
        let mut ways = Vec::new();
        let none = Overrides::default();
        for next in body.successors(start) {
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
                Operand::Value(value) => match body.definition(*value) {
                    Definition::Parameter => true,
                    Definition::Phi(block) | Definition::Instruction(block, _) => {
                        body.dominates(block, start)
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
        let mut changes = BlockEffects::default();
        for block in blocks {
            changes.absorb(self.image.effects_of_block(id, *block));
        }
        let (effects, own) = (changes.effects(), changes.own_objects());
        // Inside the function, a parameter is an address like others.
        let parameters = 0..self.image.function(id).parameters.len();
        let parameters: Vec<Operand> = parameters
            .map(|index| Operand::Value(ValueId::new(index)))
            .collect();
        self.forget_passed(state, &Overrides::default(), effects, &parameters);
        self.havoc(state, effects);
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
        state.inputs_lost |= effects.makes_inputs();
    }
}
