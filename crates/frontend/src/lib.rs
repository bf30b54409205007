//! C or bitcode in; program picture and instrumented binary out.
//!
//! The only crate that touches LLVM.

pub mod checked;
pub mod container;
mod coverage;
pub mod driver;
pub mod harness;
pub mod instrument;
pub mod llvm;
pub mod lower;
mod marked;
pub mod plain;
pub mod sites;
mod traps;
pub mod unit;
