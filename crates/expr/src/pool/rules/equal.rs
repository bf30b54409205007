//! Rules for `eq`.

use super::compare::{fits_signed, same_sources};
use super::{Outcome, Rule, binary, is, is_constant, ite, join, rule, truth, unary};
use crate::bits::mask;
use crate::node::{ExprId, Node};
use crate::op::Op;
use crate::pool::Pool;

pub(super) const EQ: &[Rule] = &[
    rule("eq-same", |_, n| {
        (n.args[0] == n.args[1]).then(|| truth(true))?
    }),
    rule("eq-one-bit", |pool, n| match pool.bits(n.args[1])? {
        _ if pool.width(n.args[0]) != 1 => None,
        1 => is(n.args[0]),
        _ => unary(Op::Not, 1, n.args[0]),
    }),
    rule("eq-complement", |pool, n| {
        pool.complementary(n.args[0], n.args[1])
            .then(|| truth(false))?
    }),
    rule("eq-zext-constant", |pool, n| {
        let (x, c) = (pool.operand(Op::ZExt, n.args[0])?, pool.bits(n.args[1])?);
        let width = pool.width(x);
        if c > mask(width) {
            return truth(false);
        }
        let c = pool.constant(width, c);
        binary(Op::Eq, 1, x, c)
    }),
    rule("eq-sext-constant", |pool, n| {
        let (x, c) = (pool.operand(Op::SExt, n.args[0])?, pool.bits(n.args[1])?);
        let width = pool.width(x);
        if !fits_signed(c, pool.width(n.args[0]), width) {
            return truth(false);
        }
        let c = pool.constant(width, c);
        binary(Op::Eq, 1, x, c)
    }),
    rule("eq-extended", |pool, n| {
        let (x, y) = same_sources(pool, n.args[0], n.args[1])?;
        binary(Op::Eq, 1, x, y)
    }),
    rule("eq-inverted", eq_inverted),
    rule("eq-both-inverted", |pool, n| {
        let (a, b) = (*pool.node(n.args[0]), *pool.node(n.args[1]));
        (a.op == b.op && matches!(a.op, Op::Not | Op::Neg))
            .then(|| binary(Op::Eq, 1, a.args[0], b.args[0]))?
    }),
    rule("eq-difference-zero", |pool, n| {
        let zero = pool.bits(n.args[1])? == 0;
        let inner = *pool.node(n.args[0]);
        (zero && matches!(inner.op, Op::Xor | Op::Sub))
            .then(|| binary(Op::Eq, 1, inner.args[0], inner.args[1]))?
    }),
    rule("eq-or-zero", |pool, n| {
        let zero = pool.bits(n.args[1])? == 0;
        let (x, y) = pool.operands(Op::Or, n.args[0])?;
        zero.then(|| both_equal(pool, (x, n.args[1]), (y, n.args[1])))?
    }),
    rule("eq-cancel", eq_cancel),
    rule("eq-split", |pool, n| {
        let ((h, l), (g, k)) = join::split_both(pool, n.args[0], n.args[1])?;
        both_equal(pool, (h, g), (l, k))
    }),
    rule("eq-ite-constants", ite::predicate_of_constants),
    rule("eq-ite-constant", eq_ite_constant),
];

/// `(x ∘ c = d) = (x = d ∘⁻¹ c)`.
fn eq_inverted(pool: &mut Pool, n: &Node) -> Outcome {
    let d = pool.bits(n.args[1])?;
    let inner = *pool.node(n.args[0]);
    let [x, y, _] = inner.args;
    let (operand, value) = match inner.op {
        Op::Not => (x, !d),
        Op::Neg => (x, d.wrapping_neg()),
        Op::Add => (x, d.wrapping_sub(pool.bits(y)?)),
        Op::Xor => (x, d ^ pool.bits(y)?),
        Op::Sub => (y, pool.bits(x)?.wrapping_sub(d)),
        Op::Mul => (x, d.wrapping_mul(odd_inverse(pool.bits(y)?)?)),
        _ => return None,
    };
    let value = pool.constant(inner.width(), value);
    binary(Op::Eq, 1, operand, value)
}

/// The multiplicative inverse of an odd number modulo 2^128, hence modulo every smaller power.
fn odd_inverse(c: u128) -> Option<u128> {
    if c & 1 == 0 {
        return None;
    }
    // Newton's iteration doubles the number of right bits; c is its own inverse modulo 8.
    let mut inverse = c;
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(c.wrapping_mul(inverse)));
    }
    Some(inverse)
}

/// `(x + y = x) = (y = 0)`, likewise for `xor` and for `x - y`.
fn eq_cancel(pool: &mut Pool, n: &Node) -> Outcome {
    for (whole, part) in [(n.args[0], n.args[1]), (n.args[1], n.args[0])] {
        let inner = *pool.node(whole);
        let [x, y, _] = inner.args;
        let rest = match inner.op {
            Op::Add | Op::Xor if x == part => y,
            Op::Add | Op::Xor if y == part => x,
            Op::Sub if x == part => y,
            _ => continue,
        };
        let zero = pool.constant(inner.width(), 0);
        return binary(Op::Eq, 1, rest, zero);
    }
    None
}

/// `a = b ∧ c = d`.
fn both_equal(pool: &mut Pool, first: (ExprId, ExprId), second: (ExprId, ExprId)) -> Outcome {
    let first = pool.eq(first.0, first.1);
    if first == ExprId::FALSE {
        return truth(false);
    }
    let second = pool.eq(second.0, second.1);
    binary(Op::And, 1, first, second)
}

/// `(ite(c, k, x) = d)` is `c ∨ x = d` where `k = d`, else `¬c ∧ x = d`; likewise with the
/// constant in the other branch.
fn eq_ite_constant(pool: &mut Pool, n: &Node) -> Outcome {
    let d = pool.bits(n.args[1])?;
    let inner = *pool.node(n.args[0]);
    if inner.op != Op::Ite {
        return None;
    }
    let [c, t, e] = inner.args;
    let (condition, known, open) = match (pool.bits(t), pool.bits(e)) {
        (Some(k), None) => (c, k, e),
        (None, Some(k)) => (pool.not(c), k, t),
        _ => return None,
    };
    let rest = pool.eq(open, n.args[1]);
    if known == d {
        return binary(Op::Or, 1, condition, rest);
    }
    if rest == ExprId::FALSE {
        return is_constant(pool, 1, 0);
    }
    let not_condition = pool.not(condition);
    binary(Op::And, 1, not_condition, rest)
}
