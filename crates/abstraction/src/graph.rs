//! The abstract reachability graph (algorithm 2 of the paper).
//!
//! A state is a location with a cube: predicates of the location's precision, or their negations,
//! that hold. A state that says no less than another one of its location is covered by it and has
//! no successors.
//!
//! Law (theorem 1): when the worklist is empty, every run follows a path of the graph.

use std::collections::VecDeque;

use labrys_expr::ExprId;
use rustc_hash::FxHashMap;

use crate::block::Location;

/// A state of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct StateId(pub(crate) u32);

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) location: Location,
    /// In ascending order.
    pub(crate) cube: Vec<ExprId>,
    /// The state before, and the transition from it.
    pub(crate) parent: Option<(StateId, usize)>,
    pub(crate) covered_by: Option<StateId>,
    /// By transition: the states behind it.
    pub(crate) successors: Vec<(usize, StateId)>,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    states: Vec<State>,
    worklist: VecDeque<StateId>,
    by_location: FxHashMap<Location, Vec<StateId>>,
}

impl Graph {
    /// With nothing but the beginning.
    pub(crate) fn new(entry: Location) -> Self {
        let mut graph = Graph::default();
        graph.add(entry, Vec::new(), None);
        graph
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn state(&self, id: StateId) -> &State {
        &self.states[id.0 as usize]
    }

    /// The state that stands for a state: the one that covers it, if there is one.
    pub(crate) fn resolved(&self, mut id: StateId) -> StateId {
        while let Some(covering) = self.state(id).covered_by {
            id = covering;
        }
        id
    }

    /// States in the order in which they were found.
    pub(crate) fn states(&self) -> impl Iterator<Item = (StateId, &State)> {
        (0..).map(StateId).zip(&self.states)
    }

    pub(crate) fn add(
        &mut self,
        location: Location,
        cube: Vec<ExprId>,
        parent: Option<(StateId, usize)>,
    ) {
        let id = StateId(self.states.len() as u32);
        if let Some((parent, transition)) = parent {
            let parent = &mut self.states[parent.0 as usize];
            parent.successors.push((transition, id));
        }
        let covers = |other: &&StateId| {
            let other = self.state(**other);
            other
                .cube
                .iter()
                .all(|literal| cube.binary_search(literal).is_ok())
        };
        let known = self.by_location.get(&location);
        let covered_by = known.and_then(|known| known.iter().find(covers)).copied();
        self.states.push(State {
            location,
            cube,
            parent,
            covered_by,
            successors: Vec::new(),
        });
        if covered_by.is_none() {
            self.by_location.entry(location).or_default().push(id);
            self.worklist.push_back(id);
        }
    }

    /// The next state to expand.
    pub(crate) fn pop(&mut self) -> Option<StateId> {
        self.worklist.pop_front()
    }

    /// The states on the way to a state, with the transitions from them.
    pub(crate) fn way(&self, id: StateId) -> Vec<(StateId, usize)> {
        let parent = |(id, _): &(StateId, usize)| self.state(*id).parent;
        let mut way: Vec<_> = std::iter::successors(self.state(id).parent, parent).collect();
        way.reverse();
        way
    }
}
