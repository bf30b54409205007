//! Functions of the program model: signature, flags and, where defined, the body in SSA form.
//!
//! Values are numbered per function: parameters first, then the results of phis and
//! instructions in the order of the text, so a definition's id is greater than those before it.

use serde::{Deserialize, Serialize};

use crate::{
    BlockId, Instruction, Intrinsic, Location, Opaque, Operation, Phi, Terminator, Type, ValueId,
};

/// How far a symbol can be seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Linkage {
    /// Visible outside the program.
    #[default]
    External,
    /// Visible in the program only (`static`).
    Internal,
    /// A definition that another one may replace, or a reference that may stay undefined.
    Weak,
}

impl Linkage {
    /// Word of the text form.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Linkage::External => "external",
            Linkage::Internal => "internal",
            Linkage::Weak => "weak",
        }
    }
}

/// When the system calls a function, whatever the program calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Started {
    /// Never.
    #[default]
    Never,
    /// Before `main`: constructors, resolvers of indirect functions.
    Before,
    /// Behind `main`: destructors.
    After,
}

impl Started {
    /// Word of the text form.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Started::Never => None,
            Started::Before => Some("before_main"),
            Started::After => Some("after_main"),
        }
    }
}

/// A parameter; its value is the [`ValueId`] of its position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Parameter {
    /// Type of the value.
    pub ty: Type,
    /// If the callee gets the address of its own copy of an object (`byval`): bytes to copy.
    pub by_value: Option<u64>,
}

/// A function, defined in the program or external.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// The symbol's name, unique among functions and globals.
    pub name: String,
    /// How far the symbol can be seen.
    pub linkage: Linkage,
    /// Whether the function has a body in the program.
    pub defined: bool,
    /// Whether the address is used other than as the callee of a direct call.
    pub address_taken: bool,
    /// Whether calls may pass more arguments than there are parameters.
    pub variadic: bool,
    /// Whether the function is declared not to return.
    pub noreturn: bool,
    /// Whether calls of it may return more than once.
    pub returns_twice: bool,
    /// When the system calls it.
    pub started: Started,
    /// Where the function is defined in the source.
    pub location: Option<Location>,
    /// Type of the result.
    pub result: Type,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// Type of each value, parameters included.
    pub values: Vec<Type>,
    /// The body: entry first; empty for an external function.
    pub blocks: Vec<Block>,
}

/// A straight line of instructions with one entry and one end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Phis, which take their values all at once.
    pub phis: Vec<Phi>,
    /// Instructions, in order.
    pub instructions: Vec<Instruction>,
    /// How the block ends.
    pub terminator: Terminator,
    /// Place of the terminator in the source.
    pub location: Option<Location>,
}

impl Function {
    /// The block with this id.
    #[must_use]
    pub fn block(&self, id: BlockId) -> Option<&Block> {
        self.blocks.get(id.index())
    }

    /// Whether a block begins with the trap of a check; `__builtin_trap` is the program's own.
    #[must_use]
    pub fn traps_at(&self, block: BlockId) -> bool {
        let block = self.block(block);
        let first = block.and_then(|block| block.instructions.first());
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

    /// The call at the end of a block that an exception may leave: its index, and where control goes on
    /// then. What it returns is not there, and what it did is what it did up to the exception.
    pub fn unwinding(&self, block: BlockId) -> Option<(usize, BlockId)> {
        let block = self.block(block)?;
        let Terminator::Opaque {
            reason: Opaque::Exception,
            successors,
            ..
        } = &block.terminator
        else {
            return None;
        };
        let last = block.instructions.len().checked_sub(1)?;
        let calls = matches!(block.instructions[last].operation, Operation::Call { .. });
        match successors[..] {
            [_, unwound] if calls => Some((last, unwound)),
            _ => None,
        }
    }

    /// Blocks with their ids.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = (BlockId, &Block)> {
        self.blocks
            .iter()
            .enumerate()
            .map(|(index, block)| (BlockId::new(index), block))
    }

    /// The type of a value.
    #[must_use]
    pub fn value_type(&self, id: ValueId) -> Option<Type> {
        self.values.get(id.index()).copied()
    }

    /// Adds a value of a type and gives its id.
    pub fn push_value(&mut self, ty: Type) -> ValueId {
        self.values.push(ty);
        ValueId::new(self.values.len() - 1)
    }

    /// Adds a parameter and its value; only before any other value.
    pub fn push_parameter(&mut self, parameter: Parameter) -> ValueId {
        debug_assert_eq!(self.parameters.len(), self.values.len());
        self.parameters.push(parameter);
        self.push_value(parameter.ty)
    }
}
