//! Terms without duplicates, in front of an [`Instance`].
//!
//! The instance knows equal terms by itself; asking it means a call across the border, a vector
//! and several allocations. Here a known term costs one look-up, so that the same path prefix
//! can be translated for every query anew, whatever pool it stands in.

use rustc_hash::FxHashMap;

use crate::bitwuzla::{Error, Instance, Kind, Rounding, Term, TermSort};

/// The two sizes of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Single,
    Double,
}

impl Format {
    /// The format of this many bits.
    pub(super) fn of(width: u32) -> Result<Self, Error> {
        match width {
            32 => Ok(Format::Single),
            64 => Ok(Format::Double),
            _ => Err(Error::Refused(format!("a float of {width} bits"))),
        }
    }

    /// Width of the bit pattern.
    pub(super) fn width(self) -> u32 {
        match self {
            Format::Single => 32,
            Format::Double => 64,
        }
    }

    /// Bits of the exponent and of the significand (with the hidden bit).
    pub(super) fn indices(self) -> [u64; 2] {
        match self {
            Format::Single => [8, 24],
            Format::Double => [11, 53],
        }
    }

    /// The NaN that operations give: positive, quiet, without payload.
    pub(super) fn nan(self) -> u128 {
        match self {
            Format::Single => 0x7fc0_0000,
            Format::Double => 0x7ff8_0000_0000_0000,
        }
    }

    /// Bit pattern of `2^exponent`, if that is finite.
    pub(super) fn power_of_two(self, exponent: u32) -> Option<u128> {
        let (bias, fraction) = match self {
            Format::Single => (127, 23),
            Format::Double => (1023, 52),
        };
        (exponent <= bias).then(|| u128::from(exponent + bias) << fraction)
    }

    /// The sign bit.
    pub(super) fn sign(self) -> u128 {
        1 << (self.width() - 1)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Operation {
    kind: Kind,
    operands: [Option<Term>; 3],
    indices: [u64; 2],
}

/// A solver and the terms it was asked for.
pub(super) struct Terms {
    pub(super) instance: Instance,
    operations: FxHashMap<Operation, Term>,
    values: FxHashMap<(u32, u128), Term>,
    roundings: FxHashMap<u32, Term>,
}

impl Terms {
    pub(super) fn new(instance: Instance) -> Self {
        Terms {
            instance,
            operations: FxHashMap::default(),
            values: FxHashMap::default(),
            roundings: FxHashMap::default(),
        }
    }

    /// An operation of at most three operands and two indices.
    pub(super) fn indexed(
        &mut self,
        kind: Kind,
        operands: &[Term],
        indices: &[u64],
    ) -> Result<Term, Error> {
        let mut key = Operation {
            kind,
            operands: [None; 3],
            indices: [0; 2],
        };
        for (slot, &operand) in key.operands.iter_mut().zip(operands) {
            *slot = Some(operand);
        }
        key.indices[..indices.len()].copy_from_slice(indices);
        if let Some(&known) = self.operations.get(&key) {
            return Ok(known);
        }
        let term = self.instance.indexed(kind, operands, indices)?;
        self.operations.insert(key, term);
        Ok(term)
    }

    /// An operation of at most three operands.
    pub(super) fn term(&mut self, kind: Kind, operands: &[Term]) -> Result<Term, Error> {
        self.indexed(kind, operands, &[])
    }

    /// A bit-vector value.
    pub(super) fn bits(&mut self, width: u32, value: u128) -> Result<Term, Error> {
        if let Some(&known) = self.values.get(&(width, value)) {
            return Ok(known);
        }
        let term = self.instance.bits(width, value)?;
        self.values.insert((width, value), term);
        Ok(term)
    }

    /// A rounding mode.
    pub(super) fn rounding(&mut self, mode: Rounding) -> Result<Term, Error> {
        if let Some(&known) = self.roundings.get(&(mode as u32)) {
            return Ok(known);
        }
        let term = self.instance.rounding(mode)?;
        self.roundings.insert(mode as u32, term);
        Ok(term)
    }

    /// A new free bit-vector.
    pub(super) fn fresh(&mut self, width: u32, name: &str) -> Result<Term, Error> {
        self.instance.constant(TermSort::Bits(width), name)
    }

    /// Bits `low .. low + width` of `term`.
    pub(super) fn extract(&mut self, term: Term, low: u32, width: u32) -> Result<Term, Error> {
        let (high, low) = (u64::from(low + width - 1), u64::from(low));
        self.indexed(Kind::Extract, &[term], &[high, low])
    }

    /// `term` of `from` bits, zero-extended to `to`.
    pub(super) fn zero_extend(&mut self, term: Term, from: u32, to: u32) -> Result<Term, Error> {
        if from == to {
            return Ok(term);
        }
        self.indexed(Kind::ZeroExtend, &[term], &[u64::from(to - from)])
    }

    /// Is the bit-vector equal to this value? A truth value.
    pub(super) fn is_value(&mut self, term: Term, width: u32, value: u128) -> Result<Term, Error> {
        let value = self.bits(width, value)?;
        self.term(Kind::Equal, &[term, value])
    }

    /// Is the one-bit vector 1? A truth value.
    pub(super) fn truth_of_bit(&mut self, bit: Term) -> Result<Term, Error> {
        self.is_value(bit, 1, 1)
    }

    /// The truth value as one bit.
    pub(super) fn bit_of_truth(&mut self, truth: Term) -> Result<Term, Error> {
        let (one, zero) = (self.bits(1, 1)?, self.bits(1, 0)?);
        self.term(Kind::Ite, &[truth, one, zero])
    }

    /// The float with this bit pattern.
    pub(super) fn float(&mut self, format: Format, pattern: Term) -> Result<Term, Error> {
        self.indexed(Kind::FpFromBits, &[pattern], &format.indices())
    }

    /// The float whose bit pattern is this value.
    pub(super) fn float_value(&mut self, format: Format, pattern: u128) -> Result<Term, Error> {
        let pattern = self.bits(format.width(), pattern)?;
        self.float(format, pattern)
    }
}
