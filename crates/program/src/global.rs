//! Global variables and their initial bytes.

use serde::{Deserialize, Serialize};

use crate::{FunctionId, GlobalId, Linkage};

/// A global variable, defined in the program or external.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Global {
    /// The symbol's name, unique among functions and globals.
    pub name: String,
    /// How far the symbol can be seen.
    pub linkage: Linkage,
    /// Whether the program may not write to it.
    pub constant: bool,
    /// Whether each thread has its own.
    pub thread_local: bool,
    /// Size in bytes; 0 if it is not known.
    pub size: u64,
    /// Alignment in bytes; 0 if it is not known.
    pub align: u64,
    /// What is in it when the program starts; `None` for an external variable.
    pub initializer: Option<Initializer>,
}

/// The initial content of a global.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Initializer {
    /// The bytes from the start; all after them, up to the global's size, are 0. Bytes of
    /// relocations, of padding and of undefined values are 0.
    pub bytes: Vec<u8>,
    /// Parts that are no plain bytes, in ascending order, not overlapping.
    pub relocations: Vec<Relocation>,
}

/// A part of an initializer that is no plain bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relocation {
    /// Bytes from the start of the global.
    pub offset: u64,
    /// What is there.
    pub target: RelocationTarget,
}

/// What a [`Relocation`] puts in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RelocationTarget {
    /// The address of a global plus an addend: 8 bytes.
    Global(GlobalId, i64),
    /// The address of a function plus an addend: 8 bytes.
    Function(FunctionId, i64),
    /// A constant of some bytes without a model.
    Opaque(u64),
}

impl RelocationTarget {
    /// Bytes that the relocation covers.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            RelocationTarget::Global(..) | RelocationTarget::Function(..) => crate::POINTER_SIZE,
            RelocationTarget::Opaque(size) => *size,
        }
    }
}
