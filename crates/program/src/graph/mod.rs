//! Analyses of the control flow, each of one function or of the whole program.
//!
//! | Analysis | Question |
//! |---|---|
//! | [`Digraph`] | which blocks follow and precede a block, which are reachable? |
//! | [`Dominators`], [`PostDominators`] | what must be passed before, or after, a block? |
//! | [`ControlDependence`] | which decisions decide whether a block is executed? |
//! | [`ControlledStatements`] | how many statements does a branch control? |
//! | [`CallGraph`] | which functions may a call reach, which calls reach a function? |
//! | [`BranchDominators`] | which branches must a run have taken to come to a site? |
//! | [`Distances`] | how many branches away is the nearest target? |

mod branch_dominators;
mod buckets;
mod call_graph;
mod control_dependence;
mod controlled;
mod digraph;
mod distance;
mod dominators;
mod flow;
mod post_dominators;
mod summary;
#[cfg(test)]
mod tests;

pub use branch_dominators::BranchDominators;
pub use call_graph::{Call, CallGraph};
pub use control_dependence::ControlDependence;
pub use controlled::ControlledStatements;
pub use digraph::Digraph;
pub use distance::Distances;
pub use dominators::Dominators;
pub use post_dominators::PostDominators;
use summary::call_costs;
