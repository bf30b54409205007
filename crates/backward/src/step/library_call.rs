//! Passing a call of a library function backward, by its model.

use labrys_expr::ExprId;
use labrys_program::{Function, FunctionId};
use labrys_semantics::{Algebra, IrValue, Library, input_value, library};

use super::havoc::{call_may_write, clobber_arguments};
use super::{CallSite, Context, Step, strings};
use crate::path::Skip;
use crate::state::{Content, State, Write};
use crate::terms::{SymbolicValue, Terms};

/// Most bytes of an input object that are followed one by one.
const MAX_OBJECT: u64 = 4096;

/// Passes a call of a function that the program does not define.
pub(super) fn pass_library(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    site: CallSite<'_>,
    id: FunctionId,
) -> Step {
    let analysis = terms.analysis();
    let function = analysis.function(id);
    let model = library(&function.name);
    let is_quiet = matches!(
        model,
        Some(Library::Harmless { .. } | Library::Reads | Library::Pure | Library::Allocates { .. })
    );
    if context.guard.is_some() && !is_quiet {
        return Step::Refused;
    }
    if is_quiet {
        state.memory_mut().havoc(terms, analysis.effects(id));
    }
    if function.noreturn {
        return Step::Infeasible;
    }
    match model {
        Some(Library::Stops) => return Step::Infeasible,
        Some(Library::Assume) => return pass_assumption(terms, state, context, site),
        Some(Library::Reads) => pass_reading(terms, state, context, site, function),
        Some(Library::Harmless { .. }) => {
            if state.take(site.result).is_some() {
                state.skip(Skip::Opaque(function.name.clone()));
            }
        }
        Some(Library::Pure) => pass_pure(terms, state, context, site, &function.name),
        Some(Library::Allocates { zeroed, .. }) => {
            let used = state.take(site.result);
            if let Some(address) = used.as_ref().and_then(SymbolicValue::scalar) {
                if zeroed {
                    state.begin_with_zeros(terms, address);
                }
                state.memory_mut().havoc_object(terms, address);
            }
        }
        Some(Library::Fills { .. }) => pass_filling(terms, state, context, site, id),
        Some(Library::InputObject(size)) => pass_input_object(terms, state, context, site, size),
        Some(Library::InputValue) => pass_input_value(terms, state, site, &function.name),
        None => pass_unknown(terms, state, site, id),
    }
    Step::Done
}

/// A function that only reads memory.
fn pass_reading(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    site: CallSite<'_>,
    function: &Function,
) {
    let Some(used) = state.take(site.result) else {
        return;
    };
    let arguments = site.arguments.iter();
    let arguments: Option<Vec<ExprId>> = arguments
        .map(|argument| context.scalar(terms, state, *argument))
        .collect();
    if terms.analysis().character_table(&function.name).is_some() {
        // The address of an object that has a name.
        return;
    }
    let width = used.scalar().map(|symbol| terms.width(symbol));
    let value = match (arguments, width) {
        (Some(arguments), Some(width)) => {
            strings::result(terms, state, &function.name, &arguments, width)
        }
        _ => None,
    };
    if value.is_none() {
        state.skip(Skip::Opaque(function.name.clone()));
    }
    state.bind(terms, &used, value.map(IrValue::Scalar).as_ref());
}

/// A pure function of numbers.
fn pass_pure(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    site: CallSite<'_>,
    name: &str,
) {
    let Some(used) = state.take(site.result) else {
        return;
    };
    let arguments = site.arguments.iter();
    let arguments: Option<Vec<ExprId>> = arguments
        .map(|argument| context.scalar(terms, state, *argument))
        .collect();
    let value = match (arguments, site.ty.width()) {
        (Some(arguments), Some(width)) => {
            let known = strings::result(terms, state, name, &arguments, width);
            let value = known.or_else(|| terms.symbolic().external(name, &arguments, width));
            value.map(IrValue::Scalar)
        }
        _ => None,
    };
    if value.is_none() {
        state.skip(Skip::Opaque(name.to_owned()));
    }
    state.bind(terms, &used, value.as_ref());
}

/// A function that writes any bytes through some of its arguments.
fn pass_filling(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    site: CallSite<'_>,
    id: FunctionId,
) {
    let analysis = terms.analysis();
    let used = state.take(site.result).is_some();
    let (overrides, effects) = (context.overrides, analysis.effects(id));
    if used || call_may_write(terms, state, overrides, effects, site.arguments) {
        clobber_arguments(terms, state, overrides, effects, site.arguments);
        state.memory_mut().havoc(terms, effects);
        state.skip(Skip::Opaque(analysis.function(id).name.clone()));
    }
}

/// A function without a model.
fn pass_unknown(terms: &mut Terms<'_>, state: &mut State, site: CallSite<'_>, id: FunctionId) {
    let analysis = terms.analysis();
    let effects = analysis.effects_of_library_call(state.function(), site.place, id);
    let used = state.take(site.result).is_some();
    if effects.makes_inputs() {
        state.trail_mut().lose_inputs();
    }
    if used || state.memory().is_concerned(terms, &effects) {
        state.memory_mut().havoc(terms, &effects);
        state.skip(Skip::Opaque(analysis.function(id).name.clone()));
    }
}

fn pass_assumption(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    site: CallSite<'_>,
) -> Step {
    let condition = site.arguments.first();
    if let Some(condition) = condition.and_then(|first| context.scalar(terms, state, *first)) {
        let zero = terms.constant(terms.width(condition), 0);
        let holds = terms.pool_mut().ne(condition, zero);
        state.require(terms, holds);
    }
    if state.conditions().has_false() {
        Step::Infeasible
    } else {
        Step::Done
    }
}

/// The bytes at the first argument become input; the second is their number, unless `size` is.
fn pass_input_object(
    terms: &mut Terms<'_>,
    state: &mut State,
    context: Context<'_>,
    site: CallSite<'_>,
    size: Option<u64>,
) {
    let address = site.arguments.first();
    let address = address.and_then(|first| context.scalar(terms, state, *first));
    let size = match (size, site.arguments.get(1)) {
        (Some(size), _) => Some(size),
        (None, Some(size)) => {
            let size = context.scalar(terms, state, *size);
            size.and_then(|size| u64::try_from(terms.bits(size)?).ok())
        }
        (None, None) => None,
    };
    let (Some(address), Some(size)) = (address, size.filter(|size| *size <= MAX_OBJECT)) else {
        state.trail_mut().lose_inputs();
        state.memory_mut().clobber(terms, address);
        state.skip(Skip::Opaque("an input object of unknown size".to_owned()));
        return;
    };
    let parts: Vec<ExprId> = match size {
        1 | 2 | 4 | 8 | 16 => vec![terms.fresh(8 * size as u32)],
        size => (0..size).map(|_| terms.fresh(8)).collect(),
    };
    state.trail_mut().input(parts.clone());
    if size > 0 {
        let length = terms.constant(64, u128::from(size));
        let write = Write {
            address,
            length,
            content: Content::Parts(parts),
            guard: None,
        };
        state.write(terms, &write);
    }
}

fn pass_input_value(terms: &mut Terms<'_>, state: &mut State, site: CallSite<'_>, name: &str) {
    let used = state.take(site.result);
    let value = input_value(name, site.ty).filter(|(size, _)| *size <= 16);
    let Some((size, is_boolean)) = value else {
        state.trail_mut().lose_inputs();
        state.skip(Skip::Opaque(name.to_owned()));
        return;
    };
    let part = terms.fresh(8 * size as u32);
    state.trail_mut().input(vec![part]);
    if let (Some(used), Some(width)) = (used, site.ty.width()) {
        let mut value = terms.symbolic().resize(part, width);
        if is_boolean {
            let low = terms.pool_mut().extract(part, 0, 1);
            value = terms.symbolic().resize(low, width);
        }
        state.bind(terms, &used, Some(&IrValue::Scalar(value)));
    }
}
