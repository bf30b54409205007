//! Edges between blocks, backward: the condition under which control takes them.

use labrys_expr::ExprId;
use labrys_program::{BlockId, Terminator};

use super::called::pass_unwound;
use crate::assumptions::Assumption;
use crate::path::Skip;
use crate::state::State;
use crate::terms::{Frame, Overrides, Terms, pair_scalars};

/// The condition under which control goes from the end of a block to another; `None` if it is not
/// known.
pub(super) fn edge_condition(
    terms: &mut Terms<'_>,
    frame: &mut Frame,
    overrides: &Overrides,
    from: BlockId,
    to: BlockId,
) -> Option<ExprId> {
    let block = terms.analysis().function(frame.function()).block(from)?;
    let site = block.terminator.site();
    let site = site.and_then(|site| terms.program().site(site));
    if site.is_some_and(|site| site.oracle) {
        terms.assume(Assumption::Checks);
    }
    match &block.terminator {
        Terminator::Jump(_) => Some(ExprId::TRUE),
        Terminator::Branch {
            condition,
            if_true,
            if_false,
            ..
        } => {
            if if_true == if_false {
                return Some(ExprId::TRUE);
            }
            let condition = terms.scalar(frame, overrides, *condition)?;
            Some(if to == *if_true {
                condition
            } else {
                terms.pool_mut().not(condition)
            })
        }
        Terminator::Switch {
            value,
            default,
            cases,
            ..
        } => {
            let value = terms.scalar(frame, overrides, *value)?;
            let pool = terms.pool_mut();
            let width = pool.width(value);
            let mut condition = ExprId::FALSE;
            let mut others = ExprId::TRUE;
            for (case, target) in cases {
                let case = pool.constant(width, *case);
                let equal = pool.eq(value, case);
                if *target == to {
                    condition = pool.or(condition, equal);
                }
                let differs = pool.not(equal);
                others = pool.and(others, differs);
            }
            if *default == to {
                condition = pool.or(condition, others);
            }
            Some(condition)
        }
        _ => None,
    }
}

/// Goes from the head of the state's block to the decision before it, taken in a direction: of a
/// switch, other directions may lead to the block too.
pub(crate) fn cross_branch(
    terms: &mut Terms<'_>,
    state: &mut State,
    from: BlockId,
    direction: u32,
) -> bool {
    if !cross(terms, state, from) {
        return false;
    }
    let block = &terms.analysis().function(state.function()).blocks[from.index()];
    if let Terminator::Switch { value, cases, .. } = &block.terminator {
        if let Some(value) = terms.scalar(state.frame_mut(), &Overrides::default(), *value) {
            let pool = terms.pool_mut();
            let width = pool.width(value);
            let mut chosen = ExprId::TRUE;
            for (index, (case, _)) in (1..).zip(cases) {
                let case = pool.constant(width, *case);
                let equal = pool.eq(value, case);
                if direction == index {
                    chosen = equal;
                    break;
                }
                if direction == 0 {
                    let differs = pool.not(equal);
                    chosen = pool.and(chosen, differs);
                }
            }
            state.require(terms, chosen);
        }
    }
    !state.is_infeasible(terms)
}

/// The states at the ends of some predecessors of the state's block, of those that a run may have
/// come from.
pub(crate) fn cross_all(
    terms: &mut Terms<'_>,
    state: &State,
    predecessors: impl IntoIterator<Item = BlockId>,
) -> Vec<State> {
    let mut states = Vec::new();
    for predecessor in predecessors {
        let mut before = state.clone();
        if cross(terms, &mut before, predecessor) {
            states.push(before);
        }
    }
    states
}

/// Goes from the head of the state's block to the end of a predecessor. Whether a run may have
/// come from there.
pub(crate) fn cross(terms: &mut Terms<'_>, state: &mut State, from: BlockId) -> bool {
    let to = state.block();
    let function = terms.analysis().function(state.function());
    let none = Overrides::default();
    let phis = function.block(to).map_or(&[][..], |block| &block.phis);
    let used: Vec<_> = phis
        .iter()
        .filter_map(|phi| Some((phi, state.take(Some(phi.result))?)))
        .collect();
    // The values that come in belong to the end of the block before, where the phis' own earlier
    // values are meant: their symbols are gone from the frame already.
    let mut pairs = Vec::new();
    for (phi, used) in used {
        let incoming = phi.incoming.iter().find(|(block, _)| *block == from);
        let value =
            incoming.and_then(|(_, operand)| terms.value(state.frame_mut(), &none, *operand));
        if let Some(value) = value {
            pair_scalars(&used, &value, &mut pairs);
        }
    }
    state.substitute(terms, &pairs);
    match edge_condition(terms, state.frame_mut(), &none, from, to) {
        Some(condition) => state.require(terms, condition),
        None => {
            if let Some(Terminator::Opaque { reason, .. }) =
                function.block(from).map(|block| &block.terminator)
                && !reason.is_known_to_runs()
            {
                state.skip(Skip::Opaque(reason.to_string()));
            }
        }
    }
    let length = function
        .block(from)
        .map_or(0, |block| block.instructions.len());
    state.place(from, length);
    if let Some((call, unwound)) = function.unwinding(from)
        && unwound == to
    {
        pass_unwound(terms, state, (from, call));
    }
    state.hop();
    !state.is_infeasible(terms)
}
