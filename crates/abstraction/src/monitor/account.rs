//! What a monitor costs, and what that is worth.
//!
//! A search that is spared a part of its flips is spared that part of its work. So the monitor may
//! have half of that part of all work, and a little at any time to see whether the part is another
//! one by now. Judging counts, and recording the decisions that do not depend on the input.

/// Steps of the solver for which a monitor is tried at first.
const TRIAL: u64 = 8_192;
/// The parts of all work that it may have: at least and at most.
const PARTS: (f64, f64) = (1.0 / 64.0, 0.5);
/// How much of what was judged before counts beside another run.
const FADE: f64 = 0.95;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Steps of the solver.
    spent: u64,
    /// Flips of the runs of late, and those of them that are pruned.
    judged: f64,
    pruned: f64,
}

impl Account {
    /// Books work for the monitor.
    pub(super) fn spend(&mut self, work: u64) {
        self.spent += work;
    }

    /// Books the flips of one run.
    pub(super) fn judged(&mut self, flips: usize, pruned: usize) {
        self.judged = FADE * self.judged + flips as f64;
        self.pruned = FADE * self.pruned + pruned as f64;
    }

    /// Whether the monitor has something left of its part, when all did so much work.
    pub(super) fn has_work(&self, all: u64) -> bool {
        let saved = self.pruned / self.judged.max(1.0);
        let part = (saved / 2.0).clamp(PARTS.0, PARTS.1);
        self.spent < TRIAL + (part * all as f64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of all work that a monitor has which prunes so many of 100 flips.
    fn part(pruned: usize) -> f64 {
        let mut account = Account::default();
        let (mut all, mut own) = (0, 0);
        while all < 4_000_000 {
            all += 100;
            if account.has_work(all) {
                account.spend(500);
                account.judged(100, pruned);
                (all, own) = (all + 500, own + 500);
            }
        }
        f64::from(own) / all as f64
    }

    #[test]
    fn the_work_is_for_what_it_spares() {
        assert!(part(0) < 0.02, "{}", part(0));
        assert!((0.09..0.12).contains(&part(20)), "{}", part(20));
        assert!((0.4..0.52).contains(&part(90)), "{}", part(90));
    }
}
