//! Trials: an abstract path is executed again from the beginning of the program, each block on what
//! is known behind the one before, so that its model is an input of the program.
//!
//! The formulas of blocks say nothing of bytes that were written at offsets that a path decides, nor
//! of those that library functions read and write: what is not known is havocked, for proofs. On one
//! path counters are numbers, and the program is closed with its surroundings
//! ([`labrys_semantics::environment`]): lines, blocks and characters that it reads, and its
//! arguments, are bytes of the input.
//!
//! Law: nothing is proved by a trial. What it leaves out (writes to unknown addresses, long lines,
//! allocations that fail) can only make an input miss, and a run shows that.

use labrys_analysis::ProgramAnalysis;
use labrys_expr::ExprId;
use labrys_program::{BlockId, Callee, FunctionId, Operation};
use labrys_semantics::environment::InputPart;
use labrys_solver::{Answer, Model};
use labrys_suite::Input;

use crate::ask::{Asker, evaluate};
use crate::block::{Beginning, Location, Occurrence, Orders, build};
use crate::contents::Contents;
use crate::path::{AbstractPath, PathInput};
use crate::terms::{Frame, FrameId, Terms};

/// Expressions of a trial at most.
const MAX_NODES: usize = 400_000;
/// Lengths of files that are tried first, in bytes.
const SHORT: &[u128] = &[16, 64];

/// See the module.
#[derive(Clone, Debug)]
pub struct Trials<'p> {
    analysis: &'p ProgramAnalysis<'p>,
    start: FunctionId,
    contents: Contents,
}

impl<'p> Trials<'p> {
    /// Trials in a closed program whose runs begin in `start`, for inputs with the streams of a
    /// template under a command line, the program's name first.
    #[must_use]
    pub fn new(
        analysis: &'p ProgramAnalysis<'p>,
        start: FunctionId,
        template: Input,
        line: &[String],
    ) -> Self {
        Trials {
            analysis,
            start,
            contents: Contents::new(template, line),
        }
    }

    /// An input of a path to a branch, if there is one, and the work that it took in steps of the
    /// solver, beside queries. The path's frames are those of `open`, the terms of the program as it is.
    pub(crate) fn input(
        &self,
        asker: &mut Asker<'_>,
        open: &Terms<'_>,
        path: &AbstractPath,
        goal: Occurrence,
    ) -> (Option<PathInput>, u64) {
        let mut trial = Trial {
            terms: Terms::of_trial(self.analysis, self.contents.clone()),
            orders: Orders::default(),
            start: self.start,
        };
        let found = trial.run(asker, open, path, goal);
        (found, trial.terms.work())
    }
}

/// One trial.
struct Trial<'p> {
    terms: Terms<'p>,
    orders: Orders,
    start: FunctionId,
}

impl Trial<'_> {
    fn run(
        &mut self,
        asker: &mut Asker<'_>,
        open: &Terms<'_>,
        path: &AbstractPath,
        goal: Occurrence,
    ) -> Option<PathInput> {
        let frame = self.terms.frame_id(Frame {
            function: self.start,
            caller: None,
        });
        let block = BlockId(0);
        let mut beginning = Beginning::new(Location { frame, block }, true);
        let (mut conditions, mut asked) = (Vec::new(), Vec::new());
        for step in 0..path.len() {
            let block = build(&mut self.terms, &mut self.orders, beginning).ok()?;
            asked.extend(block.requests.iter().cloned());
            if step + 1 == path.len() {
                let frame = self.frame(open, goal.frame)?;
                let mut all = block.occurrences.iter();
                let here = all.find(|one| (one.frame, one.branch) == (frame, goal.branch))?;
                conditions.push(here.condition);
                break;
            }
            let target = path.transition(step).target;
            let frame = self.frame(open, target.frame)?;
            let target = Location { frame, ..target };
            let mut all = block.transitions.iter();
            let taken = all.find(|one| one.target == target)?;
            conditions.push(taken.condition);
            if self.terms.pool().len() > MAX_NODES {
                return None;
            }
            beginning = block.beginning_behind(taken);
        }
        let model = self.shortest(asker, &conditions)?;
        let pieces = self.terms.contents()?.pieces().to_vec();
        let begins = evaluate(&mut self.terms, &pieces, &model).into_iter();
        let begins: Vec<Option<u64>> = begins.map(|value| Some(value?.bits() as u64)).collect();
        let parts = self.terms.contents()?.symbols(&begins);
        PathInput::of(&mut self.terms, &model, &asked, parts.into_iter())
    }

    /// A model of some conditions, if possible with short files: what a program does with more bytes
    /// than the path asks for takes time, and says nothing.
    fn shortest(&mut self, asker: &mut Asker<'_>, conditions: &[ExprId]) -> Option<Model> {
        let parts = self.terms.contents()?.symbols(&[]).into_iter();
        let lengths = parts.filter_map(|((part, _), symbol)| {
            matches!(part, InputPart::Length(_)).then_some(symbol)
        });
        let lengths: Vec<ExprId> = lengths.collect();
        let bounds = if lengths.is_empty() { &[] } else { SHORT };
        for bound in bounds.iter().copied().map(Some).chain([None]) {
            let mut query = conditions.to_vec();
            for length in lengths.iter().filter(|_| bound.is_some()) {
                let pool = self.terms.pool_mut();
                let bound = pool.constant(pool.width(*length), bound.unwrap_or(0));
                query.push(pool.ule(*length, bound));
            }
            match asker.check(&mut self.terms, &query) {
                Answer::Sat(model) => return Some(model),
                Answer::Unsat(core) if core.0.iter().all(|at| *at < conditions.len()) => {
                    return None;
                }
                Answer::Unsat(_) | Answer::Unknown(_) => {}
            }
        }
        None
    }

    /// The frame that is the one of the program as it is.
    fn frame(&mut self, open: &Terms<'_>, id: FrameId) -> Option<FrameId> {
        let Frame { function, caller } = open.frame(id);
        let caller = match caller {
            Some((caller, place)) => Some((self.frame(open, caller)?, place)),
            None if function == self.start => None,
            None => Some(self.call_of(function)?),
        };
        Some(self.terms.frame_id(Frame { function, caller }))
    }

    /// Where the closed program calls the function in which runs of the program begin.
    fn call_of(&mut self, main: FunctionId) -> Option<(FrameId, (BlockId, usize))> {
        let start = self.terms.frame_id(Frame {
            function: self.start,
            caller: None,
        });
        let block = self.terms.function(start).blocks.first()?;
        let calls_it = |operation: &Operation| matches!(operation, Operation::Call { callee: Callee::Direct(id), .. } if *id == main);
        let mut instructions = block.instructions.iter();
        let index = instructions.position(|one| calls_it(&one.operation))?;
        Some((start, (BlockId(0), index)))
    }
}
