//! The walk itself: adaptive tabu search (algorithm 5.1 of the dissertation).
//!
//! Names follow the algorithm: α is where the walk is, μ its best neighbor, ε the error of each
//! variable, τ the steps for which it stays tabu, L the polytope, N the constraints outside it.

use labrys_expr::{ExprId, Pool};

use super::objective::{Objective, Point};
use super::options::Options;
use super::polytope::Polytope;

/// A walk under way.
pub(super) struct Search<'o, 'a> {
    pub(super) objective: &'o mut Objective<'a>,
    pub(super) polytope: Polytope,
    pub(super) options: Options,
    pub(super) rng: fastrand::Rng,
    /// Work after which it ends.
    pub(super) limit: u64,
    /// N.
    pub(super) hard: Vec<usize>,
    /// Constants of the conditions, as bits.
    pub(super) constants: Vec<u64>,
    pub(super) best: Point,
    best_error: f64,
    pub(super) scratch: Point,
}

impl<'o, 'a> Search<'o, 'a> {
    pub(super) fn new(
        pool: &'a Pool,
        objective: &'o mut Objective<'a>,
        options: Options,
        limit: u64,
        first: Point,
        nodes: &[ExprId],
    ) -> Self {
        let polytope = Polytope::of(pool, objective);
        let hard = (0..objective.constraints.len())
            .filter(|constraint| !polytope.is_linear(*constraint))
            .collect();
        Search {
            polytope,
            options,
            rng: fastrand::Rng::with_seed(options.seed),
            limit,
            hard,
            constants: super::moves::constants(pool, nodes),
            best_error: total(&first),
            scratch: first.clone(),
            best: first,
            objective,
        }
    }

    /// Whether the work is used up.
    pub(super) fn is_over(&self) -> bool {
        self.objective.work >= self.limit
    }

    /// Notes a point; whether it is a solution.
    pub(super) fn note(&mut self, point: &Point) -> bool {
        let error = total(point);
        if error < self.best_error || point.is_solution() {
            self.best_error = error;
            self.best.clone_from(point);
        }
        point.is_solution()
    }

    /// Walks from a point, which is moved; whether it ends at a solution.
    pub(super) fn walk(&mut self, alpha: &mut Point) -> bool {
        if self.note(alpha) {
            return true;
        }
        let inside = self.polytope.contains(alpha);
        if !inside && self.options.beyond.is_none() {
            return false;
        }
        let counted = if inside {
            self.hard.len()
        } else {
            alpha.errors.len()
        };
        let count = self.objective.variables.list.len();
        let tenure = self.options.tabu.min(count / 2);
        let mut tabu = vec![0usize; count];
        for _ in 0..self.options.steps * counted.max(1) {
            if self.is_over() {
                return false;
            }
            if tenure > 0 && tabu.iter().all(|steps| *steps > 0) {
                self.step_aside(alpha);
                tabu.fill(0);
            }
            let Some(x) = self.worst_variable(alpha, &tabu) else {
                return self.note(alpha);
            };
            let before = total(alpha);
            let after = self.best_neighbor(alpha, x, inside);
            if after < before {
                std::mem::swap(alpha, &mut self.scratch);
                tabu.iter_mut()
                    .for_each(|steps| *steps = steps.saturating_sub(1));
            } else {
                if after == before && self.options.beyond.is_some() {
                    std::mem::swap(alpha, &mut self.scratch);
                }
                tabu[x] = tenure;
            }
            if self.note(alpha) {
                return true;
            }
        }
        false
    }

    /// The variable with the highest error that is not tabu, one of them by chance.
    fn worst_variable(&mut self, point: &Point, tabu: &[usize]) -> Option<usize> {
        let mut errors = vec![0.0; tabu.len()];
        for (constraint, error) in self.objective.constraints.iter().zip(&point.errors) {
            if *error > 0.0 {
                for &variable in &constraint.variables {
                    errors[variable] += error;
                }
            }
        }
        let free = |variable: &usize| tabu[*variable] == 0;
        let most = (0..tabu.len())
            .filter(free)
            .map(|variable| errors[variable])
            .fold(f64::NEG_INFINITY, f64::max);
        let candidates: Vec<_> = (0..tabu.len())
            .filter(|variable| free(variable) && errors[*variable] == most)
            .collect();
        (!candidates.is_empty()).then(|| candidates[self.rng.usize(..candidates.len())])
    }

    /// A random step of all variables, inside the polytope where the point is.
    fn step_aside(&mut self, alpha: &mut Point) {
        let all: Vec<_> = (0..self.objective.variables.list.len()).collect();
        let inside = self.polytope.contains(alpha);
        let mut next = std::mem::take(&mut self.scratch);
        if self.random_step(alpha, &mut next, &all, inside) {
            alpha.clone_from(&next);
        }
        self.scratch = next;
    }
}

/// Sum of the errors of a point, finite.
pub(super) fn total(point: &Point) -> f64 {
    point.errors.iter().sum::<f64>().min(f64::MAX)
}
