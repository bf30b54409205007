//! Concolic search: the execution tree and its strategies.
//!
//! Each run becomes a path of the [`Tree`]; a [`Strategy`] picks a branch of it that no run
//! took; [`Search`] asks the solver for an input that takes it, and runs that.
//!
//! ```
//! use labrys_search::{Options, Search, SearchOptions, build};
//!
//! let strategy = build("context-guided", &Options::default()).expect("a known strategy");
//! let search = Search::new(strategy, SearchOptions::default(), 1);
//! assert!(search.tree().is_empty());
//! ```

mod cache;
mod child;
mod exchange;
mod growth;
mod inputs;
mod larder;
mod learn;
mod path;
mod patience;
mod pieces;
mod pump;
mod query;
mod relaxation;
mod repair;
mod search;
mod sizes;
mod strategies;
mod strategy;
mod tally;
mod tree;
mod weight;

pub use search::{Search, SearchOptions};
pub use strategies::{
    Auto, BreadthFirst, CarFast, CfgDirected, ContextGuided, DepthFirst, Entry, Generational,
    Interleaved, Latest, Missed, Options, RandomBranch, Rarity, STRATEGIES, UniformRandom, build,
};
pub use strategy::{NodeRange, RunInfo, Strategy, View};
pub use tally::{Taken, Tally};
pub use tree::{Candidate, Decision, Flip, Insertion, NodeId, Passage, RunId, Side, Tree};
