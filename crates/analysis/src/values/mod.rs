//! Which numbers the values of a program may be, and which branches no run takes for that reason:
//! sparse conditional propagation (Wegman and Zadeck, TOPLAS 1991) over the whole program, with
//! bounds in place of single constants, and what the decisions on the way to a block say of values
//! ([`known`]).
//!
//! A function begins with what its calls pass, a call gives what its function returns, and a part of
//! a global holds what is stored to it, where all who do that are known. A call whose function does
//! not return ends its block.
//!
//! In a function into which control may come back nothing is known of values, and all of its blocks
//! are reached.
//!
//! Law: a value of a run is one of its numbers, whenever it is computed, and a run comes to blocks
//! that are reached only. Memory is accessed inside its objects.

mod constants;
mod flow;
mod function;
mod known;
mod numbers;
mod outline;
mod results;

pub(crate) use flow::impossible;

use labrys_program::BranchId;

/// Branches that no run takes.
#[derive(Clone, Debug, Default)]
pub struct Impossible {
    /// In ascending order; none where the analysis came to no end.
    pub branches: Vec<BranchId>,
    /// Instructions that were looked at.
    pub visits: u64,
}
