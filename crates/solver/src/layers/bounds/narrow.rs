//! Propagation through one condition: ranges from the variables up, and what the condition's
//! truth leaves of them back down.
//!
//! This is the contraction known as HC4 in interval constraint solving, on wrapped integer
//! ranges. Laws: no value is cut off that satisfies the condition together with values of the
//! other variables; a conflict means that there is none.

use labrys_expr::{Op, Pool, TableId, apply, mask};
use rustc_hash::FxHashMap;

use super::cone::{At, Cell, Cone, Rule};
use super::domain::Domain;
use super::floats;
use super::range::{Conflict, Range};

/// Entries of a table that are looked at.
const MOST_ENTRIES: u128 = 512;

/// What reads of tables give within ranges of their index; of one pool.
#[derive(Default)]
pub(super) struct Lookups {
    /// By table, width, and first and last index.
    known: FxHashMap<(TableId, u32, u128, u128), Range>,
    /// Ranges of functions of small variables, by where their values lie and the domain.
    images: FxHashMap<(*const u64, Domain), Range>,
    /// Entries and values that were looked at.
    pub(super) entries: u64,
}

/// Values of a variable that are gone through in the time of one entry.
const VALUES_PER_ENTRY: u64 = 16;

impl Lookups {
    fn of(&mut self, pool: &Pool, table: TableId, (low, high): (u128, u128), width: u32) -> Range {
        if high - low >= MOST_ENTRIES {
            return Range::full(width);
        }
        let Lookups { known, entries, .. } = self;
        *known.entry((table, width, low, high)).or_insert_with(|| {
            *entries += (high - low) as u64 + 1;
            let all = (low..=high).map(|index| Range::single(entry(pool, table, index, width)));
            all.reduce(|all, entry| all.join(entry, width))
                .unwrap_or(Range::full(width))
        })
    }
}

impl Lookups {
    /// The range of a function of a variable.
    fn image(&mut self, cell: &Cell, domain: Domain, width: u32) -> Range {
        let Lookups {
            images, entries, ..
        } = self;
        *images.entry((cell.as_ptr(), domain)).or_insert_with(|| {
            *entries += domain.span() as u64 / VALUES_PER_ENTRY;
            domain.image(cell, width)
        })
    }
}

fn entry(pool: &Pool, table: TableId, index: u128, width: u32) -> u128 {
    pool.table(table).constant_at(index as u64, width / 8)
}

pub(super) struct Narrowing<'a> {
    pub(super) pool: &'a Pool,
    pub(super) cone: &'a Cone,
    pub(super) domains: &'a mut [Domain],
    /// By step.
    pub(super) ranges: &'a mut Vec<Range>,
    /// By step: whether the range is less than its operands give. If not, it says nothing about
    /// them.
    pub(super) narrowed: &'a mut Vec<bool>,
    pub(super) lookups: &'a mut Lookups,
}

impl Narrowing<'_> {
    /// Narrows the domains; was the condition found to be true whatever is left?
    pub(super) fn run(&mut self) -> Result<bool, Conflict> {
        self.ranges.clear();
        for at in 0..self.cone.steps.len() {
            let range = self.forward(at);
            self.ranges.push(range);
        }
        let root = self.cone.steps.len() - 1;
        if self.ranges[root] == Range::TRUE {
            return Ok(true);
        }
        self.narrowed.clear();
        self.narrowed.resize(root + 1, false);
        self.narrow(root, Range::TRUE)?;
        for at in (0..=root).rev() {
            if self.narrowed[at] {
                self.backward(at)?;
            }
        }
        Ok(false)
    }

    fn narrow(&mut self, at: At, to: Range) -> Result<(), Conflict> {
        let width = self.cone.steps[at].width;
        self.replace(at, self.ranges[at].meet(to, width).ok_or(Conflict)?);
        Ok(())
    }

    fn replace(&mut self, at: At, range: Range) {
        self.narrowed[at] |= range != self.ranges[at];
        self.ranges[at] = range;
    }

    fn forward(&mut self, at: At) -> Range {
        let step = &self.cone.steps[at];
        if let Rule::Table(table, index) = &step.rule {
            let indices = self.ranges[*index].unsigned(64);
            return self.lookups.of(self.pool, *table, indices, step.width);
        }
        if let Rule::Cell(variable, cell) = &step.rule {
            return self
                .lookups
                .image(cell, self.domains[*variable], step.width);
        }
        let of = |at: &At| self.ranges[*at];
        match &step.rule {
            Rule::Constant(bits) => Range::single(*bits),
            Rule::Variable(variable) => self.domains[*variable].range(),
            Rule::Monotone(rule, a) => rule.forward(of(a)),
            Rule::Times(factor, a) => of(a).times(*factor, step.width),
            Rule::Remainder(by, a) => {
                let (low, high) = of(a).unsigned(step.width);
                if low / by == high / by {
                    Range::between(low % by, high % by)
                } else {
                    Range::between(0, high.min(by - 1))
                }
            }
            Rule::LowBits(a) => of(a).low_bits(step.width),
            Rule::Middle(a, low) => of(a).shifted(*low, step.from).low_bits(step.width),
            Rule::Unary(op, a, index) => match (op, of(a).value()) {
                (_, Some(value)) => {
                    Range::single(apply(*op, step.width, step.from, value, *index, 0))
                }
                (Op::Not, None) => of(a).not(step.width),
                (Op::Neg, None) => of(a).neg(step.width),
                _ => Range::full(step.width),
            },
            Rule::Binary(op, a, b) => self.forward_binary(*op, of(a), of(b), at),
            Rule::Ite(condition, a, b) => match of(condition).known() {
                Some(true) => of(a),
                Some(false) => of(b),
                None => of(a).join(of(b), step.width),
            },
            Rule::Table(..) | Rule::Cell(..) | Rule::Open => Range::full(step.width),
        }
    }

    fn forward_binary(&self, op: Op, a: Range, b: Range, at: At) -> Range {
        let step = &self.cone.steps[at];
        let (width, from) = (step.width, step.from);
        if let (Some(a), Some(b)) = (a.value(), b.value()) {
            return Range::single(apply(op, width, from, a, b, 0));
        }
        let (u, v) = (a.unsigned(from), b.unsigned(from));
        match op {
            Op::Add => a.add(b, width),
            Op::Sub => a.sub(b, width),
            Op::Mul => match u.1.checked_mul(v.1).filter(|most| *most <= mask(width)) {
                Some(most) => Range::between(u.0 * v.0, most),
                None => Range::full(width),
            },
            Op::Concat => {
                let low = width - from;
                let v = b.unsigned(low);
                Range::between(u.0 << low | v.0, u.1 << low | v.1)
            }
            Op::And if width == 1 => Range::between(u.0 & v.0, u.1 & v.1),
            Op::Or if width == 1 => Range::between(u.0 | v.0, u.1 | v.1),
            Op::And => Range::between(0, u.1.min(v.1)),
            Op::Or => {
                let bits = 128 - (u.1 | v.1).leading_zeros();
                Range::between(u.0.max(v.0), (1 << bits) - 1)
            }
            Op::Xor => {
                let bits = 128 - (u.1 | v.1).leading_zeros();
                Range::between(0, (1 << bits) - 1)
            }
            Op::UDiv if v.0 > 0 => Range::between(u.0 / v.1, u.1 / v.0),
            Op::URem if v.0 > 0 => Range::between(0, u.1.min(v.1 - 1)),
            Op::LShr => Range::between(0, u.1),
            Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => Range::truth(compare(op, a, b, from)),
            Op::FOeq | Op::FOlt | Op::FOle => Range::truth(floats::compare(op, a, b, from)),
            _ => Range::full(width),
        }
    }

    fn backward(&mut self, at: At) -> Result<(), Conflict> {
        let cone = self.cone;
        let step = &cone.steps[at];
        let (width, from) = (step.width, step.from);
        let result = self.ranges[at];
        match &step.rule {
            Rule::Constant(_) | Rule::Open => Ok(()),
            Rule::Variable(variable) => self.domains[*variable].meet(result, width),
            Rule::Cell(variable, cell) => self.filter(*variable, cell, result, width),
            Rule::Monotone(rule, a) => {
                let back = rule.backward(self.ranges[*a], result).ok_or(Conflict)?;
                self.narrow(*a, back)
            }
            Rule::Times(factor, a) => {
                let back = self.ranges[*a].over(*factor, result, width);
                self.narrow(*a, back.ok_or(Conflict)?)
            }
            Rule::Remainder(by, a) => {
                let (low, high) = self.ranges[*a].unsigned(width);
                let least = low - low % by;
                if least != high - high % by {
                    return Ok(());
                }
                let rest = Range::between(least, least + (by - 1).min(mask(width) - least));
                self.narrow(*a, rest)?;
                let shift = Range::single(least);
                self.narrow(*a, result.add(shift, width))
            }
            Rule::LowBits(a) => {
                let back = self.ranges[*a].with_low_bits(result, width);
                self.narrow(*a, back.ok_or(Conflict)?)
            }
            Rule::Middle(a, low) => {
                let upper = self.ranges[*a].shifted(*low, from);
                let upper = upper.with_low_bits(result, width).ok_or(Conflict)?;
                let (least, most) = upper.unsigned(from - low);
                self.narrow(*a, Range::between(least << low, most << low | mask(*low)))
            }
            Rule::Unary(Op::Not, a, _) => self.narrow(*a, result.not(width)),
            Rule::Unary(Op::Neg, a, _) => self.narrow(*a, result.neg(width)),
            Rule::Unary(..) => Ok(()),
            Rule::Binary(op, a, b) => self.backward_binary(*op, *a, *b, result, width, from),
            Rule::Ite(condition, a, b) => self.choose(*condition, *a, *b, result, width),
            Rule::Table(table, index) => {
                let (low, high) = self.ranges[*index].unsigned(64);
                if high - low >= MOST_ENTRIES {
                    return Ok(());
                }
                let fits =
                    |index: &u128| result.has(entry(self.pool, *table, *index, width), width);
                let first = (low..=high).find(fits).ok_or(Conflict)?;
                let last = (low..=high).rev().find(fits).ok_or(Conflict)?;
                self.narrow(*index, Range::between(first, last))
            }
        }
    }

    fn filter(
        &mut self,
        variable: usize,
        cell: &Cell,
        result: Range,
        width: u32,
    ) -> Result<(), Conflict> {
        self.domains[variable].keep(|value| result.has(cell[value].into(), width))
    }

    fn choose(
        &mut self,
        condition: At,
        a: At,
        b: At,
        result: Range,
        width: u32,
    ) -> Result<(), Conflict> {
        let can = |this: &Self, at: At| this.ranges[at].meet(result, width).is_some();
        let condition_value = match self.ranges[condition].known() {
            Some(value) => value,
            None => match (can(self, a), can(self, b)) {
                (true, true) => return Ok(()),
                (false, false) => return Err(Conflict),
                (taken, _) => taken,
            },
        };
        self.narrow(condition, Range::truth(Some(condition_value)))?;
        self.narrow(if condition_value { a } else { b }, result)
    }

    fn backward_binary(
        &mut self,
        op: Op,
        a: At,
        b: At,
        result: Range,
        width: u32,
        from: u32,
    ) -> Result<(), Conflict> {
        let (left, right) = (self.ranges[a], self.ranges[b]);
        match op {
            Op::Add => {
                self.narrow(a, result.sub(right, width))?;
                self.narrow(b, result.sub(self.ranges[a], width))
            }
            Op::Sub => {
                self.narrow(a, result.add(right, width))?;
                self.narrow(b, self.ranges[a].sub(result, width))
            }
            Op::Mul => {
                if let Some(factor) = right.value() {
                    let back = left.over(factor, result, width);
                    self.narrow(a, back.ok_or(Conflict)?)?;
                } else if let Some(factor) = left.value() {
                    let back = right.over(factor, result, width);
                    self.narrow(b, back.ok_or(Conflict)?)?;
                }
                Ok(())
            }
            Op::Concat => {
                let low = width - from;
                let (least, most) = result.unsigned(width);
                self.narrow(a, Range::between(least >> low, most >> low))?;
                if let Some(high) = self.ranges[a].value() {
                    let base = high << low;
                    let least = least.max(base) - base;
                    let most = most.min(base | mask(low)) - base;
                    self.narrow(b, Range::between(least, most))?;
                }
                Ok(())
            }
            Op::And | Op::Or | Op::Xor if width == 1 => self.logic(op, a, b, result),
            Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => match result.known() {
                Some(truth) => self.compared(op, a, b, truth, from),
                None => Ok(()),
            },
            Op::FOeq | Op::FOlt | Op::FOle => {
                let Some(truth) = result.known() else {
                    return Ok(());
                };
                let (left, right) = floats::compared(op, left, right, truth, from)?;
                self.narrow(a, left)?;
                self.narrow(b, right)
            }
            _ => Ok(()),
        }
    }

    fn logic(&mut self, op: Op, a: At, b: At, result: Range) -> Result<(), Conflict> {
        let Some(result) = result.known() else {
            return Ok(());
        };
        for (one, other) in [(a, b), (b, a)] {
            let known = self.ranges[one].known();
            let implied = match op {
                Op::And if result => Some(true),
                Op::Or if !result => Some(false),
                Op::And if known == Some(true) => Some(false),
                Op::Or if known == Some(false) => Some(true),
                Op::Xor => known.map(|known| known ^ result),
                _ => None,
            };
            if let Some(value) = implied {
                self.narrow(other, Range::truth(Some(value)))?;
            }
        }
        Ok(())
    }

    fn compared(&mut self, op: Op, a: At, b: At, truth: bool, width: u32) -> Result<(), Conflict> {
        let strict = match (op, truth) {
            (Op::Eq, true) => {
                self.narrow(a, self.ranges[b])?;
                return self.narrow(b, self.ranges[a]);
            }
            (Op::Eq, false) => {
                for (one, other) in [(a, b), (b, a)] {
                    if let Some(value) = self.ranges[other].value() {
                        self.replace(one, without(self.ranges[one], value, width)?);
                    }
                }
                return Ok(());
            }
            // ¬(a < b) is b ≤ a, ¬(a ≤ b) is b < a.
            (Op::Ult | Op::Slt, true) | (Op::Ule | Op::Sle, false) => 1,
            _ => 0,
        };
        let (a, b) = if truth { (a, b) } else { (b, a) };
        if matches!(op, Op::Ult | Op::Ule) {
            let ((least, _), (_, most)) = (
                self.ranges[a].unsigned(width),
                self.ranges[b].unsigned(width),
            );
            let most_a = most.checked_sub(strict).ok_or(Conflict)?;
            self.narrow(a, Range::between(0, most_a))?;
            let least_b = least + strict;
            if least_b > mask(width) {
                return Err(Conflict);
            }
            self.narrow(b, Range::between(least_b, mask(width)))
        } else {
            let strict = strict as i128;
            let (lowest, highest) = Range::full(width).signed(width);
            let ((least, _), (_, most)) =
                (self.ranges[a].signed(width), self.ranges[b].signed(width));
            if most - strict < lowest || least + strict > highest {
                return Err(Conflict);
            }
            self.narrow(a, Range::between_signed(lowest, most - strict, width))?;
            self.narrow(b, Range::between_signed(least + strict, highest, width))
        }
    }
}

/// The truth of a comparison, where the ranges decide it.
fn compare(op: Op, a: Range, b: Range, width: u32) -> Option<bool> {
    if op == Op::Eq {
        return match (a.value(), b.value()) {
            (Some(a), Some(b)) => Some(a == b),
            _ => a.meet(b, width).is_none().then_some(false),
        };
    }
    // (surely less, surely at least, surely at most, surely greater)
    let (less, at_least, at_most, greater) = if matches!(op, Op::Ult | Op::Ule) {
        let (a, b) = (a.unsigned(width), b.unsigned(width));
        (a.1 < b.0, a.0 >= b.1, a.1 <= b.0, a.0 > b.1)
    } else {
        let (a, b) = (a.signed(width), b.signed(width));
        (a.1 < b.0, a.0 >= b.1, a.1 <= b.0, a.0 > b.1)
    };
    match op {
        Op::Ult | Op::Slt if less => Some(true),
        Op::Ult | Op::Slt if at_least => Some(false),
        Op::Ule | Op::Sle if at_most => Some(true),
        Op::Ule | Op::Sle if greater => Some(false),
        _ => None,
    }
}

/// A range without one value, where that value is at its end.
fn without(range: Range, value: u128, width: u32) -> Result<Range, Conflict> {
    if range.is_single() {
        return if range.start == value {
            Err(Conflict)
        } else {
            Ok(range)
        };
    }
    let distance = value.wrapping_sub(range.start) & mask(width);
    Ok(if distance == 0 {
        Range {
            start: (range.start + 1) & mask(width),
            span: range.span - 1,
        }
    } else if distance == range.span {
        Range {
            start: range.start,
            span: range.span - 1,
        }
    } else {
        range
    })
}
