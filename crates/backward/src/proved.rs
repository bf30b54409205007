//! Consequences of proofs: where all paths to a place lead through places that no run reaches, no
//! run reaches it either.
//!
//! Law: the walk goes wherever a run may go, except for proved places; so a place that it does not
//! come to is not reached.

use labrys_program::{BlockId, BranchId, FunctionId};
use rustc_hash::FxHashSet;

use crate::path::Point;
use crate::target::Target;
use labrys_analysis::ProgramAnalysis;

/// Places and branches that no run reaches.
#[derive(Debug, Default)]
pub(crate) struct Proved {
    points: FxHashSet<Point>,
    branches: FxHashSet<BranchId>,
}

impl Proved {
    /// Branches that no run takes.
    pub(crate) fn of(branches: impl IntoIterator<Item = BranchId>) -> Self {
        Proved {
            points: FxHashSet::default(),
            branches: branches.into_iter().collect(),
        }
    }

    /// Whether nothing is proved.
    pub(crate) fn is_empty(&self) -> bool {
        self.points.is_empty() && self.branches.is_empty()
    }

    /// Whether no run comes to a target.
    pub(crate) fn excludes_target(
        &self,
        analysis: &ProgramAnalysis<'_>,
        entry: FunctionId,
        target: &Target,
    ) -> bool {
        match target.branch {
            Some(branch) => self.branches.contains(&branch),
            None => self.excludes(analysis, entry, &target.points),
        }
    }

    /// Notes a target that is proved unreachable.
    pub(crate) fn add(&mut self, points: &[Point], branch: Option<BranchId>) {
        match branch {
            // Other branches may lead to the same block.
            Some(branch) => drop(self.branches.insert(branch)),
            None => self.points.extend(points),
        }
    }

    /// Whether no run reaches any of these places.
    pub(crate) fn excludes(
        &self,
        analysis: &ProgramAnalysis<'_>,
        entry: FunctionId,
        places: &[Point],
    ) -> bool {
        let come_to = self.come_to(analysis, entry);
        let reached = |place: &Point| {
            let first = come_to
                .iter()
                .find(|(function, block, _)| (*function, *block) == (place.function, place.block));
            first.is_some_and(|(.., end)| place.instruction < *end)
        };
        !places.iter().any(reached)
    }

    /// The blocks that runs may come to, with the number of instructions that they may begin.
    fn come_to(
        &self,
        analysis: &ProgramAnalysis<'_>,
        entry: FunctionId,
    ) -> FxHashSet<(FunctionId, BlockId, usize)> {
        let mut found = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let all = (0..analysis.program().functions.len()).map(FunctionId::new);
        let roots = all.filter(|id| analysis.is_called_from_outside(*id));
        let mut next: Vec<(FunctionId, BlockId)> = roots
            .chain([entry])
            .map(|function| (function, BlockId(0)))
            .collect();
        while let Some((id, block)) = next.pop() {
            let Some(body) = analysis.function(id).block(block) else {
                continue;
            };
            if !seen.insert((id, block)) {
                continue;
            }
            let count = body.instructions.len();
            let stop = (0..=count).find(|instruction| {
                self.points.contains(&Point {
                    function: id,
                    block,
                    instruction: *instruction,
                })
            });
            found.insert((id, block, stop.unwrap_or(count + 1)));
            let begun = stop.unwrap_or(count);
            for call in analysis.calls().calls_in(id) {
                if call.block == block && (call.instruction as usize) < begun {
                    let callees = analysis.calls().callees(call).iter();
                    next.extend(callees.map(|callee| (*callee, BlockId(0))));
                }
            }
            if stop.is_none() {
                let site = body.terminator.site();
                for (direction, to) in (0..).zip(body.terminator.successors()) {
                    let branch = site.and_then(|site| analysis.program().branch(site, direction));
                    if !branch.is_some_and(|branch| self.branches.contains(&branch)) {
                        next.push((id, to));
                    }
                }
            }
        }
        found
    }
}
