//! Text of floating operations.
//!
//! Every float gets a name of sort `FloatingPoint`. Where its bit pattern is used, a fresh
//! bit-vector is tied to it: SMT-LIB has no function from floats to patterns. Where SMT-LIB
//! leaves a result open, the value that evaluation gives is written out.

use std::fmt::Write;

use super::Printer;
use crate::node::{ExprId, Node};
use crate::op::{Op, Rounding};
use crate::value::Value;

/// Exponent and significand bits.
fn format_of(width: u32) -> (u32, u32) {
    if width == 32 { (8, 24) } else { (11, 53) }
}

fn nan(width: u32) -> Value {
    Value::new(
        width,
        if width == 32 {
            0x7fc0_0000
        } else {
            0x7ff8_0000_0000_0000
        },
    )
}

/// `2^exponent` as a float literal; `None` if it is not finite.
fn power_of_two(width: u32, exponent: u32) -> Option<String> {
    let (_, significand) = format_of(width);
    let bias = if width == 32 { 127 } else { 1023 };
    if exponent > bias {
        return None;
    }
    let bits = u128::from(bias + exponent) << (significand - 1);
    Some(of_bits(width, &Value::new(width, bits).to_string()))
}

fn of_bits(width: u32, bits: &str) -> String {
    let (exponent, significand) = format_of(width);
    format!("((_ to_fp {exponent} {significand}) {bits})")
}

impl Printer<'_> {
    /// Names the float that an operation gives.
    pub(super) fn define_float(&mut self, id: ExprId) {
        let node = *self.pool.node(id);
        let text = self.float_term(&node);
        let (exponent, significand) = format_of(node.width());
        let name = self.fresh("f");
        let sort = format!("(_ FloatingPoint {exponent} {significand})");
        let _ = writeln!(self.body, "(define-fun {name} () {sort} {text})");
        self.floats.insert(id, name);
    }

    fn float_term(&mut self, node: &Node) -> String {
        let a = node.args[0];
        let (exponent, significand) = format_of(node.width());
        match node.op {
            Op::UToF => {
                let bits = self.vector(a);
                format!("((_ to_fp_unsigned {exponent} {significand}) RNE {bits})")
            }
            Op::SToF => {
                let bits = self.vector(a);
                format!("((_ to_fp {exponent} {significand}) RNE {bits})")
            }
            Op::FToF => {
                let float = self.float(a);
                format!("((_ to_fp {exponent} {significand}) RNE {float})")
            }
            Op::FNeg => format!("(fp.neg {})", self.float(a)),
            Op::FAbs => format!("(fp.abs {})", self.float(a)),
            Op::FSqrt => format!("(fp.sqrt RNE {})", self.float(a)),
            Op::FRound => {
                let mode = match node.rounding() {
                    Rounding::NearestEven => "RNE",
                    Rounding::Down => "RTN",
                    Rounding::Up => "RTP",
                    Rounding::Zero => "RTZ",
                    Rounding::NearestAway => "RNA",
                };
                format!("(fp.roundToIntegral {mode} {})", self.float(a))
            }
            op => {
                let (x, y) = (self.float(a), self.float(node.args[1]));
                match op {
                    Op::FAdd => format!("(fp.add RNE {x} {y})"),
                    Op::FSub => format!("(fp.sub RNE {x} {y})"),
                    Op::FMul => format!("(fp.mul RNE {x} {y})"),
                    Op::FDiv => format!("(fp.div RNE {x} {y})"),
                    _ => remainder(node.width(), &x, &y),
                }
            }
        }
    }

    /// An operation on floats that gives bits or a truth value.
    pub(super) fn of_floats(&mut self, node: &Node) -> String {
        let x = self.float(node.args[0]);
        let name = match node.op {
            Op::FToU | Op::FToS => return self.to_integer(node, &x),
            Op::FUno => {
                let y = self.float(node.args[1]);
                return format!("(or (fp.isNaN {x}) (fp.isNaN {y}))");
            }
            Op::FOeq => "fp.eq",
            Op::FOlt => "fp.lt",
            _ => "fp.leq",
        };
        format!("({name} {x} {})", self.float(node.args[1]))
    }

    /// Toward zero; the highest bit alone where there is no such integer.
    fn to_integer(&self, node: &Node, x: &str) -> String {
        let (from, width) = (self.pool.width(node.args[0]), node.width());
        let is_signed = node.op == Op::FToS;
        let whole = format!("(fp.roundToIntegral RTZ {x})");
        let limit = power_of_two(from, width - u32::from(is_signed));
        let least = match &limit {
            Some(limit) if is_signed => format!("(fp.neg {limit})"),
            _ if is_signed => String::new(),
            _ => of_bits(from, &Value::new(from, 0).to_string()),
        };
        let above = if least.is_empty() {
            format!("(not (fp.isInfinite {whole}))")
        } else {
            format!("(fp.leq {least} {whole})")
        };
        let below = match limit {
            Some(limit) => format!("(fp.lt {whole} {limit})"),
            None => format!("(not (fp.isInfinite {whole}))"),
        };
        let name = if is_signed { "fp.to_sbv" } else { "fp.to_ubv" };
        let other = Value::new(width, 1 << (width - 1));
        let in_range = format!("(and {above} {below} (not (fp.isNaN {x})))");
        let text = format!("(ite {in_range} ((_ {name} {width}) RTZ {x}) {other})");
        if width == 1 {
            format!("(= {text} #b1)")
        } else {
            text
        }
    }

    /// The name or term of an expression as a float.
    fn float(&mut self, id: ExprId) -> String {
        match self.floats.get(&id) {
            Some(name) => name.clone(),
            None => of_bits(self.pool.width(id), &self.vector(id)),
        }
    }

    /// The bit pattern of a float that an operation gives.
    pub(super) fn pattern(&mut self, id: ExprId) -> String {
        if let Some(known) = self.terms.get(&id) {
            return known.text.clone();
        }
        let node = *self.pool.node(id);
        let width = node.width();
        if matches!(node.op, Op::FNeg | Op::FAbs) {
            // These are exact on the pattern, also of NaN.
            let bits = self.vector(node.args[0]);
            let sign = Value::new(width, 1 << (width - 1));
            return match node.op {
                Op::FNeg => format!("(bvxor {bits} {sign})"),
                _ => format!("(bvand {bits} (bvnot {sign}))"),
            };
        }
        let float = self.float(id);
        let name = self.fresh("p");
        let _ = writeln!(self.body, "(declare-const {name} (_ BitVec {width}))");
        let same = of_bits(width, &name);
        let nan = nan(width);
        let _ = writeln!(
            self.body,
            "(assert (ite (fp.isNaN {float}) (= {name} {nan}) (= {same} {float})))"
        );
        self.terms.insert(
            id,
            super::Text {
                text: name.clone(),
                size: 1,
            },
        );
        name
    }
}

/// `fmod` by the IEEE remainder: for positive operands that is the right one, or too small by
/// the divisor, which is added exactly.
fn remainder(width: u32, x: &str, y: &str) -> String {
    let zero = of_bits(width, &Value::new(width, 0).to_string());
    let nearest = format!("(fp.rem (fp.abs {x}) (fp.abs {y}))");
    let positive = format!(
        "(fp.abs (ite (fp.lt {nearest} {zero}) (fp.add RNE {nearest} (fp.abs {y})) {nearest}))"
    );
    format!("(ite (fp.isNegative {x}) (fp.neg {positive}) {positive})")
}
