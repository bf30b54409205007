//! One iteration of a loop, backward: from its header to its header at the visit before.
//!
//! Law: a run that takes an iteration of the loop is on one of the paths that are visited; where
//! some had to be left out, the caller is told.

use std::marker::PhantomData;

use labrys_analysis::Loop;
use labrys_expr::ExprId;
use labrys_program::BlockId;
use labrys_solver::{Answer, Model};

use super::counters::require_counters;
use super::exploration::{Cuts, Exploration, Predecessors};
use crate::check::Check;
use crate::precision::Precision;
use crate::state::State;
use crate::step::{Step, cross_all, pass_block};
use crate::terms::Terms;

/// Segments of one exploration of a loop's iteration.
const MAX_SEGMENTS: u64 = 30;

/// Explores iterations of a loop, and asks the solver about them.
pub(super) struct Iterations<'a, 'p, E> {
    explorer: &'a mut E,
    natural: &'a Loop,
    check: Check<'a>,
    program: PhantomData<&'p ()>,
}

/// Looks at a state at the header, one visit before; whether to go on.
pub(super) type Visit<'v, 'a, 'p, E> =
    &'v mut dyn FnMut(&mut Iterations<'a, 'p, E>, &mut State) -> bool;

impl<'a, 'p, E: Exploration<'p>> Iterations<'a, 'p, E> {
    pub(super) fn new(explorer: &'a mut E, natural: &'a Loop, check: Check<'a>) -> Self {
        Iterations {
            explorer,
            natural,
            check,
            program: PhantomData,
        }
    }

    pub(super) fn terms(&mut self) -> &mut Terms<'p> {
        self.explorer.terms()
    }

    /// Goes through one iteration, on all paths, from a state at the header, and visits the states
    /// at the header before; whether that could be done, and all visits said yes.
    pub(super) fn explore(&mut self, start: &State, visit: Visit<'_, 'a, 'p, E>) -> bool {
        let header = (start.depth(), start.block());
        let precision = Precision::of_iterations();
        let mut cuts = Cuts::new();
        let latches = self.natural.latches().iter().copied();
        let mut stack = cross_all(self.explorer.terms(), start, latches);
        let mut segments = 0;
        while let Some(state) = stack.pop() {
            segments += 1;
            let is_within = self.explorer.effort().segment();
            if segments > MAX_SEGMENTS || !is_within || !cuts.is_empty() {
                return false;
            }
            match self.follow(state, header, &precision, &mut cuts, &mut *visit) {
                Some(states) => stack.extend(states),
                None => return false,
            }
        }
        cuts.is_empty()
    }

    /// Goes back until paths part, or to the header: the states where they part. `None` if the
    /// exploration failed.
    fn follow(
        &mut self,
        mut state: State,
        header: (usize, BlockId),
        precision: &Precision,
        cuts: &mut Cuts,
        visit: Visit<'_, 'a, 'p, E>,
    ) -> Option<Vec<State>> {
        loop {
            match pass_block(self.explorer.terms(), &mut state, precision) {
                Step::Done => {}
                Step::Fork(states) => return Some(states),
                Step::Infeasible => return Some(Vec::new()),
                Step::Refused => return None,
            }
            if (state.depth(), state.block()) == header {
                require_counters(self.explorer.terms(), &mut state);
                return visit(self, &mut state).then(Vec::new);
            }
            let entry = state.function();
            let check = &mut *self.check;
            match self
                .explorer
                .predecessors(state, precision, entry, cuts, check)
            {
                Predecessors::Single(next) => state = next,
                Predecessors::Alternatives(states) => return Some(states),
                Predecessors::Entry(..) => return None,
            }
        }
    }

    /// The solver's answer; `None` if too much was asked.
    pub(super) fn ask(&mut self, constraints: Vec<ExprId>) -> Option<Answer> {
        if !self.explorer.effort().query() {
            return None;
        }
        let terms = self.explorer.terms();
        let mut asked = terms.axioms(&constraints);
        asked.extend(constraints);
        let hint = terms.hint(&asked, &Model::default());
        let steps = Precision::of_iterations().steps;
        Some((self.check)(terms.pool_mut(), asked, &hint, steps))
    }

    /// Whether the solver shows that constraints have no solution.
    pub(super) fn is_unsatisfiable(&mut self, constraints: Vec<ExprId>) -> bool {
        matches!(self.ask(constraints), Some(Answer::Unsat(_)))
    }
}
