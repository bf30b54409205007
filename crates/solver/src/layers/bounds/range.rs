//! Ranges of bit-vectors: consecutive values modulo 2ʷ, so that neither the signed nor the
//! unsigned border cuts them.
//!
//! Law: what a function here gives holds every value that the operation can have on values of the
//! operands' ranges, or that two ranges share; it may hold more.

use labrys_expr::{mask, signed};

/// No values satisfy the condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Conflict;

/// The values `start`, `start + 1`, …, `start + span` modulo 2ʷ, for a width that its user knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Range {
    pub(super) start: u128,
    pub(super) span: u128,
}

/// What two ranges share.
pub(super) enum Shared {
    Nothing,
    One(Range),
    /// Two ranges, at both ends of the first.
    Two,
}

impl Range {
    pub(super) const TRUE: Range = Range::single(1);

    pub(super) const fn single(value: u128) -> Self {
        Range {
            start: value,
            span: 0,
        }
    }

    pub(super) const fn full(width: u32) -> Self {
        Range {
            start: 0,
            span: mask(width),
        }
    }

    pub(super) fn truth(value: Option<bool>) -> Self {
        value.map_or(Range::full(1), |value| Range::single(value.into()))
    }

    /// From one unsigned value to another that is no less.
    pub(super) const fn between(low: u128, high: u128) -> Self {
        Range {
            start: low,
            span: high - low,
        }
    }

    /// From one signed value to another that is no less.
    pub(super) const fn between_signed(low: i128, high: i128, width: u32) -> Self {
        Range {
            start: low as u128 & mask(width),
            span: (high - low) as u128,
        }
    }

    /// As many consecutive values from a start on; all values if there are so many.
    pub(super) fn from_start(start: u128, span: u128, width: u32) -> Self {
        if span >= mask(width) {
            Range::full(width)
        } else {
            let start = start & mask(width);
            Range { start, span }
        }
    }

    pub(super) const fn is_single(self) -> bool {
        self.span == 0
    }

    pub(super) fn value(self) -> Option<u128> {
        self.is_single().then_some(self.start)
    }

    /// The truth value, of one bit.
    pub(super) fn known(self) -> Option<bool> {
        self.value().map(|value| value == 1)
    }

    pub(super) const fn has(self, value: u128, width: u32) -> bool {
        value.wrapping_sub(self.start) & mask(width) <= self.span
    }

    const fn last(self, width: u32) -> u128 {
        self.start.wrapping_add(self.span) & mask(width)
    }

    /// Smallest and largest value, unsigned.
    pub(super) fn unsigned(self, width: u32) -> (u128, u128) {
        match self.start.checked_add(self.span) {
            Some(last) if last <= mask(width) => (self.start, last),
            _ => (0, mask(width)),
        }
    }

    /// Smallest and largest value, signed.
    pub(super) fn signed(self, width: u32) -> (i128, i128) {
        let (low, high) = (signed(self.start, width), signed(self.last(width), width));
        if low <= high && (high - low) as u128 == self.span {
            (low, high)
        } else {
            (signed(1 << (width - 1), width), (mask(width) >> 1) as i128)
        }
    }

    pub(super) fn shared(self, other: Range, width: u32) -> Shared {
        if self.span == mask(width) {
            return Shared::One(other);
        }
        let distance = other.start.wrapping_sub(self.start) & mask(width);
        // How far `other` goes beyond the last value before `self.start`, if it does.
        let around = if distance == 0 {
            None
        } else {
            other.span.checked_sub(mask(width) - distance + 1)
        };
        let low = around.map(|beyond| Range {
            start: self.start,
            span: beyond.min(self.span),
        });
        let high = (distance <= self.span).then(|| Range {
            start: other.start,
            span: other.span.min(self.span - distance),
        });
        match (low, high) {
            (None, None) => Shared::Nothing,
            (Some(one), None) | (None, Some(one)) => Shared::One(one),
            (Some(low), Some(_)) if low.span == self.span => Shared::One(self),
            (Some(_), Some(_)) => Shared::Two,
        }
    }

    /// What both have, `None` if that is nothing.
    pub(super) fn meet(self, other: Range, width: u32) -> Option<Range> {
        match self.shared(other, width) {
            Shared::Nothing => None,
            Shared::One(range) => Some(range),
            Shared::Two if other.span < self.span => Some(other),
            Shared::Two => Some(self),
        }
    }

    /// A range with all values of both.
    pub(super) fn join(self, other: Range, width: u32) -> Range {
        let from = |a: Range, b: Range| {
            let distance = b.start.wrapping_sub(a.start) & mask(width);
            let span = distance.saturating_add(b.span).max(a.span);
            Range::from_start(a.start, span, width)
        };
        let (one, two) = (from(self, other), from(other, self));
        if one.span <= two.span { one } else { two }
    }

    pub(super) fn neg(self, width: u32) -> Range {
        Range {
            start: self.last(width).wrapping_neg() & mask(width),
            span: self.span,
        }
    }

    pub(super) fn not(self, width: u32) -> Range {
        Range {
            start: !self.last(width) & mask(width),
            span: self.span,
        }
    }

    pub(super) fn add(self, other: Range, width: u32) -> Range {
        let start = self.start.wrapping_add(other.start);
        Range::from_start(start, self.span.saturating_add(other.span), width)
    }

    pub(super) fn sub(self, other: Range, width: u32) -> Range {
        self.add(other.neg(width), width)
    }

    /// The lowest bits.
    pub(super) fn low_bits(self, width: u32) -> Range {
        Range::from_start(self.start, self.span, width)
    }

    /// Without the lowest `low` of `width` bits.
    pub(super) fn shifted(self, low: u32, width: u32) -> Range {
        let (least, most) = self.unsigned(width);
        Range::between(least >> low, most >> low)
    }

    /// Those whose lowest `width` bits are in `bits`; as it is if that says nothing.
    pub(super) fn with_low_bits(self, bits: Range, width: u32) -> Option<Range> {
        if self.span >= mask(width) {
            return Some(self);
        }
        match self.low_bits(width).shared(bits, width) {
            Shared::Nothing => None,
            Shared::Two => Some(self),
            Shared::One(shared) => Some(Range {
                start: self.start + (shared.start.wrapping_sub(self.start) & mask(width)),
                span: shared.span,
            }),
        }
    }

    /// Multiplied by a constant.
    pub(super) fn times(self, factor: u128, width: u32) -> Range {
        let (factor, negative) = magnitude(factor, width);
        let start = self.start.wrapping_mul(factor);
        let span = self.span.saturating_mul(factor);
        let product = Range::from_start(start, span, width);
        if negative {
            product.neg(width)
        } else {
            product
        }
    }

    /// Those whose product with a constant is in `product`; `None` if none is.
    pub(super) fn over(self, factor: u128, product: Range, width: u32) -> Option<Range> {
        let (size, negative) = magnitude(factor, width);
        let product = if negative {
            product.neg(width)
        } else {
            product
        };
        if size == 0 {
            return product.has(0, width).then_some(self);
        }
        let reach = self.span.saturating_mul(size);
        if reach >= mask(width) {
            // The products go round; an odd factor still has an inverse.
            let value = product.value().filter(|_| size % 2 == 1);
            return match value {
                Some(value) => {
                    let quotient = value.wrapping_mul(inverse(size)) & mask(width);
                    self.meet(Range::single(quotient), width)
                }
                None => Some(self),
            };
        }
        let base = self.start.wrapping_mul(size) & mask(width);
        let all = Range {
            start: base,
            span: reach,
        };
        match all.shared(product, width) {
            Shared::Nothing => None,
            Shared::Two => Some(self),
            Shared::One(shared) => {
                let first = shared.start.wrapping_sub(base) & mask(width);
                let (low, high) = (first.div_ceil(size), (first + shared.span) / size);
                (low <= high).then(|| Range {
                    start: self.start.wrapping_add(low) & mask(width),
                    span: high - low,
                })
            }
        }
    }
}

/// A factor without its sign, and whether it has one.
fn magnitude(factor: u128, width: u32) -> (u128, bool) {
    let value = signed(factor, width);
    (value.unsigned_abs() & mask(width), value < 0)
}

/// The inverse of an odd number modulo 2¹²⁸, by Newton's iteration.
fn inverse(odd: u128) -> u128 {
    let mut inverse = odd;
    for _ in 0..7 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::{Range, Shared};

    const WIDTH: u32 = 4;

    fn all() -> impl Iterator<Item = Range> {
        let starts = (0..16).flat_map(|start| (0..15).map(move |span| Range { start, span }));
        starts.chain([Range::full(WIDTH)])
    }

    fn values(range: Range) -> impl Iterator<Item = u128> {
        (0..=range.span).map(move |step| (range.start + step) % 16)
    }

    #[test]
    fn shared_values_are_found() {
        for a in all() {
            for b in all() {
                let both: Vec<_> = values(a).filter(|value| b.has(*value, WIDTH)).collect();
                match a.shared(b, WIDTH) {
                    Shared::Nothing => assert!(both.is_empty(), "{a:?} {b:?}"),
                    Shared::One(range) => assert!(
                        range.span + 1 == both.len() as u128
                            && both.iter().all(|value| range.has(*value, WIDTH)),
                        "{a:?} {b:?} {range:?}"
                    ),
                    Shared::Two => assert!(both.len() > 1, "{a:?} {b:?}"),
                }
                let join = a.join(b, WIDTH);
                assert!(values(a).chain(values(b)).all(|v| join.has(v, WIDTH)));
                let meet = a.meet(b, WIDTH);
                assert_eq!(meet.is_none(), both.is_empty());
                assert!(both.iter().all(|v| meet.is_some_and(|m| m.has(*v, WIDTH))));
            }
        }
    }

    #[test]
    fn sums_and_products_hold_all_results() {
        for a in all() {
            let (low, high) = a.unsigned(WIDTH);
            assert!(values(a).all(|value| (low..=high).contains(&value)));
            let (low, high) = a.signed(WIDTH);
            assert!(
                values(a).all(|value| (low..=high).contains(&labrys_expr::signed(value, WIDTH)))
            );
            assert!(values(a).all(|value| a.not(WIDTH).has(!value & 15, WIDTH)));
            for b in all() {
                for x in values(a) {
                    assert!(values(b).all(|y| a.add(b, WIDTH).has((x + y) & 15, WIDTH)));
                    assert!(values(b).all(|y| a.sub(b, WIDTH).has((16 + x - y) & 15, WIDTH)));
                }
                for factor in 0..16 {
                    let product = a.times(factor, WIDTH);
                    assert!(values(a).all(|x| product.has(x * factor % 16, WIDTH)));
                    let over = a.over(factor, b, WIDTH);
                    for x in values(a).filter(|x| b.has(x * factor % 16, WIDTH)) {
                        assert!(over.is_some_and(|over| over.has(x, WIDTH)));
                    }
                }
            }
        }
    }

    #[test]
    fn low_bits_select() {
        for a in all() {
            for bits in (0..4).flat_map(|start| (0..4).map(move |span| Range { start, span })) {
                let with = a.with_low_bits(bits, 2);
                assert!(values(a).all(|x| a.low_bits(2).has(x & 3, 2)));
                for x in values(a).filter(|x| bits.has(x & 3, 2)) {
                    assert!(
                        with.is_some_and(|with| with.has(x, WIDTH)),
                        "{a:?} {bits:?} {x}"
                    );
                }
            }
        }
    }
}
