//! What is tried first in each new run: the branches whose other side hardly any run took.
//!
//! One run that took a branch is not enough: it may have come there with no room left for what
//! follows. So a branch is wanted until [`WANTED`] runs took it.
//!
//! Where no input takes such a branch at the end of this path, the decisions right before it are
//! flipped: they are often what its condition is made of, the last digit of a number or the last
//! letter of a word, and the next run comes by with a digit more. Whoever found that out: where
//! strategies share a tree, another one may have asked.

use std::collections::VecDeque;

use labrys_abi::is_size;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::strategy::{NodeRange, RunInfo, View};
use crate::tree::{Candidate, Flip, Side};

/// A branch is wanted until this many runs took it.
const WANTED: u32 = 6;
/// A branch is tried at this many places of a run, until so many tries were in vain.
const COPIES: u32 = 4;
const TRIES: u32 = 64;
/// After so many tries of a branch, only every [`SELDOM`]-th makes its neighbors be flipped.
const DIVES: u32 = 512;
const SELDOM: u32 = 16;
/// How many decisions before an infeasible branch are flipped.
const NEIGHBORS: usize = 2;

/// See the module.
#[derive(Default)]
pub(super) struct Eager {
    /// Runs that were not looked at yet.
    fresh: VecDeque<NodeRange>,
    /// Position from the end, and places tried by branch, in the first of them.
    position: usize,
    copies: FxHashMap<Side, u32>,
    /// How many runs took each side.
    taken: Vec<u32>,
    /// How often each wanted branch was tried.
    tries: FxHashMap<Side, u32>,
    /// Candidates of the first run whose neighbors are flipped, and those neighbors themselves,
    /// so that it stays with those; the last one that was asked.
    followed: FxHashSet<Candidate>,
    asked: Option<Candidate>,
    dives: Vec<Candidate>,
}

impl Eager {
    /// A new run; one that another strategy made is looked at only if it covered something, as
    /// there may be many of them.
    pub(super) fn add(&mut self, view: &View, info: &RunInfo, own: bool) {
        self.taken.resize(view.tree.sides(), 0);
        for taken in info.taken {
            self.taken[taken.side.index()] += 1;
        }
        if !info.new_nodes().is_empty() && (own || info.gain > 0) {
            self.fresh.push_back(info.new_nodes());
        }
    }

    /// Whether a candidate leads to a branch of the program that hardly any run took, or to a new
    /// size of an allocation.
    fn wanted(&self, view: &View, candidate: Candidate) -> bool {
        let side = view.tree.side(candidate);
        let taken = self.taken.get(side.index()).copied().unwrap_or(0);
        let new_size = is_size(view.tree.site(candidate.node)) && view.uncovered(candidate);
        taken < WANTED && view.branch(candidate).is_some() || new_size
    }

    /// The next candidate; `None` if all runs were looked at.
    pub(super) fn next(&mut self, view: &View) -> Option<Candidate> {
        loop {
            while let Some(candidate) = self.dives.pop() {
                if view.tree.is_open(candidate) {
                    self.followed.insert(candidate);
                    return Some(candidate);
                }
            }
            let candidate = self.scan(view)?;
            if view.tree.is_open(candidate) {
                self.asked = Some(candidate);
                return self.asked;
            }
            self.follow(view, candidate);
        }
    }

    /// Makes the decisions before an infeasible branch be flipped.
    fn follow(&mut self, view: &View, infeasible: Candidate) {
        let side = view.tree.side(infeasible);
        let tries = self.tries.get(&side).copied().unwrap_or(0);
        if tries > DIVES && tries % SELDOM != 0 {
            return;
        }
        let mut at = infeasible.node;
        for _ in 0..NEIGHBORS {
            let Some(before) = view.tree.parent(at) else {
                break;
            };
            at = before.node;
            self.dives.extend(view.tree.open_flips(at).take(NEIGHBORS));
        }
    }

    /// A wanted branch of the first run that has one, open or infeasible and not yet followed,
    /// the deepest one first.
    fn scan(&mut self, view: &View) -> Option<Candidate> {
        while let Some(nodes) = self.fresh.front().copied() {
            while self.position < nodes.len() {
                let node = nodes.get(nodes.len() - 1 - self.position)?;
                let mut flips = view.tree.flips(node);
                let found = flips.find(|flip| self.wanted(view, *flip) && self.is_new(view, *flip));
                if found.is_some() {
                    return found;
                }
                self.position += 1;
            }
            self.fresh.pop_front();
            self.position = 0;
            self.copies.clear();
            self.followed.clear();
        }
        None
    }

    /// Whether a wanted branch is to be asked, or its neighbors are, as it is infeasible.
    fn is_new(&mut self, view: &View, candidate: Candidate) -> bool {
        match view.tree.flip(candidate) {
            Flip::Untried => self.may(view, candidate),
            Flip::Unsat => {
                let counted = self.asked == Some(candidate);
                self.followed.insert(candidate) && (counted || self.may(view, candidate))
            }
            _ => false,
        }
    }

    /// Whether a candidate is to be tried; counts it if so.
    fn may(&mut self, view: &View, candidate: Candidate) -> bool {
        let side = view.tree.side(candidate);
        let tries = self.tries.entry(side).or_insert(0);
        let most = if *tries < TRIES { COPIES } else { 1 };
        let copies = self.copies.entry(side).or_insert(0);
        let may = *copies < most;
        if may {
            *copies += 1;
            *tries += 1;
        }
        may
    }
}
