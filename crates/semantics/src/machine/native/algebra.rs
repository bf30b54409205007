//! Operations as machine code: the meanings of `operation` with code as their algebra.

use labrys_expr::{Op, Rounding, Value};
use labrys_native::{Code, Word};

use crate::algebra::Algebra;

/// A value in code, and what it is if that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) word: Word,
    known: Option<u64>,
}

impl Held {
    /// A value that is not known.
    pub(super) fn new(word: Word) -> Self {
        Held { word, known: None }
    }
}

/// Makes code for operations. What there is no code for makes it fail, and gives any value.
pub(super) struct Emitting<'c, 'b> {
    pub(super) code: &'c mut Code<'b>,
    pub(super) failed: bool,
}

impl Emitting<'_, '_> {
    fn apply<const N: usize>(&mut self, op: Op, width: u32, of: [Held; N], low: u32) -> Held {
        let known = of.map(|held| held.known);
        if !self.failed && known.iter().all(Option::is_some) && width <= 64 {
            let values = of.map(|held| {
                let bits = held.known.unwrap_or(0);
                Value::new(held.word.width(), u128::from(bits))
            });
            let value = Value::apply(op, width, &values, low);
            return self.constant(width, value.bits());
        }
        let mut words = of.map(|held| held.word);
        match self.code.apply(op, width, &mut words, low) {
            Some(word) if !self.failed => Held::new(word),
            _ => self.nothing(width),
        }
    }

    /// Stands for a value without code.
    fn nothing(&mut self, width: u32) -> Held {
        self.failed = true;
        let zero = self.code.integer(0);
        Held {
            word: Word::of_bits(width, zero),
            known: None,
        }
    }
}

impl Algebra for Emitting<'_, '_> {
    type Value = Held;

    fn constant(&mut self, width: u32, bits: u128) -> Held {
        if width > 64 {
            return self.nothing(width);
        }
        let bits = Value::new(width, bits).bits() as u64;
        let value = self.code.integer(bits);
        Held {
            word: Word::of_bits(width, value),
            known: Some(bits),
        }
    }
    fn width(&self, value: Held) -> u32 {
        value.word.width()
    }
    fn known(&self, value: Held) -> Option<u128> {
        value.known.map(u128::from)
    }
    fn unary(&mut self, op: Op, a: Held) -> Held {
        self.apply(op, a.word.width(), [a], 0)
    }
    fn binary(&mut self, op: Op, a: Held, b: Held) -> Held {
        let width = if op.is_predicate() { 1 } else { a.word.width() };
        self.apply(op, width, [a, b], 0)
    }
    fn convert(&mut self, op: Op, a: Held, width: u32) -> Held {
        self.apply(op, width, [a], 0)
    }
    fn round(&mut self, mode: Rounding, a: Held) -> Held {
        self.apply(Op::FRound, a.word.width(), [a], mode as u32)
    }
    fn ite(&mut self, c: Held, a: Held, b: Held) -> Held {
        self.apply(Op::Ite, a.word.width(), [c, a, b], 0)
    }
    fn extract(&mut self, a: Held, low: u32, width: u32) -> Held {
        self.apply(Op::Extract, width, [a], low)
    }
    fn concat(&mut self, high: Held, low: Held) -> Held {
        let width = high.word.width() + low.word.width();
        self.apply(Op::Concat, width, [high, low], 0)
    }
    fn external(&mut self, _: &str, _: &[Held], width: u32) -> Option<Held> {
        Some(self.nothing(width))
    }
    fn havoc(&mut self, width: u32, machine: Option<Held>) -> Held {
        machine.unwrap_or_else(|| self.constant(width, 0))
    }
}
