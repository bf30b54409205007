//! Rarity search: flips branches of runs that do what few other runs do.
//!
//! Coverage alone does not see that a parser went one level deeper or read one digit more, so a
//! run is described by features: for each branch, how often it was taken in all, and how often
//! without another direction of its site between, in classes as fuzzers use them. The work goes
//! to the runs with the rarest features (as in Lemieux and Sen, "FairFuzz", for branches), and
//! rarity fades with the work: no feature is starved, none is chased for ever. The order:
//!
//! 1. in each new run, the branches that hardly any run took (see `eager`);
//! 2. then a few branches of the run with the least `(hits + work) × rank × 4^round` over its
//!    features, the shortest of equals; in a round, the deepest copy of each branch, then those
//!    nearest to the root.
//!
//! A feature's hits are the runs that have it; its work are the picks made for its sake. The rank
//! of a run counts the runs with the same rarest feature that were made by flipping the same
//! branch: of the many continuations of something rare, no branch takes them all.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::eager::Eager;
use super::expansion::Expansion;
use super::picks::PendingPicks;
use crate::counts::SideCount;
use crate::strategy::{NodeRange, Pick, RunInfo, Strategy, View};
use crate::tree::{Candidate, Side};

/// Copies of one branch in the first round of an expansion.
const PER_BRANCH: u32 = 2;
/// Picks from one run before the rarest is looked for again.
const BATCH: u32 = 4;
/// The rarest features of a run, as many as are kept.
const FEATURES: usize = 4;

/// A number of repetitions of a branch.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Feature {
    Count(Side, u32),
    Streak(Side, u32),
    /// The run passes the other side of a branch that is not covered.
    Near(Side),
}

/// What is known of a feature.
#[derive(Clone, Copy, Default)]
struct Record {
    hits: u64,
    work: u64,
}

/// A run with branches to flip.
struct Item {
    /// Its rarest features, by number; the others are [`u32::MAX`].
    features: [u32; FEATURES],
    round: u32,
    /// How many runs before it had the same rarest feature and were made by flipping the same
    /// branch, plus one.
    rank: u32,
    /// Decisions of the whole run.
    length: u32,
    nodes: NodeRange,
    expansion: Option<Box<Expansion>>,
}

/// A place in the queue: priority, then the shortest and the newest; the item.
type Place = Reverse<(u64, u32, Reverse<u64>, u32)>;

/// See the module.
#[derive(Default)]
pub struct Rarity {
    eager: Eager,
    numbers: FxHashMap<Feature, u32>,
    records: Vec<Record>,
    /// By rarest feature and flipped branch: the runs so far.
    ranks: FxHashMap<(u32, Side), u32>,
    items: Vec<Option<Item>>,
    queue: BinaryHeap<Place>,
    /// The item whose turn it is, and how many picks it has left.
    current: Option<(u32, u32)>,
    arrived: u64,
    /// The last pick.
    pending_picks: PendingPicks<()>,
}

/// The class of a number of repetitions: exact up to 16, then two classes for each doubling.
fn class(count: u32) -> u32 {
    match count {
        0..=16 => count,
        _ => {
            let log = (count - 1).ilog2();
            let upper = (count - 1) >> (log - 1) & 1;
            17 + 2 * (log - 4) + upper
        }
    }
}

/// The features of a run.
fn features(view: &View, taken: &[SideCount]) -> Vec<Feature> {
    let mut near: Vec<Side> = Vec::new();
    let mut features = Vec::new();
    for taken in taken {
        features.push(Feature::Count(taken.side, class(taken.count)));
        features.push(Feature::Streak(taken.side, class(taken.streak)));
        near.extend(
            view.tree
                .flips(taken.node)
                .filter(|flip| view.uncovered(*flip))
                .map(|flip| view.tree.side(flip)),
        );
    }
    near.sort_unstable();
    near.dedup();
    features.extend(near.into_iter().map(Feature::Near));
    features
}

impl Rarity {
    /// Books the features of a run; the rarest of them.
    fn book(&mut self, view: &View, taken: &[SideCount]) -> [u32; FEATURES] {
        let mut found: Vec<(u64, u32)> = Vec::new();
        for feature in features(view, taken) {
            let fresh = u32::try_from(self.records.len()).expect("fewer than 2^32 features");
            let number = *self.numbers.entry(feature).or_insert(fresh);
            if number == fresh {
                self.records.push(Record::default());
            }
            let record = &mut self.records[number as usize];
            record.hits += 1;
            found.push((record.hits + record.work, number));
        }
        found.sort_unstable();
        let mut rarest = [u32::MAX; FEATURES];
        for (place, (_, number)) in rarest.iter_mut().zip(found) {
            *place = number;
        }
        rarest
    }

    /// Counts the runs that have this rarest feature and were made by flipping one branch.
    fn rank(&mut self, view: &View, feature: u32, flipped: Option<Candidate>) -> u32 {
        let Some(flipped) = flipped else {
            return 1;
        };
        let rank = self
            .ranks
            .entry((feature, view.tree.side(flipped)))
            .or_insert(0);
        *rank += 1;
        *rank
    }

    /// The rarest feature of an item, and its priority.
    fn rarest(&self, item: &Item) -> (u64, Option<u32>) {
        let known = item.features.iter().filter(|number| **number != u32::MAX);
        let weight = |number: &u32| {
            let record = self.records[*number as usize];
            (record.hits + record.work, Some(*number))
        };
        let (weight, number) = known.map(weight).min().unwrap_or((1, None));
        let weight = weight.saturating_mul(u64::from(item.rank));
        (weight.saturating_mul(1 << (2 * item.round).min(40)), number)
    }

    fn enqueue(&mut self, index: u32) {
        if let Some(item) = &self.items[index as usize] {
            let (priority, _) = self.rarest(item);
            self.arrived += 1;
            let order = Reverse(self.arrived);
            self.queue
                .push(Reverse((priority, item.length, order, index)));
        }
    }

    /// The item whose turn it is. Weights only grow, so a place in the queue that is out of date
    /// is too far in front.
    fn dequeue(&mut self) -> Option<u32> {
        loop {
            let Reverse((old, length, order, index)) = self.queue.pop()?;
            let Some(item) = &self.items[index as usize] else {
                continue;
            };
            let (priority, rarest) = self.rarest(item);
            let next = self
                .queue
                .peek()
                .map_or(u64::MAX, |Reverse((next, ..))| *next);
            if priority > old && priority > next {
                self.queue.push(Reverse((priority, length, order, index)));
                continue;
            }
            if let Some(number) = rarest {
                self.records[number as usize].work += u64::from(BATCH);
            }
            return Some(index);
        }
    }

    /// The next candidate of an item; `None` at the end of its round.
    fn advance(&mut self, view: &View, index: u32) -> Option<Candidate> {
        let item = self.items[index as usize].as_mut()?;
        let (round, nodes) = (item.round, item.nodes);
        let expansion = item
            .expansion
            .get_or_insert_with(|| Box::new(Expansion::deepest_first(nodes, round, PER_BRANCH)));
        let found = expansion.advance(view);
        if found.is_none() {
            let ended = item.expansion.take();
            item.round += 1;
            if ended.is_none_or(|expansion| !expansion.postponed) {
                self.items[index as usize] = None;
            }
        }
        found
    }

    /// The next candidate.
    fn next(&mut self, view: &View) -> Option<Candidate> {
        if let Some(candidate) = self.eager.next(view) {
            return Some(candidate);
        }
        loop {
            let Some((index, left)) = self.current.take() else {
                self.current = Some((self.dequeue()?, BATCH));
                continue;
            };
            if left > 0 {
                if let Some(candidate) = self.advance(view, index) {
                    self.current = Some((index, left - 1));
                    return Some(candidate);
                }
            }
            self.enqueue(index);
        }
    }
}

impl Strategy for Rarity {
    fn name(&self) -> &str {
        "rarity"
    }

    fn observe(&mut self, view: &View, info: &RunInfo) {
        let own = info.flipped.is_none() || self.pending_picks.take(info.flipped).is_some();
        self.eager.add(view, info, own);
        let features = self.book(view, info.taken);
        let nodes = info.new_nodes();
        if nodes.is_empty() {
            return;
        }
        let rank = self.rank(view, features[0], info.flipped);
        let index = u32::try_from(self.items.len()).expect("fewer than 2^32 runs");
        self.items.push(Some(Item {
            features,
            round: 0,
            rank,
            length: u32::try_from(info.path.len()).unwrap_or(u32::MAX),
            nodes,
            expansion: None,
        }));
        self.enqueue(index);
    }

    fn pick(&mut self, view: &View, _: &mut fastrand::Rng) -> Option<Pick> {
        let picked = self.next(view)?;
        self.pending_picks.add(view, picked, ());
        Some(Pick::Flip(picked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::BreadthFirst;
    use crate::strategies::drawn::{Drawing, picks, picks_from};

    /// Breadth first for some picks, then rarity; both see all runs.
    struct Late(BreadthFirst, u32, Rarity);

    impl Strategy for Late {
        fn name(&self) -> &str {
            "late"
        }

        fn observe(&mut self, view: &View, info: &RunInfo) {
            self.0.observe(view, info);
            self.2.observe(view, info);
        }

        fn pick(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Pick> {
            if self.1 == 0 {
                return self.2.pick(view, rng);
            }
            self.1 -= 1;
            self.0.pick(view, rng)
        }
    }

    /// Runs that another strategy made before the first pick, and that covered nothing, wait: after
    /// the initial runs it goes on from its own.
    #[test]
    fn its_own_runs_come_first() {
        let all = [0, 1].map(|direction| [direction; 5]);
        let initial = all.each_ref().map(<[u32; 5]>::as_slice);
        let mut late = Late(BreadthFirst::default(), 4, Rarity::default());
        let order = picks_from(&mut late, &Drawing::ladder(5), &initial, 1);
        assert!(
            order.starts_with("01 10 001 110 00001 0001 00011 "),
            "{order}"
        );
    }

    #[test]
    fn classes_grow_with_the_count() {
        let classes: Vec<u32> = (1..100_000).map(class).collect();
        assert!(classes.is_sorted() && classes[..16] == *(1..=16).collect::<Vec<_>>());
        assert!(class(16) < class(17) && class(17) == class(24) && class(24) < class(25));
    }

    /// The uncovered branches of each run come first, the deepest one first.
    #[test]
    fn uncovered_branches_first() {
        let order = picks(&mut Rarity::default(), &Drawing::ladder(3));
        assert!(order.starts_with("001 01 1 "), "{order}");
        assert_eq!(order.split(' ').count(), 7);
    }
}
