//! What a run did, side by side: counted once for all strategies that ask how often.
//!
//! A run may have 100,000 decisions at 2,000 sites, so everything is counted in arrays by
//! [`Side`], and only what the run came to is looked at again.

use crate::tree::{Candidate, NodeId, Passage, Side, Tree};

/// How often a run took one side of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideCount {
    /// The side.
    pub side: Side,
    /// Where it was taken last: the node, and its position in the run.
    pub node: NodeId,
    /// See `node`.
    pub position: usize,
    /// How often it was taken.
    pub count: u32,
    /// How often at most without another direction of its site between.
    pub streak: u32,
}

/// The sides that a run took, in the order in which it came to them.
#[derive(Debug, Default)]
pub struct SideCounter {
    taken: Vec<SideCount>,
    /// By side: its place in `taken`, plus side.
    places: Vec<u32>,
    /// By first side of a decision: the direction taken last, and how often in a row.
    rows: Vec<(u32, u32)>,
}

impl SideCounter {
    /// Counts what a run did.
    pub fn count(&mut self, tree: &Tree, path: &[Passage]) -> &[SideCount] {
        for taken in self.taken.drain(..) {
            self.places[taken.side.index()] = 0;
        }
        self.places.resize(tree.sides(), 0);
        self.rows.resize(tree.sides(), (0, 0));
        for (position, passage) in path.iter().enumerate() {
            self.add(tree, position, *passage);
        }
        &self.taken
    }

    fn add(&mut self, tree: &Tree, position: usize, passage: Passage) {
        let Passage { node, direction } = passage;
        let side = tree.side(Candidate { node, direction });
        let place = self.places[side.index()] as usize;
        // Rows are of this run only where one of its sides was counted.
        let row = &mut self.rows[(side.0 - direction) as usize];
        let goes_on = place != 0 && row.0 == direction;
        *row = (direction, if goes_on { row.1 + 1 } else { 1 });
        if place == 0 {
            self.taken.push(SideCount {
                side,
                node,
                position,
                count: 1,
                streak: 1,
            });
            self.places[side.index()] = u32::try_from(self.taken.len()).expect("few sides");
            return;
        }
        let taken = &mut self.taken[place - 1];
        taken.count += 1;
        taken.streak = taken.streak.max(row.1);
        (taken.node, taken.position) = (node, position);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tree::Decision;

    fn run(steps: &[(u32, u32)]) -> Vec<Decision> {
        let decision = |(site, direction): &(u32, u32)| Decision {
            site: *site,
            arity: 3,
            direction: *direction,
            frame: 0,
            value: 0,
            closed: None,
        };
        steps.iter().map(decision).collect()
    }

    /// Counted naively.
    fn expected(steps: &[(u32, u32)], branch: (u32, u32)) -> (u32, u32) {
        let of_site: Vec<u32> = steps
            .iter()
            .filter(|step| step.0 == branch.0)
            .map(|step| step.1)
            .collect();
        let rows = of_site
            .chunk_by(|a, b| a == b)
            .filter(|row| row[0] == branch.1);
        let lengths: Vec<u32> = rows.map(|row| row.len() as u32).collect();
        (
            lengths.iter().sum(),
            lengths.iter().copied().max().unwrap_or(0),
        )
    }

    proptest! {
        #[test]
        fn sides_are_counted(runs in prop::collection::vec(prop::collection::vec((0u32..4, 0u32..3), 0..30), 1..6)) {
            let (mut tree, mut counter) = (Tree::default(), SideCounter::default());
            for steps in runs {
                let path = tree.insert(run(&steps)).path;
                let taken = counter.count(&tree, &path).to_vec();
                let mut found = std::collections::BTreeSet::new();
                for side in taken {
                    let last = path[side.position];
                    prop_assert_eq!(last.node, side.node);
                    let branch = (tree.site(last.node), last.direction);
                    prop_assert_eq!((side.count, side.streak), expected(&steps, branch));
                    let copies = steps.iter().rposition(|step| *step == branch);
                    prop_assert_eq!(copies, Some(side.position));
                    prop_assert!(found.insert(branch));
                }
                prop_assert_eq!(found, steps.into_iter().collect());
            }
        }
    }
}
