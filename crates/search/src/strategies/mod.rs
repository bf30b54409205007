//! The one list of strategies. A new one is a file and a line of [`STRATEGIES`].

mod auto;
mod bfs;
mod carfast;
mod cfg;
mod context_guided;
mod dfs;
mod eager;
mod expansion;
mod generational;
mod interleaved;
mod latest;
mod missed;
mod picks;
mod pool;
mod random_branch;
mod rarity;
mod seeds;
mod uniform_random;

#[cfg(test)]
mod drawn;

pub use auto::Auto;
pub use bfs::BreadthFirst;
pub use carfast::CarFast;
pub use cfg::CfgDirected;
pub use context_guided::ContextGuided;
pub use dfs::DepthFirst;
pub use generational::Generational;
pub use interleaved::Interleaved;
pub use latest::Latest;
pub use missed::Missed;
pub use random_branch::RandomBranch;
pub use rarity::Rarity;
pub use uniform_random::UniformRandom;

use crate::strategy::Strategy;

/// Options of strategies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Decisions at this depth and below are not flipped by depth-first search.
    pub depth: Option<u32>,
    /// Context-guided search keeps k at this number.
    pub fixed_k: Option<u32>,
    /// Context-guided search leaves dominating branches out of contexts.
    pub dominators: bool,
    /// Contexts of context-guided search leave out what calls decided that have returned.
    pub calls: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            depth: None,
            fixed_k: None,
            dominators: true,
            calls: false,
        }
    }
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

/// An entry of the list.
const fn entry(
    name: &'static str,
    summary: &'static str,
    build: fn(&Options) -> Box<dyn Strategy>,
) -> Entry {
    Entry {
        name,
        summary,
        build,
    }
}

/// All strategies; the first is the default.
#[rustfmt::skip]
pub const STRATEGIES: &[Entry] = &[
    entry("auto", "several strategies on one tree and repetition of input, more work for what pays", |_| Box::new(Auto::default())),
    entry("rarity", "uncovered branches of each run, then branches of runs that do what few others do", |_| Box::new(Rarity::default())),
    entry("context-guided", "branches reached in a way they were not flipped in before (--fixed-k, --no-dominators, --call-contexts)", |options| Box::new(ContextGuided::with(options))),
    entry("cfg", "the branch nearest to something uncovered in the control flow", |_| Box::new(CfgDirected::default())),
    entry("generational", "all branches of the run with the largest coverage gain", |_| Box::new(Generational::default())),
    entry("latest", "the decisions that follow what was covered last", |_| Box::new(Latest::default())),
    entry("missed", "the branches of runs that came to a site whose other side no run took", |_| Box::new(Missed::default())),
    entry("carfast", "the branch to what is uncovered and controls most statements", |_| Box::new(CarFast::default())),
    entry("random-branch", "a random open branch of the last run", |_| Box::new(RandomBranch::default())),
    entry("uniform-random", "a walk through the tree with a coin at each decision", |_| Box::new(UniformRandom::default())),
    entry("dfs", "the deepest open branch (--depth bounds it)", |options| Box::new(DepthFirst::new(options.depth))),
    entry("bfs", "the open branch nearest to the start of the program", |_| Box::new(BreadthFirst::default())),
];

/// The strategy with this name, or those with these names, separated by commas, in turns.
///
/// # Errors
/// The name that no strategy has.
pub fn build(names: &str, options: &Options) -> Result<Box<dyn Strategy>, String> {
    let one = |name: &str| match STRATEGIES.iter().find(|entry| entry.name == name) {
        Some(entry) => Ok((entry.build)(options)),
        None => Err(name.to_owned()),
    };
    let mut all = names.split(',').map(one).collect::<Result<Vec<_>, _>>()?;
    match all.len() {
        1 => Ok(all.remove(0)),
        _ => Ok(Box::new(Interleaved::new(all))),
    }
}

#[cfg(test)]
mod laws {
    //! What holds for every strategy: it picks each branch once, exhausts a finite tree, and
    //! repeats itself for the same seed.

    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::drawn::{Drawing, picks, picks_ahead};
    use super::{Options, STRATEGIES, build};
    use crate::strategy::{Pick, RunInfo, Strategy, View};

    /// A random program: the site after some directions, and whether there is one, are drawn from
    /// a hash of the directions.
    fn drawing(salt: u64, depth: usize) -> Drawing {
        Drawing::new(&[2, 3, 2, 5, 2], move |taken| {
            let mix = |hash: u64, direction: &u32| {
                (hash ^ u64::from(*direction + 1))
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .rotate_left(23)
            };
            let hash = taken.iter().fold(salt, mix);
            (taken.len() < depth && !hash.is_multiple_of(7)).then_some((hash % 5) as u32)
        })
    }

    fn all_picks(names: &str, drawing: &Drawing, seed: u64, ahead: usize) -> Vec<String> {
        let mut strategy = build(names, &Options::default()).expect("a known strategy");
        let order = picks_ahead(&mut *strategy, drawing, &[&[]], seed, ahead);
        order.split_whitespace().map(str::to_owned).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn strategies_are_complete_and_repeat_themselves(
            salt in any::<u64>(), depth in 1usize..6, seed in any::<u64>(), ahead in 0usize..4,
        ) {
            let drawing = drawing(salt, depth);
            let expected: BTreeSet<String> = all_picks("dfs", &drawing, 1, 0).into_iter().collect();
            let names = STRATEGIES.iter().map(|entry| entry.name);
            for name in names.chain(["cfg,context-guided,dfs"]) {
                let picks = all_picks(name, &drawing, seed, ahead);
                let set: BTreeSet<String> = picks.iter().cloned().collect();
                prop_assert_eq!(set.len(), picks.len(), "{} picks twice", name);
                prop_assert_eq!(&set, &expected, "{} misses branches", name);
                prop_assert_eq!(picks, all_picks(name, &drawing, seed, ahead), "{} varies", name);
            }
        }
    }

    /// A strategy that is shown the first runs only.
    struct Shown {
        strategy: Box<dyn Strategy>,
        left: u32,
    }

    impl Strategy for Shown {
        fn name(&self) -> &str {
            self.strategy.name()
        }

        fn observe(&mut self, view: &View, info: &RunInfo) {
            if self.left > 0 {
                self.left -= 1;
                self.strategy.observe(view, info);
            }
        }

        fn pick(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Pick> {
            self.strategy.pick(view, rng)
        }
    }

    /// The strategies that `auto` does not show all runs end where they know no more.
    #[test]
    fn strategies_end_where_they_know_no_more() {
        for name in [
            "rarity",
            "context-guided",
            "cfg",
            "generational",
            "latest",
            "missed",
        ] {
            let strategy = build(name, &Options::default()).expect("a known strategy");
            let order = picks(&mut Shown { strategy, left: 1 }, &Drawing::ladder(3));
            let order: BTreeSet<&str> = order.split(' ').collect();
            let first: BTreeSet<&str> = ["001", "01", "1"].into();
            assert!(order.is_superset(&first), "{name}: {order:?}");
        }
    }

    #[test]
    fn unknown_names_are_told() {
        let error = build("dfs,best", &Options::default()).err();
        assert_eq!(error.as_deref(), Some("best"));
    }
}
