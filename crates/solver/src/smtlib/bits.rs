//! Functions of the theories Core and FixedSizeBitVectors.

use labrys_expr::{ExprId, Op, Pool};

use super::floats;
use super::sorts::{Sort, Term};

/// `(_ bv10 32)`
pub(super) fn literal(pool: &mut Pool, digits: &str, width: u32) -> Result<Term, String> {
    let value: u128 = digits
        .parse()
        .map_err(|_| format!("bv{digits} is no number"))?;
    if !(1..=128).contains(&width) {
        return Err(format!(
            "bit-vectors of {width} bits are not supported, only of 1 to 128"
        ));
    }
    Ok(Term::Value(pool.constant(width, value), Sort::Bits(width)))
}

/// Applies a function of one of the theories.
pub(super) fn apply(
    pool: &mut Pool,
    name: &str,
    indices: &[u32],
    arguments: &[Term],
) -> Result<Term, String> {
    let mut values = Vec::with_capacity(arguments.len());
    for argument in arguments {
        match argument {
            Term::Value(id, sort) => values.push((*id, *sort)),
            other => return Err(format!("{name} does not take {}", other.kind())),
        }
    }
    match (name, indices) {
        ("not" | "and" | "or" | "xor" | "=>", []) => logic(pool, name, &values),
        ("=" | "distinct", []) => equality(pool, name, &values),
        ("ite", []) => choice(pool, &values),
        (_, []) => {
            let ids = vectors(name, &values)?;
            plain(pool, name, &ids)
        }
        _ => {
            let ids = vectors(name, &values)?;
            indexed(pool, name, indices, &ids)
        }
    }
}

fn logic(pool: &mut Pool, name: &str, values: &[(ExprId, Sort)]) -> Result<Term, String> {
    if let Some((_, sort)) = values.iter().find(|(_, sort)| *sort != Sort::Bool) {
        return Err(format!("{name} does not take {sort}"));
    }
    let ids: Vec<_> = values.iter().map(|(id, _)| *id).collect();
    let result = match (name, &ids[..]) {
        ("not", [a]) => pool.not(*a),
        ("and", [..]) if !ids.is_empty() => pool.all(ids),
        ("or", [..]) if !ids.is_empty() => pool.any(ids),
        ("xor", [first, rest @ ..]) => rest.iter().fold(*first, |all, next| pool.xor(all, *next)),
        // Implication is right-associative.
        ("=>", [rest @ .., last]) => rest
            .iter()
            .rev()
            .fold(*last, |all, next| pool.implies(*next, all)),
        _ => return Err(format!("{name} with {} arguments", ids.len())),
    };
    Ok(Term::Value(result, Sort::Bool))
}

/// Equality of two values of one sort; all NaN are equal.
fn equal(pool: &mut Pool, a: (ExprId, Sort), b: (ExprId, Sort)) -> Result<ExprId, String> {
    if a.1 != b.1 {
        return Err(format!("{} and {} are compared", a.1, b.1));
    }
    let same = pool.eq(a.0, b.0);
    if !a.1.is_float() {
        return Ok(same);
    }
    let (a, b) = (floats::is_nan(pool, a.0), floats::is_nan(pool, b.0));
    let both = pool.and(a, b);
    Ok(pool.or(same, both))
}

fn equality(pool: &mut Pool, name: &str, values: &[(ExprId, Sort)]) -> Result<Term, String> {
    if values.len() < 2 {
        return Err(format!("{name} with {} arguments", values.len()));
    }
    let mut all = ExprId::TRUE;
    if name == "=" {
        for pair in values.windows(2) {
            let one = equal(pool, pair[0], pair[1])?;
            all = pool.and(all, one);
        }
    } else {
        for (at, a) in values.iter().enumerate() {
            for b in &values[at + 1..] {
                let one = equal(pool, *a, *b)?;
                let one = pool.not(one);
                all = pool.and(all, one);
            }
        }
    }
    Ok(Term::Value(all, Sort::Bool))
}

fn choice(pool: &mut Pool, values: &[(ExprId, Sort)]) -> Result<Term, String> {
    match values {
        [(c, Sort::Bool), (t, sort), (e, other)] if sort == other => {
            Ok(Term::Value(pool.ite(*c, *t, *e), *sort))
        }
        _ => Err("ite takes a Bool and two values of one sort".into()),
    }
}

/// The arguments as bit-vectors.
fn vectors(name: &str, values: &[(ExprId, Sort)]) -> Result<Vec<ExprId>, String> {
    let vector = |(id, sort): &(ExprId, Sort)| match sort {
        Sort::Bits(_) => Ok(*id),
        other => Err(format!("{name} does not take {other}, or is not supported")),
    };
    values.iter().map(vector).collect()
}

fn of_bits(pool: &Pool, id: ExprId) -> Term {
    Term::Value(id, Sort::Bits(pool.width(id)))
}

/// The operation of a name that takes two bit-vectors, and whether it takes more.
fn operation(name: &str) -> Option<(Op, bool)> {
    Some(match name {
        "bvadd" => (Op::Add, true),
        "bvmul" => (Op::Mul, true),
        "bvand" => (Op::And, true),
        "bvor" => (Op::Or, true),
        "bvxor" => (Op::Xor, true),
        "bvsub" => (Op::Sub, true),
        "bvudiv" => (Op::UDiv, false),
        "bvsdiv" => (Op::SDiv, false),
        "bvurem" => (Op::URem, false),
        "bvsrem" => (Op::SRem, false),
        "bvshl" => (Op::Shl, false),
        "bvlshr" => (Op::LShr, false),
        "bvashr" => (Op::AShr, false),
        "bvult" => (Op::Ult, false),
        "bvule" => (Op::Ule, false),
        "bvslt" => (Op::Slt, false),
        "bvsle" => (Op::Sle, false),
        _ => return None,
    })
}

fn plain(pool: &mut Pool, name: &str, ids: &[ExprId]) -> Result<Term, String> {
    let same_width = ids
        .windows(2)
        .all(|pair| pool.width(pair[0]) == pool.width(pair[1]));
    if !same_width && name != "concat" {
        return Err(format!("arguments of {name} differ in width"));
    }
    if let Some((op, many)) = operation(name) {
        let result = match ids {
            [a, b] => pool.binary(op, *a, *b),
            [a, rest @ ..] if many && !rest.is_empty() => rest
                .iter()
                .fold(*a, |all, next| pool.binary(op, all, *next)),
            _ => return Err(format!("{name} with {} arguments", ids.len())),
        };
        let sort = if op.is_predicate() {
            Sort::Bool
        } else {
            Sort::Bits(pool.width(result))
        };
        return Ok(Term::Value(result, sort));
    }
    match ids {
        [a] => single(pool, name, *a),
        [a, b] => pair(pool, name, *a, *b),
        [a, rest @ ..] if name == "concat" => {
            let mut all = *a;
            for next in rest {
                all = concatenate(pool, all, *next)?;
            }
            Ok(of_bits(pool, all))
        }
        _ => Err(format!("the function {name} is not supported")),
    }
}

fn concatenate(pool: &mut Pool, a: ExprId, b: ExprId) -> Result<ExprId, String> {
    let width = pool.width(a) + pool.width(b);
    if width > 128 {
        return Err(format!(
            "bit-vectors of {width} bits are not supported, only of 1 to 128"
        ));
    }
    Ok(pool.concat(a, b))
}

fn single(pool: &mut Pool, name: &str, a: ExprId) -> Result<Term, String> {
    let width = pool.width(a);
    let result = match name {
        "bvnot" => pool.not(a),
        "bvneg" => pool.neg(a),
        "bvredor" | "bvredand" => {
            let bits = if name == "bvredor" { 0 } else { u128::MAX };
            let bound = pool.constant(width, bits);
            let equal = pool.eq(a, bound);
            if name == "bvredor" {
                pool.not(equal)
            } else {
                equal
            }
        }
        "bvnego" => {
            let least = pool.constant(width, 1 << (width - 1));
            return Ok(Term::Value(pool.eq(a, least), Sort::Bool));
        }
        _ => return Err(format!("the function {name} is not supported")),
    };
    Ok(of_bits(pool, result))
}

fn pair(pool: &mut Pool, name: &str, a: ExprId, b: ExprId) -> Result<Term, String> {
    let truth = |id| Ok(Term::Value(id, Sort::Bool));
    let result = match name {
        "concat" => concatenate(pool, a, b)?,
        "bvnand" | "bvnor" | "bvxnor" => {
            let op = match name {
                "bvnand" => Op::And,
                "bvnor" => Op::Or,
                _ => Op::Xor,
            };
            let positive = pool.binary(op, a, b);
            pool.not(positive)
        }
        "bvcomp" => pool.eq(a, b),
        "bvsmod" => modulo(pool, a, b),
        "bvugt" => return truth(pool.ult(b, a)),
        "bvuge" => return truth(pool.ule(b, a)),
        "bvsgt" => return truth(pool.slt(b, a)),
        "bvsge" => return truth(pool.sle(b, a)),
        _ => return truth(overflow(pool, name, a, b)?),
    };
    Ok(of_bits(pool, result))
}

/// The remainder with the sign of the divisor.
fn modulo(pool: &mut Pool, a: ExprId, b: ExprId) -> ExprId {
    let width = pool.width(a);
    let remainder = pool.binary(Op::SRem, a, b);
    let zero = pool.constant(width, 0);
    let (is_zero, by_zero) = (pool.eq(remainder, zero), pool.eq(b, zero));
    let (a_negative, b_negative) = (pool.slt(a, zero), pool.slt(b, zero));
    let signs_agree = pool.eq(a_negative, b_negative);
    let done = pool.any([is_zero, by_zero, signs_agree]);
    let corrected = pool.add(remainder, b);
    pool.ite(done, remainder, corrected)
}

/// Whether arithmetic leaves the range; computed in twice the width, so that of at most 64 bits.
fn overflow(pool: &mut Pool, name: &str, a: ExprId, b: ExprId) -> Result<ExprId, String> {
    let (is_signed, op) = match name {
        "bvuaddo" => (false, Op::Add),
        "bvsaddo" => (true, Op::Add),
        "bvusubo" => (false, Op::Sub),
        "bvssubo" => (true, Op::Sub),
        "bvumulo" => (false, Op::Mul),
        "bvsmulo" => (true, Op::Mul),
        "bvsdivo" => (true, Op::SDiv),
        _ => return Err(format!("the function {name} is not supported")),
    };
    let width = pool.width(a);
    if width > 64 {
        return Err(format!("{name} is not supported on more than 64 bits"));
    }
    let mut extend = |id| {
        if is_signed {
            pool.sext(id, 2 * width)
        } else {
            pool.zext(id, 2 * width)
        }
    };
    let (wide_a, wide_b) = (extend(a), extend(b));
    let exact = pool.binary(op, wide_a, wide_b);
    let low = pool.extract(exact, 0, width);
    let kept = if is_signed {
        pool.sext(low, 2 * width)
    } else {
        pool.zext(low, 2 * width)
    };
    let fits = pool.eq(exact, kept);
    let outside = pool.not(fits);
    if op != Op::SDiv {
        return Ok(outside);
    }
    // Division by zero is no overflow.
    let zero = pool.constant(width, 0);
    let by_zero = pool.eq(b, zero);
    let divides = pool.not(by_zero);
    Ok(pool.and(divides, outside))
}

fn indexed(pool: &mut Pool, name: &str, indices: &[u32], ids: &[ExprId]) -> Result<Term, String> {
    let &[a] = ids else {
        return Err(format!("{name} with {} arguments", ids.len()));
    };
    let width = pool.width(a);
    let too_wide = |width: u32| {
        Err(format!(
            "bit-vectors of {width} bits are not supported, only of 1 to 128"
        ))
    };
    let result = match (name, indices) {
        ("extract", &[high, low]) => {
            if low > high || high >= width {
                return Err(format!("bits {high} to {low} of {width}"));
            }
            pool.extract(a, low, high - low + 1)
        }
        ("zero_extend" | "sign_extend", &[by]) => {
            if by > 128 - width {
                return too_wide(by.saturating_add(width));
            }
            let to = width + by;
            if name == "zero_extend" {
                pool.zext(a, to)
            } else {
                pool.sext(a, to)
            }
        }
        ("repeat", &[count]) if count > 0 => {
            if count > 128 / width {
                return too_wide(count.saturating_mul(width));
            }
            (1..count).fold(a, |all, _| pool.concat(a, all))
        }
        ("rotate_left" | "rotate_right", &[by]) => {
            let by = by % width;
            // Rotation to the left by as many bits takes them from the top.
            let top = if name == "rotate_left" {
                by
            } else {
                (width - by) % width
            };
            if top == 0 {
                a
            } else {
                let (low, high) = (
                    pool.extract(a, 0, width - top),
                    pool.extract(a, width - top, top),
                );
                pool.concat(low, high)
            }
        }
        _ => {
            return Err(format!(
                "the function {name} is not supported with these indices"
            ));
        }
    };
    Ok(of_bits(pool, result))
}
