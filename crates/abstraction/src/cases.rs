//! The values that an expression is chosen from: addresses and numbers of bytes that differ from
//! path to path, as one value for each of them.

use labrys_expr::{ExprId, Op, Pool};

/// Values that are told apart.
const MAX: usize = 64;
/// Operations that are looked into, in each other.
const DEPTH: u32 = 400;

/// A value, and a condition under which the expression has it.
pub(crate) type Case = (ExprId, ExprId);

/// The cases of an expression, which exclude each other; itself, if there are too many.
pub(crate) fn cases(pool: &mut Pool, id: ExprId) -> Vec<Case> {
    let found = split(pool, id, DEPTH);
    found.unwrap_or_else(|| vec![(ExprId::TRUE, id)])
}

fn split(pool: &mut Pool, id: ExprId, depth: u32) -> Option<Vec<Case>> {
    let depth = depth.checked_sub(1)?;
    let (op, width) = (pool.op(id), pool.width(id));
    let operands = pool.node(id).operands().to_vec();
    match (op, &operands[..]) {
        (Op::Ite, [condition, a, b]) => {
            let opposite = pool.not(*condition);
            let mut all = Vec::new();
            for (condition, part) in [(*condition, *a), (opposite, *b)] {
                for (own, value) in split(pool, part, depth)? {
                    let own = pool.and(condition, own);
                    add(pool, &mut all, (own, value))?;
                }
            }
            Some(all)
        }
        (Op::Add | Op::Sub | Op::Mul | Op::And | Op::Or | Op::Shl, [a, b]) if width > 1 => {
            let (a, b) = (split(pool, *a, depth)?, split(pool, *b, depth)?);
            let mut all = Vec::new();
            for (first, x) in &a {
                for (second, y) in &b {
                    let condition = pool.and(*first, *second);
                    let value = pool.binary(op, *x, *y);
                    add(pool, &mut all, (condition, value))?;
                }
            }
            Some(all)
        }
        (Op::ZExt | Op::SExt | Op::Extract, [a]) => {
            let low = pool.node(id).low();
            let parts = split(pool, *a, depth)?.into_iter();
            let mut other = |value| match op {
                Op::ZExt => pool.zext(value, width),
                Op::Extract => pool.extract(value, low, width),
                _ => pool.sext(value, width),
            };
            Some(parts.map(|(own, value)| (own, other(value))).collect())
        }
        _ => Some(vec![(ExprId::TRUE, id)]),
    }
}

fn add(pool: &mut Pool, all: &mut Vec<Case>, (condition, value): Case) -> Option<()> {
    if condition == ExprId::FALSE {
        return Some(());
    }
    if let Some((known, _)) = all.iter_mut().find(|(_, known)| *known == value) {
        *known = pool.or(*known, condition);
        return Some(());
    }
    all.push((condition, value));
    (all.len() <= MAX).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_expr::Symbol;

    #[test]
    fn sums_of_choices_are_constants() {
        let mut pool = Pool::new();
        let [a, b] = [0, 1].map(|at| pool.input(0, at, 1));
        let zero = pool.constant(8, 0);
        let [a, b] = [a, b].map(|byte| pool.eq(byte, zero));
        let [one, two] = [1, 2].map(|bits| pool.constant(64, bits));
        let [x, y] = [a, b].map(|condition| pool.ite(condition, one, two));
        let sum = pool.add(x, y);
        let mut values: Vec<_> = cases(&mut pool, sum)
            .into_iter()
            .map(|(_, value)| pool.bits(value))
            .collect();
        values.sort_unstable();
        assert_eq!(values, [Some(2), Some(3), Some(4)]);
    }

    #[test]
    fn too_many_cases_are_one() {
        let mut pool = Pool::new();
        let mut value = pool.constant(64, 0);
        for at in 1..200 {
            let condition = pool.symbol(Symbol::Named { id: at, width: 1 });
            let number = pool.constant(64, at.into());
            value = pool.ite(condition, number, value);
        }
        assert_eq!(cases(&mut pool, value), [(ExprId::TRUE, value)]);
    }
}
