//! Constants: values known from the bitcode, up to the addresses of globals and functions.
//!
//! Equal constants have one id. Invariant: a constant refers to constants with smaller ids
//! only, so each is a finite tree.

use serde::{Deserialize, Serialize};

use crate::{AggregateId, BinaryOperator, Cast, ConstantId, FunctionId, GlobalId, Opaque, Type};

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Constant {
    /// An integer.
    Int {
        /// Width in bits, 1 to 128.
        width: u32,
        /// The value, zero-extended.
        bits: u128,
    },
    /// A binary32, by its bit pattern.
    Float(u32),
    /// A binary64, by its bit pattern.
    Double(u64),
    /// The null pointer.
    Null,
    /// The address of a global.
    Global(GlobalId),
    /// The address of a function.
    Function(FunctionId),
    /// A pointer constant moved by some bytes.
    Offset {
        /// The pointer.
        base: ConstantId,
        /// Bytes, with the pointer's 64 bits wrapping around.
        offset: i64,
    },
    /// A cast of a constant.
    Cast {
        /// The cast.
        cast: Cast,
        /// Type of the result.
        to: Type,
        /// What is cast.
        value: ConstantId,
    },
    /// An operation on integer constants of one width.
    Binary {
        /// The operation.
        operator: BinaryOperator,
        /// First operand.
        left: ConstantId,
        /// Second operand.
        right: ConstantId,
    },
    /// A struct or array by its elements.
    Aggregate {
        /// Type of the result.
        aggregate: AggregateId,
        /// One constant per element.
        elements: Vec<ConstantId>,
    },
    /// All bytes zero, for an aggregate or foreign type.
    Zero(Type),
    /// Any value of the type, another one at each use.
    Undefined(Type),
    /// The result of an operation without a meaning.
    Poison(Type),
    /// A constant without a model.
    Opaque {
        /// Type of the result.
        ty: Type,
        /// Why it has no model.
        reason: Opaque,
    },
}

impl Constant {
    /// The constants that this one refers to directly.
    #[must_use]
    pub fn children(&self) -> Vec<ConstantId> {
        match self {
            Constant::Offset { base: child, .. } | Constant::Cast { value: child, .. } => {
                vec![*child]
            }
            Constant::Binary { left, right, .. } => vec![*left, *right],
            Constant::Aggregate { elements, .. } => elements.clone(),
            _ => Vec::new(),
        }
    }
}
