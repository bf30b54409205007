//! Generational search (Godefroid, Levin and Molnar, "Automated Whitebox Fuzz Testing"): a run
//! is expanded to all of its branches after the one that it was made by; the run with the largest
//! coverage gain is expanded first.
//!
//! The new nodes of a run are just its branches after its bound, so no branch is flipped twice.
//! Within an expansion, branches that lead to something uncovered come first. A loop over the
//! input makes many copies of one branch: a round of an expansion tries each branch of the
//! program at most [`PER_BRANCH`] times; what is left waits for a later round with a smaller
//! score, `gain / 4^round`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::strategy::{NodeRange, RunInfo, Strategy, View};
use crate::tree::{Candidate, NodeId};

/// Copies of one branch that the first round of an expansion tries; each further round four
/// times as many.
const PER_BRANCH: u32 = 8;

/// Which candidates a pass over the nodes takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Uncovered,
    Rest,
}

/// A run to expand.
#[derive(PartialEq, Eq)]
struct Waiting {
    gain: usize,
    round: u32,
    order: u64,
    nodes: NodeRange,
}

impl Waiting {
    /// Larger is expanded earlier; the order of arrival decides between equals.
    fn key(&self) -> (usize, Reverse<u64>) {
        let shift = (2 * self.round).min(usize::BITS - 1);
        (self.gain >> shift, Reverse(self.order))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The run that is being expanded.
struct Expansion {
    of: Waiting,
    pass: Pass,
    /// Position in the node range.
    next: usize,
    /// How often each branch was tried in this round.
    tried: FxHashMap<(u32, u32), u32>,
    /// Whether open candidates were passed over.
    postponed: bool,
}

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
        self.queue.push(Waiting {
            gain,
            round,
            order: self.arrived,
            nodes,
        });
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
            if let Some(expansion) = &mut self.current {
                if let Some(candidate) = expansion.advance(view) {
                    return Some(candidate);
                }
            }
            if let Some(done) = self.current.take() {
                if done.postponed {
                    self.enqueue(done.of.gain, done.of.round + 1, done.of.nodes);
                }
            }
            self.current = Some(Expansion::new(self.queue.pop()?));
        }
    }

    fn is_empty(&self, view: &View) -> bool {
        let current = self.current.iter().map(|expansion| expansion.of.nodes);
        let waiting = self.queue.iter().map(|waiting| waiting.nodes);
        let mut nodes = current.chain(waiting).flat_map(NodeRange::iter);
        !nodes.any(|node| view.tree.has_open_flip(node))
    }
}

impl Expansion {
    fn new(of: Waiting) -> Self {
        Expansion {
            of,
            pass: Pass::Uncovered,
            next: 0,
            tried: FxHashMap::default(),
            postponed: false,
        }
    }

    /// The next candidate of this round; `None` at its end.
    fn advance(&mut self, view: &View) -> Option<Candidate> {
        loop {
            while let Some(node) = self.of.nodes.get(self.next) {
                if let Some(candidate) = self.candidate_of(view, node) {
                    return Some(candidate);
                }
                self.next += 1;
            }
            if self.pass == Pass::Rest {
                return None;
            }
            self.pass = Pass::Rest;
            self.next = 0;
        }
    }

    fn candidate_of(&mut self, view: &View, node: NodeId) -> Option<Candidate> {
        let limit = PER_BRANCH.saturating_mul(4u32.saturating_pow(self.of.round));
        let site = view.tree.site(node);
        for candidate in view.tree.open_flips(node) {
            if self.pass == Pass::Uncovered && !view.uncovered(candidate) {
                continue;
            }
            let tried = self.tried.entry((site, candidate.direction)).or_insert(0);
            if *tried < limit {
                *tried += 1;
                return Some(candidate);
            }
            self.postponed = true;
        }
        None
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
