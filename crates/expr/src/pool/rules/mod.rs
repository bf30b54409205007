//! Simplification at construction: one table of named rules for each operation.
//!
//! A rule looks at one node and the nodes next to it and says what equals it: an expression that
//! exists, or another node, to which the rules are applied again. Law (tested exhaustively at
//! four bits for every rule, and on random expressions at all widths): a rule preserves the
//! value under every assignment.
//!
//! Normal form: constants stand right; subtraction of a constant is an addition; shifts by
//! constants and contiguous masks are extractions, concatenations and extensions; concatenations
//! nest to the right and have no zeros on top; comparisons with constants are strict.

mod arithmetic;
mod bits;
mod compare;
mod equal;
mod float;
mod ite;
mod join;
mod logic;
mod order;
mod shift;

use crate::fold;
use crate::node::{ExprId, Node};
use crate::op::Op;
use crate::pool::Pool;

/// What equals a node.
pub(crate) enum Rewrite {
    /// This expression.
    Is(ExprId),
    /// This node, which may be simplified further.
    Again(Node),
}

type Outcome = Option<Rewrite>;

/// A simplification of one node.
pub(crate) struct Rule {
    /// Name, unique among the rules of an operation.
    pub(crate) name: &'static str,
    /// What equals the node, where the rule applies.
    pub(crate) apply: fn(&mut Pool, &Node) -> Outcome,
}

/// A row of a rule table.
const fn rule(name: &'static str, apply: fn(&mut Pool, &Node) -> Outcome) -> Rule {
    Rule { name, apply }
}

/// The rules of an operation, in the order in which they are tried.
pub(crate) const fn table(op: Op) -> &'static [Rule] {
    match op {
        Op::Const | Op::Symbol | Op::External => &[],
        Op::Not => logic::NOT,
        Op::Neg => arithmetic::NEG,
        Op::ZExt => bits::ZEXT,
        Op::SExt => bits::SEXT,
        Op::Extract => bits::EXTRACT,
        Op::Concat => bits::CONCAT,
        Op::Ite => ite::ITE,
        Op::Add => arithmetic::ADD,
        Op::Sub => arithmetic::SUB,
        Op::Mul => arithmetic::MUL,
        Op::UDiv => arithmetic::UDIV,
        Op::SDiv => arithmetic::SDIV,
        Op::URem => arithmetic::UREM,
        Op::SRem => arithmetic::SREM,
        Op::Shl => shift::SHL,
        Op::LShr => shift::LSHR,
        Op::AShr => shift::ASHR,
        Op::And => logic::AND,
        Op::Or => logic::OR,
        Op::Xor => logic::XOR,
        Op::Eq => equal::EQ,
        Op::Ult => order::ULT,
        Op::Ule => order::ULE,
        Op::Slt => order::SLT,
        Op::Sle => order::SLE,
        Op::PopCount | Op::LeadingZeros | Op::TrailingZeros => bits::COUNT,
        Op::Table => bits::TABLE,
        _ => float::table(op),
    }
}

/// The names of all simplification rules with the operations that they apply to.
pub fn rule_names() -> impl Iterator<Item = (Op, &'static str)> {
    Op::ALL
        .into_iter()
        .flat_map(|op| table(op).iter().map(move |rule| (op, rule.name)))
}

/// The outcome of the first rule that applies.
pub(crate) fn first(pool: &mut Pool, node: &Node) -> Outcome {
    if let Some(folded) = fold(pool, node) {
        return Some(folded);
    }
    table(node.op)
        .iter()
        .find_map(|rule| (rule.apply)(pool, node))
}

/// Constant folding: the one rule that always applies, however deep the construction.
pub(crate) fn fold(pool: &mut Pool, node: &Node) -> Outcome {
    if matches!(node.op, Op::Const | Op::Symbol | Op::Table | Op::External) {
        return None;
    }
    let mut bits = [0; 3];
    for (bits, operand) in bits.iter_mut().zip(node.operands()) {
        *bits = pool.bits(*operand)?;
    }
    let [a, mut b, c] = bits;
    if matches!(node.op, Op::Extract | Op::FRound) {
        b = u128::from(node.args[1].0);
    }
    let from = pool.width(node.args[0]);
    is_constant(
        pool,
        node.width(),
        fold::apply(node.op, node.width(), from, a, b, c),
    )
}

fn is(id: ExprId) -> Outcome {
    Some(Rewrite::Is(id))
}

fn again(node: Node) -> Outcome {
    Some(Rewrite::Again(node))
}

fn is_constant(pool: &mut Pool, width: u32, bits: u128) -> Outcome {
    is(pool.constant(width, bits))
}

fn truth(value: bool) -> Outcome {
    is(if value { ExprId::TRUE } else { ExprId::FALSE })
}

fn unary(op: Op, width: u32, a: ExprId) -> Outcome {
    again(Node::new(op, width, a.0, 0, 0))
}

fn binary(op: Op, width: u32, a: ExprId, b: ExprId) -> Outcome {
    again(Node::new(op, width, a.0, b.0, 0))
}

#[cfg(test)]
mod tests;
