//! Value sets of globals: those that hold one of a few numbers whenever they are read, because all
//! that is stored to them are such numbers.
//!
//! Law: at any moment of any run a global holds one of its values. When and whether a store is
//! executed plays no part, so neither do loops, signals and bounds. All code that may store must
//! be known.

mod accesses;
mod equations;

use labrys_program::graph::CallGraph;
use labrys_program::{GlobalId, Program};
use rustc_hash::FxHashMap;

use crate::external_calls::ExternalCalls;
pub(crate) use accesses::{Accesses, Content, Place, initial, place, places};
use equations::Equations;

/// A part of a global: offset and size in bytes.
pub type GlobalPart = (u64, u64);

/// See the module.
#[derive(Debug)]
pub(crate) struct GlobalValues {
    accesses: Accesses,
    stored: FxHashMap<(GlobalId, GlobalPart), Vec<u128>>,
}

impl GlobalValues {
    pub(crate) fn of(program: &Program, calls: &CallGraph, external: &ExternalCalls) -> Self {
        let accesses = Accesses::of(program);
        let mut equations = Equations::new(program, calls, external, &accesses);
        let mut variables = Vec::new();
        for (global, part) in accesses.stored_parts() {
            if let Content::Cell = accesses.content(program, global, part) {
                variables.push(((global, part), equations.variable(global, part)));
            }
        }
        let solution = equations.solve();
        let stored = variables
            .into_iter()
            .filter_map(|(cell, variable)| Some((cell, solution.numbers(variable)?)))
            .collect();
        GlobalValues { accesses, stored }
    }

    /// The loads and stores of globals.
    pub(crate) fn accesses(&self) -> &Accesses {
        &self.accesses
    }

    /// All numbers that a part of a global may hold; `None` if they are not known.
    pub(crate) fn values(
        &self,
        program: &Program,
        global: GlobalId,
        part: GlobalPart,
    ) -> Option<Vec<u128>> {
        match self.accesses.content(program, global, part) {
            Content::Initial(bits) => Some(vec![bits]),
            Content::Cell => self.stored.get(&(global, part)).cloned(),
            Content::Unknown => None,
        }
    }
}
