//! Answers to earlier queries, and what follows from them.
//!
//! Conditions are known by their fingerprints, so that answers outlive the pool. Laws: a cached
//! core is a set of conditions that cannot all be true, in whatever query; a cached model
//! answers a query only after it was evaluated there.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::query::Model;

/// Models that are tried on any query.
const RECENT: usize = 8;
/// Models that are kept for each goal.
const PER_GOAL: usize = 4;
/// The cache starts anew when it has this many entries of a kind.
const MOST: usize = 1 << 16;

/// What is known of a query.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Found {
    /// A model of this very query, for all of its symbols.
    Model(Model),
    /// These of its conditions (by position) cannot all be true.
    Core(Vec<usize>),
    /// It was given up after so many steps.
    GivenUp(u64),
}

#[derive(Clone, Debug)]
enum Known {
    Model(Model),
    GivenUp(u64),
}

/// The conditions of one query as fingerprints.
pub(crate) struct Key {
    conditions: Vec<u128>,
    all: u128,
}

impl Key {
    /// The key of these conditions; the last is the goal. Their order, but for the goal, does
    /// not matter for finding the query again.
    pub(crate) fn new(conditions: Vec<u128>) -> Self {
        let mut sorted = conditions.clone();
        sorted.sort_unstable();
        let step = |all: u128, one: &u128| {
            (all.rotate_left(23) ^ one).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
        };
        let all = sorted.iter().fold(sorted.len() as u128, step);
        Key { conditions, all }
    }

    fn goal(&self) -> u128 {
        self.conditions.last().copied().unwrap_or(0)
    }
}

/// The answers so far.
#[derive(Default)]
pub(crate) struct Cache {
    queries: FxHashMap<u128, Known>,
    /// Cores by their smallest condition, sorted.
    cores: FxHashMap<u128, Vec<Box<[u128]>>>,
    core_count: usize,
    recent: VecDeque<Model>,
    goals: FxHashMap<u128, VecDeque<Model>>,
}

impl Cache {
    /// What is known of this very query, or of a part of it that has no model.
    pub(crate) fn find(&self, key: &Key) -> Option<Found> {
        if let Some(Known::Model(model)) = self.queries.get(&key.all) {
            return Some(Found::Model(model.clone()));
        }
        if let Some(core) = self.find_core(key) {
            return Some(Found::Core(core));
        }
        match self.queries.get(&key.all) {
            Some(Known::GivenUp(steps)) => Some(Found::GivenUp(*steps)),
            _ => None,
        }
    }

    fn find_core(&self, key: &Key) -> Option<Vec<usize>> {
        if self.core_count == 0 {
            return None;
        }
        let present: FxHashSet<u128> = key.conditions.iter().copied().collect();
        let core = key
            .conditions
            .iter()
            .filter_map(|condition| self.cores.get(condition))
            .flatten()
            .find(|core| core.iter().all(|condition| present.contains(condition)))?;
        let positions = key.conditions.iter().enumerate();
        Some(
            positions
                .filter(|(_, condition)| core.binary_search(condition).is_ok())
                .map(|(position, _)| position)
                .collect(),
        )
    }

    /// Models worth a try: those of other queries with the same goal, then the latest.
    pub(crate) fn candidates(&self, key: &Key) -> impl Iterator<Item = &Model> {
        self.goals
            .get(&key.goal())
            .into_iter()
            .flatten()
            .chain(&self.recent)
    }

    pub(crate) fn enter_model(&mut self, key: &Key, model: &Model) {
        self.enter(key, Known::Model(model.clone()));
        push(&mut self.recent, model, RECENT);
        if self.goals.len() >= MOST {
            self.goals.clear();
        }
        push(self.goals.entry(key.goal()).or_default(), model, PER_GOAL);
    }

    /// Enters the conditions at these positions as contradictory.
    pub(crate) fn enter_core(&mut self, key: &Key, core: &[usize]) {
        let mut conditions: Vec<_> = core.iter().map(|index| key.conditions[*index]).collect();
        conditions.sort_unstable();
        conditions.dedup();
        let Some(&smallest) = conditions.first() else {
            return;
        };
        if self.core_count >= MOST {
            self.cores.clear();
            self.core_count = 0;
        }
        self.core_count += 1;
        self.cores
            .entry(smallest)
            .or_default()
            .push(conditions.into());
    }

    pub(crate) fn enter_given_up(&mut self, key: &Key, steps: u64) {
        self.enter(key, Known::GivenUp(steps));
    }

    fn enter(&mut self, key: &Key, known: Known) {
        if self.queries.len() >= MOST {
            self.queries.clear();
        }
        self.queries.insert(key.all, known);
    }
}

/// Puts a model first and drops the oldest over the limit.
fn push(models: &mut VecDeque<Model>, model: &Model, limit: usize) {
    models.retain(|other| other != model);
    models.push_front(model.clone());
    models.truncate(limit);
}

#[cfg(test)]
mod tests {
    use super::{Cache, Found, Key};
    use crate::query::Model;

    #[test]
    fn a_core_refutes_every_larger_query() {
        let mut cache = Cache::default();
        cache.enter_core(&Key::new(vec![1, 2, 3, 4]), &[1, 3]);
        assert_eq!(
            cache.find(&Key::new(vec![4, 9, 2, 7])),
            Some(Found::Core(vec![0, 2]))
        );
        assert_eq!(cache.find(&Key::new(vec![4, 9, 3, 7])), None);
    }

    #[test]
    fn a_model_is_found_again_in_any_order() {
        let mut cache = Cache::default();
        cache.enter_model(&Key::new(vec![1, 2, 3]), &Model::default());
        assert_eq!(
            cache.find(&Key::new(vec![2, 1, 3])),
            Some(Found::Model(Model::default()))
        );
        assert_eq!(cache.find(&Key::new(vec![1, 2])), None);
        assert_eq!(cache.candidates(&Key::new(vec![9, 3])).count(), 2);
    }
}
