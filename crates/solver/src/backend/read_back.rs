//! Terms of the solver as expressions: the inverse of [`translate`](super::translate).
//!
//! Only bit-vectors and truth values are read; both are bits of a pool. Iterative, for interpolants
//! are as deep as the refutations that they are read off.

use labrys_expr::{ExprId, Op, Pool, Symbol};
use rustc_hash::FxHashMap;

use crate::bitwuzla::{Error, Instance, Kind, Term, TermSort, View};

/// Reads terms over known constants into one pool.
pub(super) struct BackTranslation<'a> {
    instance: &'a mut Instance,
    pool: &'a mut Pool,
    symbols: &'a FxHashMap<Term, Symbol>,
    known: FxHashMap<Term, ExprId>,
}

impl<'a> BackTranslation<'a> {
    pub(super) fn new(
        instance: &'a mut Instance,
        pool: &'a mut Pool,
        symbols: &'a FxHashMap<Term, Symbol>,
    ) -> Self {
        BackTranslation {
            instance,
            pool,
            symbols,
            known: FxHashMap::default(),
        }
    }

    /// The expression of a term.
    pub(super) fn read(&mut self, root: Term) -> Result<ExprId, Error> {
        let mut stack = vec![(root, false)];
        while let Some((term, ready)) = stack.pop() {
            if self.known.contains_key(&term) {
                continue;
            }
            let id = match self.instance.view(term)? {
                View::Constant => {
                    let symbol = self.symbols.get(&term);
                    let symbol = symbol.ok_or_else(|| refused("a constant that is no symbol"))?;
                    self.pool.symbol(*symbol)
                }
                View::Value(bits) => {
                    let width = self.width(term)?;
                    self.pool.constant(width, bits)
                }
                View::Operation(_, operands, _) if !ready => {
                    stack.push((term, true));
                    stack.extend(operands.into_iter().map(|operand| (operand, false)));
                    continue;
                }
                View::Operation(kind, operands, indices) => {
                    let operands = operands.iter().map(|operand| self.known[operand]);
                    let operands: Vec<ExprId> = operands.collect();
                    self.operation(kind, &operands, &indices)?
                }
                View::Other => return Err(refused("an operation that has no name here")),
            };
            self.known.insert(term, id);
        }
        Ok(self.known[&root])
    }

    fn width(&self, term: Term) -> Result<u32, Error> {
        match self.instance.sort(term) {
            Some(TermSort::Bool) => Ok(1),
            Some(TermSort::Bits(width)) if width <= 128 => Ok(width),
            _ => Err(refused("a value that is no bit-vector of at most 128 bits")),
        }
    }

    fn operation(
        &mut self,
        kind: Kind,
        operands: &[ExprId],
        indices: &[u64],
    ) -> Result<ExprId, Error> {
        match *operands {
            [a] => self.unary(kind, a, indices),
            [a, b] => self.binary(kind, a, b),
            [condition, then, other] if kind == Kind::Ite => {
                Ok(self.pool.ite(condition, then, other))
            }
            [first, ref rest @ ..] if is_associative(kind) => {
                let mut all = first;
                for operand in rest {
                    all = self.binary(kind, all, *operand)?;
                }
                Ok(all)
            }
            _ => Err(unread(kind)),
        }
    }

    fn unary(&mut self, kind: Kind, a: ExprId, indices: &[u64]) -> Result<ExprId, Error> {
        let width = self.pool.width(a);
        let index = indices.last().map_or(0, |index| *index as u32);
        let pool = &mut *self.pool;
        let one = pool.constant(width, 1);
        let zero = pool.constant(width, 0);
        Ok(match (kind, indices) {
            (Kind::Not | Kind::BitNot, _) => pool.not(a),
            (Kind::Neg, _) => pool.neg(a),
            (Kind::Inc, _) => pool.add(a, one),
            (Kind::Dec, _) => pool.sub(a, one),
            (Kind::ReduceOr, _) => pool.ne(a, zero),
            (Kind::ReduceAnd, _) => {
                let ones = pool.not(zero);
                pool.eq(a, ones)
            }
            (Kind::Extract, [high, _]) => pool.extract(a, index, *high as u32 + 1 - index),
            (Kind::ZeroExtend, _) if width + index <= 128 => pool.zext(a, width + index),
            (Kind::SignExtend, _) if width + index <= 128 => pool.sext(a, width + index),
            (Kind::Repeat, _) if (1..=128 / width).contains(&index) => {
                (1..index).fold(a, |all, _| pool.concat(all, a))
            }
            _ => return Err(unread(kind)),
        })
    }

    fn binary(&mut self, kind: Kind, a: ExprId, b: ExprId) -> Result<ExprId, Error> {
        let pool = &mut *self.pool;
        if kind == Kind::Concat && pool.width(a) + pool.width(b) > 128 {
            return Err(refused("more than 128 bits"));
        }
        Ok(match kind {
            Kind::And | Kind::BitAnd => pool.and(a, b),
            Kind::Or | Kind::BitOr => pool.or(a, b),
            Kind::Xor | Kind::BitXor => pool.xor(a, b),
            Kind::Implies => pool.implies(a, b),
            Kind::Equal | Kind::Iff | Kind::BitCompare => pool.eq(a, b),
            Kind::Distinct => pool.ne(a, b),
            Kind::Add => pool.add(a, b),
            Kind::Sub => pool.sub(a, b),
            Kind::Mul => pool.mul(a, b),
            Kind::UDiv => pool.binary(Op::UDiv, a, b),
            Kind::SDiv => pool.binary(Op::SDiv, a, b),
            Kind::URem => pool.binary(Op::URem, a, b),
            Kind::SRem => pool.binary(Op::SRem, a, b),
            Kind::Shl => pool.binary(Op::Shl, a, b),
            Kind::LShr => pool.binary(Op::LShr, a, b),
            Kind::AShr => pool.binary(Op::AShr, a, b),
            Kind::Ult => pool.ult(a, b),
            Kind::Ule => pool.ule(a, b),
            Kind::Ugt => pool.ult(b, a),
            Kind::Uge => pool.ule(b, a),
            Kind::Slt => pool.slt(a, b),
            Kind::Sle => pool.sle(a, b),
            Kind::Sgt => pool.slt(b, a),
            Kind::Sge => pool.sle(b, a),
            Kind::Concat => pool.concat(a, b),
            Kind::BitNand | Kind::BitNor | Kind::BitXnor => {
                let positive = match kind {
                    Kind::BitNand => pool.and(a, b),
                    Kind::BitNor => pool.or(a, b),
                    _ => pool.xor(a, b),
                };
                pool.not(positive)
            }
            _ => return Err(unread(kind)),
        })
    }
}

/// Operations of any number of operands, from the left.
fn is_associative(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::And
            | Kind::Or
            | Kind::Xor
            | Kind::BitAnd
            | Kind::BitOr
            | Kind::BitXor
            | Kind::Add
            | Kind::Mul
            | Kind::Concat
    )
}

fn unread(kind: Kind) -> Error {
    refused(&format!("the operation {kind:?}"))
}

fn refused(what: &str) -> Error {
    Error::Refused(format!("{what} cannot be read back"))
}
