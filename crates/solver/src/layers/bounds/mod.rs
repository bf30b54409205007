//! Bounds propagation with search, for conditions that are arithmetic over a few bytes.
//!
//! The value of a number in text is a sum of digits times powers of the base. Bits are the wrong
//! language for it: a SAT solver works on carries, where the highest digit can be read off the
//! wanted value. Here each condition narrows what its variables may be (`narrow`), until nothing
//! changes; then a variable is split. Between splits the values nearest to the hint are tried, so
//! a model is found as soon as they are one.
//!
//! Laws: a model is a proposal, which the caller evaluates; a core is unsatisfiable, because
//! every cut was made by a condition in it. Work is counted in steps of propagation, so the
//! answers are the same everywhere.

mod cone;
mod domain;
mod floats;
mod monotone;
mod narrow;
mod problem;
mod range;
#[cfg(test)]
mod tests;

use labrys_expr::{Evaluator, Pool};

use crate::parts::Part;
use crate::query::{Assignment, Model, Reason};
use crate::schedule::{Layer, Patience, Shared, Task, Verdict};
use cone::{Builder, Cells, Cone, MOST_STEPS, may_scale};
use domain::Domain;
use problem::Problem;
use range::Conflict;

pub(super) const NAME: &str = "bounds";

/// Variables of more than this are left to other layers.
const MOST_VARIABLES: usize = 64;
/// Steps of propagation that take the time in which a step is made ready.
const BUILDING: u64 = 8;
/// Steps of propagation that take the time of one step of the back end.
const WORK_PER_STEP: u64 = 2_000;

/// The layer. It remembers what it learned of the expressions of a pool.
///
/// Before the back end it tries only queries with products, quotients or floats: the back end is
/// quicker with the rest. After it, where there is something hard for both, it says at once what it
/// can say, or never; so it is asked again only where there is not.
#[derive(Default)]
pub(super) struct Bounds {
    cells: Cells,
    evaluator: Evaluator,
}

impl Layer for Bounds {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&mut self, task: &mut Task<'_, '_>, shared: &mut Shared, patience: Patience) -> Verdict {
        let is_last = task.given_up.is_some();
        let mut most = patience.work();
        if is_last {
            if task.given_up != Some(Reason::Steps) || task.difficulty().is_some() {
                return Verdict::Pass;
            }
            let all = |steps: u64| steps.saturating_mul(WORK_PER_STEP);
            most = most.min(task.steps.map_or(u64::MAX, all));
        }
        let mut left = most;
        let (pool, near) = (&*task.query.pool, shared.near.assignment());
        let verdict = self.decide(!is_last, pool, &task.parts, near, &mut left);
        task.query.budget.spend((most - left) / WORK_PER_STEP);
        verdict
    }
}

impl Bounds {
    /// Tries to decide the parts, all of them, near the values of `near`, within so many steps
    /// of propagation; they are taken off.
    fn decide(
        &mut self,
        only_hard: bool,
        pool: &Pool,
        parts: &[Part],
        near: &Assignment,
        work: &mut u64,
    ) -> Verdict {
        let mut built = 0;
        let conditions = parts.iter().map(|part| part.id);
        if only_hard && !may_scale(pool, conditions, &mut built) {
            *work = work.saturating_sub(built);
            return Verdict::Pass;
        }
        let mut builder = Builder::new(pool, &mut self.cells);
        let mut cones = Vec::with_capacity(parts.len());
        for part in parts {
            let cone = builder.cone(part.id);
            built += BUILDING * cone.as_ref().map_or(MOST_STEPS, |cone| cone.steps.len()) as u64;
            let fits = built <= *work && builder.symbols.len() <= MOST_VARIABLES;
            let Some(cone) = cone.filter(|_| fits) else {
                *work = work.saturating_sub(built);
                return Verdict::Pass;
            };
            cones.push(cone);
        }
        *work -= built;
        if only_hard && !cones.iter().any(Cone::scales) {
            return Verdict::Pass;
        }
        let symbols = builder.symbols;
        let mut problem = Problem::new(pool, cones, &symbols, near, *work);
        let full: Vec<Domain> = symbols
            .iter()
            .map(|symbol| Domain::full(symbol.width()))
            .collect();
        let found = problem.search(full.clone(), |values| {
            let values = symbols.iter().copied().zip(values.iter().copied());
            let model = Model(values.collect());
            let environment = near.with(&model);
            self.evaluator.reset();
            let evaluator = &mut self.evaluator;
            let mut conditions = parts.iter().rev();
            conditions
                .all(|part| evaluator.holds(pool, part.id, &environment))
                .then_some(model)
        });
        let verdict = match found {
            Some(Ok(model)) => Verdict::Proposal(model),
            Some(Err(Conflict)) => Verdict::Core(problem.core(&full)),
            None => Verdict::Pass,
        };
        *work = work.saturating_sub(problem.work);
        verdict
    }
}
