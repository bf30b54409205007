//! Evidence that a run of the plain program was at a target.
//!
//! Law: evidence is sufficient. If a run of the plain program took one of the branches and did
//! not end in between, it has been at the place. Between the branch and the place there is no
//! call that may end the run; where something in between may crash, the run must have ended by
//! itself.
//!
//! No branch shows a place at the beginning of a function that is called through pointers only and
//! decides nothing: that the function was called does.

use std::collections::BTreeSet;

use labrys_analysis::ProgramAnalysis;
use labrys_engine::PlainRun;
use labrys_program::{
    BlockId, BranchId, Callee, Function, FunctionId, Intrinsic, Operation, SiteId, Terminator,
};
use labrys_semantics::LibraryMeaning;
use labrys_suite::Outcome;

use super::Target;
use crate::path::Point;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// Each branch shows that a run was there; the flag says that nothing in between can crash.
    branches: BTreeSet<(BranchId, bool)>,
    /// Branches of decisions that only runs that were there come to.
    behind: BTreeSet<BranchId>,
    /// Every run is there; the flag as above.
    always: Option<bool>,
    /// A call of each of these functions shows it; the flag as above.
    calls: BTreeSet<(FunctionId, bool)>,
}

impl Evidence {
    pub(crate) fn of(analysis: &ProgramAnalysis<'_>, entry: FunctionId, target: &Target) -> Self {
        let mut evidence = Evidence::default();
        if let Some(branch) = target.branch {
            evidence.branches.insert((branch, true));
            return evidence;
        }
        for point in &target.points {
            let mut seen = BTreeSet::new();
            evidence.collect(analysis, entry, *point, true, &mut seen);
            evidence.add_branches_behind(analysis, *point);
        }
        evidence
    }

    /// A decision that the place dominates shows that a run was there, whatever may have stopped
    /// runs before it.
    fn add_branches_behind(&mut self, analysis: &ProgramAnalysis<'_>, point: Point) {
        let body = analysis.body(point.function);
        if !body.is_reachable(point.block) {
            return;
        }
        for (index, site) in analysis.program().sites.iter().enumerate() {
            let ends = || {
                let function = analysis.function(point.function);
                let terminator = &function.blocks[site.block.index()].terminator;
                terminator.site() == Some(SiteId::new(index))
            };
            let is_behind = site.function == point.function
                && body.dominates(point.block, site.block)
                && (site.block != point.block || ends());
            if is_behind {
                self.behind.extend(site.branches());
            }
        }
    }

    fn collect(
        &mut self,
        analysis: &ProgramAnalysis<'_>,
        entry: FunctionId,
        point: Point,
        mut clean: bool,
        seen: &mut BTreeSet<Point>,
    ) {
        if !seen.insert(point) {
            return;
        }
        let function = analysis.function(point.function);
        let block = &function.blocks[point.block.index()];
        let before = &block.instructions[..point.instruction.min(block.instructions.len())];
        for instruction in before {
            match passes(analysis, &instruction.operation) {
                Passage::Surely => {}
                Passage::MayCrash => clean = false,
                Passage::MayStop => return,
            }
        }
        if point.block == BlockId(0) {
            if point.function == entry {
                self.always = Some(clean || self.always == Some(true));
            }
            self.calls.insert((point.function, clean));
            for call in analysis.calls().callers(point.function) {
                let caller = analysis.function(call.function);
                let index = call.instruction as usize;
                let operation = &caller.blocks[call.block.index()].instructions[index].operation;
                let direct = matches!(
                    operation,
                    Operation::Call {
                        callee: Callee::Direct(_),
                        ..
                    }
                );
                if direct {
                    let point = Point {
                        function: call.function,
                        block: call.block,
                        instruction: index,
                    };
                    self.collect(analysis, entry, point, clean, seen);
                }
            }
            return;
        }
        for from in analysis.body(point.function).predecessors(point.block) {
            self.edge(analysis, entry, point, *from, clean, seen);
        }
    }

    fn edge(
        &mut self,
        analysis: &ProgramAnalysis<'_>,
        entry: FunctionId,
        point: Point,
        from: BlockId,
        clean: bool,
        seen: &mut BTreeSet<Point>,
    ) {
        let function: &Function = analysis.function(point.function);
        let block = &function.blocks[from.index()];
        let site = block.terminator.site();
        if let Some(site) = site {
            for (direction, to) in (0..).zip(block.terminator.successors()) {
                if let (true, Some(branch)) = (
                    to == point.block,
                    analysis.program().branch(site, direction),
                ) {
                    self.branches.insert((branch, clean));
                }
            }
        } else if matches!(block.terminator, Terminator::Jump(_)) {
            let end = Point {
                block: from,
                instruction: block.instructions.len(),
                ..point
            };
            self.collect(analysis, entry, end, clean, seen);
        }
    }

    /// Branches that show that a run was there.
    pub(crate) fn branches(&self) -> impl Iterator<Item = BranchId> + '_ {
        self.branches.iter().map(|(branch, _)| *branch)
    }

    /// Whether nothing but calls of functions shows that a run was there.
    pub(crate) fn needs_calls(&self) -> bool {
        let by_branches = !self.branches.is_empty() || !self.behind.is_empty();
        !by_branches && self.always.is_none() && !self.calls.is_empty()
    }

    /// Whether a run with this outcome that called these functions was there.
    pub(crate) fn shown_by_calls(&self, called: &[u32], outcome: &Outcome) -> bool {
        let ended = is_end(outcome);
        let mut calls = self.calls.iter();
        calls.any(|(function, clean)| (*clean || ended) && called.contains(&function.0))
    }

    /// Whether a run was there.
    pub(crate) fn shown_by(&self, run: &PlainRun) -> bool {
        let ended = is_end(&run.outcome);
        let taken = self
            .branches
            .iter()
            .any(|(branch, clean)| (*clean || ended) && run.coverage.contains(*branch));
        let behind = || {
            let mut branches = self.behind.iter();
            branches.any(|branch| run.coverage.contains(*branch))
        };
        taken || behind() || self.always.is_some_and(|clean| clean || ended)
    }
}

/// Whether a run ended by itself.
fn is_end(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Exit(_) | Outcome::AssumptionFailed)
}

/// Whether control comes past an operation.
enum Passage {
    Surely,
    MayCrash,
    MayStop,
}

fn passes(analysis: &ProgramAnalysis<'_>, operation: &Operation) -> Passage {
    match operation {
        Operation::Call {
            callee: Callee::Direct(id),
            ..
        } => {
            let called = analysis.function(*id);
            let known = LibraryMeaning::of(&called.name);
            let quiet = matches!(
                known,
                Some(
                    LibraryMeaning::Harmless { skipped: true }
                        | LibraryMeaning::Pure
                        | LibraryMeaning::InputObject(_)
                        | LibraryMeaning::InputValue
                        | LibraryMeaning::Allocates { plain: true, .. }
                )
            );
            let effects = analysis.effects(*id);
            if !called.defined && quiet {
                Passage::Surely
            } else if effects.may_stop() || !effects.unknown().is_empty() {
                Passage::MayStop
            } else {
                Passage::MayCrash
            }
        }
        Operation::Opaque { reason, .. } if reason.is_known_to_runs() => Passage::MayCrash,
        Operation::Call { .. } | Operation::Opaque { .. } => Passage::MayStop,
        Operation::Load { .. } | Operation::Store { .. } | Operation::Binary { .. } => {
            Passage::MayCrash
        }
        Operation::Intrinsic { intrinsic, .. } => match intrinsic {
            Intrinsic::Trap | Intrinsic::SanitizerTrap | Intrinsic::DebugTrap => Passage::MayStop,
            _ => Passage::MayCrash,
        },
        _ => Passage::Surely,
    }
}
