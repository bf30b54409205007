//! Conflicts that the solver found: every state that holds all constraints of one is infeasible.

use labrys_expr::ExprId;
use rustc_hash::FxHashSet;

/// Cores that are remembered, and constraints in one.
const MAX_CORES: usize = 256;
const MAX_CORE: usize = 12;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Refutations {
    cores: Vec<Vec<ExprId>>,
}

impl Refutations {
    /// Remembers constraints that have no solution.
    pub(super) fn add(&mut self, core: Vec<ExprId>) {
        if core.len() <= MAX_CORE && self.cores.len() < MAX_CORES {
            self.cores.push(core);
        }
    }

    /// Whether some of these constraints are known to have no solution.
    pub(super) fn refutes(&self, constraints: &[ExprId]) -> bool {
        let held: FxHashSet<ExprId> = constraints.iter().copied().collect();
        let mut cores = self.cores.iter();
        cores.any(|core| core.iter().all(|constraint| held.contains(constraint)))
    }
}
