//! Calls that return a second time: `setjmp`, `vfork` and their kin.
//!
//! The variables of a function with such a call are not what its instructions say once control came
//! back (C leaves those open that were changed meanwhile, and a compiler may make constants of them),
//! and until control comes back handlers of signals may run that do not return. Where stacks are
//! switched, any code of the program may. Other functions are as always: where control comes back is
//! below them, so they go on, or they do not.
//!
//! Law: control comes back into functions only that are told here, if all calls are known.

use labrys_library::{Mark, named};
use labrys_program::{Callee, Function, FunctionId, Operation, Program, Terminator};

use crate::names::names_any;

/// See the module.
#[derive(Debug)]
pub(crate) struct SecondReturns {
    /// By function: whether it may return twice to a call of it.
    returning: Vec<bool>,
    /// By function: whether it calls one of these.
    callers: Vec<bool>,
    /// Whether code on other stacks may run until control comes back.
    stacks: bool,
    /// Whether others may have one, by a pointer or by an instruction.
    hidden: bool,
}

impl SecondReturns {
    pub(crate) fn of(program: &Program) -> Self {
        let twice = |function: &Function| {
            function.returns_twice || named(&function.name, Mark::ReturnsTwice)
        };
        let returning: Vec<bool> = program.functions.iter().map(twice).collect();
        let is_hidden =
            |function: &Function| function.address_taken || function.name.starts_with("llvm.");
        let mut functions = program.functions.iter();
        let hidden = functions.any(|function| twice(function) && is_hidden(function));
        let none = !returning.contains(&true);
        let callers = program.functions.iter();
        let callers = callers.map(|function| !none && calls_any(function, &returning));
        SecondReturns {
            callers: callers.collect(),
            stacks: names_any(program, Mark::SwitchesStacks),
            returning,
            hidden,
        }
    }

    /// Whether some call may return twice.
    pub(crate) fn are_possible(&self) -> bool {
        self.returning.contains(&true)
    }

    /// Whether control may come back into functions that are not told here.
    pub(crate) fn are_hidden(&self) -> bool {
        self.hidden
    }

    /// Whether a function may return twice to a call of it.
    pub(crate) fn is_of(&self, id: FunctionId) -> bool {
        self.returning[id.index()]
    }

    /// Whether code on other stacks may run until control comes back.
    pub(crate) fn switch_stacks(&self) -> bool {
        self.stacks
    }

    /// Whether control may come back into a function.
    pub(crate) fn are_in(&self, id: FunctionId) -> bool {
        self.callers[id.index()] || self.returning[id.index()]
    }
}

/// Whether a function calls one of some, as far as its calls are known.
fn calls_any(function: &Function, called: &[bool]) -> bool {
    let calls = |operation: &Operation| match operation {
        Operation::Call {
            callee: Callee::Direct(id),
            ..
        } => called[id.index()],
        _ => false,
    };
    function.blocks.iter().any(|block| {
        let mut instructions = block.instructions.iter();
        matches!(&block.terminator, Terminator::Opaque { reason, .. } if !reason.is_known_to_runs())
            || instructions.any(|instruction| calls(&instruction.operation))
    })
}
