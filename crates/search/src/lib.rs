//! Concolic search: the execution tree and its strategies.

mod strategies;
mod strategy;
mod tree;

pub use strategies::{
    BreadthFirst, DepthFirst, Entry, Generational, Options, RandomBranch, STRATEGIES, find,
};
pub use strategy::{NodeRange, RunInfo, Strategy, View};
pub use tree::{Candidate, Decision, Flip, Insertion, NodeId, Passage, RunId, Tree};
