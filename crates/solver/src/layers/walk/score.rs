//! Error scores: how badly an atom is violated (algorithm 5.2 of the dissertation).
//!
//! Laws: the score is 0 exactly where the atom holds, else positive and finite. The difference
//! is that of the two sides, left minus right, as a double.
//!
//! Under- and overflow and NaN (section 5.6): differences of integers are computed without
//! wrapping, except that two sides are *equal* modulo 2ʷ, so there the difference is the shorter
//! distance; an infinite score is the largest double, one that is no number an eighth of it.

use labrys_expr::{mask, signed};

use super::formula::{Atom, Domain, Relation};

/// Score of what is not a number.
pub(super) const NAN_SCORE: f64 = f64::MAX / 8.0;

/// Difference and score of an atom whose sides have these bits and this width.
pub(super) fn score(atom: &Atom, width: u32, left: u128, right: u128) -> (f64, f64) {
    let difference = difference(atom, width, left, right);
    if holds(atom, width, left, right) {
        return (difference, 0.0);
    }
    (difference, violated(atom.relation, difference))
}

/// The score of an atom that does not hold.
pub(super) fn violated(relation: Relation, difference: f64) -> f64 {
    match relation {
        Relation::NotEqual | Relation::Unordered => 1.0,
        _ if difference.is_nan() => NAN_SCORE,
        Relation::Equal => difference.abs().min(f64::MAX),
        _ => difference.abs().min(f64::MAX) + 1.0,
    }
}

/// Both sides as doubles.
pub(super) fn floats(width: u32, left: u128, right: u128) -> (f64, f64) {
    let float = |bits: u128| match width {
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits as u64),
    };
    (float(left), float(right))
}

fn difference(atom: &Atom, width: u32, left: u128, right: u128) -> f64 {
    match (atom.domain, atom.relation) {
        (Domain::Float, _) => {
            let (left, right) = floats(width, left, right);
            left - right
        }
        (_, Relation::Equal | Relation::NotEqual) => {
            signed(left.wrapping_sub(right) & mask(width), width) as f64
        }
        (Domain::Signed, _) if width < 64 => (signed(left, width) - signed(right, width)) as f64,
        (Domain::Signed, _) => signed(left, width) as f64 - signed(right, width) as f64,
        (Domain::Unsigned, _) if width < 64 => (left as i128 - right as i128) as f64,
        (Domain::Unsigned, _) => left as f64 - right as f64,
    }
}

fn holds(atom: &Atom, width: u32, left: u128, right: u128) -> bool {
    match atom.domain {
        Domain::Float => {
            let (left, right) = floats(width, left, right);
            if left.is_nan() || right.is_nan() {
                return atom.or_unordered || atom.relation == Relation::Unordered;
            }
            match atom.relation {
                Relation::Equal => left == right,
                Relation::NotEqual => left != right,
                Relation::Less => left < right,
                Relation::AtMost => left <= right,
                Relation::Unordered => false,
                Relation::Ordered => true,
            }
        }
        Domain::Signed => ordered(atom.relation, &signed(left, width), &signed(right, width)),
        Domain::Unsigned => ordered(atom.relation, &left, &right),
    }
}

fn ordered<T: Ord>(relation: Relation, left: &T, right: &T) -> bool {
    match relation {
        Relation::Equal => left == right,
        Relation::NotEqual => left != right,
        Relation::Less => left < right,
        Relation::AtMost => left <= right,
        Relation::Unordered => false,
        Relation::Ordered => true,
    }
}
