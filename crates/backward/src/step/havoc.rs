//! Havoc: code that a step does not follow may change what its effects say.
//!
//! Law: havoc loses no run. Conditions that hold on all paths through the code stay.

use labrys_analysis::{BlockEffects, Body, Definition, Loop};
use labrys_expr::ExprId;
use labrys_program::{BlockId, Operand, Phi, ValueId};
use rustc_hash::FxHashSet;

use super::called::{clobber_arguments, pass_unwound};
use super::edge::edge_condition;
use crate::path::Skip;
use crate::state::State;
use crate::terms::{Overrides, Terms};

/// Values of a phi that are told apart where the paths to it are havocked.
const MAX_VALUES: usize = 8;

/// From the header of a loop to its header at the first visit, with any number of iterations. The
/// last exit stays on the path.
pub(crate) fn havoc_loop(terms: &mut Terms<'_>, state: &mut State, natural: &Loop) {
    let header = state.block();
    havoc_phis(terms, state);
    havoc_blocks(terms, state, natural.blocks());
    state.skip(Skip::Loop(state.function(), header));
    let trail = state.trail_mut();
    trail.drop_loop(|block| natural.contains(block));
}

/// From the head of a block to the end of its immediate dominator, whatever happens between;
/// `false` if no run comes from there.
pub(crate) fn havoc_paths(terms: &mut Terms<'_>, state: &mut State) -> bool {
    let analysis = terms.analysis();
    let id = state.function();
    let body = analysis.body(id);
    let to = state.block();
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
    restrict_phis(terms, state, start);
    havoc_phis(terms, state);
    havoc_blocks(terms, state, &between);
    let mut conditions = Vec::new();
    let none = Overrides::default();
    for next in body.successors(start) {
        if *next != to && !between.contains(next) {
            continue;
        }
        let condition = edge_condition(terms, state.frame_mut(), &none, start, *next);
        conditions.push(condition.unwrap_or(ExprId::TRUE));
    }
    let any = terms.pool_mut().any(conditions);
    state.require(terms, any);
    state.skip(Skip::Paths(id, to));
    state.trail_mut().free_last();
    let length = analysis.function(id).blocks[start.index()]
        .instructions
        .len();
    state.place(start, length);
    if let Some((call, unwound)) = analysis.function(id).unwinding(start)
        && (unwound == to || between.contains(&unwound))
    {
        pass_unwound(terms, state, (start, call));
    }
    state.hop();
    !state.is_infeasible(terms)
}

fn havoc_phis(terms: &Terms<'_>, state: &mut State) {
    let function = terms.analysis().function(state.function());
    for phi in &function.blocks[state.block().index()].phis {
        state.frame_mut().take(phi.result);
    }
}

/// A phi is one of the values that come in; those that are the same everywhere behind `start` can
/// be said.
fn restrict_phis(terms: &mut Terms<'_>, state: &mut State, start: BlockId) {
    let function = terms.analysis().function(state.function());
    for phi in &function.blocks[state.block().index()].phis {
        let Some(used) = state.frame().scalar(phi.result) else {
            continue;
        };
        let body = terms.analysis().body(state.function());
        let Some(operands) = early_operands(body, phi, start) else {
            continue;
        };
        let none = Overrides::default();
        let values: Option<Vec<ExprId>> = operands
            .into_iter()
            .map(|operand| terms.scalar(state.frame_mut(), &none, operand))
            .collect();
        if let Some(values) = values {
            let pool = terms.pool_mut();
            let equal: Vec<ExprId> = values
                .into_iter()
                .map(|value| pool.eq(used, value))
                .collect();
            let any = pool.any(equal);
            state.require(terms, any);
        }
    }
}

/// The operands of a phi, if all are defined where `start` is; itself left out.
fn early_operands(body: &Body, phi: &Phi, start: BlockId) -> Option<Vec<Operand>> {
    let mut operands: Vec<Operand> = Vec::new();
    for (_, operand) in &phi.incoming {
        let is_early = match operand {
            Operand::Constant(_) => true,
            Operand::Value(value) if *value == phi.result => continue,
            Operand::Value(value) => match body.definition(*value) {
                Definition::Parameter => true,
                Definition::Phi(block) | Definition::Instruction(block, _) => {
                    body.dominates(block, start)
                }
            },
        };
        if !is_early {
            return None;
        }
        if !operands.contains(operand) {
            operands.push(*operand);
        }
    }
    (operands.len() <= MAX_VALUES).then_some(operands)
}

/// The memory that some blocks of the top frame's function may write is havocked.
pub(crate) fn havoc_blocks<'b>(
    terms: &mut Terms<'_>,
    state: &mut State,
    blocks: impl IntoIterator<Item = &'b BlockId>,
) {
    let analysis = terms.analysis();
    let id = state.function();
    let mut all = BlockEffects::default();
    for block in blocks {
        all.absorb(analysis.effects_of_block(id, *block));
    }
    // Inside the function, a parameter is an address like others.
    let parameters = 0..analysis.function(id).parameters.len();
    let parameters: Vec<Operand> = parameters
        .map(|index| Operand::Value(ValueId::new(index)))
        .collect();
    clobber_arguments(
        terms,
        state,
        &Overrides::default(),
        all.effects(),
        &parameters,
    );
    let frame = state.frame().id();
    state.memory_mut().havoc(terms, all.effects());
    state
        .memory_mut()
        .clobber_stack(terms, frame, all.own_objects());
    if all.effects().makes_inputs() {
        state.trail_mut().lose_inputs();
    }
}
