//! Ways that part and meet again, taken at once: what differs between them becomes choices in
//! expressions. A body without loops is such a region from its entry to its returns, so a call
//! becomes an expression too.
//!
//! Laws: a fold is exact, it loses no run and adds none; where a region holds something that
//! cannot be said under a condition (input, an end of the run, a loop), it is refused and the
//! ways are searched one by one.

use std::collections::BTreeMap;

use labrys_expr::ExprId;
use labrys_program::{BlockId, Operand, Operation, Terminator};
use rustc_hash::FxHashSet;

use crate::demand::{Base, Overrides};
use crate::pass::{Context, Step};
use crate::precision::Precision;
use crate::state::{Known, State};
use labrys_analysis::acyclic_region;

/// Acyclic control flow between a start and some ends.
struct Region {
    /// In an order in which control flows.
    blocks: Vec<BlockId>,
    /// The conditions under which blocks are executed, as far as they are known.
    guards: BTreeMap<BlockId, ExprId>,
}

impl Base<'_> {
    /// Goes from the head of a block to the end of its immediate dominator, over all ways
    /// between; `false`, and the state is spoiled, if that cannot be said.
    pub(crate) fn fold_join(&mut self, state: &mut State, precision: Precision) -> bool {
        let image = self.image;
        let to = state.block;
        let body = image.body(state.function());
        let Some(start) = body.immediate_dominator(to) else {
            return false;
        };
        let Some(blocks) = acyclic_region(body, start, body.predecessors(to), Some(to)) else {
            return false;
        };
        let mut region = Region {
            blocks,
            guards: BTreeMap::new(),
        };
        let mut overrides = Overrides::default();
        let inside: FxHashSet<BlockId> = region.blocks.iter().copied().collect();
        // Conditions along the way.
        let edges = |from: BlockId| body.successors(from).to_vec();
        let mut leaks = edges(start)
            .iter()
            .any(|next| *next != to && !inside.contains(next));
        for block in region.blocks.clone() {
            if !self.enter_block(state, &mut region, &mut overrides, Some(start), block) {
                return false;
            }
            leaks |= edges(block)
                .iter()
                .any(|next| *next != to && !inside.contains(next));
        }
        let mut ways = Vec::new();
        for from in body.predecessors(to) {
            let guard = region.guard(*from, start);
            let edge = self.edge_condition(state.frame_mut(), &overrides, *from, to);
            let Some(edge) = edge else { return false };
            let condition = self.pool.and(guard, edge);
            ways.push((*from, condition));
        }
        if !self.join_phis(state, &overrides, to, &ways) {
            return false;
        }
        if leaks {
            let any = self.pool.any(ways.iter().map(|(_, condition)| *condition));
            state.require(&self.pool, any);
        }
        if !self.pass_blocks(state, precision, &region, &overrides) {
            return false;
        }
        let length = image.function(state.function()).blocks[start.index()]
            .instructions
            .len();
        state.free_last();
        state.place(start, length);
        state.hop();
        true
    }

    /// Goes from the returns of the top frame's function to its entry; `result` is what the
    /// caller uses of the value returned. As [`Base::fold_join`].
    pub(crate) fn fold_body(
        &mut self,
        state: &mut State,
        precision: Precision,
        guard: Option<ExprId>,
        result: Option<&Known>,
    ) -> bool {
        let image = self.image;
        let id = state.function();
        let body = image.body(id);
        let function = image.function(id);
        let mut returns = Vec::new();
        let mut stops = image.effects(id).may_stop();
        for (block_id, block) in function.blocks() {
            if !body.is_reachable(block_id) {
                continue;
            }
            match &block.terminator {
                Terminator::Return(value) => returns.push((block_id, *value)),
                Terminator::Unreachable | Terminator::Opaque { .. } => stops = true,
                _ => {}
            }
        }
        let ends: Vec<BlockId> = returns.iter().map(|(block, _)| *block).collect();
        let Some(mut blocks) = acyclic_region(body, BlockId(0), &ends, None) else {
            return false;
        };
        blocks.insert(0, BlockId(0));
        let mut region = Region {
            blocks,
            guards: BTreeMap::from([(BlockId(0), guard.unwrap_or(ExprId::TRUE))]),
        };
        let mut overrides = Overrides::default();
        for block in region.blocks.clone() {
            if !self.enter_block(state, &mut region, &mut overrides, None, block) {
                return false;
            }
        }
        let ways: Vec<(BlockId, Option<Operand>, ExprId)> = returns
            .iter()
            .map(|(block, value)| (*block, *value, region.guards[block]))
            .collect();
        if let Some(used) = result {
            let mut value: Option<Known> = None;
            for (_, operand, condition) in &ways {
                let one = operand.and_then(|one| self.value(state.frame_mut(), &overrides, one));
                let Some(one) = one else { return false };
                value = match value {
                    None => Some(one),
                    Some(other) => self.choose(*condition, &one, &other),
                };
            }
            self.bind(state, used, value.as_ref());
        }
        if stops {
            let any = self.pool.any(ways.iter().map(|(.., condition)| *condition));
            let required = match guard {
                Some(guard) => self.pool.implies(guard, any),
                None => any,
            };
            state.require(&self.pool, required);
        }
        self.pass_blocks(state, precision, &region, &overrides)
    }

    /// The condition under which a block of a region is executed, and its phis.
    fn enter_block(
        &mut self,
        state: &mut State,
        region: &mut Region,
        overrides: &mut Overrides,
        start: Option<BlockId>,
        block: BlockId,
    ) -> bool {
        if region.guards.contains_key(&block) {
            return true;
        }
        let image = self.image;
        let body = image.body(state.function());
        let mut ways = Vec::new();
        for from in body.predecessors(block) {
            let guard = if Some(*from) == start {
                ExprId::TRUE
            } else {
                match region.guards.get(from) {
                    Some(guard) => *guard,
                    None => return false,
                }
            };
            let edge = self.edge_condition(state.frame_mut(), overrides, *from, block);
            let Some(edge) = edge else { return false };
            let condition = self.pool.and(guard, edge);
            ways.push((*from, condition));
        }
        let function = image.function(state.function());
        for phi in &function.blocks[block.index()].phis {
            let mut value: Option<Known> = None;
            for (from, condition) in &ways {
                let incoming = phi.incoming.iter().find(|(block, _)| block == from);
                let one =
                    incoming.and_then(|(_, one)| self.value(state.frame_mut(), overrides, *one));
                let Some(one) = one else { return false };
                value = match value {
                    None => Some(one),
                    Some(other) => self.choose(*condition, &one, &other),
                };
            }
            let Some(value) = value else { return false };
            overrides.insert(phi.result, value);
        }
        let guard = self.pool.any(ways.iter().map(|(_, condition)| *condition));
        region.guards.insert(block, guard);
        true
    }

    /// The phis of the block where the ways meet.
    fn join_phis(
        &mut self,
        state: &mut State,
        overrides: &Overrides,
        to: BlockId,
        ways: &[(BlockId, ExprId)],
    ) -> bool {
        let function = self.image.function(state.function());
        let mut pairs = Vec::new();
        for phi in &function.blocks[to.index()].phis {
            let Some(used) = state.frame_mut().env.remove(&phi.result) else {
                continue;
            };
            let mut value: Option<Known> = None;
            for (from, condition) in ways {
                let incoming = phi.incoming.iter().find(|(block, _)| block == from);
                let one =
                    incoming.and_then(|(_, one)| self.value(state.frame_mut(), overrides, *one));
                let Some(one) = one else { return false };
                value = match value {
                    None => Some(one),
                    Some(other) => self.choose(*condition, &one, &other),
                };
            }
            let Some(value) = value else { return false };
            crate::substitute::pair(&used, &value, &mut pairs);
        }
        self.substitute(state, &pairs);
        true
    }

    fn choose(&mut self, condition: ExprId, a: &Known, b: &Known) -> Option<Known> {
        labrys_semantics::choose(&mut self.symbolic(), condition, a, b)
    }

    /// Passes the instructions of a region's blocks, the last block first.
    fn pass_blocks(
        &mut self,
        state: &mut State,
        precision: Precision,
        region: &Region,
        overrides: &Overrides,
    ) -> bool {
        let image = self.image;
        let before = self.pool.len() as u64 + self.substitution.work;
        for block_id in region.blocks.iter().rev() {
            let function = image.function(state.function());
            let block = &function.blocks[block_id.index()];
            let context = Context {
                overrides,
                guard: region.guards.get(block_id).copied(),
            };
            for (index, instruction) in block.instructions.iter().enumerate().rev() {
                let step = if matches!(instruction.operation, Operation::Call { .. }) {
                    let place = (*block_id, index);
                    self.pass_call(state, context, precision, place, instruction)
                } else {
                    self.pass(state, context, instruction)
                };
                let work = self.pool.len() as u64 + self.substitution.work;
                if !matches!(step, Step::Done) || work > before + precision.nodes {
                    return false;
                }
            }
        }
        true
    }
}

impl Region {
    fn guard(&self, block: BlockId, start: BlockId) -> ExprId {
        if block == start {
            ExprId::TRUE
        } else {
            self.guards.get(&block).copied().unwrap_or(ExprId::FALSE)
        }
    }
}
