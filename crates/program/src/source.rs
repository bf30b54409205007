//! Variables of the source at the heads of its loops, as debug information tells.
//!
//! Law: whenever control comes to the head of a loop, behind its phis, a variable of the loop has
//! the value that its storage holds, and its text means it there.

use std::collections::BTreeSet;

use crate::{BlockId, FunctionId, GlobalId, ValueId};

/// The source of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The paths of the files that its functions were compiled from, headers left out.
    pub files: BTreeSet<String>,
    /// In the order of the model.
    pub loops: Vec<SourceLoop>,
}

/// A `for` or a `while` of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLoop {
    /// The function that it is in.
    pub function: FunctionId,
    /// The name of that function in the source.
    pub function_name: String,
    /// The block that evaluates its condition.
    pub head: BlockId,
    /// The path of its file.
    pub file: String,
    /// The line of its first character, from 1.
    pub line: u32,
    /// The column of its first character, from 1.
    pub column: u32,
    /// Integers whose values are known there.
    pub variables: Vec<SourceVariable>,
}

/// An integer of the source: a variable, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceVariable {
    /// An lvalue of C or a cast of one, of an integer type of as many bits.
    pub text: String,
    /// Whether that type is signed.
    pub signed: bool,
    /// Its bits.
    pub width: u32,
    /// What holds it.
    pub storage: Storage,
}

/// What holds a variable of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Storage {
    /// A value of the function.
    Value(ValueId),
    /// Bytes of a global variable, from an offset on.
    Global(GlobalId, u64),
    /// Bytes of the object that this value of the function is the address of.
    Frame(ValueId, u64),
}
