//! Standard output and standard error.
//!
//! Law: a failure to print never panics and never costs a result. Standard output that nobody
//! reads ends the command as SIGPIPE ends other tools; standard error that cannot be written is
//! silent.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write, stderr, stdout};
use std::path::Path;

use super::problem::{Problem, status};

/// Writes to standard output.
///
/// # Errors
/// Nobody reads it, or it cannot be written.
pub(crate) fn print(text: impl Display) -> Result<(), Problem> {
    print_with(|out| write!(out, "{text}"))
}

/// Writes a line to standard output.
///
/// # Errors
/// Nobody reads it, or it cannot be written.
pub(crate) fn print_line(text: impl Display) -> Result<(), Problem> {
    print_with(|out| writeln!(out, "{text}"))
}

/// Writes to standard output, which is buffered meanwhile.
///
/// # Errors
/// Nobody reads it, or it cannot be written.
pub(crate) fn print_with(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Problem> {
    let mut out = io::BufWriter::new(stdout().lock());
    write(&mut out)
        .and_then(|()| out.flush())
        .map_err(|error| unwritten(&error, "; free some space there, or write to another file"))
}

/// Why standard output has not got it all, and a word on what is lost.
fn unwritten(error: &io::Error, lost: &str) -> Problem {
    match error.kind() {
        ErrorKind::BrokenPipe => Problem::unread(),
        _ => Problem::unwritable(format!("cannot write standard output: {error}{lost}")),
    }
}

/// Tells what the parser of the command line answers instead of arguments: help, the version, or
/// what is wrong; the exit status.
///
/// # Errors
/// Help cannot be written.
pub(crate) fn tell_answer(answer: &clap::Error) -> Result<u8, Problem> {
    let written = answer.print().and_then(|()| stdout().flush());
    if answer.use_stderr() {
        return Ok(status::USAGE);
    }
    written.map_err(|error| unwritten(&error, ""))?;
    Ok(status::DONE)
}

/// Writes a line to standard error.
pub(crate) fn note(text: impl Display) {
    // Where standard error is closed or full, there is no better place to say so.
    let _ = writeln!(stderr(), "{text}");
}

/// Tells of what was proved unreachable and reached by a run; whether there is anything.
pub(crate) fn tell_contradictions(names: &[String], folder: &Path) -> bool {
    for name in names {
        note(format!(
            "labrys: bug in Labrys: {name} was proved unreachable, but a run reached it; please \
             report it with the executable and the folder {}",
            folder.display()
        ));
    }
    !names.is_empty()
}
