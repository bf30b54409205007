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

use crate::certificate::uncalled;
use crate::checker::{Checker, Found};
use crate::monitor::GraphMonitor;
use crate::path::PathInput;
use crate::trial::Trials;
use crate::units::{Units, is_large};

/// The part of all work that it keeps in large programs if it brings nothing.
const PART: f64 = 0.02;
/// What a proof counts in large programs, beside a branch that a run takes: it may as well come later.
const PROOF: f64 = 0.125;
/// Steps of a turn.
const TURN: u32 = 8;
/// Instructions that the analysis of values looks at in the time of a step of the solver.
const VISITS_PER_STEP: u64 = 64;
/// Steps of the search before the first turn.
const BEGINS_AFTER: u64 = 32;

/// See the module.
pub struct ModelChecker<'p> {
    analysis: &'p ProgramAnalysis<'p>,
    entry: FunctionId,
    /// An input with the streams of the suite; objects are filled in.
    template: Input,
    checker: Rc<RefCell<Option<Checker<'p>>>>,
    units: Option<Units<'p>>,
    /// Work on the whole program, in steps of the solver.
    work: u64,
    /// Until it begins: they take an analysis of their own.
    trials: Option<Box<dyn FnOnce() -> Trials<'p> + 'p>>,
    told: bool,
    /// Whether the branches are proved that no calls lead to.
    called: bool,
    /// Whether the branches are proved that no values lead to.
    valued: bool,
    is_large: bool,
    /// Whether the graph and the units have nothing more to do.
    is_searched: bool,
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
            units: None,
            work: 0,
            trials: None,
            told: false,
            called: false,
            valued: false,
            is_large: is_large(analysis),
            is_searched: false,
        }
    }

    /// Paths are tried for inputs.
    #[must_use]
    pub fn with_trials(mut self, trials: impl FnOnce() -> Trials<'p> + 'p) -> Self {
        self.trials = Some(Box::new(trials));
        self
    }

    /// What the graph says of the flips of runs, once there is one.
    #[must_use]
    pub fn monitor(&self) -> GraphMonitor<'p> {
        GraphMonitor::new(self.checker.clone())
    }

    /// Whether the branches are proved now that no values lead to: first in large programs; in others
    /// last, since the graph may prove them with a certificate.
    fn is_time_for_values(&self) -> bool {
        !self.valued && (self.is_large || self.is_searched)
    }

    /// A step that proves the branches that no values lead to. It counts as no gain: it says nothing of
    /// what the graph will bring.
    fn step_values(&mut self, session: &mut Session) -> Result<Report, Error> {
        self.valued = true;
        let work = self.prove_by_values(session)?;
        Ok(Report {
            work: work as f64 / SOLVER_STEPS as f64,
            gain: 0.0,
            rest: 0,
            state: State::More,
        })
    }

    /// Proves the branches that no values lead to; the work in steps of the solver.
    fn prove_by_values(&mut self, session: &mut Session) -> Result<u64, Error> {
        let impossible = self.analysis.impossible_branches();
        let unseen = session.unseen();
        let open = impossible.branches.iter().copied();
        let open: Vec<BranchId> = open.filter(|branch| unseen.contains(*branch)).collect();
        prove_by(session, &open, None)?;
        Ok(impossible.visits / VISITS_PER_STEP)
    }

    /// Proves the branches of functions that no calls lead to: those proofs stand whatever else is not
    /// known of the program, and cost nothing.
    fn prove_uncalled(&mut self, session: &mut Session) -> Result<(), Error> {
        if std::mem::replace(&mut self.called, true) {
            return Ok(());
        }
        match uncalled(self.analysis, session.unseen().iter()) {
            Some((branches, certificate)) => prove_by(session, &branches, Some(certificate)),
            None => Ok(()),
        }
    }

    fn begin(&mut self, session: &Session) -> Result<(), bitwuzla::Error> {
        if self.units.is_none() {
            let goals: Vec<BranchId> = session.unseen().iter().collect();
            let of_units = goals.iter().copied();
            self.units = Some(Units::new(self.analysis, self.entry, of_units));
            if !self.analysis.obstacles().is_empty() {
                // All work is for the units: runs are not followed.
                self.work = u64::MAX;
                return Ok(());
            }
            let mut checker = Checker::new(self.analysis, self.entry, goals)?;
            if let Some(trials) = self.trials.take() {
                checker = checker.with_trials(trials());
            }
            *self.checker.borrow_mut() = Some(checker);
        }
        Ok(())
    }

    /// Looks at a function by itself, if it is time for that.
    fn step_unit(&mut self, session: &mut Session) -> Result<Option<Report>, Error> {
        let Some(units) = self.units.as_mut().filter(|units| units.is_due(self.work)) else {
            return Ok(None);
        };
        let unseen = session.unseen();
        let is_open = |branch| unseen.contains(branch);
        let Ok((proved, work)) = units.step(session, is_open) else {
            return Ok(None);
        };
        let mut gain = 0.0;
        if let Some((branches, certificate)) = proved {
            gain = self.worth(branches.len());
            prove_by(session, &branches, certificate)?;
            if let Some(checker) = self.checker.borrow_mut().as_mut() {
                branches.iter().for_each(|goal| checker.drop_goal(*goal));
            }
        }
        Ok(Some(Report {
            work: work as f64 / SOLVER_STEPS as f64,
            gain,
            rest: 0,
            state: State::More,
        }))
    }

    /// Looks at the whole program, if runs can be followed.
    fn step_whole(&mut self, session: &mut Session) -> Result<Report, Error> {
        let mut report = nothing_left();
        let shared = self.checker.clone();
        let mut shared = shared.borrow_mut();
        let Some(checker) = shared.as_mut() else {
            // Runs are not followed, and the units are done.
            if !self.valued {
                self.is_searched = true;
                report.state = State::More;
            }
            return Ok(report);
        };
        let seen = session.seen().clone();
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
        self.work = self.work.saturating_add(work);
        report.work = work as f64 / SOLVER_STEPS as f64;
        report.state = State::More;
        match found {
            Found::Nothing => {}
            // Then all work is for the units that wait.
            Found::Done if self.units.as_ref().is_some_and(Units::is_open) => self.work = u64::MAX,
            Found::Done if !self.valued => self.is_searched = true,
            Found::Done => report.state = State::Done,
            Found::Unreachable(branches) => {
                report.gain = self.worth(branches.len());
                let certificate = checker.certificate(&branches);
                prove_by(session, &branches, certificate)?;
            }
            Found::Input(_, Some(input)) => self.suggest(session, &input),
            Found::Input(_, None) => {}
        }
        Ok(report)
    }

    /// What so many proofs gain.
    fn worth(&self, proofs: usize) -> f64 {
        match self.is_large {
            true => PROOF * proofs as f64,
            false => proofs as f64,
        }
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
        let (what, why) = match self.analysis.local_obstacles() {
            [] => (
                "by values and by functions alone",
                self.analysis.obstacles(),
            ),
            local => ("of functions that are never called", local),
        };
        session.note(&format!(
            "--abstraction proves nothing here but {what}: {}",
            why.join("; ")
        ));
    }
}

impl Member for ModelChecker<'_> {
    fn turn(&self) -> u32 {
        TURN
    }

    fn tentative_part(&self) -> Option<f64> {
        // The whole of a small program is soon looked at.
        self.is_large.then_some(PART)
    }

    fn begins_after(&self) -> u64 {
        BEGINS_AFTER
    }

    fn step(&mut self, session: &mut Session) -> Result<Report, Error> {
        self.prove_uncalled(session)?;
        if !self.analysis.obstacles().is_empty() {
            self.tell_why_not(session);
        }
        if !self.analysis.local_obstacles().is_empty() {
            return Ok(nothing_left());
        }
        if self.is_time_for_values() {
            return self.step_values(session);
        }
        if self.begin(session).is_err() {
            return Ok(nothing_left());
        }
        if let Some(report) = self.step_unit(session)? {
            return Ok(report);
        }
        self.step_whole(session)
    }
}

/// The report of a step where there is nothing more to do.
fn nothing_left() -> Report {
    Report {
        work: 1.0,
        gain: 0.0,
        rest: 0,
        state: State::Done,
    }
}

/// Branches are proved unreachable, by a certificate if there is one.
fn prove_by(
    session: &mut Session,
    branches: &[BranchId],
    certificate: Option<String>,
) -> Result<(), Error> {
    let proof = certificate.map(|text| session.add_proof(&text));
    let proof = proof.transpose()?;
    let program = session.program().clone();
    for branch in branches {
        if let Some(name) = program.branch_name(*branch) {
            session.prove_by(&name, Some(*branch), proof.as_deref())?;
        }
    }
    Ok(())
}
