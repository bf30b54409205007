//! Floating operations as terms, with the meaning that evaluation gives them.
//!
//! Law: for operands `x`, the float built here is the one whose bit pattern
//! `labrys_expr::evaluate` gives; where SMT-LIB leaves a result open (conversions to integers
//! out of range, the payload of NaN), that pattern is pinned.

use labrys_expr::{Op, Rounding as Mode};

use super::terms::{Format, Terms};
use crate::bitwuzla::{Error, Kind, Rounding, Term};

/// The float that `op` computes of floats; rounds to nearest even.
pub(super) fn arithmetic(
    terms: &mut Terms,
    op: Op,
    format: Format,
    operands: &[Term],
) -> Result<Term, Error> {
    let kind = match op {
        Op::FNeg => return terms.term(Kind::FpNeg, operands),
        Op::FAbs => return terms.term(Kind::FpAbs, operands),
        Op::FRem => return remainder(terms, format, operands[0], operands[1]),
        Op::FAdd => Kind::FpAdd,
        Op::FSub => Kind::FpSub,
        Op::FMul => Kind::FpMul,
        Op::FDiv => Kind::FpDiv,
        Op::FSqrt => Kind::FpSqrt,
        _ => return Err(Error::Refused(format!("{op:?} is no float operation"))),
    };
    let mut all = vec![terms.rounding(Rounding::NearestEven)?];
    all.extend_from_slice(operands);
    terms.term(kind, &all)
}

/// A truth value that compares floats.
pub(super) fn comparison(terms: &mut Terms, op: Op, a: Term, b: Term) -> Result<Term, Error> {
    match op {
        Op::FOeq => terms.term(Kind::FpEqual, &[a, b]),
        Op::FOlt => terms.term(Kind::FpLt, &[a, b]),
        Op::FOle => terms.term(Kind::FpLe, &[a, b]),
        _ => {
            let a = terms.term(Kind::FpIsNan, &[a])?;
            let b = terms.term(Kind::FpIsNan, &[b])?;
            terms.term(Kind::Or, &[a, b])
        }
    }
}

/// The float nearest to a float or to an integer.
pub(super) fn to_float(terms: &mut Terms, op: Op, to: Format, a: Term) -> Result<Term, Error> {
    let kind = match op {
        Op::UToF => Kind::FpFromUnsigned,
        Op::SToF => Kind::FpFromSigned,
        _ => Kind::FpFromFp,
    };
    let nearest = terms.rounding(Rounding::NearestEven)?;
    terms.indexed(kind, &[nearest, a], &to.indices())
}

/// The integral float next to `a`.
pub(super) fn round(terms: &mut Terms, mode: Mode, a: Term) -> Result<Term, Error> {
    let mode = terms.rounding(match mode {
        Mode::NearestEven => Rounding::NearestEven,
        Mode::Down => Rounding::Down,
        Mode::Up => Rounding::Up,
        Mode::Zero => Rounding::Zero,
        Mode::NearestAway => Rounding::NearestAway,
    })?;
    terms.term(Kind::FpRoundToIntegral, &[mode, a])
}

/// The integer of `width` bits toward zero; the highest bit alone where there is none.
pub(super) fn to_integer(
    terms: &mut Terms,
    op: Op,
    from: Format,
    a: Term,
    width: u32,
) -> Result<Term, Error> {
    let is_signed = op == Op::FToS;
    let exponent = if is_signed { width - 1 } else { width };
    let whole = round(terms, Mode::Zero, a)?;
    let least = match from.power_of_two(exponent) {
        Some(limit) if is_signed => limit | from.sign(),
        _ => 0,
    };
    let least = terms.float_value(from, least)?;
    let from_below = terms.term(Kind::FpLe, &[least, whole])?;
    let from_above = match from.power_of_two(exponent) {
        Some(limit) => {
            let limit = terms.float_value(from, limit)?;
            terms.term(Kind::FpLt, &[whole, limit])?
        }
        // All finite floats are below.
        None => {
            let infinite = terms.term(Kind::FpIsInfinite, &[whole])?;
            terms.term(Kind::Not, &[infinite])?
        }
    };
    let in_range = terms.term(Kind::And, &[from_below, from_above])?;
    let kind = if is_signed {
        Kind::FpToSigned
    } else {
        Kind::FpToUnsigned
    };
    let zero = terms.rounding(Rounding::Zero)?;
    let value = terms.indexed(kind, &[zero, a], &[u64::from(width)])?;
    let other = terms.bits(width, 1 << (width - 1))?;
    terms.term(Kind::Ite, &[in_range, value, other])
}

/// `fmod`: SMT-LIB has the IEEE remainder only, whose quotient is rounded to nearest. For
/// positive operands that is the right one or too small by the divisor; adding the divisor is
/// exact then. The sign is that of the dividend.
fn remainder(terms: &mut Terms, format: Format, a: Term, b: Term) -> Result<Term, Error> {
    let dividend = terms.term(Kind::FpAbs, &[a])?;
    let divisor = terms.term(Kind::FpAbs, &[b])?;
    let nearest = terms.term(Kind::FpRem, &[dividend, divisor])?;
    let zero = terms.float_value(format, 0)?;
    let too_small = terms.term(Kind::FpLt, &[nearest, zero])?;
    let sum = arithmetic(terms, Op::FAdd, format, &[nearest, divisor])?;
    let positive = terms.term(Kind::Ite, &[too_small, sum, nearest])?;
    let positive = terms.term(Kind::FpAbs, &[positive])?;
    let negative = terms.term(Kind::FpNeg, &[positive])?;
    let is_negative = terms.term(Kind::FpIsNegative, &[a])?;
    terms.term(Kind::Ite, &[is_negative, negative, positive])
}

/// What is cheap to say of a float that is the [`remainder`] of two others: when it is NaN, and
/// else its sign and its bounds.
pub(super) fn remainder_bounds(
    terms: &mut Terms,
    remainder: Term,
    operands: &[Term],
) -> Result<Term, Error> {
    let [a, b] = [operands[0], operands[1]];
    let mut undefined = comparison(terms, Op::FUno, a, b)?;
    for (kind, operand) in [(Kind::FpIsInfinite, a), (Kind::FpIsZero, b)] {
        let case = terms.term(kind, &[operand])?;
        undefined = terms.term(Kind::Or, &[undefined, case])?;
    }
    let nan = terms.term(Kind::FpIsNan, &[remainder])?;
    let signs = [remainder, a].map(|float| terms.term(Kind::FpIsNegative, &[float]));
    let [sign, sign_of_a] = signs;
    let mut bounds = terms.term(Kind::Equal, &[sign?, sign_of_a?])?;
    let sizes = [remainder, a, b].map(|float| terms.term(Kind::FpAbs, &[float]));
    let [size, size_of_a, size_of_b] = sizes;
    let size = size?;
    for (kind, other) in [(Kind::FpLe, size_of_a?), (Kind::FpLt, size_of_b?)] {
        let bound = terms.term(kind, &[size, other])?;
        bounds = terms.term(Kind::And, &[bounds, bound])?;
    }
    terms.term(Kind::Ite, &[undefined, nan, bounds])
}

/// The bit pattern of a float: a fresh bit-vector, and the definition (a truth value that can
/// always be satisfied) which makes it the pattern of that float.
pub(super) fn pattern(
    terms: &mut Terms,
    format: Format,
    float: Term,
) -> Result<(Term, Term), Error> {
    let pattern = terms.fresh(format.width(), "pattern")?;
    let same = terms.float(format, pattern)?;
    let same = terms.term(Kind::Equal, &[same, float])?;
    let nan = terms.term(Kind::FpIsNan, &[float])?;
    let pinned = terms.is_value(pattern, format.width(), format.nan())?;
    let definition = terms.term(Kind::Ite, &[nan, pinned, same])?;
    Ok((pattern, definition))
}
