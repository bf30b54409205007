//! Searches among the values next to a point that is nearly a solution.
//!
//! An equality of floats holds exactly or not at all. Near its zero the difference of the sides
//! takes few values, a handful of units in the last place, so many points nearby are as good as
//! any; a random walk over neighboring values that never goes up meets a zero soon, if there is
//! one.

use super::objective::Point;
use super::search::{Search, total};

/// Steps without a better point after which it ends.
const PATIENCE: u32 = 400;

/// Looks around a point, which is moved; whether it ends at a solution.
pub(super) fn polish(search: &mut Search<'_, '_>, point: &mut Point) -> bool {
    let moved: Vec<usize> = (0..search.objective.variables.list.len())
        .filter(|variable| {
            let constraints = search.objective.constraints.iter().zip(&point.errors);
            let mut violated = constraints.filter(|(_, error)| **error > 0.0);
            violated.any(|(constraint, _)| constraint.variables.contains(variable))
        })
        .collect();
    if moved.is_empty() {
        return search.note(point);
    }
    let mut next = point.clone();
    let mut idle = 0;
    while idle < PATIENCE && !search.is_over() {
        idle += 1;
        next.clone_from(point);
        let mut changed = [usize::MAX; 3];
        for change in &mut changed[..search.rng.usize(1..=moved.len().min(3))] {
            let variable = moved[search.rng.usize(..moved.len())];
            let known = &search.objective.variables.list[variable];
            let most = 1i64 << search.rng.u32(..8);
            let by = i128::from(search.rng.i64(-most..=most));
            let place = known.place(next.values[variable]) + by;
            next.values[variable] = known.at(place);
            search.objective.update_one(&mut next, variable);
            *change = variable;
        }
        search.settle(&mut next, &changed, false);
        let (before, after) = (total(point), total(&next));
        if after <= before {
            std::mem::swap(point, &mut next);
        }
        if after < before {
            idle = 0;
        }
        if after == 0.0 {
            return search.note(point);
        }
    }
    search.note(point)
}
