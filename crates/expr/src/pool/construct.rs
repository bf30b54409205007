//! The public constructors: they check widths, then build what the rules leave.

use super::spell;
use crate::node::{ExprId, Node};
use crate::op::{Op, Rounding};
use crate::pool::Pool;

impl Pool {
    /// `op` of one operand, result of the operand's width.
    ///
    /// # Panics
    /// If `op` is not [unary](Op::is_unary).
    pub fn unary(&mut self, op: Op, a: ExprId) -> ExprId {
        assert!(op.is_unary(), "{op:?} is not unary");
        let width = self.width(a);
        assert!(
            !op.takes_floats() || matches!(width, 32 | 64),
            "width of a float"
        );
        if self.spell_out && op.is_count() {
            return spell::count(self, op, a);
        }
        self.build(Node::new(op, width, a.0, 0, 0))
    }

    /// `op` of two operands of one width; predicates give one bit.
    ///
    /// # Panics
    /// If `op` is not [binary](Op::is_binary) or the widths differ.
    #[inline]
    pub fn binary(&mut self, op: Op, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        assert!(op.is_binary(), "{op:?} is not binary");
        assert_eq!(width, self.width(b), "operands of {op:?} differ in width");
        assert!(
            !op.takes_floats() || matches!(width, 32 | 64),
            "width of a float"
        );
        let width = if op.is_predicate() { 1 } else { width };
        self.build(Node::new(op, width, a.0, b.0, 0))
    }

    /// A float conversion: `FToF`, `FToU`, `FToS`, `UToF` or `SToF`, to `width` bits.
    ///
    /// # Panics
    /// If `op` is another operation, or a float has not 32 or 64 bits.
    pub fn convert(&mut self, op: Op, a: ExprId, width: u32) -> ExprId {
        use Op::{FToF, FToS, FToU, SToF, UToF};
        assert!(
            matches!(op, FToF | FToU | FToS | UToF | SToF),
            "{op:?} is no conversion"
        );
        assert!((1..=128).contains(&width), "width out of range");
        assert!(
            !op.takes_floats() || matches!(self.width(a), 32 | 64),
            "width of a float"
        );
        assert!(
            !op.gives_float() || matches!(width, 32 | 64),
            "width of a float"
        );
        self.build(Node::new(op, width, a.0, 0, 0))
    }

    /// Rounds a float to an integral float.
    ///
    /// # Panics
    /// If the operand has not 32 or 64 bits.
    pub fn round(&mut self, mode: Rounding, a: ExprId) -> ExprId {
        let width = self.width(a);
        assert!(matches!(width, 32 | 64), "width of a float");
        self.build(Node::new(Op::FRound, width, a.0, mode as u32, 0))
    }

    /// `then` where the one-bit `condition` is 1, else `other`.
    ///
    /// # Panics
    /// If the widths do not fit.
    pub fn ite(&mut self, condition: ExprId, then: ExprId, other: ExprId) -> ExprId {
        let width = self.width(then);
        assert_eq!(self.width(condition), 1, "a condition has one bit");
        assert_eq!(width, self.width(other), "branches of ite differ in width");
        self.build(Node::new(Op::Ite, width, condition.0, then.0, other.0))
    }

    /// Zero extension to `width` bits.
    ///
    /// # Panics
    /// If `width` is less than the operand's or more than 128.
    pub fn zext(&mut self, a: ExprId, width: u32) -> ExprId {
        self.extend(Op::ZExt, a, width)
    }

    /// Sign extension to `width` bits.
    ///
    /// # Panics
    /// If `width` is less than the operand's or more than 128.
    pub fn sext(&mut self, a: ExprId, width: u32) -> ExprId {
        self.extend(Op::SExt, a, width)
    }

    fn extend(&mut self, op: Op, a: ExprId, width: u32) -> ExprId {
        let from = self.width(a);
        assert!(
            from <= width && width <= 128,
            "{op:?} from {from} to {width} bits"
        );
        if from == width {
            a
        } else {
            self.build(Node::new(op, width, a.0, 0, 0))
        }
    }

    /// The `width` bits of `a` from bit `low` on.
    ///
    /// # Panics
    /// If there are no such bits.
    pub fn extract(&mut self, a: ExprId, low: u32, width: u32) -> ExprId {
        let from = self.width(a);
        assert!(
            width >= 1 && low + width <= from,
            "bits {low}+{width} of {from}"
        );
        if from == width {
            a
        } else {
            self.build(Node::new(Op::Extract, width, a.0, low, 0))
        }
    }

    /// `high` above `low`.
    ///
    /// # Panics
    /// If the result has more than 128 bits.
    pub fn concat(&mut self, high: ExprId, low: ExprId) -> ExprId {
        let width = self.width(high) + self.width(low);
        assert!(width <= 128, "concatenation of {width} bits");
        self.build(Node::new(Op::Concat, width, high.0, low.0, 0))
    }

    /// Bitwise complement; on one bit the logical one.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        self.unary(Op::Not, a)
    }

    /// Two's complement negation.
    pub fn neg(&mut self, a: ExprId) -> ExprId {
        self.unary(Op::Neg, a)
    }

    /// Bitwise and; on one bit the logical one.
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Op::And, a, b)
    }

    /// Bitwise or; on one bit the logical one.
    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Op::Or, a, b)
    }

    /// Bitwise exclusive or.
    pub fn xor(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Op::Xor, a, b)
    }

    /// `a → b` of one bit.
    pub fn implies(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    /// Sum.
    pub fn add(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Op::Add, a, b)
    }

    /// Difference.
    pub fn sub(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Op::Sub, a, b)
    }

    /// Product.
    pub fn mul(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Op::Mul, a, b)
    }

    /// Equal.
    pub fn eq(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Op::Eq, a, b)
    }

    /// Not equal.
    pub fn ne(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// Unsigned less than.
    pub fn ult(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Op::Ult, a, b)
    }

    /// Unsigned at most.
    pub fn ule(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Op::Ule, a, b)
    }

    /// Signed less than.
    pub fn slt(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Op::Slt, a, b)
    }

    /// Signed at most.
    pub fn sle(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Op::Sle, a, b)
    }

    /// All of `conditions` (one bit each).
    pub fn all(&mut self, conditions: impl IntoIterator<Item = ExprId>) -> ExprId {
        conditions
            .into_iter()
            .fold(ExprId::TRUE, |all, next| self.and(all, next))
    }

    /// Any of `conditions` (one bit each).
    pub fn any(&mut self, conditions: impl IntoIterator<Item = ExprId>) -> ExprId {
        conditions
            .into_iter()
            .fold(ExprId::FALSE, |any, next| self.or(any, next))
    }

    /// `count` consecutive bytes (1 to 16) of a stream from `offset` on, the first least
    /// significant.
    ///
    /// # Panics
    /// If `count` is not in `1..=16`.
    pub fn input(&mut self, stream: u16, offset: u32, count: u32) -> ExprId {
        assert!(
            (1..=16).contains(&count),
            "an input value has 1 to 16 bytes"
        );
        let byte = |at: u32| crate::Symbol::Byte {
            stream,
            offset: offset.wrapping_add(at),
        };
        let mut value = self.symbol(byte(0));
        for at in 1..count {
            let next = self.symbol(byte(at));
            value = self.concat(next, value);
        }
        value
    }
}
