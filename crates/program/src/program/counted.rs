//! Which decisions count in branch coverage: those of the program.
//!
//! Neither a check of a sanitizer is one, nor where the compiler goes on behind clean-up code that
//! several jumps share (`break`, `goto`, `return` out of a scope): each jump leaves its number, and a
//! switch on it repeats what was decided before the jump. One of its directions, the default, none
//! ever takes.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Function, FunctionId, Operand, Phi, Program, Site, Terminator, ValueId};

/// The phis of a function by what they define.
type Phis<'p> = FxHashMap<ValueId, &'p Phi>;

impl Program {
    /// The sites whose branches count, in order.
    pub fn counted_sites(&self) -> impl Iterator<Item = &Site> {
        let mut repeats = self.repetition();
        let sites = self.sites.iter().filter(|site| !site.oracle);
        sites.filter(move |site| !repeats(site))
    }

    /// The sites that repeat, behind clean-up code, what was decided before.
    pub fn repeating_sites(&self) -> impl Iterator<Item = &Site> {
        let mut repeats = self.repetition();
        self.sites.iter().filter(move |site| repeats(site))
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
