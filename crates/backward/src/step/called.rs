//! Calls that are not followed: what they may change is forgotten.
//!
//! Law: no run is lost, wherever in the call control leaves it.

use labrys_analysis::{Effects, Place};
use labrys_program::{Operand, Operation, ValueId};

use crate::path::Skip;
use crate::state::{State, UnknownWrite};
use crate::terms::{Overrides, Terms};

/// Forgets what a call with these effects may change.
pub(super) fn havoc_call(
    terms: &mut Terms<'_>,
    state: &mut State,
    result: Option<ValueId>,
    arguments: &[Operand],
    effects: &Effects,
    name: &str,
) {
    if let Some(object) = state.take(result).and_then(|used| used.scalar()) {
        // One that the call gives begins here.
        state.memory_mut().havoc_object(terms, object);
    }
    clobber_arguments(terms, state, &Overrides::default(), effects, arguments);
    state.memory_mut().havoc(terms, effects);
    if effects.makes_inputs() {
        state.trail_mut().lose_inputs();
    }
    state.skip(Skip::Call(name.to_owned()));
}

/// Goes before the call at the end of the top frame's block, which an exception left: it did some of
/// what its effects say.
pub(super) fn pass_unwound(terms: &mut Terms<'_>, state: &mut State, place: Place) {
    let analysis = terms.analysis();
    let caller = state.function();
    let block = &analysis.function(caller).blocks[place.0.index()];
    let instruction = &block.instructions[place.1];
    let Operation::Call {
        callee, arguments, ..
    } = &instruction.operation
    else {
        return;
    };
    let effects = analysis.effects_of_call(caller, place, *callee);
    let name = "a call that an exception leaves";
    havoc_call(terms, state, instruction.result, arguments, &effects, name);
    state.place(place.0, place.1);
}

/// Code with these effects is called with these arguments, in the top frame: it writes through
/// some of them.
pub(super) fn clobber_arguments(
    terms: &mut Terms<'_>,
    state: &mut State,
    overrides: &Overrides,
    effects: &Effects,
    arguments: &[Operand],
) {
    for write in argument_writes(terms, state, overrides, effects, arguments) {
        state.memory_mut().clobber(terms, write);
    }
}

/// Whether a call of code with these effects may write what is read later.
pub(super) fn call_may_write(
    terms: &mut Terms<'_>,
    state: &State,
    overrides: &Overrides,
    effects: &Effects,
    arguments: &[Operand],
) -> bool {
    if state.memory().is_empty() {
        return false;
    }
    if state.memory().is_concerned(terms, effects) {
        return true;
    }
    let mut writes = argument_writes(terms, state, overrides, effects, arguments).into_iter();
    writes.any(|write| state.memory().may_be_clobbered(terms, write))
}

/// The writes through the arguments of a call that code with these effects may make. The addresses
/// are looked at here alone, so the path does not require the values in them.
fn argument_writes(
    terms: &mut Terms<'_>,
    state: &State,
    overrides: &Overrides,
    effects: &Effects,
    arguments: &[Operand],
) -> Vec<UnknownWrite> {
    let mut frame = state.frame().clone();
    let written = effects.written_parameters().iter();
    written
        .filter_map(|index| arguments.get(*index))
        .map(|argument| UnknownWrite::around(terms.scalar(&mut frame, overrides, *argument)))
        .collect()
}
