//! Queries in which parts say what others are made of.
//!
//! A scanner ends with the number of a rule, a parser goes from state to state, and the path says
//! by `switch` which they are. Every later decision depends on all bytes so far, but only through
//! these numbers: once they have their values, most of it is constant, and what is left is a query
//! of its own, for all layers from the first one on.

use labrys_expr::{ExprId, Pool};

use crate::facts::Facts;
use crate::parts::Part;
use crate::reduced::{Construction, Obstacle};
use crate::schedule::{Layer, Patience, Shared, Smaller, Task, Verdict};

/// The layer.
#[derive(Default)]
pub(super) struct Equalities;

impl Layer for Equalities {
    fn name(&self) -> &'static str {
        "equalities"
    }

    fn run(&mut self, task: &mut Task<'_, '_>, shared: &mut Shared, _: Patience) -> Verdict {
        let pool = &*task.query.pool;
        let facts = Facts::new(pool, &task.parts);
        if !facts.are_used(pool, &task.parts) {
            return Verdict::Pass;
        }
        let mut smaller = shared.take_spare();
        let mut construction = shared.begin_construction(task);
        let put = put_in(pool, &task.parts, &facts, &mut smaller, &mut construction);
        shared.count_built(&construction);
        match put {
            Ok(()) => {
                smaller.facts = facts;
                Verdict::Smaller(smaller)
            }
            Err(Obstacle::False(position)) => {
                shared.put_spare(smaller);
                let reasons = facts.reasons(pool, &task.parts, position);
                Verdict::Core(reasons.into_iter().chain([position]).collect())
            }
            Err(Obstacle::Ended(reason)) => {
                shared.put_spare(smaller);
                Verdict::Unknown(reason)
            }
        }
    }
}

/// Puts the values of the facts into the parts.
fn put_in(
    pool: &Pool,
    parts: &[Part],
    facts: &Facts,
    smaller: &mut Smaller,
    construction: &mut Construction,
) -> Result<(), Obstacle> {
    let target = &mut smaller.reduced.pool;
    let rebuilt = &mut smaller.reduced.rebuilt;
    target.clear();
    rebuilt.reset();
    let mut conditions: Vec<(usize, ExprId)> = Vec::new();
    for fact in facts.list() {
        let part = parts[fact.position].id;
        let left = target.rebuild(Some(pool), part, rebuilt, &mut |target, id| {
            construction.cut(target, pool.width(id))
        });
        construction.goes_on()?;
        match left {
            ExprId::FALSE => return Err(Obstacle::False(fact.position)),
            ExprId::TRUE => {}
            id => conditions.push((fact.position, id)),
        }
        let value = target.constant(pool.width(fact.about), fact.bits);
        rebuilt.put(fact.about, value);
        rebuilt.put(part, ExprId::TRUE);
    }
    // The goal stands last, as in any query.
    conditions.sort_unstable_by_key(|(position, _)| *position);
    (smaller.positions, smaller.constraints) = conditions.into_iter().unzip();
    Ok(())
}

#[cfg(test)]
mod tests {
    use labrys_expr::{Evaluator, Op, Symbol};
    use proptest::prelude::*;

    use super::*;
    use crate::parts::conjuncts;
    use crate::query::{Assignment, Budget};

    fn unlimited() -> Construction {
        Construction::new(u64::MAX, Budget::default())
    }

    /// Conditions on two bytes that are made of each other, from a list of choices.
    fn conditions(pool: &mut Pool, choices: &[(u8, u8, u8)]) -> Vec<ExprId> {
        let mut values: Vec<ExprId> = (0..2).map(|at| pool.input(0, at, 1)).collect();
        values.extend([1, 2, 3].map(|bits| pool.constant(8, bits)));
        let mut conditions = Vec::new();
        for (what, a, b) in choices {
            let at = |choice: &u8| usize::from(*choice);
            let (x, y) = (values[at(a) % values.len()], values[at(b) % values.len()]);
            match what % 8 {
                0 => values.push(pool.add(x, y)),
                1 => values.push(pool.binary(Op::Xor, x, y)),
                2 => {
                    let condition = conditions.last().copied().unwrap_or(ExprId::TRUE);
                    values.push(pool.ite(condition, x, y));
                }
                3 | 4 => {
                    let value = pool.constant(8, u128::from(b % 5));
                    conditions.push(pool.eq(x, value));
                }
                5 => conditions.push(pool.ult(x, y)),
                6 => {
                    let equal = pool.eq(x, y);
                    conditions.push(pool.not(equal));
                }
                _ => {
                    let one = conditions.get(at(a) % conditions.len().max(1)).copied();
                    let other = conditions.get(at(b) % conditions.len().max(1)).copied();
                    let both = one.zip(other).map(|(one, other)| {
                        let not = pool.not(other);
                        let or = pool.and(one, not);
                        pool.not(or)
                    });
                    conditions.extend(both);
                }
            }
        }
        conditions
    }

    proptest! {
        /// Each condition that is left says, with the parts that were put into it, what its part
        /// says; one that is false contradicts them.
        #[test]
        fn what_is_left_says_the_same(
            choices in prop::collection::vec(any::<(u8, u8, u8)>(), 4..24)
        ) {
            let mut pool = Pool::new();
            let mut conditions = conditions(&mut pool, &choices);
            conditions.retain(|id| *id != ExprId::FALSE);
            let parts = conjuncts(&pool, &conditions);
            let facts = Facts::new(&pool, &parts);
            let mut smaller = Smaller::default();
            let left = put_in(&pool, &parts, &facts, &mut smaller, &mut unlimited());
            let mut evaluator = Evaluator::new();
            for bytes in (0..12).flat_map(|a| (0..12).map(move |b| [a, b])) {
                let input = Assignment::from_streams([bytes.to_vec()]);
                let mut holds = |pool: &Pool, id| {
                    evaluator.reset();
                    evaluator.holds(pool, id, &input)
                };
                let true_parts: Vec<bool> =
                    parts.iter().map(|part| holds(&pool, part.id)).collect();
                let said = |position| {
                    let reasons = facts.reasons(&pool, &parts, position);
                    reasons.iter().all(|reason| true_parts[*reason])
                };
                match left {
                    Err(Obstacle::Ended(_)) => prop_assert!(false),
                    Err(Obstacle::False(position)) => {
                        prop_assert!(!(said(position) && true_parts[position]));
                    }
                    Ok(()) => {
                        let all = smaller.positions.iter().zip(&smaller.constraints);
                        let all: Vec<_> = all.map(|(position, id)| (*position, *id)).collect();
                        for (position, id) in &all {
                            if said(*position) {
                                let is_true = holds(&smaller.reduced.pool, *id);
                                prop_assert_eq!(is_true, true_parts[*position]);
                            }
                        }
                        let left = all.iter().all(|(_, id)| holds(&smaller.reduced.pool, *id));
                        prop_assert_eq!(left, true_parts.iter().all(|part| *part));
                    }
                }
            }
        }
    }

    /// The rule that a scanner found is known, so the parser's state behind it is.
    #[test]
    fn what_a_path_says_of_a_state_makes_the_next_one_constant() {
        let mut pool = Pool::new();
        let byte = pool.symbol(Symbol::Byte {
            stream: 0,
            offset: 0,
        });
        let table = pool.enter_table(&[7, 9, 9, 4, 5, 6, 7, 8], &[]);
        let seven = pool.constant(8, 7);
        let index = pool.binary(Op::And, byte, seven);
        let rule = {
            let index = pool.zext(index, 64);
            pool.table_read(table, index, 1)
        };
        let (four, six) = (pool.constant(8, 4), pool.constant(8, 6));
        let known = pool.eq(rule, four);
        let state = pool.add(rule, four);
        let goal = pool.eq(state, six);
        let parts = conjuncts(&pool, &[known, goal]);
        let facts = Facts::new(&pool, &parts);
        assert!(facts.are_used(&pool, &parts));
        let smaller = &mut Smaller::default();
        let left = put_in(&pool, &parts, &facts, smaller, &mut unlimited());
        assert_eq!(left, Err(Obstacle::False(1)));
        assert_eq!(facts.reasons(&pool, &parts, 1), [0]);
    }
}
