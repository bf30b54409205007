//! Counting bits: operations that SMT-LIB does not have.

use labrys_expr::Op;

use super::terms::Terms;
use crate::bitwuzla::{Error, Kind, Term};

/// `PopCount`, `LeadingZeros` or `TrailingZeros` of `a`, as a vector of the same width.
pub(super) fn count(terms: &mut Terms, op: Op, a: Term, width: u32) -> Result<Term, Error> {
    match op {
        Op::PopCount => ones(terms, a, width),
        Op::LeadingZeros => zeros(
            terms,
            a,
            width,
            (0..width).map(|bit| (bit, width - 1 - bit)),
        ),
        _ => zeros(terms, a, width, (0..width).rev().map(|bit| (bit, bit))),
    }
}

/// Width in which every number up to `width` has room, and which is not above `width`.
fn counter_width(width: u32) -> u32 {
    (u32::BITS - width.leading_zeros()).min(width)
}

/// The sum of the bits, as a balanced tree of additions.
fn ones(terms: &mut Terms, a: Term, width: u32) -> Result<Term, Error> {
    let counter = counter_width(width);
    let mut sums = Vec::new();
    for bit in 0..width {
        let bit = terms.extract(a, bit, 1)?;
        sums.push(terms.zero_extend(bit, 1, counter)?);
    }
    while sums.len() > 1 {
        let mut next = Vec::with_capacity(sums.len().div_ceil(2));
        for pair in sums.chunks(2) {
            next.push(match pair {
                [left, right] => terms.term(Kind::Add, &[*left, *right])?,
                _ => pair[0],
            });
        }
        sums = next;
    }
    terms.zero_extend(sums[0], counter, width)
}

/// The count that goes with the last of `bits` that is set; `width` if none is.
fn zeros(
    terms: &mut Terms,
    a: Term,
    width: u32,
    bits: impl Iterator<Item = (u32, u32)>,
) -> Result<Term, Error> {
    let counter = counter_width(width);
    let mut value = terms.bits(counter, width.into())?;
    for (bit, count) in bits {
        let bit = terms.extract(a, bit, 1)?;
        let is_set = terms.truth_of_bit(bit)?;
        let count = terms.bits(counter, count.into())?;
        value = terms.term(Kind::Ite, &[is_set, count, value])?;
    }
    terms.zero_extend(value, counter, width)
}
