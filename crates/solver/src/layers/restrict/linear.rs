//! Equations that are linear over single bits, such as those of a CRC, solved by elimination.
//!
//! A function r of the free bits is affine if `r(x ⊕ u ⊕ v) = r(x ⊕ u) ⊕ r(x ⊕ v) ⊕ r(x)`. That is
//! tested at some points, not proved; a solution counts only if it satisfies all conditions by
//! evaluation, so a wrong guess costs time and nothing else. SAT solvers are poor at this.

use std::collections::BTreeSet;

use labrys_expr::{Environment, Evaluator, ExprId, Op, Pool, Symbol, Value};

use crate::functions;
use crate::query::{Assignment, Model};

/// Node evaluations that a system may cost.
const MOST_WORK: usize = 30_000_000;
/// Points at which a function is tested.
const TESTS: usize = 6;
/// Solutions that are tried against conditions that are not linear.
const TRIALS: usize = 48;

/// A set of free bits, or a row of a matrix.
type Row = Vec<u64>;

struct System<'a> {
    pool: &'a Pool,
    conditions: &'a [ExprId],
    /// The free bits: symbol and bit number.
    bits: Vec<(Symbol, u32)>,
    base: &'a Assignment,
    evaluator: Evaluator,
    random: u64,
}

/// Values for the free symbols under which all conditions are true, where some of the conditions
/// are linear equations and that helps. Nodes that are evaluated are counted.
pub(super) fn solve(
    pool: &Pool,
    conditions: &[ExprId],
    free: &BTreeSet<Symbol>,
    base: &Assignment,
    evaluated: &mut u64,
) -> Option<Model> {
    let bits: Vec<_> = free
        .iter()
        .flat_map(|symbol| (0..symbol.width()).map(|bit| (*symbol, bit)))
        .collect();
    if pool.len().saturating_mul(bits.len() + TRIALS) > MOST_WORK {
        return None;
    }
    let (evaluator, random) = (Evaluator::new(), 1);
    let mut system = System {
        pool,
        conditions,
        bits,
        base,
        evaluator,
        random,
    };
    let delta = system.solve();
    *evaluated += system.evaluator.computed();
    let delta = delta?;
    let mut model = Model::default();
    let environment = system.flipped(&delta);
    for symbol in free {
        model.0.insert(*symbol, environment.symbol(*symbol));
    }
    Some(model)
}

impl System<'_> {
    /// The bits to flip.
    fn solve(&mut self) -> Option<Row> {
        let equations = self.linear_equations()?;
        let (solution, kernel) = self.eliminate(&equations)?;
        self.choose(&solution, &kernel)
    }

    fn flipped<'b>(&'b self, delta: &'b Row) -> Flipped<'b> {
        Flipped {
            base: self.base,
            bits: &self.bits,
            delta,
        }
    }

    /// What is wrong with an equation when these bits are flipped: 0 if it is satisfied.
    fn residue(&mut self, equation: ExprId, delta: &Row) -> Option<u128> {
        let environment = Flipped {
            base: self.base,
            bits: &self.bits,
            delta,
        };
        let operands = self.pool.node(equation).operands();
        let mut evaluate = |id| Some(self.evaluator.evaluate(self.pool, id, &environment)?.bits());
        Some(evaluate(operands[0])? ^ evaluate(operands[1])?)
    }

    /// The equations that pass as affine; `None` if there is none of more than one bit.
    fn linear_equations(&mut self) -> Option<Vec<ExprId>> {
        let is_equation = |id: &&ExprId| self.pool.op(**id) == Op::Eq;
        let mut equations: Vec<ExprId> = self
            .conditions
            .iter()
            .filter(is_equation)
            .copied()
            .collect();
        let wide = |id: &ExprId| self.pool.width(self.pool.node(*id).operands()[0]) > 1;
        for _ in 0..TESTS {
            if !equations.iter().any(wide) {
                return None;
            }
            let (u, v) = (self.random_row(), self.random_row());
            let both = xor(&u, &v);
            let mut sums = vec![Some(0); equations.len()];
            for delta in [self.zeros(), u, v, both] {
                self.evaluator.reset();
                for (sum, equation) in sums.iter_mut().zip(&equations) {
                    *sum = self
                        .residue(*equation, &delta)
                        .and_then(|bits| Some((*sum)? ^ bits));
                }
            }
            let mut sums = sums.into_iter();
            equations.retain(|_| sums.next() == Some(Some(0)));
        }
        equations.iter().any(wide).then_some(equations)
    }

    /// A solution of the equations and a basis of the solutions of the homogeneous ones.
    fn eliminate(&mut self, equations: &[ExprId]) -> Option<(Row, Vec<Row>)> {
        let count = self.bits.len();
        let base = self.residues(equations, &self.zeros())?;
        // One row for each bit of each equation; the last column is the right-hand side.
        let mut rows: Vec<Row> = base
            .iter()
            .map(|bit| {
                let mut row = vec![0; count / 64 + 1];
                set(&mut row, count, *bit);
                row
            })
            .collect();
        for column in 0..count {
            let mut delta = self.zeros();
            set(&mut delta, column, true);
            let flipped = self.residues(equations, &delta)?;
            for ((row, flipped), base) in rows.iter_mut().zip(flipped).zip(&base) {
                set(row, column, flipped != *base);
            }
        }
        solve_rows(rows, count)
    }

    fn residues(&mut self, equations: &[ExprId], delta: &Row) -> Option<Vec<bool>> {
        self.evaluator.reset();
        let mut bits = Vec::new();
        for &equation in equations {
            let residue = self.residue(equation, delta)?;
            let width = self.pool.width(self.pool.node(equation).operands()[0]);
            bits.extend((0..width).map(|bit| residue >> bit & 1 == 1));
        }
        Some(bits)
    }

    /// A solution that satisfies the other conditions too.
    fn choose(&mut self, solution: &Row, kernel: &[Row]) -> Option<Row> {
        let mut delta = solution.clone();
        for _ in 0..TRIALS {
            self.evaluator.reset();
            let environment = Flipped {
                base: self.base,
                bits: &self.bits,
                delta: &delta,
            };
            let (pool, evaluator) = (self.pool, &mut self.evaluator);
            if self
                .conditions
                .iter()
                .all(|id| evaluator.holds(pool, *id, &environment))
            {
                return Some(delta);
            }
            if kernel.is_empty() {
                return None;
            }
            delta.clone_from(solution);
            for vector in kernel {
                if self.next_random() & 1 == 1 {
                    delta = xor(&delta, vector);
                }
            }
        }
        None
    }

    fn zeros(&self) -> Row {
        vec![0; self.bits.len() / 64 + 1]
    }

    fn random_row(&mut self) -> Row {
        let mut row = self.zeros();
        row.iter_mut().for_each(|word| *word = self.next_random());
        row
    }

    /// The same numbers in every run.
    fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.random ^ self.random >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ mixed >> 29
    }
}

/// An assignment with some bits flipped.
struct Flipped<'a> {
    base: &'a Assignment,
    bits: &'a [(Symbol, u32)],
    delta: &'a Row,
}

impl Environment for Flipped<'_> {
    fn symbol(&self, symbol: Symbol) -> u128 {
        // The bits of a symbol stand together, the lowest first.
        let first = self.bits.partition_point(|(other, _)| *other < symbol);
        let flips = match self.bits.get(first) {
            Some((other, _)) if *other == symbol => word(self.delta, first, symbol.width()),
            _ => 0,
        };
        self.base.get(symbol) ^ flips
    }

    fn external(&self, name: &str, arguments: &[Value], width: u32) -> Option<u128> {
        functions::call(name, arguments, width)
    }
}

fn get(row: &Row, column: usize) -> bool {
    row[column / 64] >> (column % 64) & 1 == 1
}

/// So many bits, at most 128, from a column on.
fn word(row: &Row, from: usize, count: u32) -> u128 {
    let last = (from + count as usize - 1) / 64;
    let words = (from / 64..=last).map(|at| {
        let word = u128::from(row[at]);
        match (at * 64).checked_sub(from) {
            Some(above) => word << above,
            None => word >> (from - at * 64),
        }
    });
    words.fold(0, |all, word| all | word) & u128::MAX >> (128 - count)
}

fn set(row: &mut Row, column: usize, bit: bool) {
    if bit {
        row[column / 64] |= 1 << (column % 64);
    }
}

fn xor(a: &Row, b: &Row) -> Row {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

/// Solves linear equations of `count` unknowns over bits; column `count` is the right-hand side.
fn solve_rows(mut rows: Vec<Row>, count: usize) -> Option<(Row, Vec<Row>)> {
    let mut pivots: Vec<Option<usize>> = vec![None; count];
    let mut next = 0;
    for (column, slot) in pivots.iter_mut().enumerate() {
        let Some(found) = (next..rows.len()).find(|row| get(&rows[*row], column)) else {
            continue;
        };
        rows.swap(next, found);
        let pivot = rows[next].clone();
        for (at, row) in rows.iter_mut().enumerate() {
            if at != next && get(row, column) {
                *row = xor(row, &pivot);
            }
        }
        *slot = Some(next);
        next += 1;
    }
    if rows[next..].iter().any(|row| get(row, count)) {
        return None;
    }
    let words = count / 64 + 1;
    let mut solution = vec![0; words];
    let mut kernel = Vec::new();
    for (column, pivot) in pivots.iter().enumerate() {
        match pivot {
            Some(row) => set(&mut solution, column, get(&rows[*row], count)),
            None => {
                let mut vector = vec![0; words];
                set(&mut vector, column, true);
                for (other, pivot) in pivots.iter().enumerate() {
                    let depends = pivot.is_some_and(|row| get(&rows[row], column));
                    set(&mut vector, other, depends);
                }
                kernel.push(vector);
            }
        }
    }
    Some((solution, kernel))
}

#[cfg(test)]
mod tests {
    use super::{get, solve_rows, word, xor};

    #[test]
    fn words_are_the_bits_of_a_row() {
        let row = vec![
            0x9e37_79b9_7f4a_7c15,
            0xbf58_476d_1ce4_e5b9,
            0x94d0_49bb_1331_11eb,
        ];
        for (from, count) in [
            (0, 1),
            (5, 8),
            (60, 8),
            (63, 64),
            (64, 128),
            (1, 128),
            (127, 1),
        ] {
            let bits = (0..count as usize).map(|at| u128::from(get(&row, from + at)) << at);
            assert_eq!(word(&row, from, count), bits.sum(), "{from} {count}");
        }
    }

    #[test]
    fn systems_are_solved_with_their_kernel() {
        // x0 + x2 = 1, x1 + x2 = 1, x0 + x1 = 0 over three unknowns
        let rows = vec![vec![0b1101], vec![0b1110], vec![0b0011]];
        let (solution, kernel) = solve_rows(rows.clone(), 3).unwrap();
        assert_eq!(kernel.len(), 1);
        for solution in [solution.clone(), xor(&solution, &kernel[0])] {
            for row in &rows {
                let sum = (0..3)
                    .filter(|at| get(row, *at) && get(&solution, *at))
                    .count();
                assert_eq!(sum % 2 == 1, get(row, 3));
            }
        }
        assert!(solve_rows(vec![vec![0b1001], vec![0b0001]], 3).is_none());
    }
}
