//! Facts about functions that are not the program's: of the C library, the mathematics library,
//! POSIX, harnesses. One row for each, in `functions/*.txt`; `functions/README.md` says what a row
//! may say.
//!
//! The instrumentation asks which model a function has forwards, the analyses what it writes and
//! whom it calls, the backward search and the machine what it computes. None of them has names of
//! its own.
//!
//! Law: a row holds for the function of the library. Where the program defines a function of that
//! name, that definition counts; whoever asks looks at this first.
//!
//! Invariant: a name stands in one row.

mod cxx;
mod facts;
mod files;
mod parse;
mod table;
mod variables;

pub use facts::{
    Access, Allocation, CallsBack, Computes, Course, Effect, Extent, Forward, Function, Harness,
    Loss, MODEL_PREFIX, Mark, Parameter, Shape, Type, WRAPPER_PREFIX,
};
pub use table::{function, functions, loss, named, own_row};
pub use variables::may_be_one_variable;

/// The definitions that stand for functions in the picture of a program with its surroundings, in
/// the text form of programs.
pub const ENVIRONMENT: &str = include_str!("environment/streams.lir");

include!(concat!(env!("OUT_DIR"), "/lists.rs"));
