//! What a variable may still be.

use labrys_expr::mask;

use super::cone::Cell;
use super::range::{Conflict, Range};

/// The values of a variable: any set for a small one, a range for others. Never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Domain {
    Small([u64; 4]),
    Wide(Range, u32),
}

impl Domain {
    /// All values of this many bits.
    pub(super) fn full(width: u32) -> Self {
        if width > 8 {
            return Domain::Wide(Range::full(width), width);
        }
        let mut words = [0; 4];
        (0..1usize << width).for_each(|value| words[value / 64] |= 1 << (value % 64));
        Domain::Small(words)
    }

    /// The values, where they are few.
    pub(super) fn values(self) -> impl Iterator<Item = usize> {
        let words = match self {
            Domain::Small(words) => words,
            Domain::Wide(..) => [0; 4],
        };
        words.into_iter().enumerate().flat_map(|(at, mut word)| {
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros() as usize;
                word &= word.wrapping_sub(1);
                (bit < 64).then_some(64 * at + bit)
            })
        })
    }

    /// Number of values, less one.
    pub(super) fn span(self) -> u128 {
        match self {
            Domain::Small(words) => {
                u128::from(words.iter().map(|word| word.count_ones()).sum::<u32>()) - 1
            }
            Domain::Wide(range, _) => range.span,
        }
    }

    pub(super) fn range(self) -> Range {
        match self {
            Domain::Small(words) => {
                let (first, last) = (first(words).unwrap_or(0), last(words).unwrap_or(0));
                Range::between(first.into(), last.into())
            }
            Domain::Wide(range, _) => range,
        }
    }

    /// The values of a function of it.
    pub(super) fn image(self, cell: &Cell, width: u32) -> Range {
        // Both borders are tried: small negative values lie around 0.
        let half = 1u128 << (width - 1);
        let (mut plain, mut turned) = ((u128::MAX, 0), (u128::MAX, 0));
        for value in self.values() {
            let bits = u128::from(cell[value]);
            plain = (plain.0.min(bits), plain.1.max(bits));
            let bits = bits ^ half;
            turned = (turned.0.min(bits), turned.1.max(bits));
        }
        if plain.1 - plain.0 <= turned.1 - turned.0 {
            Range::between(plain.0, plain.1)
        } else {
            let start = (turned.0 ^ half) & mask(width);
            let span = turned.1 - turned.0;
            Range { start, span }
        }
    }

    /// Leaves the values of a range.
    pub(super) fn meet(&mut self, range: Range, width: u32) -> Result<(), Conflict> {
        match self {
            // Most bytes of a wide number stay open.
            Domain::Small(_) if range.span >= mask(width) => Ok(()),
            Domain::Small(words) => {
                let inside = of_range(range, width);
                (0..4).for_each(|at| words[at] &= inside[at]);
                (*words != [0; 4]).then_some(()).ok_or(Conflict)
            }
            Domain::Wide(own, _) => {
                *own = own.meet(range, width).ok_or(Conflict)?;
                Ok(())
            }
        }
    }

    /// Leaves the values of a small one that pass a test.
    pub(super) fn keep(&mut self, test: impl Fn(usize) -> bool) -> Result<(), Conflict> {
        let mut left = [0u64; 4];
        for value in self.values().filter(|value| test(*value)) {
            left[value / 64] |= 1 << (value % 64);
        }
        if left == [0; 4] {
            return Err(Conflict);
        }
        *self = Domain::Small(left);
        Ok(())
    }

    /// The value nearest to another.
    pub(super) fn nearest(self, to: u128) -> u128 {
        match self {
            Domain::Small(words) => {
                let at = to.min(255) as u32;
                let below = last(common(words, between(0, at)));
                let above = first(common(words, between(at, 255)));
                let both = below.into_iter().chain(above).map(u128::from);
                both.min_by_key(|value| value.abs_diff(to)).unwrap_or(to)
            }
            Domain::Wide(range, width) if range.has(to, width) => to,
            Domain::Wide(range, _) => range.start,
        }
    }

    /// Two parts, the first with a certain value of it: that value alone where there are few.
    pub(super) fn split(self, first: u128) -> [Domain; 2] {
        match self {
            Domain::Small(words) if self.span() < 16 => {
                let value = first as usize;
                let mut one = [0; 4];
                one[value / 64] = 1 << (value % 64);
                let mut rest = words;
                rest[value / 64] &= !one[value / 64];
                [Domain::Small(one), Domain::Small(rest)]
            }
            Domain::Small(words) => {
                let middle = self.values().nth(self.span() as usize / 2).unwrap_or(0);
                let low = between(0, middle as u32);
                let high = low.map(|word| !word);
                let parts = [low, high].map(|part| Domain::Small(common(words, part)));
                if first as usize <= middle {
                    parts
                } else {
                    [parts[1], parts[0]]
                }
            }
            Domain::Wide(range, width) => {
                let half = range.span / 2;
                let low = Range::from_start(range.start, half, width);
                let high = range.start.wrapping_add(half + 1);
                let high = Range::from_start(high, range.span - half - 1, width);
                let parts = [Domain::Wide(low, width), Domain::Wide(high, width)];
                if low.has(first, width) {
                    parts
                } else {
                    [parts[1], parts[0]]
                }
            }
        }
    }
}

/// The values of a range of at most 8 bits as a set.
fn of_range(range: Range, width: u32) -> [u64; 4] {
    let most = mask(width) as u32;
    let first = range.start as u32 & most;
    let last = first + (range.span as u32).min(most);
    let (own, wrapped) = (between(first, last.min(most)), last & most);
    if last <= most {
        return own;
    }
    let rest = between(0, wrapped);
    std::array::from_fn(|at| own[at] | rest[at])
}

/// The least value of a set.
fn first(words: [u64; 4]) -> Option<u32> {
    let at = words.iter().position(|word| *word != 0)?;
    Some(64 * at as u32 + words[at].trailing_zeros())
}

/// The greatest value of a set.
fn last(words: [u64; 4]) -> Option<u32> {
    let at = words.iter().rposition(|word| *word != 0)?;
    Some(64 * at as u32 + 63 - words[at].leading_zeros())
}

fn common(a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
    std::array::from_fn(|at| a[at] & b[at])
}

/// The values from one to another, below 256, as a set.
fn between(first: u32, last: u32) -> [u64; 4] {
    std::array::from_fn(|at| {
        let start = 64 * at as u32;
        if last < start || first > start + 63 {
            return 0;
        }
        let (low, high) = (first.max(start) - start, last.min(start + 63) - start);
        (u64::MAX >> (63 - high)) & (u64::MAX << low)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_leaves_what_it_has() {
        for width in [1, 3, 7, 8] {
            let most = mask(width);
            for start in 0..=most {
                for span in 0..=most {
                    let range = Range { start, span };
                    let mut domain = Domain::full(width);
                    assert_eq!(domain.meet(range, width), Ok(()));
                    let left: Vec<_> = domain.values().map(|value| value as u128).collect();
                    let wanted: Vec<_> = (0..=most).filter(|v| range.has(*v, width)).collect();
                    assert_eq!(left, wanted, "{start} {span} of {width} bits");
                }
            }
        }
    }

    #[test]
    fn the_nearest_value_is_the_lower_of_two() {
        let sets = [vec![0], vec![255], vec![3, 7, 64, 200], (0..=255).collect()];
        for set in sets {
            let mut domain = Domain::full(8);
            assert_eq!(domain.keep(|value| set.contains(&value)), Ok(()));
            for to in (0..=256).chain([u128::MAX]) {
                let nearest = set.iter().map(|value| *value as u128);
                let nearest = nearest.min_by_key(|value| value.abs_diff(to));
                assert_eq!(Some(domain.nearest(to)), nearest, "{to} of {set:?}");
            }
        }
    }

    #[test]
    fn a_set_is_split_in_the_middle() {
        for first in [10, 90] {
            let [one, rest] = Domain::full(8).split(first);
            assert_eq!((one.span(), rest.span()), (127, 127));
            assert_eq!(one.nearest(first), first);
            assert_ne!(rest.nearest(first), first);
        }
    }

    #[test]
    fn nothing_left_is_a_conflict() {
        let mut domain = Domain::full(8);
        assert_eq!(domain.meet(Range::between(3, 9), 8), Ok(()));
        assert_eq!(domain.meet(Range::between(10, 255), 8), Err(Conflict));
    }
}
