//! Passing a call backward: a function of the program by a summary, or by entering it at its
//! returns; a call through a pointer by each function that the pointer may be.

use labrys_analysis::{Effects, Place};
use labrys_program::{Callee, FunctionId, Instruction, Operand, Operation, Terminator, ValueId};

use super::havoc::{call_may_write, clobber_arguments};
use super::{CallSite, Context, Step, block_summary, library_call, result_type};
use crate::path::Skip;
use crate::state::State;
use crate::terms::{Frame, Overrides, SymbolicValue, Terms, pair_scalars};

/// Calls in calls that a path enters.
const MAX_FRAMES: usize = 64;

/// Passes the call at a place of the top frame.
pub(super) fn pass_call(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    place: Place,
    instruction: &Instruction,
) -> Step {
    let Operation::Call {
        callee, arguments, ..
    } = &instruction.operation
    else {
        return Step::Refused;
    };
    let site = CallSite {
        place,
        result: instruction.result,
        arguments,
        ty: result_type(terms, state, instruction),
    };
    match callee {
        Callee::Direct(id) => pass_direct(terms, state, context, site, *id),
        Callee::Indirect(address) => pass_indirect(terms, state, context, site, *address),
    }
}

fn pass_direct(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    site: CallSite<'_>,
    id: FunctionId,
) -> Step {
    if terms.analysis().function(id).defined {
        pass_defined(terms, state, context, site, id)
    } else {
        library_call::pass_library(terms, state, context, site, id)
    }
}

/// Passes a call through a pointer: one state for each function that the address may be of.
fn pass_indirect(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    site: CallSite<'_>,
    address: Operand,
) -> Step {
    let analysis = terms.analysis();
    let (effects, may_leave) = analysis.effects_of_indirect_call(state.function(), site.place);
    let is_concerned = may_leave
        || state.uses(site.result)
        || effects.makes_inputs()
        || state.memory().is_concerned(terms, &effects);
    if !is_concerned {
        return Step::Done;
    }
    if context.guard.is_some() {
        return Step::Refused;
    }
    if context.precision.coarse {
        return havoc_call(terms, state, site, &effects, "a function by its address");
    }
    let Some(address) = context.scalar(terms, state, address) else {
        return havoc_call(terms, state, site, &effects, "a function that is not known");
    };
    let call = analysis.call_at(state.function(), site.place);
    let candidates = call.map_or(&[][..], |call| analysis.calls().callees(call));
    let mut states = Vec::new();
    for id in candidates {
        let mut before = state.clone();
        let function = terms.function_address(*id);
        let same = terms.pool_mut().eq(address, function);
        before.require(terms, same);
        if before.is_infeasible(terms) {
            continue;
        }
        match pass_direct(terms, &mut before, context, site, *id) {
            Step::Done => states.push(before),
            Step::Fork(more) => states.extend(more),
            Step::Infeasible => {}
            Step::Refused => return Step::Refused,
        }
    }
    if may_leave {
        let mut before = state.clone();
        havoc_call(
            terms,
            &mut before,
            site,
            &effects,
            "a function that is not known",
        );
        states.push(before);
    }
    Step::Fork(states)
}

/// Goes before a call without following it.
fn havoc_call(
    terms: &mut Terms<'_>,
    state: &mut State,
    site: CallSite<'_>,
    effects: &Effects,
    name: &str,
) -> Step {
    state.take(site.result);
    clobber_arguments(terms, state, &Overrides::default(), effects, site.arguments);
    state.memory_mut().havoc(terms, effects);
    if effects.makes_inputs() {
        state.trail_mut().lose_inputs();
    }
    state.skip(Skip::Call(name.to_owned()));
    Step::Done
}

/// Passes a call of a function of the program.
fn pass_defined(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    site: CallSite<'_>,
    id: FunctionId,
) -> Step {
    let analysis = terms.analysis();
    let precision = context.precision;
    let effects = analysis.effects(id);
    let used = state.uses(site.result);
    let writes = call_may_write(terms, state, context.overrides, effects, site.arguments);
    let matters = used || effects.makes_inputs() || writes;
    if !matters && (context.guard.is_none() || !effects.may_stop()) {
        return Step::Done;
    }
    let shallow = state.depth() < MAX_FRAMES;
    if precision.merge && shallow && !effects.may_repeat() && !effects.makes_inputs() {
        let mut before = state.clone();
        if summarize(terms, &mut before, context, site, id).is_some() {
            *state = before;
            return Step::Done;
        }
    }
    if context.guard.is_some() {
        return Step::Refused;
    }
    let function = analysis.function(id);
    let too_deep = state.depth_of(id) > precision.recursion as usize || !shallow;
    let coarse = !precision.enter && !effects.makes_inputs();
    if too_deep || coarse || function.variadic {
        return havoc_call(terms, state, site, effects, &function.name);
    }
    Step::Fork(enter(terms, state, site, id))
}

/// The states inside of a callee: one for each return of it.
fn enter(terms: &mut Terms<'_>, state: &State, site: CallSite<'_>, id: FunctionId) -> Vec<State> {
    let analysis = terms.analysis();
    let mut states = Vec::new();
    for (block_id, block) in analysis.function(id).blocks() {
        let Terminator::Return(value) = &block.terminator else {
            continue;
        };
        if !analysis.body(id).is_reachable(block_id) {
            continue;
        }
        let mut inside = state.clone();
        inside.place(site.place.0, site.place.1);
        let used = inside.take(site.result);
        inside.trail_mut().enter_callee();
        inside.push_frame(terms.frame(id).entered_by(site.place));
        inside.place(block_id, block.instructions.len());
        inside.hop();
        if let (Some(used), Some(value)) = (used, value) {
            let value = terms.value(inside.frame_mut(), &Overrides::default(), *value);
            inside.bind(terms, &used, value.as_ref());
        }
        if !inside.is_infeasible(terms) {
            states.push(inside);
        }
    }
    states
}

/// Replaces the call by what it computes, if that can be said in expressions.
fn summarize(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    site: CallSite<'_>,
    id: FunctionId,
) -> Option<()> {
    let used = state.take(site.result);
    let place = (state.block(), state.index());
    state.push_frame(terms.frame(id));
    let (guard, result) = (context.guard, used.as_ref());
    block_summary::summarize_body(terms, state, context.precision, guard, result, super::pass)?;
    let frame = state.pop_frame()?;
    state.memory_mut().havoc_frame(terms, frame.id());
    bind_parameters(terms, state, context.overrides, &frame, site.arguments);
    state.place(place.0, place.1);
    Some(())
}

/// Parameters that the path in a callee uses are the arguments of the call, in the top frame.
pub(crate) fn bind_parameters(
    terms: &mut Terms<'_>,
    state: &mut State,
    overrides: &Overrides,
    callee: &Frame,
    arguments: &[Operand],
) {
    let function = terms.analysis().function(callee.function());
    let mut pairs = Vec::new();
    for (index, parameter) in function.parameters.iter().enumerate() {
        let Some(used) = callee.get(ValueId::new(index)) else {
            continue;
        };
        if parameter.by_value.is_some() {
            state.skip(Skip::Opaque("a structure passed by value".to_owned()));
            continue;
        }
        let argument: Option<SymbolicValue> = arguments
            .get(index)
            .and_then(|argument| terms.value(state.frame_mut(), overrides, *argument));
        if let Some(argument) = argument {
            pair_scalars(used, &argument, &mut pairs);
        }
    }
    // A call that does not fit its callee passes bits of another width.
    pairs.retain(|(used, value)| terms.width(*used) == terms.width(*value));
    state.substitute(terms, &pairs);
}
