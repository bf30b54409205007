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
use labrys_suite::Input;

use crate::checker::{Checker, Found};
use crate::monitor::GraphMonitor;
use crate::path::PathInput;
use crate::trial::Trials;

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
    /// Until it begins.
    trials: Option<Trials<'p>>,
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
            trials: None,
            told: false,
        }
    }

    /// Paths are tried for inputs.
    #[must_use]
    pub fn with_trials(mut self, trials: Trials<'p>) -> Self {
        self.trials = Some(trials);
        self
    }

    /// What the graph says of the flips of runs, once there is one.
    #[must_use]
    pub fn monitor(&self) -> GraphMonitor<'p> {
        GraphMonitor::new(self.checker.clone())
    }

    fn begin(&mut self, session: &Session) -> Result<(), bitwuzla::Error> {
        if self.checker.borrow().is_none() {
            let goals: Vec<BranchId> = session.unseen().iter().collect();
            let mut checker = Checker::new(self.analysis, self.entry, goals)?;
            if let Some(trials) = self.trials.take() {
                checker = checker.with_trials(trials);
            }
            *self.checker.borrow_mut() = Some(checker);
        }
        Ok(())
    }

    /// Hands an input to the search.
    fn suggest(&self, session: &mut Session, found: &PathInput) {
        let input = found.onto(&self.template);
        if input != self.template {
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
