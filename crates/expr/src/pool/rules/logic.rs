//! Rules for `not`, `and`, `or` and `xor`, bitwise and, at one bit, logical.

use super::{Outcome, Rule, again, binary, is, is_constant, join, rule, unary};
use crate::bits::mask;
use crate::node::{ExprId, Node};
use crate::op::Op;
use crate::pool::Pool;

pub(super) const NOT: &[Rule] = &[
    rule("not-not", |pool, n| is(pool.operand(Op::Not, n.args[0])?)),
    rule("not-order", not_order),
    rule("not-xor-constant", |pool, n| {
        let (x, c) = pool.with_constant(Op::Xor, n.args[0])?;
        let c = pool.constant(n.width(), !c);
        binary(Op::Xor, n.width(), x, c)
    }),
    rule("not-ite-constants", super::ite::map_constants),
];

pub(super) const AND: &[Rule] = &[
    rule("and-zero", |pool, n| {
        (pool.bits(n.args[1])? == 0).then(|| is(n.args[1]))?
    }),
    rule("and-ones", |pool, n| {
        (pool.bits(n.args[1])? == mask(n.width())).then(|| is(n.args[0]))?
    }),
    rule("and-same", same),
    rule("and-complement", |pool, n| {
        pool.complementary(n.args[0], n.args[1])
            .then(|| is_constant(pool, n.width(), 0))?
    }),
    rule("and-absorb", |pool, n| absorb(pool, n, Op::Or)),
    rule("and-repeat", repeat),
    rule("and-constants", |pool, n| constants(pool, n, |c, d| c & d)),
    rule("and-split", split),
    rule("and-zext", and_zext),
    rule("and-mask", and_mask),
];

pub(super) const OR: &[Rule] = &[
    rule("or-zero", |pool, n| {
        (pool.bits(n.args[1])? == 0).then(|| is(n.args[0]))?
    }),
    rule("or-ones", |pool, n| {
        (pool.bits(n.args[1])? == mask(n.width())).then(|| is(n.args[1]))?
    }),
    rule("or-same", same),
    rule("or-complement", |pool, n| {
        pool.complementary(n.args[0], n.args[1])
            .then(|| is_constant(pool, n.width(), !0))?
    }),
    rule("or-absorb", |pool, n| absorb(pool, n, Op::And)),
    rule("or-repeat", repeat),
    rule("or-constants", |pool, n| constants(pool, n, |c, d| c | d)),
    rule("or-join", join::join),
    rule("or-split", split),
];

pub(super) const XOR: &[Rule] = &[
    rule("xor-zero", |pool, n| {
        (pool.bits(n.args[1])? == 0).then(|| is(n.args[0]))?
    }),
    rule("xor-ones", |pool, n| {
        (pool.bits(n.args[1])? == mask(n.width())).then(|| unary(Op::Not, n.width(), n.args[0]))?
    }),
    rule("xor-same", |pool, n| {
        (n.args[0] == n.args[1]).then(|| is_constant(pool, n.width(), 0))?
    }),
    rule("xor-complement", |pool, n| {
        pool.complementary(n.args[0], n.args[1])
            .then(|| is_constant(pool, n.width(), !0))?
    }),
    rule("xor-constants", |pool, n| constants(pool, n, |c, d| c ^ d)),
    rule("xor-not-constant", |pool, n| {
        let (x, c) = (pool.operand(Op::Not, n.args[0])?, pool.bits(n.args[1])?);
        let c = pool.constant(n.width(), !c);
        binary(Op::Xor, n.width(), x, c)
    }),
    rule("xor-cancel", xor_cancel),
    rule("xor-join", join::join),
    rule("xor-split", split),
];

/// `¬(a < b) = b ≤ a` and `¬(a ≤ b) = b < a`.
fn not_order(pool: &mut Pool, n: &Node) -> Outcome {
    let inner = *pool.node(n.args[0]);
    let op = match inner.op {
        Op::Ult => Op::Ule,
        Op::Ule => Op::Ult,
        Op::Slt => Op::Sle,
        Op::Sle => Op::Slt,
        _ => return None,
    };
    binary(op, 1, inner.args[1], inner.args[0])
}

/// `x ∘ x = x`.
fn same(_: &mut Pool, n: &Node) -> Outcome {
    (n.args[0] == n.args[1]).then(|| is(n.args[0]))?
}

/// `x ∘ (x ∙ y) = x` for the dual operation ∙.
fn absorb(pool: &mut Pool, n: &Node, dual: Op) -> Outcome {
    let [a, b, _] = n.args;
    let uses = |whole: ExprId, part: ExprId| {
        pool.operands(dual, whole)
            .is_some_and(|(x, y)| x == part || y == part)
    };
    if uses(b, a) {
        is(a)
    } else if uses(a, b) {
        is(b)
    } else {
        None
    }
}

/// `x ∘ (x ∘ y) = x ∘ y`.
fn repeat(pool: &mut Pool, n: &Node) -> Outcome {
    let [a, b, _] = n.args;
    let uses = |whole: ExprId, part: ExprId| {
        pool.operands(n.op, whole)
            .is_some_and(|(x, y)| x == part || y == part)
    };
    if uses(b, a) {
        is(b)
    } else if uses(a, b) {
        is(a)
    } else {
        None
    }
}

/// `(x ∘ c) ∘ d = x ∘ (c ∘ d)`.
fn constants(pool: &mut Pool, n: &Node, join: fn(u128, u128) -> u128) -> Outcome {
    let d = pool.bits(n.args[1])?;
    let (x, c) = pool.with_constant(n.op, n.args[0])?;
    let both = pool.constant(n.width(), join(c, d));
    binary(n.op, n.width(), x, both)
}

/// `x ⊕ (x ⊕ y) = y`.
fn xor_cancel(pool: &mut Pool, n: &Node) -> Outcome {
    let [a, b, _] = n.args;
    for (part, whole) in [(a, b), (b, a)] {
        if let Some((x, y)) = pool.operands(Op::Xor, whole) {
            if x == part {
                return is(y);
            }
            if y == part {
                return is(x);
            }
        }
    }
    None
}

/// `(h·l) ∘ (g·k) = (h ∘ g)·(l ∘ k)` for concatenations and extensions that split at one bit,
/// and for a constant operand.
fn split(pool: &mut Pool, n: &Node) -> Outcome {
    let ((h, l), (g, k)) = join::split_both(pool, n.args[0], n.args[1])?;
    let high = pool.binary(n.op, h, g);
    let low = pool.binary(n.op, l, k);
    binary(Op::Concat, n.width(), high, low)
}

/// `zext(x) & y = zext(x & y[..])`.
fn and_zext(pool: &mut Pool, n: &Node) -> Outcome {
    let [a, b, _] = n.args;
    let (x, y) = match (pool.operand(Op::ZExt, a), pool.operand(Op::ZExt, b)) {
        (Some(x), Some(y)) if pool.width(x) > pool.width(y) => (y, a),
        (Some(x), _) => (x, b),
        (None, Some(y)) => (y, a),
        (None, None) => return None,
    };
    let y = pool.extract(y, 0, pool.width(x));
    let low = pool.and(x, y);
    unary(Op::ZExt, n.width(), low)
}

/// `x & 0..01..10..0` is an extraction with zeros around.
fn and_mask(pool: &mut Pool, n: &Node) -> Outcome {
    let bits = pool.bits(n.args[1])?;
    let (low, count) = (bits.trailing_zeros(), bits.count_ones());
    if bits == 0 || bits != mask(count) << low {
        return None;
    }
    let mut middle = pool.extract(n.args[0], low, count);
    if low > 0 {
        let zeros = pool.constant(low, 0);
        middle = pool.concat(middle, zeros);
    }
    if low + count == n.width() {
        return is(middle);
    }
    again(Node::new(Op::ZExt, n.width(), middle.0, 0, 0))
}
