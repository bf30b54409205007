//! Why a part of the program has no model.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The reason why something is opaque; reports count by its text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Opaque {
    /// Inline assembly.
    Assembly,
    /// An operation on a type without a model, with LLVM's name of it.
    ForeignType(String),
    /// An atomic read-modify-write operation or fence.
    Atomic,
    /// Unwinding: the end of an `invoke`, a landing pad, a resumption.
    Exception,
    /// A jump to a computed label.
    ComputedJump,
    /// An intrinsic function without a model, by its name.
    Intrinsic(String),
    /// An instruction without a model, by its name.
    Instruction(String),
    /// A constant without a model, by the name of its kind.
    Constant(String),
    /// A load from volatile memory, in a part of other programs: what is at the only operand, unless
    /// a device wrote something else.
    Volatile,
    /// A call of a weak function, in a part of other programs: control goes to the first successor,
    /// unless another link has another function.
    Weak,
}

impl Opaque {
    /// The kind and, where there is one, the name.
    #[must_use]
    pub fn parts(&self) -> (&'static str, Option<&str>) {
        match self {
            Opaque::Assembly => ("assembly", None),
            Opaque::ForeignType(name) => ("type", Some(name)),
            Opaque::Atomic => ("atomic", None),
            Opaque::Exception => ("exception", None),
            Opaque::ComputedJump => ("computed-jump", None),
            Opaque::Intrinsic(name) => ("intrinsic", Some(name)),
            Opaque::Instruction(name) => ("instruction", Some(name)),
            Opaque::Constant(name) => ("constant", Some(name)),
            Opaque::Volatile => ("volatile", None),
            Opaque::Weak => ("weak", None),
        }
    }

    /// Whether runs of this build know what proofs leave open: what memory holds, or where control
    /// goes on.
    #[must_use]
    pub fn is_known_to_runs(&self) -> bool {
        matches!(self, Opaque::Volatile | Opaque::Weak)
    }

    /// The inverse of [`Opaque::parts`].
    #[must_use]
    pub fn from_parts(kind: &str, name: Option<String>) -> Option<Self> {
        match (kind, name) {
            ("assembly", None) => Some(Opaque::Assembly),
            ("type", Some(name)) => Some(Opaque::ForeignType(name)),
            ("atomic", None) => Some(Opaque::Atomic),
            ("exception", None) => Some(Opaque::Exception),
            ("computed-jump", None) => Some(Opaque::ComputedJump),
            ("intrinsic", Some(name)) => Some(Opaque::Intrinsic(name)),
            ("instruction", Some(name)) => Some(Opaque::Instruction(name)),
            ("constant", Some(name)) => Some(Opaque::Constant(name)),
            ("volatile", None) => Some(Opaque::Volatile),
            ("weak", None) => Some(Opaque::Weak),
            _ => None,
        }
    }
}

impl fmt::Display for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            (kind, None) => f.write_str(kind),
            (kind, Some(name)) => write!(f, "{kind} {name}"),
        }
    }
}
