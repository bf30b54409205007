//! Queries in which some symbols can have one value only: what is left when they have it.
//!
//! Fixing a symbol makes others independent. The length of a file is part of the condition on each
//! of its bytes; once it is fixed, most of these conditions are on one byte again. Such a condition
//! may fix that byte in turn, until nothing more is fixed. So what is left is a query of its own, for
//! all layers from the first one on.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use labrys_expr::{ExprId, Pool, Rebuilt, Symbol};
use rustc_hash::FxHashMap;

use crate::domains::{Domain, Domains, Said};
use crate::query::Model;
use crate::reduced::{Construction, Obstacle};
use crate::schedule::{Layer, Patience, Shared, Smaller, Task, Verdict};

/// The layer.
#[derive(Default)]
pub(super) struct Fixed {
    rebuilt: Rebuilt,
}

impl Layer for Fixed {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn run(&mut self, task: &mut Task<'_, '_>, shared: &mut Shared, _: Patience) -> Verdict {
        if task.fixed.is_empty() {
            return Verdict::Pass;
        }
        let mut smaller = shared.take_spare();
        let near = shared.near.assignment();
        let symbols = task.fixed.symbols();
        smaller.values = Model(symbols.map(|symbol| (symbol, near.get(symbol))).collect());
        let pool = &*task.query.pool;
        let is_fixed = |id| task.fixed.covers(pool.symbols(id));
        let mut construction = shared.begin_construction(task);
        let left = smaller.reduced.rebuild(
            pool,
            &task.parts,
            is_fixed,
            &mut shared.near,
            &mut construction,
        );
        let propagated = left.and_then(|conditions| {
            self.propagate(task, shared, (&mut smaller, &mut construction), conditions)
        });
        shared.count_built(&construction);
        match propagated {
            Err(Obstacle::Ended(reason)) => {
                shared.put_spare(smaller);
                Verdict::Unknown(reason)
            }
            Err(Obstacle::False(position)) => {
                shared.put_spare(smaller);
                let pool = &*task.query.pool;
                Verdict::Core(task.fixed.reasons_with(pool, &task.parts, position))
            }
            Ok(conditions) => {
                (smaller.positions, smaller.constraints) = conditions.into_iter().unzip();
                Verdict::Smaller(smaller)
            }
        }
    }
}

/// A condition of the smaller query, with the position of the part that it is left of.
type Left = (usize, ExprId);

/// The values of bytes that conditions leave, with the positions of their parts.
type Known = FxHashMap<Symbol, (Domain, Vec<usize>)>;

impl Fixed {
    /// Fixes what the conditions that are left fix, as long as there is something; the conditions
    /// that are left then.
    fn propagate(
        &mut self,
        task: &mut Task<'_, '_>,
        shared: &mut Shared,
        (smaller, construction): (&mut Smaller, &mut Construction),
        mut conditions: Vec<Left>,
    ) -> Result<Vec<Left>, Obstacle> {
        let pool = &mut smaller.reduced.pool;
        let mut known = Known::default();
        let mut fresh = conditions.clone();
        loop {
            let values = fixed_by(task, pool, &mut shared.domains, (&fresh, &mut known))?;
            if values.is_empty() {
                return Ok(conditions);
            }
            fresh = self.put_in(pool, &values, &mut conditions, construction)?;
            smaller.values.0.extend(values);
        }
    }

    /// Puts values into the conditions; those that became others.
    fn put_in(
        &mut self,
        pool: &mut Pool,
        values: &BTreeMap<Symbol, u128>,
        conditions: &mut Vec<Left>,
        construction: &mut Construction,
    ) -> Result<Vec<Left>, Obstacle> {
        self.rebuilt.reset();
        // Many expressions have the same symbols.
        let mut touched = FxHashMap::default();
        let mut is_touched = |pool: &Pool, id| {
            let number = pool.symbols_number(id);
            *touched.entry(number).or_insert_with(|| {
                let symbols = pool.symbols(id);
                values.keys().any(|symbol| symbols.contains(*symbol))
            })
        };
        let mut fresh = Vec::new();
        for (position, id) in conditions.iter_mut() {
            if !is_touched(pool, *id) {
                continue;
            }
            let rebuilt = &mut self.rebuilt;
            *id = pool.rebuild(None, *id, rebuilt, &mut |pool, id| {
                let cut = construction.cut(pool, pool.width(id));
                if cut.is_some() {
                    return cut;
                }
                let symbol = pool.as_symbol(id);
                match symbol.and_then(|symbol| values.get(&symbol)) {
                    Some(bits) => Some(pool.constant(pool.width(id), *bits)),
                    None => (!is_touched(pool, id)).then_some(id),
                }
            });
            construction.goes_on()?;
            if *id == ExprId::FALSE {
                return Err(Obstacle::False(*position));
            }
            fresh.push((*position, *id));
        }
        conditions.retain(|(_, id)| *id != ExprId::TRUE);
        fresh.retain(|(_, id)| *id != ExprId::TRUE);
        Ok(fresh)
    }
}

/// The symbols that conditions newly fix, and their values. `known` is what the conditions before
/// say of bytes.
fn fixed_by(
    task: &mut Task<'_, '_>,
    pool: &Pool,
    domains: &mut Domains,
    (fresh, known): (&[Left], &mut Known),
) -> Result<BTreeMap<Symbol, u128>, Obstacle> {
    let mut values = BTreeMap::new();
    for (position, id) in fresh {
        match domains.said_by(pool, *id) {
            Some((symbol, Said::Value(value))) => {
                // Another value for it makes this condition false.
                if let Entry::Vacant(entry) = values.entry(symbol) {
                    entry.insert(value);
                    task.fixed.insert(symbol, vec![*position]);
                }
            }
            Some((symbol, Said::Domain(domain))) => {
                let (common, positions) = known.entry(symbol).or_insert((Domain::ALL, Vec::new()));
                let before = common.only();
                let met = common.meet(domain);
                if met.is_empty() {
                    task.fixed.insert(symbol, positions.clone());
                    return Err(Obstacle::False(*position));
                }
                positions.push(*position);
                *common = met;
                if let (None, Some(value)) = (before, met.only()) {
                    values.insert(symbol, value.into());
                    task.fixed.insert(symbol, positions.clone());
                }
            }
            None => {}
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use labrys_expr::{Evaluator, Op};
    use proptest::prelude::*;

    use super::*;
    use crate::layers::bytes::Bytes;
    use crate::query::{Answer, Assignment, Budget, NoBackend, Query};
    use crate::schedule::{Row, Schedule};

    /// The two layers that fix symbols, over a back end that knows nothing.
    fn schedule() -> Schedule {
        let rows: [fn() -> Box<dyn Layer>; 2] =
            [|| Box::<Bytes>::default(), || Box::<Fixed>::default()];
        let row = |layer| Row {
            layer,
            patience: Patience::Own,
            counter: None,
        };
        Schedule::new(Box::new(NoBackend), &rows.map(row))
    }

    /// What the layers answer, with all that they need near values of 0.
    fn answer(pool: &mut Pool, conditions: &[ExprId]) -> Answer {
        schedule().check(&mut Query {
            pool,
            constraints: conditions.to_vec(),
            hint: &Assignment::from_streams([[0; 3]]),
            budget: Budget::steps(1_000_000),
        })
    }

    proptest! {
        /// Three bytes of at most 3, and conditions on several of them: what is fixed one after the
        /// other neither loses a solution nor makes one up.
        #[test]
        fn what_is_fixed_in_turn_is_right(
            choices in prop::collection::vec((0..4_u8, 0..3_u8, 0..3_u8, 0..3_u8, 0..4_u8), 2..7)
        ) {
            let mut pool = Pool::new();
            let bytes = [0, 1, 2].map(|at| pool.input(0, at, 1));
            let four = pool.constant(8, 4);
            let mut conditions = bytes.map(|byte| pool.ult(byte, four)).to_vec();
            for (what, a, b, c, value) in choices {
                let [a, b, c] = [a, b, c].map(|at| bytes[usize::from(at)]);
                let said = match what {
                    0 => a,
                    1 => pool.binary(Op::Xor, a, b),
                    2 => pool.add(a, b),
                    _ => {
                        let is_equal = pool.eq(a, b);
                        pool.ite(is_equal, b, c)
                    }
                };
                let value = pool.constant(8, value.into());
                conditions.push(pool.eq(said, value));
            }
            let answer = answer(&mut pool, &conditions);
            let mut evaluator = Evaluator::new();
            let mut solutions = |conditions: &[ExprId]| {
                let inputs = (0..64_u8).map(|all| [all % 4, all / 4 % 4, all / 16]);
                let mut holds = |input: &[u8; 3]| {
                    evaluator.reset();
                    let input = Assignment::from_streams([*input]);
                    conditions.iter().all(|id| evaluator.holds(&pool, *id, &input))
                };
                inputs.filter(|input| holds(input)).count()
            };
            match answer {
                // The schedule has confirmed the model.
                Answer::Sat(_) => prop_assert!(solutions(&conditions) > 0),
                Answer::Unsat(core) => {
                    let core: Vec<_> = core.0.iter().map(|at| conditions[*at]).collect();
                    prop_assert_eq!(solutions(&core), 0);
                }
                Answer::Unknown(_) => {}
            }
        }
    }

    /// A chain: each byte is known once the one before it is.
    fn chain(pool: &mut Pool, last: u128) -> Vec<ExprId> {
        let bytes: Vec<_> = (0..3).map(|at| pool.input(0, at, 1)).collect();
        let (five, seven) = (pool.constant(8, 5), pool.constant(8, 7));
        let mut conditions = vec![pool.eq(bytes[0], five)];
        for pair in bytes.windows(2) {
            let sum = pool.add(pair[0], pair[1]);
            conditions.push(pool.eq(sum, seven));
        }
        let value = pool.constant(8, last);
        conditions.push(pool.eq(bytes[2], value));
        conditions
    }

    #[test]
    fn a_fixed_symbol_fixes_the_next() {
        let mut pool = Pool::new();
        let conditions = chain(&mut pool, 5);
        let Answer::Sat(model) = answer(&mut pool, &conditions) else {
            panic!("it has the solution 5, 2, 5");
        };
        assert_eq!(model.0.into_values().collect::<Vec<_>>(), [5, 2, 5]);
    }

    #[test]
    fn a_contradiction_at_the_end_of_a_chain_needs_all_of_it() {
        let mut pool = Pool::new();
        let mut conditions = chain(&mut pool, 6);
        let other = pool.input(0, 9, 1);
        let five = pool.constant(8, 5);
        conditions.insert(0, pool.ult(other, five));
        let Answer::Unsat(core) = answer(&mut pool, &conditions) else {
            panic!("the third byte is 5");
        };
        assert_eq!(core.0, [1, 2, 3, 4]);
    }
}
