//! The concolic walk: constraints that no decision procedure knows, solved by evaluating them.
//!
//! After chapter 5 of P. Dinges' dissertation "Symcretic testing of programs": the linear
//! constraints bound a polytope, and an adaptive tabu search walks in it toward the zeros of
//! the other constraints' error scores (algorithms 5.1 to 5.4). `docs/walk.md` names what is
//! different and what goes beyond.
//!
//! Laws: the walk answers with a model that evaluation confirms, or with the nearest point that
//! it saw; never that there is none. The same query, options and allowance give the same answer.
//!
//! | module | what |
//! |---|---|
//! | `variables`, `numbers` | bytes put together to numbers; values as reals and as places |
//! | `formula`, `score` | conditions as relations, and how badly each is violated |
//! | `objective`, `compile` | scores of a point, by native code |
//! | `polytope` | the linear part |
//! | `search`, `moves` | the walk and its neighbors |
//! | `gradient`, `polish` | seeds by descent, exact hits by looking around |

mod compile;
mod distance;
mod formula;
mod gradient;
mod moves;
mod numbers;
mod objective;
mod options;
mod polish;
mod polytope;
mod score;
mod search;
#[cfg(test)]
mod tests;
mod variables;
mod worth;

use labrys_expr::{ExprId, Pool};

use self::compile::Compiler;
use self::objective::{Objective, Point, reachable};
use self::search::Search;
use crate::query::{Assignment, Model};

pub use distance::{Distance, Distances};
pub use options::{Beyond, Options, WordError};
pub(crate) use worth::{Class, class};

/// Node evaluations that count as one of the solver's steps, of which about 20,000 are done in a
/// second.
const NODES_PER_STEP: u64 = 10_000;

/// What a walk came to.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// Makes all conditions true by evaluation.
    Found(Model),
    /// The nearest point that was seen.
    Near(Model),
    /// The walk cannot evaluate the conditions.
    Unable,
}

/// Walks; keeps what is worth keeping between queries.
#[derive(Default)]
pub(crate) struct Walk {
    options: Options,
    compiler: Compiler,
}

impl Walk {
    pub(crate) fn new(options: Options) -> Self {
        Walk {
            options,
            compiler: Compiler::default(),
        }
    }

    /// Walks from the hint's values for so many steps; the outcome, and the steps that it took.
    pub(crate) fn run(
        &mut self,
        pool: &Pool,
        conditions: &[ExprId],
        hint: &Assignment,
        steps: u64,
    ) -> (Outcome, u64) {
        let compiler = self.options.compile.then_some(&mut self.compiler);
        let Some(mut objective) = Objective::new(pool, conditions, compiler) else {
            return (Outcome::Unable, 0);
        };
        let limit = steps.saturating_mul(NODES_PER_STEP);
        let values = objective.variables.values(hint);
        let first = objective.point(values);
        let nodes = reachable(pool, conditions);
        let mut search = Search::new(pool, &mut objective, self.options, limit, first, &nodes);
        let found = search.run();
        let values = search.best.values.clone();
        let model = objective.variables.model(&values);
        let steps = objective.work / NODES_PER_STEP;
        if found && objective.confirms(conditions, &values) {
            (Outcome::Found(model), steps)
        } else {
            (Outcome::Near(model), steps)
        }
    }
}

impl Search<'_, '_> {
    /// Walks from one start after another.
    fn run(&mut self) -> bool {
        let mut start = self.best.clone();
        for round in 0.. {
            let Search {
                polytope,
                objective,
                ..
            } = self;
            polytope.start(objective, &mut start);
            if self.walk(&mut start) {
                return true;
            }
            let Some(beyond) = self.options.beyond else {
                return false;
            };
            for nearest in [true, false] {
                let mut point = if nearest {
                    self.best.clone()
                } else {
                    start.clone()
                };
                if beyond.gradient && self.descend(&mut point) {
                    return true;
                }
                if beyond.polish && self.polish(&mut point) {
                    return true;
                }
            }
            if !beyond.restarts || self.is_over() {
                return false;
            }
            start = self.restart(round);
        }
        false
    }

    /// Another point to start at: near the best so far, or anywhere.
    fn restart(&mut self, round: usize) -> Point {
        let mut values = self.best.values.clone();
        for (value, variable) in values.iter_mut().zip(&self.objective.variables.list) {
            let exponent = self.rng.f64() * 12.0 - 2.0;
            let real = moves::normal(&mut self.rng) * exponent.exp2();
            *value = match round % 3 {
                0 => variable.nearest(real),
                1 => variable.nearest(variable.real(*value) + real),
                _ if variable.is_float() => variable.nearest(real.round()),
                _ => self.rng.u64(..) & labrys_expr::mask(variable.width) as u64,
            };
        }
        self.objective.point(values)
    }
}
