//! Predicates that refute an abstract path: sequence interpolants (Henzinger, Jhala, Majumdar,
//! McMillan, Abstractions from proofs, POPL 2004).
//!
//! The conditions that a core of the path leaves out are dropped first. Then, location by location,
//! an interpolant of what is known before a step together with the step, and of all steps behind
//! it; the next one builds on it. So the interpolants refute the path step by step. Where there is
//! none, the conditions behind the location that speak of variables alone serve.

use labrys_expr::{ExprId, Op, Pool, Symbol};
use labrys_solver::Budget;
use labrys_solver::interpolate::Interpolator;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::block::Location;
use crate::invariants::Invariants;
use crate::path::{AbstractPath, Unrolled};
use crate::terms::Terms;

/// Atoms of an interpolant that are predicates of their own.
const MAX_ATOMS: usize = 12;

/// Finds predicates.
pub(crate) struct Refiner {
    interpolator: Interpolator,
    steps: u64,
    /// By symbol of a variable: the symbol for its value behind a step.
    primed: FxHashMap<Symbol, ExprId>,
    unprimed: FxHashMap<Symbol, ExprId>,
}

impl Refiner {
    pub(crate) fn new(interpolator: Interpolator, steps: u64) -> Self {
        Refiner {
            interpolator,
            steps,
            primed: FxHashMap::default(),
            unprimed: FxHashMap::default(),
        }
    }

    /// Predicates at the locations of a path that refute it; `needed` are the steps whose
    /// conditions contradict each other.
    pub(crate) fn refute(
        &mut self,
        terms: &mut Terms<'_>,
        invariants: &Invariants,
        path: &mut AbstractPath,
        needed: &[usize],
    ) -> Vec<(Location, ExprId)> {
        let mut found = Vec::new();
        let mut before = ExprId::TRUE;
        let mut start: Option<Location> = None;
        for step in 1..path.len() {
            let location = path.transition(step - 1).target;
            let behind = self.behind(terms, path, step, needed);
            let mut a = vec![before];
            a.extend(start.and_then(|at| invariants.of(at)).unwrap_or(&[]));
            if needed.contains(&(step - 1)) {
                a.push(path.condition(step - 1));
            }
            a.extend(self.equations(terms, path, step, &behind));
            let mut b: Vec<ExprId> = behind.clone();
            b.extend(invariants.of(location).unwrap_or(&[]));
            let b: Vec<ExprId> = b.iter().map(|id| self.prime(terms, *id)).collect();
            a.extend(terms.axioms(&a.clone()));
            let budget = Budget::steps(self.steps);
            let interpolant = self.interpolator.interpolate(terms.pool_mut(), &a, &b, &budget);
            let (next, predicates) = match interpolant {
                Ok(interpolant) => {
                    let interpolant = terms.substitute(interpolant, &self.unprimed);
                    (interpolant, atoms(terms.pool_mut(), interpolant))
                }
                // Nothing is known then of what comes before.
                Err(_) => (ExprId::TRUE, of_variables(terms, &behind)),
            };
            found.extend(predicates.into_iter().map(|predicate| (location, predicate)));
            if next == ExprId::FALSE {
                break;
            }
            before = next;
            start = Some(location);
        }
        found
    }

    /// The conditions of the steps from one on, over the variables before it.
    fn behind(
        &self,
        terms: &mut Terms<'_>,
        path: &mut AbstractPath,
        step: usize,
        needed: &[usize],
    ) -> Vec<ExprId> {
        let mut unrolled = Unrolled::from(step);
        let later = needed.iter().filter(|at| **at >= step);
        let conditions = later.map(|at| {
            let condition = path.condition(*at);
            unrolled.instance(path, terms, *at, condition)
        });
        conditions.collect()
    }

    /// What the variables of some conditions are behind the step before.
    fn equations(
        &mut self,
        terms: &mut Terms<'_>,
        path: &AbstractPath,
        step: usize,
        conditions: &[ExprId],
    ) -> Vec<ExprId> {
        let (block, transition) = path.steps[step - 1].clone();
        let transition = &block.transitions[transition];
        let variables = terms.variables_of(conditions);
        let equations = variables.into_iter().map(|(variable, symbol)| {
            let after = block.after(terms, transition, variable, symbol);
            let primed = self.prime(terms, symbol);
            terms.pool_mut().eq(primed, after)
        });
        equations.collect()
    }

    /// A condition with the symbols for values behind the step.
    fn prime(&mut self, terms: &mut Terms<'_>, id: ExprId) -> ExprId {
        for (_, own) in terms.variables_of(&[id]) {
            let Some(symbol) = terms.pool().as_symbol(own) else {
                continue;
            };
            if !self.primed.contains_key(&symbol) {
                let primed = terms.fresh(symbol.width());
                self.primed.insert(symbol, primed);
                if let Some(primed) = terms.pool().as_symbol(primed) {
                    self.unprimed.insert(primed, own);
                }
            }
        }
        terms.substitute(id, &self.primed)
    }
}

/// The atoms of a condition; the condition itself where they are too many.
fn atoms(pool: &mut Pool, id: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![id];
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let inner = matches!(pool.op(id), Op::And | Op::Or | Op::Not | Op::Xor | Op::Ite | Op::Eq);
        let mut children = Vec::new();
        pool.for_each_child(id, |child| children.push(child));
        let logical = children.iter().all(|child| pool.width(*child) == 1);
        if inner && logical {
            stack.extend(children);
        } else if pool.bits(id).is_none() {
            let negation = pool.not(id);
            found.push(id.min(negation));
        }
    }
    found.sort_unstable();
    found.dedup();
    if found.len() > MAX_ATOMS { vec![id] } else { found }
}

/// The atoms of conditions that speak of variables alone.
fn of_variables(terms: &mut Terms<'_>, conditions: &[ExprId]) -> Vec<ExprId> {
    let mut found = Vec::new();
    for condition in conditions {
        for atom in atoms(terms.pool_mut(), *condition) {
            let mut symbols = terms.pool().symbols(atom).iter();
            if symbols.all(|symbol| !terms.is_local(symbol)) {
                found.push(atom);
            }
        }
    }
    found
}
