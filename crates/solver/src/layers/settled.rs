//! Queries in which some symbols can have one value only: what is left when they have it.
//!
//! Fixing a symbol makes others independent. The length of a file is part of the condition on each
//! of its bytes; once it is fixed, most of these conditions are on one byte again. So what is left
//! is a query of its own, for all layers from the first one on.
//!
//! Law: a model of what is left, with the fixed values, is a model of the query; a core of it, with
//! the reasons for the fixed values in it, is a core of the query.

use super::{Layers, Sliced};
use crate::domains::Fixed;
use crate::parts::complete;
use crate::query::{Answer, Model, Query, Reason};
use crate::restrict;

impl Layers {
    /// The answer to a query by that to what is left of it. `near` has the fixed values.
    pub(super) fn settled(
        &mut self,
        query: &mut Query<'_>,
        sliced: &Sliced,
        fixed: &Fixed,
    ) -> Answer {
        let near = self.near.assignment();
        let symbols = fixed.symbols();
        let values = Model(symbols.map(|symbol| (symbol, near.get(symbol))).collect());
        let mut target = self.settled.pop().unwrap_or_default();
        let pool = &*query.pool;
        let is_fixed = |id| fixed.covers(pool.symbols(id));
        let left = restrict::rebuild(pool, &sliced.parts, is_fixed, &mut self.near, &mut target);
        let answer = match left {
            Err(position) => self.unsat_with(query, sliced, fixed, [position]),
            Ok(conditions) => {
                let (positions, constraints): (Vec<_>, Vec<_>) = conditions.into_iter().unzip();
                let mut left = Query {
                    pool: &mut target.pool,
                    constraints,
                    hint: query.hint,
                    budget: std::mem::take(&mut query.budget),
                };
                let answer = self.decide(&mut left);
                query.budget = left.budget;
                match answer {
                    Answer::Sat(model) => self.model_with(query, sliced, &values, model),
                    Answer::Unsat(core) => {
                        let core = core.0.iter().map(|index| positions[*index]);
                        self.unsat_with(query, sliced, fixed, core)
                    }
                    unknown => unknown,
                }
            }
        };
        if let Some(nearest) = &mut self.nearest {
            nearest.0.extend(values.0);
        }
        self.settled.push(target);
        answer
    }

    /// A model of what is left and the fixed values.
    fn model_with(
        &mut self,
        query: &Query<'_>,
        sliced: &Sliced,
        values: &Model,
        mut model: Model,
    ) -> Answer {
        model.0.extend(values.iter());
        complete(query.pool, &sliced.parts, query.hint, &mut model);
        if self.satisfies(query, &sliced.parts, &model) {
            return Answer::Sat(model);
        }
        self.statistics.invalid += 1;
        Answer::Unknown(Reason::InvalidModel)
    }

    /// That these parts contradict each other, and what fixes symbols in them.
    fn unsat_with(
        &mut self,
        query: &Query<'_>,
        sliced: &Sliced,
        fixed: &Fixed,
        positions: impl IntoIterator<Item = usize>,
    ) -> Answer {
        let mut core = Vec::new();
        for position in positions {
            core.push(position);
            let symbols = query.pool.symbols(sliced.parts[position].id);
            core.extend(fixed.reasons(symbols));
        }
        self.unsat(sliced, core)
    }
}
