//! The one list of strategies. A new one is a file and a line of [`STRATEGIES`].

mod bfs;
mod context_guided;
mod dfs;
mod eager;
mod expansion;
mod generational;
mod novelty;
mod random_branch;
mod rarity;

#[cfg(test)]
mod drawn;

pub use bfs::BreadthFirst;
pub use context_guided::ContextGuided;
pub use dfs::DepthFirst;
pub use generational::Generational;
pub use novelty::Novelty;
pub use random_branch::RandomBranch;
pub use rarity::Rarity;

use crate::strategy::Strategy;

/// What strategies can be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Decisions at this depth and below are not flipped by depth-first search.
    pub depth: Option<u32>,
}

/// A strategy by its name.
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// Makes the strategy.
    pub build: fn(&Options) -> Box<dyn Strategy>,
}

/// All strategies; the first is the default.
pub const STRATEGIES: &[Entry] = &[
    Entry {
        name: "rarity",
        summary: "uncovered branches of each run, then branches of runs that do what few others do",
        build: |_| Box::new(Rarity::default()),
    },
    Entry {
        name: "novelty",
        summary: "uncovered branches of each run, then all branches of the run with most that is new",
        build: |_| Box::new(Novelty::default()),
    },
    Entry {
        name: "context-guided",
        summary: "branches reached in a way they were not flipped in before",
        build: |_| Box::new(ContextGuided::default()),
    },
    Entry {
        name: "generational",
        summary: "all branches of the run with the largest coverage gain",
        build: |_| Box::new(Generational::default()),
    },
    Entry {
        name: "dfs",
        summary: "the deepest open branch first (--depth bounds it)",
        build: |options| Box::new(DepthFirst::new(options.depth)),
    },
    Entry {
        name: "bfs",
        summary: "the open branch nearest to the start of the program first",
        build: |_| Box::new(BreadthFirst::default()),
    },
    Entry {
        name: "random-branch",
        summary: "a random open branch of the last run",
        build: |_| Box::new(RandomBranch::default()),
    },
];

/// The strategy with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    STRATEGIES.iter().find(|entry| entry.name == name)
}
