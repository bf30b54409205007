//! Rules for `ite`, and for operations on an `ite` between constants.

use super::{Outcome, Rule, again, binary, is, is_constant, rule, unary};
use crate::bits::mask;
use crate::fold;
use crate::node::{ExprId, Node};
use crate::op::Op;
use crate::pool::Pool;

pub(super) const ITE: &[Rule] = &[
    rule("ite-known", |_, n| match n.args[0] {
        ExprId::TRUE => is(n.args[1]),
        ExprId::FALSE => is(n.args[2]),
        _ => None,
    }),
    rule("ite-same", |_, n| {
        (n.args[1] == n.args[2]).then(|| is(n.args[1]))?
    }),
    rule("ite-not", |pool, n| {
        let c = pool.operand(Op::Not, n.args[0])?;
        again(Node::new(Op::Ite, n.width(), c.0, n.args[2].0, n.args[1].0))
    }),
    rule("ite-logic", ite_logic),
    rule("ite-extended-condition", ite_extended),
    rule("ite-nested", ite_nested),
    rule("ite-shared-branch", ite_shared),
];

/// At one bit, `ite` with a constant or the condition itself as a branch is `and` or `or`.
fn ite_logic(pool: &mut Pool, n: &Node) -> Outcome {
    if n.width() != 1 {
        return None;
    }
    let [c, t, e] = n.args;
    if t == ExprId::TRUE || t == c {
        return binary(Op::Or, 1, c, e);
    }
    if e == ExprId::FALSE || e == c {
        return binary(Op::And, 1, c, t);
    }
    if t == ExprId::FALSE || pool.complementary(t, c) {
        let not_c = pool.not(c);
        return binary(Op::And, 1, not_c, e);
    }
    if e == ExprId::TRUE || pool.complementary(e, c) {
        let not_c = pool.not(c);
        return binary(Op::Or, 1, not_c, t);
    }
    None
}

/// `ite(c, 1, 0) = zext(c)`, `ite(c, -1, 0) = sext(c)` and both with the branches exchanged.
fn ite_extended(pool: &mut Pool, n: &Node) -> Outcome {
    let (t, e) = (pool.bits(n.args[1])?, pool.bits(n.args[2])?);
    if n.width() == 1 {
        return None;
    }
    let op = match t | e {
        1 => Op::ZExt,
        all if all == mask(n.width()) => Op::SExt,
        _ => return None,
    };
    if t == 0 {
        let not_c = pool.not(n.args[0]);
        return unary(op, n.width(), not_c);
    }
    (e == 0).then(|| unary(op, n.width(), n.args[0]))?
}

/// A branch that is an `ite` on the same condition has one possible outcome.
fn ite_nested(pool: &mut Pool, n: &Node) -> Outcome {
    let [c, t, e] = n.args;
    let (then, other) = (*pool.node(t), *pool.node(e));
    if then.op == Op::Ite && then.args[0] == c {
        return again(Node::new(Op::Ite, n.width(), c.0, then.args[1].0, e.0));
    }
    if other.op == Op::Ite && other.args[0] == c {
        return again(Node::new(Op::Ite, n.width(), c.0, t.0, other.args[2].0));
    }
    None
}

/// `ite(c, x, ite(d, x, y)) = ite(c ∨ d, x, y)` and `ite(c, ite(d, x, y), y) = ite(c ∧ d, x, y)`.
fn ite_shared(pool: &mut Pool, n: &Node) -> Outcome {
    let [c, t, e] = n.args;
    let (then, other) = (*pool.node(t), *pool.node(e));
    if other.op == Op::Ite && other.args[1] == t {
        let either = pool.or(c, other.args[0]);
        return again(Node::new(
            Op::Ite,
            n.width(),
            either.0,
            t.0,
            other.args[2].0,
        ));
    }
    if then.op == Op::Ite && then.args[2] == e {
        let both = pool.and(c, then.args[0]);
        return again(Node::new(Op::Ite, n.width(), both.0, then.args[1].0, e.0));
    }
    None
}

/// `f(ite(c, k, m)) = ite(c, f(k), f(m))` for an operation f of one operand.
pub(super) fn map_constants(pool: &mut Pool, n: &Node) -> Outcome {
    let inner = *pool.node(n.args[0]);
    if inner.op != Op::Ite {
        return None;
    }
    let (k, m) = (pool.bits(inner.args[1])?, pool.bits(inner.args[2])?);
    let payload = if n.op == Op::Extract {
        u128::from(n.low())
    } else {
        0
    };
    let from = inner.width();
    let k = fold::apply(n.op, n.width(), from, k, payload, 0);
    let m = fold::apply(n.op, n.width(), from, m, payload, 0);
    let (k, m) = (pool.constant(n.width(), k), pool.constant(n.width(), m));
    again(Node::new(Op::Ite, n.width(), inner.args[0].0, k.0, m.0))
}

/// A predicate on an `ite` between constants and a constant, on either side.
pub(super) fn predicate_of_constants(pool: &mut Pool, n: &Node) -> Outcome {
    let [a, b, _] = n.args;
    let width = pool.width(a);
    let (choice, fixed, left) = match (pool.bits(a), pool.bits(b)) {
        (None, Some(fixed)) => (a, fixed, true),
        (Some(fixed), None) => (b, fixed, false),
        _ => return None,
    };
    let inner = *pool.node(choice);
    if inner.op != Op::Ite {
        return None;
    }
    let outcome = |branch: ExprId| {
        let bits = pool.bits(branch)?;
        let (x, y) = if left { (bits, fixed) } else { (fixed, bits) };
        Some(fold::apply(n.op, 1, width, x, y, 0))
    };
    let (t, e) = (outcome(inner.args[1])?, outcome(inner.args[2])?);
    match (t, e) {
        (1, 0) => is(inner.args[0]),
        (0, 1) => unary(Op::Not, 1, inner.args[0]),
        _ => is_constant(pool, 1, t),
    }
}
