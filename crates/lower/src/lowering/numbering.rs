//! The numbers of sites: each decision gets its id when it is lowered.

use labrys_program::{Program, SiteId};

use super::locations::Locations;
use super::types::Types;
use crate::sites::{Decision, sites};
use labrys_llvm::{Module, Value};

/// The decisions of a module, and how many have been lowered.
pub(super) struct Numbering<'m> {
    decisions: Vec<Decision<'m>>,
    lowered: usize,
}

impl<'m> Numbering<'m> {
    pub(super) fn of(module: &'m Module) -> Self {
        Numbering {
            decisions: sites(module),
            lowered: 0,
        }
    }

    /// The id of the site that an instruction is, if it is the next one. The walk that numbered
    /// the sites saw the same instructions in the same order.
    pub(super) fn site(&mut self, instruction: Value<'m>) -> Option<SiteId> {
        let next = self.decisions.get(self.lowered)?;
        if next.instruction != instruction {
            return None;
        }
        self.lowered += 1;
        Some(SiteId::new(self.lowered - 1))
    }

    /// Writes the table of sites.
    pub(super) fn finish(
        self,
        types: &mut Types<'m>,
        locations: &mut Locations<'m>,
        program: &mut Program,
    ) {
        for decision in self.decisions {
            let location = locations.of(decision.instruction, types.tables());
            let Decision {
                kind,
                function,
                block,
                oracle,
                ..
            } = decision;
            program.push_site(kind, function, block, location, oracle);
        }
    }
}
