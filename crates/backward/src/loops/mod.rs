//! Loops: which constraints hold before a loop if they hold behind it.
//!
//! A loop that is not unrolled is havocked, but for a [`LoopInvariant`]. To infer one, iterations
//! of the loop are explored backward, as the path search explores any code: an [`Exploration`] is
//! what this asks of it.

mod candidates;
mod counters;
mod effort;
mod exploration;
mod invariant;
mod iteration;

pub(crate) use counters::require_counters;
pub(crate) use effort::Effort;
pub(crate) use exploration::{Cuts, Exploration, Predecessors};
pub(crate) use invariant::infer;
