//! Functions by themselves: branches that no call takes, whatever it is given and whatever memory
//! holds.
//!
//! The block of a whole program is large where the program is, and what is decided by a function
//! alone, or with the small ones that it calls, need not wait for it. A unit's graph begins where its
//! function does, with anything in parameters and memory; calls of large functions, and calls in
//! calls in calls, are havocked.
//!
//! A function into which control may come back a second time is no unit, and no unit enters it.
//!
//! Law: each call of the function in a run is a path of the unit's graph, also one in another call
//! of it. So a branch of the function that the graph does not come to is unreachable.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use labrys_analysis::ProgramAnalysis;
use labrys_program::{BranchId, FunctionId};
use labrys_solver::bitwuzla;

use crate::ask::Ask;
use crate::checker::{Checker, Found};

/// Work on one function, in steps of the solver, and for each of its blocks.
const WORK: u64 = 4_000;
const WORK_OF_BLOCK: u64 = 60;
/// Blocks of a program whose functions are all looked at before the whole is.
const LARGE: usize = 400;

/// Branches that a unit's graph does not come to, and the certificate, if there is one.
pub type Proved = (Vec<BranchId>, Option<String>);

/// Whether a program is large: what takes its values or its functions one by one comes first.
pub(crate) fn is_large(analysis: &ProgramAnalysis<'_>) -> bool {
    let functions = analysis.program().functions.iter().enumerate();
    let reached = functions.filter(|(index, _)| analysis.depth(FunctionId::new(*index)).is_some());
    let blocks: usize = reached.map(|(_, function)| function.blocks.len()).sum();
    blocks > LARGE
}

/// See the module.
pub struct Units<'p> {
    analysis: &'p ProgramAnalysis<'p>,
    /// Functions with their open branches.
    waiting: VecDeque<(FunctionId, BTreeSet<BranchId>)>,
    current: Option<(Checker<'p>, u64)>,
    is_large: bool,
    /// So far, in steps of the solver.
    work: u64,
}

impl<'p> Units<'p> {
    /// The functions of some branches, small ones first; not the one in which runs begin, if those can be
    /// followed.
    #[must_use]
    pub fn new(
        analysis: &'p ProgramAnalysis<'p>,
        entry: FunctionId,
        goals: impl Iterator<Item = BranchId>,
    ) -> Self {
        let program = analysis.program();
        let mut by_function: BTreeMap<FunctionId, BTreeSet<BranchId>> = BTreeMap::new();
        for goal in goals {
            let site = program.branch_site(goal);
            if let Some(site) = site.and_then(|(site, _)| program.site(site)) {
                by_function.entry(site.function).or_default().insert(goal);
            }
        }
        if analysis.obstacles().is_empty() {
            // The graph of the whole program begins there.
            by_function.remove(&entry);
        }
        by_function.retain(|id, _| !analysis.has_second_returns(*id));
        let mut waiting: Vec<_> = by_function.into_iter().collect();
        waiting.sort_by_key(|(id, _)| analysis.function(*id).blocks.len());
        Units {
            analysis,
            waiting: waiting.into(),
            current: None,
            is_large: is_large(analysis),
            work: 0,
        }
    }

    /// Whether there are functions that were not looked at.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.current.is_some() || !self.waiting.is_empty()
    }

    /// Whether the next step is for a unit, when the whole program has had this work.
    pub(crate) fn is_due(&self, work_on_whole: u64) -> bool {
        self.is_open() && (self.is_large || self.work < work_on_whole)
    }

    /// A small piece of work; what it proved, and the work in steps of the solver. `is_open` says which
    /// branches are still looked for.
    ///
    /// # Errors
    /// If the solver is not installed.
    pub fn step(
        &mut self,
        ask: &mut dyn Ask,
        is_open: impl Fn(BranchId) -> bool,
    ) -> Result<(Option<Proved>, u64), bitwuzla::Error> {
        let Some((checker, left)) = &mut self.current else {
            return self.begin(is_open).map(|()| (None, 1));
        };
        let before = ask.work() + checker.work();
        let found = checker.step(ask);
        let work = ask.work() + checker.work() - before;
        let proved = match &found {
            Found::Unreachable(branches) => Some((branches.clone(), checker.certificate(branches))),
            _ => None,
        };
        *left = left.saturating_sub(work);
        self.work += work;
        if *left == 0 || found == Found::Done || checker.goals().is_empty() {
            self.current = None;
        }
        Ok((proved, work))
    }

    fn begin(&mut self, is_open: impl Fn(BranchId) -> bool) -> Result<(), bitwuzla::Error> {
        self.work += 1;
        let Some((function, mut goals)) = self.waiting.pop_front() else {
            return Ok(());
        };
        goals.retain(|goal| is_open(*goal));
        if !goals.is_empty() {
            let blocks = self.analysis.function(function).blocks.len() as u64;
            let checker = Checker::of_unit(self.analysis, function, goals)?;
            self.current = Some((checker, WORK + WORK_OF_BLOCK * blocks));
        }
        Ok(())
    }
}
