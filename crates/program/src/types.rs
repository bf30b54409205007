//! Types with their layout resolved.
//!
//! Invariant: an aggregate's elements have smaller ids than the aggregate, so types are finite;
//! sizes are those of the target (x86-64: little-endian, pointers of 64 bits).

use serde::{Deserialize, Serialize};

use crate::{AggregateId, ForeignId};

/// Size of a pointer in bytes.
pub const POINTER_SIZE: u64 = 8;

/// The type of a value.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub enum Type {
    /// No value.
    #[default]
    Void,
    /// An integer of 1 to 128 bits, without a sign of its own.
    Int(u32),
    /// IEEE-754 binary32.
    Float,
    /// IEEE-754 binary64.
    Double,
    /// An address, 64 bits.
    Pointer,
    /// A struct or an array as a value: result of a call, of an overflow operation.
    Aggregate(AggregateId),
    /// A type without a model: x87 floats, vectors, wider integers. Values of it can be moved
    /// (loaded, stored, passed, selected); every other operation on it is opaque.
    Foreign(ForeignId),
}

impl Type {
    /// Width in bits of a scalar with a model; `None` for the others.
    #[must_use]
    pub fn width(self) -> Option<u32> {
        match self {
            Type::Int(width) => Some(width),
            Type::Float => Some(32),
            Type::Double | Type::Pointer => Some(64),
            Type::Void | Type::Aggregate(_) | Type::Foreign(_) => None,
        }
    }

    /// Whether this is an integer type.
    #[must_use]
    pub fn is_int(self) -> bool {
        matches!(self, Type::Int(_))
    }

    /// Whether this is a floating type with a model.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Type::Float | Type::Double)
    }
}

/// A struct or array type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Aggregate {
    /// Size in memory in bytes, padding included.
    pub size: u64,
    /// What it consists of.
    pub shape: Shape,
}

/// What an [`Aggregate`] consists of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Shape {
    /// Fields in order.
    Struct(Vec<Field>),
    /// `length` elements, each `size / length` bytes from the one before.
    Array {
        /// Type of an element.
        element: Type,
        /// Number of elements.
        length: u64,
    },
}

/// A field of a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Field {
    /// Bytes from the start of the struct.
    pub offset: u64,
    /// Type of the field.
    pub ty: Type,
}

impl Aggregate {
    /// Type of the element at this index.
    #[must_use]
    pub fn element(&self, index: u32) -> Option<Type> {
        match &self.shape {
            Shape::Struct(fields) => fields.get(index as usize).map(|field| field.ty),
            Shape::Array { element, length } => (u64::from(index) < *length).then_some(*element),
        }
    }

    /// Bytes from the start to the element at this index.
    #[must_use]
    pub fn offset(&self, index: u32) -> Option<u64> {
        match &self.shape {
            Shape::Struct(fields) => fields.get(index as usize).map(|field| field.offset),
            Shape::Array { length, .. } => {
                let index = u64::from(index);
                (index < *length).then(|| index * (self.size / length))
            }
        }
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.shape {
            Shape::Struct(fields) => fields.len() as u64,
            Shape::Array { length, .. } => *length,
        }
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A type without a model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ForeignType {
    /// LLVM's name of it.
    pub name: String,
    /// Bytes that a load or store of it accesses; 0 if it has no size.
    pub size: u64,
}
