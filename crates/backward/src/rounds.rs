//! Ways once round a loop, backward: from its header to its header at the visit before.
//!
//! Law: a run that goes round the loop is on one of the ways that are visited; where some had to be
//! left out, the caller is told.

use labrys_expr::ExprId;
use labrys_program::ValueId;
use labrys_solver::{Answer, Model};

use crate::choices::{Cuts, Head};
use crate::demand::Base;
use crate::pass::Step;
use crate::precision::Precision;
use crate::search::Check;
use crate::state::{Read, State};
use labrys_analysis::Loop;

/// Segments of ways once round a loop.
const MAX_SEGMENTS: u64 = 30;

/// How much was tried.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    pub(crate) nesting: usize,
    /// Where the counts are to end for the step that is taken: of segments, of queries.
    pub(crate) limits: (u64, u64),
    /// Segments of ways round loops.
    pub(crate) segments: u64,
    pub(crate) queries: u64,
}

/// What constraints speak of that a loop may change, and the memory that this is found in.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    pub(crate) phis: Vec<(ValueId, ExprId)>,
    /// Reads after those that their addresses speak of.
    pub(crate) reads: Vec<Read>,
}

/// Looks at a state that went round; whether to go on.
type Visit<'a, 'p> = &'a mut dyn FnMut(&mut Base<'p>, &mut State, Check<'_>) -> bool;

impl<'p> Base<'p> {
    /// Goes round a loop once, on all ways, from a state at its header, and visits the states at
    /// the header before; whether that could be done, and all visits said yes.
    pub(crate) fn go_round(
        &mut self,
        start: &State,
        natural: &Loop,
        check: Check<'_>,
        visit: Visit<'_, 'p>,
    ) -> bool {
        let (level, header) = (start.frames.len(), start.block);
        let precision = Precision::of_rounds();
        let mut cuts = Cuts::new();
        let mut stack = self.ways(start, natural.latches().iter().copied());
        let mut segments = 0;
        while let Some(mut way) = stack.pop() {
            segments += 1;
            self.rounds.segments += 1;
            if segments > MAX_SEGMENTS
                || self.rounds.segments > self.rounds.limits.0
                || !cuts.is_empty()
            {
                return false;
            }
            loop {
                match self.through_block(&mut way, precision) {
                    Step::Done => {}
                    Step::Fork(ways) => {
                        stack.extend(ways);
                        break;
                    }
                    Step::Dead => break,
                    Step::Refused => return false,
                }
                if way.frames.len() == level && way.block == header {
                    if !visit(self, &mut way, &mut *check) {
                        return false;
                    }
                    break;
                }
                let function = way.function();
                match self.head(way, precision, function, &mut cuts, &mut *check) {
                    Head::Single(next) => way = next,
                    Head::Choices(ways) => {
                        stack.extend(ways);
                        break;
                    }
                    Head::Entry(..) => return false,
                }
            }
        }
        cuts.is_empty()
    }

    /// The state with nothing but these constraints.
    pub(crate) fn before_round(
        &self,
        state: &State,
        constraints: &[ExprId],
        needs: &Needs,
    ) -> State {
        let mut start = state.clone();
        start.constraints = constraints.to_vec();
        start.reads.clone_from(&needs.reads);
        start.satisfiable = std::rc::Rc::default();
        start.hops.drain(..start.hops.len().saturating_sub(1));
        start.inputs.clear();
        start.skips.clear();
        let frame = start.frame_mut();
        frame.turns.clear();
        let phis = &self.image.function(frame.function).blocks[state.block.index()].phis;
        for phi in phis {
            if !needs.phis.iter().any(|(value, _)| *value == phi.result) {
                frame.env.remove(&phi.result);
            }
        }
        start
    }

    /// The solver's answer; `None` if too much was asked.
    pub(crate) fn ask_round(&mut self, asked: Vec<ExprId>, check: Check<'_>) -> Option<Answer> {
        if self.rounds.queries >= self.rounds.limits.1 {
            return None;
        }
        self.rounds.queries += 1;
        let mut constraints = self.axioms(&asked);
        constraints.extend(asked);
        let hint = self
            .objects
            .guess(&self.pool, &constraints, &Model::default());
        let steps = Precision::of_rounds().steps;
        Some(check(&mut self.pool, constraints, &hint, steps))
    }

    pub(crate) fn has_no_solution(&mut self, asked: Vec<ExprId>, check: Check<'_>) -> bool {
        matches!(self.ask_round(asked, check), Some(Answer::Unsat(_)))
    }
}
