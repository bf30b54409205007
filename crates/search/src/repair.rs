//! Where a run left its path after a soft constraint was dropped.
//!
//! A query without its soft constraints moves a value that the run had fixed: another size,
//! another address. What was decided about the old place has to be decided anew about the new one,
//! and the tree does not tell the two apart. So the step at which the run left the path is asked
//! once more, with the constraints of that run, where the value is fixed to what it is now.

use labrys_suite::Input;

use crate::tree::{Candidate, Passage, RunId, Tree};

/// A run that left its path, and how it is to go on.
#[derive(Debug)]
pub(crate) struct Repair {
    pub(crate) run: RunId,
    pub(crate) input: Input,
    /// The position of the decision among those of the run.
    pub(crate) position: usize,
    /// The direction to take there.
    pub(crate) direction: u32,
    /// The branch that the run was made for.
    pub(crate) branch: (u32, u32),
}

/// The position at which a run left the path to a candidate, and the direction of that path there;
/// `None` if it came to other decisions.
pub(crate) fn parting(tree: &Tree, path: &[Passage], candidate: Candidate) -> Option<(usize, u32)> {
    let Candidate { node, direction } = candidate;
    let last = Passage { node, direction };
    let mut expected: Vec<Passage> =
        std::iter::successors(Some(last), |passage| tree.parent(passage.node)).collect();
    expected.reverse();
    let mut pairs = expected.iter().zip(path);
    let position = pairs.position(|(expected, taken)| expected != taken)?;
    let (expected, taken) = (expected[position], path[position]);
    (expected.node == taken.node).then_some((position, expected.direction))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Decision;

    fn run(directions: &[u32], sites: &[u32]) -> Vec<Decision> {
        let decision = |(site, direction): (&u32, &u32)| Decision {
            site: *site,
            arity: 2,
            direction: *direction,
            frame: 0,
            value: 0,
            closed: None,
        };
        sites.iter().zip(directions).map(decision).collect()
    }

    #[test]
    fn the_first_other_direction_is_told() {
        let mut tree = Tree::default();
        let first = tree.insert(run(&[0, 1, 0], &[0, 1, 2]));
        let candidate = Candidate {
            node: first.path[2].node,
            direction: 1,
        };
        let other = tree.insert(run(&[0, 0, 1], &[0, 1, 2]));
        assert_eq!(parting(&tree, &other.path, candidate), Some((1, 1)));
        let short = tree.insert(run(&[0, 1, 0], &[0, 1, 2]));
        assert_eq!(parting(&tree, &short.path, candidate), Some((2, 1)));
        let elsewhere = tree.insert(run(&[0, 1, 0], &[0, 9, 2]));
        assert_eq!(parting(&tree, &elsewhere.path, candidate), None);
    }
}
