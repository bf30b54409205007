//! Small lengths: the model's values of length symbols are brought down where that is possible.
//!
//! A solver may as well answer that a file has 2^63 bytes. Law: the conditions stay true.

use labrys_expr::{Evaluator, Pool, Symbol};

use crate::parts::Part;
use crate::query::{Assignment, Model};

/// Values that are tried before bisection.
const SMALL: u128 = 16;

/// Gives each length in `model` the hint's value, else the smallest that is found to satisfy the
/// parts.
pub(crate) fn shorten_lengths(pool: &Pool, parts: &[Part], hint: &Assignment, model: &mut Model) {
    let is_length = |symbol: &Symbol| matches!(symbol, Symbol::Length { .. });
    let lengths: Vec<_> = model
        .0
        .keys()
        .filter(|symbol| is_length(symbol))
        .copied()
        .collect();
    for symbol in lengths {
        let speaking: Vec<_> = parts
            .iter()
            .filter(|part| pool.symbols(part.id).contains(symbol))
            .copied()
            .collect();
        let mut trial = Trial {
            pool,
            parts: &speaking,
            values: hint.with(model),
            evaluator: Evaluator::new(),
        };
        let found = model.get(symbol).unwrap_or(0);
        let value = smallest(&mut trial, symbol, hint.get(symbol), found);
        model.0.insert(symbol, value);
    }
}

struct Trial<'a> {
    pool: &'a Pool,
    parts: &'a [Part],
    values: Assignment,
    evaluator: Evaluator,
}

impl Trial<'_> {
    fn holds(&mut self, symbol: Symbol, value: u128) -> bool {
        self.values.set(symbol, value);
        self.evaluator.reset();
        let Trial {
            pool,
            parts,
            values,
            evaluator,
        } = self;
        parts
            .iter()
            .all(|part| evaluator.holds(pool, part.id, values))
    }
}

fn smallest(trial: &mut Trial<'_>, symbol: Symbol, hinted: u128, found: u128) -> u128 {
    if found == hinted || trial.holds(symbol, hinted) {
        return hinted;
    }
    if let Some(small) = (0..SMALL.min(found)).find(|value| trial.holds(symbol, *value)) {
        return small;
    }
    // Bisection is right where the allowed values are an interval, and never wrong.
    let (mut below, mut value) = (SMALL, found);
    while below < value {
        let middle = below + (value - below) / 2;
        if trial.holds(symbol, middle) {
            value = middle;
        } else {
            below = middle + 1;
        }
    }
    value
}
