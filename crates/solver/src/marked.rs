//! Functions of the program under test that the user marked as pure: somebody else computes them.
//!
//! Who that is, is said once for the process ([`answer_calls`]): there is one program under test.
//! Their names in expressions begin with [`labrys_abi::marked::MARK`].

use std::sync::{Mutex, MutexGuard, PoisonError};

use labrys_abi::marked::width;
use labrys_expr::Value;

/// Computes marked functions.
pub trait Program: Send {
    /// The signature of a function, see [`labrys_abi::marked`]; `None` if there is no such one.
    fn signature(&mut self, name: &str) -> Option<String>;
    /// The bits of the result for the bits of the arguments; `None` if it has none.
    fn call(&mut self, name: &str, arguments: &[u64]) -> Option<u64>;
}

static PROGRAM: Mutex<Option<Box<dyn Program>>> = Mutex::new(None);

fn program() -> MutexGuard<'static, Option<Box<dyn Program>>> {
    PROGRAM.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on, marked functions are those of this program.
pub fn answer_calls(by: Box<dyn Program>) {
    *program() = Some(by);
}

/// Letters of a marked function's result and parameters.
pub(crate) fn signature(name: &str) -> Option<String> {
    program().as_mut()?.signature(name)
}

/// The result of a marked function on bit patterns.
pub(crate) fn call(name: &str, arguments: &[Value], result: u32) -> Option<u128> {
    let mut guard = program();
    let program = guard.as_mut()?;
    let signature = program.signature(name)?;
    let mut widths = signature.chars().map(width);
    let fits = widths.next() == Some(Some(result))
        && widths.eq(arguments.iter().map(|argument| Some(argument.width())));
    if !fits {
        return None;
    }
    let bits: Vec<u64> = arguments.iter().map(|value| value.bits() as u64).collect();
    program.call(name, &bits).map(u128::from)
}
