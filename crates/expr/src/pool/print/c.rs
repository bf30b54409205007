//! Conditions as C expressions over variables of a program.
//!
//! A bit-vector of at most 64 bits is an `unsigned int` or an `unsigned long` that holds it
//! zero-extended, or an `int` or a `long` that holds it sign-extended, whichever its user wants. So
//! arithmetic wraps and shifts as in SMT-LIB, whatever C would promote, and nothing overflows.
//!
//! Law: a text has the value of its expression, and evaluating it has no undefined behaviour.

use crate::bits::{mask, signed};
use crate::node::ExprId;
use crate::op::Op;
use crate::pool::Pool;
use crate::symbol::Symbol;

/// Texts that are longer are given up: shared subterms are printed as often as they are used.
const LONGEST: usize = 2000;
/// Conditions with more nodes are given up.
const MOST_NODES: usize = 500;

/// An lvalue or a cast of one, of the C type of as many bits as its symbol has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CVariable {
    /// Its text: a postfix or a cast expression.
    pub text: String,
    /// Whether its type is signed.
    pub signed: bool,
}

/// A C expression that a condition implies, and that may say less: parts without a text are left
/// out. `name` gives the text of symbols; `None` if nothing is left, or it is too large.
#[must_use]
pub fn c_implied(
    pool: &Pool,
    condition: ExprId,
    name: &dyn Fn(Symbol) -> Option<CVariable>,
) -> Option<String> {
    if pool.has_more_nodes([condition], MOST_NODES) {
        return None;
    }
    let printer = CPrinter { pool, name };
    match printer.bound(condition, true) {
        Bound::Text(text) => Some(text.text),
        Bound::Constant(true) => None,
        Bound::Constant(false) => Some("0".to_owned()),
    }
}

/// The text of an expression.
#[derive(Clone, Debug)]
struct Text {
    text: String,
    /// Its operator, if it needs parentheses as an operand: none of a cast and what binds closer.
    operator: Option<&'static str>,
}

impl Text {
    fn closed(text: String) -> Self {
        let operator = None;
        Text { text, operator }
    }

    fn open(text: String, operator: &'static str) -> Option<Self> {
        let operator = Some(operator);
        (text.len() <= LONGEST).then_some(Text { text, operator })
    }

    fn operand(&self) -> String {
        match self.operator {
            None => self.text.clone(),
            Some(_) => format!("({})", self.text),
        }
    }

    /// As an operand of an operator.
    fn under(&self, operator: &str) -> String {
        let is_connective = |one: &str| matches!(one, "&&" | "||");
        let reads_alone = self.operator.is_some_and(|own| {
            own == operator && is_connective(own)
                || is_connective(operator) && matches!(own, "==" | "!=" | "<" | "<=" | ">" | ">=")
        });
        match reads_alone {
            true => self.text.clone(),
            false => self.operand(),
        }
    }
}

/// A condition that is implied by another, or implies it.
enum Bound {
    Text(Text),
    Constant(bool),
}

struct CPrinter<'a> {
    pool: &'a Pool,
    name: &'a dyn Fn(Symbol) -> Option<CVariable>,
}

/// The type that computes with unsigned numbers of a width.
fn unsigned_type(width: u32) -> &'static str {
    match width {
        ..=32 => "unsigned int",
        _ => "unsigned long",
    }
}

/// The bits of that type.
fn container(width: u32) -> u32 {
    if width <= 32 { 32 } else { 64 }
}

fn unsigned_constant(width: u32, bits: u128) -> Text {
    let suffix = if width <= 32 { "U" } else { "UL" };
    Text::closed(format!("{bits}{suffix}"))
}

fn signed_constant(width: u32, bits: u128) -> Text {
    let number = signed(bits, width);
    let suffix = if width <= 32 { "" } else { "L" };
    let least = -1i128 << (container(width) - 1);
    match number {
        // The number without its sign is none of the type.
        _ if number == least => Text::closed(format!("({}{suffix} - 1)", number + 1)),
        _ => Text::closed(format!("{number}{suffix}")),
    }
}

fn cast(ty: &str, text: &Text) -> Text {
    Text::closed(format!("({ty}){}", text.operand()))
}

fn binary(left: &Text, operator: &'static str, right: &Text) -> Option<Text> {
    let (left, right) = (left.under(operator), right.under(operator));
    Text::open(format!("{left} {operator} {right}"), operator)
}

fn shifted(text: &Text, operator: &'static str, bits: u32) -> Option<Text> {
    binary(text, operator, &Text::closed(bits.to_string()))
}

impl CPrinter<'_> {
    /// The strongest known text that follows from a condition (`upper`), or the weakest from which
    /// it follows.
    fn bound(&self, id: ExprId, upper: bool) -> Bound {
        let operands = self.pool.node(id).operands();
        let one_bit = self.pool.width(id) == 1;
        match (self.pool.op(id), operands) {
            (Op::Not, [a]) if one_bit => match self.bound(*a, !upper) {
                Bound::Constant(value) => Bound::Constant(!value),
                Bound::Text(_) if self.exact(id).is_some() => self.whole(id, upper),
                Bound::Text(text) => Bound::Text(Text::closed(format!("!{}", text.operand()))),
            },
            (Op::And, [..]) if one_bit => self.joined(id, "&&", upper),
            (Op::Or, [..]) if one_bit => self.joined(id, "||", upper),
            _ => self.whole(id, upper),
        }
    }

    fn whole(&self, id: ExprId, upper: bool) -> Bound {
        match (self.pool.bits(id), self.exact(id)) {
            (Some(bits), _) => Bound::Constant(bits != 0),
            (None, Some(text)) => Bound::Text(text),
            (None, None) => Bound::Constant(upper),
        }
    }

    /// The conditions under a connective, each once.
    fn joined(&self, id: ExprId, operator: &'static str, upper: bool) -> Bound {
        let absorbing = operator == "||";
        let mut texts: Vec<Text> = Vec::new();
        let mut stack = vec![id];
        while let Some(part) = stack.pop() {
            if self.pool.op(part) == self.pool.op(id) {
                stack.extend(self.pool.node(part).operands().iter().rev());
                continue;
            }
            match self.bound(part, upper) {
                Bound::Constant(value) if value == absorbing => return Bound::Constant(value),
                Bound::Text(text) if texts.iter().all(|known| known.text != text.text) => {
                    texts.push(text);
                }
                _ => {}
            }
        }
        let Some(last) = texts.pop() else {
            return Bound::Constant(!absorbing);
        };
        let mut others = texts.iter().rev();
        let whole = others.try_fold(last, |rest, text| binary(text, operator, &rest));
        whole.map_or(Bound::Constant(upper), Bound::Text)
    }

    /// A condition, of type `int`.
    fn exact(&self, id: ExprId) -> Option<Text> {
        let pool = self.pool;
        if let Some(bits) = pool.bits(id) {
            return Some(Text::closed(bits.to_string()));
        }
        match (pool.op(id), pool.node(id).operands()) {
            (Op::Not, [a]) => self.negated(*a),
            (Op::And, [a, b]) => binary(&self.exact(*a)?, "&&", &self.exact(*b)?),
            (Op::Or, [a, b]) => binary(&self.exact(*a)?, "||", &self.exact(*b)?),
            (Op::Xor, [a, b]) => binary(&self.exact(*a)?, "!=", &self.exact(*b)?),
            (Op::Eq, [a, b]) if pool.width(*a) == 1 => {
                binary(&self.exact(*a)?, "==", &self.exact(*b)?)
            }
            (Op::Ite, [condition, a, b]) => {
                self.choice(*condition, &self.exact(*a)?, &self.exact(*b)?)
            }
            (Op::Eq, [a, b]) => self.compared(*a, "==", *b, self.is_signed(*a, *b)),
            (Op::Ult, [a, b]) => self.compared(*a, "<", *b, false),
            (Op::Ule, [a, b]) => self.compared(*a, "<=", *b, false),
            (Op::Slt, [a, b]) => self.compared(*a, "<", *b, true),
            (Op::Sle, [a, b]) => self.compared(*a, "<=", *b, true),
            _ => binary(&self.unsigned(id)?, "!=", &unsigned_constant(1, 0)),
        }
    }

    fn negated(&self, id: ExprId) -> Option<Text> {
        match (self.pool.op(id), self.pool.node(id).operands()) {
            (Op::Ult, [a, b]) => self.compared(*b, "<=", *a, false),
            (Op::Ule, [a, b]) => self.compared(*b, "<", *a, false),
            (Op::Slt, [a, b]) => self.compared(*b, "<=", *a, true),
            (Op::Sle, [a, b]) => self.compared(*b, "<", *a, true),
            (Op::Eq, [a, b]) if self.pool.width(*a) > 1 => {
                self.compared(*a, "!=", *b, self.is_signed(*a, *b))
            }
            _ => Some(Text::closed(format!("!{}", self.exact(id)?.operand()))),
        }
    }

    fn choice(&self, condition: ExprId, a: &Text, b: &Text) -> Option<Text> {
        let condition = self.exact(condition)?;
        let (condition, a, b) = (condition.operand(), a.operand(), b.operand());
        Text::open(format!("{condition} ? {a} : {b}"), "?")
    }

    /// A comparison, with a constant on its right.
    fn compared(&self, a: ExprId, operator: &'static str, b: ExprId, signed: bool) -> Option<Text> {
        let text = |id| match signed {
            true => self.signed(id),
            false => self.unsigned(id),
        };
        let (left, right) = (text(a)?, text(b)?);
        if self.pool.bits(a).is_none() {
            return binary(&left, operator, &right);
        }
        let mirrored = match operator {
            "<" => ">",
            "<=" => ">=",
            same => same,
        };
        binary(&right, mirrored, &left)
    }

    /// Whether two numbers that are compared for equality read better as signed ones.
    fn is_signed(&self, a: ExprId, b: ExprId) -> bool {
        [a, b].into_iter().any(|id| match self.pool.as_symbol(id) {
            Some(symbol) => (self.name)(symbol).is_some_and(|variable| variable.signed),
            None => self.pool.op(id) == Op::SExt,
        })
    }

    /// A number as an `int` or a `long` of its value.
    fn signed(&self, id: ExprId) -> Option<Text> {
        let width = self.pool.width(id);
        if let Some(bits) = self.pool.bits(id) {
            return (width <= 64).then(|| signed_constant(width, bits));
        }
        let ty = if width <= 32 { "int" } else { "long" };
        if let Some(symbol) = self.pool.as_symbol(id) {
            let variable = (self.name)(symbol)?;
            if variable.signed {
                return Some(Text::closed(variable.text));
            }
        }
        match (self.pool.op(id), self.pool.node(id).operands()) {
            (Op::SExt, [a]) if width <= 64 => Some(cast(ty, &self.signed(*a)?)),
            (Op::ZExt, [a]) if width <= 64 => Some(cast(ty, &self.unsigned(*a)?)),
            _ => {
                let text = self.unsigned(id)?;
                let above = container(width) - width;
                match width {
                    8 => Some(cast("signed char", &text)),
                    16 => Some(cast("short", &text)),
                    32 | 64 => Some(cast(ty, &text)),
                    _ => {
                        let high = shifted(&text, "<<", above)?;
                        shifted(&cast(ty, &high), ">>", above)
                    }
                }
            }
        }
    }

    /// A number as an `unsigned int` or an `unsigned long` of its value.
    fn unsigned(&self, id: ExprId) -> Option<Text> {
        let (pool, width) = (self.pool, self.pool.width(id));
        if width > 64 {
            return None;
        }
        if let Some(bits) = pool.bits(id) {
            return Some(unsigned_constant(width, bits));
        }
        if let Some(symbol) = pool.as_symbol(id) {
            return self.variable(symbol);
        }
        let ty = unsigned_type(width);
        match (pool.op(id), pool.node(id).operands()) {
            (op, _) if width == 1 && is_condition(op) => Some(cast(ty, &self.exact(id)?)),
            (Op::Not, [a]) => {
                let text = format!("~{}", self.unsigned(*a)?.operand());
                cut(width, Text::closed(text))
            }
            (Op::Neg, [a]) => {
                let zero = unsigned_constant(width, 0);
                cut(width, binary(&zero, "-", &self.unsigned(*a)?)?)
            }
            (Op::ZExt, [a]) => Some(cast(ty, &self.unsigned(*a)?)),
            (Op::SExt, [a]) => cut(width, cast(ty, &self.signed(*a)?)),
            (Op::Extract, [a]) => {
                let (whole, low) = (self.unsigned(*a)?, pool.node(id).low());
                let moved = match low {
                    0 => whole,
                    _ => shifted(&whole, ">>", low)?,
                };
                cut(width, cast(ty, &moved))
            }
            (Op::Concat, [a, b]) => {
                let high = cast(ty, &self.unsigned(*a)?);
                let high = shifted(&high, "<<", pool.width(*b))?;
                binary(&high, "|", &cast(ty, &self.unsigned(*b)?))
            }
            (Op::Ite, [condition, a, b]) => {
                self.choice(*condition, &self.unsigned(*a)?, &self.unsigned(*b)?)
            }
            (op, [a, b]) => self.arithmetic(op, *a, *b),
            _ => None,
        }
    }

    fn variable(&self, symbol: Symbol) -> Option<Text> {
        let variable = (self.name)(symbol)?;
        let width = symbol.width();
        let text = Text::closed(variable.text);
        match (width, variable.signed) {
            (32 | 64, false) => Some(text),
            (8, true) => Some(cast("unsigned int", &cast("unsigned char", &text))),
            (16, true) => Some(cast("unsigned int", &cast("unsigned short", &text))),
            (8 | 16 | 32 | 64, _) => Some(cast(unsigned_type(width), &text)),
            _ => None,
        }
    }

    fn arithmetic(&self, op: Op, a: ExprId, b: ExprId) -> Option<Text> {
        let width = self.pool.width(a);
        let operator = match op {
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::And => "&",
            Op::Or => "|",
            Op::Xor => "^",
            Op::UDiv | Op::SDiv => "/",
            Op::URem | Op::SRem => "%",
            Op::Shl => "<<",
            Op::LShr | Op::AShr => ">>",
            _ => return None,
        };
        let (left, right) = (self.unsigned(a)?, self.unsigned(b)?);
        let plain = || binary(&left, operator, &right);
        match op {
            Op::Add | Op::Sub | Op::Mul => cut(width, plain()?),
            Op::And | Op::Or | Op::Xor => plain(),
            // Divisors for which C's division has no result are left to others.
            Op::UDiv | Op::URem => {
                self.pool.bits(b).filter(|bits| *bits != 0)?;
                plain()
            }
            Op::SDiv | Op::SRem => {
                let divisor = self.pool.bits(b).map(|bits| signed(bits, width));
                divisor.filter(|divisor| ![0, -1].contains(divisor))?;
                let result = binary(&self.signed(a)?, operator, &self.signed(b)?)?;
                cut(width, cast(unsigned_type(width), &result))
            }
            _ => {
                self.pool.bits(b).filter(|bits| *bits < u128::from(width))?;
                match op {
                    Op::AShr => {
                        let result = binary(&self.signed(a)?, operator, &right)?;
                        cut(width, cast(unsigned_type(width), &result))
                    }
                    _ => cut(width, plain()?),
                }
            }
        }
    }
}

/// Whether an operation on one bit is printed as a condition.
fn is_condition(op: Op) -> bool {
    op.is_predicate() || matches!(op, Op::Not | Op::And | Op::Or | Op::Xor | Op::Ite)
}

/// A number without the bits above its width.
fn cut(width: u32, text: Text) -> Option<Text> {
    match width == container(width) {
        true => Some(text),
        false => binary(&text, "&", &unsigned_constant(width, mask(width))),
    }
}
