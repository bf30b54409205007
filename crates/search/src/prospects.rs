//! Flips from which nothing open can be reached wait.
//!
//! Behind the failing side of a check that ends the program, in what runs after the last thing to
//! do, control flow comes to no branch that is uncovered and to no target that is open. Once such
//! a side is covered, taking it elsewhere covers nothing. Yet each run has one such flip for each
//! check that it passed. So they wait: one of [`TURN`] flips is theirs, for what may fail there,
//! and the rest of the work when nothing else is left.
//!
//! Law: a flip waits only if control flow leads from it to nothing open; where nothing is open any
//! more, none waits.

use std::collections::VecDeque;

use labrys_engine::Session;
use labrys_program::graph::Distances;
use labrys_program::{BranchId, FunctionId, Program};
use labrys_suite::Coverage;

use crate::strategy::View;
use crate::tree::{Candidate, Flip, Tree};

/// Flips of which one may be for nothing open.
const TURN: u32 = 8;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Prospects {
    /// `None` until the program is seen.
    distances: Option<Distances>,
    /// The branches that are covered or proved unreachable, and the number of open targets, when
    /// the distances were brought up to date.
    closed: Coverage,
    targets: usize,
    /// Whether anything is open.
    open: bool,
    waiting: VecDeque<Candidate>,
    /// Flips since one of those that wait was made.
    since: u32,
}

impl Prospects {
    /// Brings the distances up to date.
    pub(crate) fn update(&mut self, session: &Session) {
        let mut closed = session.seen().new_over(&self.closed);
        closed.union(&session.unreachable().new_over(&self.closed));
        self.learn(session.program(), &closed, &session.open_targets());
    }

    /// Learns that branches are covered or proved unreachable, and the functions that name open
    /// targets.
    fn learn(&mut self, program: &Program, closed: &Coverage, targets: &[FunctionId]) {
        self.closed.union(closed);
        match &mut self.distances {
            Some(distances) if self.targets == targets.len() => distances.remove(closed.iter()),
            distances => {
                self.closed.union(&program.repeating_branches().collect());
                let all = (0..program.branch_count()).map(BranchId::new);
                let open = all.filter(|branch| !self.closed.contains(*branch));
                self.targets = targets.len();
                *distances = Some(Distances::to(program, open, targets.iter().copied()));
            }
        }
        self.open = self.targets > 0 || self.closed.count() < program.branch_count();
    }

    /// Whether a flip may lead to something open, as far as control flow tells. Decisions of
    /// library models and of the runtime may lead anywhere.
    pub(crate) fn has_any(&self, view: &View, candidate: Candidate) -> bool {
        let Some(distances) = self.distances.as_ref().filter(|_| self.open) else {
            return true;
        };
        let branch = view.branch(candidate);
        branch.is_none_or(|branch| distances.get(branch).is_some())
    }

    /// A flip that leads to nothing open waits.
    pub(crate) fn put_off(&mut self, candidate: Candidate) {
        self.waiting.push_back(candidate);
    }

    /// The flip that waits longest, if it is its turn.
    pub(crate) fn turn(&mut self, tree: &Tree) -> Option<Candidate> {
        self.since += 1;
        if self.since < TURN {
            return None;
        }
        self.next(tree)
    }

    /// The flip that waits longest, whose turn it is for want of others.
    pub(crate) fn next(&mut self, tree: &Tree) -> Option<Candidate> {
        self.since = 0;
        // Other runs may have done what waited.
        loop {
            let first = self.waiting.pop_front()?;
            if tree.flip(first) == Flip::PutOff {
                return Some(first);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Decision, NodeId};

    /// A check that ends the program, then a decision.
    const PROGRAM: &str = "
define i32 @main(i1 v0) external {
b0:
  br v0, b1, b2
b1:
  unreachable
b2:
  br v0, b3, b3
b3:
  ret i32 0
}
";

    fn candidate(node: u32, direction: u32) -> Candidate {
        let node = NodeId(node);
        Candidate { node, direction }
    }

    /// A tree with one run that passes the check, and what it covers.
    fn run() -> (Tree, Coverage) {
        let decision = |site| Decision {
            site,
            arity: 2,
            direction: 0,
            frame: 0,
            value: 0,
            closed: None,
        };
        let mut tree = Tree::default();
        tree.insert((0..2).map(decision));
        let mut covered = Coverage::new(4);
        for branch in [0, 2] {
            covered.insert(BranchId(branch));
        }
        (tree, covered)
    }

    fn has_any(prospects: &Prospects, covered: &Coverage, candidate: Candidate) -> bool {
        let program = PROGRAM.parse().expect("a program");
        let (tree, _) = run();
        let view = View {
            tree: &tree,
            program: &program,
            covered,
        };
        prospects.has_any(&view, candidate)
    }

    /// The failing side of the check is worth a run until it is covered, and again when nothing is
    /// open any more.
    #[test]
    fn a_covered_end_of_the_program_leads_to_nothing() {
        let program = PROGRAM.parse().expect("a program");
        let (_, mut covered) = run();
        let mut prospects = Prospects::default();
        let mut expect = |covered: &Coverage, expected: [bool; 2]| {
            prospects.learn(&program, covered, &[]);
            let flips = [candidate(0, 1), candidate(1, 1)];
            let found = flips.map(|flip| has_any(&prospects, covered, flip));
            assert_eq!(found, expected);
        };
        expect(&covered, [true, true]);
        covered.insert(BranchId(1));
        expect(&covered, [false, true]);
        covered.insert(BranchId(3));
        expect(&covered, [true, true]);
    }

    #[test]
    fn what_waits_has_one_turn_in_some() {
        let (mut tree, _) = run();
        let mut prospects = Prospects::default();
        for flip in [candidate(0, 1), candidate(1, 1)] {
            tree.mark(flip, Flip::PutOff);
            prospects.put_off(flip);
        }
        let turns = (0..3 * TURN).filter_map(|step| Some((step, prospects.turn(&tree)?)));
        let turns: Vec<_> = turns.collect();
        let expected = [(TURN - 1, candidate(0, 1)), (2 * TURN - 1, candidate(1, 1))];
        assert_eq!(turns, expected);
        prospects.put_off(candidate(1, 1));
        tree.mark(candidate(1, 1), Flip::Unsat);
        assert_eq!(prospects.next(&tree), None);
    }
}
