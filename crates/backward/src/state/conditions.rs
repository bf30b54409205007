//! The constraints of a state, with what the solver said of them.

use std::rc::Rc;

use labrys_expr::{ExprId, Pool, Symbol};
use labrys_solver::Model;
use rustc_hash::FxHashSet;

use crate::terms::Terms;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditions {
    constraints: Vec<ExprId>,
    /// Values of symbols that are not yet put into the constraints: to do that at once would
    /// rebuild them at every instruction. In the order in which they became known, so that a
    /// later value says nothing of earlier symbols.
    pending: Vec<(Symbol, ExprId)>,
    /// Constraints that can be satisfied together.
    satisfiable: Rc<FxHashSet<ExprId>>,
    /// Values that the solver gave to symbols of constraints like these.
    model: Rc<Model>,
    /// The solver gave up on these constraints, or on some before them.
    unsolved: bool,
}

impl Conditions {
    /// The constraints, as far as the values of symbols are put in.
    pub(crate) fn constraints(&self) -> &[ExprId] {
        &self.constraints
    }

    /// The last model of constraints like these.
    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// Whether the solver gave up on these constraints, or on some before them.
    pub(crate) fn is_unsolved(&self) -> bool {
        self.unsolved
    }

    /// Adds a constraint.
    pub(crate) fn require(&mut self, pool: &Pool, condition: ExprId) {
        if pool.bits(condition) != Some(1) && !self.constraints.contains(&condition) {
            self.constraints.push(condition);
        }
    }

    /// Whether a constraint is false on its face.
    pub(crate) fn has_false(&self) -> bool {
        self.constraints.contains(&ExprId::FALSE)
    }

    /// The values of symbols are put into the constraints when these are looked at.
    pub(super) fn bind_later(&mut self, bindings: Vec<(Symbol, ExprId)>) {
        self.pending.extend(bindings);
    }

    /// Puts the known values of symbols into the constraints.
    pub(crate) fn settle(&mut self, terms: &mut Terms<'_>) {
        if self.pending.is_empty() {
            return;
        }
        let pending = std::mem::take(&mut self.pending);
        if self.constraints.is_empty() {
            return;
        }
        if terms.bind_in_order(pending, self.constraints.iter_mut()) {
            let mut seen = FxHashSet::default();
            self.constraints
                .retain(|constraint| *constraint != ExprId::TRUE && seen.insert(*constraint));
        }
    }

    /// Drops constraints of more than so many expressions; whether there were any.
    pub(crate) fn drop_large(&mut self, terms: &Terms<'_>, most: usize) -> bool {
        let before = self.constraints.len();
        self.constraints
            .retain(|constraint| terms.is_within(*constraint, most));
        self.constraints.len() < before
    }

    /// Drops all but these constraints.
    pub(crate) fn keep_only(&mut self, constraints: Vec<ExprId>) {
        self.constraints = constraints;
    }

    /// Drops these constraints.
    pub(crate) fn drop(&mut self, dropped: &[ExprId]) {
        self.constraints
            .retain(|constraint| !dropped.contains(constraint));
    }

    /// Has nothing but these constraints, of which nothing is known.
    pub(super) fn restrict(&mut self, constraints: &[ExprId]) {
        self.constraints = constraints.to_vec();
        self.satisfiable = Rc::default();
    }

    /// Replaces the symbols of a substitution that was begun; nothing is known of the new
    /// constraints.
    pub(crate) fn rename(&mut self, terms: &mut Terms<'_>) {
        for constraint in &mut self.constraints {
            *constraint = terms.substituted(*constraint);
        }
        self.satisfiable = Rc::default();
    }

    /// The solver says that the constraints can be satisfied, or it is taken to be so.
    pub(crate) fn note_satisfiable(&mut self) {
        self.satisfiable = self
            .constraints
            .iter()
            .copied()
            .collect::<FxHashSet<_>>()
            .into();
    }

    /// The solver found a model.
    pub(crate) fn note_model(&mut self, model: Model) {
        self.model = model.into();
    }

    /// The solver gave up.
    pub(crate) fn note_unsolved(&mut self) {
        self.unsolved = true;
    }

    /// The constraints that are new since the solver decided, and those that share symbols with
    /// them: no others can be in a conflict.
    pub(crate) fn undecided(&self, pool: &Pool) -> Vec<ExprId> {
        let known = |constraint: &ExprId| self.satisfiable.contains(constraint);
        let (mut left, mut next): (Vec<ExprId>, Vec<ExprId>) = self
            .constraints
            .iter()
            .partition(|constraint| known(constraint));
        let mut concerned: FxHashSet<ExprId> = FxHashSet::default();
        while let Some(constraint) = next.pop() {
            concerned.insert(constraint);
            left.retain(|other| {
                let apart = !pool.symbols(constraint).intersects(&pool.symbols(*other));
                if !apart {
                    next.push(*other);
                }
                apart
            });
        }
        let constraints = self.constraints.iter().copied();
        constraints
            .filter(|constraint| concerned.contains(constraint))
            .collect()
    }
}
