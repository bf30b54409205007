//! Rules for shifts: by a constant they are extractions with zeros or sign bits attached.

use super::{Outcome, Rule, binary, is, is_constant, rule, unary};
use crate::bits::mask;
use crate::node::Node;
use crate::op::Op;
use crate::pool::Pool;

pub(super) const SHL: &[Rule] = &[
    rule("shl-constant", shl_constant),
    rule("shl-of-zero", of_zero),
    rule("shl-one-bit", one_bit),
];

pub(super) const LSHR: &[Rule] = &[
    rule("lshr-constant", lshr_constant),
    rule("lshr-of-zero", of_zero),
    rule("lshr-one-bit", one_bit),
];

pub(super) const ASHR: &[Rule] = &[
    rule("ashr-constant", ashr_constant),
    rule("ashr-of-zero", of_zero),
    rule("ashr-of-ones", |pool, n| {
        (pool.bits(n.args[0])? == mask(n.width())).then(|| is(n.args[0]))?
    }),
    rule("ashr-one-bit", |_, n| {
        (n.width() == 1).then(|| is(n.args[0]))?
    }),
    rule("ashr-zext", |pool, n| {
        pool.operand(Op::ZExt, n.args[0])?;
        binary(Op::LShr, n.width(), n.args[0], n.args[1])
    }),
];

fn of_zero(pool: &mut Pool, n: &Node) -> Outcome {
    (pool.bits(n.args[0])? == 0).then(|| is(n.args[0]))?
}

/// One bit survives where it is shifted by 0.
fn one_bit(pool: &mut Pool, n: &Node) -> Outcome {
    if n.width() != 1 {
        return None;
    }
    let stays = pool.not(n.args[1]);
    binary(Op::And, 1, n.args[0], stays)
}

fn shl_constant(pool: &mut Pool, n: &Node) -> Outcome {
    let by = pool.bits(n.args[1])?;
    if by == 0 {
        return is(n.args[0]);
    }
    if by >= u128::from(n.width()) {
        return is_constant(pool, n.width(), 0);
    }
    let by = by as u32;
    let kept = pool.extract(n.args[0], 0, n.width() - by);
    let zeros = pool.constant(by, 0);
    binary(Op::Concat, n.width(), kept, zeros)
}

fn lshr_constant(pool: &mut Pool, n: &Node) -> Outcome {
    let by = pool.bits(n.args[1])?;
    if by == 0 {
        return is(n.args[0]);
    }
    if by >= u128::from(n.width()) {
        return is_constant(pool, n.width(), 0);
    }
    let by = by as u32;
    let kept = pool.extract(n.args[0], by, n.width() - by);
    unary(Op::ZExt, n.width(), kept)
}

fn ashr_constant(pool: &mut Pool, n: &Node) -> Outcome {
    let by = pool.bits(n.args[1])?;
    if by == 0 {
        return is(n.args[0]);
    }
    let by = by.min(u128::from(n.width() - 1)) as u32;
    let kept = pool.extract(n.args[0], by, n.width() - by);
    is(pool.sext(kept, n.width()))
}
