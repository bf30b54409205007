//! A variable of the walk, and its values as real numbers and as places on a line.
//!
//! The *real* of a value is what the program reads: a signed or unsigned integer or a float.
//! The *place* is an integer that orders the values of a sort, neighbors one apart; between two
//! places lies every value between the two.

use labrys_expr::{Symbol, mask, signed};

/// How the program reads a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NumberSort {
    Unsigned,
    Signed,
    Single,
    Double,
}

/// A variable of the walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    /// Least significant first; all of the same width.
    pub(super) symbols: Vec<Symbol>,
    /// Bits, 1 to 64.
    pub(super) width: u32,
    pub(super) sort: NumberSort,
}

impl Variable {
    /// The value as a real number; NaN for what is no number.
    pub(super) fn real(&self, bits: u64) -> f64 {
        match self.sort {
            NumberSort::Double => f64::from_bits(bits),
            NumberSort::Single => f64::from(f32::from_bits(bits as u32)),
            NumberSort::Signed => signed(bits.into(), self.width) as f64,
            NumberSort::Unsigned => bits as f64,
        }
    }

    /// The value nearest to a real number.
    pub(super) fn nearest(&self, real: f64) -> u64 {
        match self.sort {
            NumberSort::Double => real.to_bits(),
            NumberSort::Single => u64::from((real as f32).to_bits()),
            NumberSort::Signed | NumberSort::Unsigned if real.is_nan() => 0,
            NumberSort::Signed => {
                let (least, most) = self.bounds();
                let whole = (real.round_ties_even() as i128).clamp(least, most);
                (whole as u128 & mask(self.width)) as u64
            }
            NumberSort::Unsigned => {
                let (least, most) = self.bounds();
                (real.round_ties_even() as i128).clamp(least, most) as u64
            }
        }
    }

    fn bounds(&self) -> (i128, i128) {
        match self.sort {
            NumberSort::Signed => (-(1 << (self.width - 1)), (1 << (self.width - 1)) - 1),
            _ => (0, (1 << self.width) - 1),
        }
    }

    /// The place of a value.
    pub(super) fn place(&self, bits: u64) -> i128 {
        match self.sort {
            NumberSort::Signed => signed(bits.into(), self.width),
            NumberSort::Unsigned => bits.into(),
            NumberSort::Double | NumberSort::Single => {
                let sign = 1u64 << (self.width - 1);
                let size = i128::from(bits & (sign - 1));
                if bits & sign == 0 { size } else { -size - 1 }
            }
        }
    }

    /// The value at a place, or at the nearest end.
    pub(super) fn at(&self, place: i128) -> u64 {
        match self.sort {
            NumberSort::Signed | NumberSort::Unsigned => {
                let (least, most) = self.bounds();
                (place.clamp(least, most) as u128 & mask(self.width)) as u64
            }
            NumberSort::Double | NumberSort::Single => {
                let sign = 1u64 << (self.width - 1);
                if place >= 0 {
                    place.min(i128::from(sign - 1)) as u64
                } else {
                    sign | (-place - 1).min(i128::from(sign - 1)) as u64
                }
            }
        }
    }

    /// Whether the program reads a float.
    pub(super) fn is_float(&self) -> bool {
        matches!(self.sort, NumberSort::Double | NumberSort::Single)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(width: u32, sort: NumberSort) -> Variable {
        Variable {
            symbols: Vec::new(),
            width,
            sort,
        }
    }

    #[test]
    fn places_are_ordered_as_the_numbers_and_found_back() {
        for (width, sort, reals) in [
            (
                64,
                NumberSort::Double,
                &[-1e300, -1.5, -0.0, 0.0, 1e-320, 2.0][..],
            ),
            (32, NumberSort::Single, &[-3.5, -0.0, 0.0, 0.25, 1e30]),
            (16, NumberSort::Signed, &[-32768.0, -1.0, 0.0, 32767.0]),
            (8, NumberSort::Unsigned, &[0.0, 1.0, 255.0]),
            (64, NumberSort::Signed, &[-9.2e18, 0.0, 9.2e18]),
        ] {
            let variable = variable(width, sort);
            let places: Vec<_> = reals
                .iter()
                .map(|real| variable.place(variable.nearest(*real)))
                .collect();
            assert!(places.is_sorted_by(|a, b| a < b), "{sort:?}: {places:?}");
            for place in places {
                assert_eq!(variable.place(variable.at(place)), place);
            }
        }
    }

    #[test]
    fn reals_out_of_range_become_the_nearest_integer() {
        assert_eq!(variable(8, NumberSort::Unsigned).nearest(-3.0), 0);
        assert_eq!(variable(8, NumberSort::Signed).nearest(1e9), 127);
        assert_eq!(
            variable(64, NumberSort::Unsigned).nearest(f64::INFINITY),
            u64::MAX
        );
        assert_eq!(variable(32, NumberSort::Signed).nearest(f64::NAN), 0);
    }
}
