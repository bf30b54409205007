//! The search for paths from the target back to the entry.

mod entries;
mod explorer;
mod refutations;
mod search;

pub use search::{Counts, Found, Search};
