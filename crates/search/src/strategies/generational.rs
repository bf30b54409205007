//! Generational search (Godefroid, Levin and Molnar, "Automated Whitebox Fuzz Testing"): a run
//! is expanded to all of its branches after the one that it was made by; the run with the largest
//! coverage gain is expanded first.
//!
//! The new nodes of a run are just its branches after its bound, so no branch is flipped twice.
//! Within an expansion, branches that lead to something uncovered come first; a round of an
//! expansion tries each branch of the program at most [`PER_BRANCH`] times.

use super::expansion::{Expansion, Generations};
use crate::strategy::{Pick, RunInfo, Strategy, View};

/// Copies of one branch that the first round of an expansion tries; each further round four
/// times as many.
const PER_BRANCH: u32 = 8;

/// See the module.
pub struct Generational {
    generations: Generations,
}

impl Default for Generational {
    fn default() -> Self {
        let begin = |nodes, round| Expansion::uncovered_first(nodes, round, PER_BRANCH);
        Generational {
            generations: Generations::new(begin),
        }
    }
}

impl Strategy for Generational {
    fn name(&self) -> &str {
        "generational"
    }

    fn observe(&mut self, _: &View, info: &RunInfo) {
        self.generations.add(info.gain, info.new_nodes());
    }

    fn pick(&mut self, view: &View, _: &mut fastrand::Rng) -> Option<Pick> {
        self.generations.next(view).map(Pick::Flip)
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
