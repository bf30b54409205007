//! Attempts on queries with many symbols, of which all but a few keep values near the hint's: descent
//! on sums, then linear systems and the back end on what is left of the query.
//!
//! Law: a model that an attempt gives satisfies the query by evaluation; that an attempt fails says
//! nothing.

mod descent;
mod free;
mod linear;

use std::collections::BTreeSet;

use labrys_expr::{ExprId, Symbol, SymbolSet};

use self::free::free_symbols;
use crate::parts::{Part, complete, symbols};
use crate::query::{Answer, Model, Query};
use crate::reduced::ReducedPool;
use crate::schedule::{Layer, Patience, Shared, Task, Verdict};

/// Queries on more symbols than this are first tried with most of them fixed.
const MANY_SYMBOLS: usize = 24;
/// Symbols of parts with no more than this many are not moved by descent.
const FEW_SYMBOLS: usize = 4;
/// Numbers of free symbols for each condition in restricted attempts, and their most steps.
const ATTEMPTS: [(usize, u64); 3] = [(4, 2_000), (16, 5_000), (64, 10_000)];

/// The layer.
#[derive(Default)]
pub(super) struct Restriction {
    reduced: ReducedPool,
}

impl Layer for Restriction {
    fn name(&self) -> &'static str {
        "restrict"
    }

    fn run(&mut self, task: &mut Task<'_, '_>, shared: &mut Shared, _: Patience) -> Verdict {
        let total = symbols(task.query.pool, &task.parts).len();
        if total <= MANY_SYMBOLS {
            return Verdict::Pass;
        }
        let mut violated = task.conditions();
        violated.retain(|id| !shared.near.holds(task.query.pool, *id));
        if let Some(model) = descend(task, shared, &violated) {
            return Verdict::Model(model);
        }
        let mut last = BTreeSet::new();
        for (attempt, (count, most)) in ATTEMPTS.into_iter().enumerate() {
            if attempt == 1 {
                // The values chosen for single symbols may be to blame.
                violated.extend(task.goals());
            }
            let free = free_symbols(task.query.pool, &task.parts, &violated, count);
            if free == last || free.len() == total {
                break;
            }
            last.clone_from(&free);
            let left = task.query.budget.steps;
            let steps = left.map_or(most, |left| most.min(left / 4));
            if let Some(model) = self.attempt(task, shared, &free, steps) {
                return Verdict::Model(model);
            }
        }
        Verdict::Pass
    }
}

impl Restriction {
    /// A model in which all symbols but the free ones have their values near the hint.
    fn attempt(
        &mut self,
        task: &mut Task<'_, '_>,
        shared: &mut Shared,
        free: &BTreeSet<Symbol>,
        steps: u64,
    ) -> Option<Model> {
        let pool = &*task.query.pool;
        let is_fixed = |id| !has_any(pool.symbols(id), free);
        let mut construction = shared.begin_construction(task);
        let near = &mut shared.near;
        let conditions = self
            .reduced
            .rebuild(pool, &task.parts, is_fixed, near, &mut construction);
        shared.count_built(&construction);
        let conditions: Vec<ExprId> = conditions.ok()?.into_iter().map(|(_, id)| id).collect();
        let base = shared.near.assignment().clone();
        let mut evaluated = 0;
        let pool = &self.reduced.pool;
        let mut model = linear::solve(pool, &conditions, free, &base, &mut evaluated);
        shared.visit(evaluated);
        if model.is_none() && !conditions.is_empty() {
            let difficulty = task.difficulty();
            let mut small = Query {
                pool: &mut self.reduced.pool,
                constraints: conditions,
                hint: &base,
                budget: task.budget(Some(steps)),
            };
            let answer = shared.ask(&mut small, difficulty);
            let left = small.budget.steps.unwrap_or(0);
            task.query.budget.spend(steps - left);
            match answer {
                Answer::Sat(found) => model = Some(found),
                _ => return None,
            }
        }
        let mut model = model.unwrap_or_default();
        model.0.retain(|symbol, _| free.contains(symbol));
        shared.confirm(task, model).ok()
    }
}

/// Moves the values near the hint toward sums that violated parts ask for; a model if that is
/// enough.
fn descend(task: &Task<'_, '_>, shared: &mut Shared, violated: &[ExprId]) -> Option<Model> {
    let pool = &*task.query.pool;
    let has_few = |part: &&Part| pool.symbols(part.id).len() <= FEW_SYMBOLS;
    let kept = task.parts.iter().filter(has_few);
    let kept = kept.flat_map(|part| pool.symbols(part.id).iter()).collect();
    let mut moved = Model::default();
    for id in violated.iter().rev() {
        if let Some(step) = descent::toward(pool, *id, &kept, &mut shared.near) {
            let next = shared.near.assignment().with(&step);
            shared.near.start(pool, &next);
            moved.0.extend(step.0);
        }
    }
    if moved.0.is_empty() {
        return None;
    }
    complete(pool, &task.parts, shared.near.assignment(), &mut moved);
    shared.satisfies(task, &moved).then_some(moved)
}

fn has_any(set: SymbolSet<'_>, symbols: &BTreeSet<Symbol>) -> bool {
    symbols.iter().any(|symbol| set.contains(*symbol))
}
