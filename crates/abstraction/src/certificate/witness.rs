//! What a checked certificate says at the loops of the source, in C.

use std::collections::BTreeMap;

use labrys_expr::{CVariable, ExprId, Symbol, c_implied};
use labrys_program::{FunctionId, SourceLoop, SourceVariable, Storage};

use crate::automaton::Automaton;
use crate::block::Location;
use crate::terms::{ObjectKind, Terms, Variable};

/// The formulas of a certificate.
type Formulas = BTreeMap<Location, ExprId>;

/// An invariant of each loop that formulas imply; `None` for a loop of which they say nothing.
///
/// A run is at a loop in one of the frames of its function, so the invariant is the disjunction over
/// these. Frames of calls that are not followed have no formulas: loops that such calls may lead to
/// have no invariant.
pub(super) fn loop_invariants(
    automaton: &mut Automaton<'_>,
    formulas: &Formulas,
    loops: &[SourceLoop],
) -> Vec<Option<String>> {
    let unfollowed = unfollowed(automaton, formulas);
    let loops = loops.iter();
    loops
        .map(|one| {
            let is_followed = !automaton.may_run(&unfollowed, one.function);
            is_followed
                .then(|| loop_invariant(automaton, formulas, one))
                .flatten()
        })
        .collect()
}

/// Functions that calls enter whose frames have no formulas.
fn unfollowed(automaton: &mut Automaton<'_>, formulas: &Formulas) -> Vec<FunctionId> {
    if automaton.terms.is_unit() {
        // Each other call of the unit begins like the one that is looked at.
        return Vec::new();
    }
    let mut functions = automaton.called_from_outside();
    for location in formulas.keys() {
        if let Ok(block) = automaton.block(*location) {
            let escapes = block.escapes.iter();
            functions.extend(escapes.flat_map(|escape| &escape.functions));
        }
    }
    functions
}

fn loop_invariant(
    automaton: &Automaton<'_>,
    formulas: &Formulas,
    one: &SourceLoop,
) -> Option<String> {
    let terms = &automaton.terms;
    let variables = one.variables.iter();
    let variables = variables.map(|variable| ((variable.storage, variable.width), variable));
    let variables: BTreeMap<_, _> = variables.collect();
    let here = formulas.iter().filter(|(location, _)| {
        location.block == one.head
            && terms.frame(location.frame).function == one.function
            && automaton.counts(location.frame)
    });
    let mut parts: Vec<String> = Vec::new();
    for (location, formula) in here {
        let part = translated(terms, *location, *formula, &variables)?;
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    match parts.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        _ => Some(format!("({})", parts.join(") || ("))),
    }
}

/// What a formula of a location implies of variables.
fn translated(
    terms: &Terms<'_>,
    location: Location,
    formula: ExprId,
    variables: &BTreeMap<(Storage, u32), &SourceVariable>,
) -> Option<String> {
    let name = |symbol: Symbol| {
        let storage = match terms.as_variable(symbol)? {
            Variable::Value(frame, value, 0) if frame == location.frame => Storage::Value(value),
            Variable::Cell(id, offset, _) => match terms.object(id).kind {
                ObjectKind::Global(id) => Storage::Global(id, offset),
                ObjectKind::Stack(frame, value) if frame == location.frame => {
                    Storage::Frame(value, offset)
                }
                _ => return None,
            },
            Variable::Value(..) => return None,
        };
        let variable = variables.get(&(storage, symbol.width()))?;
        Some(CVariable {
            text: variable.text.clone(),
            signed: variable.signed,
        })
    };
    c_implied(terms.pool(), formula, &name)
}
