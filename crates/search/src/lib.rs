//! Concolic search: the execution tree and its strategies.
//!
//! Each run becomes a path of the [`Tree`]; a [`Strategy`] picks a branch of it that no run
//! took, or a run whose input is mutated; [`Search`] asks the solver for an input that takes the
//! branch, and runs the new input.
//!
//! ```
//! use labrys_search::{Options, Search, SearchOptions, build};
//!
//! let strategy = build("context-guided", &Options::default()).expect("a known strategy");
//! let search = Search::new(strategy, SearchOptions::default(), 1);
//! assert!(search.tree().is_empty());
//! ```

mod another;
mod cache;
mod counts;
mod draw;
mod endings;
mod growth;
mod inputs;
mod joined;
mod mutate;
mod path;
mod patience;
mod prospects;
mod query;
mod refresh;
mod relaxation;
mod repair;
mod search;
mod sizes;
mod strategies;
mod strategy;
mod tree;
mod weight;

pub use counts::{SideCount, SideCounter};
pub use joined::{BuildJoined, Joined};
pub use search::{Search, SearchOptions};
pub use strategies::{
    Auto, BreadthFirst, CarFast, CfgDirected, ContextGuided, DepthFirst, Entry, Generational,
    Interleaved, Latest, Missed, Options, RandomBranch, Rarity, STRATEGIES, UniformRandom, build,
};
pub use strategy::{NodeRange, Pick, RunInfo, StepKind, Strategy, View};
pub use tree::{Candidate, Decision, Flip, Insertion, NodeId, Passage, RunId, Side, Tree};
