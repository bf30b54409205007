//! Rules for extension, extraction, concatenation, bit counts and table reads.

use super::{Outcome, Rule, again, binary, is, is_constant, ite, rule, unary};
use crate::node::Node;
use crate::op::Op;
use crate::pool::Pool;

pub(super) const ZEXT: &[Rule] = &[
    rule("zext-zext", |pool, n| {
        let x = pool.operand(Op::ZExt, n.args[0])?;
        unary(Op::ZExt, n.width(), x)
    }),
    rule("zext-ite-constants", ite::map_constants),
];

pub(super) const SEXT: &[Rule] = &[
    rule("sext-sext", |pool, n| {
        let x = pool.operand(Op::SExt, n.args[0])?;
        unary(Op::SExt, n.width(), x)
    }),
    rule("sext-zext", |pool, n| {
        let x = pool.operand(Op::ZExt, n.args[0])?;
        unary(Op::ZExt, n.width(), x)
    }),
    rule("sext-ite-constants", ite::map_constants),
];

pub(super) const EXTRACT: &[Rule] = &[
    rule("extract-extract", |pool, n| {
        let inner = *pool.node(n.args[0]);
        (inner.op == Op::Extract)
            .then(|| extract(pool, n.width(), inner.args[0], n.low() + inner.low()))?
    }),
    rule("extract-zext", extract_zext),
    rule("extract-sext", extract_sext),
    rule("extract-concat", extract_concat),
    rule("extract-bitwise-constant", extract_bitwise_constant),
    rule("extract-narrow", extract_narrow),
    rule("extract-ite-constants", |pool, n| {
        ite::map_constants(pool, n)
    }),
];

pub(super) const CONCAT: &[Rule] = &[
    rule("concat-zero", |pool, n| {
        (pool.bits(n.args[0])? == 0).then(|| unary(Op::ZExt, n.width(), n.args[1]))?
    }),
    rule("concat-zext", |pool, n| {
        let x = pool.operand(Op::ZExt, n.args[0])?;
        let low = pool.concat(x, n.args[1]);
        unary(Op::ZExt, n.width(), low)
    }),
    rule("concat-sext", |pool, n| {
        let x = pool.operand(Op::SExt, n.args[0])?;
        let low = pool.concat(x, n.args[1]);
        unary(Op::SExt, n.width(), low)
    }),
    rule("concat-nest-right", |pool, n| {
        let (x, y) = pool.operands(Op::Concat, n.args[0])?;
        let low = pool.concat(y, n.args[1]);
        binary(Op::Concat, n.width(), x, low)
    }),
    rule("concat-constants", concat_constants),
    rule("concat-extracts", concat_extracts),
];

pub(super) const COUNT: &[Rule] = &[rule("count-one-bit", |pool, n| {
    (n.width() == 1).then(|| match n.op {
        Op::PopCount => is(n.args[0]),
        _ => is(pool.not(n.args[0])),
    })?
})];

pub(super) const TABLE: &[Rule] = &[
    rule("table-constant-index", table_constant_index),
    rule("table-zeros", table_zeros),
];

/// Bits `low..` of `x`, which may be all of it.
fn extract(pool: &Pool, width: u32, x: crate::ExprId, low: u32) -> Outcome {
    if width == pool.width(x) {
        is(x)
    } else {
        again(Node::new(Op::Extract, width, x.0, low, 0))
    }
}

fn extract_zext(pool: &mut Pool, n: &Node) -> Outcome {
    let x = pool.operand(Op::ZExt, n.args[0])?;
    let (from, low) = (pool.width(x), n.low());
    if low >= from {
        return is_constant(pool, n.width(), 0);
    }
    if low + n.width() <= from {
        return extract(pool, n.width(), x, low);
    }
    let part = pool.extract(x, low, from - low);
    unary(Op::ZExt, n.width(), part)
}

fn extract_sext(pool: &mut Pool, n: &Node) -> Outcome {
    let x = pool.operand(Op::SExt, n.args[0])?;
    let from = pool.width(x);
    if n.low() + n.width() <= from {
        return extract(pool, n.width(), x, n.low());
    }
    let low = n.low().min(from - 1);
    let part = pool.extract(x, low, from - low);
    is(pool.sext(part, n.width()))
}

fn extract_concat(pool: &mut Pool, n: &Node) -> Outcome {
    let (high, low) = pool.operands(Op::Concat, n.args[0])?;
    let (split, start, end) = (pool.width(low), n.low(), n.low() + n.width());
    if end <= split {
        return extract(pool, n.width(), low, start);
    }
    if start >= split {
        return extract(pool, n.width(), high, start - split);
    }
    let upper = pool.extract(high, 0, end - split);
    let lower = pool.extract(low, start, split - start);
    binary(Op::Concat, n.width(), upper, lower)
}

/// `(x ∘ c)[..] = x[..] ∘ c[..]` for bitwise ∘.
fn extract_bitwise_constant(pool: &mut Pool, n: &Node) -> Outcome {
    let inner = *pool.node(n.args[0]);
    match inner.op {
        Op::Not => {
            let x = pool.extract(inner.args[0], n.low(), n.width());
            unary(Op::Not, n.width(), x)
        }
        Op::And | Op::Or | Op::Xor => {
            let bits = pool.bits(inner.args[1])?;
            let x = pool.extract(inner.args[0], n.low(), n.width());
            let c = pool.constant(n.width(), bits >> n.low());
            binary(inner.op, n.width(), x, c)
        }
        _ => None,
    }
}

/// The low bits of arithmetic on extended values are arithmetic on their low bits.
fn extract_narrow(pool: &mut Pool, n: &Node) -> Outcome {
    use Op::{Add, And, Const, Mul, Neg, Or, SExt, Sub, Xor, ZExt};
    let inner = *pool.node(n.args[0]);
    let fits = n.low() == 0 && matches!(inner.op, Add | Sub | Mul | Neg | And | Or | Xor);
    let extended = |x: &crate::ExprId| match pool.op(*x) {
        Const => true,
        ZExt | SExt => pool.width(pool.node(*x).args[0]) <= n.width(),
        _ => false,
    };
    if !fits || !inner.operands().iter().all(extended) {
        return None;
    }
    let a = pool.extract(inner.args[0], 0, n.width());
    if inner.op == Neg {
        return unary(Neg, n.width(), a);
    }
    let b = pool.extract(inner.args[1], 0, n.width());
    binary(inner.op, n.width(), a, b)
}

/// `c·(d·x) = cd·x`, where the lower part may also be an extension (`d = 0`).
fn concat_constants(pool: &mut Pool, n: &Node) -> Outcome {
    let c = pool.bits(n.args[0])?;
    let lower = *pool.node(n.args[1]);
    let (d, x) = match lower.op {
        Op::Concat => (pool.bits(lower.args[0])?, lower.args[1]),
        Op::ZExt => (0, lower.args[0]),
        _ => return None,
    };
    let between = lower.width() - pool.width(x);
    let both = pool.constant(n.width() - pool.width(x), c << between | d);
    binary(Op::Concat, n.width(), both, x)
}

/// `x[j..k]·x[i..j] = x[i..k]`, also where the second is the top of a concatenation.
fn concat_extracts(pool: &mut Pool, n: &Node) -> Outcome {
    let high = *pool.node(n.args[0]);
    if high.op != Op::Extract {
        return None;
    }
    let adjacent = |low: &Node| {
        low.op == Op::Extract
            && low.args[0] == high.args[0]
            && low.low() + low.width() == high.low()
    };
    let low = *pool.node(n.args[1]);
    if adjacent(&low) {
        return extract(pool, n.width(), high.args[0], low.low());
    }
    let (top, rest) = pool.operands(Op::Concat, n.args[1])?;
    let top = *pool.node(top);
    if !adjacent(&top) {
        return None;
    }
    let joined = pool.extract(high.args[0], top.low(), high.width() + top.width());
    binary(Op::Concat, n.width(), joined, rest)
}

fn table_constant_index(pool: &mut Pool, n: &Node) -> Outcome {
    let index = pool.bits(n.args[0])? as u64;
    let table = pool.tables.get(n.args[1].0).clone();
    let mut whole = None;
    for at in 0..u64::from(n.width() / 8) {
        let offset = index.wrapping_add(at);
        let byte = match table.entry(offset) {
            Some(entry) => entry,
            None => pool.constant(8, u128::from(table.byte(offset))),
        };
        whole = Some(match whole {
            Some(low) => pool.concat(byte, low),
            None => byte,
        });
    }
    is(whole?)
}

fn table_zeros(pool: &mut Pool, n: &Node) -> Outcome {
    let table = pool.tables.get(n.args[1].0);
    let zero = table.entries().is_empty() && table.bytes().iter().all(|byte| *byte == 0);
    zero.then(|| is_constant(pool, n.width(), 0))?
}
