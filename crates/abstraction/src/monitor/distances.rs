//! How far the states of a graph are from an open branch.
//!
//! Law: a state without a distance comes to no open branch on any path of the graph.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use labrys_expr::ExprId;
use labrys_program::BranchId;
use rustc_hash::FxHashMap;

use super::oracle::Oracle;
use crate::automaton::Automaton;
use crate::block::{LargeBlock, Location, TooLarge};
use crate::graph::{Graph, StateId};
use crate::invariants::Invariants;

/// By location: the condition under which a run from there takes an open branch in the block.
#[derive(Debug, Default)]
pub(super) struct GoalConditions(FxHashMap<Location, ExprId>);

impl GoalConditions {
    /// The condition of a block; escapes that may take an open branch are a part of it.
    pub(super) fn of(
        &mut self,
        automaton: &mut Automaton<'_>,
        location: Location,
        block: &LargeBlock,
        goals: &BTreeSet<BranchId>,
    ) -> ExprId {
        if let Some(known) = self.0.get(&location) {
            return *known;
        }
        let open = block
            .occurrences
            .iter()
            .filter(|place| goals.contains(&place.branch));
        let mut conditions: Vec<ExprId> = open.map(|place| place.condition).collect();
        for escape in &block.escapes {
            if goals
                .iter()
                .any(|goal| automaton.may_take(&escape.functions, *goal))
            {
                conditions.push(escape.condition);
            }
        }
        conditions.sort_unstable();
        conditions.dedup();
        let pool = automaton.terms.pool_mut();
        let none = ExprId::FALSE;
        let any = conditions
            .into_iter()
            .fold(none, |any, condition| pool.or(any, condition));
        self.0.insert(location, any);
        any
    }
}

/// What holds in a state.
pub(super) fn holds(graph: &Graph, invariants: &Invariants, id: StateId) -> Vec<ExprId> {
    let state = graph.state(id);
    let facts = invariants.at(state.location);
    facts.iter().chain(&state.cube).copied().collect()
}

/// See the module.
#[derive(Debug)]
pub(super) struct Distances(Vec<Option<u32>>);

impl Distances {
    /// The distances in a complete graph.
    pub(super) fn new(
        graph: &Graph,
        (automaton, invariants): (&mut Automaton<'_>, &Invariants),
        oracle: &mut Oracle<'_>,
        conditions: &mut GoalConditions,
        goals: &BTreeSet<BranchId>,
    ) -> Result<Self, TooLarge> {
        let mut distances = vec![None; graph.len()];
        let mut next = VecDeque::new();
        for (id, state) in graph.states() {
            if state.covered_by.is_some() {
                continue;
            }
            let block: Rc<LargeBlock> = automaton.block(state.location)?;
            let any = conditions.of(automaton, state.location, &block, goals);
            let mut query = holds(graph, invariants, id);
            query.push(any);
            if oracle.may(&mut automaton.terms, query) {
                distances[id.0 as usize] = Some(0);
                next.push_back(id);
            }
        }
        let mut before: Vec<Vec<StateId>> = vec![Vec::new(); graph.len()];
        for (id, state) in graph.states() {
            for (_, successor) in &state.successors {
                before[graph.resolved(*successor).0 as usize].push(id);
            }
        }
        while let Some(id) = next.pop_front() {
            let distance = distances[id.0 as usize].map_or(0, |distance: u32| distance + 1);
            for other in &before[id.0 as usize] {
                if distances[other.0 as usize].is_none() {
                    distances[other.0 as usize] = Some(distance);
                    next.push_back(*other);
                }
            }
        }
        Ok(Distances(distances))
    }

    /// Of a state that is not covered.
    pub(super) fn of(&self, id: StateId) -> Option<u32> {
        self.0[id.0 as usize]
    }
}
