//! The smallest size of an allocation that a query allows: of all blocks the one that most of what
//! follows does not fit in.

use labrys_engine::Session;
use labrys_expr::ExprId;
use labrys_solver::{Answer, Model};
use labrys_trace::SizeFlip;

use crate::query::DecodedRun;

/// Sizes that are tried, until there is a model.
const BOUNDS: [u64; 7] = [0, 1, 4, 16, 64, 256, 1024];

/// A model with a smaller size at a step than in `model`, if there is one. The bounds are tried
/// from below, each with this many steps of the solver.
pub(crate) fn smallest(
    session: &mut Session,
    known: &mut DecodedRun,
    (step, flip): (usize, SizeFlip),
    constraints: &[ExprId],
    steps: Option<u64>,
    model: Model,
) -> Model {
    let now = known.trace.event(step).a;
    let useful = |bound: &u64| flip == SizeFlip::Wraps || *bound < now;
    if flip == SizeFlip::Huge {
        return model;
    }
    for bound in BOUNDS.into_iter().filter(useful) {
        let mut constraints = constraints.to_vec();
        let DecodedRun { trace, decoder, .. } = known;
        constraints.push(trace.size_at_most(decoder, step, bound));
        let pool = known.decoder.pool_mut();
        if let Answer::Sat(smaller) = session.check(pool, constraints, &known.hint, steps) {
            return smaller;
        }
    }
    model
}
