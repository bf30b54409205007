//! Code for operations on bit-vectors.

use cranelift_codegen::ir::{InstBuilder, Value, condcodes::IntCC};
use labrys_expr::Op;

use super::{Code, Word};

impl Code<'_> {
    /// An operation whose operands and result are bits.
    pub(super) fn apply_to_bits(
        &mut self,
        op: Op,
        width: u32,
        operands: &mut [Word],
        low: u32,
    ) -> Option<Value> {
        let from = operands[0].width();
        let a = self.bits(&mut operands[0]);
        Some(match (op, operands) {
            (Op::Ite, [_, yes, no]) => {
                let (yes, no) = (self.bits(yes), self.bits(no));
                self.builder.ins().select(a, yes, no)
            }
            (Op::Concat, [_, b]) => {
                let b = self.bits(b);
                let by = i64::from(width - from);
                let high = self.builder.ins().ishl_imm(a, by);
                self.builder.ins().bor(high, b)
            }
            (Op::Extract, [_]) => {
                let shifted = self.builder.ins().ushr_imm(a, i64::from(low));
                self.cut(shifted, width)
            }
            (op, [_]) => self.unary(op, width, from, a)?,
            (op, [_, b]) if op.is_predicate() => {
                let b = self.bits(b);
                self.comparison(op, from, a, b)?
            }
            (op, [_, b]) => {
                let b = self.bits(b);
                let value = self.binary(op, width, a, b)?;
                self.cut(value, width)
            }
            _ => return None,
        })
    }

    fn unary(&mut self, op: Op, width: u32, from: u32, a: Value) -> Option<Value> {
        let value = match op {
            Op::Not => self.builder.ins().bnot(a),
            Op::Neg => self.builder.ins().ineg(a),
            Op::ZExt => a,
            Op::SExt => self.signed(a, from),
            Op::PopCount => self.builder.ins().popcnt(a),
            Op::LeadingZeros => {
                let zeros = self.builder.ins().clz(a);
                self.builder.ins().iadd_imm(zeros, i64::from(width) - 64)
            }
            Op::TrailingZeros => {
                let zeros = self.builder.ins().ctz(a);
                let most = self.integer(u64::from(width));
                let beyond = self
                    .builder
                    .ins()
                    .icmp(IntCC::UnsignedGreaterThan, zeros, most);
                self.builder.ins().select(beyond, most, zeros)
            }
            _ => return None,
        };
        Some(self.cut(value, width))
    }

    fn comparison(&mut self, op: Op, from: u32, a: Value, b: Value) -> Option<Value> {
        let (condition, signed) = match op {
            Op::Eq => (IntCC::Equal, false),
            Op::Ult => (IntCC::UnsignedLessThan, false),
            Op::Ule => (IntCC::UnsignedLessThanOrEqual, false),
            Op::Slt => (IntCC::SignedLessThan, true),
            Op::Sle => (IntCC::SignedLessThanOrEqual, true),
            _ => return None,
        };
        let (a, b) = if signed {
            (self.signed(a, from), self.signed(b, from))
        } else {
            (a, b)
        };
        let holds = self.builder.ins().icmp(condition, a, b);
        Some(self.truth(holds))
    }

    fn binary(&mut self, op: Op, width: u32, a: Value, b: Value) -> Option<Value> {
        Some(match op {
            Op::Add => self.builder.ins().iadd(a, b),
            Op::Sub => self.builder.ins().isub(a, b),
            Op::Mul => self.builder.ins().imul(a, b),
            Op::And => self.builder.ins().band(a, b),
            Op::Or => self.builder.ins().bor(a, b),
            Op::Xor => self.builder.ins().bxor(a, b),
            Op::UDiv | Op::URem => self.unsigned_division(op, a, b),
            Op::SDiv | Op::SRem => {
                let (a, b) = (self.signed(a, width), self.signed(b, width));
                self.signed_division(op, a, b)
            }
            Op::Shl | Op::LShr => {
                let shifted = if op == Op::Shl {
                    self.builder.ins().ishl(a, b)
                } else {
                    self.builder.ins().ushr(a, b)
                };
                let most = i64::from(width);
                let fits = self
                    .builder
                    .ins()
                    .icmp_imm(IntCC::UnsignedLessThan, b, most);
                let zero = self.integer(0);
                self.builder.ins().select(fits, shifted, zero)
            }
            Op::AShr => {
                let a = self.signed(a, width);
                let fits = self.builder.ins().icmp_imm(IntCC::UnsignedLessThan, b, 64);
                let most = self.integer(63);
                let by = self.builder.ins().select(fits, b, most);
                self.builder.ins().sshr(a, by)
            }
            _ => return None,
        })
    }

    fn unsigned_division(&mut self, op: Op, a: Value, b: Value) -> Value {
        let zero = self.builder.ins().icmp_imm(IntCC::Equal, b, 0);
        let one = self.integer(1);
        let divisor = self.builder.ins().select(zero, one, b);
        if op == Op::UDiv {
            let quotient = self.builder.ins().udiv(a, divisor);
            let all = self.integer(u64::MAX);
            self.builder.ins().select(zero, all, quotient)
        } else {
            let rest = self.builder.ins().urem(a, divisor);
            self.builder.ins().select(zero, a, rest)
        }
    }

    /// Operands are sign-extended. Division by −1 is negation, so that it does not trap.
    fn signed_division(&mut self, op: Op, a: Value, b: Value) -> Value {
        let zero = self.builder.ins().icmp_imm(IntCC::Equal, b, 0);
        let minus = self.builder.ins().icmp_imm(IntCC::Equal, b, -1);
        let special = self.builder.ins().bor(zero, minus);
        let one = self.integer(1);
        let divisor = self.builder.ins().select(special, one, b);
        if op == Op::SDiv {
            let quotient = self.builder.ins().sdiv(a, divisor);
            let negated = self.builder.ins().ineg(a);
            let quotient = self.builder.ins().select(minus, negated, quotient);
            let negative = self.builder.ins().icmp_imm(IntCC::SignedLessThan, a, 0);
            let all = self.integer(u64::MAX);
            let by_zero = self.builder.ins().select(negative, one, all);
            self.builder.ins().select(zero, by_zero, quotient)
        } else {
            let rest = self.builder.ins().srem(a, divisor);
            let none = self.integer(0);
            let rest = self.builder.ins().select(minus, none, rest);
            self.builder.ins().select(zero, a, rest)
        }
    }
}
