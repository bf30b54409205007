//! Attempts on queries with many symbols, most of them fixed: descent on sums, linear systems, and
//! the back end on what is left.
//!
//! Law: a model that an attempt gives satisfies the query by evaluation; that there is none says
//! nothing.

use std::collections::BTreeSet;

use labrys_expr::{ExprId, Symbol};

use crate::descent;
use crate::layers::{Layers, Sliced, ask, left};
use crate::linear;
use crate::parts::{complete, symbols};
use crate::query::{Answer, Budget, Model, Query};
use crate::restrict::{self, Restricted};
use crate::slice::Part;

/// Queries on more symbols than this are first tried with most of them fixed.
const MANY_SYMBOLS: usize = 24;
/// Symbols of parts with no more than this many are not moved by descent.
const FEW_SYMBOLS: usize = 4;
/// Numbers of free symbols for each condition in restricted attempts, and their most steps.
const ATTEMPTS: [(usize, u64); 3] = [(4, 2_000), (16, 5_000), (64, 10_000)];

impl Layers {
    /// Attempts with most symbols fixed, for queries on many.
    pub(crate) fn restricted(&mut self, query: &mut Query<'_>, sliced: &Sliced) -> Option<Model> {
        let total = symbols(query.pool, &sliced.parts).len();
        if total <= MANY_SYMBOLS {
            return None;
        }
        let mut wanted: Vec<ExprId> = sliced.parts.iter().map(|part| part.id).collect();
        wanted.retain(|id| !self.near.holds(query.pool, *id));
        if let Some(model) = self.descend(query, sliced, &wanted) {
            return Some(model);
        }
        let mut last = BTreeSet::new();
        for (attempt, (count, most)) in ATTEMPTS.into_iter().enumerate() {
            if attempt == 1 {
                // The values chosen for single symbols may be to blame.
                wanted.extend(sliced.goals());
            }
            let free = restrict::free_symbols(query.pool, &sliced.parts, &wanted, count);
            if free == last || free.len() == total {
                break;
            }
            last.clone_from(&free);
            let steps = query.budget.steps.map_or(most, |left| most.min(left / 4));
            if let Some(model) = self.attempt(query, sliced, free, steps) {
                self.statistics.restricted += 1;
                return Some(model);
            }
        }
        None
    }

    /// Moves the values near the hint toward sums that parts want; a model if that is enough.
    fn descend(&mut self, query: &Query<'_>, sliced: &Sliced, wanted: &[ExprId]) -> Option<Model> {
        let narrow = |part: &&Part| query.pool.symbols(part.id).len() <= FEW_SYMBOLS;
        let kept = sliced.parts.iter().filter(narrow);
        let kept = kept
            .flat_map(|part| query.pool.symbols(part.id).iter())
            .collect();
        let mut moved = Model::default();
        for id in wanted.iter().rev() {
            if let Some(step) = descent::toward(query.pool, *id, &kept, &mut self.near) {
                let next = self.near.assignment().with(&step);
                self.near.start(query.pool, &next);
                moved.0.extend(step.0);
            }
        }
        if moved.0.is_empty() {
            return None;
        }
        complete(
            query.pool,
            &sliced.parts,
            self.near.assignment(),
            &mut moved,
        );
        self.satisfies(query, &sliced.parts, &moved)
            .then_some(moved)
    }

    fn attempt(
        &mut self,
        query: &mut Query<'_>,
        sliced: &Sliced,
        free: BTreeSet<Symbol>,
        steps: u64,
    ) -> Option<Model> {
        let Restricted { conditions, free } = restrict::restrict(
            query.pool,
            &sliced.parts,
            free,
            &mut self.near,
            &mut self.target,
        )?;
        let base = self.near.assignment().clone();
        let mut model = linear::solve(&self.target.pool, &conditions, &free, &base);
        if model.is_none() && !conditions.is_empty() {
            let mut small = Query {
                pool: &mut self.target.pool,
                constraints: conditions,
                hint: &base,
                budget: Budget {
                    steps: Some(steps),
                    timeout: left(sliced.deadline),
                    cancel: query.budget.cancel.clone(),
                },
            };
            let answer = ask(
                self.backend.as_mut(),
                &mut small,
                &mut self.statistics,
                self.weight,
            );
            let left = small.budget.steps.unwrap_or(0);
            query.budget.spend(steps - left);
            match answer {
                Answer::Sat(found) => model = Some(found),
                _ => return None,
            }
        }
        let mut model = model.unwrap_or_default();
        model.0.retain(|symbol, _| free.contains(symbol));
        self.finish(query, &sliced.parts, model).ok()
    }
}
