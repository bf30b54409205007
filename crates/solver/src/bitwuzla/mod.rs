//! A safe interface to the SMT solver Bitwuzla.
//!
//! An [`Instance`] is one solver with the terms it may speak about. [`Term`]s are numbers that
//! mean something to their instance only; equal terms of an instance have equal numbers.
//! Instances are independent of each other, so each thread may have its own.
//!
//! Invariant: nothing unwinds and nothing aborts across the border to C++; every failure there
//! is an [`Error`] here, and a check that is cut short is an [`Outcome`], not an error.
//!
//! ```
//! use labrys_solver::bitwuzla::{CheckLimits, Instance, Kind, Outcome, Settings, TermSort};
//! # fn main() -> Result<(), labrys_solver::bitwuzla::Error> {
//! let mut solver = Instance::new(&Settings::default())?;
//! let x = solver.constant(TermSort::Bits(8), "x")?;
//! let seven = solver.bits(8, 7)?;
//! let product = solver.term(Kind::Mul, &[x, x])?;
//! let equal = solver.term(Kind::Equal, &[product, seven])?;
//! assert_eq!(solver.check(&[equal], &CheckLimits::none())?, Outcome::Unsat);
//! # Ok(())
//! # }
//! ```

mod ffi;
mod instance;
#[cfg(test)]
mod tests;

pub use instance::{CheckLimits, Instance, Interpolation, Settings};

/// Why Bitwuzla could not be used or refused.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The library cannot be loaded; the text says what to do.
    #[error("{0}")]
    Missing(String),
    /// Bitwuzla threw an exception: wrong sorts, or an operation that it does not have.
    #[error("Bitwuzla: {0}")]
    Refused(String),
}

/// A term of one [`Instance`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Term(std::num::NonZeroU32);

/// The sort of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TermSort {
    /// Truth values.
    Bool,
    /// Bit-vectors of this width.
    Bits(u32),
    /// IEEE-754 floats of 32 bits.
    Float32,
    /// IEEE-754 floats of 64 bits.
    Float64,
}

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There is a model; [`Instance::value`] reads it until the next change.
    Sat,
    /// There is none; [`Instance::failed`] tells the assumptions that suffice for that.
    Unsat,
    /// Not decided.
    Unknown(Stop),
}

/// Why a check was not decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The steps were used up.
    Steps,
    /// The time was over.
    Deadline,
    /// The flag was raised.
    Cancelled,
    /// The process has more resident memory than allowed.
    Memory,
    /// The solver gave up on its own.
    Incomplete,
}

/// How a term is built, as [`Instance::view`] shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum View {
    /// A free constant.
    Constant,
    /// A value; truth values are 0 and 1.
    Value(u128),
    /// An operation with its operands and indices.
    Operation(Kind, Vec<Term>, Vec<u64>),
    /// Something that has no [`Kind`] here.
    Other,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Operators. The order is that of the shim.
        #[repr(u32)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind { $($(#[$doc])* $name,)* }

        impl Kind {
            /// All operators, in the order of their numbers.
            pub const ALL: &[Kind] = &[$(Kind::$name,)*];
        }
    };
}

kinds! {
    /// Not, of truth values.
    Not,
    /// And, of any number of truth values.
    And,
    /// Or, of any number of truth values.
    Or,
    /// Exclusive or of truth values.
    Xor,
    /// Implication.
    Implies,
    /// Equality of any sort.
    Equal,
    /// Difference of any sort.
    Distinct,
    /// `(condition, then, else)` with a truth value as condition.
    Ite,

    /// Bitwise not.
    BitNot,
    /// Two's complement.
    Neg,
    /// Bitwise and.
    BitAnd,
    /// Bitwise or.
    BitOr,
    /// Bitwise exclusive or.
    BitXor,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Unsigned quotient.
    UDiv,
    /// Signed quotient.
    SDiv,
    /// Unsigned remainder.
    URem,
    /// Signed remainder.
    SRem,
    /// Shift left.
    Shl,
    /// Logical shift right.
    LShr,
    /// Arithmetic shift right.
    AShr,
    /// Unsigned less than.
    Ult,
    /// Unsigned at most.
    Ule,
    /// Signed less than.
    Slt,
    /// Signed at most.
    Sle,
    /// Concatenation, the most significant operand first.
    Concat,
    /// Extraction; indices: highest bit, lowest bit.
    Extract,
    /// Zero extension; index: number of bits to add.
    ZeroExtend,
    /// Sign extension; index: number of bits to add.
    SignExtend,

    /// Absolute value of a float.
    FpAbs,
    /// Negated float.
    FpNeg,
    /// Sum: `(rounding, a, b)`.
    FpAdd,
    /// Difference: `(rounding, a, b)`.
    FpSub,
    /// Product: `(rounding, a, b)`.
    FpMul,
    /// Quotient: `(rounding, a, b)`.
    FpDiv,
    /// IEEE remainder (quotient to nearest).
    FpRem,
    /// Square root: `(rounding, a)`.
    FpSqrt,
    /// Integral float: `(rounding, a)`.
    FpRoundToIntegral,
    /// Equality as of IEEE.
    FpEqual,
    /// Less than.
    FpLt,
    /// At most.
    FpLe,
    /// Is it NaN?
    FpIsNan,
    /// Is it negative (and no NaN)?
    FpIsNegative,
    /// Is it infinite?
    FpIsInfinite,
    /// Is it a zero?
    FpIsZero,
    /// Float of a bit pattern; indices: exponent bits, significand bits.
    FpFromBits,
    /// Float of a float: `(rounding, a)`; indices as above.
    FpFromFp,
    /// Float of a signed bit-vector: `(rounding, a)`; indices as above.
    FpFromSigned,
    /// Float of an unsigned bit-vector: `(rounding, a)`; indices as above.
    FpFromUnsigned,
    /// Signed bit-vector of a float: `(rounding, a)`; index: width.
    FpToSigned,
    /// Unsigned bit-vector of a float: `(rounding, a)`; index: width.
    FpToUnsigned,

    /// One bit: are the operands equal?
    BitCompare,
    /// Unsigned greater than.
    Ugt,
    /// Unsigned at least.
    Uge,
    /// Signed greater than.
    Sgt,
    /// Signed at least.
    Sge,
    /// Bitwise not of and.
    BitNand,
    /// Bitwise not of or.
    BitNor,
    /// Bitwise not of exclusive or.
    BitXnor,
    /// Increment.
    Inc,
    /// Decrement.
    Dec,
    /// Repetition; index: how often.
    Repeat,
    /// One bit: are all bits set?
    ReduceAnd,
    /// One bit: is a bit set?
    ReduceOr,
    /// Equality of truth values.
    Iff,
}

/// How float operations round.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To nearest, ties to even.
    NearestEven = 0,
    /// Toward negative infinity.
    Down,
    /// Toward positive infinity.
    Up,
    /// Toward zero.
    Zero,
    /// To nearest, ties away from zero.
    NearestAway,
}
