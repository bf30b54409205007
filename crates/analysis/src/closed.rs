//! Programs closed with their surroundings, as far as their definitions hold.
//!
//! Law: where library functions may run code of the program that no call shows, functions that
//! read input stay the library's.

use labrys_program::{FunctionId, Program};
use labrys_semantics::environment;

use crate::hooks;

/// The program whose runs begin in `main`, closed with its surroundings, and where its runs begin.
#[must_use]
pub fn closed(program: &Program, main: FunctionId) -> (Program, FunctionId) {
    environment::closed(program, main, hooks::runs_program(program))
}
