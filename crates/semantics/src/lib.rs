//! The meaning of the IR: each instruction over an [`Algebra`], so that one definition serves
//! expressions ([`Symbolic`]) and concrete execution ([`Machine`]).
//!
//! Law: for every instruction with a meaning, the expression evaluated under an assignment of
//! its operands is the value that the concrete algebra computes from the operands' values
//! (`tests/meanings`: every operation, also interpreted and as machine code).
//!
//! | Construct | IrValue |
//! |---|---|
//! | integer operations, casts, comparisons, select, freeze | exact |
//! | address computations | exact: `base + offset + Σ sext(index) × scale` modulo 2⁶⁴ |
//! | shift by at least the width, division by zero | havoc (expressions), the processor's value (concrete) |
//! | undefined and poison constants | havoc (expressions), 0 (concrete) |
//! | float operations, conversions | exact; sign and payload of a NaN are anything where they are observed: stored, copied, as integers |
//! | functions on strings and characters | by the machine, in the C locale; as expressions over the first bytes ([`string_result`]) |
//! | libm calls | a call of a pure external function |
//! | vectors, x87 floats, assembly, atomics | none: the caller havocs the result |
//!
//! Havoc over-approximates, so a proof of unreachability may rest on it.
//!
//! A [`Machine`] may execute functions as machine code ([`NativeCode`]), whose operations are the
//! same definition over code.
//!
//! The crate does no I/O, reads no clock and draws no randomness.

mod algebra;
mod arithmetic;
mod bits;
mod character;
mod constant;
pub mod environment;
mod intrinsic;
mod library;
mod machine;
mod operation;
mod strings;
mod value;

pub use algebra::{Algebra, Concrete, External, Symbolic};
pub use arithmetic::choose;
pub use bits::{stored, unpack};
pub use character::{CharacterTable, character_table};
pub use constant::{Addresses, constant, havocked};
pub use labrys_library::{CallsBack, Computes};
pub use library::{LibraryMeaning, calls_back, input_value};
pub use machine::{
    CallOutcome, Distance, Halt, Inputs, Limit, Linked, Machine, NativeCode, Rules, Watched, Words,
};
pub use operation::meaning;
pub use strings::{Texts, string_result};
pub use value::{IrValue, Operands};
