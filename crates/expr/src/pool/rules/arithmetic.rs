//! Rules for sums, products and quotients.

use super::{Outcome, Rule, binary, is, is_constant, join, rule, unary};
use crate::bits::mask;
use crate::node::{ExprId, Node};
use crate::op::Op;
use crate::pool::Pool;

pub(super) const NEG: &[Rule] = &[
    rule("neg-one-bit", |_, n| {
        (n.width() == 1).then(|| is(n.args[0]))?
    }),
    rule("neg-neg", |pool, n| is(pool.operand(Op::Neg, n.args[0])?)),
    rule("neg-sub", |pool, n| {
        let (x, y) = pool.operands(Op::Sub, n.args[0])?;
        binary(Op::Sub, n.width(), y, x)
    }),
    rule("neg-add-constant", |pool, n| {
        let (x, c) = pool.with_constant(Op::Add, n.args[0])?;
        let c = pool.constant(n.width(), c.wrapping_neg());
        binary(Op::Sub, n.width(), c, x)
    }),
    rule("neg-not", |pool, n| {
        let x = pool.operand(Op::Not, n.args[0])?;
        let one = pool.constant(n.width(), 1);
        binary(Op::Add, n.width(), x, one)
    }),
    rule("neg-mul-constant", |pool, n| {
        let (x, c) = pool.with_constant(Op::Mul, n.args[0])?;
        let c = pool.constant(n.width(), c.wrapping_neg());
        binary(Op::Mul, n.width(), x, c)
    }),
    rule("neg-zext-bit", |pool, n| {
        let x = pool.operand(Op::ZExt, n.args[0])?;
        (pool.width(x) == 1).then(|| unary(Op::SExt, n.width(), x))?
    }),
    rule("neg-sext-bit", |pool, n| {
        let x = pool.operand(Op::SExt, n.args[0])?;
        (pool.width(x) == 1).then(|| unary(Op::ZExt, n.width(), x))?
    }),
];

pub(super) const ADD: &[Rule] = &[
    rule("add-zero", |pool, n| {
        (pool.bits(n.args[1])? == 0).then(|| is(n.args[0]))?
    }),
    rule("add-one-bit", |_, n| {
        (n.width() == 1).then(|| binary(Op::Xor, 1, n.args[0], n.args[1]))?
    }),
    rule("add-constant", add_constant),
    rule("add-neg", |pool, n| {
        let [a, b, _] = n.args;
        match (pool.operand(Op::Neg, a), pool.operand(Op::Neg, b)) {
            (_, Some(y)) => binary(Op::Sub, n.width(), a, y),
            (Some(x), None) => binary(Op::Sub, n.width(), b, x),
            _ => None,
        }
    }),
    rule("add-complement", |pool, n| {
        pool.complementary(n.args[0], n.args[1])
            .then(|| is_constant(pool, n.width(), !0))?
    }),
    rule("add-sub-cancel", add_sub_cancel),
    rule("add-double", |pool, n| {
        let one = pool.constant(n.width(), 1);
        (n.args[0] == n.args[1]).then(|| binary(Op::Shl, n.width(), n.args[0], one))?
    }),
    rule("add-join", join::join),
    rule("add-hoist-constant", |pool, n| {
        let (x, y, c) = hoist(pool, n.args[0], n.args[1])?;
        let sum = pool.add(x, y);
        binary(Op::Add, n.width(), sum, c)
    }),
];

pub(super) const SUB: &[Rule] = &[
    rule("sub-one-bit", |_, n| {
        (n.width() == 1).then(|| binary(Op::Xor, 1, n.args[0], n.args[1]))?
    }),
    rule("sub-same", |pool, n| {
        (n.args[0] == n.args[1]).then(|| is_constant(pool, n.width(), 0))?
    }),
    rule("sub-constant", |pool, n| {
        let c = pool.bits(n.args[1])?;
        let c = pool.constant(n.width(), c.wrapping_neg());
        binary(Op::Add, n.width(), n.args[0], c)
    }),
    rule("sub-from-zero", |pool, n| {
        (pool.bits(n.args[0])? == 0).then(|| unary(Op::Neg, n.width(), n.args[1]))?
    }),
    rule("sub-from-constant", sub_from_constant),
    rule("sub-neg", |pool, n| {
        let y = pool.operand(Op::Neg, n.args[1])?;
        binary(Op::Add, n.width(), n.args[0], y)
    }),
    rule("sub-cancel", sub_cancel),
    rule("sub-hoist-left", |pool, n| {
        let (x, c) = pool.with_constant(Op::Add, n.args[0])?;
        let difference = pool.sub(x, n.args[1]);
        let c = pool.constant(n.width(), c);
        binary(Op::Add, n.width(), difference, c)
    }),
    rule("sub-hoist-right", |pool, n| {
        let (y, c) = pool.with_constant(Op::Add, n.args[1])?;
        let difference = pool.sub(n.args[0], y);
        let c = pool.constant(n.width(), c.wrapping_neg());
        binary(Op::Add, n.width(), difference, c)
    }),
];

pub(super) const MUL: &[Rule] = &[
    rule("mul-one-bit", |_, n| {
        (n.width() == 1).then(|| binary(Op::And, 1, n.args[0], n.args[1]))?
    }),
    rule("mul-zero", |pool, n| {
        (pool.bits(n.args[1])? == 0).then(|| is(n.args[1]))?
    }),
    rule("mul-one", |pool, n| {
        (pool.bits(n.args[1])? == 1).then(|| is(n.args[0]))?
    }),
    rule("mul-minus-one", |pool, n| {
        (pool.bits(n.args[1])? == mask(n.width())).then(|| unary(Op::Neg, n.width(), n.args[0]))?
    }),
    rule("mul-power-of-two", |pool, n| {
        let by = power_of_two(pool, n.args[1])?;
        let by = pool.constant(n.width(), u128::from(by));
        binary(Op::Shl, n.width(), n.args[0], by)
    }),
    rule("mul-constants", |pool, n| {
        let d = pool.bits(n.args[1])?;
        let (x, c) = pool.with_constant(Op::Mul, n.args[0])?;
        let both = pool.constant(n.width(), c.wrapping_mul(d));
        binary(Op::Mul, n.width(), x, both)
    }),
    rule("mul-neg-constant", |pool, n| {
        let (x, c) = (pool.operand(Op::Neg, n.args[0])?, pool.bits(n.args[1])?);
        let c = pool.constant(n.width(), c.wrapping_neg());
        binary(Op::Mul, n.width(), x, c)
    }),
];

pub(super) const UDIV: &[Rule] = &[
    rule("udiv-zero", |pool, n| {
        (pool.bits(n.args[1])? == 0).then(|| is_constant(pool, n.width(), !0))?
    }),
    rule("udiv-power-of-two", |pool, n| {
        let by = power_of_two(pool, n.args[1])?;
        let by = pool.constant(n.width(), u128::from(by));
        binary(Op::LShr, n.width(), n.args[0], by)
    }),
    rule("udiv-zext-constant", |pool, n| {
        narrow_division(pool, n, Op::UDiv)
    }),
];

pub(super) const UREM: &[Rule] = &[
    rule("urem-zero", |pool, n| {
        (pool.bits(n.args[1])? == 0).then(|| is(n.args[0]))?
    }),
    rule("urem-power-of-two", |pool, n| {
        power_of_two(pool, n.args[1])?;
        let bits = pool.bits(n.args[1])?;
        let ones = pool.constant(n.width(), bits - 1);
        binary(Op::And, n.width(), n.args[0], ones)
    }),
    rule("urem-same", |pool, n| {
        (n.args[0] == n.args[1]).then(|| is_constant(pool, n.width(), 0))?
    }),
    rule("urem-zext-constant", |pool, n| {
        narrow_division(pool, n, Op::URem)
    }),
    rule("urem-zext-zext", |pool, n| {
        let x = pool.operand(Op::ZExt, n.args[0])?;
        let y = pool.operand(Op::ZExt, n.args[1])?;
        let width = pool.width(x).max(pool.width(y));
        if width == n.width() {
            return None;
        }
        let (x, y) = (pool.zext(x, width), pool.zext(y, width));
        let rest = pool.binary(Op::URem, x, y);
        unary(Op::ZExt, n.width(), rest)
    }),
];

pub(super) const SDIV: &[Rule] = &[
    rule("sdiv-one", |pool, n| {
        (n.width() > 1 && pool.bits(n.args[1])? == 1).then(|| is(n.args[0]))?
    }),
    rule("sdiv-minus-one", |pool, n| {
        (pool.bits(n.args[1])? == mask(n.width())).then(|| unary(Op::Neg, n.width(), n.args[0]))?
    }),
    rule("sdiv-not-negative", |pool, n| {
        (not_negative(pool, n.args[0]) && not_negative(pool, n.args[1]))
            .then(|| binary(Op::UDiv, n.width(), n.args[0], n.args[1]))?
    }),
];

pub(super) const SREM: &[Rule] = &[
    rule("srem-one", |pool, n| {
        let c = pool.bits(n.args[1])?;
        (c == 1 || c == mask(n.width())).then(|| is_constant(pool, n.width(), 0))?
    }),
    rule("srem-zero", |pool, n| {
        (pool.bits(n.args[1])? == 0).then(|| is(n.args[0]))?
    }),
    rule("srem-not-negative", |pool, n| {
        (not_negative(pool, n.args[0]) && not_negative(pool, n.args[1]))
            .then(|| binary(Op::URem, n.width(), n.args[0], n.args[1]))?
    }),
];

/// The exponent of a constant power of two.
fn power_of_two(pool: &Pool, id: ExprId) -> Option<u32> {
    let bits = pool.bits(id)?;
    bits.is_power_of_two().then(|| bits.trailing_zeros())
}

/// Whether the sign bit is known to be 0.
fn not_negative(pool: &Pool, id: ExprId) -> bool {
    match pool.bits(id) {
        Some(bits) => bits >> (pool.width(id) - 1) == 0,
        None => pool.op(id) == Op::ZExt,
    }
}

/// Sums with a constant on the right: `(x + c) + d`, `(c - x) + d` and `~x + d`.
fn add_constant(pool: &mut Pool, n: &Node) -> Outcome {
    let d = pool.bits(n.args[1])?;
    let inner = *pool.node(n.args[0]);
    match inner.op {
        Op::Add => {
            let c = pool.bits(inner.args[1])?;
            let sum = pool.constant(n.width(), c.wrapping_add(d));
            binary(Op::Add, n.width(), inner.args[0], sum)
        }
        Op::Sub => {
            let c = pool.bits(inner.args[0])?;
            let sum = pool.constant(n.width(), c.wrapping_add(d));
            binary(Op::Sub, n.width(), sum, inner.args[1])
        }
        Op::Not => {
            let less = pool.constant(n.width(), d.wrapping_sub(1));
            binary(Op::Sub, n.width(), less, inner.args[0])
        }
        _ => None,
    }
}

/// `(x - y) + y = x`.
fn add_sub_cancel(pool: &mut Pool, n: &Node) -> Outcome {
    let [a, b, _] = n.args;
    let left = pool.operands(Op::Sub, a).filter(|(_, y)| *y == b);
    let right = pool.operands(Op::Sub, b).filter(|(_, y)| *y == a);
    is(left.or(right)?.0)
}

/// `x`, `y` and `c` of `(x + c) + y` or `y + (x + c)`.
fn hoist(pool: &mut Pool, a: ExprId, b: ExprId) -> Option<(ExprId, ExprId, ExprId)> {
    let addend = |id: ExprId| {
        let (x, c) = pool.operands(Op::Add, id)?;
        pool.bits(c).map(|_| (x, c))
    };
    match (addend(a), addend(b)) {
        (Some((x, c)), _) => Some((x, b, c)),
        (None, Some((y, c))) => Some((a, y, c)),
        (None, None) => None,
    }
}

/// Differences with a constant on the left: `c - (x + d)`, `c - (d - x)`, `c - ~x`.
fn sub_from_constant(pool: &mut Pool, n: &Node) -> Outcome {
    let c = pool.bits(n.args[0])?;
    let inner = *pool.node(n.args[1]);
    match inner.op {
        Op::Add => {
            let d = pool.bits(inner.args[1])?;
            let less = pool.constant(n.width(), c.wrapping_sub(d));
            binary(Op::Sub, n.width(), less, inner.args[0])
        }
        Op::Sub => {
            let d = pool.bits(inner.args[0])?;
            let less = pool.constant(n.width(), c.wrapping_sub(d));
            binary(Op::Add, n.width(), inner.args[1], less)
        }
        Op::Not => {
            let more = pool.constant(n.width(), c.wrapping_add(1));
            binary(Op::Add, n.width(), inner.args[0], more)
        }
        _ => None,
    }
}

/// `(x + y) - y = x`, `x - (x - y) = y`, `x - (x + y) = -y` and `(x - y) - x = -y`.
fn sub_cancel(pool: &mut Pool, n: &Node) -> Outcome {
    let [a, b, _] = n.args;
    if let Some((x, y)) = pool.operands(Op::Add, a) {
        if x == b {
            return is(y);
        }
        if y == b {
            return is(x);
        }
    }
    if let Some((x, y)) = pool.operands(Op::Sub, b) {
        if x == a {
            return is(y);
        }
    }
    if let Some((x, y)) = pool.operands(Op::Add, b) {
        if x == a {
            return unary(Op::Neg, n.width(), y);
        }
        if y == a {
            return unary(Op::Neg, n.width(), x);
        }
    }
    let (x, y) = pool.operands(Op::Sub, a)?;
    (x == b).then(|| unary(Op::Neg, n.width(), y))?
}

/// `zext(x) / c = zext(x / c)` and likewise for the remainder; c is not 0.
fn narrow_division(pool: &mut Pool, n: &Node, op: Op) -> Outcome {
    let x = pool.operand(Op::ZExt, n.args[0])?;
    let (c, width) = (pool.bits(n.args[1])?, pool.width(x));
    if c == 0 {
        return None;
    }
    if c > mask(width) {
        return match op {
            Op::UDiv => is_constant(pool, n.width(), 0),
            _ => is(n.args[0]),
        };
    }
    let c = pool.constant(width, c);
    let narrow = pool.binary(op, x, c);
    unary(Op::ZExt, n.width(), narrow)
}
