//! Runs of lld.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;

use crate::jobs::{Job, say};
use crate::{Error, Session};

/// The option of clang that names the linker.
pub(crate) fn linker_option(linker: &Path) -> OsString {
    let mut option = OsString::from("--ld-path=");
    option.push(linker);
    option
}

/// Runs lld and passes on what it says, with advice.
pub(crate) fn run_linker(session: &Session, job: &Job, scratch: &Path) -> Result<(), Error> {
    let output = job.run_captured(scratch)?;
    let messages = String::from_utf8_lossy(&output.stderr);
    // Where standard output is closed or full, there is nobody to tell.
    let _ = std::io::stdout().write_all(&output.stdout);
    say(&messages);
    if output.status.success() {
        return Ok(());
    }
    if let Some(advice) = advice(&messages) {
        session.note(advice);
    }
    Err(Error::Unlinked {
        code: output.status.code().unwrap_or(1),
        undefined: undefined(&messages),
    })
}

/// The symbols that lld misses.
fn undefined(messages: &str) -> Vec<String> {
    let lines = messages.lines();
    let symbols = lines.filter_map(|line| line.split_once("error: undefined symbol: "));
    symbols.map(|(_, symbol)| symbol.to_owned()).collect()
}

fn advice(messages: &str) -> Option<&'static str> {
    if messages.contains("Reader: 'LLVM") {
        return Some("an input is bitcode of another version of LLVM; rebuild it by labrys-cc");
    }
    if messages.contains("recompile with -fPIC") {
        return Some(
            "programs under Labrys are position independent; rebuild the object named above \
             by labrys-cc, or with -fPIE",
        );
    }
    None
}
