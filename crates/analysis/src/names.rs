//! What the names of a program's functions say.

use labrys_library::{Mark, named};
use labrys_program::Program;

/// Whether the program has a function whose name says this.
pub(crate) fn names_any(program: &Program, mark: Mark) -> bool {
    let mut functions = program.functions.iter();
    functions.any(|function| named(&function.name, mark))
}
