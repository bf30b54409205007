//! Narrowing what expressions may be: forward from their operands, and backward from what is
//! wanted of them.
//!
//! Law: a value that an expression has under some assignment under which all conditions hold is
//! never cut off.

use labrys_expr::{Op, Pool};

use super::interval::{Interval, above, below, binary, unary, widened};
use super::{Step, ValueSort, library};

/// Nothing satisfies the conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Conflict;

/// Times that all steps are gone through.
const ROUNDS: usize = 8;

/// What an expression may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PossibleValues {
    Truth(Option<bool>),
    Float(Interval),
}

impl PossibleValues {
    pub(super) fn any(sort: ValueSort) -> Self {
        match sort {
            ValueSort::Truth => PossibleValues::Truth(None),
            ValueSort::Float => PossibleValues::Float(Interval::ANY),
        }
    }
}

pub(super) struct Narrowing<'a> {
    pub(super) pool: &'a Pool,
    pub(super) steps: &'a [Step],
    pub(super) known: &'a mut [PossibleValues],
    pub(super) work: &'a mut u64,
}

impl Narrowing<'_> {
    /// Narrows everything by the truth of the roots, until nothing changes.
    pub(super) fn run(&mut self, roots: &[usize]) -> Result<(), Conflict> {
        for _ in 0..ROUNDS {
            let before = self.known.to_vec();
            *self.work += 2 * self.steps.len() as u64;
            for at in 0..self.steps.len() {
                match self.forward(at) {
                    PossibleValues::Truth(Some(truth)) => self.decide(at, truth)?,
                    PossibleValues::Truth(None) => {}
                    PossibleValues::Float(interval) => self.meet(at, interval)?,
                }
            }
            for root in roots {
                self.decide(*root, true)?;
            }
            for at in (0..self.steps.len()).rev() {
                self.backward(at)?;
            }
            if before == self.known {
                break;
            }
        }
        Ok(())
    }

    fn truth(&self, at: usize) -> Option<bool> {
        match self.known[at] {
            PossibleValues::Truth(truth) => truth,
            PossibleValues::Float(_) => None,
        }
    }

    fn float(&self, at: usize) -> Interval {
        match self.known[at] {
            PossibleValues::Float(interval) => interval,
            PossibleValues::Truth(_) => Interval::ANY,
        }
    }

    fn decide(&mut self, at: usize, truth: bool) -> Result<(), Conflict> {
        if self.truth(at) == Some(!truth) {
            return Err(Conflict);
        }
        self.known[at] = PossibleValues::Truth(Some(truth));
        Ok(())
    }

    fn meet(&mut self, at: usize, with: Interval) -> Result<(), Conflict> {
        let met = self.float(at).meet(with);
        if met.is_empty() {
            return Err(Conflict);
        }
        self.known[at] = PossibleValues::Float(met);
        Ok(())
    }

    fn forward(&self, at: usize) -> PossibleValues {
        let step = &self.steps[at];
        if let Some(bits) = self.pool.bits(step.id) {
            return match step.sort {
                ValueSort::Truth => PossibleValues::Truth(Some(bits == 1)),
                ValueSort::Float => PossibleValues::Float(Interval::single(bits, step.width)),
            };
        }
        match (step.sort, step.operands.as_slice()) {
            (ValueSort::Truth, operands) => {
                PossibleValues::Truth(self.forward_truth(step, operands))
            }
            (ValueSort::Float, operands) => {
                PossibleValues::Float(self.forward_float(step, operands))
            }
        }
    }

    fn forward_truth(&self, step: &Step, operands: &[usize]) -> Option<bool> {
        let truth = |at: &usize| self.truth(*at);
        match (step.op, operands) {
            (Op::Not, [a]) => truth(a).map(|truth| !truth),
            (Op::And, [a, b]) => match (truth(a), truth(b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            (Op::Or, [a, b]) => match (truth(a), truth(b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            (Op::Xor, [a, b]) => Some(truth(a)? != truth(b)?),
            (Op::Eq, [a, b]) => Some(truth(a)? == truth(b)?),
            (Op::Ite, [condition, a, b]) => match truth(condition) {
                Some(true) => truth(a),
                Some(false) => truth(b),
                None => truth(a).filter(|value| truth(b) == Some(*value)),
            },
            (op, [a, b]) => self.compared(op, *a, *b),
            _ => None,
        }
    }

    fn compared(&self, op: Op, a: usize, b: usize) -> Option<bool> {
        let (x, y) = (self.float(a), self.float(b));
        let has_nan = x.nan || y.nan;
        let apart = x.has_no_number() || y.has_no_number();
        match op {
            Op::FUno if !has_nan => Some(false),
            Op::FUno if apart => Some(true),
            Op::FOeq | Op::FOlt | Op::FOle if apart => Some(false),
            Op::FOlt if x.low >= y.high || self.at_most(b, a) => Some(false),
            Op::FOle if x.low > y.high => Some(false),
            Op::FOeq if x.low > y.high || y.low > x.high => Some(false),
            _ if has_nan => None,
            Op::FOlt if x.high < y.low => Some(true),
            Op::FOle if x.high <= y.low || self.at_most(a, b) => Some(true),
            Op::FOeq if a == b || x.low == x.high && x == y => Some(true),
            _ => None,
        }
    }

    /// Whether one is at most the other by what they are, where both are numbers.
    fn at_most(&self, a: usize, b: usize) -> bool {
        use labrys_expr::Rounding::{Down, Up};
        let rounds = |outer: usize, inner: usize, mode| {
            let step = &self.steps[outer];
            step.op == Op::FRound
                && step.operands == [inner]
                && self.pool.node(step.id).rounding() == mode
        };
        let size = self.steps[b].op == Op::FAbs && self.steps[b].operands == [a];
        a == b || size || rounds(a, b, Down) || rounds(b, a, Up)
    }

    fn forward_float(&self, step: &Step, operands: &[usize]) -> Interval {
        let node = self.pool.node(step.id);
        let float = |at: &usize| self.float(*at);
        match (step.op, operands) {
            (Op::SToF | Op::UToF, _) => self.of_whole_number(step),
            (Op::Ite, [condition, a, b]) => match self.truth(*condition) {
                Some(true) => float(a),
                Some(false) => float(b),
                None => float(a).join(float(b)),
            },
            (_, []) => Interval::ANY,
            (Op::External, arguments) => {
                let arguments: Vec<Interval> = arguments.iter().map(float).collect();
                let name = self.pool.as_call(step.id).map_or("", |call| call.name());
                library::range(name, step.width, &arguments)
            }
            (op, [a]) => {
                let index = if op == Op::FRound {
                    node.rounding() as u128
                } else {
                    0
                };
                unary(op, step.width, self.steps[*a].width, index, float(a))
            }
            (op, [a, b]) => binary(op, step.width, float(a), float(b), a == b),
            _ => Interval::ANY,
        }
    }

    /// By the number of bits that the whole number has.
    fn of_whole_number(&self, step: &Step) -> Interval {
        let mut id = self.pool.node(step.id).operands()[0];
        let mut is_signed = step.op == Op::SToF;
        let mut bits = self.pool.width(id);
        loop {
            let node = self.pool.node(id);
            match node.op() {
                Op::ZExt => is_signed = false,
                Op::SExt if is_signed => {}
                _ => break,
            }
            id = node.operands()[0];
            bits = self.pool.width(id);
        }
        let mut size = 2f64.powi(bits.try_into().unwrap_or(1024));
        if step.width == 32 && size > f64::from(f32::MAX) {
            size = f64::INFINITY;
        }
        if is_signed {
            Interval::between(-size / 2.0, size / 2.0, false)
        } else {
            Interval::between(0.0, size, false)
        }
    }

    fn backward(&mut self, at: usize) -> Result<(), Conflict> {
        let steps = self.steps;
        let step = &steps[at];
        match self.known[at] {
            PossibleValues::Truth(Some(truth)) => self.backward_truth(step, &step.operands, truth),
            PossibleValues::Truth(None) => Ok(()),
            PossibleValues::Float(interval) => self.backward_float(step, &step.operands, interval),
        }
    }

    fn backward_truth(
        &mut self,
        step: &Step,
        operands: &[usize],
        truth: bool,
    ) -> Result<(), Conflict> {
        match (step.op, operands) {
            (Op::Not, [a]) => self.decide(*a, !truth),
            (Op::And | Op::Or, [a, b]) => {
                if (step.op == Op::And) == truth {
                    self.decide(*a, truth)?;
                    return self.decide(*b, truth);
                }
                for (one, other) in [(a, b), (b, a)] {
                    if self.truth(*one) == Some(!truth) {
                        self.decide(*other, truth)?;
                    }
                }
                Ok(())
            }
            (Op::Xor | Op::Eq, [a, b]) => {
                let flips = truth == (step.op == Op::Xor);
                for (one, other) in [(a, b), (b, a)] {
                    if let Some(known) = self.truth(*one) {
                        self.decide(*other, known != flips)?;
                    }
                }
                Ok(())
            }
            (Op::Ite, [condition, a, b]) => {
                for (way, value) in [(true, a), (false, b)] {
                    if self.truth(*value) == Some(!truth) {
                        self.decide(*condition, !way)?;
                    }
                    if self.truth(*condition) == Some(way) {
                        self.decide(*value, truth)?;
                    }
                }
                Ok(())
            }
            (op, [a, b]) => self.compare(op, *a, *b, truth),
            _ => Ok(()),
        }
    }

    /// What a comparison's truth leaves of both sides.
    fn compare(&mut self, op: Op, a: usize, b: usize, truth: bool) -> Result<(), Conflict> {
        let width = self.steps[a].width;
        let (x, y) = (self.float(a), self.float(b));
        let most = f64::INFINITY;
        let up_to = |high| Interval::between(-most, high, false);
        let from = |low| Interval::between(low, most, false);
        match (op, truth) {
            (Op::FUno, true) if a == b => self.meet(a, Interval::between(1.0, 0.0, true)),
            (Op::FUno, true) => Ok(()),
            (Op::FUno, false) => {
                self.meet(a, up_to(most))?;
                self.meet(b, up_to(most))
            }
            (Op::FOeq, true) => {
                self.meet(a, Interval { nan: false, ..y })?;
                self.meet(b, Interval { nan: false, ..x })
            }
            (Op::FOlt, true) => {
                self.meet(a, up_to(below(y.high, width)))?;
                self.meet(b, from(above(x.low, width)))
            }
            (Op::FOle, true) => {
                self.meet(a, up_to(y.high))?;
                self.meet(b, from(x.low))
            }
            // Where the other side is a number, it is false because of the numbers, or because
            // this side is none.
            (Op::FOlt | Op::FOle, false) => {
                let strict = op == Op::FOle;
                if !y.nan {
                    let low = if strict { above(y.low, width) } else { y.low };
                    self.meet(
                        a,
                        Interval {
                            nan: true,
                            ..from(low)
                        },
                    )?;
                }
                if !x.nan {
                    let high = if strict { below(x.high, width) } else { x.high };
                    self.meet(
                        b,
                        Interval {
                            nan: true,
                            ..up_to(high)
                        },
                    )?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn backward_float(
        &mut self,
        step: &Step,
        operands: &[usize],
        result: Interval,
    ) -> Result<(), Conflict> {
        let width = step.width;
        if let (Op::Ite, [condition, a, b]) = (step.op, operands) {
            for (way, value) in [(true, *a), (false, *b)] {
                if self.truth(*condition) == Some(way) {
                    self.meet(value, result)?;
                } else if self.float(value).meet(result).is_empty() {
                    self.decide(*condition, !way)?;
                }
            }
            return Ok(());
        }
        if result.nan {
            // Any operand may be what makes it so.
            return Ok(());
        }
        match (step.op, operands) {
            (Op::FNeg, [a]) => self.meet(*a, Interval::between(-result.high, -result.low, false)),
            (Op::FAbs, [a]) => self.meet(*a, Interval::between(-result.high, result.high, false)),
            (Op::FAdd, [a, b]) if a != b => {
                // The sum before it was rounded.
                let sum = widened(result, width);
                self.invert(*a, Op::FSub, sum, self.number(*b), width)?;
                self.invert(*b, Op::FSub, sum, self.number(*a), width)
            }
            (Op::FSub, [a, b]) if a != b => {
                let difference = widened(result, width);
                self.invert(*a, Op::FAdd, difference, self.number(*b), width)?;
                self.invert(*b, Op::FSub, self.number(*a), difference, width)
            }
            _ => Ok(()),
        }
    }

    /// What an operand may be that is a number.
    fn number(&self, at: usize) -> Interval {
        Interval {
            nan: false,
            ..self.float(at)
        }
    }

    /// Narrows an operand to `x op y`, a little more on both sides. Where infinities may meet,
    /// `x op y` says nothing: a number of any size and ∞ are ∞.
    fn invert(
        &mut self,
        at: usize,
        op: Op,
        x: Interval,
        y: Interval,
        width: u32,
    ) -> Result<(), Conflict> {
        let inverse = binary(op, 64, x, y, false);
        if inverse.nan {
            return Ok(());
        }
        self.meet(at, widened(inverse, width))
    }
}
