//! The walk itself: adaptive tabu search (algorithm 5.1 of the dissertation), and the neighbors of a
//! point: random steps (algorithm 5.4) and linear approximation, the best of some (algorithm 5.3),
//! and more kinds of neighbors that are not the dissertation's.
//!
//! Names follow the algorithm: α is where the walk is, μ its best neighbor, ε the error of each
//! variable, τ the steps for which it stays tabu, L the polytope, N the constraints outside it.

use labrys_expr::{ExprId, Pool};

use super::formula::Relation;
use super::objective::{Objective, Point};
use super::options::Options;
use super::polytope::Polytope;

/// M: samples of a random step.
const SAMPLES: usize = 8;

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
            constants: constants(pool, nodes),
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

    /// Leaves the best neighbor in direction `x` in `scratch`; its error.
    fn best_neighbor(&mut self, alpha: &Point, x: usize, inside: bool) -> f64 {
        let mut best = std::mem::take(&mut self.scratch);
        let mut least = f64::INFINITY;
        let mut beta = alpha.clone();
        let mut gamma = alpha.clone();
        for _ in 0..self.options.neighbors {
            if self.is_over() {
                break;
            }
            self.random_step(alpha, &mut beta, &[x], inside);
            self.offer(&beta, inside, &mut best, &mut least);
            if self.options.bisection && self.bisection_step(alpha, &beta, &mut gamma, x) {
                self.settle(&mut gamma, &[x], inside);
                self.offer(&gamma, inside, &mut best, &mut least);
            }
            if self.options.beyond.is_some_and(|beyond| beyond.neighbors)
                && self.other_step(alpha, &beta, &mut gamma, x)
            {
                self.settle(&mut gamma, &[x], inside);
                self.offer(&gamma, inside, &mut best, &mut least);
            }
            if least == 0.0 {
                break;
            }
        }
        if least == f64::INFINITY {
            best.clone_from(alpha);
        }
        self.scratch = best;
        least
    }

    fn offer(&mut self, point: &Point, inside: bool, best: &mut Point, least: &mut f64) {
        let error = total(point);
        if error < *least && (!inside || self.polytope.contains(point)) {
            *least = error;
            best.clone_from(point);
        }
    }

    /// A random step of some variables; the point itself, and false, if every sample left the
    /// polytope.
    fn random_step(&mut self, from: &Point, to: &mut Point, moved: &[usize], inside: bool) -> bool {
        for _ in 0..SAMPLES {
            to.clone_from(from);
            for &variable in moved {
                let known = &self.objective.variables.list[variable];
                let real = known.real(from.values[variable]);
                let base = if real.is_finite() { real } else { 0.0 };
                let step = normal(&mut self.rng) * self.radius(variable, base);
                let known = &self.objective.variables.list[variable];
                to.values[variable] = known.nearest(base + step);
            }
            self.recompute(to, moved);
            if !inside {
                self.settle(to, moved, inside);
                return true;
            }
            let Search {
                polytope,
                objective,
                rng,
                ..
            } = self;
            polytope.adjust(objective, to, moved, |count| rng.usize(..count));
            self.settle(to, moved, inside);
            if self.polytope.contains(to) {
                return true;
            }
        }
        to.clone_from(from);
        false
    }

    /// Beyond the dissertation, equalities are restored after every kind of step, and those that
    /// define a variable need not be linear.
    pub(super) fn settle(&mut self, point: &mut Point, moved: &[usize], inside: bool) {
        if !self.options.beyond.is_some_and(|beyond| beyond.settle) {
            return;
        }
        let Search {
            polytope,
            objective,
            rng,
            ..
        } = self;
        if inside && !polytope.contains(point) {
            polytope.adjust(objective, point, moved, |count| rng.usize(..count));
        }
        polytope.define_values(objective, point, moved);
    }

    fn recompute(&mut self, point: &mut Point, moved: &[usize]) {
        match moved {
            [one] => self.objective.update_one(point, *one),
            _ => self.objective.update(point),
        }
    }

    /// S, which the dissertation leaves open: log-uniform, from small parts of the value to many
    /// times it.
    fn radius(&mut self, variable: usize, real: f64) -> f64 {
        let known = &self.objective.variables.list[variable];
        if known.is_float() {
            let exponent = self.rng.f64() * 24.0 - 16.0;
            (1.0 + real.abs()).min(1e150) * exponent.exp2()
        } else {
            let exponent = self.rng.f64() * f64::from(known.width.min(40) - 1).max(1.0);
            exponent.exp2()
        }
    }

    /// An atom with `x` that does not hold, one by chance.
    fn violated_atom(&mut self, point: &Point, x: usize) -> Option<usize> {
        let mut candidates = Vec::new();
        for (constraint, error) in self.objective.constraints.iter().zip(&point.errors) {
            if *error > 0.0 && constraint.variables.contains(&x) {
                constraint.formula.atoms(&mut |atom| {
                    if point.atoms[atom][1] > 0.0 {
                        candidates.push(atom);
                    }
                });
            }
        }
        (!candidates.is_empty()).then(|| candidates[self.rng.usize(..candidates.len())])
    }

    /// BISECTIONSTEP: the zero of the line through the differences at α and β. For an inequality
    /// the line is to reach −1, past the border.
    fn bisection_step(&mut self, alpha: &Point, beta: &Point, gamma: &mut Point, x: usize) -> bool {
        let Some(atom) = self.violated_atom(alpha, x) else {
            return false;
        };
        let wanted = match self.objective.atoms[atom].relation {
            Relation::Less | Relation::AtMost => -1.0,
            _ => 0.0,
        };
        let (at_alpha, at_beta) = (alpha.atoms[atom][0], beta.atoms[atom][0]);
        let slope = if at_alpha == at_beta {
            normal(&mut self.rng) * 4.0
        } else {
            (wanted - at_alpha) / (at_beta - at_alpha)
        };
        let known = &self.objective.variables.list[x];
        let (a, b) = (known.real(alpha.values[x]), known.real(beta.values[x]));
        let real = slope * (b - a) + a;
        if !real.is_finite() {
            return false;
        }
        let value = known.nearest(real);
        self.moved_to(alpha, gamma, x, value)
    }

    /// `gamma` as `alpha` with this value of `x`; whether it is another point.
    fn moved_to(&mut self, alpha: &Point, gamma: &mut Point, x: usize, value: u64) -> bool {
        if value == alpha.values[x] {
            return false;
        }
        gamma.clone_from(alpha);
        gamma.values[x] = value;
        self.objective.update_one(gamma, x);
        true
    }

    /// A neighbor of another kind, by chance.
    fn other_step(&mut self, alpha: &Point, beta: &Point, gamma: &mut Point, x: usize) -> bool {
        if self.bracket(alpha, beta, gamma, x) {
            return true;
        }
        let value = alpha.values[x];
        let known = self.objective.variables.list[x].clone();
        let place = known.place(value);
        let kinds = if known.is_float() { 7 } else { 5 };
        let next = match self.rng.usize(..kinds) {
            0 => {
                let by = 1i128 << self.rng.u32(..4);
                known.at(if self.rng.bool() {
                    place + by
                } else {
                    place - by
                })
            }
            1 => value ^ 1 << self.rng.u32(..known.width),
            2 if !self.constants.is_empty() => {
                let constant = self.constants[self.rng.usize(..self.constants.len())];
                let place = known.place(constant & labrys_expr::mask(known.width) as u64);
                known.at(place + i128::from(self.rng.i32(-1..=1)))
            }
            3 => known.at(-place - i128::from(u8::from(known.is_float()))),
            4 => {
                let factor = [0.5, 2.0, 0.1, 10.0][self.rng.usize(..4)];
                known.nearest(known.real(value) * factor)
            }
            5 => {
                let scale = 10f64.powi(self.rng.i32(0..=4));
                known.nearest((known.real(value) * scale).round() / scale)
            }
            _ => {
                let exponent = self.rng.f64() * 80.0 - 40.0;
                let size = exponent.exp2();
                known.nearest(if self.rng.bool() { size } else { -size })
            }
        };
        self.moved_to(alpha, gamma, x, next)
    }

    /// Where an atom's difference has other signs at α and β: halves the places between until
    /// they are neighbors, and takes the better end.
    fn bracket(&mut self, alpha: &Point, beta: &Point, gamma: &mut Point, x: usize) -> bool {
        let Some(atom) = self.violated_atom(alpha, x) else {
            return false;
        };
        let (at_alpha, at_beta) = (alpha.atoms[atom][0], beta.atoms[atom][0]);
        let opposite = at_alpha < 0.0 && at_beta > 0.0 || at_alpha > 0.0 && at_beta < 0.0;
        if !opposite {
            return false;
        }
        let known = self.objective.variables.list[x].clone();
        let (mut low, mut high) = (known.place(alpha.values[x]), known.place(beta.values[x]));
        gamma.clone_from(alpha);
        while low.abs_diff(high) > 1 {
            let middle = low + (high - low) / 2;
            gamma.values[x] = known.at(middle);
            self.objective.update_one(gamma, x);
            let here = gamma.atoms[atom][0];
            if here == 0.0 {
                return true;
            }
            if here.is_nan() {
                break;
            }
            if (here > 0.0) == (at_alpha > 0.0) {
                low = middle;
            } else {
                high = middle;
            }
        }
        let mut best = (f64::INFINITY, gamma.values[x]);
        for place in [low, high] {
            gamma.values[x] = known.at(place);
            self.objective.update_one(gamma, x);
            let error = total(gamma);
            if error < best.0 {
                best = (error, gamma.values[x]);
            }
        }
        gamma.values[x] = best.1;
        self.objective.update_one(gamma, x);
        true
    }
}

/// Sum of the errors of a point, finite.
pub(super) fn total(point: &Point) -> f64 {
    point.errors.iter().sum::<f64>().min(f64::MAX)
}

/// A random number of the standard normal distribution (Box and Muller).
pub(super) fn normal(rng: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.f64()).cos()
}

/// The constants of some nodes that fit 64 bits, in order, each once.
fn constants(pool: &Pool, nodes: &[ExprId]) -> Vec<u64> {
    let wide = |id: &ExprId| (8..=64).contains(&pool.width(*id));
    let mut all: Vec<u64> = nodes
        .iter()
        .filter(|id| wide(id))
        .filter_map(|id| pool.bits(*id))
        .map(|bits| bits as u64)
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}
