//! Fuzzing beside another technique: one corpus, two makers of inputs.
//!
//! A concolic search takes one decision at a time and needs its condition; a fuzzer (LibAFL)
//! changes inputs blindly, but its runs are those of the plain program and cost a fraction of a
//! recorded one. What it has to find is what expressions do not tell: decisions on values that
//! became concrete, effects of code that is not instrumented, long repetitions (as in Stephens
//! and others, "Driller", NDSS 2016, and Yun and others, "QSYM", USENIX Security 2018).
//!
//! - The tests of the suite are seeds of the [`Fuzzer`].
//! - Its inputs that take a branch which no run took, fail as none before or reach an open target
//!   are handed to the technique that leads the portfolio, which runs them for their traces and goes on from there.
//! - [`Fuzzing`] is its part in a portfolio, which shifts work to the member that gains more.
//!
//! Law: without a time limit all choices follow from the seed and from counts, so the suite repeats itself.

mod clock;
mod fuzzer;
mod knowledge;
mod lexemes;
mod member;
mod parts;
mod program;
mod seeds;
mod slice;
mod stretch;
mod suspects;
mod words;

pub use fuzzer::Fuzzer;
pub use member::{EXECUTION_STEPS, Fuzzing};
