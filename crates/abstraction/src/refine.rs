//! Predicates that refute an abstract path.
//!
//! First by templates: facts of the variables that the needed conditions speak of ([`facts`]) are
//! carried along the path, and if those that hold refute it, the weakest that do are the
//! predicates. So they are comparisons with constants of the program or of the path, in place of a
//! fact for each iteration. Else by sequence interpolants (Henzinger, Jhala, Majumdar, McMillan,
//! Abstractions from proofs, POPL 2004): location by location, an interpolant of what is known
//! before a step together with the step, and of all steps behind it; the next one builds on it.
//! Where there is none, the conditions behind the location that speak of variables alone serve.
//!
//! In both, the conditions that a core of the path leaves out are dropped first.

use labrys_expr::{ExprId, Op, Pool, Symbol};
use labrys_solver::Budget;
use labrys_solver::interpolate::Interpolator;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

use crate::ask::Asker;
use crate::block::Location;
use crate::invariants::{Invariants, at_end, kept};
use crate::path::{AbstractPath, Unrolled};
use crate::templates::{Constants, facts};
use crate::terms::Terms;

/// Atoms of an interpolant that are predicates of their own.
const MAX_ATOMS: usize = 12;
/// Variables that facts are tried of.
const MAX_VARIABLES: usize = 12;

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
        asker: &mut Asker<'_>,
        invariants: &Invariants,
        path: &mut AbstractPath,
        needed: &[usize],
    ) -> Vec<(Location, ExprId)> {
        let found = by_templates(terms, asker, invariants, path, needed);
        found.unwrap_or_else(|| self.by_interpolants(terms, invariants, path, needed))
    }

    fn by_interpolants(
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
            let behind = behind(terms, path, step, needed);
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
            let interpolant = self
                .interpolator
                .interpolate(terms.pool_mut(), &a, &b, &budget);
            let (next, predicates) = match interpolant {
                Ok(interpolant) => {
                    let interpolant = terms.substitute(interpolant, &self.unprimed);
                    (interpolant, atoms(terms.pool_mut(), interpolant))
                }
                // Nothing is known then of what comes before.
                Err(_) => (ExprId::TRUE, of_variables(terms, &behind)),
            };
            found.extend(
                predicates
                    .into_iter()
                    .map(|predicate| (location, predicate)),
            );
            if next == ExprId::FALSE {
                break;
            }
            before = next;
            start = Some(location);
        }
        found
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
            if let Entry::Vacant(entry) = self.primed.entry(symbol) {
                let primed = *entry.insert(terms.fresh(symbol.width()));
                if let Some(primed) = terms.pool().as_symbol(primed) {
                    self.unprimed.insert(primed, own);
                }
            }
        }
        terms.substitute(id, &self.primed)
    }
}

/// The conditions of the steps from one on, over the variables before it.
pub(crate) fn behind(
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

/// The weakest facts that refute a path; `None` if those of the templates do not.
fn by_templates(
    terms: &mut Terms<'_>,
    asker: &mut Asker<'_>,
    invariants: &Invariants,
    path: &mut AbstractPath,
    needed: &[usize],
) -> Option<Vec<(Location, ExprId)>> {
    let last = needed.iter().copied().max()?;
    let invariant = |path: &AbstractPath, step: usize| -> Vec<ExprId> {
        let location = step
            .checked_sub(1)
            .map(|before| path.transition(before).target);
        location
            .and_then(|at| invariants.of(at))
            .unwrap_or(&[])
            .to_vec()
    };
    let mut held: Vec<Vec<ExprId>> = vec![Vec::new()];
    for step in 1..=last {
        let behind = behind(terms, path, step, needed);
        let mut base = invariant(path, step - 1);
        base.extend(&held[step - 1]);
        base.push(path.condition(step - 1));
        let candidates = candidates(terms, &behind);
        let (block, index) = path.steps[step - 1].clone();
        let transition = &block.transitions[index];
        held.push(kept(terms, asker, &block, transition, &base, candidates));
    }
    let mut found = Vec::new();
    let mut wanted: Vec<ExprId> = Vec::new();
    for step in (1..=last).rev() {
        let mut base = invariant(path, step);
        base.push(path.condition(step));
        if step < last {
            let (block, index) = path.steps[step].clone();
            let after = at_end(terms, &block, &block.transitions[index], &wanted);
            let all = terms.pool_mut().all(after);
            base.push(terms.pool_mut().not(all));
        }
        wanted = weakest(terms, asker, &base, &held[step])?;
        let location = path.transition(step - 1).target;
        found.extend(wanted.iter().map(|fact| (location, *fact)));
        if wanted.is_empty() {
            break;
        }
    }
    Some(found)
}

/// Facts of the variables of some conditions, which are tried at one place of a path.
fn candidates(terms: &mut Terms<'_>, conditions: &[ExprId]) -> Vec<ExprId> {
    let mut variables = terms.variables_of(conditions);
    variables.truncate(MAX_VARIABLES);
    let constants = Constants::of(terms, conditions);
    let mut candidates = of_variables(terms, conditions);
    let negations: Vec<ExprId> = candidates
        .iter()
        .map(|id| terms.pool_mut().not(*id))
        .collect();
    candidates.extend(negations);
    candidates.extend(facts(terms, &variables, &constants));
    let mut seen = FxHashSet::default();
    candidates.retain(|fact| seen.insert(*fact));
    candidates
}

/// The first of some facts that contradict a base, no more than are necessary; `None` if all of
/// them do not.
fn weakest(
    terms: &mut Terms<'_>,
    asker: &mut Asker<'_>,
    base: &[ExprId],
    facts: &[ExprId],
) -> Option<Vec<ExprId>> {
    let mut chosen: Vec<ExprId> = Vec::new();
    let mut limit = facts.len();
    loop {
        let mut refutes = |chosen: &[ExprId], count: usize| {
            let query: Vec<ExprId> = base
                .iter()
                .chain(chosen)
                .chain(&facts[..count])
                .copied()
                .collect();
            asker.refutes(terms, &query)
        };
        if refutes(&chosen, 0) {
            return Some(chosen);
        }
        if !refutes(&chosen, limit) {
            return None;
        }
        let (mut low, mut high) = (0, limit);
        while high - low > 1 {
            let middle = low.midpoint(high);
            if refutes(&chosen, middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        chosen.push(facts[high - 1]);
        limit = high - 1;
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
        let inner = matches!(
            pool.op(id),
            Op::And | Op::Or | Op::Not | Op::Xor | Op::Ite | Op::Eq
        );
        let mut children = Vec::new();
        pool.for_each_child(id, |child| children.push(child));
        let logical = children.iter().all(|child| pool.width(*child) == 1);
        if inner && logical {
            stack.extend(children);
        } else if pool.bits(id).is_none() {
            found.push(positive(pool, id));
        }
    }
    found.sort_unstable();
    found.dedup();
    if found.len() > MAX_ATOMS {
        vec![id]
    } else {
        found
    }
}

/// One of a condition and its negation, always the same.
pub(crate) fn positive(pool: &mut Pool, id: ExprId) -> ExprId {
    let negation = pool.not(id);
    id.min(negation)
}

/// The atoms of conditions that speak of variables alone.
pub(crate) fn of_variables(terms: &mut Terms<'_>, conditions: &[ExprId]) -> Vec<ExprId> {
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
