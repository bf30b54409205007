//! Phase II: finding inputs for what the solver could not say (dissertation, section 4.3).
//!
//! Starts from the solver's model and changes one input at a time by steps of powers of two,
//! keeping what fits better (alternating variables with accelerated steps, McMinn 2004); when no
//! step helps, two inputs are changed together, as where two equations tie them; then it starts
//! again from elsewhere. It makes no random draw that does not come from
//! its seed, and counts evaluations, not time.

use rustc_hash::FxHashMap;

use super::follow::Fitness;

/// An input value: some bytes, tried as a whole number and as a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    /// Bits: a multiple of 8, at most 128.
    pub(crate) width: u32,
}

/// The best values that were found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Adjusted {
    pub(crate) values: Vec<u128>,
    pub(crate) fitness: f64,
    pub(crate) evaluations: u64,
    /// Whether each execution went on to an end that is known.
    pub(crate) known: bool,
}

/// Steps of two are tried among so many first variables.
const PAIRED: usize = 6;

struct Walk<'a> {
    over: &'a dyn Fn() -> bool,
    variables: &'a [Variable],
    evaluate: &'a mut dyn FnMut(&[u128]) -> Fitness,
    left: u64,
    used: u64,
    best: Vec<u128>,
    fitness: f64,
    /// Whether an execution went on to an end that is not known.
    lost: bool,
    /// Fitness of the values that were executed; `None` if the end is not known.
    tried: FxHashMap<Vec<u128>, Option<f64>>,
    /// How often values may still come again that were executed.
    repeated: u64,
}

/// Values that come again, for each execution of the budget, before there is nothing new.
const REPEATED: u64 = 20;

/// Looks for values of fitness 0 with at most so many evaluations, and with no more once it is
/// `over`.
pub(super) fn adjust(
    variables: &[Variable],
    start: Vec<u128>,
    budget: u64,
    seed: u64,
    over: &dyn Fn() -> bool,
    evaluate: &mut dyn FnMut(&[u128]) -> Fitness,
) -> Adjusted {
    let mut walk = Walk {
        variables,
        over,
        evaluate,
        left: budget,
        used: 0,
        best: start.clone(),
        fitness: f64::INFINITY,
        lost: false,
        tried: FxHashMap::default(),
        repeated: REPEATED * budget,
    };
    let mut random = seed | 1;
    let mut top: Option<(Vec<u128>, f64)> = None;
    let mut begin = start;
    while walk.left > 0 && walk.repeated > 0 && !walk.lost {
        walk.best = begin;
        walk.fitness = f64::INFINITY;
        let values = walk.best.clone();
        walk.try_values(&values);
        walk.descend();
        if top.as_ref().is_none_or(|(_, best)| walk.fitness < *best) {
            top = Some((walk.best.clone(), walk.fitness));
        }
        if walk.fitness == 0.0 || variables.is_empty() {
            break;
        }
        begin = variables
            .iter()
            .map(|variable| draw(&mut random, *variable))
            .collect();
    }
    let (values, fitness) = top.unwrap_or((walk.best, walk.fitness));
    Adjusted {
        values,
        fitness,
        evaluations: walk.used,
        known: !walk.lost,
    }
}

/// A number of any size: small ones are as frequent as large ones.
fn draw(state: &mut u64, variable: Variable) -> u128 {
    let mut next = || {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    };
    let bits = next() % u64::from(variable.width.min(64)) + 1;
    let magnitude = u128::from(next()) & (u128::MAX >> (128 - bits));
    let value = if next() & 1 == 0 {
        magnitude
    } else {
        magnitude.wrapping_neg()
    };
    value & (u128::MAX >> (128 - variable.width))
}

impl Walk<'_> {
    /// Whether the values fit better than the best so far; then they are.
    fn try_values(&mut self, values: &[u128]) -> bool {
        if self.left == 0 || self.fitness == 0.0 {
            return false;
        }
        let fitness = match self.tried.get(values) {
            Some(fitness) => {
                self.repeated = self.repeated.saturating_sub(1);
                *fitness
            }
            None => self.execute(values),
        };
        let better = fitness.filter(|fitness| *fitness < self.fitness);
        if let Some(fitness) = better {
            self.fitness = fitness;
            self.best = values.to_vec();
        }
        better.is_some()
    }

    fn execute(&mut self, values: &[u128]) -> Option<f64> {
        if (self.over)() {
            self.left = 0;
            return None;
        }
        self.left -= 1;
        self.used += 1;
        let fitness = (self.evaluate)(values);
        self.lost |= !fitness.known;
        let value = fitness.known.then_some(fitness.value);
        self.tried.insert(values.to_vec(), value);
        value
    }

    /// Steps until none helps, of one variable or two.
    fn descend(&mut self) {
        loop {
            let before = self.fitness;
            for index in 0..self.variables.len() {
                self.along(index);
                if self.fitness == 0.0 || self.left == 0 || self.lost {
                    return;
                }
            }
            if self.fitness >= before && !self.together() {
                return;
            }
        }
    }

    /// Equal steps of two variables, in the same or in opposite directions, again and again;
    /// whether any helped.
    fn together(&mut self) -> bool {
        let start = self.fitness;
        let count = self.variables.len().min(PAIRED);
        for first in 0..count {
            for second in first + 1..count {
                while self.pair(first, second) {}
            }
        }
        self.fitness < start
    }

    /// The best power-of-two steps of two variables; whether any helped.
    fn pair(&mut self, first: usize, second: usize) -> bool {
        let before = self.fitness;
        let origin = self.best.clone();
        let widths = [first, second].map(|index| self.variables[index].width);
        for exponent in 0..widths[0].min(widths[1]).min(64) {
            for (up, other) in [(true, true), (true, false), (false, true), (false, false)] {
                let mut values = origin.clone();
                values[first] = step(values[first], widths[0], exponent, up);
                values[second] = step(values[second], widths[1], exponent, other);
                self.try_values(&values);
            }
        }
        self.fitness < before && self.fitness > 0.0 && !self.lost
    }

    /// The best power-of-two steps of one variable, again and again.
    fn along(&mut self, index: usize) {
        let variable = self.variables[index];
        loop {
            let before = self.fitness;
            let origin = self.best.clone();
            for exponent in 0..variable.width.min(64) {
                for up in [true, false] {
                    let mut values = origin.clone();
                    values[index] = step(values[index], variable.width, exponent, up);
                    self.try_values(&values);
                }
            }
            for other in floats(origin[index], variable.width) {
                let mut values = origin.clone();
                values[index] = other;
                self.try_values(&values);
            }
            if self.fitness >= before || self.fitness == 0.0 || self.lost {
                return;
            }
        }
    }
}

fn step(value: u128, width: u32, exponent: u32, up: bool) -> u128 {
    let by = 1u128 << exponent;
    let moved = if up {
        value.wrapping_add(by)
    } else {
        value.wrapping_sub(by)
    };
    moved & (u128::MAX >> (128 - width))
}

/// Neighbors of a value read as a float.
fn floats(value: u128, width: u32) -> Vec<u128> {
    const FACTORS: [f64; 6] = [0.5, 2.0, -1.0, 1.1, 0.9, 0.0];
    let steps = (-6..=6).flat_map(|exponent| {
        let size = 8f64.powi(exponent);
        [size, -size]
    });
    let around = |number: f64| -> Vec<f64> {
        if !number.is_finite() {
            return vec![0.0, 1.0];
        }
        let scaled = FACTORS.iter().map(|factor| number * factor);
        scaled.chain(steps.map(|size| number + size)).collect()
    };
    match width {
        32 => around(f64::from(f32::from_bits(value as u32)))
            .into_iter()
            .map(|number| u128::from((number as f32).to_bits()))
            .collect(),
        64 => around(f64::from_bits(value as u64))
            .into_iter()
            .map(|number| u128::from(number.to_bits()))
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_numbers_with_a_sum_and_a_difference_are_found() {
        let variables = [Variable { width: 32 }, Variable { width: 32 }];
        let mut evaluate = |values: &[u128]| {
            let (a, b) = (f64::from(values[0] as i32), f64::from(values[1] as i32));
            let distance = (a + b - 123_456.0).abs() + (a - b - 12_344.0).abs();
            Fitness {
                value: distance / (distance + 1.0),
                known: true,
                cut: false,
                steps: 1,
                interpreted: 1,
            }
        };
        let found = adjust(&variables, vec![0, 0], 20_000, 1, &|| false, &mut evaluate);
        assert_eq!(found.fitness, 0.0, "{found:?}");
        assert_eq!(found.values, [67_900, 55_556]);
    }

    #[test]
    fn nothing_is_executed_twice() {
        let mut seen = Vec::new();
        let mut evaluate = |values: &[u128]| {
            seen.push(values.to_vec());
            Fitness {
                value: 1.0,
                known: true,
                cut: false,
                steps: 1,
                interpreted: 1,
            }
        };
        let found = adjust(
            &[Variable { width: 8 }],
            vec![0],
            1000,
            1,
            &|| false,
            &mut evaluate,
        );
        assert!(found.evaluations <= 256, "{found:?}");
        let times = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), times);
    }

    #[test]
    fn the_budget_is_kept() {
        let mut evaluate = |_: &[u128]| Fitness {
            value: 1.0,
            known: true,
            cut: false,
            steps: 1,
            interpreted: 1,
        };
        let found = adjust(
            &[Variable { width: 8 }],
            vec![0],
            100,
            1,
            &|| false,
            &mut evaluate,
        );
        assert_eq!((found.evaluations, found.fitness), (100, 1.0));
        let calls = std::cell::Cell::new(0);
        let over = || calls.replace(calls.get() + 1) >= 7;
        let found = adjust(
            &[Variable { width: 8 }],
            vec![0],
            100,
            1,
            &over,
            &mut evaluate,
        );
        assert_eq!((found.evaluations, found.known), (7, true));
    }
}
