//! Where an address points, as far as its computation shows.
//!
//! Law: an address that is computed from a base points into what the base points into.

use labrys_program::{Function, GlobalId, Operand, Operation, Program, ValueId};
use rustc_hash::FxHashMap;

use crate::address::global_of;

/// Steps from an address to its base.
const MAX_STEPS: u32 = 32;

/// The object that an address points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointee {
    /// A stack object of the function.
    OwnStack,
    /// A global.
    Global(GlobalId),
    /// The object that the parameter of this number points into.
    Parameter(usize),
    /// Any object.
    Unknown,
}

/// Where the addresses of a function point.
#[derive(Debug)]
pub struct PointsTo<'p> {
    program: &'p Program,
    /// By parameter: whether it is the address of a copy of its own.
    copies: Vec<bool>,
    operations: FxHashMap<ValueId, &'p Operation>,
}

impl<'p> PointsTo<'p> {
    pub(crate) fn of(program: &'p Program, function: &'p Function) -> Self {
        let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
        let operations = instructions
            .filter_map(|instruction| Some((instruction.result?, &instruction.operation)));
        let parameters = function.parameters.iter();
        PointsTo {
            program,
            copies: parameters
                .map(|parameter| parameter.by_value.is_some())
                .collect(),
            operations: operations.collect(),
        }
    }

    /// Follows an address to its base.
    #[must_use]
    pub fn pointee(&self, address: Operand) -> Pointee {
        let value = match self.base(address) {
            Operand::Constant(id) => {
                return global_of(self.program, id).map_or(Pointee::Unknown, Pointee::Global);
            }
            Operand::Value(value) => value,
        };
        match self.copies.get(value.index()) {
            Some(true) => Pointee::OwnStack,
            Some(false) => Pointee::Parameter(value.index()),
            None if self.is_object(value) => Pointee::OwnStack,
            None => Pointee::Unknown,
        }
    }

    /// The stack object of the function that an address is in, as far as its computation shows.
    #[must_use]
    pub fn stack_object(&self, address: Operand) -> Option<ValueId> {
        match self.base(address) {
            Operand::Value(value) if self.is_object(value) => Some(value),
            _ => None,
        }
    }

    fn is_object(&self, value: ValueId) -> bool {
        matches!(
            self.operations.get(&value),
            Some(Operation::Allocate { .. })
        )
    }

    fn base(&self, address: Operand) -> Operand {
        let mut address = address;
        for _ in 0..MAX_STEPS {
            let Operand::Value(value) = address else {
                break;
            };
            match self.operations.get(&value) {
                Some(Operation::Address { base, .. }) => address = *base,
                _ => break,
            }
        }
        address
    }
}
