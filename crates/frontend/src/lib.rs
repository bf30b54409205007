//! C or bitcode in; program picture and instrumented binary out.
//!
//! The only crate that touches LLVM.

pub mod container;
pub mod driver;
pub mod instrument;
pub mod llvm;
mod llvm_query;
pub mod lower;
pub mod plain;
pub mod sites;
