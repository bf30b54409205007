//! Generational search (Godefroid, Levin and Molnar, "Automated Whitebox Fuzz Testing"): a run
//! is expanded to all of its branches after the one that it was made by; the run with the largest
//! coverage gain is expanded first.
//!
//! The new nodes of a run are just its branches after its bound, so no branch is flipped twice.
//! Within an expansion, branches that lead to something uncovered come first; a round of an
//! expansion tries each branch of the program at most [`PER_BRANCH`] times.

use std::collections::BinaryHeap;

use super::expansion::{Expansion, Waiting};
use crate::strategy::{NodeRange, RunInfo, Strategy, View};
use crate::tree::Candidate;

/// Copies of one branch that the first round of an expansion tries; each further round four
/// times as many.
const PER_BRANCH: u32 = 8;

/// See the module.
#[derive(Default)]
pub struct Generational {
    queue: BinaryHeap<Waiting>,
    current: Option<Expansion>,
    arrived: u64,
}

impl Generational {
    fn enqueue(&mut self, gain: usize, round: u32, nodes: NodeRange) {
        self.arrived += 1;
        self.queue
            .push(Waiting::new(gain, round, self.arrived, nodes));
    }
}

impl Strategy for Generational {
    fn name(&self) -> &'static str {
        "generational"
    }

    fn observe(&mut self, _: &View, info: &RunInfo) {
        let nodes = info.new_nodes();
        if !nodes.is_empty() {
            self.enqueue(info.gain, 0, nodes);
        }
    }

    fn pick(&mut self, view: &View, _: &mut fastrand::Rng) -> Option<Candidate> {
        loop {
            let found = self
                .current
                .as_mut()
                .and_then(|current| current.advance(view));
            if found.is_some() {
                return found;
            }
            if let Some((gain, round, nodes)) = self.current.take().and_then(Expansion::rest) {
                self.enqueue(gain, round, nodes);
            }
            self.current = Some(Expansion::uncovered_first(self.queue.pop()?, PER_BRANCH));
        }
    }

    fn is_empty(&self, view: &View) -> bool {
        let current = self.current.iter().map(Expansion::nodes);
        let waiting = self.queue.iter().map(Waiting::nodes);
        let mut nodes = current.chain(waiting).flat_map(NodeRange::iter);
        !nodes.any(|node| view.tree.has_open_flip(node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::drawn::{Drawing, picks};

    /// The first run is expanded as a whole before its children; all of them gain one branch and
    /// are expanded in the order of arrival.
    #[test]
    fn whole_generations() {
        let order = picks(&mut Generational::default(), &Drawing::ladder(3));
        assert_eq!(order, "1 01 001 11 101 011 111");
    }

    /// Direction 1 of the second decision opens two new sites, direction 1 of the first only one:
    /// the run with the larger gain is expanded first, though it came later.
    #[test]
    fn larger_gain_first() {
        let drawing = Drawing::new(&[2; 5], |taken| match taken {
            [] => Some(0),
            [0] => Some(1),
            [0, 1] => Some(2),
            [0, 1, _] => Some(3),
            [1] => Some(4),
            _ => None,
        });
        let order = picks(&mut Generational::default(), &drawing);
        assert_eq!(order, "1 01 011 0101 11 0111");
    }

    /// A branch that leads to something uncovered is tried before an earlier one that does not.
    #[test]
    fn uncovered_before_the_rest() {
        let drawing = Drawing::new(&[2, 2], |taken| match taken {
            [] | [0] => Some(0),
            [0, 0] => Some(1),
            _ => None,
        });
        let order = picks(&mut Generational::default(), &drawing);
        assert_eq!(order, "1 001 01");
    }

    /// A long loop does not keep the search in one run: after [`PER_BRANCH`] copies the next run
    /// has its turn.
    #[test]
    fn loops_wait_for_later_rounds() {
        let drawing = Drawing::new(&[2, 2], |taken| match taken {
            [] => Some(1),
            [_, rest @ ..] => (rest.len() < 40 && !rest.contains(&1)).then_some(0),
        });
        let order = picks(&mut Generational::default(), &drawing);
        let first: String = order.split(' ').map(|pick| &pick[..1]).collect();
        let expected = [("1", 1), ("0", 8), ("1", 8), ("0", 32), ("1", 32)];
        let expected: String = expected.iter().map(|(pick, n)| pick.repeat(*n)).collect();
        assert_eq!(first, expected);
    }
}
