//! Functions of the program that the user marks as pure: how they are called from outside.
//!
//! A marked function takes and gives numbers, and its result depends on its arguments alone. The
//! instrumented program holds a table of them. Started with [`ENV_CALLS`], it is no run but a
//! process that answers calls: first it writes a line `NAME SIGNATURE` for each row of the table
//! and an empty line to [`STATUS_FD`](crate::STATUS_FD); then it reads a [`Request`] from
//! [`CONTROL_FD`](crate::CONTROL_FD) and writes the eight bytes of the result, again and again.
//!
//! A signature has a letter for the result and one for each parameter: `d` and `f` are `double`
//! and `float`, `l` and `i` integers of 64 and 32 bits. A number is passed as its bits, with
//! zeros above.

use core::ffi::c_char;

/// Stands before the name of a marked function in expressions, so that it is never taken for one
/// of the library.
pub const MARK: char = '@';
/// Environment variable that makes an instrumented program answer calls.
pub const ENV_CALLS: &str = "LABRYS_CALLS";
/// Parameters of a marked function at most.
pub const MOST_PARAMETERS: usize = 4;
/// Bytes of its name at most.
pub const LONGEST_NAME: usize = 60;

/// A row of the table.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Marked {
    /// Name, a C string.
    pub name: *const c_char,
    /// Signature, a C string.
    pub signature: *const c_char,
    /// Calls the function with arguments in memory.
    pub call: extern "C" fn(*const u64) -> u64,
}

/// A call.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Row of the table.
    pub function: u64,
    /// Arguments; those that the function does not have are 0.
    pub arguments: [u64; MOST_PARAMETERS],
}

/// The width of the numbers that a letter of a signature stands for.
#[must_use]
pub const fn width(letter: char) -> Option<u32> {
    match letter {
        'd' | 'l' => Some(64),
        'f' | 'i' => Some(32),
        _ => None,
    }
}
