//! Comparisons of floating ranges. A range that may hold NaN, or values of both signs, says
//! nothing.

use labrys_expr::Op;

use super::monotone::{Order, infinity};
use super::range::{Conflict, Range};

/// Ends of a range by value: as for keys, but the two zeros have one.
fn ends(range: Range, width: u32) -> Option<(i128, i128)> {
    let (low, high) = Order::Float.ends(range, width)?;
    let value = |key: i128| if key < 0 { key + 1 } else { key };
    Some((value(low), value(high)))
}

/// The values between two, with both zeros where zero is among them.
fn between(low: i128, high: i128, width: u32) -> Option<Range> {
    let key = |value: i128| if value < 0 { value - 1 } else { value };
    // From a negative value to a positive one the patterns are not consecutive; nor are the
    // zeros.
    let one_sided = low > 0 || high < 0;
    one_sided.then(|| Order::Float.range(key(low), key(high), width))
}

/// The truth of a comparison, where the ranges decide it.
pub(super) fn compare(op: Op, a: Range, b: Range, width: u32) -> Option<bool> {
    let (a, b) = (ends(a, width)?, ends(b, width)?);
    match op {
        Op::FOeq if a.1 < b.0 || b.1 < a.0 => Some(false),
        Op::FOeq if a.0 == a.1 && a == b => Some(true),
        Op::FOlt if a.1 < b.0 => Some(true),
        Op::FOlt if a.0 >= b.1 => Some(false),
        Op::FOle if a.1 <= b.0 => Some(true),
        Op::FOle if a.0 > b.1 => Some(false),
        _ => None,
    }
}

/// What a comparison's truth leaves of both sides.
pub(super) fn compared(
    op: Op,
    a: Range,
    b: Range,
    truth: bool,
    width: u32,
) -> Result<(Range, Range), Conflict> {
    let (known_a, known_b) = (ends(a, width), ends(b, width));
    if !truth && (known_a.is_none() || known_b.is_none() || op == Op::FOeq) {
        // NaN makes it false, too.
        return Ok((a, b));
    }
    let most = infinity(width) as i128;
    let (left, right) = (
        known_a.unwrap_or((-most, most)),
        known_b.unwrap_or((-most, most)),
    );
    // Now `left op right` for one of these, a and b exchanged where it was false.
    let (strict, left, right) = match (op, truth) {
        (Op::FOeq, _) => {
            let both = (left.0.max(right.0), left.1.min(right.1));
            return Ok((clip(a, both, width)?, clip(b, both, width)?));
        }
        (Op::FOlt, true) => (1, left, right),
        (Op::FOle, true) => (0, left, right),
        (Op::FOlt, false) => (0, right, left),
        _ => (1, right, left),
    };
    let lower = (left.0, left.1.min(right.1 - strict));
    let upper = (right.0.max(left.0 + strict), right.1);
    let (for_a, for_b) = if truth {
        (lower, upper)
    } else {
        (upper, lower)
    };
    Ok((clip(a, for_a, width)?, clip(b, for_b, width)?))
}

/// A range cut to the values between two.
fn clip(range: Range, (low, high): (i128, i128), width: u32) -> Result<Range, Conflict> {
    if low > high {
        return Err(Conflict);
    }
    let Some(cut) = between(low, high, width) else {
        // Zero is among them: what is on the range's own side of it stays.
        return Ok(match Order::Float.ends(range, width) {
            Some((first, _)) if first >= 0 => {
                let cut = Order::Float.range(0, high.max(0), width);
                range.meet(cut, width).ok_or(Conflict)?
            }
            Some(_) => {
                let cut = Order::Float.range(low.min(0) - 1, -1, width);
                range.meet(cut, width).ok_or(Conflict)?
            }
            None => range,
        });
    };
    range.meet(cut, width).ok_or(Conflict)
}

#[cfg(test)]
mod tests {
    use super::{Op, Range, compare, compared};

    fn bits(value: f64) -> u128 {
        value.to_bits().into()
    }

    #[test]
    fn comparisons_cut_ranges() {
        let a = Range::between(bits(0.0), bits(10.0));
        let b = Range::between(bits(2.0), bits(3.0));
        assert_eq!(compare(Op::FOlt, a, b, 64), None);
        let (left, right) = compared(Op::FOlt, a, b, true, 64).unwrap();
        assert_eq!(left, Range::between(bits(0.0), bits(3.0) - 1));
        assert_eq!(right, b);
        let (left, _) = compared(Op::FOlt, a, b, false, 64).unwrap();
        assert_eq!(left, Range::between(bits(2.0), bits(10.0)));
        assert_eq!(
            compare(Op::FOlt, left, Range::single(bits(1.0)), 64),
            Some(false)
        );
        let (left, _) = compared(Op::FOeq, a, Range::single(bits(-0.0)), true, 64).unwrap();
        assert_eq!(left, Range::single(bits(0.0)));
        assert!(compared(Op::FOeq, b, Range::single(bits(-1.0)), true, 64).is_err());
    }

    #[test]
    fn what_may_be_nan_stays() {
        let any = Range::full(64);
        let one = Range::single(bits(1.0));
        assert_eq!(compared(Op::FOle, any, one, false, 64).unwrap(), (any, one));
        let (cut, _) = compared(Op::FOlt, one, any, true, 64)
            .map(|(a, b)| (b, a))
            .unwrap();
        assert!(cut.has(bits(1.5), 64) && !cut.has(bits(1.0), 64) && !cut.has(bits(f64::NAN), 64));
    }
}
