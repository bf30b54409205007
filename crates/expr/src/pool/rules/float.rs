//! Rules for floating operations. There are few: NaN spoils most identities.

use super::{Outcome, Rule, binary, is, rule, truth, unary};
use crate::node::Node;
use crate::op::Op;
use crate::pool::Pool;

pub(super) const fn table(op: Op) -> &'static [Rule] {
    match op {
        Op::FNeg => NEG,
        Op::FAbs => ABS,
        Op::FOeq | Op::FOlt | Op::FOle => COMPARE,
        Op::FUno => UNORDERED,
        _ => &[],
    }
}

const NEG: &[Rule] = &[rule("fneg-fneg", |pool, n| {
    is(pool.operand(Op::FNeg, n.args[0])?)
})];

const ABS: &[Rule] = &[
    rule("fabs-fabs", |pool, n| {
        (pool.op(n.args[0]) == Op::FAbs).then(|| is(n.args[0]))?
    }),
    rule("fabs-fneg", |pool, n| {
        let x = pool.operand(Op::FNeg, n.args[0])?;
        unary(Op::FAbs, n.width(), x)
    }),
];

const COMPARE: &[Rule] = &[
    rule("fcompare-nan", |pool, n| {
        (is_nan(pool, n, 0) || is_nan(pool, n, 1)).then(|| truth(false))?
    }),
    rule("folt-same", |_, n| {
        (n.op == Op::FOlt && n.args[0] == n.args[1]).then(|| truth(false))?
    }),
    rule("fcompare-widened", widened),
];

const UNORDERED: &[Rule] = &[
    rule("funo-nan", |pool, n| {
        (is_nan(pool, n, 0) || is_nan(pool, n, 1)).then(|| truth(true))?
    }),
    rule("funo-number", |pool, n| {
        // A constant that is no NaN says nothing: the law is `funo(x, c) = funo(x, x)`.
        pool.bits(n.args[1])?;
        (!is_nan(pool, n, 1)).then(|| binary(Op::FUno, 1, n.args[0], n.args[0]))?
    }),
    rule("funo-widened", widened),
];

fn is_nan(pool: &Pool, n: &Node, operand: usize) -> bool {
    let id = n.args[operand];
    match (pool.bits(id), pool.width(id)) {
        (Some(bits), 32) => f32::from_bits(bits as u32).is_nan(),
        (Some(bits), 64) => f64::from_bits(bits as u64).is_nan(),
        _ => false,
    }
}

/// Comparing singles that were widened to doubles is comparing the singles, also with a constant
/// that is a single.
fn widened(pool: &mut Pool, n: &Node) -> Outcome {
    let mut singles = [n.args[0]; 2];
    let mut constants = 0;
    for (single, id) in singles.iter_mut().zip(n.operands()) {
        if pool.width(*id) != 64 {
            return None;
        }
        *single = if let Some(bits) = pool.bits(*id) {
            let double = f64::from_bits(bits as u64);
            let narrow = double as f32;
            if f64::from(narrow).to_bits() != double.to_bits() {
                return None;
            }
            constants += 1;
            pool.constant(32, u128::from(narrow.to_bits()))
        } else {
            pool.operand(Op::FToF, *id)
                .filter(|x| pool.width(*x) == 32)?
        };
    }
    (constants < 2).then(|| binary(n.op, 1, singles[0], singles[1]))?
}
