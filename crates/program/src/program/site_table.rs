//! The site table that follows from the bodies of the functions, and which sites count in branch
//! coverage: those of the program.
//!
//! Neither a check of a sanitizer is one, nor where the compiler goes on behind clean-up code that
//! several jumps share (`break`, `goto`, `return` out of a scope): each jump leaves its number, and a
//! switch on it repeats what was decided before the jump. One of its directions, the default, none
//! ever takes.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    BranchId, Function, FunctionId, Location, Operand, Operation, Phi, Program, Site, SiteId,
    SiteKind, Terminator, Type, ValueId,
};

/// A site as it stands in a body, with the id that the body gives it.
pub(crate) struct Found {
    pub(crate) id: SiteId,
    pub(crate) site: Site,
}

/// The phis of a function by what they define.
type Phis<'p> = FxHashMap<ValueId, &'p Phi>;

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
                        .any(|to| function.traps_at(*to));
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

    /// The sites whose branches count, in order.
    pub fn counted_sites(&self) -> impl Iterator<Item = &Site> {
        let mut repeats = self.repetition();
        let sites = self.sites.iter().filter(|site| !site.oracle);
        sites.filter(move |site| !repeats(site))
    }

    /// The branches of sites that repeat, behind clean-up code, what was decided before.
    pub fn repeating_branches(&self) -> impl Iterator<Item = BranchId> + '_ {
        let mut repeats = self.repetition();
        let sites = self.sites.iter().filter(move |site| repeats(site));
        sites.flat_map(Site::branches)
    }

    /// Whether a site repeats what was decided before.
    fn repetition(&self) -> impl FnMut(&Site) -> bool {
        let mut known: Option<(FunctionId, Phis<'_>)> = None;
        move |site| {
            let Some((function, value)) = self.unplaced_switch(site) else {
                return false;
            };
            let phis = match known.take() {
                Some((id, phis)) if id == site.function => phis,
                _ => phis(function),
            };
            let repeats = is_number_of_jump(&phis, value);
            known = Some((site.function, phis));
            repeats
        }
    }

    /// What a switch without a place in the source decides by, in a function whose instructions have
    /// places.
    fn unplaced_switch(&self, site: &Site) -> Option<(&Function, Operand)> {
        if site.location.is_some() {
            return None;
        }
        let function = self.function(site.function)?;
        let Terminator::Switch { value, .. } = function.block(site.block)?.terminator else {
            return None;
        };
        let mut blocks = function.blocks();
        let has_places = blocks.any(|(_, block)| block.location.is_some());
        has_places.then_some((function, value))
    }
}

fn phis(function: &Function) -> Phis<'_> {
    let phis = function.blocks().flat_map(|(_, block)| &block.phis);
    phis.map(|phi| (phi.result, phi)).collect()
}

/// Whether a value is a constant on each way to it.
fn is_number_of_jump(phis: &Phis<'_>, value: Operand) -> bool {
    let mut seen = FxHashSet::default();
    let mut open = vec![value];
    while let Some(operand) = open.pop() {
        let Operand::Value(id) = operand else {
            continue;
        };
        let Some(phi) = phis.get(&id) else {
            return false;
        };
        if seen.insert(id) {
            open.extend(phi.incoming.iter().map(|(_, operand)| *operand));
        }
    }
    true
}
