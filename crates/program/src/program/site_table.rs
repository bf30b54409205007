//! The site table that follows from the bodies of the functions.

use crate::{
    BranchId, Function, FunctionId, Intrinsic, Location, Operation, Program, Site, SiteId,
    SiteKind, Terminator, Type,
};

/// A site as it stands in a body, with the id that the body gives it.
pub(crate) struct Found {
    pub(crate) id: SiteId,
    pub(crate) site: Site,
}

impl Program {
    /// The site table that the bodies demand: all decisions in the order (function, block,
    /// instruction), with the branches numbered. For a verified program, this is its table.
    #[must_use]
    pub fn derived_sites(&self) -> Vec<Site> {
        self.found_sites()
            .into_iter()
            .map(|found| found.site)
            .collect()
    }

    /// All decisions of the bodies, in order.
    pub(crate) fn found_sites(&self) -> Vec<Found> {
        let mut sites = Vec::new();
        for (index, function) in self.functions.iter().enumerate() {
            self.sites_of(FunctionId::new(index), function, &mut sites);
        }
        let mut next = 0u32;
        for Found { site, .. } in &mut sites {
            site.first_branch = BranchId(next);
            next = next.saturating_add(site.kind.directions());
        }
        sites
    }

    fn sites_of(&self, id: FunctionId, function: &Function, sites: &mut Vec<Found>) {
        for (block_id, block) in function.blocks() {
            let mut push = |id_in_body, kind, location: Option<Location>, oracle| {
                let first_branch = BranchId(0);
                let site = Site {
                    kind,
                    function: id,
                    block: block_id,
                    location,
                    first_branch,
                    oracle,
                };
                sites.push(Found {
                    id: id_in_body,
                    site,
                });
            };
            for instruction in &block.instructions {
                if let Operation::Select { site, .. } = instruction.operation {
                    push(site, SiteKind::Select, instruction.location, false);
                }
            }
            match &block.terminator {
                Terminator::Branch {
                    site,
                    if_true,
                    if_false,
                    ..
                } => {
                    let oracle = [if_true, if_false]
                        .into_iter()
                        .any(|to| traps(function, *to));
                    push(*site, SiteKind::Branch, block.location, oracle);
                }
                Terminator::Switch {
                    site, value, cases, ..
                } => {
                    let ty = self.operand_type(function, *value);
                    let width = if let Some(Type::Int(width)) = ty {
                        width
                    } else {
                        0
                    };
                    let cases = cases.iter().map(|(case, _)| *case).collect();
                    push(
                        *site,
                        SiteKind::Switch { width, cases },
                        block.location,
                        false,
                    );
                }
                _ => {}
            }
        }
    }
}

/// Whether a block begins with the trap of a check; `__builtin_trap` is the program's own.
pub(super) fn traps(function: &Function, block: crate::BlockId) -> bool {
    let first = function
        .block(block)
        .and_then(|block| block.instructions.first());
    first.is_some_and(|instruction| {
        matches!(
            instruction.operation,
            Operation::Intrinsic {
                intrinsic: Intrinsic::SanitizerTrap,
                ..
            }
        )
    })
}
