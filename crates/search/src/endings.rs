//! Short ways to what a long run covered.
//!
//! A run that is cut off, or that filled its record, may be the first to cover something, and a
//! test of it is slow, or is killed by who runs it before it tells what it covered. So the
//! decisions that follow the last one of a kind that the run had not made before are flipped: where
//! a loop goes on, they leave it.
//!
//! Law: a long run costs [`FLIPS`] flips, and no more once [`VAIN`] of them in a row were long too.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use crate::tree::{Candidate, Passage, Tree};

/// Flips for a long run.
const FLIPS: usize = 8;
/// Long runs in a row after which the rest of the flips is dropped.
const VAIN: u32 = 3;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Endings {
    flips: VecDeque<Candidate>,
    /// Long runs since one was short.
    vain: u32,
}

impl Endings {
    /// Learns of a run: whether it was long, and whether it covered something that no run had.
    pub(crate) fn learn(&mut self, tree: &Tree, path: &[Passage], is_long: bool, gains: bool) {
        if !is_long {
            self.vain = 0;
            return;
        }
        self.vain += 1;
        if self.vain >= VAIN {
            self.flips.clear();
        }
        if gains {
            let last = last_new(tree, path);
            let rest = path
                .iter()
                .skip(last)
                .flat_map(|one| tree.open_flips(one.node));
            self.flips.extend(rest.take(FLIPS));
        }
    }

    /// What is to be flipped next.
    pub(crate) fn next(&mut self, tree: &Tree) -> Option<Candidate> {
        loop {
            let flip = self.flips.pop_front()?;
            if tree.is_open(flip) {
                return Some(flip);
            }
        }
    }
}

/// The position behind the last decision of a kind that the path has not before.
fn last_new(tree: &Tree, path: &[Passage]) -> usize {
    let mut kinds = FxHashSet::default();
    let new = |passage: &Passage| kinds.insert((tree.site(passage.node), passage.direction));
    let news: Vec<bool> = path.iter().map(new).collect();
    news.iter().rposition(|new| *new).map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Decision;

    /// A loop that is entered, goes on three times, and is cut off.
    fn endless() -> (Tree, Vec<Passage>) {
        let decision = |site| Decision {
            site,
            arity: 2,
            direction: 0,
            frame: 0,
            value: 0,
            closed: None,
        };
        let mut tree = Tree::default();
        let done = tree.insert([0, 1, 1, 1].map(decision));
        (tree, done.path)
    }

    #[test]
    fn loops_are_left_as_soon_as_they_repeat() {
        let (tree, path) = endless();
        let mut endings = Endings::default();
        endings.learn(&tree, &path, false, true);
        assert_eq!(endings.next(&tree), None);
        endings.learn(&tree, &path, true, false);
        assert_eq!(endings.next(&tree), None);
        endings.learn(&tree, &path, true, true);
        let nodes = std::iter::from_fn(|| endings.next(&tree)).map(|flip| flip.node);
        let expected: Vec<_> = path[2..].iter().map(|passage| passage.node).collect();
        assert_eq!(nodes.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_stays_long_is_given_up() {
        let (tree, path) = endless();
        let mut endings = Endings::default();
        endings.learn(&tree, &path, true, true);
        endings.learn(&tree, &path, true, false);
        assert!(endings.next(&tree).is_some());
        endings.learn(&tree, &path, true, false);
        assert_eq!(endings.next(&tree), None);
    }
}
