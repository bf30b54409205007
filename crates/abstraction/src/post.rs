//! The abstract strongest post of a transition (algorithm 2 of the paper): boolean abstraction by
//! models, and the Cartesian one where there are too many.

use labrys_expr::{ExprId, Value};
use labrys_solver::Answer;
use std::collections::BTreeSet;

use crate::ask::{Asker, evaluate};
use crate::block::{LargeBlock, Transition};
use crate::invariants::at_end;
use crate::precision::Distinctions;
use crate::terms::Terms;

/// States behind one transition.
const MAX_CUBES: usize = 32;

/// What a post came to.
pub(crate) enum Post {
    /// The cubes of the target's precision, each in ascending order.
    Cubes(Vec<Vec<ExprId>>),
    /// This tracked variable has too many values.
    TooMany(ExprId),
}

/// A literal at the target, and what it is at the beginning of the transition.
struct Literal {
    target: ExprId,
    before: ExprId,
}

/// The states behind a transition whose beginning satisfies `base`, the transition's condition
/// among it.
pub(crate) fn post(
    terms: &mut Terms<'_>,
    asker: &mut Asker<'_>,
    block: &LargeBlock,
    transition: &Transition,
    base: &[ExprId],
    precision: &Distinctions,
) -> Post {
    let predicates = at_end(terms, block, transition, &precision.predicates);
    let tracked = at_end(terms, block, transition, &precision.tracked);
    let mut values: Vec<BTreeSet<Value>> = vec![BTreeSet::new(); tracked.len()];
    let mut cubes: Vec<Vec<ExprId>> = Vec::new();
    let mut query = base.to_vec();
    loop {
        let model = match asker.check(terms, &query) {
            Answer::Unsat(_) => return Post::Cubes(cubes),
            Answer::Sat(model) if cubes.len() < MAX_CUBES => model,
            _ => break,
        };
        let mut literals: Vec<Literal> = Vec::new();
        let known = evaluate(terms, &predicates, &model);
        for ((predicate, before), value) in precision.predicates.iter().zip(&predicates).zip(known)
        {
            let Some(value) = value else { continue };
            literals.push(literal(terms, *predicate, *before, value.is_true()));
        }
        let known = evaluate(terms, &tracked, &model);
        for (at, value) in known.into_iter().enumerate() {
            let Some(value) = value else { continue };
            values[at].insert(value);
            let constant = terms.constant(value.width(), value.bits());
            let target = terms.pool_mut().eq(precision.tracked[at], constant);
            let before = terms.pool_mut().eq(tracked[at], constant);
            literals.push(Literal { target, before });
        }
        let same = terms
            .pool_mut()
            .all(literals.iter().map(|literal| literal.before));
        query.push(terms.pool_mut().not(same));
        let mut cube: Vec<ExprId> = literals.iter().map(|literal| literal.target).collect();
        cube.sort_unstable();
        cubes.push(cube);
    }
    let most = (0..tracked.len()).max_by_key(|at| values[*at].len());
    match most {
        Some(at) => Post::TooMany(precision.tracked[at]),
        None => Post::Cubes(vec![cartesian(terms, asker, base, precision, &predicates)]),
    }
}

fn literal(terms: &mut Terms<'_>, predicate: ExprId, before: ExprId, holds: bool) -> Literal {
    if holds {
        return Literal {
            target: predicate,
            before,
        };
    }
    Literal {
        target: terms.pool_mut().not(predicate),
        before: terms.pool_mut().not(before),
    }
}

/// The predicates that hold, or do not, in every state behind a transition.
fn cartesian(
    terms: &mut Terms<'_>,
    asker: &mut Asker<'_>,
    base: &[ExprId],
    precision: &Distinctions,
    predicates: &[ExprId],
) -> Vec<ExprId> {
    let mut cube = Vec::new();
    for (predicate, before) in precision.predicates.iter().zip(predicates) {
        for holds in [true, false] {
            let opposite = literal(terms, *predicate, *before, !holds);
            let mut query = base.to_vec();
            query.push(opposite.before);
            if asker.refutes(terms, &query) {
                cube.push(literal(terms, *predicate, *before, holds).target);
                break;
            }
        }
    }
    cube.sort_unstable();
    cube
}
