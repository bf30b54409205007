//! Exploring code backward: the interface between the inference of loop invariants and the path
//! search, which infers invariants of loops that it meets.

use std::collections::BTreeSet;

use labrys_program::FunctionId;

use super::Effort;
use crate::check::Check;
use crate::precision::Precision;
use crate::state::State;
use crate::terms::Terms;

/// Reasons why paths were left out.
pub(crate) type Cuts = BTreeSet<String>;

/// The states before the head of a block.
#[derive(Debug)]
pub(crate) enum Predecessors {
    /// One state, without a choice.
    Single(State),
    /// These states.
    Alternatives(Vec<State>),
    /// The beginning of the entry function, and further states in its callers.
    Entry(State, Vec<State>),
}

/// Explores code backward.
pub(crate) trait Exploration<'p> {
    fn terms(&mut self) -> &mut Terms<'p>;

    fn effort(&mut self) -> &mut Effort;

    /// The states before the head of the state's block, the nearest to the entry first. Paths go
    /// back to the entry of `entry`; reasons to leave some out are added to `cuts`.
    fn predecessors(
        &mut self,
        state: State,
        precision: &Precision,
        entry: FunctionId,
        cuts: &mut Cuts,
        check: Check<'_>,
    ) -> Predecessors;
}
