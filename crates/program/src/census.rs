//! What a program consists of, and how much of it has no model.

use std::collections::BTreeMap;

use crate::{Constant, Opaque, Operation, Program, RelocationTarget, Terminator};

/// Counts over a whole program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Functions with a body.
    pub defined: usize,
    /// Functions without.
    pub external: usize,
    /// Blocks of all functions.
    pub blocks: usize,
    /// Phis, instructions and terminators of all functions.
    pub instructions: usize,
    /// Instructions, terminators and constants without a model, by reason.
    pub opaque: BTreeMap<Opaque, usize>,
    /// Parts of initializers without a model.
    pub opaque_initializers: usize,
}

impl Census {
    /// Counts what a program consists of.
    #[must_use]
    pub fn of(program: &Program) -> Self {
        let mut census = Census::default();
        let mut note = |reason: &Opaque| *census.opaque.entry(reason.clone()).or_default() += 1;
        for function in &program.functions {
            if function.defined {
                census.defined += 1;
            } else {
                census.external += 1;
            }
            census.blocks += function.blocks.len();
            for block in &function.blocks {
                census.instructions += block.phis.len() + block.instructions.len() + 1;
                for instruction in &block.instructions {
                    if let Operation::Opaque { reason, .. } = &instruction.operation {
                        note(reason);
                    }
                }
                if let Terminator::Opaque { reason, .. } = &block.terminator {
                    note(reason);
                }
            }
        }
        for constant in &program.constants {
            if let Constant::Opaque { reason, .. } = constant {
                note(reason);
            }
        }
        census.opaque_initializers = program
            .relocations()
            .filter(|relocation| matches!(relocation.target, RelocationTarget::Opaque(_)))
            .count();
        census
    }

    /// How many instructions, terminators and constants have no model.
    #[must_use]
    pub fn opaque_count(&self) -> usize {
        self.opaque.values().sum()
    }
}
