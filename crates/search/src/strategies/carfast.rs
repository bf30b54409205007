//! CarFast (Park et al., "CarFast: achieving higher statement coverage faster", FSE 2012): flips
//! the branch to the uncovered branch that controls the most statements.
//!
//! The score of a branch is [`ControlledStatements::of`]. Where no open candidate leads to an
//! uncovered branch, a random open one of a random site is flipped, so that the search is complete;
//! CarFast starts again with random input there. By site, since a loop over the input decides most of
//! what a run decides, and what is decided once, such as which function of a table is called, leads
//! to more.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use labrys_program::BranchId;
use labrys_program::graph::ControlledStatements;
use rustc_hash::FxHashMap;

use super::pool::SitePool;
use crate::strategy::{Pick, RunInfo, Strategy, View};
use crate::tree::{Candidate, NodeId};

/// See the module.
#[derive(Default)]
pub struct CarFast {
    /// `None` until the program is seen.
    statements: Option<Arc<ControlledStatements>>,
    /// By uncovered branch: decisions whose flip leads to it, as they were found.
    places: FxHashMap<BranchId, VecDeque<NodeId>>,
    /// The branches of `places`: the one with the most statements first, then the lowest number.
    best: BinaryHeap<(u64, Reverse<BranchId>)>,
    all: SitePool,
}

impl Strategy for CarFast {
    fn name(&self) -> &str {
        "carfast"
    }

    fn observe(&mut self, view: &View, info: &RunInfo) {
        let statements = self.statements.get_or_insert_with(|| {
            let program = view.program;
            program.derived.fact(|| ControlledStatements::new(program))
        });
        self.all.extend(view, info.new_nodes().iter());
        for node in info.new_nodes().iter() {
            for candidate in view.tree.open_flips(node) {
                let Some(branch) = view.branch(candidate) else {
                    continue;
                };
                if view.covered.contains(branch) {
                    continue;
                }
                let places = self.places.entry(branch).or_default();
                if places.is_empty() {
                    self.best.push((statements.of(branch), Reverse(branch)));
                }
                places.push_back(node);
            }
        }
    }

    fn pick(&mut self, view: &View, rng: &mut fastrand::Rng) -> Option<Pick> {
        while let Some((_, Reverse(branch))) = self.best.peek() {
            let places = self.places.get_mut(branch);
            let places = places.filter(|_| !view.covered.contains(*branch));
            let leads = |candidate: &Candidate| view.branch(*candidate) == Some(*branch);
            let found = places.and_then(|places| {
                let node = places.pop_front()?;
                Some(view.tree.open_flips(node).find(leads))
            });
            match found {
                Some(Some(candidate)) => return Some(Pick::Flip(candidate)),
                Some(None) => {}
                None => {
                    self.places.remove(branch);
                    self.best.pop();
                }
            }
        }
        self.all.draw(view, rng).map(Pick::Flip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::drawn::{Drawing, picks};

    /// Two decisions in a row; the branches of the second one control more statements.
    const PROGRAM: &str = "
define i32 @main(i1 v0) external {
b0:
  br v0, b1, b2
b1:
  jump b2
b2:
  br v0, b3, b4
b3:
  v1: i1 = xor v0, v0
  v2: i1 = xor v0, v0
  jump b5
b4:
  jump b5
b5:
  ret i32 0
}
";

    #[test]
    fn most_statements_first() {
        let drawing = Drawing::of_program(PROGRAM);
        // All is covered after the two picks; the third one is drawn from what is open.
        let order = picks(&mut CarFast::default(), &drawing);
        assert_eq!(order, "01 1 11");
    }

    /// A place without a model is followed by the next place of the same branch.
    #[test]
    fn infeasible_places_are_passed_over() {
        let drawing = Drawing::of_program(PROGRAM).infeasible(&["01"]);
        let order = picks(&mut CarFast::default(), &drawing);
        assert_eq!(order, "01 1 11");
    }
}
