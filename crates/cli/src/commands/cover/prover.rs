//! Backward execution beside the search: it looks for inputs that take open branches, and for
//! proofs that there are none.
//!
//! It begins when the search has taken the easy branches, with those that are open then; a branch
//! that a run takes meanwhile is no target any more. Its inputs are handed to the search, and its
//! proofs to the session, which looks for those branches no longer.

use std::collections::HashMap;

use labrys_backward::{Symcretic, Target};
use labrys_engine::{Error, Progress, Session, Technique};
use labrys_portfolio::{Member, Report, SOLVER_STEPS, State};
use labrys_program::BranchId;
use labrys_suite::{TargetStatus, TargetSummary};

use crate::wiring::backward::effort;

/// Steps of a turn.
const TURN: u32 = 8;
/// Steps of the search before the first turn.
const BEGINS_AFTER: u64 = 200;

/// See the module.
pub(crate) struct Prover<'p, F> {
    /// Makes symcretic execution toward targets.
    make: F,
    /// There once it has begun.
    backward: Option<Symcretic<'p>>,
    /// Branches that were seen when covered targets were dropped last.
    seen: usize,
}

impl<'p, F: Fn(Vec<Target>) -> Symcretic<'p>> Prover<'p, F> {
    pub(crate) fn new(make: F) -> Self {
        Prover {
            make,
            backward: None,
            seen: 0,
        }
    }
}

impl<'p, F: Fn(Vec<Target>) -> Symcretic<'p>> Member for Prover<'p, F> {
    fn turn(&self) -> u32 {
        TURN
    }

    fn begins_after(&self) -> u64 {
        BEGINS_AFTER
    }

    fn step(&mut self, session: &mut Session) -> Result<Report, Error> {
        let make = &self.make;
        let backward = self
            .backward
            .get_or_insert_with(|| make(open_branches(session)));
        let seen = session.seen().count();
        if seen != self.seen {
            backward.note_covered(session.seen());
        }
        let (before, kept) = (effort(session, backward), session.kept_inputs().len());
        let progress = backward.step(session)?;
        let found = session.kept_inputs()[kept..].to_vec();
        for input in found.into_iter().chain(backward.take_near()) {
            session.suggest(input, "backward");
        }
        self.seen = session.seen().count();
        Ok(Report {
            work: (effort(session, backward) - before) as f64 / SOLVER_STEPS as f64,
            gain: (self.seen - seen) as f64,
            rest: 0,
            state: match progress {
                Progress::More => State::More,
                Progress::Done => State::Done,
            },
        })
    }
}

/// The branches that no run took, as targets.
fn open_branches(session: &Session) -> Vec<Target> {
    let program = session.program();
    let open = session.unseen();
    open.iter()
        .filter_map(|branch| Target::branch(program, branch))
        .collect()
}

/// Takes over what an earlier session on the suite proved.
pub(crate) fn restore(session: &mut Session, targets: &[TargetSummary]) -> Result<(), Error> {
    let proved = |target: &&TargetSummary| target.status == TargetStatus::Unreachable;
    let proved: HashMap<&str, Option<&str>> = targets
        .iter()
        .filter(proved)
        .map(|target| (target.location.as_str(), target.proof.as_deref()))
        .collect();
    if proved.is_empty() {
        return Ok(());
    }
    let program = session.program().clone();
    let branches: Vec<BranchId> = session.unseen().iter().collect();
    for branch in branches {
        if let Some(name) = program.branch_name(branch)
            && let Some(proof) = proved.get(name.as_str())
        {
            session.prove_by(&name, Some(branch), *proof)?;
        }
    }
    Ok(())
}
