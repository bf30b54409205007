//! Which contradiction of a path is refuted (Beyer, Löwe, Wendler, Refinement selection, SPIN 2015;
//! Sliced path prefixes, FORTE 2015).
//!
//! A path may be infeasible for several reasons. Those are found by leaving out the last condition of
//! one and asking again. The one is chosen whose conditions speak of flags and states, not of the
//! counters of loops: predicates of counters unroll loops, one fact for each round.

use labrys_expr::{ExprId, Op, Symbol};
use labrys_solver::Answer;
use rustc_hash::FxHashSet;

use crate::ask::Asker;
use crate::path::AbstractPath;
use crate::terms::{Terms, Variable};

/// Reasons that are looked for.
const REASONS: usize = 4;

/// Costs of a variable: of one bit, of one that is compared for equality, of others, of counters.
const BIT: u64 = 1;
const STATE: u64 = 2;
const NUMBER: u64 = 8;
const COUNTER: u64 = 100;

/// The steps whose conditions refute a path, the cheapest of those that are found; `known` are some
/// that do, `conditions` those of all steps.
pub(crate) fn steps(
    terms: &mut Terms<'_>,
    asker: &mut Asker<'_>,
    path: &AbstractPath,
    conditions: &[ExprId],
    known: Vec<usize>,
) -> Vec<usize> {
    let counters = counters(terms, path);
    let mut best = (cost(terms, path, &counters, &known), known);
    let mut left_out: FxHashSet<usize> = FxHashSet::default();
    let mut last = best.1.iter().copied().max();
    for _ in 1..REASONS {
        if best.0 < COUNTER {
            break;
        }
        let Some(dropped) = last else { break };
        left_out.insert(dropped);
        let kept: Vec<usize> = (0..conditions.len())
            .filter(|at| !left_out.contains(at))
            .collect();
        let query: Vec<ExprId> = kept.iter().map(|at| conditions[*at]).collect();
        let Answer::Unsat(core) = asker.check(terms, &query) else {
            break;
        };
        let steps: Vec<usize> = core.0.iter().map(|at| kept[*at]).collect();
        last = steps.iter().copied().max();
        let cost = cost(terms, path, &counters, &steps);
        if cost < best.0 {
            best = (cost, steps);
        }
    }
    best.1
}

/// The symbols of variables that a round of a loop on the path adds a number to.
fn counters(terms: &mut Terms<'_>, path: &AbstractPath) -> FxHashSet<Symbol> {
    let mut found = FxHashSet::default();
    for (block, transition) in &path.steps {
        let transition = &block.transitions[*transition];
        for (variable, own) in terms.variables_of(&[transition.condition]) {
            let after = block.after(terms, transition, variable, own);
            let pool = terms.pool();
            let operands = pool.node(after).operands();
            let adds = pool.op(after) == Op::Add && operands.contains(&own);
            let is_fixed = |id: &ExprId| *id == own || pool.bits(*id).is_some();
            if adds && operands.iter().all(is_fixed) {
                found.extend(pool.as_symbol(own));
            }
        }
    }
    found
}

/// What predicates of some steps' conditions would cost.
fn cost(
    terms: &Terms<'_>,
    path: &AbstractPath,
    counters: &FxHashSet<Symbol>,
    steps: &[usize],
) -> u64 {
    let conditions: Vec<ExprId> = steps.iter().map(|step| path.condition(*step)).collect();
    let states = compared_for_equality(terms, &conditions);
    let variables: Vec<(Variable, ExprId)> = terms.variables_of(&conditions);
    let one = |own: &ExprId| match terms.pool().as_symbol(*own) {
        Some(symbol) if counters.contains(&symbol) => COUNTER,
        _ if terms.pool().width(*own) == 1 => BIT,
        _ if states.contains(own) => STATE,
        _ => NUMBER,
    };
    variables.iter().map(|(_, own)| one(own)).sum()
}

/// Symbols that conditions compare with constants for equality.
fn compared_for_equality(terms: &Terms<'_>, conditions: &[ExprId]) -> FxHashSet<ExprId> {
    let pool = terms.pool();
    let (mut seen, mut found) = (FxHashSet::default(), FxHashSet::default());
    let mut stack = conditions.to_vec();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        if pool.op(id) == Op::Eq {
            let operands = pool.node(id).operands();
            let against_constant = operands.iter().any(|one| pool.bits(*one).is_some());
            found.extend(operands.iter().copied().filter(|_| against_constant));
        }
        pool.for_each_child(id, |child| stack.push(child));
    }
    found
}
