//! Values: bit-vectors of 1 to 128 bits.
//!
//! Invariant: the bits above the width are 0.

use crate::bits::{mask, signed};
use crate::fold::apply;
use crate::op::Op;

/// A bit-vector of 1 to 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value {
    width: u32,
    bits: u128,
}

impl Value {
    /// The value of `width` bits whose bits are the lowest of `bits`.
    ///
    /// # Panics
    /// If `width` is not in `1..=128`.
    #[must_use]
    pub const fn new(width: u32, bits: u128) -> Self {
        assert!(width >= 1 && width <= 128, "width out of range");
        Value {
            width,
            bits: bits & mask(width),
        }
    }

    /// Width in bits.
    #[must_use]
    pub const fn width(self) -> u32 {
        self.width
    }

    /// The bits as an unsigned number.
    #[must_use]
    pub const fn bits(self) -> u128 {
        self.bits
    }

    /// The bits as a signed number.
    #[must_use]
    pub const fn signed(self) -> i128 {
        signed(self.bits, self.width)
    }

    /// The result of an operation with operands in the node on values; `width` is that of the
    /// result. `low` is the lowest bit for [`Op::Extract`] and the mode for [`Op::FRound`].
    ///
    /// # Panics
    /// If `width` is not in `1..=128`.
    #[must_use]
    pub fn apply(op: Op, width: u32, operands: &[Value], low: u32) -> Value {
        let operand = |index: usize| operands.get(index).map_or(0, |value| value.bits);
        let from = operands.first().map_or(width, |value| value.width);
        let second = match op {
            Op::Extract | Op::FRound => u128::from(low),
            Op::Concat => {
                let low_part = operand(1);
                return Value::new(
                    width,
                    operand(0).checked_shl(width - from).unwrap_or(0) | low_part,
                );
            }
            _ => operand(1),
        };
        Value::new(
            width,
            apply(op, width, from, operand(0), second, operand(2)),
        )
    }

    /// Whether this is the one-bit value 1.
    #[must_use]
    pub const fn is_true(self) -> bool {
        self.width == 1 && self.bits == 1
    }
}

impl std::fmt::Display for Value {
    /// SMT-LIB form: `#x0f`, or `#b101` where the width is no multiple of 4.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let width = self.width as usize;
        if width % 4 == 0 {
            write!(f, "#x{:0digits$x}", self.bits, digits = width / 4)
        } else {
            write!(f, "#b{:0width$b}", self.bits)
        }
    }
}
