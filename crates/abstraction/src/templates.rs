//! Facts that may hold at a location: variables compared with each other and with constants.
//!
//! A constant is tried as the program uses it: in equations if it is compared for equality or
//! assigned, in inequalities, signed or not, if it bounds a value. So flags and states are told
//! apart by their values, and counters by their bounds; states are bounded by their values too, as
//! bytes of a wider value that is compared as a whole.

use std::collections::{BTreeMap, BTreeSet};

use labrys_expr::{ExprId, Op};
use rustc_hash::FxHashSet;

use crate::terms::{Terms, Variable};

/// Constants of one width that variables are compared with.
const MAX_CONSTANTS: usize = 24;

/// How a constant is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Relation {
    Equal,
    Signed,
    Unsigned,
}

/// Constants of conditions, by width and relation.
#[derive(Debug, Default)]
pub(crate) struct Constants(BTreeMap<(u32, Relation), BTreeSet<u128>>);

impl Constants {
    /// The constants in some conditions, with 0 and 1.
    pub(crate) fn of(terms: &Terms<'_>, conditions: &[ExprId]) -> Self {
        let mut constants = Constants::default();
        for width in [1, 8, 16, 32, 64] {
            for bits in [0, 1] {
                constants.add(width, Relation::Equal, bits);
            }
            constants.add(width, Relation::Signed, 0);
        }
        let mut seen = FxHashSet::default();
        let mut stack = conditions.to_vec();
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                constants.visit(terms, id);
                terms.pool().for_each_child(id, |child| stack.push(child));
            }
        }
        constants
    }

    fn visit(&mut self, terms: &Terms<'_>, id: ExprId) {
        let pool = terms.pool();
        let relation = match pool.op(id) {
            Op::Eq | Op::Ite => Relation::Equal,
            Op::Slt | Op::Sle => Relation::Signed,
            Op::Ult | Op::Ule => Relation::Unsigned,
            _ => return,
        };
        pool.for_each_child(id, |child| {
            if let Some(bits) = pool.bits(child) {
                self.add(pool.width(child), relation, bits);
            }
        });
    }

    fn add(&mut self, width: u32, relation: Relation, bits: u128) {
        let set = self.0.entry((width, relation)).or_default();
        if set.len() < MAX_CONSTANTS {
            set.insert(bits);
        }
    }

    fn get(&self, width: u32, relation: Relation) -> impl DoubleEndedIterator<Item = u128> + '_ {
        self.0
            .get(&(width, relation))
            .into_iter()
            .flatten()
            .copied()
    }
}

/// Facts of some variables; those that say less come first.
pub(crate) fn facts(
    terms: &mut Terms<'_>,
    variables: &[(Variable, ExprId)],
    constants: &Constants,
) -> Vec<ExprId> {
    let mut facts = Vec::new();
    for (_, x) in variables {
        different(terms, *x, constants, &mut facts);
    }
    for (_, x) in variables {
        bounds(terms, *x, constants, &mut facts);
    }
    for (position, (_, x)) in variables.iter().enumerate() {
        let width = terms.pool().width(*x);
        for (_, y) in &variables[position + 1..] {
            if terms.pool().width(*y) == width && width > 1 {
                let pool = terms.pool_mut();
                facts.extend([pool.sle(*x, *y), pool.sle(*y, *x), pool.eq(*x, *y)]);
            }
        }
    }
    for (_, x) in variables {
        let width = terms.pool().width(*x);
        for bits in constants.get(width, Relation::Equal) {
            let constant = terms.constant(width, bits);
            facts.push(terms.pool_mut().eq(*x, constant));
        }
    }
    let mut seen = FxHashSet::from_iter([ExprId::TRUE, ExprId::FALSE]);
    facts.retain(|fact| seen.insert(*fact));
    facts
}

fn different(terms: &mut Terms<'_>, x: ExprId, constants: &Constants, facts: &mut Vec<ExprId>) {
    let width = terms.pool().width(x);
    for bits in constants.get(width, Relation::Equal) {
        let constant = terms.constant(width, bits);
        facts.push(terms.pool_mut().ne(x, constant));
    }
}

/// Upper bounds from the highest to the lowest, lower ones from the lowest to the highest.
fn bounds(terms: &mut Terms<'_>, x: ExprId, constants: &Constants, facts: &mut Vec<ExprId>) {
    let width = terms.pool().width(x);
    if width == 1 {
        return;
    }
    let sign = 1u128 << (width - 1);
    let mut signed: Vec<u128> = constants.get(width, Relation::Signed).collect();
    signed.sort_by_key(|bits| bits ^ sign);
    let unsigned: Vec<u128> = constants.get(width, Relation::Unsigned).collect();
    for bits in constants.get(width, Relation::Equal).rev() {
        let constant = terms.constant(width, bits);
        facts.push(terms.pool_mut().ule(x, constant));
    }
    for (is_signed, order) in [(true, signed), (false, unsigned)] {
        for upper in [true, false] {
            let count = order.len();
            for at in 0..count {
                let bits = if upper {
                    order[count - 1 - at]
                } else {
                    order[at]
                };
                let constant = terms.constant(width, bits);
                let (low, high) = if upper { (x, constant) } else { (constant, x) };
                let pool = terms.pool_mut();
                facts.extend(match is_signed {
                    true => [pool.sle(low, high), pool.slt(low, high)],
                    false => [pool.ule(low, high), pool.ult(low, high)],
                });
            }
        }
    }
}
