//! The list of failures: one entry for each that differs from the others in kind or stack.
//!
//! Invariant: an entry is confirmed only if a build without instrumentation failed on its input.
//! An entry that is not confirmed is replaced by a later run that is.

use std::hash::{Hash, Hasher};

use labrys_suite::{Coverage, Failure};
use rustc_hash::{FxHashMap, FxHasher};

/// How often an unconfirmed failure is tried with another input.
const TRIES: u32 = 3;

/// How many failing runs of the same kind and coverage are looked at.
const ALIKE: u32 = 4;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct FailureList {
    list: Vec<Failure>,
    known: FxHashMap<Key, Entry>,
    /// By kind and coverage: how many failing runs were looked at.
    runs: FxHashMap<u64, u32>,
}

/// What makes two failures the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) kind: String,
    pub(crate) location: Option<String>,
    /// The frames of the stack, each once: how deep a recursion went makes no other failure.
    pub(crate) frames: Vec<String>,
}

/// The frames of a stack, each once, in the order of their first places.
pub(crate) fn frames(stack: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut frames: Vec<String> = Vec::new();
    for frame in stack {
        if !frames.contains(&frame) {
            frames.push(frame);
        }
    }
    frames
}

/// The name in a frame such as `f (a.c:1:2)`.
fn function(frame: &str) -> &str {
    frame.rsplit_once(" (").map_or(frame, |(name, _)| name)
}

#[derive(Debug)]
struct Entry {
    index: usize,
    tries: u32,
}

/// What to do with a failing run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It shows a failure that was not seen before.
    New,
    /// It shows the failure at this position, which is not confirmed yet.
    Retry(usize),
    /// It is of no interest.
    Known,
}

impl FailureList {
    pub(crate) fn resumed(list: Vec<Failure>) -> Self {
        let mut failures = FailureList::default();
        for failure in list {
            let key = Key {
                kind: failure.kind.clone(),
                location: failure.location.clone(),
                frames: frames(failure.stack.clone()),
            };
            failures.add(key, failure);
        }
        failures
    }

    pub(crate) fn list(&self) -> &[Failure] {
        &self.list
    }

    pub(crate) fn confirmed(&self) -> u64 {
        self.list.iter().filter(|failure| failure.confirmed).count() as u64
    }

    pub(crate) fn next_id(&self) -> u32 {
        self.list.last().map_or(1, |failure| failure.id + 1)
    }

    /// Counts a failing run of this kind and coverage. Whether enough such runs were looked at:
    /// they may still differ, so a few are.
    pub(crate) fn repeats(&mut self, kind: &str, coverage: &Coverage) -> bool {
        let count = self.runs.entry(run_key(kind, coverage)).or_insert(0);
        *count += 1;
        *count > ALIKE
    }

    /// Whether there is a failure of one of these kinds with a stack that these calls begin with, from
    /// the outermost on: whoever loops may be in some other function that it calls.
    pub(crate) fn holds_loop(&self, kinds: &[&str], functions: &[&str]) -> bool {
        let holds = |failure: &Failure| {
            let known = failure.stack.iter().rev().map(|frame| function(frame));
            let begins = known
                .clone()
                .zip(functions)
                .all(|(one, other)| one == *other);
            kinds.contains(&&*failure.kind)
                && !failure.stack.is_empty()
                && failure.stack.len() <= functions.len()
                && begins
        };
        self.list.iter().any(holds)
    }

    /// Whether a failure is listed, confirmed or not.
    pub(crate) fn holds(&self, key: &Key) -> bool {
        self.known.contains_key(key)
    }

    pub(crate) fn judge(&mut self, key: &Key) -> Verdict {
        let Some(entry) = self.known.get_mut(key) else {
            return Verdict::New;
        };
        if self.list[entry.index].confirmed || entry.tries >= TRIES {
            return Verdict::Known;
        }
        entry.tries += 1;
        Verdict::Retry(entry.index)
    }

    pub(crate) fn add(&mut self, key: Key, failure: Failure) {
        let index = self.list.len();
        self.known.insert(key, Entry { index, tries: 1 });
        self.list.push(failure);
    }

    pub(crate) fn replace(&mut self, index: usize, failure: Failure) {
        self.list[index] = failure;
    }
}

/// A collision merges two failures of one kind; with 64 bits none is to be expected.
fn run_key(kind: &str, coverage: &Coverage) -> u64 {
    let mut hasher = FxHasher::default();
    kind.hash(&mut hasher);
    coverage.iter().for_each(|branch| branch.hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use labrys_suite::{Input, Outcome};

    use super::*;

    fn key(kind: &str) -> Key {
        Key {
            kind: kind.to_owned(),
            location: None,
            frames: Vec::new(),
        }
    }

    fn failure(id: u32, confirmed: bool) -> Failure {
        Failure {
            id,
            input: Input::default(),
            objects: Vec::new(),
            outcome: Outcome::Signal(11),
            kind: "SIGSEGV".to_owned(),
            detail: String::new(),
            location: None,
            stack: Vec::new(),
            confirmed,
            run: 1,
        }
    }

    #[test]
    fn a_loop_is_known_by_the_calls_that_lead_to_it() {
        let mut list = FailureList::default();
        let mut known = failure(1, true);
        known.stack = vec!["spin (a.c:3:1)".to_owned(), "main (a.c:9:1)".to_owned()];
        list.add(key("timeout"), known);
        assert!(list.holds_loop(&["SIGSEGV"], &["main", "spin", "step"]));
        assert!(list.holds_loop(&["SIGSEGV"], &["main", "spin"]));
        assert!(!list.holds_loop(&["SIGSEGV"], &["main"]));
        assert!(!list.holds_loop(&["timeout"], &["main", "spin"]));
        assert!(!list.holds_loop(&["SIGSEGV"], &["main", "other"]));
    }

    #[test]
    fn depth_makes_no_other_stack() {
        let stack = |text: &str| frames(text.split(' ').map(str::to_owned));
        assert_eq!(stack("leaf f g f g main"), stack("leaf f g main"));
        assert_ne!(stack("leaf f main"), stack("leaf g main"));
    }

    #[test]
    fn a_confirmed_failure_is_known() {
        let mut failures = FailureList::default();
        assert_eq!(failures.judge(&key("SIGSEGV")), Verdict::New);
        failures.add(key("SIGSEGV"), failure(1, true));
        assert_eq!(failures.judge(&key("SIGSEGV")), Verdict::Known);
        assert_eq!(failures.judge(&key("SIGABRT")), Verdict::New);
        assert_eq!((failures.next_id(), failures.confirmed()), (2, 1));
    }

    #[test]
    fn an_unconfirmed_failure_is_tried_a_few_times() {
        let mut failures = FailureList::default();
        failures.add(key("SIGSEGV"), failure(1, false));
        assert_eq!(failures.judge(&key("SIGSEGV")), Verdict::Retry(0));
        assert_eq!(failures.judge(&key("SIGSEGV")), Verdict::Retry(0));
        assert_eq!(failures.judge(&key("SIGSEGV")), Verdict::Known);
        failures.replace(0, failure(1, true));
        assert_eq!(failures.confirmed(), 1);
        let failures = FailureList::resumed(failures.list().to_vec());
        assert_eq!((failures.confirmed(), failures.next_id()), (1, 2));
    }
}
