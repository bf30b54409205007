//! Longer paths to goals: where the shortest one in the graph has no input, because a program goes
//! round a loop as often as its input has lines, others are tried ([`crate::trial`]).
//!
//! Paths are followed from the beginning, the shorter ones first, and through states that are covered
//! as through those that cover them. A trial looks only at locations, so states of one location are
//! followed together.

use std::collections::{BTreeMap, VecDeque};

use labrys_program::BranchId;
use rustc_hash::FxHashMap;

use crate::block::{Location, Occurrence};
use crate::graph::{Graph, StateId};

/// Paths that come to one location.
const VISITS: u32 = 16;
/// Paths that are followed.
const MAX_PATHS: usize = 4_000;
/// Paths to one goal.
const TRIES: usize = 24;

/// A path that comes to a goal.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The locations but the last, and the transition from each.
    pub(crate) way: Vec<(Location, usize)>,
    pub(crate) last: Location,
    pub(crate) goal: Occurrence,
}

impl Candidate {
    /// The locations on it.
    pub(crate) fn locations(&self) -> impl Iterator<Item = Location> + '_ {
        let before = self.way.iter().map(|(location, _)| *location);
        before.chain([self.last])
    }
}

/// Paths with the same locations.
struct Path {
    /// The states that they may be in at their end; there is one.
    states: Vec<StateId>,
    /// The path before, and the transition from there.
    before: Option<(usize, usize)>,
}

/// The paths to goals: for each goal the shortest, then for each the next. `occurrences` are the
/// goals in the block of a location.
pub(crate) fn candidates(
    graph: &Graph,
    mut occurrences: impl FnMut(Location) -> Vec<Occurrence>,
) -> VecDeque<Candidate> {
    let mut paths = vec![Path {
        states: vec![StateId(0)],
        before: None,
    }];
    let mut visits: FxHashMap<Location, u32> = FxHashMap::default();
    let mut found: BTreeMap<BranchId, Vec<Candidate>> = BTreeMap::new();
    let mut at = 0;
    while at < paths.len() {
        let last = graph.state(paths[at].states[0]).location;
        for goal in occurrences(last) {
            let known = found.entry(goal.branch).or_default();
            if known.len() < TRIES {
                let way = way(graph, &paths, at);
                known.push(Candidate { way, last, goal });
            }
        }
        for ((location, transition), states) in successors(graph, &paths[at].states) {
            let visits = visits.entry(location).or_default();
            if *visits < VISITS && paths.len() < MAX_PATHS {
                *visits += 1;
                let before = Some((at, transition));
                paths.push(Path { states, before });
            }
        }
        at += 1;
    }
    let all = found.into_values();
    let all = all.flat_map(|all| all.into_iter().enumerate());
    let mut all: Vec<(usize, Candidate)> = all.collect();
    all.sort_by_key(|(attempt, _)| *attempt);
    all.into_iter().map(|(_, candidate)| candidate).collect()
}

/// The states behind some of one location, by location and transition.
fn successors(graph: &Graph, states: &[StateId]) -> BTreeMap<(Location, usize), Vec<StateId>> {
    let mut found: BTreeMap<(Location, usize), Vec<StateId>> = BTreeMap::new();
    for id in states {
        for (transition, successor) in &graph.state(*id).successors {
            let successor = graph.resolved(*successor);
            let key = (graph.state(successor).location, *transition);
            let known = found.entry(key).or_default();
            if !known.contains(&successor) {
                known.push(successor);
            }
        }
    }
    found
}

fn way(graph: &Graph, paths: &[Path], mut at: usize) -> Vec<(Location, usize)> {
    let mut way = Vec::new();
    while let Some((before, transition)) = paths[at].before {
        let state = graph.state(paths[before].states[0]);
        way.push((state.location, transition));
        at = before;
    }
    way.reverse();
    way
}
