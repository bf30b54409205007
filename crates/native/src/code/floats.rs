//! Code for operations on floats.

use cranelift_codegen::ir::{InstBuilder, MemFlags, Value, condcodes::FloatCC, types};
use labrys_expr::{Op, Rounding};

use super::{Code, Word};

/// Type of a float of 32 or 64 bits.
fn float_type(width: u32) -> types::Type {
    if width == 32 { types::F32 } else { types::F64 }
}

extern "C" fn round_single(a: f32) -> f32 {
    a.round()
}

extern "C" fn round_double(a: f64) -> f64 {
    a.round()
}

extern "C" fn remainder_single(a: f32, b: f32) -> f32 {
    a % b
}

extern "C" fn remainder_double(a: f64, b: f64) -> f64 {
    a % b
}

impl Code<'_> {
    /// An operation with floats among operands and result.
    pub(super) fn apply_to_floats(
        &mut self,
        op: Op,
        width: u32,
        operands: &mut [Word],
        low: u32,
    ) -> Option<Word> {
        let from = operands[0].width();
        let bits = match op {
            Op::FNeg | Op::FAbs => {
                let bits = self.bits(&mut operands[0]);
                let sign = 1u64 << (width - 1);
                if op == Op::FNeg {
                    let sign = self.integer(sign);
                    self.builder.ins().bxor(bits, sign)
                } else {
                    let rest = self.integer(sign - 1);
                    self.builder.ins().band(bits, rest)
                }
            }
            Op::UToF => {
                let bits = self.bits(&mut operands[0]);
                let value = self.builder.ins().fcvt_from_uint(float_type(width), bits);
                return Some(Word::of_float(width, value));
            }
            Op::SToF => {
                let bits = self.bits(&mut operands[0]);
                let bits = self.signed(bits, from);
                let value = self.builder.ins().fcvt_from_sint(float_type(width), bits);
                return Some(Word::of_float(width, value));
            }
            Op::FToU | Op::FToS => {
                let float = self.float(&mut operands[0]);
                self.truncate_to_bits(op == Op::FToS, width, from, float)
            }
            op if op.is_predicate() => {
                let [a, b] = operands else { return None };
                let (a, b) = (self.float(a), self.float(b));
                let condition = match op {
                    Op::FOeq => FloatCC::Equal,
                    Op::FOlt => FloatCC::LessThan,
                    Op::FOle => FloatCC::LessThanOrEqual,
                    _ => FloatCC::Unordered,
                };
                let holds = self.builder.ins().fcmp(condition, a, b);
                self.truth(holds)
            }
            _ => {
                let value = self.arithmetic(op, width, operands, low)?;
                return Some(Word::of_float(width, value));
            }
        };
        Some(Word::of_bits(width, bits))
    }

    fn arithmetic(&mut self, op: Op, width: u32, operands: &mut [Word], low: u32) -> Option<Value> {
        let from = operands[0].width();
        let a = self.float(&mut operands[0]);
        Some(match (op, operands) {
            (Op::FSqrt, _) => self.builder.ins().sqrt(a),
            (Op::FRound, _) => self.round(Rounding::from_u8(low as u8)?, width, a),
            (Op::FToF, _) if width > from => self.builder.ins().fpromote(types::F64, a),
            (Op::FToF, _) if width < from => self.builder.ins().fdemote(types::F32, a),
            (Op::FToF, _) => a,
            (op, [_, b]) => {
                let b = self.float(b);
                match op {
                    Op::FAdd => self.builder.ins().fadd(a, b),
                    Op::FSub => self.builder.ins().fsub(a, b),
                    Op::FMul => self.builder.ins().fmul(a, b),
                    Op::FDiv => self.builder.ins().fdiv(a, b),
                    Op::FRem => self.remainder(width, a, b),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    fn remainder(&mut self, width: u32, a: Value, b: Value) -> Value {
        let address = match width {
            32 => remainder_single as *const u8,
            _ => remainder_double as *const u8,
        };
        let float = float_type(width);
        self.call(address, &[float, float], float, &[a, b])
    }

    fn round(&mut self, mode: Rounding, width: u32, a: Value) -> Value {
        match mode {
            Rounding::NearestEven => self.builder.ins().nearest(a),
            Rounding::Down => self.builder.ins().floor(a),
            Rounding::Up => self.builder.ins().ceil(a),
            Rounding::Zero => self.builder.ins().trunc(a),
            Rounding::NearestAway => {
                let address = match width {
                    32 => round_single as *const u8,
                    _ => round_double as *const u8,
                };
                let float = float_type(width);
                self.call(address, &[float], float, &[a])
            }
        }
    }

    /// Toward zero; what does not fit gives the highest bit alone.
    fn truncate_to_bits(&mut self, signed: bool, width: u32, from: u32, float: Value) -> Value {
        let double = self.wide(float, from);
        let whole = self.builder.ins().trunc(double);
        let (low, high) = if signed {
            let limit = 2f64.powi(width as i32 - 1);
            (-limit, limit)
        } else {
            (0.0, 2f64.powi(width as i32))
        };
        let low = self.builder.ins().f64const(low);
        let high = self.builder.ins().f64const(high);
        let above = self
            .builder
            .ins()
            .fcmp(FloatCC::GreaterThanOrEqual, whole, low);
        let below = self.builder.ins().fcmp(FloatCC::LessThan, whole, high);
        let fits = self.builder.ins().band(above, below);
        let value = if signed {
            self.builder.ins().fcvt_to_sint_sat(types::I64, whole)
        } else {
            self.builder.ins().fcvt_to_uint_sat(types::I64, whole)
        };
        let value = self.cut(value, width);
        let otherwise = self.integer(1 << (width - 1));
        self.builder.ins().select(fits, value, otherwise)
    }

    /// The float as a double.
    pub fn wide(&mut self, float: Value, width: u32) -> Value {
        if width == 32 {
            self.builder.ins().fpromote(types::F64, float)
        } else {
            float
        }
    }

    /// The float of these bits.
    pub fn bits_to_float(&mut self, bits: Value, width: u32) -> Value {
        let flags = MemFlags::new();
        if width == 32 {
            let bits = self.builder.ins().ireduce(types::I32, bits);
            self.builder.ins().bitcast(types::F32, flags, bits)
        } else {
            self.builder.ins().bitcast(types::F64, flags, bits)
        }
    }

    /// The bits as they are.
    pub fn float_to_bits(&mut self, float: Value, width: u32) -> Value {
        let flags = MemFlags::new();
        if width == 32 {
            let bits = self.builder.ins().bitcast(types::I32, flags, float);
            self.builder.ins().uextend(types::I64, bits)
        } else {
            self.builder.ins().bitcast(types::I64, flags, float)
        }
    }

    /// The bits, every NaN as the positive quiet one without payload.
    pub fn canonical(&mut self, float: Value, width: u32) -> Value {
        let bits = self.float_to_bits(float, width);
        let nan = self.is_nan(float);
        let only = self.integer(if width == 32 {
            0x7fc0_0000
        } else {
            0x7ff8_0000_0000_0000
        });
        self.builder.ins().select(nan, only, bits)
    }

    /// Whether a float is no number.
    pub fn is_nan(&mut self, float: Value) -> Value {
        self.builder.ins().fcmp(FloatCC::Unordered, float, float)
    }

    /// Whether one float is less than another.
    pub fn less(&mut self, a: Value, b: Value) -> Value {
        self.builder.ins().fcmp(FloatCC::LessThan, a, b)
    }
}
