//! Frozen bitcode to the bitcode of the three executables: recording, plain and checked.

pub mod checked;
mod coverage;
pub mod plain;
pub mod recording;
