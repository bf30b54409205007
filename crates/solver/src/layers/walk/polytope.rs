//! The linear constraints: recognized, solved for a start, kept while walking.
//!
//! What *linear* means for bit-vectors: a relation whose two sides are sums of constant
//! multiples of variables, read as integers or floats as the relation reads them. These rows
//! propose points: they take no account of wrapping and rounding. Whether a point is inside is
//! always decided by evaluating the constraint itself, so a wrapped sum neither lets a point in
//! that is outside nor keeps one out that is inside.
//!
//! `start` is SOLVELINEAR of algorithm 5.1: the relaxation method of Agmon, Motzkin and
//! Schoenberg (project onto violated half-spaces in turn); the caller asks the solver where
//! that does not arrive. `adjust` is ADJUSTTOSATISFY of algorithm 5.4.

use std::cell::Cell;

use labrys_expr::{ExprId, Op, Pool, signed};

use super::formula::{Atom, Domain, Relation};
use super::objective::{Objective, Point};
use super::variable::NumberSort;
use super::variables::Variables;

/// Rounds of projections.
const ROUNDS: usize = 60;
/// Operators of a sum that are looked into: how deep, and how many in all.
const DEEPEST: u32 = 64;
const FUEL: u32 = 2000;

/// `Σ coefficient · variable + constant`.
#[derive(Clone, Debug, Default, PartialEq)]
struct Sum {
    terms: Vec<(usize, f64)>,
    constant: f64,
}

impl Sum {
    fn add(&mut self, other: &Sum, factor: f64) {
        for &(variable, coefficient) in &other.terms {
            let found = self.terms.iter_mut().find(|(known, _)| *known == variable);
            match found {
                Some((_, sum)) => *sum += factor * coefficient,
                None => self.terms.push((variable, factor * coefficient)),
            }
        }
        self.constant += factor * other.constant;
    }
}

/// `Σ coefficient · variable + constant ~ 0`.
#[derive(Clone, Debug)]
struct Row {
    constraint: usize,
    atom: usize,
    equality: bool,
    strict: bool,
    sum: Sum,
}

/// The linear constraints of an objective.
#[derive(Debug, Default)]
pub(super) struct Polytope {
    rows: Vec<Row>,
    /// By constraint: is it linear?
    linear: Vec<bool>,
    /// Equalities that give the value of a variable which stands alone on one side.
    definitions: Vec<Definition>,
}

/// `variable = …` or `… = variable`, by the number of the atom.
#[derive(Clone, Copy, Debug)]
struct Definition {
    atom: usize,
    variable: usize,
    is_left: bool,
}

impl Polytope {
    /// The linear constraints among those of an objective. "Not equal" is not linear: it cuts
    /// slices out of the polytope.
    pub(super) fn of(pool: &Pool, objective: &Objective<'_>) -> Self {
        let mut polytope = Polytope {
            rows: Vec::new(),
            linear: vec![false; objective.constraints.len()],
            definitions: Vec::new(),
        };
        for (number, constraint) in objective.constraints.iter().enumerate() {
            let Some(at) = constraint.formula.single() else {
                continue;
            };
            let atom = &objective.atoms[at];
            polytope.define(pool, &objective.variables, at, atom);
            if let Some(sum) = difference(pool, &objective.variables, atom) {
                polytope.linear[number] = true;
                polytope.rows.push(Row {
                    constraint: number,
                    atom: at,
                    equality: atom.relation == Relation::Equal,
                    strict: atom.relation == Relation::Less,
                    sum,
                });
            }
        }
        polytope
    }

    /// Notes the definitions that an atom is.
    fn define(&mut self, pool: &Pool, variables: &Variables, number: usize, atom: &Atom) {
        if atom.relation != Relation::Equal {
            return;
        }
        for (side, other, is_left) in [
            (atom.left, atom.right, true),
            (atom.right, atom.left, false),
        ] {
            let apart = !pool.symbols(side).intersects(&pool.symbols(other));
            if let (Some(variable), true) = (variables.whole(side), apart) {
                self.definitions.push(Definition {
                    atom: number,
                    variable,
                    is_left,
                });
            }
        }
    }

    /// Whether a constraint is linear.
    pub(super) fn is_linear(&self, constraint: usize) -> bool {
        self.linear[constraint]
    }

    /// Whether the point is inside.
    pub(super) fn contains(&self, point: &Point) -> bool {
        let inside = |row: &Row| point.errors[row.constraint] == 0.0;
        self.rows.iter().all(inside)
    }

    /// Moves a point into the polytope, if the relaxation method gets there.
    pub(super) fn start(&self, objective: &mut Objective<'_>, point: &mut Point) -> bool {
        for _ in 0..ROUNDS {
            if self.contains(point) {
                return true;
            }
            for row in &self.rows {
                if point.errors[row.constraint] != 0.0 {
                    project(row, objective, point);
                }
            }
        }
        self.contains(point)
    }

    /// Restores the equalities that a change of `moved` violated: each by a variable that was
    /// not moved, picked by `pick` out of so many.
    pub(super) fn adjust(
        &self,
        objective: &mut Objective<'_>,
        point: &mut Point,
        moved: &[usize],
        mut pick: impl FnMut(usize) -> usize,
    ) {
        for row in self.rows.iter().filter(|row| row.equality) {
            if point.errors[row.constraint] == 0.0 {
                continue;
            }
            let free = |term: &&(usize, f64)| term.1 != 0.0 && !moved.contains(&term.0);
            let terms: Vec<_> = row.sum.terms.iter().filter(free).collect();
            if !terms.is_empty() {
                let &(variable, coefficient) = terms[pick(terms.len())];
                let by = point.atoms[row.atom][0] / coefficient;
                subtract(objective, point, variable, by);
            }
        }
    }

    /// Gives the variables that are defined by others the values that they are to have. Twice,
    /// since the first difference of two floats is rounded, and that of near ones is exact.
    pub(super) fn define_values(
        &self,
        objective: &mut Objective<'_>,
        point: &mut Point,
        moved: &[usize],
    ) {
        for definition in &self.definitions {
            for _ in 0..2 {
                let [difference, score] = point.atoms[definition.atom];
                if score == 0.0 || moved.contains(&definition.variable) {
                    break;
                }
                let by = if definition.is_left {
                    difference
                } else {
                    -difference
                };
                subtract(objective, point, definition.variable, by);
            }
        }
    }
}

/// Moves a variable down by so much.
fn subtract(objective: &mut Objective<'_>, point: &mut Point, variable: usize, by: f64) {
    let known = &objective.variables.list[variable];
    let real = known.real(point.values[variable]) - by;
    if real.is_finite() {
        point.values[variable] = known.nearest(real);
        objective.update_one(point, variable);
    }
}

fn value(sum: &Sum, objective: &Objective<'_>, point: &Point) -> f64 {
    let term = |(variable, coefficient): &(usize, f64)| {
        coefficient * objective.variables.list[*variable].real(point.values[*variable])
    };
    sum.terms.iter().map(term).sum::<f64>() + sum.constant
}

/// Projects a point onto the hyperplane of a row, a little further for an inequality.
fn project(row: &Row, objective: &mut Objective<'_>, point: &mut Point) {
    let norm: f64 = row.sum.terms.iter().map(|(_, c)| c * c).sum();
    let excess = value(&row.sum, objective, point);
    if norm == 0.0 || !excess.is_finite() {
        return;
    }
    let past = if row.equality {
        0.0
    } else {
        f64::from(u8::from(row.strict)) + excess.abs() * 0.01
    };
    let step = (excess + past) / norm;
    for (variable, coefficient) in &row.sum.terms {
        let known = &objective.variables.list[*variable];
        let mut real = known.real(point.values[*variable]) - step * coefficient;
        if !known.is_float() {
            // Rounding away from the old side: small steps must not be lost.
            real = if step * coefficient > 0.0 {
                real.floor()
            } else {
                real.ceil()
            };
        }
        point.values[*variable] = known.nearest(real);
        objective.update_one(point, *variable);
    }
}

/// The difference of an atom's sides as a sum, if both are sums.
fn difference(pool: &Pool, variables: &Variables, atom: &Atom) -> Option<Sum> {
    let related = matches!(
        atom.relation,
        Relation::Equal | Relation::Less | Relation::AtMost
    );
    if !related {
        return None;
    }
    let reader = SumReader {
        pool,
        variables,
        fuel: Cell::new(FUEL),
    };
    let mut sum = reader.sum(atom.left, atom.domain, DEEPEST)?;
    let right = reader.sum(atom.right, atom.domain, DEEPEST)?;
    sum.add(&right, -1.0);
    let all_finite = sum.terms.iter().all(|(_, c)| c.is_finite());
    (all_finite && sum.constant.is_finite() && !sum.terms.is_empty()).then_some(sum)
}

/// Reads expressions as sums.
struct SumReader<'a> {
    pool: &'a Pool,
    variables: &'a Variables,
    fuel: Cell<u32>,
}

impl SumReader<'_> {
    fn sum(&self, id: ExprId, domain: Domain, depth: u32) -> Option<Sum> {
        let pool = self.pool;
        if let Some(variable) = self.variables.whole(id) {
            let float = matches!(
                self.variables.list[variable].sort,
                NumberSort::Double | NumberSort::Single
            );
            return (float == (domain == Domain::Float)).then(|| Sum {
                terms: vec![(variable, 1.0)],
                constant: 0.0,
            });
        }
        if let Some(bits) = pool.bits(id) {
            return Some(Sum {
                terms: Vec::new(),
                constant: constant(bits, pool.width(id), domain),
            });
        }
        let depth = depth.checked_sub(1)?;
        self.fuel.set(self.fuel.get().checked_sub(1)?);
        let node = pool.node(id);
        let operands = node.operands();
        match node.op() {
            Op::Add | Op::FAdd => self.join(operands, 1.0, domain, depth),
            Op::Sub | Op::FSub => self.join(operands, -1.0, domain, depth),
            Op::Neg | Op::FNeg => self.scaled(operands[0], -1.0, domain, depth),
            Op::Mul | Op::FMul => {
                let factor = |id: ExprId| Some(constant(pool.bits(id)?, pool.width(id), domain));
                match (factor(operands[0]), factor(operands[1])) {
                    (Some(factor), _) => self.scaled(operands[1], factor, domain, depth),
                    (_, Some(factor)) => self.scaled(operands[0], factor, domain, depth),
                    _ => None,
                }
            }
            Op::FDiv => {
                let divisor = constant(pool.bits(operands[1])?, pool.width(operands[1]), domain);
                self.scaled(operands[0], 1.0 / divisor, domain, depth)
            }
            Op::Shl => {
                let by = pool.bits(operands[1]).filter(|by| *by < 63)?;
                self.scaled(operands[0], 2f64.powi(by as i32), domain, depth)
            }
            Op::SExt | Op::SToF => self.sum(operands[0], Domain::Signed, depth),
            Op::ZExt | Op::UToF => self.sum(operands[0], Domain::Unsigned, depth),
            Op::FToF => self.sum(operands[0], Domain::Float, depth),
            Op::Concat if pool.bits(operands[0]) == Some(0) => {
                self.sum(operands[1], Domain::Unsigned, depth)
            }
            _ => None,
        }
    }

    fn join(&self, operands: &[ExprId], factor: f64, domain: Domain, depth: u32) -> Option<Sum> {
        let mut sum = self.sum(operands[0], domain, depth)?;
        sum.add(&self.sum(operands[1], domain, depth)?, factor);
        Some(sum)
    }

    fn scaled(&self, id: ExprId, factor: f64, domain: Domain, depth: u32) -> Option<Sum> {
        let mut sum = Sum::default();
        sum.add(&self.sum(id, domain, depth)?, factor);
        Some(sum)
    }
}

fn constant(bits: u128, width: u32, domain: Domain) -> f64 {
    match domain {
        Domain::Float if width == 32 => f64::from(f32::from_bits(bits as u32)),
        Domain::Float => f64::from_bits(bits as u64),
        Domain::Signed => signed(bits, width) as f64,
        Domain::Unsigned => bits as f64,
    }
}
