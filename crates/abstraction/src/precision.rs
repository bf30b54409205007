//! What the abstraction tells apart at each location: predicates, and variables by their value.
//!
//! A variable that one predicate after the other speaks of at one location (a counter, a state) is
//! tracked by its value from then on, unless it has too many values.

use std::collections::BTreeMap;
use std::rc::Rc;

use labrys_expr::ExprId;
use rustc_hash::FxHashSet;

use crate::block::Location;
use crate::refine::positive;
use crate::terms::{Terms, Variable};

/// Predicates of one variable at a location from which on its value is tracked.
const TRACKED_FROM: usize = 3;

/// The precision of a location.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Distinctions {
    /// In the order in which they were found; negations stand for their conditions.
    pub(crate) predicates: Vec<ExprId>,
    /// Symbols of the variables whose values are tracked.
    pub(crate) tracked: Vec<ExprId>,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Precision {
    locations: BTreeMap<Location, Rc<Distinctions>>,
    /// Variables that have too many values to be tracked.
    untracked: FxHashSet<(Location, ExprId)>,
}

impl Precision {
    /// What is told apart at a location.
    pub(crate) fn of(&self, location: Location) -> Rc<Distinctions> {
        self.locations.get(&location).cloned().unwrap_or_default()
    }

    /// Adds a predicate; whether that tells more apart.
    pub(crate) fn add(&mut self, terms: &mut Terms<'_>, location: Location, id: ExprId) -> bool {
        let predicate = positive(terms.pool_mut(), id);
        let own = alone(terms, predicate);
        let known = Rc::make_mut(self.locations.entry(location).or_default());
        if known.predicates.contains(&predicate)
            || own.is_some_and(|symbol| known.tracked.contains(&symbol))
        {
            return false;
        }
        known.predicates.push(predicate);
        let Some(symbol) = own.filter(|symbol| !self.untracked.contains(&(location, *symbol)))
        else {
            return true;
        };
        let of_symbol = |id: &ExprId| alone(terms, *id) == own;
        if known.predicates.iter().filter(|id| of_symbol(id)).count() >= TRACKED_FROM {
            known.predicates.retain(|id| !of_symbol(id));
            known.tracked.push(symbol);
        }
        true
    }

    /// A variable is not tracked any more: it has too many values.
    pub(crate) fn untrack(&mut self, location: Location, symbol: ExprId) {
        self.untracked.insert((location, symbol));
        if let Some(known) = self.locations.get_mut(&location) {
            Rc::make_mut(known).tracked.retain(|other| *other != symbol);
        }
    }
}

/// The variable that a predicate speaks of, if there is only one and no other symbol.
fn alone(terms: &Terms<'_>, predicate: ExprId) -> Option<ExprId> {
    let variables: Vec<(Variable, ExprId)> = terms.variables_of(&[predicate]);
    let symbols = terms.pool().symbols(predicate).iter().count();
    match variables[..] {
        [(_, symbol)] if symbols == 1 => Some(symbol),
        _ => None,
    }
}
