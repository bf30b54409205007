//! Functions of the theory FloatingPoint on bit patterns of 32 and 64 bits.
//!
//! Arithmetic rounds to nearest even only; other modes are refused, except where they round to
//! an integer.

use labrys_expr::{ExprId, Op, Pool, Rounding, mask};

use super::sorts::{Sort, Term};

/// Bits of the exponent, all set: infinity.
fn infinity(sort: Sort) -> u128 {
    let (exponent, significand) = sort.format();
    mask(exponent) << (significand - 1)
}

fn sort_of_width(width: u32) -> Sort {
    if width == 32 {
        Sort::Single
    } else {
        Sort::Double
    }
}

/// `(_ NaN 8 24)`, `(_ +oo 8 24)` and the like.
pub(super) fn constant(
    pool: &mut Pool,
    name: &str,
    exponent: u32,
    significand: u32,
) -> Result<Term, String> {
    let sort = Sort::of_format(exponent, significand)?;
    let sign = 1 << (sort.width() - 1);
    let bits = match name {
        "+oo" => infinity(sort),
        "-oo" => infinity(sort) | sign,
        "+zero" => 0,
        "-zero" => sign,
        "NaN" => infinity(sort) | 1 << (significand - 2),
        _ => return Err(format!("{name} is not known")),
    };
    Ok(Term::Value(pool.constant(sort.width(), bits), sort))
}

/// Whether a float is NaN.
pub(super) fn is_nan(pool: &mut Pool, a: ExprId) -> ExprId {
    pool.binary(Op::FUno, a, a)
}

/// Applies a function of the theory.
pub(super) fn apply(
    pool: &mut Pool,
    name: &str,
    indices: &[u32],
    arguments: &[Term],
) -> Result<Term, String> {
    match (name, indices, arguments) {
        ("fp", [], _) => triple(pool, arguments),
        ("to_fp" | "to_fp_unsigned", &[exponent, significand], _) => {
            let sort = Sort::of_format(exponent, significand)?;
            let id = to_float(pool, name, sort, arguments)?;
            Ok(Term::Value(id, sort))
        }
        ("fp.to_ubv" | "fp.to_sbv", &[width], [Term::Mode(mode), Term::Value(a, sort)])
            if sort.is_float() =>
        {
            if !(1..=128).contains(&width) {
                return Err(format!("bit-vectors of {width} bits are not supported"));
            }
            let whole = pool.round(*mode, *a);
            let op = if name == "fp.to_ubv" {
                Op::FToU
            } else {
                Op::FToS
            };
            Ok(Term::Value(
                pool.convert(op, whole, width),
                Sort::Bits(width),
            ))
        }
        ("fp.roundToIntegral", [], [Term::Mode(mode), Term::Value(a, sort)]) if sort.is_float() => {
            Ok(Term::Value(pool.round(*mode, *a), *sort))
        }
        (_, [], [Term::Mode(mode), rest @ ..]) => {
            nearest_even(name, *mode)?;
            arithmetic(pool, name, &floats(name, rest)?)
        }
        (_, [], _) => exact(pool, name, &floats(name, arguments)?),
        _ => Err(format!(
            "the function {name} is not supported with these arguments"
        )),
    }
}

fn nearest_even(name: &str, mode: Rounding) -> Result<(), String> {
    match mode {
        Rounding::NearestEven => Ok(()),
        other => Err(format!(
            "{name} with the rounding mode {other:?} is not supported, only with RNE"
        )),
    }
}

/// The arguments as floats of one sort.
fn floats(name: &str, arguments: &[Term]) -> Result<Vec<ExprId>, String> {
    let mut first = None;
    let mut ids = Vec::new();
    for argument in arguments {
        match argument {
            Term::Value(id, sort) if sort.is_float() && *first.get_or_insert(*sort) == *sort => {
                ids.push(*id);
            }
            other => return Err(format!("{name} does not take {} here", other.kind())),
        }
    }
    if ids.is_empty() {
        Err(format!("{name} without arguments"))
    } else {
        Ok(ids)
    }
}

/// `(fp sign exponent fraction)`
fn triple(pool: &mut Pool, arguments: &[Term]) -> Result<Term, String> {
    let [
        Term::Value(sign, Sort::Bits(1)),
        Term::Value(exponent, Sort::Bits(e)),
        Term::Value(fraction, Sort::Bits(f)),
    ] = arguments
    else {
        return Err("fp takes three bit-vectors, the first of one bit".into());
    };
    let sort = Sort::of_format(*e, f + 1)?;
    let low = pool.concat(*exponent, *fraction);
    Ok(Term::Value(pool.concat(*sign, low), sort))
}

fn to_float(pool: &mut Pool, name: &str, sort: Sort, arguments: &[Term]) -> Result<ExprId, String> {
    let width = sort.width();
    if let [Term::Value(a, Sort::Bits(from))] = arguments {
        return if *from == width && name == "to_fp" {
            Ok(*a)
        } else {
            Err(format!("{name} of {from} bits to {width}"))
        };
    }
    let [Term::Mode(mode), value] = arguments else {
        return Err(format!("{name} takes a rounding mode and a value"));
    };
    nearest_even(name, *mode)?;
    match value {
        Term::Value(a, Sort::Bits(_)) => {
            let op = if name == "to_fp" { Op::SToF } else { Op::UToF };
            Ok(pool.convert(op, *a, width))
        }
        Term::Value(a, from) if from.is_float() && name == "to_fp" => Ok(if *from == sort {
            *a
        } else {
            pool.convert(Op::FToF, *a, width)
        }),
        Term::Real(_) | Term::Ratio(..) if name == "to_fp" => {
            let bits = real(value, sort).ok_or("this number cannot be converted exactly")?;
            Ok(pool.constant(width, bits))
        }
        other => Err(format!("{name} does not take {}", other.kind())),
    }
}

/// The float nearest to a number; `None` for a quotient of numbers that are no floats.
fn real(number: &Term, sort: Sort) -> Option<u128> {
    let exact = |digits: &str| {
        let digits = digits.strip_suffix(".0").unwrap_or(digits);
        let whole: i64 = digits.parse().ok()?;
        (whole.unsigned_abs() < 1 << 24).then_some(whole)
    };
    Some(match (number, sort) {
        (Term::Real(digits), Sort::Single) => digits.parse::<f32>().ok()?.to_bits().into(),
        (Term::Real(digits), _) => digits.parse::<f64>().ok()?.to_bits().into(),
        // The quotient of two floats is rounded once.
        (Term::Ratio(a, b), Sort::Single) => (exact(a)? as f32 / exact(b)? as f32).to_bits().into(),
        (Term::Ratio(a, b), _) => (exact(a)? as f64 / exact(b)? as f64).to_bits().into(),
        _ => return None,
    })
}

/// Functions with a rounding mode.
fn arithmetic(pool: &mut Pool, name: &str, ids: &[ExprId]) -> Result<Term, String> {
    let result = match (name, ids) {
        ("fp.add", [a, b]) => pool.binary(Op::FAdd, *a, *b),
        ("fp.sub", [a, b]) => pool.binary(Op::FSub, *a, *b),
        ("fp.mul", [a, b]) => pool.binary(Op::FMul, *a, *b),
        ("fp.div", [a, b]) => pool.binary(Op::FDiv, *a, *b),
        ("fp.sqrt", [a]) => pool.unary(Op::FSqrt, *a),
        _ => return Err(format!("the function {name} is not supported")),
    };
    Ok(Term::Value(result, sort_of_width(pool.width(result))))
}

/// Functions without a rounding mode.
fn exact(pool: &mut Pool, name: &str, ids: &[ExprId]) -> Result<Term, String> {
    let comparison = match name {
        "fp.eq" => Some((Op::FOeq, false)),
        "fp.lt" => Some((Op::FOlt, false)),
        "fp.leq" => Some((Op::FOle, false)),
        "fp.gt" => Some((Op::FOlt, true)),
        "fp.geq" => Some((Op::FOle, true)),
        _ => None,
    };
    if let Some((op, swapped)) = comparison {
        let mut all = ExprId::TRUE;
        for pair in ids.windows(2) {
            let (a, b) = if swapped {
                (pair[1], pair[0])
            } else {
                (pair[0], pair[1])
            };
            let one = pool.binary(op, a, b);
            all = pool.and(all, one);
        }
        return Ok(Term::Value(all, Sort::Bool));
    }
    let sort = sort_of_width(pool.width(ids[0]));
    let result = match (name, ids) {
        ("fp.abs", [a]) => pool.unary(Op::FAbs, *a),
        ("fp.neg", [a]) => pool.unary(Op::FNeg, *a),
        ("fp.min" | "fp.max", [a, b]) => extreme(pool, name == "fp.min", *a, *b),
        ("fp.rem", [a, b]) => remainder(pool, *a, *b),
        ("fp.to_ieee_bv", [a]) => return Ok(Term::Value(*a, Sort::Bits(sort.width()))),
        (_, [a]) => return Ok(Term::Value(class(pool, name, sort, *a)?, Sort::Bool)),
        _ => return Err(format!("the function {name} is not supported")),
    };
    Ok(Term::Value(result, sort))
}

/// `fp.isZero` and its kin.
fn class(pool: &mut Pool, name: &str, sort: Sort, a: ExprId) -> Result<ExprId, String> {
    let width = sort.width();
    let (_, significand) = sort.format();
    let magnitude = pool.extract(a, 0, width - 1);
    let [zero, normal, infinite] =
        [0, 1 << (significand - 1), infinity(sort)].map(|bits| pool.constant(width - 1, bits));
    let negative = pool.extract(a, width - 1, 1);
    Ok(match name {
        "fp.isNaN" => is_nan(pool, a),
        "fp.isInfinite" => pool.eq(magnitude, infinite),
        "fp.isZero" => pool.eq(magnitude, zero),
        "fp.isNormal" => {
            let (above, below) = (pool.ule(normal, magnitude), pool.ult(magnitude, infinite));
            pool.and(above, below)
        }
        "fp.isSubnormal" => {
            let (above, below) = (pool.ult(zero, magnitude), pool.ult(magnitude, normal));
            pool.and(above, below)
        }
        "fp.isNegative" | "fp.isPositive" => {
            let nan = is_nan(pool, a);
            let number = pool.not(nan);
            let sign = if name == "fp.isNegative" {
                negative
            } else {
                pool.not(negative)
            };
            pool.and(number, sign)
        }
        _ => return Err(format!("the function {name} is not supported")),
    })
}

/// The smaller or the greater of two floats; a number where the other is NaN.
fn extreme(pool: &mut Pool, least: bool, a: ExprId, b: ExprId) -> ExprId {
    let first = if least {
        pool.binary(Op::FOle, a, b)
    } else {
        pool.binary(Op::FOle, b, a)
    };
    let b_nan = is_nan(pool, b);
    let take_a = pool.or(first, b_nan);
    pool.ite(take_a, a, b)
}

/// The IEEE remainder, whose quotient is rounded to nearest even, by `fmod`.
///
/// With p = |y| and r = fmod(|x|, 2p), the remainder of |x| is r, r - p or r - 2p. Twice p may
/// overflow, then |x| < 2p anyway; halves may lose a bit, so for small p it is r that is doubled.
fn remainder(pool: &mut Pool, x: ExprId, y: ExprId) -> ExprId {
    let sort = sort_of_width(pool.width(x));
    let (exponent, significand) = sort.format();
    let width = sort.width();
    let (x_size, p) = (pool.unary(Op::FAbs, x), pool.unary(Op::FAbs, y));
    let number =
        |pool: &mut Pool, power: u32| pool.constant(width, u128::from(power) << (significand - 1));
    // The greatest p that can be doubled, and the least whose half is exact.
    let (large, small) = (number(pool, (1 << exponent) - 2), number(pool, 2));
    let two_p = pool.binary(Op::FAdd, p, p);
    let reduced = pool.binary(Op::FRem, x_size, two_p);
    let can_double = pool.binary(Op::FOlt, p, large);
    let r = pool.ite(can_double, reduced, x_size);
    let half = pool.constant(width, (mask(exponent - 1) - 1) << (significand - 1));
    let half_p = pool.binary(Op::FMul, p, half);
    let is_small = pool.binary(Op::FOlt, p, small);
    let minus_p = pool.binary(Op::FSub, r, p);
    let mut above = |value: ExprId, op: Op| {
        let doubled = pool.binary(Op::FAdd, value, value);
        let (in_small, in_large) = (pool.binary(op, p, doubled), pool.binary(op, half_p, value));
        pool.ite(is_small, in_small, in_large)
    };
    let (once, twice) = (above(r, Op::FOlt), above(minus_p, Op::FOle));
    let minus_two_p = pool.binary(Op::FSub, minus_p, p);
    let lower = pool.ite(twice, minus_two_p, minus_p);
    let result = pool.ite(once, lower, r);
    // NaN operands, y = 0 and infinite x give NaN; y infinite gives x.
    let sum = pool.binary(Op::FRem, x, y);
    let nan = is_nan(pool, sum);
    let sign = pool.constant(width, 1 << (width - 1));
    let x_sign = pool.and(x, sign);
    let signed = pool.xor(result, x_sign);
    pool.ite(nan, sum, signed)
}
