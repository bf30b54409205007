//! Instructions, terminators and operands of the IR.
//!
//! Invariant: nothing of the bitcode is dropped silently. What has no model becomes
//! [`Operation::Opaque`] or [`Terminator::Opaque`] with a reason, the operands and the result
//! type; only debug and lifetime markers, which have no effect, are left out.

use serde::{Deserialize, Serialize};

use crate::operator::named;
use crate::{
    BinaryOperator, BlockId, Cast, Comparison, ConstantId, FloatComparison, FloatOperator,
    FunctionId, Intrinsic, Location, Opaque, SiteId, ValueId,
};

/// An operand: a value of the function or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operand {
    /// A parameter, or the result of a phi or an instruction.
    Value(ValueId),
    /// A constant.
    Constant(ConstantId),
}

/// An instruction that is no phi and no terminator.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Instruction {
    /// The value that it defines, `None` if the result type is void.
    pub result: Option<ValueId>,
    /// What it does.
    pub operation: Operation,
    /// Its place in the source.
    pub location: Option<Location>,
}

/// A phi: takes the value that belongs to the block control came from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Phi {
    /// The value that it defines.
    pub result: ValueId,
    /// One operand per predecessor block, in ascending order of blocks.
    pub incoming: Vec<(BlockId, Operand)>,
}

named!(
    /// What kind of memory access a load or store is. All access memory once and in order.
    Access {
        /// An ordinary access.
        Plain = "plain",
        /// An access that must happen as written.
        Volatile = "volatile",
        /// An access that other threads see whole.
        Atomic = "atomic",
    }
);

/// Whom a call calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Callee {
    /// A function by name.
    Direct(FunctionId),
    /// The function at an address.
    Indirect(Operand),
}

/// `index × scale`, with the index sign-extended to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AddressTerm {
    /// An integer.
    pub index: Operand,
    /// Bytes per step.
    pub scale: u64,
}

/// What an instruction does. The result type stands in [`Function::values`](crate::Function::values).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Operation {
    /// Integer arithmetic.
    Binary {
        /// The operation.
        operator: BinaryOperator,
        /// First operand.
        left: Operand,
        /// Second operand, of the same type.
        right: Operand,
    },
    /// Comparison of integers or pointers: one bit.
    Compare {
        /// The comparison.
        comparison: Comparison,
        /// First operand.
        left: Operand,
        /// Second operand, of the same type.
        right: Operand,
    },
    /// Floating arithmetic.
    Float {
        /// The operation.
        operator: FloatOperator,
        /// First operand.
        left: Operand,
        /// Second operand, of the same type.
        right: Operand,
    },
    /// Comparison of floats: one bit.
    FloatCompare {
        /// The comparison.
        comparison: FloatComparison,
        /// First operand.
        left: Operand,
        /// Second operand, of the same type.
        right: Operand,
    },
    /// A float with its sign flipped.
    FloatNegate(Operand),
    /// Conversion to the result's type.
    Cast {
        /// The conversion.
        cast: Cast,
        /// What is converted.
        value: Operand,
    },
    /// One of two values, of any one type.
    Select {
        /// The site of this decision.
        site: SiteId,
        /// One bit.
        condition: Operand,
        /// The result if the condition is 1.
        if_true: Operand,
        /// The result if the condition is 0.
        if_false: Operand,
    },
    /// An arbitrary but fixed value instead of an undefined one.
    Freeze(Operand),
    /// Reads the result from memory, little-endian.
    Load {
        /// Where from.
        address: Operand,
        /// Bytes read: of the result's type, without padding at its end.
        size: u64,
        /// Kind of access.
        access: Access,
    },
    /// Writes a value to memory, little-endian.
    Store {
        /// Where to.
        address: Operand,
        /// What.
        value: Operand,
        /// Bytes written.
        size: u64,
        /// Kind of access.
        access: Access,
    },
    /// A new object on the stack, alive until the function returns.
    Allocate {
        /// Bytes of one element.
        size: u64,
        /// Number of elements: an unsigned integer.
        count: Operand,
        /// Alignment in bytes.
        align: u64,
    },
    /// `base + offset + Σ index × scale`, in 64 bits, wrapping around.
    Address {
        /// A pointer.
        base: Operand,
        /// Constant part in bytes.
        offset: i64,
        /// Variable parts.
        terms: Vec<AddressTerm>,
    },
    /// A call of a function.
    Call {
        /// Whom.
        callee: Callee,
        /// Arguments, variable ones included. C permits calls that do not fit the callee's
        /// parameters.
        arguments: Vec<Operand>,
        /// Whether the call itself takes variable arguments.
        variadic: bool,
    },
    /// An operation known by name.
    Intrinsic {
        /// Which.
        intrinsic: Intrinsic,
        /// Its arguments, those of LLVM.
        arguments: Vec<Operand>,
    },
    /// Part of an aggregate value.
    Extract {
        /// The aggregate.
        aggregate: Operand,
        /// Path to the part, from outside to inside.
        indices: Vec<u32>,
    },
    /// An aggregate value with one part replaced.
    Insert {
        /// The aggregate.
        aggregate: Operand,
        /// The new part.
        value: Operand,
        /// Path to the part, from outside to inside.
        indices: Vec<u32>,
    },
    /// The next variable argument of the list at an address.
    VariableArgument(Operand),
    /// Something without a model.
    Opaque {
        /// Why it has none.
        reason: Opaque,
        /// What it reads.
        operands: Vec<Operand>,
        /// Whether it may write to memory that the operands, or anything, point to.
        writes_memory: bool,
    },
}

/// The end of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Terminator {
    /// Return to the caller.
    Return(Option<Operand>),
    /// Continue at a block.
    Jump(BlockId),
    /// Continue at one of two blocks, which may be the same.
    Branch {
        /// The site of this decision.
        site: SiteId,
        /// One bit.
        condition: Operand,
        /// Where to if the condition is 1.
        if_true: BlockId,
        /// Where to if the condition is 0.
        if_false: BlockId,
    },
    /// Continue at the block of the case that equals the value.
    Switch {
        /// The site of this decision.
        site: SiteId,
        /// An integer.
        value: Operand,
        /// Where to if no case equals the value.
        default: BlockId,
        /// Cases in the order of directions: value, zero-extended, and block.
        cases: Vec<(u128, BlockId)>,
    },
    /// Never reached by a program with a meaning.
    #[default]
    Unreachable,
    /// A jump without a model.
    Opaque {
        /// Why it has none.
        reason: Opaque,
        /// What it reads.
        operands: Vec<Operand>,
        /// Where control may go.
        successors: Vec<BlockId>,
    },
}

impl Operation {
    /// Calls `visit` with each operand, in order.
    pub fn visit_operands(&self, visit: &mut dyn FnMut(Operand)) {
        match self {
            Operation::Binary { left, right, .. }
            | Operation::Compare { left, right, .. }
            | Operation::Float { left, right, .. }
            | Operation::FloatCompare { left, right, .. } => {
                visit(*left);
                visit(*right);
            }
            Operation::FloatNegate(operand)
            | Operation::Cast { value: operand, .. }
            | Operation::Freeze(operand)
            | Operation::Load {
                address: operand, ..
            }
            | Operation::Allocate { count: operand, .. }
            | Operation::Extract {
                aggregate: operand, ..
            }
            | Operation::VariableArgument(operand) => visit(*operand),
            Operation::Select {
                condition,
                if_true,
                if_false,
                ..
            } => {
                visit(*condition);
                visit(*if_true);
                visit(*if_false);
            }
            Operation::Store { address, value, .. } => {
                visit(*address);
                visit(*value);
            }
            Operation::Insert {
                aggregate, value, ..
            } => {
                visit(*aggregate);
                visit(*value);
            }
            Operation::Address { base, terms, .. } => {
                visit(*base);
                terms.iter().for_each(|term| visit(term.index));
            }
            Operation::Call {
                callee, arguments, ..
            } => {
                if let Callee::Indirect(address) = callee {
                    visit(*address);
                }
                arguments.iter().copied().for_each(visit);
            }
            Operation::Intrinsic {
                arguments: operands,
                ..
            }
            | Operation::Opaque { operands, .. } => operands.iter().copied().for_each(visit),
        }
    }
}

impl Terminator {
    /// Calls `visit` with each operand, in order.
    pub fn visit_operands(&self, visit: &mut dyn FnMut(Operand)) {
        match self {
            Terminator::Return(operand) => operand.iter().copied().for_each(visit),
            Terminator::Branch {
                condition: operand, ..
            }
            | Terminator::Switch { value: operand, .. } => visit(*operand),
            Terminator::Opaque { operands, .. } => operands.iter().copied().for_each(visit),
            Terminator::Jump(_) | Terminator::Unreachable => {}
        }
    }

    /// The site that decides here, if one does.
    #[must_use]
    pub fn site(&self) -> Option<SiteId> {
        match self {
            Terminator::Branch { site, .. } | Terminator::Switch { site, .. } => Some(*site),
            _ => None,
        }
    }

    /// Where control may go, by direction for a site; a block may occur more than once.
    #[must_use]
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
            Terminator::Jump(block) => vec![*block],
            Terminator::Branch {
                if_true, if_false, ..
            } => vec![*if_false, *if_true],
            Terminator::Switch { default, cases, .. } => std::iter::once(*default)
                .chain(cases.iter().map(|(_, block)| *block))
                .collect(),
            Terminator::Opaque { successors, .. } => successors.clone(),
        }
    }
}
