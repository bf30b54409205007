//! Expansion of runs to their branches, in rounds: shared by the strategies that work run by run.
//!
//! A loop over the input makes many copies of one branch: a round tries each branch of the
//! program a limited number of times; what is left waits for a later round with a smaller
//! score, `score / 4^round`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::strategy::{NodeRange, View};
use crate::tree::{Candidate, NodeId, Side};

/// Runs that are expanded one after the other, the one with the largest score first.
pub(super) struct Generations {
    queue: BinaryHeap<Waiting>,
    current: Option<(usize, Expansion)>,
    arrived: u64,
    /// Begins the expansion of some nodes in a round.
    begin: fn(NodeRange, u32) -> Expansion,
}

impl Generations {
    pub(super) fn new(begin: fn(NodeRange, u32) -> Expansion) -> Self {
        Generations {
            queue: BinaryHeap::new(),
            current: None,
            arrived: 0,
            begin,
        }
    }

    /// A new run.
    pub(super) fn add(&mut self, score: usize, nodes: NodeRange) {
        if !nodes.is_empty() {
            self.enqueue(score, 0, nodes);
        }
    }

    /// The next candidate: of the run that is being expanded, or of the best one that waits.
    pub(super) fn next(&mut self, view: &View) -> Option<Candidate> {
        loop {
            if let Some((score, mut current)) = self.current.take() {
                if let Some(candidate) = current.advance(view) {
                    self.current = Some((score, current));
                    return Some(candidate);
                }
                if current.postponed {
                    self.enqueue(score, current.round + 1, current.nodes);
                }
            }
            let best = self.queue.pop()?;
            self.current = Some((best.score, (self.begin)(best.nodes, best.round)));
        }
    }

    fn enqueue(&mut self, score: usize, round: u32, nodes: NodeRange) {
        self.arrived += 1;
        self.queue.push(Waiting {
            score,
            round,
            order: self.arrived,
            nodes,
        });
    }
}

/// A run to expand. Larger is expanded earlier.
#[derive(PartialEq, Eq)]
struct Waiting {
    score: usize,
    round: u32,
    order: u64,
    nodes: NodeRange,
}

impl Waiting {
    /// The order of arrival decides between equals.
    fn key(&self) -> (usize, Reverse<u64>) {
        let shift = (2 * self.round).min(usize::BITS - 1);
        (self.score >> shift, Reverse(self.order))
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

/// One walk over the nodes of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// From the root, candidates that lead to something uncovered.
    Uncovered,
    /// From the end, one copy of each branch.
    Deepest,
    /// From the root, everything within the limit.
    Rest,
}

/// The run that is being expanded.
pub(super) struct Expansion {
    nodes: NodeRange,
    round: u32,
    pass: Pass,
    /// Position in the node range.
    next: usize,
    /// Copies of one branch in this round.
    limit: u32,
    /// How often each branch was tried in this round.
    tried: FxHashMap<Side, u32>,
    /// Whether open candidates were passed over: they wait for the next round.
    pub(super) postponed: bool,
}

impl Expansion {
    /// Uncovered branches first, then from the root on.
    pub(super) fn uncovered_first(nodes: NodeRange, round: u32, per_branch: u32) -> Self {
        Expansion::new(nodes, round, Pass::Uncovered, per_branch)
    }

    /// The deepest copy of each branch first, then from the root on.
    pub(super) fn deepest_first(nodes: NodeRange, round: u32, per_branch: u32) -> Self {
        Expansion::new(nodes, round, Pass::Deepest, per_branch)
    }

    fn new(nodes: NodeRange, round: u32, pass: Pass, per_branch: u32) -> Self {
        Expansion {
            limit: per_branch.saturating_mul(4u32.saturating_pow(round)),
            nodes,
            round,
            pass,
            next: 0,
            tried: FxHashMap::default(),
            postponed: false,
        }
    }

    /// The next candidate of this round; `None` at its end.
    pub(super) fn advance(&mut self, view: &View) -> Option<Candidate> {
        loop {
            while let Some(node) = self.at(self.next) {
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

    fn at(&self, position: usize) -> Option<NodeId> {
        let nodes = self.nodes;
        match self.pass {
            Pass::Deepest => nodes.get(nodes.len().checked_sub(position + 1)?),
            _ => nodes.get(position),
        }
    }

    fn candidate_of(&mut self, view: &View, node: NodeId) -> Option<Candidate> {
        let limit = if self.pass == Pass::Deepest {
            1
        } else {
            self.limit
        };
        for candidate in view.tree.open_flips(node) {
            if self.pass == Pass::Uncovered && !view.uncovered(candidate) {
                continue;
            }
            let tried = self.tried.entry(view.tree.side(candidate)).or_insert(0);
            if *tried < limit {
                *tried += 1;
                return Some(candidate);
            }
            self.postponed |= self.pass == Pass::Rest;
        }
        None
    }
}
