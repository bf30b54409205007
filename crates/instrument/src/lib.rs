//! Frozen bitcode to the bitcode of the three executables: recording, plain and checked.

pub mod checked;
mod coverage;
mod large;
pub use large::{mark_once, mark_picks};
pub mod plain;
pub mod recording;
