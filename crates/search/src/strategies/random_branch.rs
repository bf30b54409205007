//! Random branch search (Burnim and Sen, "Heuristics for Scalable Dynamic Test Generation"):
//! flips a random open branch of the last run.
//!
//! Where the last run has no open branch left, a random open branch of the tree is taken instead
//! of a restart with random input, so that the search is complete.

use super::pool::Pool;
use crate::strategy::{Pick, RunInfo, Strategy, View};

/// See the module.
#[derive(Default)]
pub struct RandomBranch {
    last: Pool,
    all: Pool,
}

impl Strategy for RandomBranch {
    fn name(&self) -> &str {
        "random-branch"
    }

    fn observe(&mut self, _: &View, info: &RunInfo) {
        self.last.clear();
        self.last
            .extend(info.path.iter().map(|passage| passage.node));
        self.all.extend(info.new_nodes().iter());
    }

    fn pick(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Pick> {
        let last = self.last.draw(view, rng);
        last.or_else(|| self.all.draw(view, rng)).map(Pick::Flip)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::strategies::drawn::{Drawing, picks};

    #[test]
    fn flips_everything_once() {
        let order = picks(&mut RandomBranch::default(), &Drawing::ladder(4));
        let set: BTreeSet<&str> = order.split(' ').collect();
        assert_eq!((set.len(), order.split(' ').count()), (15, 15));
    }

    /// As long as the last run has open branches, the next pick starts with its directions.
    #[test]
    fn stays_on_the_last_run() {
        let order = picks(&mut RandomBranch::default(), &Drawing::ladder(4));
        let names: Vec<&str> = order.split(' ').take(3).collect();
        for pair in names.windows(2) {
            let last = format!("{:0<4}", pair[0]);
            let prefix = &pair[1][..pair[1].len() - 1];
            assert!(last.starts_with(prefix), "{order}");
        }
    }
}
