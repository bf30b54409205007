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
//! | `variables`, `variable` | bytes put together to numbers; values as reals and as places |
//! | `formula`, `score` | conditions as relations, and how badly each is violated |
//! | `objective`, `compile` | scores of a point, by native code |
//! | `polytope` | the linear part |
//! | `search` | the walk and its neighbors |
//! | `gradient`, `polish` | seeds by descent, exact hits by looking around |

mod compile;
mod distance;
mod formula;
mod gradient;
mod objective;
mod options;
mod polish;
mod polytope;
mod score;
mod search;
#[cfg(test)]
mod tests;
mod variable;
mod variables;

use labrys_expr::{ExprId, Pool};

use self::compile::Compiler;
use self::gradient::descend;
use self::objective::{Objective, Point, reachable};
use self::polish::polish;
use self::search::{Search, normal};
use crate::query::{Assignment, Budget, Model};
use crate::schedule::{Layer, Patience, Shared, Task, Verdict};

pub use distance::{Distance, Distances};
pub use options::{Beyond, Options, WordError};

/// Node evaluations that count as one of the solver's steps, of which about 20,000 are done in a
/// second.
const NODES_PER_STEP: u64 = 10_000;

pub(super) const NAME: &str = "walk";

/// How a walk ended.
#[derive(Clone, Debug)]
enum End {
    /// At values that make all conditions true by evaluation.
    Solution(Model),
    /// At its limit; the nearest point that was seen.
    Nearest(Model),
    /// The walk cannot evaluate the conditions.
    Unable,
}

/// The layer. It keeps what is worth keeping between queries.
///
/// How far a walk goes is a share of the query's steps, so no clock decides what is found. A later
/// walk on the same query starts at the nearest point of the one before.
#[derive(Default)]
pub(super) struct Walk {
    options: Options,
    compiler: Compiler,
}

/// Steps of a query without a limit, for the shares: those of its time, else of ten seconds.
fn all_steps(budget: &Budget) -> u64 {
    let seconds = budget.timeout.map_or(10.0, |timeout| timeout.as_secs_f64());
    (seconds * Budget::STEPS_PER_SECOND as f64) as u64
}

impl Layer for Walk {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&mut self, task: &mut Task<'_, '_>, shared: &mut Shared, patience: Patience) -> Verdict {
        let Some(difficulty) = task.difficulty() else {
            return Verdict::Pass;
        };
        let budget = &task.query.budget;
        if budget.is_cancelled() {
            return Verdict::Pass;
        }
        let given = task.steps.unwrap_or_else(|| all_steps(budget));
        let steps = patience.share_of(given, difficulty);
        let near = shared.near.assignment();
        let start = match shared.nearest.take() {
            Some(nearest) => near.with(&nearest),
            None => near.clone(),
        };
        let (end, done) = self.walk(task.query.pool, &task.conditions(), &start, steps);
        task.query.budget.spend(done);
        match end {
            End::Solution(model) => Verdict::Proposal(model),
            End::Nearest(model) => {
                shared.nearest = Some(model);
                Verdict::Pass
            }
            End::Unable => Verdict::Pass,
        }
    }
}

impl Walk {
    pub(super) fn new(options: Options) -> Self {
        Walk {
            options,
            compiler: Compiler::default(),
        }
    }

    /// Walks from some values for so many steps; how it ended, and the steps that it took.
    fn walk(
        &mut self,
        pool: &Pool,
        conditions: &[ExprId],
        start: &Assignment,
        steps: u64,
    ) -> (End, u64) {
        let compiler = self.options.compile.then_some(&mut self.compiler);
        let limit = steps.saturating_mul(NODES_PER_STEP);
        let Some(mut objective) = Objective::new(pool, conditions, compiler, limit) else {
            return (End::Unable, 0);
        };
        let values = objective.variables.values(start);
        let first = objective.point(values);
        let nodes = reachable(pool, conditions);
        let mut search = Search::new(pool, &mut objective, self.options, limit, first, &nodes);
        let found = walk_on(&mut search);
        let values = search.best.values.clone();
        let model = objective.variables.model(&values);
        let steps = objective.work / NODES_PER_STEP;
        if found && objective.confirms(conditions, &values) {
            (End::Solution(model), steps)
        } else {
            (End::Nearest(model), steps)
        }
    }
}

/// Walks from one start after another.
fn walk_on(search: &mut Search<'_, '_>) -> bool {
    let mut start = search.best.clone();
    for attempt in 0.. {
        let Search {
            polytope,
            objective,
            ..
        } = search;
        polytope.start(objective, &mut start);
        if search.walk(&mut start) {
            return true;
        }
        let Some(beyond) = search.options.beyond else {
            return false;
        };
        for nearest in [true, false] {
            let mut point = if nearest {
                search.best.clone()
            } else {
                start.clone()
            };
            if beyond.gradient && descend(search, &mut point) {
                return true;
            }
            if beyond.polish && polish(search, &mut point) {
                return true;
            }
        }
        if !beyond.restarts || search.is_over() {
            return false;
        }
        start = restart(search, attempt);
    }
    false
}

/// Another point to start at: near the best so far, or anywhere.
fn restart(search: &mut Search<'_, '_>, attempt: usize) -> Point {
    let mut values = search.best.values.clone();
    for (value, variable) in values.iter_mut().zip(&search.objective.variables.list) {
        let exponent = search.rng.f64() * 12.0 - 2.0;
        let real = normal(&mut search.rng) * exponent.exp2();
        *value = match attempt % 3 {
            0 => variable.nearest(real),
            1 => variable.nearest(variable.real(*value) + real),
            _ if variable.is_float() => variable.nearest(real.round()),
            _ => search.rng.u64(..) & labrys_expr::mask(variable.width) as u64,
        };
    }
    search.objective.point(values)
}
