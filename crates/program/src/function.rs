//! Functions of the program picture.

use serde::{Deserialize, Serialize};

use crate::Location;

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

/// A function, defined in the program or external.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// Where the function is defined in the source.
    pub location: Option<Location>,
}
