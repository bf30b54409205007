//! Answers to earlier queries, and what follows from them.
//!
//! Conditions are known by their fingerprints, so that answers outlive the pool. Laws: a cached
//! core is a set of conditions that cannot all be true, in whatever query; a cached model
//! answers a query only after it was evaluated there.

use std::collections::VecDeque;
use std::sync::Arc;

use labrys_expr::Fingerprints;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::parts::complete;
use crate::query::{Answer, Model, Reason};
use crate::schedule::{Layer, Outcome, Patience, Shared, Task, Verdict};

/// Models that are tried on any query.
const RECENT: usize = 8;
/// Models that are kept for each goal.
const PER_GOAL: usize = 4;
/// The cache starts anew when it has this many entries of a kind.
const MOST: usize = 1 << 16;

/// The layer.
#[derive(Default)]
pub(super) struct Cache {
    answers: Answers,
    prints: Fingerprints,
    /// Keys of the queries that were passed on and have no answer yet, the inner ones last.
    open: Vec<Key>,
}

impl Layer for Cache {
    fn name(&self) -> &'static str {
        "cache"
    }

    fn run(&mut self, task: &mut Task<'_, '_>, shared: &mut Shared, _: Patience) -> Verdict {
        if self.open.is_empty() {
            // No query that this one is left of: others on this pool follow.
            self.prints.stay_with(task.query.pool);
        }
        let prints = task.parts.iter();
        let prints = prints.map(|part| self.prints.of(task.query.pool, part.id));
        let key = Key::new(prints.collect());
        let verdict = self.answers.decide(&key, task, shared);
        if matches!(verdict, Verdict::Pass) {
            self.open.push(key);
        }
        verdict
    }

    fn learn(&mut self, task: &Task<'_, '_>, outcome: &Outcome) {
        let Some(key) = self.open.pop() else { return };
        match (&outcome.answer, task.steps) {
            (Answer::Sat(model), _) => self.answers.enter_model(&key, model),
            (Answer::Unsat(_), _) => self.answers.enter_core(&key, &outcome.core),
            (Answer::Unknown(Reason::Steps), Some(steps)) => {
                self.answers.enter_given_up(&key, steps);
            }
            (Answer::Unknown(_), _) => {}
        }
    }
}

/// What is known of a query.
#[derive(Clone, Debug, PartialEq)]
enum Found {
    /// A model of this very query, for all of its symbols.
    Model(Arc<Model>),
    /// These of its conditions (by position) cannot all be true.
    Core(Vec<usize>),
    /// It was given up after so many steps.
    GivenUp(u64),
}

#[derive(Clone, Debug)]
enum Entry {
    Model(Arc<Model>),
    GivenUp(u64),
}

/// The conditions of one query as fingerprints.
struct Key {
    conditions: Vec<u128>,
    all: u128,
}

impl Key {
    /// The key of these conditions; the last is the goal. Their order, but for the goal, does
    /// not matter for finding the query again.
    fn new(conditions: Vec<u128>) -> Self {
        let mut sorted = conditions.clone();
        sorted.sort_unstable();
        let step = |all: u128, print: &u128| {
            (all.rotate_left(23) ^ print).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
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
struct Answers {
    queries: FxHashMap<u128, Entry>,
    /// Cores by their smallest condition, sorted.
    cores: FxHashMap<u128, Vec<Box<[u128]>>>,
    core_count: usize,
    recent: VecDeque<Arc<Model>>,
    goals: FxHashMap<u128, VecDeque<Arc<Model>>>,
}

impl Answers {
    /// An answer that earlier ones imply.
    fn decide(&mut self, key: &Key, task: &Task<'_, '_>, shared: &mut Shared) -> Verdict {
        let Task { query, parts, .. } = task;
        match self.find(key) {
            Some(Found::Model(model)) => {
                if shared.satisfies(task, &model) {
                    let mut model = Arc::unwrap_or_clone(model);
                    complete(query.pool, parts, query.hint, &mut model);
                    return Verdict::Model(model);
                }
            }
            Some(Found::Core(core)) => return Verdict::Core(core),
            Some(Found::GivenUp(before)) if query.budget.steps.is_some_and(|now| now <= before) => {
                return Verdict::Unknown(Reason::Steps);
            }
            Some(Found::GivenUp(_)) | None => {}
        }
        // Most fail at the goal: what a model has of other queries is left out of those that do not.
        let found = self
            .candidates(key)
            .find(|model| shared.satisfies(task, model));
        let Some(values) = found.map(|model| query.hint.with(model)) else {
            return Verdict::Pass;
        };
        let mut model = Model::default();
        complete(query.pool, parts, &values, &mut model);
        self.enter_model(key, &model);
        Verdict::Model(model)
    }

    /// What is known of this very query, or of a part of it that has no model.
    fn find(&self, key: &Key) -> Option<Found> {
        if let Some(Entry::Model(model)) = self.queries.get(&key.all) {
            return Some(Found::Model(model.clone()));
        }
        if let Some(core) = self.find_core(key) {
            return Some(Found::Core(core));
        }
        match self.queries.get(&key.all) {
            Some(Entry::GivenUp(steps)) => Some(Found::GivenUp(*steps)),
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
    fn candidates(&self, key: &Key) -> impl Iterator<Item = &Model> {
        let of_goal = self.goals.get(&key.goal()).into_iter().flatten();
        of_goal.chain(&self.recent).map(Arc::as_ref)
    }

    fn enter_model(&mut self, key: &Key, model: &Model) {
        let model = Arc::new(model.clone());
        self.enter(key, Entry::Model(Arc::clone(&model)));
        push(&mut self.recent, &model, RECENT);
        if self.goals.len() >= MOST {
            self.goals.clear();
        }
        let of_goal = self.goals.entry(key.goal()).or_default();
        push(of_goal, &model, PER_GOAL);
    }

    /// Enters the conditions at these positions as contradictory.
    fn enter_core(&mut self, key: &Key, core: &[usize]) {
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

    fn enter_given_up(&mut self, key: &Key, steps: u64) {
        self.enter(key, Entry::GivenUp(steps));
    }

    fn enter(&mut self, key: &Key, known: Entry) {
        if self.queries.len() >= MOST {
            self.queries.clear();
        }
        self.queries.insert(key.all, known);
    }
}

/// Puts a model first and drops the oldest over the limit.
fn push(models: &mut VecDeque<Arc<Model>>, model: &Arc<Model>, limit: usize) {
    models.retain(|other| other != model);
    models.push_front(Arc::clone(model));
    models.truncate(limit);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Answers, Found, Key};
    use crate::query::Model;

    #[test]
    fn a_core_refutes_every_larger_query() {
        let mut cache = Answers::default();
        cache.enter_core(&Key::new(vec![1, 2, 3, 4]), &[1, 3]);
        assert_eq!(
            cache.find(&Key::new(vec![4, 9, 2, 7])),
            Some(Found::Core(vec![0, 2]))
        );
        assert_eq!(cache.find(&Key::new(vec![4, 9, 3, 7])), None);
    }

    #[test]
    fn a_model_is_found_again_in_any_order() {
        let mut cache = Answers::default();
        cache.enter_model(&Key::new(vec![1, 2, 3]), &Model::default());
        assert_eq!(
            cache.find(&Key::new(vec![2, 1, 3])),
            Some(Found::Model(Arc::default()))
        );
        assert_eq!(cache.find(&Key::new(vec![1, 2])), None);
        assert_eq!(cache.candidates(&Key::new(vec![9, 3])).count(), 2);
    }
}
