//! Unsatisfiable cores: extraction, minimization, and the check of both.
//!
//! A core that the layers give holds by their laws, but may have more constraints than it needs.
//! Here each set that is kept was refuted by a back end of its own, which shares nothing with the
//! layers; so a core that comes from here was checked, too.
//!
//! Law: the constraints of a core, with those that are always there, cannot all be true. Where no
//! check was given up, no constraint of the core can be left out.

use std::time::Instant;

use labrys_expr::{ExprId, Pool};

use crate::backend::Backend;
use crate::bitwuzla::{Error, Settings};
use crate::query::{Answer, Assignment, Budget, Query, Reason, Solver};

/// Why there is no core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoCore {
    /// The constraints can all be true.
    Satisfiable,
    /// The back end gave up.
    Unknown(Reason),
}

/// Finds cores.
pub struct Cores {
    backend: Backend,
}

impl Cores {
    /// With a back end of its own.
    ///
    /// # Errors
    /// If Bitwuzla is not installed.
    pub fn new() -> Result<Self, Error> {
        Ok(Cores {
            backend: Backend::new(Settings::default())?,
        })
    }

    /// Positions of constraints, as few as are found within the budget, that contradict those that
    /// are `always` there.
    ///
    /// # Errors
    /// If they do not, or the back end gave up before it was known.
    pub fn minimal(
        &mut self,
        pool: &mut Pool,
        always: &[ExprId],
        constraints: &[ExprId],
        budget: &Budget,
    ) -> Result<Vec<usize>, NoCore> {
        let deadline = budget.timeout.map(|timeout| Instant::now() + timeout);
        let mut left = budget.clone();
        let all: Vec<usize> = (0..constraints.len()).collect();
        let mut core = self.core(pool, always, constraints, &all, &mut left)?;
        let mut at = 0;
        while at < core.len() {
            left.timeout = deadline.map(|end| end.saturating_duration_since(Instant::now()));
            if left.timeout.is_some_and(|left| left.is_zero()) {
                break;
            }
            let mut fewer = core.clone();
            fewer.remove(at);
            match self.core(pool, always, constraints, &fewer, &mut left) {
                Ok(smaller) => core = smaller,
                Err(_) => at += 1,
            }
        }
        Ok(core)
    }

    /// Those of some constraints, by position, that contradict those that are always there. What is
    /// needed so far stays in front.
    fn core(
        &mut self,
        pool: &mut Pool,
        always: &[ExprId],
        constraints: &[ExprId],
        some: &[usize],
        budget: &mut Budget,
    ) -> Result<Vec<usize>, NoCore> {
        let chosen = some.iter().map(|at| constraints[*at]);
        let mut query = Query {
            pool,
            constraints: always.iter().copied().chain(chosen).collect(),
            hint: &Assignment::new(),
            budget: budget.clone(),
        };
        let answer = self.backend.check(&mut query);
        budget.steps = query.budget.steps;
        match answer {
            Answer::Sat(_) => Err(NoCore::Satisfiable),
            Answer::Unknown(reason) => Err(NoCore::Unknown(reason)),
            Answer::Unsat(core) => {
                let chosen = core.0.iter().filter_map(|at| at.checked_sub(always.len()));
                Ok(chosen.map(|at| some[at]).collect())
            }
        }
    }
}
