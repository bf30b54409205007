//! Search right behind what was covered last: the decisions that follow a new branch, and those
//! that follow them.
//!
//! What a parser does after a keyword is often decided by branches that are covered long since:
//! no gain tells that the path behind it is worth taking. So the run that covered something is expanded,
//! and its descendants of a few generations with it, generation by generation, whichever strategy
//! makes them. The latest gain comes first: it took longest to have, and least was done about it.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::expansion::{Expansion, Generations};
use crate::strategy::{Pick, RunInfo, Strategy, View};
use crate::tree::{Candidate, RunId};

/// Generations of descendants of a run that covered something.
const GENERATIONS: u32 = 3;
/// Copies of one branch of a run that are flipped.
const PER_BRANCH: u32 = 2;

/// The number of the gain, the newest first, then the generation, then the order of arrival.
type Place = (u32, u32, u32);

/// See the module.
pub struct Latest {
    waiting: BTreeMap<Place, Expansion>,
    /// Counts down.
    gains: u32,
    arrivals: u32,
    /// By run: its gain, or that of its nearest ancestor that had one, and the generation.
    lines: FxHashMap<RunId, (u32, u32)>,
    /// What is done where no descendant is left.
    rest: Generations,
}

impl Default for Latest {
    fn default() -> Self {
        Latest {
            waiting: BTreeMap::new(),
            gains: u32::MAX,
            arrivals: 0,
            lines: FxHashMap::default(),
            rest: Generations::new(|nodes, round| Expansion::uncovered_first(nodes, round, 8)),
        }
    }
}

impl Latest {
    fn descendant(&mut self, view: &View) -> Option<Candidate> {
        loop {
            let mut first = self.waiting.first_entry()?;
            let candidate = first.get_mut().advance(view);
            if candidate.is_some() {
                return candidate;
            }
            first.remove();
        }
    }
}

impl Strategy for Latest {
    fn name(&self) -> &str {
        "latest"
    }

    fn observe(&mut self, view: &View, info: &RunInfo) {
        let nodes = info.new_nodes();
        self.rest.add(info.gain, nodes);
        // Whichever strategy made the run.
        let parent = info.flipped.map(|flipped| view.tree.run(flipped.node));
        let line = parent.and_then(|parent| self.lines.get(&parent));
        let (gain, generation) = match line {
            _ if info.gain > 0 => {
                self.gains -= 1;
                (self.gains, 0)
            }
            Some((gain, generation)) => (*gain, generation + 1),
            None => return,
        };
        if generation <= GENERATIONS && !nodes.is_empty() {
            self.lines.insert(info.run, (gain, generation));
            self.arrivals += 1;
            let expansion = Expansion::uncovered_first(nodes, 0, PER_BRANCH);
            self.waiting
                .insert((gain, generation, self.arrivals), expansion);
        }
    }

    fn pick(&mut self, view: &View, _: &mut fastrand::Rng) -> Option<Pick> {
        let next = self.descendant(view);
        next.or_else(|| self.rest.next(view)).map(Pick::Flip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::drawn::{Drawing, picks};

    /// Direction 1 of the first decision leads to a new site, and what follows there comes before
    /// what is left of the first run.
    #[test]
    fn what_follows_a_gain_comes_first() {
        let drawing = Drawing::new(&[2, 2, 2], |taken| match taken {
            [] => Some(0),
            [0, rest @ ..] => (rest.len() < 3).then_some(1),
            [_, rest @ ..] => (rest.len() < 2).then_some(2),
        });
        let order = picks(&mut Latest::default(), &drawing);
        assert_eq!(order, "1 11 111 101 01 011 0101 0111 001 0011 0001");
    }
}
