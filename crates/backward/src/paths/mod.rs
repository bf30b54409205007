//! The search for paths from the target back to the entry.

mod entries;
mod explorer;
mod refutations;
mod search;

pub(crate) use search::MAX_UNKNOWN;
pub use search::{Counts, Found, Search};
