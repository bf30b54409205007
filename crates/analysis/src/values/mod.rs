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

use std::collections::BTreeMap;

use labrys_program::{BranchId, FunctionId, ValueId};

/// What no run does, because of the numbers that values may be.
#[derive(Clone, Debug, Default)]
pub struct Impossible {
    /// Branches that no run takes, in ascending order; none where the analysis came to no end.
    pub branches: Vec<BranchId>,
    /// Instructions that were looked at.
    pub visits: u64,
    /// The numbers of what loops count with: phis of their headers that are not just any number.
    counters: BTreeMap<(FunctionId, ValueId), NumberSet>,
}

impl Impossible {
    /// The numbers that a phi at the header of a loop may be; `None` if they are any.
    pub(crate) fn counter(&self, function: FunctionId, phi: ValueId) -> Option<&NumberSet> {
        self.counters.get(&(function, phi))
    }
}

/// Numbers of one width, 1 to 64 bits; zero-extended where nothing else is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumberSet {
    /// Just these, in ascending order.
    Few(Vec<u64>),
    /// Those between both pairs of bounds.
    Between {
        /// The least and the greatest.
        unsigned: (u64, u64),
        /// The least and the greatest with their sign, sign-extended.
        signed: (i64, i64),
    },
}
