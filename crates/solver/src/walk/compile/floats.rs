//! Code for operations on floats.

use cranelift_codegen::ir::{InstBuilder, MemFlags, Value, condcodes::FloatCC, types};
use labrys_expr::{ExprId, Node, Op, Rounding};

use super::emit::Emitter;
use crate::functions;
use crate::walk::formula::{Atom, Relation};

/// Type of a float of 32 or 64 bits.
fn float_type(width: u32) -> types::Type {
    if width == 32 { types::F32 } else { types::F64 }
}

impl Emitter<'_, '_> {
    /// A node with floats among operands and result.
    pub(super) fn float_node(&mut self, id: ExprId, node: &Node) {
        let width = node.width();
        let operands = node.operands();
        let from = self.pool.width(operands[0]);
        match node.op() {
            Op::FNeg | Op::FAbs => {
                let bits = self.bits(operands[0]);
                let sign = 1u64 << (width - 1);
                let value = if node.op() == Op::FNeg {
                    let sign = self.integer(sign);
                    self.builder.ins().bxor(bits, sign)
                } else {
                    let rest = self.integer(sign - 1);
                    self.builder.ins().band(bits, rest)
                };
                self.set_bits(id, value);
            }
            Op::UToF => {
                let bits = self.bits(operands[0]);
                let value = self.builder.ins().fcvt_from_uint(float_type(width), bits);
                self.set_float(id, value);
            }
            Op::SToF => {
                let bits = self.bits(operands[0]);
                let bits = self.signed(bits, from);
                let value = self.builder.ins().fcvt_from_sint(float_type(width), bits);
                self.set_float(id, value);
            }
            Op::FToU | Op::FToS => {
                let float = self.float(operands[0]);
                let value = self.truncate_to_bits(node.op() == Op::FToS, width, from, float);
                self.set_bits(id, value);
            }
            op if op.is_predicate() => {
                let (a, b) = (self.float(operands[0]), self.float(operands[1]));
                let condition = match op {
                    Op::FOeq => FloatCC::Equal,
                    Op::FOlt => FloatCC::LessThan,
                    Op::FOle => FloatCC::LessThanOrEqual,
                    _ => FloatCC::Unordered,
                };
                let holds = self.builder.ins().fcmp(condition, a, b);
                let value = self.truth(holds);
                self.set_bits(id, value);
            }
            _ => {
                let value = self.arithmetic(node, from);
                self.set_float(id, value);
            }
        }
    }

    fn arithmetic(&mut self, node: &Node, from: u32) -> Value {
        let width = node.width();
        let operands = node.operands();
        let a = self.float(operands[0]);
        match node.op() {
            Op::FSqrt => self.builder.ins().sqrt(a),
            Op::FRound => self.round(node.rounding(), width, a),
            Op::FToF if width > from => self.builder.ins().fpromote(types::F64, a),
            Op::FToF if width < from => self.builder.ins().fdemote(types::F32, a),
            Op::FToF => a,
            op => {
                let b = self.float(operands[1]);
                match op {
                    Op::FAdd => self.builder.ins().fadd(a, b),
                    Op::FSub => self.builder.ins().fsub(a, b),
                    Op::FMul => self.builder.ins().fmul(a, b),
                    Op::FDiv => self.builder.ins().fdiv(a, b),
                    _ => self.library("fmod", width, &[a, b]),
                }
            }
        }
    }

    fn round(&mut self, mode: Rounding, width: u32, a: Value) -> Value {
        match mode {
            Rounding::NearestEven => self.builder.ins().nearest(a),
            Rounding::Down => self.builder.ins().floor(a),
            Rounding::Up => self.builder.ins().ceil(a),
            Rounding::Zero => self.builder.ins().trunc(a),
            Rounding::NearestAway => self.library("round", width, &[a]),
        }
    }

    /// A function of the C library on floats of one width.
    fn library(&mut self, name: &str, width: u32, arguments: &[Value]) -> Value {
        let name = match width {
            32 => format!("{name}f"),
            _ => name.to_owned(),
        };
        let function = functions::find(&name).expect("the table has the functions named here");
        let float = float_type(width);
        self.call(
            function.address,
            &vec![float; arguments.len()],
            float,
            arguments,
        )
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
    fn wide(&mut self, float: Value, width: u32) -> Value {
        if width == 32 {
            self.builder.ins().fpromote(types::F64, float)
        } else {
            float
        }
    }

    pub(super) fn bits_to_float(&mut self, bits: Value, width: u32) -> Value {
        let flags = MemFlags::new();
        if width == 32 {
            let bits = self.builder.ins().ireduce(types::I32, bits);
            self.builder.ins().bitcast(types::F32, flags, bits)
        } else {
            self.builder.ins().bitcast(types::F64, flags, bits)
        }
    }

    /// The bits as they are.
    pub(super) fn float_to_bits(&mut self, float: Value, width: u32) -> Value {
        let flags = MemFlags::new();
        if width == 32 {
            let bits = self.builder.ins().bitcast(types::I32, flags, float);
            self.builder.ins().uextend(types::I64, bits)
        } else {
            self.builder.ins().bitcast(types::I64, flags, float)
        }
    }

    /// The bits, every NaN as the positive quiet one without payload.
    pub(super) fn canonical(&mut self, float: Value, width: u32) -> Value {
        let bits = self.float_to_bits(float, width);
        let nan = self.is_nan(float);
        let only = self.integer(if width == 32 {
            0x7fc0_0000
        } else {
            0x7ff8_0000_0000_0000
        });
        self.builder.ins().select(nan, only, bits)
    }

    pub(super) fn is_nan(&mut self, float: Value) -> Value {
        self.builder.ins().fcmp(FloatCC::Unordered, float, float)
    }

    pub(super) fn less(&mut self, a: Value, b: Value) -> Value {
        self.builder.ins().fcmp(FloatCC::LessThan, a, b)
    }

    /// Whether a comparison of floats holds, and the difference of its sides.
    pub(super) fn float_atom(&mut self, atom: &Atom) -> (Value, Value) {
        let width = self.pool.width(atom.left);
        let (left, right) = (self.float(atom.left), self.float(atom.right));
        let left = self.wide(left, width);
        let right = self.wide(right, width);
        let condition = match (atom.relation, atom.or_unordered) {
            (Relation::Equal, false) => FloatCC::Equal,
            (Relation::Equal, true) => FloatCC::UnorderedOrEqual,
            (Relation::NotEqual, false) => FloatCC::OrderedNotEqual,
            (Relation::NotEqual, true) => FloatCC::NotEqual,
            (Relation::Less, false) => FloatCC::LessThan,
            (Relation::Less, true) => FloatCC::UnorderedOrLessThan,
            (Relation::AtMost, false) => FloatCC::LessThanOrEqual,
            (Relation::AtMost, true) => FloatCC::UnorderedOrLessThanOrEqual,
            (Relation::Unordered, _) => FloatCC::Unordered,
            (Relation::Ordered, _) => FloatCC::Ordered,
        };
        let holds = self.builder.ins().fcmp(condition, left, right);
        let difference = self.builder.ins().fsub(left, right);
        (holds, difference)
    }
}
