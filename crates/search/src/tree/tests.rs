//! Tests of the tree: insertion, flips, counts.

use labrys_abi::SIZE_SITE;

use super::*;

fn decision(site: u32, arity: u32, direction: u32) -> Decision {
    Decision {
        site,
        arity,
        direction,
        frame: 0,
        value: 0,
        closed: None,
    }
}

/// A run of two-way decisions at sites 0, 1, … in these directions.
fn ladder(directions: &[u32]) -> Vec<Decision> {
    (0..)
        .zip(directions)
        .map(|(site, direction)| decision(site, 2, *direction))
        .collect()
}

fn flip(node: u32, direction: u32) -> Candidate {
    Candidate {
        node: NodeId(node),
        direction,
    }
}

#[test]
fn runs_share_prefixes() {
    let mut tree = Tree::default();
    let first = tree.insert(ladder(&[0, 0, 1]));
    assert_eq!((first.path.len(), first.first_new, tree.open()), (3, 0, 3));
    let second = tree.insert(ladder(&[0, 1, 1]));
    assert_eq!((second.path.len(), second.first_new), (3, 2));
    assert_eq!(second.path[..1], first.path[..1]);
    assert_eq!(second.path[1].node, first.path[1].node);
    assert_eq!((tree.len(), tree.open(), tree.runs()), (4, 3, 2));
    let last = second.path[2].node;
    assert_eq!((tree.run(last), tree.depth(last)), (RunId(1), 2));
    assert_eq!(tree.parent(last), Some(second.path[1]));
    assert_eq!(tree.children(NodeId(1), 1).collect::<Vec<_>>(), [last]);
    let again = tree.insert(ladder(&[0, 1, 1]));
    assert_eq!(
        (again.path, again.first_new, tree.len()),
        (second.path, 3, 4)
    );
}

#[test]
fn a_longer_run_goes_on_from_an_end() {
    let mut tree = Tree::default();
    tree.insert(ladder(&[1]));
    assert_eq!(tree.children(NodeId(0), 1).count(), 0);
    assert_eq!(tree.insert(ladder(&[1, 1])).first_new, 1);
    assert_eq!(tree.children(NodeId(0), 1).count(), 1);
}

#[test]
fn states_are_kept_and_a_taken_direction_stays() {
    let mut tree = Tree::default();
    tree.insert(ladder(&[0, 0]));
    tree.mark(flip(0, 0), Flip::Unsat);
    assert_eq!(tree.flip(flip(0, 0)), Flip::Taken);
    for state in [
        Flip::Sat,
        Flip::Unsat,
        Flip::Unknown,
        Flip::PutOff,
        Flip::Diverged,
        Flip::Closed,
    ] {
        tree.mark(flip(0, 1), state);
        assert_eq!(tree.flip(flip(0, 1)), state);
        assert_eq!(tree.open(), 1);
    }
    tree.mark(flip(0, 1), Flip::Untried);
    assert_eq!(tree.open(), 2);
    tree.insert(ladder(&[1]));
    assert_eq!(tree.flip(flip(0, 1)), Flip::Taken);
    assert_eq!(tree.open(), 1);
}

#[test]
fn one_direction_may_lead_to_several_sites() {
    let mut tree = Tree::default();
    tree.insert([decision(0, 2, 0), decision(1, 2, 0)]);
    tree.insert([decision(0, 2, 0), decision(2, 2, 0)]);
    tree.insert([decision(7, 2, 0)]);
    let children: Vec<u32> = tree
        .children(NodeId(0), 0)
        .map(|node| tree.site(node))
        .collect();
    assert_eq!(children, [2, 1]);
    let roots: Vec<u32> = tree.roots().map(|node| tree.site(node)).collect();
    assert_eq!(roots, [7, 0]);
    assert_eq!(
        tree.insert([decision(0, 2, 0), decision(1, 2, 1)])
            .first_new,
        2
    );
}

#[test]
fn sizes_are_told_apart_by_the_path_alone() {
    let mut tree = Tree::default();
    tree.insert([decision(0, 2, 0), decision(SIZE_SITE + 5, 3, 0)]);
    let again = tree.insert([decision(0, 2, 0), decision(SIZE_SITE + 9, 3, 0)]);
    assert_eq!((again.first_new, tree.len()), (2, 2));
}

/// The cells of a switch behave as an array of states, whatever the order of changes.
#[test]
fn switch_links_behave_as_an_array() {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut tree = Tree::default();
    tree.insert([decision(0, 50, 20)]);
    let mut expected = [Flip::Untried; 50];
    expected[20] = Flip::Taken;
    for _ in 0..400 {
        let direction = rng.u32(..50);
        let state = rng
            .choice([Flip::Untried, Flip::Unsat, Flip::Diverged])
            .expect("not empty");
        tree.mark(flip(0, direction), state);
        if direction != 20 {
            expected[direction as usize] = state;
        }
        let open: Vec<u32> = tree
            .open_flips(NodeId(0))
            .map(|open| open.direction)
            .collect();
        let untried = |direction: &u32| expected[*direction as usize] == Flip::Untried;
        assert_eq!(open, (0..50).filter(untried).collect::<Vec<_>>());
        assert_eq!(tree.open(), open.len() as u64);
        assert_eq!(tree.flip(flip(0, direction)), expected[direction as usize]);
    }
}

#[test]
fn a_full_tree_keeps_prefixes_only() {
    let mut tree = Tree::new(4);
    assert!(!tree.insert(ladder(&[0, 0, 0])).truncated);
    let cut = tree.insert(ladder(&[1, 0, 0]));
    assert_eq!((cut.path.len(), cut.truncated, tree.len()), (2, true, 4));
    assert!(!tree.insert(ladder(&[0, 0, 1])).truncated);
}

/// No run takes all that is left, and the last part is for those that gain something.
#[test]
fn room_is_left_for_other_runs() {
    let mut tree = Tree::new(8 * 40_960);
    let long = |site| (0..100_000).map(move |_| decision(site, 2, 0));
    let mut add = |site, gains| {
        let before = tree.len();
        let room = tree.room(gains);
        tree.insert_within(long(site), room);
        assert_eq!(tree.len(), before + room);
        room
    };
    assert_eq!(add(0, false), 7 * 40_960 / 32);
    assert_eq!(add(1, true), (8 * 40_960 - 7 * 1_280) / 32);
    let rest: Vec<usize> = (2..)
        .map(|site| add(site, false))
        .take_while(|room| *room > 0)
        .collect();
    assert!(
        rest.iter().rev().skip(1).all(|room| *room >= 4_096),
        "{rest:?}"
    );
    assert_eq!(add(1_000, true), 4_096);
    assert_eq!(tree.len(), 7 * 40_960 + 4_096);
}

#[test]
fn closed_directions_are_not_open() {
    let mut tree = Tree::default();
    tree.insert([Decision {
        frame: 0,
        value: 0,
        closed: Some(0),
        ..decision(0, 2, 1)
    }]);
    assert_eq!((tree.open(), tree.flip(flip(0, 0))), (0, Flip::Closed));
    tree.insert([Decision {
        frame: 0,
        value: 0,
        closed: Some(0),
        ..decision(0, 2, 0)
    }]);
    assert_eq!(tree.flip(flip(0, 0)), Flip::Taken);
}

/// A million nodes, one of them 100,000 deep, in well under 100 MB.
#[test]
fn a_million_nodes_are_small() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut tree = Tree::default();
    tree.insert((0..100_000).map(|step| decision(step % 64, 2, 0)));
    while tree.len() < 1_000_000 {
        let flip = rng.u32(..10_000);
        let run = (0..10_000).map(|step| decision(step % 64, 2, u32::from(step == flip)));
        tree.insert(run);
    }
    assert_eq!(tree.max_depth(), 99_999);
    assert!(
        tree.len() * 40 < 100_000_000 && tree.memory() < 100_000_000,
        "{}",
        tree.memory()
    );
}

/// What a library model compares with tells its decisions apart, beside what counts as a gain.
#[test]
fn sides_are_told_apart_by_value() {
    let with = |value: u32, direction: u32| Decision {
        value,
        ..decision(7, 2, direction)
    };
    let mut tree = Tree::default();
    let first = tree.insert([with(1, 0), with(2, 0), with(2, 1)]);
    assert_eq!(first.first_taken, [(7, 0), (7, 1)]);
    let side = |tree: &Tree, node: u32, direction: u32| tree.side(flip(node, direction));
    assert_ne!(side(&tree, 0, 0), side(&tree, 1, 0));
    assert_eq!(side(&tree, 1, 0), side(&tree, 2, 0));
    let (one, two) = (side(&tree, 0, 1), side(&tree, 1, 1));
    assert!(tree.has_taken(two) && !tree.has_taken(one));
    let second = tree.insert([with(1, 1)]);
    assert!(tree.has_taken(one) && second.first_taken.is_empty());
}
