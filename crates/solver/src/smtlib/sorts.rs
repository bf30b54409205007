//! Sorts, typed terms, and values as text.

use labrys_expr::{ExprId, Rounding, Value};

use super::Error;
use super::syntax::{Form, Part, Syntax};

/// Sort of a term. Floats are kept as their bit patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Truth values: one bit.
    Bool,
    /// Bit-vectors of this width, 1 to 128.
    Bits(u32),
    /// Floats of 32 bits.
    Single,
    /// Floats of 64 bits.
    Double,
}

impl Sort {
    /// Width in bits of the values.
    #[must_use]
    pub const fn width(self) -> u32 {
        match self {
            Sort::Bool => 1,
            Sort::Bits(width) => width,
            Sort::Single => 32,
            Sort::Double => 64,
        }
    }

    /// Whether values are floats.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Sort::Single | Sort::Double)
    }

    /// Exponent and significand bits of a float sort, the significand with its hidden bit.
    pub(super) const fn format(self) -> (u32, u32) {
        match self {
            Sort::Single => (8, 24),
            _ => (11, 53),
        }
    }

    /// The float sort with this format.
    pub(super) fn of_format(exponent: u32, significand: u32) -> Result<Self, String> {
        match (exponent, significand) {
            (8, 24) => Ok(Sort::Single),
            (11, 53) => Ok(Sort::Double),
            _ => Err(format!(
                "floats with {exponent} exponent and {significand} significand bits are not \
                 supported, only those of 32 and 64 bits"
            )),
        }
    }

    /// Reads a sort.
    pub(super) fn read(syntax: &Syntax<'_>, part: Part) -> Result<Self, Error> {
        let fail = |message: String| syntax.error(part, message);
        match syntax.form(part) {
            Form::Symbol(name) => match name.as_str() {
                "Bool" => Ok(Sort::Bool),
                "Float32" => Ok(Sort::Single),
                "Float64" => Ok(Sort::Double),
                "RoundingMode" => Err(fail("variable rounding modes are not supported".into())),
                _ => Err(fail(format!("the sort {name} is not supported"))),
            },
            Form::List(parts) => {
                let words: Vec<_> = parts.iter().map(|part| syntax.symbol(*part)).collect();
                let numbers: Vec<_> = parts.iter().map(|part| syntax.numeral(*part)).collect();
                match (&words[..], &numbers[..]) {
                    ([Some("_"), Some("BitVec"), _], [.., Some(width)]) => {
                        if (1..=128).contains(width) {
                            return Ok(Sort::Bits(*width));
                        }
                        Err(fail(format!(
                            "bit-vectors of {width} bits are not supported, only of 1 to 128"
                        )))
                    }
                    ([Some("_"), Some("FloatingPoint"), ..], [_, _, Some(e), Some(s)]) => {
                        Sort::of_format(*e, *s).map_err(fail)
                    }
                    _ => Err(fail("this sort is not supported".into())),
                }
            }
            _ => Err(fail("a sort expected".into())),
        }
    }

    /// A value of this sort as SMT-LIB writes it.
    #[must_use]
    pub fn show(self, bits: u128) -> String {
        match self {
            Sort::Bool => if bits & 1 == 1 { "true" } else { "false" }.into(),
            Sort::Bits(width) => Value::new(width, bits).to_string(),
            Sort::Single | Sort::Double => {
                let (exponent, significand) = self.format();
                let fraction = significand - 1;
                let part = |width, low| Value::new(width, bits >> low);
                let (sign, exponent) = (part(1, exponent + fraction), part(exponent, fraction));
                let fraction = fraction as usize;
                let low = bits & ((1 << fraction) - 1);
                format!(
                    "(fp {sign} #b{:0w$b} #b{low:0fraction$b})",
                    exponent.bits(),
                    w = exponent.width() as usize
                )
            }
        }
    }
}

impl std::fmt::Display for Sort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::Bits(width) => write!(f, "(_ BitVec {width})"),
            Sort::Single => f.write_str("(_ FloatingPoint 8 24)"),
            Sort::Double => f.write_str("(_ FloatingPoint 11 53)"),
        }
    }
}

/// What a term means.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Term {
    /// A value of a sort.
    Value(ExprId, Sort),
    /// A rounding mode.
    Mode(Rounding),
    /// A number, as text: digits, perhaps with a point.
    Real(String),
    /// The quotient of two numbers.
    Ratio(String, String),
}

impl Term {
    /// What it is, for messages.
    pub(super) fn kind(&self) -> String {
        match self {
            Term::Value(_, sort) => sort.to_string(),
            Term::Mode(_) => "RoundingMode".into(),
            Term::Real(_) | Term::Ratio(..) => "Real".into(),
        }
    }
}
