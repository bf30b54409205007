//! Runs whose inputs are worth changing: those that covered a branch first, or took a branch so
//! often as none before, in classes as fuzzers use them (Zalewski, AFL); and for each branch that
//! no run took, those that came nearest to it.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use labrys_program::BranchId;

use crate::strategy::{RunInfo, View};
use crate::tree::RunId;

/// Seeds that count as recent.
const RECENT: usize = 12;
/// What it is worth to come nearer to a branch than all runs before.
const NEARER: f64 = 0.5;
/// What a new number of repetitions is worth.
const REPETITION: f64 = 0.1;
/// Draws after which a branch to which no run came nearer is drawn half as often.
const PATIENCE: u32 = 16;
/// Runs that are kept for a branch that no run took.
const NEAREST: usize = 16;

/// See the module.
#[derive(Default)]
pub(super) struct Seeds {
    runs: Vec<RunId>,
    /// By side: the classes of repetitions that some run had, as bits.
    classes: Vec<u64>,
    goals: BTreeMap<BranchId, Goal>,
}

/// A branch that no run took.
#[derive(Default)]
struct Goal {
    /// The runs that came nearest to it, the nearest first, of one distance those with the shortest
    /// input; of those that cover the same, one.
    nearest: Vec<Near>,
    /// Draws since a run came nearer than all before.
    draws: u32,
}

/// A run that came near to a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Near {
    distance: u32,
    /// Of its input, in bytes.
    length: usize,
    run: RunId,
    /// Hash of the branches that it took.
    covered: u64,
}

impl Goal {
    /// Keeps a run, in the place of a worse one that covers the same.
    fn keep(&mut self, seed: Near) {
        let twin = self
            .nearest
            .iter()
            .position(|other| other.covered == seed.covered);
        match twin {
            Some(twin) if self.nearest[twin] <= seed => return,
            Some(twin) => drop(self.nearest.remove(twin)),
            None => {}
        }
        let place = self.nearest.partition_point(|other| *other < seed);
        self.nearest.insert(place, seed);
        self.nearest.truncate(NEAREST);
    }

    /// How often it is drawn: what does not pay is drawn less and less.
    fn weight(&self) -> f64 {
        1.0 / f64::from(self.draws + PATIENCE)
    }
}

/// The class of a number of repetitions: exact up to 8, then two classes for each doubling.
fn class(count: u32) -> u32 {
    match count {
        0..=8 => count,
        _ => {
            let log = count.ilog2();
            let upper = count >> (log - 1) & 1;
            (9 + 2 * (log - 3) + upper).min(63)
        }
    }
}

impl Seeds {
    /// Learns a run; tells what it is worth beside what it covered.
    pub(super) fn learn(&mut self, view: &View, info: &RunInfo) -> f64 {
        let mut new = info.gain > 0;
        self.classes.resize(view.tree.sides(), 0);
        for taken in info.taken {
            let seen = &mut self.classes[taken.side.index()];
            new |= *seen >> class(taken.count) & 1 == 0;
            *seen |= 1 << class(taken.count);
        }
        if info.gain > 0 {
            let open = |branch: &BranchId| !view.covered.contains(*branch);
            self.goals.retain(|branch, _| open(branch));
        }
        if !info.kept {
            return 0.0;
        }
        if new {
            self.runs.push(info.run);
        }
        match (self.approach(info), new) {
            (true, _) => NEARER,
            (_, true) => REPETITION,
            _ => 0.0,
        }
    }

    /// Keeps a run for the branches that it came near to; tells whether it is the nearest of one.
    fn approach(&mut self, info: &RunInfo) -> bool {
        if info.near.is_empty() {
            return false;
        }
        let mut nearer = false;
        let mut covered = rustc_hash::FxHasher::default();
        info.coverage
            .iter()
            .for_each(|branch| branch.hash(&mut covered));
        let covered = covered.finish();
        for (branch, distance) in info.near {
            let goal = self.goals.entry(*branch).or_default();
            if goal
                .nearest
                .first()
                .is_none_or(|least| *distance < least.distance)
            {
                nearer = true;
                goal.draws = 0;
            }
            goal.keep(Near {
                distance: *distance,
                length: info.length,
                run: info.run,
                covered,
            });
        }
        nearer
    }

    /// A random seed: three times of four one that came near to a branch, else every second time
    /// one of the last.
    pub(super) fn draw(&mut self, rng: &mut fastrand::Rng) -> Option<RunId> {
        if rng.u8(..4) > 0
            && let Some(seed) = self.draw_near(rng)
        {
            return Some(seed);
        }
        let from = match rng.bool() {
            true => self.runs.len().saturating_sub(RECENT),
            false => 0,
        };
        rng.choice(&self.runs[from..]).copied()
    }

    /// A run that came near to a branch.
    fn draw_near(&mut self, rng: &mut fastrand::Rng) -> Option<RunId> {
        let mut left = rng.f64() * self.goals.values().map(Goal::weight).sum::<f64>();
        for goal in self.goals.values_mut() {
            left -= goal.weight();
            if left < 0.0 {
                goal.draws = goal.draws.saturating_add(1);
                return rng.choice(&goal.nearest).map(|near| near.run);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use labrys_suite::Coverage;

    use super::*;

    #[test]
    fn classes_grow_with_the_count() {
        let classes: Vec<u32> = (1..100_000).map(class).collect();
        assert!(classes.is_sorted() && classes[..8] == [1, 2, 3, 4, 5, 6, 7, 8]);
        assert!(class(11) < class(12) && class(12) == class(15) && class(15) < class(16));
        assert_eq!(class(u32::MAX), 63);
    }

    /// Of a branch that no run took, the nearest runs are drawn, the short ones of one distance,
    /// and one of those that cover the same.
    #[test]
    fn the_nearest_runs_are_seeds() {
        let mut seeds = Seeds::default();
        let mut learn = |run: u32, distance: u32, length: usize, covered: u32| {
            let mut coverage = Coverage::new(64);
            coverage.insert(BranchId(covered));
            let info = RunInfo {
                run: RunId(run),
                path: &[],
                taken: &[],
                first_new: 0,
                kept: true,
                coverage: &coverage,
                gain: 0,
                near: &[(BranchId(3), distance)],
                length,
                flipped: None,
                mutated: false,
                diverged: false,
            };
            seeds.approach(&info)
        };
        assert!(learn(0, 9, 4, 0));
        assert!(!learn(1, 9, 2, 1));
        assert!(learn(2, 5, 8, 40));
        for run in 3..30 {
            assert!(!learn(run, 5, 7, run));
            assert!(!learn(30 + run, 5, 8, run));
        }
        let nearest = &seeds.goals[&BranchId(3)].nearest;
        assert_eq!(nearest.len(), NEAREST);
        let is_best = |seed: &Near| (seed.distance, seed.length) == (5, 7) && seed.run.0 < 30;
        assert!(nearest.iter().all(is_best));
        let mut rng = fastrand::Rng::with_seed(1);
        let drawn = seeds.draw_near(&mut rng).expect("a seed");
        assert!((3..30).contains(&drawn.0));
    }
}
