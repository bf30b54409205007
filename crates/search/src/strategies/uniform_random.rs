//! Uniform random search (Burnim and Sen, "Heuristics for Scalable Dynamic Test Generation",
//! section 3.3): a walk through the execution tree that throws a coin at each decision.
//!
//! At each decision a random direction is chosen of those behind which something is open. A
//! direction that runs took is followed; an untried one is picked, and the walk goes on in the run
//! that takes it. A direction without a model is no longer chosen, so the coin decides between
//! feasible directions only, as in CREST. At the end of a run the walk starts again at the root.
//!
//! Departure: the tree is kept from walk to walk, and directions whose subtree is exhausted are
//! left out. CREST starts each walk with a random input instead.

use super::picks::PendingPicks;
use crate::strategy::{Pick, RunInfo, Strategy, View};
use crate::tree::{Candidate, NodeId};

/// See the module.
#[derive(Default)]
pub struct UniformRandom {
    /// The decision that the walk has come to; the root if `None`.
    at: Option<NodeId>,
    /// By node: nothing is open at it and below.
    exhausted: Vec<bool>,
    pending_picks: PendingPicks<()>,
}

/// One step of the walk.
enum Continuation {
    Flip(Candidate),
    Down(NodeId),
}

impl UniformRandom {
    fn is_exhausted(&self, node: NodeId) -> bool {
        self.exhausted.get(node.index()).copied().unwrap_or(false)
    }

    /// The continuations of a decision: one of each direction behind which something is open.
    fn continuations(&self, view: &View, at: NodeId, rng: &mut fastrand::Rng) -> Vec<Continuation> {
        let direction = |direction| {
            let candidate = Candidate {
                node: at,
                direction,
            };
            if view.tree.is_open(candidate) {
                return Some(Continuation::Flip(candidate));
            }
            let below = view.tree.children(at, direction);
            let open = below.filter(|child| !self.is_exhausted(*child));
            rng.choice(open.collect::<Vec<_>>()).map(Continuation::Down)
        };
        (0..view.tree.arity(at)).filter_map(direction).collect()
    }

    fn root(&self, view: &View, rng: &mut fastrand::Rng) -> Option<NodeId> {
        let open = view.tree.roots().filter(|root| !self.is_exhausted(*root));
        rng.choice(open.collect::<Vec<_>>())
    }
}

impl Strategy for UniformRandom {
    fn name(&self) -> &str {
        "uniform-random"
    }

    fn observe(&mut self, view: &View, info: &RunInfo) {
        self.exhausted.resize(view.tree.len(), false);
        if !info.new_nodes().is_empty() {
            for passage in &info.path[..info.first_new] {
                self.exhausted[passage.node.index()] = false;
            }
        }
        let named = self.pending_picks.take(info.flipped).is_some() && !info.diverged;
        if let Some(flipped) = info.flipped.filter(|_| named) {
            let next = view.tree.depth(flipped.node) as usize + 1;
            self.at = info.path.get(next).map(|passage| passage.node);
        }
    }

    fn pick(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Pick> {
        loop {
            let at = match self.at {
                Some(at) => at,
                None => self.root(view, rng)?,
            };
            let continuations = self.continuations(view, at, rng);
            match rng.choice(continuations) {
                Some(Continuation::Flip(candidate)) => {
                    self.at = Some(at);
                    self.pending_picks.add(view, candidate, ());
                    return Some(Pick::Flip(candidate));
                }
                Some(Continuation::Down(child)) => self.at = Some(child),
                None => {
                    self.exhausted[at.index()] = true;
                    self.at = view.tree.parent(at).map(|passage| passage.node);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::drawn::{Drawing, picks, picks_with_seed};

    /// A walk goes on behind its picks, so they get deeper until it ends; then it starts again.
    #[test]
    fn the_walk_goes_on_in_the_new_run() {
        for seed in 0..20 {
            let order = picks_with_seed(&mut UniformRandom::default(), &Drawing::ladder(4), seed);
            let names: Vec<&str> = order.split(' ').collect();
            assert_eq!(names.len(), 15);
            let first_walk = names
                .windows(2)
                .take_while(|pair| pair[1].len() > pair[0].len());
            for pair in first_walk {
                let same = format!("{:0<4}", pair[0]);
                assert!(same.starts_with(&pair[1][..pair[1].len() - 1]), "{order}");
            }
        }
    }

    #[test]
    fn exact_order() {
        let order = picks(&mut UniformRandom::default(), &Drawing::ladder(3));
        assert_eq!(order, "001 1 101 01 011 11 111");
    }

    /// Each coin is fair: the first pick of a ladder is at depth d with probability 2^-(d+1), the
    /// last decision but one sharing with the last.
    #[test]
    fn coins_are_fair() {
        let mut firsts = [0u32; 3];
        for seed in 0..400 {
            let order = picks_with_seed(&mut UniformRandom::default(), &Drawing::ladder(3), seed);
            let first = order.split(' ').next().expect("a pick");
            firsts[first.len() - 1] += 1;
        }
        assert!((160..240).contains(&firsts[0]), "{firsts:?}");
        assert!((60..140).contains(&firsts[1]), "{firsts:?}");
        assert!((60..140).contains(&firsts[2]), "{firsts:?}");
    }
}
