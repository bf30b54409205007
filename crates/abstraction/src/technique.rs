//! The model checker as a member of a portfolio, beside the search (algorithm 3 of the paper).
//!
//! It begins when the search has taken the easy branches. Its inputs are handed to the search, its
//! proofs to the session, which looks for those branches no longer.

use std::cell::RefCell;
use std::rc::Rc;

use labrys_analysis::ProgramAnalysis;
use labrys_engine::{Error, Session};
use labrys_portfolio::{Member, Report, SOLVER_STEPS, State};
use labrys_program::{BranchId, FunctionId};
use labrys_solver::bitwuzla;
use labrys_suite::{Input, StreamKind};

use crate::checker::{Checker, Found};
use crate::monitor::GraphMonitor;
use crate::path::PathInput;

/// Steps of a turn.
const TURN: u32 = 8;
/// Steps of the search before the first turn.
const BEGINS_AFTER: u64 = 32;

/// See the module.
pub struct ModelChecker<'p> {
    analysis: &'p ProgramAnalysis<'p>,
    entry: FunctionId,
    /// An input with the streams of the suite; objects are filled in.
    template: Input,
    checker: Rc<RefCell<Option<Checker<'p>>>>,
    told: bool,
}

impl<'p> ModelChecker<'p> {
    /// A model checker that has not begun.
    #[must_use]
    pub fn new(analysis: &'p ProgramAnalysis<'p>, entry: FunctionId, template: Input) -> Self {
        ModelChecker {
            analysis,
            entry,
            template,
            checker: Rc::default(),
            told: false,
        }
    }

    /// What the graph says of the flips of runs, once there is one.
    #[must_use]
    pub fn monitor(&self) -> GraphMonitor<'p> {
        GraphMonitor::new(self.checker.clone())
    }

    fn begin(&self, session: &Session) -> Result<(), bitwuzla::Error> {
        if self.checker.borrow().is_none() {
            let goals: Vec<BranchId> = session.unseen().iter().collect();
            let checker = Checker::new(self.analysis, self.entry, goals)?;
            *self.checker.borrow_mut() = Some(checker);
        }
        Ok(())
    }

    /// Hands an input to the search.
    fn suggest(&self, session: &mut Session, found: &PathInput) {
        let mut input = self.template.clone();
        let is_objects = |kind: &StreamKind| *kind == StreamKind::Objects;
        let mut put = |wanted: &dyn Fn(&StreamKind) -> bool, bytes: &[u8]| {
            let mut streams = input.streams.iter_mut();
            let stream = streams.find(|stream| wanted(&stream.kind));
            let has_it = stream.is_some();
            if let Some(stream) = stream {
                stream.bytes = bytes.to_vec();
            }
            has_it
        };
        // Which stream a path takes bytes from it does not say: the run will.
        let objects = put(&is_objects, found.objects());
        if put(&StreamKind::is_file, found.characters()) || objects {
            session.suggest(input, "abstraction");
        }
    }

    fn tell_why_not(&mut self, session: &mut Session) {
        if std::mem::replace(&mut self.told, true) {
            return;
        }
        let why = self.analysis.obstacles().join("; ");
        session.note(&format!("--abstraction proves nothing here: {why}"));
    }
}

impl Member for ModelChecker<'_> {
    fn turn(&self) -> u32 {
        TURN
    }

    fn begins_after(&self) -> u64 {
        BEGINS_AFTER
    }

    fn step(&mut self, session: &mut Session) -> Result<Report, Error> {
        let mut report = Report {
            work: 1.0,
            gain: 0.0,
            rest: 0,
            state: State::Done,
        };
        if !self.analysis.obstacles().is_empty() {
            self.tell_why_not(session);
            return Ok(report);
        }
        let seen = session.seen().clone();
        if self.begin(session).is_err() {
            return Ok(report);
        }
        let shared = self.checker.clone();
        let mut shared = shared.borrow_mut();
        let Some(checker) = shared.as_mut() else {
            return Ok(report);
        };
        let taken = checker
            .goals()
            .iter()
            .copied()
            .filter(|goal| seen.contains(*goal));
        for goal in taken.collect::<Vec<_>>() {
            checker.drop_goal(goal);
        }
        let before = session.effort() + checker.work();
        let found = checker.step(session);
        let work = session.effort() + checker.work() - before;
        report.work = work as f64 / SOLVER_STEPS as f64;
        report.state = State::More;
        match found {
            Found::Nothing => {}
            Found::Done => report.state = State::Done,
            Found::Unreachable(branches) => {
                report.gain = branches.len() as f64;
                let program = session.program().clone();
                let proof = checker
                    .certificate(&branches)
                    .map(|text| session.add_proof(&text));
                let proof = proof.transpose()?;
                for branch in branches {
                    if let Some(name) = program.branch_name(branch) {
                        session.prove_by(&name, Some(branch), proof.as_deref())?;
                    }
                }
            }
            Found::Input(_, input) => {
                if let Some(input) = input {
                    self.suggest(session, &input);
                }
            }
        }
        Ok(report)
    }
}
