//! The objective of a walk: values of the variables in, error scores of the constraints out.
//!
//! Constraints with the same variables form a unit, which is computed as one. A point remembers
//! the scores of all units, so that after a change of one variable only the units with that
//! variable are computed again (section 5.8 of the dissertation names this as future work).
//!
//! Work is counted in node evaluations: a number that is the same on every machine.

use labrys_expr::{Environment, Evaluator, ExprId, Op, Pool, Symbol, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::compile::{Compiler, Job, Native};
use super::formula::{Atom, Atoms, Formula};
use super::score;
use super::variables::Variables;
use crate::functions;

/// Cost of an external call in nodes, and of a node that is evaluated, not compiled.
const CALL_COST: u64 = 16;
/// Cost of a call of the program's own functions, which another process computes. It is never
/// compiled, so the cost of what is evaluated comes to it.
const PROGRAM_CALL_COST: u64 = 200;
const EVALUATED_COST: u64 = 16;
/// Cost of compiling a node.
const COMPILING_COST: u64 = 800;
/// Cost of an evaluation beside its nodes.
const BASE_COST: u64 = 20;

/// A constraint of the walk.
#[derive(Debug)]
pub(super) struct Constraint {
    #[cfg(test)]
    pub(super) condition: ExprId,
    pub(super) formula: Formula,
    /// Numbers of its variables, sorted.
    pub(super) variables: Vec<usize>,
}

/// Constraints that are computed together.
struct Unit {
    constraints: Vec<usize>,
    /// The atoms, one after the other.
    atoms: std::ops::Range<usize>,
    cost: u64,
}

/// A point of the valuation space with its scores.
#[derive(Clone, Debug, Default)]
pub(super) struct Point {
    pub(super) values: Vec<u64>,
    /// Difference and score by atom.
    pub(super) atoms: Vec<[f64; 2]>,
    /// Score by constraint.
    pub(super) errors: Vec<f64>,
}

impl Point {
    /// Whether all constraints hold.
    pub(super) fn is_solution(&self) -> bool {
        self.errors.iter().all(|error| *error == 0.0)
    }
}

/// See the module.
pub(super) struct Objective<'a> {
    pool: &'a Pool,
    pub(super) variables: Variables,
    pub(super) atoms: Vec<Atom>,
    pub(super) constraints: Vec<Constraint>,
    units: Vec<Unit>,
    /// Units by variable.
    users: Vec<Vec<usize>>,
    native: Option<Native>,
    evaluator: Evaluator,
    /// Node evaluations so far.
    pub(super) work: u64,
}

impl<'a> Objective<'a> {
    /// The objective of some conditions, for about so much work; `None` if the walk cannot evaluate
    /// them. It is compiled where the work is enough for that.
    pub(super) fn new(
        pool: &'a Pool,
        conditions: &[ExprId],
        compiler: Option<&mut Compiler>,
        work: u64,
    ) -> Option<Self> {
        let all = reachable(pool, conditions);
        let variables = Variables::of(pool, &all)?;
        if variables.list.is_empty() || !all.iter().all(|id| is_known(pool, *id)) {
            return None;
        }
        let mut objective = Objective {
            pool,
            users: vec![Vec::new(); variables.list.len()],
            variables,
            atoms: Vec::new(),
            constraints: Vec::new(),
            units: Vec::new(),
            native: None,
            evaluator: Evaluator::new(),
            work: 0,
        };
        let nodes = objective.group(conditions)?;
        let compiling = COMPILING_COST * nodes.iter().map(|unit| unit.len() as u64).sum::<u64>();
        if let Some(compiler) = compiler.filter(|_| compiling < work) {
            let jobs: Vec<_> = objective
                .units
                .iter()
                .zip(&nodes)
                .map(|(unit, nodes)| Job {
                    atoms: &objective.atoms[unit.atoms.clone()],
                    nodes,
                })
                .collect();
            objective.native = compiler.compile(pool, &objective.variables, &jobs);
        }
        if objective.native.is_some() {
            objective.work = compiling;
        } else {
            objective
                .units
                .iter_mut()
                .for_each(|unit| unit.cost *= EVALUATED_COST);
        }
        Some(objective)
    }

    /// Makes constraints and units of the conditions; the nodes of each unit.
    fn group(&mut self, conditions: &[ExprId]) -> Option<Vec<Vec<ExprId>>> {
        let mut groups: Vec<(Vec<usize>, Vec<ExprId>)> = Vec::new();
        let mut known: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
        for &condition in conditions {
            let mut used: Vec<usize> = self
                .pool
                .symbols(condition)
                .iter()
                .filter_map(|symbol| Some(self.variables.place(symbol)?.0))
                .collect();
            used.dedup();
            used.sort_unstable();
            used.dedup();
            let group = *known.entry(used.clone()).or_insert_with(|| {
                groups.push((used, Vec::new()));
                groups.len() - 1
            });
            groups[group].1.push(condition);
        }
        let mut nodes = Vec::new();
        for (used, conditions) in groups {
            nodes.push(self.unit(&used, &conditions)?);
        }
        Some(nodes)
    }

    fn unit(&mut self, used: &[usize], conditions: &[ExprId]) -> Option<Vec<ExprId>> {
        let first = self.atoms.len();
        let mut atoms = Atoms::default();
        let mut constraints = Vec::new();
        for &condition in conditions {
            let formula = atoms.formula(self.pool, condition)?;
            constraints.push(self.constraints.len());
            self.constraints.push(Constraint {
                #[cfg(test)]
                condition,
                formula: shifted(formula, first),
                variables: used.to_vec(),
            });
        }
        let sides: Vec<_> = atoms.list.iter().flat_map(|a| [a.left, a.right]).collect();
        let nodes = needed(self.pool, &self.variables, &sides);
        let cost = nodes.iter().map(|id| match self.pool.op(*id) {
            Op::External if is_program_call(self.pool, *id) => PROGRAM_CALL_COST,
            Op::External => CALL_COST,
            _ => 1,
        });
        let cost = BASE_COST + cost.sum::<u64>();
        let number = self.units.len();
        used.iter()
            .for_each(|variable| self.users[*variable].push(number));
        self.atoms.extend(atoms.list);
        self.units.push(Unit {
            constraints,
            atoms: first..self.atoms.len(),
            cost,
        });
        Some(nodes)
    }

    /// The constraint that a condition became.
    #[cfg(test)]
    pub(super) fn constraint_of(&self, condition: ExprId) -> usize {
        let position = self
            .constraints
            .iter()
            .position(|c| c.condition == condition);
        position.expect("every condition is a constraint")
    }

    /// Whether the objective was compiled.
    #[cfg(test)]
    pub(super) fn is_compiled(&self) -> bool {
        self.native.is_some()
    }

    /// The point with these values.
    pub(super) fn point(&mut self, values: Vec<u64>) -> Point {
        let mut point = Point {
            values,
            atoms: vec![[0.0; 2]; self.atoms.len()],
            errors: vec![0.0; self.constraints.len()],
        };
        self.update(&mut point);
        point
    }

    /// Computes all scores of a point whose values have changed.
    pub(super) fn update(&mut self, point: &mut Point) {
        for unit in 0..self.units.len() {
            self.compute(unit, point);
        }
    }

    /// Computes the scores of a point in which this variable alone has changed.
    pub(super) fn update_one(&mut self, point: &mut Point, variable: usize) {
        for at in 0..self.users[variable].len() {
            let unit = self.users[variable][at];
            self.compute(unit, point);
        }
    }

    fn compute(&mut self, unit: usize, point: &mut Point) {
        let Unit {
            constraints,
            atoms,
            cost,
        } = &self.units[unit];
        self.work += cost;
        let results = &mut point.atoms[atoms.clone()];
        if let Some(native) = &self.native {
            native.run(unit, &point.values, results);
        } else {
            let environment = Valuation {
                variables: &self.variables,
                values: &point.values,
            };
            self.evaluator.reset();
            for (result, atom) in results.iter_mut().zip(&self.atoms[atoms.clone()]) {
                *result = evaluate(&mut self.evaluator, self.pool, atom, &environment);
            }
        }
        for &constraint in constraints {
            point.errors[constraint] = error(&self.constraints[constraint].formula, &point.atoms);
        }
    }

    /// Whether all constraints hold by evaluation, whatever the compiled code says.
    pub(super) fn confirms(&mut self, conditions: &[ExprId], values: &[u64]) -> bool {
        let environment = Valuation {
            variables: &self.variables,
            values,
        };
        self.evaluator.reset();
        conditions
            .iter()
            .all(|id| self.evaluator.holds(self.pool, *id, &environment))
    }
}

/// The atom's difference and score by evaluation.
pub(super) fn evaluate(
    evaluator: &mut Evaluator,
    pool: &Pool,
    atom: &Atom,
    environment: &dyn Environment,
) -> [f64; 2] {
    let mut side = |id| evaluator.evaluate(pool, id, environment).map(Value::bits);
    match (side(atom.left), side(atom.right)) {
        (Some(left), Some(right)) => {
            let (difference, score) = score::score(atom, pool.width(atom.left), left, right);
            [difference, score]
        }
        _ => [f64::NAN, score::NAN_SCORE],
    }
}

/// Score of a formula: sum over a conjunction, least of a disjunction.
fn error(formula: &Formula, atoms: &[[f64; 2]]) -> f64 {
    match formula {
        Formula::Atom(number) => atoms[*number][1],
        Formula::All(parts) => {
            let sum: f64 = parts.iter().map(|part| error(part, atoms)).sum();
            sum.min(f64::MAX)
        }
        Formula::Any(parts) => {
            let each = parts.iter().map(|part| error(part, atoms));
            each.fold(f64::MAX, f64::min)
        }
    }
}

fn shifted(formula: Formula, by: usize) -> Formula {
    match formula {
        Formula::Atom(number) => Formula::Atom(number + by),
        Formula::All(parts) => {
            Formula::All(parts.into_iter().map(|part| shifted(part, by)).collect())
        }
        Formula::Any(parts) => {
            Formula::Any(parts.into_iter().map(|part| shifted(part, by)).collect())
        }
    }
}

/// Values of the variables as an environment.
pub(super) struct Valuation<'a> {
    pub(super) variables: &'a Variables,
    pub(super) values: &'a [u64],
}

impl Environment for Valuation<'_> {
    fn symbol(&self, symbol: Symbol) -> u128 {
        let place = self.variables.place(symbol);
        place.map_or(0, |(variable, shift)| {
            u128::from(self.values[variable] >> shift)
        })
    }

    fn external(&self, name: &str, arguments: &[Value], width: u32) -> Option<u128> {
        functions::call(name, arguments, width)
    }
}

/// Everything below some expressions, themselves included, in the order of ids.
pub(super) fn reachable(pool: &Pool, roots: &[ExprId]) -> Vec<ExprId> {
    collect(pool, roots, |_| false)
}

/// As `reachable`, but not below what is a whole variable.
pub(super) fn needed(pool: &Pool, variables: &Variables, roots: &[ExprId]) -> Vec<ExprId> {
    collect(pool, roots, |id| variables.whole(id).is_some())
}

fn collect(pool: &Pool, roots: &[ExprId], stop: impl Fn(ExprId) -> bool) -> Vec<ExprId> {
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    let mut stack = roots.to_vec();
    let mut all = Vec::new();
    while let Some(id) = stack.pop() {
        if seen.insert(id) {
            all.push(id);
            if !stop(id) {
                pool.for_each_child(id, |child| stack.push(child));
            }
        }
    }
    all.sort_unstable();
    all
}

/// Whether a node can be evaluated: external calls need a known function.
fn is_known(pool: &Pool, id: ExprId) -> bool {
    pool.as_call(id)
        .is_none_or(|call| functions::parameters(call.name()).is_some())
}

/// Whether a node is a call of a function that the program under test computes.
fn is_program_call(pool: &Pool, id: ExprId) -> bool {
    let call = pool.as_call(id);
    call.is_some_and(|call| functions::find(call.name()).is_none())
}
