//! Seeds by descent on all variables at once: damped Gauss–Newton steps (Levenberg and
//! Marquardt) with numeric derivatives, then rounding.
//!
//! A walk along one axis at a time does not get out of the narrow valleys of coupled equations
//! such as Rosenbrock's. What this finds is near a solution at best; `polish` looks around it.

use super::formula::{Formula, Relation};
use super::objective::Point;
use super::search::Search;

/// Variables and residuals at most.
const MOST: usize = 24;
/// Steps at most.
const STEPS: usize = 40;

/// Descends from a point, which is moved; whether it ends at a solution.
pub(super) fn descend(search: &mut Search<'_, '_>, point: &mut Point) -> bool {
    let moved = involved(search, point);
    if moved.is_empty() || moved.len() > MOST {
        return false;
    }
    Descent { search, moved }.run(point)
}

/// The variables of the constraints that do not hold, and of those that share one.
fn involved(search: &Search<'_, '_>, point: &Point) -> Vec<usize> {
    let violated = |(_, error): &(_, &f64)| **error > 0.0;
    let mut all: Vec<usize> = search
        .objective
        .constraints
        .iter()
        .zip(&point.errors)
        .filter(violated)
        .flat_map(|(constraint, _)| constraint.variables.iter().copied())
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// A descent that moves some variables.
struct Descent<'s, 'o, 'a> {
    search: &'s mut Search<'o, 'a>,
    moved: Vec<usize>,
}

impl Descent<'_, '_, '_> {
    fn run(&mut self, point: &mut Point) -> bool {
        let mut damping = 1e-3;
        for _ in 0..STEPS {
            let atoms = self.residual_atoms(point);
            if self.search.is_over() || atoms.is_empty() || atoms.len() > 2 * MOST {
                break;
            }
            let residuals = self.residuals(point, &atoms);
            let size = squares(&residuals);
            if !size.is_finite() {
                break;
            }
            let jacobian = self.jacobian(point, &atoms, &residuals);
            let mut improved = false;
            while damping < 1e9 {
                let Some(step) = solve(&jacobian, &residuals, damping) else {
                    damping *= 10.0;
                    continue;
                };
                let mut next = point.clone();
                self.shift(&mut next, &step);
                let after = squares(&self.residuals(&next, &atoms));
                if after < size {
                    *point = next;
                    damping = (damping * 0.2).max(1e-12);
                    improved = after < size * (1.0 - 1e-6);
                    break;
                }
                damping *= 10.0;
            }
            if self.search.note(point) {
                return true;
            }
            if !improved {
                break;
            }
        }
        self.round(point)
    }

    /// Atoms that are to become 0 or less: equalities and what does not hold.
    fn residual_atoms(&self, point: &Point) -> Vec<usize> {
        let mut atoms = Vec::new();
        for constraint in &self.search.objective.constraints {
            self.active(&constraint.formula, point, &mut atoms);
        }
        atoms
    }

    fn active(&self, formula: &Formula, point: &Point, atoms: &mut Vec<usize>) {
        match formula {
            Formula::Atom(number) => {
                let atom = &self.search.objective.atoms[*number];
                let wanted = match atom.relation {
                    Relation::Equal => true,
                    Relation::Less | Relation::AtMost => point.atoms[*number][1] > 0.0,
                    _ => false,
                };
                if wanted {
                    atoms.push(*number);
                }
            }
            Formula::All(parts) => parts
                .iter()
                .for_each(|part| self.active(part, point, atoms)),
            Formula::Any(parts) => {
                let error = |part: &&Formula| {
                    let mut sum = 0.0;
                    part.atoms(&mut |atom| sum += point.atoms[atom][1]);
                    sum
                };
                let least = parts.iter().min_by(|a, b| error(a).total_cmp(&error(b)));
                if let Some(part) = least {
                    self.active(part, point, atoms);
                }
            }
        }
    }

    fn residuals(&self, point: &Point, atoms: &[usize]) -> Vec<f64> {
        let residual = |atom: &usize| {
            let difference = point.atoms[*atom][0];
            match self.search.objective.atoms[*atom].relation {
                Relation::Equal => difference,
                // A little past the border.
                _ => (difference + 1e-3 * (1.0 + difference.abs())).max(0.0),
            }
        };
        atoms.iter().map(residual).collect()
    }

    /// Rows by residual, columns by variable.
    fn jacobian(&mut self, point: &Point, atoms: &[usize], residuals: &[f64]) -> Vec<Vec<f64>> {
        let mut rows = vec![vec![0.0; self.moved.len()]; atoms.len()];
        let mut near = point.clone();
        for (column, &variable) in self.moved.iter().enumerate() {
            near.clone_from(point);
            let known = &self.search.objective.variables.list[variable];
            let real = known.real(point.values[variable]);
            let step = if known.is_float() {
                1e-7 * (1e-3 + real.abs())
            } else {
                1.0
            };
            near.values[variable] = known.nearest(real + step);
            let step = known.real(near.values[variable]) - real;
            if step == 0.0 || !step.is_finite() {
                continue;
            }
            self.search.objective.update_one(&mut near, variable);
            let there = self.residuals(&near, atoms);
            for (row, (after, before)) in there.iter().zip(residuals).enumerate() {
                let slope = (after - before) / step;
                rows[row][column] = if slope.is_finite() { slope } else { 0.0 };
            }
        }
        rows
    }

    fn shift(&mut self, point: &mut Point, step: &[f64]) {
        for (&variable, by) in self.moved.iter().zip(step) {
            let known = &self.search.objective.variables.list[variable];
            let real = known.real(point.values[variable]) + by;
            if real.is_finite() {
                point.values[variable] = known.nearest(real);
            }
        }
        self.search.objective.update(point);
    }

    /// Tries round numbers near a point; whether one is a solution.
    fn round(&mut self, point: &mut Point) -> bool {
        for digits in 0..=8 {
            let scale = 10f64.powi(digits);
            let mut near = point.clone();
            for &variable in &self.moved {
                let known = &self.search.objective.variables.list[variable];
                let real = known.real(point.values[variable]);
                near.values[variable] = known.nearest((real * scale).round() / scale);
            }
            self.search.objective.update(&mut near);
            self.search.settle(&mut near, &[], false);
            if self.search.note(&near) {
                point.clone_from(&near);
                return true;
            }
        }
        false
    }
}

fn squares(residuals: &[f64]) -> f64 {
    residuals.iter().map(|r| r * r).sum()
}

/// The step δ with `(JᵀJ + damping · diag(JᵀJ)) δ = −Jᵀ r`, by elimination.
fn solve(jacobian: &[Vec<f64>], residuals: &[f64], damping: f64) -> Option<Vec<f64>> {
    let count = jacobian.first()?.len();
    let mut system = vec![vec![0.0; count + 1]; count];
    for (row, residual) in jacobian.iter().zip(residuals) {
        for i in 0..count {
            for j in 0..count {
                system[i][j] += row[i] * row[j];
            }
            system[i][count] -= row[i] * residual;
        }
    }
    for (i, row) in system.iter_mut().enumerate() {
        row[i] += damping * row[i] + 1e-30;
    }
    for column in 0..count {
        let best = (column..count).max_by(|a, b| {
            system[*a][column]
                .abs()
                .total_cmp(&system[*b][column].abs())
        })?;
        system.swap(column, best);
        let pivot = system[column].clone();
        if pivot[column].abs() < 1e-200 || !pivot[column].is_finite() {
            return None;
        }
        for (row, line) in system.iter_mut().enumerate() {
            if row != column {
                let factor = line[column] / pivot[column];
                line.iter_mut()
                    .zip(&pivot)
                    .for_each(|(value, p)| *value -= factor * p);
            }
        }
    }
    let step: Vec<_> = (0..count)
        .map(|i| system[i][count] / system[i][i])
        .collect();
    step.iter().all(|value| value.is_finite()).then_some(step)
}

#[cfg(test)]
mod tests {
    use super::solve;

    #[test]
    fn an_undamped_step_solves_a_linear_system() {
        // 2x + y = 5, x − y = 1 from (0, 0).
        let jacobian = [vec![2.0, 1.0], vec![1.0, -1.0]];
        let step = solve(&jacobian, &[-5.0, -1.0], 0.0).expect("regular");
        assert!((step[0] - 2.0).abs() < 1e-9 && (step[1] - 1.0).abs() < 1e-9);
    }
}
