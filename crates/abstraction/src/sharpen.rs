//! Predicates for a goal that a feasible path comes to, and of which no input is known: they refute
//! nothing, but tell the states that can come to the goal from those that cannot, for the monitor.
//!
//! They are the atoms of the goal's condition over the variables at the last occurrence of each
//! location of the path.

use labrys_expr::ExprId;
use rustc_hash::FxHashSet;

use crate::block::Location;
use crate::path::AbstractPath;
use crate::refine::{behind, of_variables};
use crate::terms::Terms;

/// Predicates of a location.
const MOST: usize = 4;
/// Steps of the path that are looked at, from its end.
const STEPS: usize = 12;

/// See the module.
pub(crate) fn predicates(
    terms: &mut Terms<'_>,
    path: &mut AbstractPath,
) -> Vec<(Location, ExprId)> {
    let goal = path.len() - 1;
    let mut seen: FxHashSet<Location> = FxHashSet::default();
    let mut found = Vec::new();
    for step in (1..path.len()).rev().take(STEPS) {
        let location = path.transition(step - 1).target;
        if seen.insert(location) {
            let conditions = behind(terms, path, step, &[goal]);
            let atoms = of_variables(terms, &conditions).into_iter().take(MOST);
            found.extend(atoms.map(|atom| (location, atom)));
        }
    }
    found
}
