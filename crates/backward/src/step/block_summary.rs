//! Summaries of acyclic regions: paths that part and join again, taken at once. What differs
//! between them becomes choices in expressions. A body without loops is such a region from its
//! entry to its returns, so a call becomes an expression too.
//!
//! Laws: a summary is exact, it loses no run and adds none; where a region holds something that
//! cannot be said under a condition (input, an end of the run, a loop), it is refused and the
//! paths are searched one by one.

use std::collections::BTreeMap;

use labrys_analysis::{Place, acyclic_region};
use labrys_expr::ExprId;
use labrys_program::{BlockId, FunctionId, Instruction, Operand, Phi, Terminator};
use labrys_semantics::choose;
use rustc_hash::FxHashSet;

use super::edge::edge_condition;
use super::{Context, Step};
use crate::precision::Precision;
use crate::state::State;
use crate::terms::{Overrides, SymbolicValue, Terms, pair_scalars};

/// Passes the instruction at a place, backward.
type Pass = fn(&mut Terms<'_>, &mut State, Context<'_>, Place, &Instruction) -> Step;

/// Acyclic control flow of the top frame's function, between a start and some ends.
struct Region {
    /// The block before the region, which is always executed.
    start: Option<BlockId>,
    /// In an order in which control flows.
    blocks: Vec<BlockId>,
    /// The conditions under which blocks are executed, as far as they are known.
    guards: BTreeMap<BlockId, ExprId>,
    /// The values of the phis.
    overrides: Overrides,
}

/// A predecessor, with the condition under which control comes from it.
type Incoming = (BlockId, ExprId);

/// Goes from the head of a block to the end of its immediate dominator, over all paths between;
/// `false`, and the state is spoiled, if that cannot be said.
pub(crate) fn summarize_paths(
    terms: &mut Terms<'_>,
    state: &mut State,
    precision: &Precision,
) -> bool {
    summarize_join(terms, state, precision, super::pass).is_some()
}

fn summarize_join(
    terms: &mut Terms<'_>,
    state: &mut State,
    precision: &Precision,
    pass: Pass,
) -> Option<()> {
    let analysis = terms.analysis();
    let to = state.block();
    let body = analysis.body(state.function());
    let start = body.immediate_dominator(to)?;
    let ends = body.predecessors(to);
    let mut region = Region {
        start: Some(start),
        blocks: acyclic_region(body, start, ends, Some(to))?,
        guards: BTreeMap::new(),
        overrides: Overrides::default(),
    };
    let inside: FxHashSet<BlockId> = region.blocks.iter().copied().collect();
    let leaves = |block: BlockId| {
        let mut next = body.successors(block).iter();
        next.any(|next| *next != to && !inside.contains(next))
    };
    let mut may_leave = leaves(start);
    for block in region.blocks.clone() {
        region.enter(terms, state, block)?;
        may_leave |= leaves(block);
    }
    let mut incoming = Vec::new();
    for from in ends {
        let guard = region.guard(*from).unwrap_or(ExprId::FALSE);
        let overrides = &region.overrides;
        let edge = edge_condition(terms, state.frame_mut(), overrides, *from, to)?;
        incoming.push((*from, terms.pool_mut().and(guard, edge)));
    }
    region.join_phis(terms, state, to, &incoming)?;
    if may_leave {
        let any = any_of(terms, &incoming);
        state.require(terms, any);
    }
    region.pass_blocks(terms, state, precision, pass)?;
    let length = analysis.function(state.function()).blocks[start.index()]
        .instructions
        .len();
    state.trail_mut().free_last();
    state.place(start, length);
    state.hop();
    Some(())
}

/// Goes from the returns of the top frame's function to its entry; `result` is the value returned,
/// if the caller uses it. As [`summarize_paths`].
pub(super) fn summarize_body(
    terms: &mut Terms<'_>,
    state: &mut State,
    precision: &Precision,
    guard: Option<ExprId>,
    result: Option<&SymbolicValue>,
    pass: Pass,
) -> Option<()> {
    terms.note_failing_checks(state.function());
    let body = terms.analysis().body(state.function());
    let (returns, may_stop) = ends_of_body(terms, state.function());
    let ends: Vec<BlockId> = returns.iter().map(|(block, _)| *block).collect();
    let mut blocks = acyclic_region(body, BlockId(0), &ends, None)?;
    blocks.insert(0, BlockId(0));
    let mut region = Region {
        start: None,
        blocks,
        guards: BTreeMap::from([(BlockId(0), guard.unwrap_or(ExprId::TRUE))]),
        overrides: Overrides::default(),
    };
    for block in region.blocks.clone() {
        region.enter(terms, state, block)?;
    }
    let incoming: Vec<Incoming> = ends
        .iter()
        .map(|block| (*block, region.guards[block]))
        .collect();
    if let Some(used) = result {
        let values = returns.iter().map(|(_, value)| *value);
        let value = region.chosen(terms, state, &incoming, values)?;
        state.bind(terms, used, value.as_ref());
    }
    if may_stop {
        let any = any_of(terms, &incoming);
        let required = match guard {
            Some(guard) => terms.pool_mut().implies(guard, any),
            None => any,
        };
        state.require(terms, required);
    }
    region.pass_blocks(terms, state, precision, pass)
}

/// The blocks that return, with the value, and whether a run may end in the function.
fn ends_of_body(terms: &Terms<'_>, id: FunctionId) -> (Vec<(BlockId, Option<Operand>)>, bool) {
    let analysis = terms.analysis();
    let body = analysis.body(id);
    let mut returns = Vec::new();
    let mut may_stop = analysis.effects(id).may_stop();
    for (block_id, block) in analysis.function(id).blocks() {
        if !body.is_reachable(block_id) {
            continue;
        }
        match &block.terminator {
            Terminator::Return(value) => returns.push((block_id, *value)),
            Terminator::Unreachable | Terminator::Opaque { .. } => may_stop = true,
            _ => {}
        }
    }
    (returns, may_stop)
}

fn any_of(terms: &mut Terms<'_>, incoming: &[Incoming]) -> ExprId {
    let conditions = incoming.iter().map(|(_, condition)| *condition);
    terms.pool_mut().any(conditions)
}

impl Region {
    /// The condition under which a block is executed.
    fn guard(&self, block: BlockId) -> Option<ExprId> {
        if Some(block) == self.start {
            Some(ExprId::TRUE)
        } else {
            self.guards.get(&block).copied()
        }
    }

    /// Finds the condition under which a block is executed, and the values of its phis.
    fn enter(&mut self, terms: &mut Terms<'_>, state: &mut State, block: BlockId) -> Option<()> {
        if self.guards.contains_key(&block) {
            return Some(());
        }
        let analysis = terms.analysis();
        let mut incoming = Vec::new();
        for from in analysis.body(state.function()).predecessors(block) {
            let guard = self.guard(*from)?;
            let overrides = &self.overrides;
            let edge = edge_condition(terms, state.frame_mut(), overrides, *from, block)?;
            incoming.push((*from, terms.pool_mut().and(guard, edge)));
        }
        for phi in &analysis.function(state.function()).blocks[block.index()].phis {
            let value = self.phi(terms, state, phi, &incoming)??;
            self.overrides.insert(phi.result, value);
        }
        let guard = any_of(terms, &incoming);
        self.guards.insert(block, guard);
        Some(())
    }

    /// Binds the phis of the block where the paths join.
    fn join_phis(
        &self,
        terms: &mut Terms<'_>,
        state: &mut State,
        to: BlockId,
        incoming: &[Incoming],
    ) -> Option<()> {
        let function = terms.analysis().function(state.function());
        let mut pairs = Vec::new();
        for phi in &function.blocks[to.index()].phis {
            if let Some(used) = state.take(Some(phi.result)) {
                let value = self.phi(terms, state, phi, incoming)??;
                pair_scalars(&used, &value, &mut pairs);
            }
        }
        state.substitute(terms, &pairs);
        Some(())
    }

    /// The value of a phi, as a choice between the values that come in.
    fn phi(
        &self,
        terms: &mut Terms<'_>,
        state: &mut State,
        phi: &Phi,
        incoming: &[Incoming],
    ) -> Option<Option<SymbolicValue>> {
        let values = incoming.iter().map(|(from, _)| {
            let mut operands = phi.incoming.iter();
            let operand = operands.find(|(block, _)| block == from);
            operand.map(|(_, operand)| *operand)
        });
        self.chosen(terms, state, incoming, values)
    }

    /// A choice between values, of which each is the one under its condition. `None` if one has no
    /// model; `Some(None)` if the choice has none.
    fn chosen(
        &self,
        terms: &mut Terms<'_>,
        state: &mut State,
        incoming: &[Incoming],
        operands: impl Iterator<Item = Option<Operand>>,
    ) -> Option<Option<SymbolicValue>> {
        let mut chosen: Option<SymbolicValue> = None;
        for ((_, condition), operand) in incoming.iter().zip(operands) {
            let value = terms.value(state.frame_mut(), &self.overrides, operand?)?;
            chosen = match chosen {
                None => Some(value),
                Some(other) => choose(&mut terms.symbolic(), *condition, &value, &other),
            };
        }
        Some(chosen)
    }

    /// Passes the instructions of the blocks, the last block first.
    fn pass_blocks(
        &self,
        terms: &mut Terms<'_>,
        state: &mut State,
        precision: &Precision,
        pass: Pass,
    ) -> Option<()> {
        let most = terms.size() as u64 + terms.work() + precision.nodes;
        for block_id in self.blocks.iter().rev() {
            if self.guards.get(block_id) == Some(&ExprId::FALSE) {
                // No run of this call comes there.
                continue;
            }
            let function = terms.analysis().function(state.function());
            let block = &function.blocks[block_id.index()];
            let context = Context {
                precision,
                overrides: &self.overrides,
                guard: self.guards.get(block_id).copied(),
            };
            for (index, instruction) in block.instructions.iter().enumerate().rev() {
                let step = pass(terms, state, context, (*block_id, index), instruction);
                let work = terms.size() as u64 + terms.work();
                if !matches!(step, Step::Done) || work > most {
                    return None;
                }
            }
        }
        Some(())
    }
}
