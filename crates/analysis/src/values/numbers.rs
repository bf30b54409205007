//! Sets of numbers of one width: few of them by name, more by their bounds, unsigned and signed.
//!
//! Law: each operation gives at least the numbers that it can have on numbers of its operands.

use labrys_program::{BinaryOperator, Comparison};
use smallvec::SmallVec;

use super::NumberSet;

/// Numbers that are told apart by name.
const FEW: usize = 16;
/// Those that a [`NumberSet`] names.
const NAMED: usize = 4;

/// See the module. The width is 1 to 64 bits; numbers are zero-extended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    width: u32,
    shape: Shape,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    /// In ascending order.
    Few(SmallVec<[u64; 4]>),
    Bounded(Bounds),
}

/// Bounds of numbers as they are, and of what they are with a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds {
    low: u64,
    high: u64,
    least: i64,
    most: i64,
}

/// Where bounds stop when they are widened, each list in ascending order.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    unsigned: Vec<u64>,
    /// With their sign, by width, for the widths of integers in C.
    signed: Vec<(u32, Vec<i64>)>,
}

impl Limits {
    pub(crate) fn new(limits: impl IntoIterator<Item = u64>) -> Self {
        let mut unsigned: Vec<u64> = limits.into_iter().collect();
        unsigned.sort_unstable();
        unsigned.dedup();
        let with_sign = |width: u32| {
            let mut all: Vec<i64> = unsigned.iter().map(|bits| signed(width, *bits)).collect();
            all.sort_unstable();
            all.dedup();
            (width, all)
        };
        Limits {
            signed: [8, 16, 32, 64].map(with_sign).to_vec(),
            unsigned,
        }
    }

    fn signed(&self, width: u32) -> &[i64] {
        let mut all = self.signed.iter();
        all.find(|(other, _)| *other == width)
            .map_or(&[], |(_, limits)| limits)
    }
}

impl Numbers {
    /// No number: no run computes the value.
    pub(crate) fn none(width: u32) -> Self {
        Numbers {
            width,
            shape: Shape::Few(SmallVec::new()),
        }
    }

    /// One number.
    pub(crate) fn one(width: u32, bits: u64) -> Self {
        Numbers::few(width, [bits])
    }

    /// These numbers, as far as the width goes.
    pub(crate) fn few(width: u32, numbers: impl IntoIterator<Item = u64>) -> Self {
        let numbers = numbers.into_iter().map(|bits| bits & mask(width));
        let mut all: SmallVec<[u64; 4]> = numbers.collect();
        all.sort_unstable();
        all.dedup();
        if all.len() <= FEW {
            return Numbers {
                width,
                shape: Shape::Few(all),
            };
        }
        let signed = || all.iter().map(|bits| signed(width, *bits));
        let bounds = Bounds {
            low: all[0],
            high: all[all.len() - 1],
            least: signed().min().unwrap_or(0),
            most: signed().max().unwrap_or(0),
        };
        Numbers {
            width,
            shape: Shape::Bounded(bounds),
        }
    }

    /// All numbers.
    pub(crate) fn any(width: u32) -> Self {
        Numbers::between(width, 0, mask(width))
    }

    /// The numbers between two; none if they are in the wrong order.
    pub(crate) fn between(width: u32, low: u64, high: u64) -> Self {
        let (least, most) = signed_limits(width);
        Numbers::bounded(
            width,
            Bounds {
                low,
                high,
                least,
                most,
            },
        )
    }

    /// The numbers that are between two with their sign.
    pub(crate) fn signed_between(width: u32, least: i64, most: i64) -> Self {
        let bounds = Bounds {
            low: 0,
            high: mask(width),
            least,
            most,
        };
        Numbers::bounded(width, bounds)
    }

    fn bounded(width: u32, mut bounds: Bounds) -> Self {
        let (least, most) = signed_limits(width);
        bounds.least = bounds.least.max(least);
        bounds.most = bounds.most.min(most);
        bounds.high = bounds.high.min(mask(width));
        // Each pair of bounds tells of the other one, where all numbers have one sign.
        for _ in 0..2 {
            if bounds.low > bounds.high || bounds.least > bounds.most {
                return Numbers::none(width);
            }
            let (from, to) = (unsigned(width, bounds.least), unsigned(width, bounds.most));
            if (bounds.least < 0) == (bounds.most < 0) {
                bounds.low = bounds.low.max(from);
                bounds.high = bounds.high.min(to);
            }
            let half = unsigned(width, most);
            if bounds.high <= half || bounds.low > half {
                bounds.least = bounds.least.max(signed(width, bounds.low));
                bounds.most = bounds.most.min(signed(width, bounds.high));
            }
        }
        if bounds.low > bounds.high || bounds.least > bounds.most {
            return Numbers::none(width);
        }
        let inside = |bits: &u64| (bounds.least..=bounds.most).contains(&signed(width, *bits));
        if bounds.high - bounds.low < FEW as u64 {
            return Numbers::few(width, (bounds.low..=bounds.high).filter(inside));
        }
        if (bounds.most.wrapping_sub(bounds.least) as u64) < FEW as u64 {
            let all = (bounds.least..=bounds.most).map(|number| unsigned(width, number));
            return Numbers::few(
                width,
                all.filter(|bits| (bounds.low..=bounds.high).contains(bits)),
            );
        }
        Numbers {
            width,
            shape: Shape::Bounded(bounds),
        }
    }

    pub(crate) fn width(&self) -> u32 {
        self.width
    }

    pub(crate) fn is_none(&self) -> bool {
        matches!(&self.shape, Shape::Few(all) if all.is_empty())
    }

    /// The numbers by name, if they are few.
    pub(crate) fn names(&self) -> Option<&[u64]> {
        match &self.shape {
            Shape::Few(all) => Some(all),
            Shape::Bounded(_) => None,
        }
    }

    /// The set, unless it is all numbers.
    pub(crate) fn limited(&self) -> Option<NumberSet> {
        if let Shape::Few(all) = &self.shape
            && all.len() <= NAMED
        {
            return Some(NumberSet::Few(all.to_vec()));
        }
        let bounds = self.bounds()?;
        (*self != Numbers::any(self.width)).then_some(NumberSet::Between {
            unsigned: (bounds.low, bounds.high),
            signed: (bounds.least, bounds.most),
        })
    }

    /// The only number.
    pub(crate) fn single(&self) -> Option<u64> {
        match self.names()? {
            [bits] => Some(*bits),
            _ => None,
        }
    }

    pub(crate) fn contains(&self, bits: u64) -> bool {
        match &self.shape {
            Shape::Few(all) => all.binary_search(&bits).is_ok(),
            Shape::Bounded(bounds) => {
                (bounds.low..=bounds.high).contains(&bits)
                    && (bounds.least..=bounds.most).contains(&signed(self.width, bits))
            }
        }
    }

    /// The bounds; `None` if there is no number.
    fn bounds(&self) -> Option<Bounds> {
        match &self.shape {
            Shape::Bounded(bounds) => Some(*bounds),
            Shape::Few(all) => {
                let signed = || all.iter().map(|bits| signed(self.width, *bits));
                Some(Bounds {
                    low: *all.first()?,
                    high: *all.last()?,
                    least: signed().min()?,
                    most: signed().max()?,
                })
            }
        }
    }

    /// The numbers of both.
    pub(crate) fn join(&self, other: &Numbers) -> Numbers {
        if let (Shape::Few(a), Shape::Few(b)) = (&self.shape, &other.shape) {
            return Numbers::few(self.width, a.iter().chain(b).copied());
        }
        match (self.bounds(), other.bounds()) {
            (Some(a), Some(b)) => {
                let bounds = Bounds {
                    low: a.low.min(b.low),
                    high: a.high.max(b.high),
                    least: a.least.min(b.least),
                    most: a.most.max(b.most),
                };
                Numbers::bounded(self.width, bounds)
            }
            (None, _) => other.clone(),
            (_, None) => self.clone(),
        }
    }

    /// The numbers that are in both.
    pub(crate) fn meet(&self, other: &Numbers) -> Numbers {
        match (&self.shape, &other.shape) {
            (Shape::Few(all), _) => {
                let both = all.iter().copied().filter(|bits| other.contains(*bits));
                Numbers::few(self.width, both)
            }
            (_, Shape::Few(_)) => other.meet(self),
            (Shape::Bounded(a), Shape::Bounded(b)) => {
                let bounds = Bounds {
                    low: a.low.max(b.low),
                    high: a.high.min(b.high),
                    least: a.least.max(b.least),
                    most: a.most.min(b.most),
                };
                Numbers::bounded(self.width, bounds)
            }
        }
    }

    /// The numbers but one.
    fn without(&self, bits: u64) -> Numbers {
        let (least, most) = signed_limits(self.width);
        match &self.shape {
            Shape::Few(all) => Numbers::few(
                self.width,
                all.iter().copied().filter(|other| *other != bits),
            ),
            Shape::Bounded(bounds) => {
                let mut bounds = *bounds;
                let number = signed(self.width, bits);
                if bounds.low == bits && bits < mask(self.width) {
                    bounds.low += 1;
                }
                if bounds.high == bits && bits > 0 {
                    bounds.high -= 1;
                }
                if bounds.least == number && number < most {
                    bounds.least += 1;
                }
                if bounds.most == number && number > least {
                    bounds.most -= 1;
                }
                Numbers::bounded(self.width, bounds)
            }
        }
    }

    /// Numbers that grew from some others: each bound that moved goes on to the next limit.
    pub(crate) fn widened(&self, before: &Numbers, limits: &Limits) -> Numbers {
        let (Some(now), Some(old)) = (self.bounds(), before.bounds()) else {
            return self.clone();
        };
        let width = self.width;
        let (least, most) = signed_limits(width);
        let mut bounds = now;
        if now.low < old.low {
            bounds.low = last_until(&limits.unsigned, now.low).unwrap_or(0);
        }
        if now.high > old.high {
            let next = first_from(&limits.unsigned, now.high);
            bounds.high = next.unwrap_or(mask(width)).min(mask(width));
        }
        let signed = limits.signed(width);
        if now.least < old.least {
            bounds.least = last_until(signed, now.least).unwrap_or(least);
        }
        if now.most > old.most {
            bounds.most = first_from(signed, now.most).unwrap_or(most);
        }
        Numbers::bounded(width, bounds)
    }

    /// The results of a comparison.
    pub(crate) fn compared(&self, comparison: Comparison, other: &Numbers) -> Numbers {
        let holds = !self.where_(comparison, other).is_none();
        let fails = !self.where_(comparison.negated(), other).is_none();
        let results = [(holds, 1), (fails, 0)].into_iter();
        Numbers::few(1, results.filter(|(may, _)| *may).map(|(_, bits)| bits))
    }

    /// Those of the numbers for which a comparison with some other number holds.
    pub(crate) fn where_(&self, comparison: Comparison, other: &Numbers) -> Numbers {
        let width = self.width;
        let Some(bounds) = other.bounds() else {
            return Numbers::none(width);
        };
        let none = || Numbers::none(width);
        let allowed = match comparison {
            Comparison::Eq => return self.meet(other),
            Comparison::Ne => {
                return match other.single() {
                    Some(bits) => self.without(bits),
                    None => self.clone(),
                };
            }
            Comparison::Ult => match bounds.high.checked_sub(1) {
                Some(high) => Numbers::between(width, 0, high),
                None => none(),
            },
            Comparison::Ule => Numbers::between(width, 0, bounds.high),
            Comparison::Ugt => match bounds.low.checked_add(1) {
                Some(low) => Numbers::between(width, low, mask(width)),
                None => none(),
            },
            Comparison::Uge => Numbers::between(width, bounds.low, mask(width)),
            Comparison::Slt => match bounds.most.checked_sub(1) {
                Some(most) => Numbers::signed_between(width, i64::MIN, most),
                None => none(),
            },
            Comparison::Sle => Numbers::signed_between(width, i64::MIN, bounds.most),
            Comparison::Sgt => match bounds.least.checked_add(1) {
                Some(least) => Numbers::signed_between(width, least, i64::MAX),
                None => none(),
            },
            Comparison::Sge => Numbers::signed_between(width, bounds.least, i64::MAX),
        };
        self.meet(&allowed)
    }

    /// The sums with a number of as many bits.
    pub(crate) fn plus(&self, other: &Numbers) -> Numbers {
        let (Some(a), Some(b)) = (self.bounds(), other.bounds()) else {
            return Numbers::none(self.width);
        };
        let unsigned = Some((a.low, a.high)).zip(a.high.checked_add(b.high));
        let unsigned = unsigned.filter(|(_, high)| *high <= mask(self.width));
        let unsigned = unsigned.map(|((low, _), high)| (low.saturating_add(b.low), high));
        let signed = a.least.checked_add(b.least).zip(a.most.checked_add(b.most));
        self.by_bounds(unsigned, signed)
    }

    /// The differences.
    fn minus(&self, other: &Numbers) -> Numbers {
        let (Some(a), Some(b)) = (self.bounds(), other.bounds()) else {
            return Numbers::none(self.width);
        };
        let unsigned = a.low.checked_sub(b.high);
        let unsigned = unsigned.map(|low| (low, a.high - b.low));
        let signed = a.least.checked_sub(b.most).zip(a.most.checked_sub(b.least));
        self.by_bounds(unsigned, signed)
    }

    /// The products.
    pub(crate) fn times(&self, other: &Numbers) -> Numbers {
        let (Some(a), Some(b)) = (self.bounds(), other.bounds()) else {
            return Numbers::none(self.width);
        };
        let unsigned = a.high.checked_mul(b.high);
        let unsigned = unsigned.filter(|high| *high <= mask(self.width));
        let unsigned = unsigned.map(|high| (a.low * b.low, high));
        let corners = [
            (a.least, b.least),
            (a.least, b.most),
            (a.most, b.least),
            (a.most, b.most),
        ];
        let corners: Option<Vec<i64>> = corners.iter().map(|(x, y)| x.checked_mul(*y)).collect();
        let signed = corners.and_then(|all| Some((*all.iter().min()?, *all.iter().max()?)));
        self.by_bounds(unsigned, signed)
    }

    /// The numbers within bounds of which some may not hold, because a result wraps around.
    fn by_bounds(&self, unsigned: Option<(u64, u64)>, signed: Option<(i64, i64)>) -> Numbers {
        let width = self.width;
        let (least, most) = signed_limits(width);
        let mut found = Numbers::any(width);
        if let Some((low, high)) = unsigned {
            found = found.meet(&Numbers::between(width, low, high));
        }
        if let Some((low, high)) = signed.filter(|(low, high)| *low >= least && *high <= most) {
            found = found.meet(&Numbers::signed_between(width, low, high));
        }
        found
    }

    /// The results of an operation by bounds alone.
    pub(crate) fn combined(&self, operator: BinaryOperator, other: &Numbers) -> Numbers {
        let width = self.width;
        let (Some(a), Some(b)) = (self.bounds(), other.bounds()) else {
            return Numbers::none(width);
        };
        let by = other.single();
        let shift = by.filter(|by| *by < u64::from(width));
        match operator {
            BinaryOperator::Add => self.plus(other),
            BinaryOperator::Sub => self.minus(other),
            BinaryOperator::Mul => self.times(other),
            BinaryOperator::And => Numbers::between(width, 0, a.high.min(b.high)),
            BinaryOperator::Or => {
                Numbers::between(width, a.low.max(b.low), below_power(a.high | b.high))
            }
            BinaryOperator::Xor => Numbers::between(width, 0, below_power(a.high | b.high)),
            BinaryOperator::UDiv if b.low > 0 => {
                Numbers::between(width, a.low / b.high, a.high / b.low)
            }
            BinaryOperator::URem if b.low > 0 => Numbers::between(width, 0, a.high.min(b.high - 1)),
            BinaryOperator::SDiv if b.least > 0 => {
                Numbers::signed_between(width, a.least.min(0), a.most.max(0))
            }
            BinaryOperator::SRem if b.least > 0 => {
                let most = b.most - 1;
                let least = if a.least >= 0 { 0 } else { a.least.max(-most) };
                Numbers::signed_between(width, least, a.most.clamp(0, most))
            }
            BinaryOperator::LShr => match shift {
                Some(by) => Numbers::between(width, a.low >> by, a.high >> by),
                None => Numbers::any(width),
            },
            BinaryOperator::AShr => match shift {
                Some(by) => Numbers::signed_between(width, a.least >> by, a.most >> by),
                None => Numbers::any(width),
            },
            BinaryOperator::Shl => match shift {
                Some(by) if by < 63 => self.times(&Numbers::one(width, 1 << by)),
                _ => Numbers::any(width),
            },
            _ => Numbers::any(width),
        }
    }

    /// The low bits.
    pub(crate) fn truncated(&self, width: u32) -> Numbers {
        if let Some(all) = self.names() {
            return Numbers::few(width, all.iter().copied());
        }
        let (least, most) = signed_limits(width);
        match self.bounds() {
            Some(bounds) if bounds.high <= mask(width) => {
                Numbers::between(width, bounds.low, bounds.high)
            }
            Some(bounds) if bounds.least >= least && bounds.most <= most => {
                Numbers::signed_between(width, bounds.least, bounds.most)
            }
            _ => Numbers::any(width),
        }
    }

    /// The same numbers with more bits.
    pub(crate) fn extended(&self, width: u32, is_signed: bool) -> Numbers {
        let own = self.width;
        if let Some(all) = self.names() {
            let longer = |bits: &u64| match is_signed {
                true => unsigned(width, signed(own, *bits)),
                false => *bits,
            };
            return Numbers::few(width, all.iter().map(longer));
        }
        match self.bounds() {
            None => Numbers::none(width),
            Some(bounds) if is_signed => Numbers::signed_between(width, bounds.least, bounds.most),
            Some(bounds) => Numbers::between(width, bounds.low, bounds.high),
        }
    }
}

/// The comparison with its sides exchanged.
pub(crate) fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Eq | Comparison::Ne => comparison,
        Comparison::Ugt => Comparison::Ult,
        Comparison::Uge => Comparison::Ule,
        Comparison::Ult => Comparison::Ugt,
        Comparison::Ule => Comparison::Uge,
        Comparison::Sgt => Comparison::Slt,
        Comparison::Sge => Comparison::Sle,
        Comparison::Slt => Comparison::Sgt,
        Comparison::Sle => Comparison::Sge,
    }
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// The last of some numbers in ascending order that is not greater than one.
fn last_until<T: Copy + Ord>(all: &[T], one: T) -> Option<T> {
    all[..all.partition_point(|other| *other <= one)]
        .last()
        .copied()
}

/// The first that is not less.
fn first_from<T: Copy + Ord>(all: &[T], one: T) -> Option<T> {
    all.get(all.partition_point(|other| *other < one)).copied()
}

/// All bits below the highest one, and it.
fn below_power(bits: u64) -> u64 {
    u64::MAX.checked_shr(bits.leading_zeros()).unwrap_or(0)
}

fn signed(width: u32, bits: u64) -> i64 {
    let shift = 64 - width;
    (bits << shift) as i64 >> shift
}

fn unsigned(width: u32, number: i64) -> u64 {
    number as u64 & mask(width)
}

fn signed_limits(width: u32) -> (i64, i64) {
    (i64::MIN >> (64 - width), i64::MAX >> (64 - width))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: u32 = 6;

    fn samples() -> Vec<Numbers> {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut all = vec![Numbers::any(WIDTH), Numbers::none(WIDTH)];
        for _ in 0..60 {
            let (a, b) = (rng.u64(0..64), rng.u64(0..64));
            all.push(Numbers::between(WIDTH, a.min(b), a.max(b)));
            let (a, b) = (rng.i64(-32..32), rng.i64(-32..32));
            all.push(Numbers::signed_between(WIDTH, a.min(b), a.max(b)));
            let count = rng.usize(1..20);
            all.push(Numbers::few(WIDTH, (0..count).map(|_| rng.u64(0..64))));
        }
        all
    }

    fn members(numbers: &Numbers) -> Vec<u64> {
        (0..64).filter(|bits| numbers.contains(*bits)).collect()
    }

    fn apply(operator: BinaryOperator, a: u64, b: u64) -> Option<u64> {
        let (x, y) = (signed(WIDTH, a), signed(WIDTH, b));
        let shift = (b < u64::from(WIDTH)).then_some(b as u32);
        Some(
            match operator {
                BinaryOperator::Add => a.wrapping_add(b),
                BinaryOperator::Sub => a.wrapping_sub(b),
                BinaryOperator::Mul => a.wrapping_mul(b),
                BinaryOperator::UDiv => a.checked_div(b)?,
                BinaryOperator::SDiv => x.checked_div(y)? as u64,
                BinaryOperator::URem => a.checked_rem(b)?,
                BinaryOperator::SRem => x.checked_rem(y)? as u64,
                BinaryOperator::Shl => a << shift?,
                BinaryOperator::LShr => a >> shift?,
                BinaryOperator::AShr => (x >> shift?) as u64,
                BinaryOperator::And => a & b,
                BinaryOperator::Or => a | b,
                BinaryOperator::Xor => a ^ b,
            } & 63,
        )
    }

    fn holds(comparison: Comparison, a: u64, b: u64) -> bool {
        let (x, y) = (signed(WIDTH, a), signed(WIDTH, b));
        match comparison {
            Comparison::Eq => a == b,
            Comparison::Ne => a != b,
            Comparison::Ugt => a > b,
            Comparison::Uge => a >= b,
            Comparison::Ult => a < b,
            Comparison::Ule => a <= b,
            Comparison::Sgt => x > y,
            Comparison::Sge => x >= y,
            Comparison::Slt => x < y,
            Comparison::Sle => x <= y,
        }
    }

    #[test]
    fn operations_give_all_their_results() {
        let samples = samples();
        for a in &samples {
            for b in samples.iter().step_by(7) {
                let pairs: Vec<(u64, u64)> = members(a)
                    .into_iter()
                    .flat_map(|x| members(b).into_iter().map(move |y| (x, y)))
                    .collect();
                for operator in BinaryOperator::ALL {
                    let all = a.combined(*operator, b);
                    for (x, y) in &pairs {
                        let result = apply(*operator, *x, *y);
                        let inside = result.is_none_or(|bits| all.contains(bits));
                        assert!(inside, "{operator:?} {x} {y} of {a:?} {b:?}: {all:?}");
                    }
                }
                for comparison in Comparison::ALL {
                    let results = a.compared(*comparison, b);
                    let kept = a.where_(*comparison, b);
                    for (x, y) in &pairs {
                        let result = holds(*comparison, *x, *y);
                        assert!(
                            results.contains(result.into()),
                            "{comparison:?} {a:?} {b:?}"
                        );
                        assert!(
                            !result || kept.contains(*x),
                            "{comparison:?} {x} {a:?} {b:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn sets_are_joined_met_cast_and_widened() {
        let samples = samples();
        let limits = Limits::new([0, 1, 7, 20, 31, 32, 63]);
        for a in &samples {
            for b in &samples {
                let (join, meet) = (a.join(b), a.meet(b));
                let wide = join.widened(a, &limits);
                for bits in 0..64 {
                    let (in_a, in_b) = (a.contains(bits), b.contains(bits));
                    assert!(!(in_a || in_b) || join.contains(bits), "{a:?} {b:?} {bits}");
                    assert!(!(in_a && in_b) || meet.contains(bits), "{a:?} {b:?} {bits}");
                    assert!(
                        !join.contains(bits) || wide.contains(bits),
                        "{a:?} {b:?} {bits}"
                    );
                }
            }
            for bits in members(a) {
                assert!(a.truncated(4).contains(bits & 15), "{a:?}");
                assert!(a.extended(9, false).contains(bits), "{a:?}");
                let longer = unsigned(9, signed(WIDTH, bits));
                assert!(a.extended(9, true).contains(longer), "{a:?}");
            }
        }
    }
}
