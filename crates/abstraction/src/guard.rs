//! Conditions under which a block comes to a place.
//!
//! A guard is a conjunction, the decisions in order. Guards of paths that join are disjunctions;
//! decisions in which the paths differ, and nothing else, are gone again where the paths join.

use labrys_expr::{ExprId, Pool};

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Guard(Vec<ExprId>);

impl Guard {
    /// Adds a decision.
    pub(crate) fn push(&mut self, condition: ExprId) {
        if condition != ExprId::TRUE && !self.0.contains(&condition) {
            self.0.push(condition);
        }
    }

    /// The same with one more decision.
    pub(crate) fn with(&self, condition: ExprId) -> Self {
        let mut guard = self.clone();
        guard.push(condition);
        guard
    }

    /// Whether it is certainly false.
    pub(crate) fn is_false(&self, pool: &mut Pool) -> bool {
        self.0.contains(&ExprId::FALSE)
            || self.0.last().is_some_and(|last| {
                let opposite = pool.not(*last);
                self.0.contains(&opposite)
            })
    }

    /// As an expression.
    pub(crate) fn condition(&self, pool: &mut Pool) -> ExprId {
        pool.all(self.0.iter().copied())
    }

    /// The guard of two paths that join, and what tells the first from the second.
    pub(crate) fn join(pool: &mut Pool, first: &Guard, second: &Guard) -> (Guard, ExprId) {
        let pairs = first.0.iter().zip(&second.0);
        let common = pairs.take_while(|(a, b)| a == b).count();
        let (a, b) = (&first.0[common..], &second.0[common..]);
        let choice = pool.all(a.iter().copied());
        let other = pool.all(b.iter().copied());
        let mut joined = Guard(first.0[..common].to_vec());
        joined.push(either(pool, choice, other));
        (joined, choice)
    }

    /// How many decisions two guards have in common at their beginning.
    pub(crate) fn common(&self, other: &Guard) -> usize {
        self.0
            .iter()
            .zip(&other.0)
            .take_while(|(a, b)| a == b)
            .count()
    }
}

/// `a ∨ b`, where `a ∨ (¬a ∧ b) = a ∨ b`.
fn either(pool: &mut Pool, a: ExprId, b: ExprId) -> ExprId {
    let not_a = pool.not(a);
    if b == not_a {
        return ExprId::TRUE;
    }
    let without = |pool: &mut Pool, whole: ExprId, part: ExprId| {
        let (parts, mut stack) = (&mut Vec::new(), vec![whole]);
        while let Some(id) = stack.pop() {
            match pool.node(id).operands() {
                [x, y] if pool.op(id) == labrys_expr::Op::And => stack.extend([*x, *y]),
                _ => parts.push(id),
            }
        }
        let before = parts.len();
        parts.retain(|id| *id != part);
        (parts.len() < before).then(|| pool.all(parts.iter().copied()))
    };
    let not_b = pool.not(b);
    if let Some(rest) = without(pool, b, not_a) {
        return pool.or(a, rest);
    }
    if let Some(rest) = without(pool, a, not_b) {
        return pool.or(rest, b);
    }
    pool.or(a, b)
}
