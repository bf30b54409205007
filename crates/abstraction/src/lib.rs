//! Abstraction.
mod ask;
mod automaton;
mod block;
mod checker;
mod graph;
mod guard;
mod invariants;
mod memory;
mod path;
mod refine;
mod technique;
mod terms;

pub use ask::Ask;
pub use checker::{Checker, Found, Left};
pub use technique::ModelChecker;
