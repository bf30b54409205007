//! Queries in which some symbols can have one value only: what is left when they have it.
//!
//! Fixing a symbol makes others independent. The length of a file is part of the condition on each
//! of its bytes; once it is fixed, most of these conditions are on one byte again. So what is left
//! is a query of its own, for all layers from the first one on.

use crate::query::Model;
use crate::schedule::{Layer, Patience, Shared, Task, Verdict};

/// The layer.
#[derive(Default)]
pub(super) struct Fixed;

impl Layer for Fixed {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn run(&mut self, task: &mut Task<'_, '_>, shared: &mut Shared, _: Patience) -> Verdict {
        if task.fixed.is_empty() {
            return Verdict::Pass;
        }
        let mut smaller = shared.take_spare();
        let near = shared.near.assignment();
        let symbols = task.fixed.symbols();
        smaller.values = Model(symbols.map(|symbol| (symbol, near.get(symbol))).collect());
        let pool = &*task.query.pool;
        let is_fixed = |id| task.fixed.covers(pool.symbols(id));
        let left = smaller
            .reduced
            .rebuild(pool, &task.parts, is_fixed, &mut shared.near);
        match left {
            Err(position) => {
                shared.put_spare(smaller);
                let symbols = pool.symbols(task.parts[position].id);
                let reasons = task.fixed.reasons(symbols);
                Verdict::Core(reasons.chain([position]).collect())
            }
            Ok(conditions) => {
                (smaller.positions, smaller.constraints) = conditions.into_iter().unzip();
                Verdict::Smaller(smaller)
            }
        }
    }
}
