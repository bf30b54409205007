//! The `labrys` command: parse, resolve, act.

// Printing may fail: `output::console` prints.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod commands;
mod output;
mod wiring;

use std::panic::catch_unwind;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use commands::Arguments;
use output::console::{note, tell_answer};
use output::problem::{Problem, status};
use signal_hook::consts::SIGPIPE;

/// The signal for a file that is too large.
const SIGXFSZ: i32 = 25;

fn main() -> ExitCode {
    // Writing beyond `ulimit -f` is an error like others.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    let outcome = catch_unwind(run);
    let code = match outcome {
        Ok(Ok(code)) => code,
        Ok(Err(problem)) => {
            if problem.status == status::UNREAD {
                // Returns only where the signal cannot be raised.
                let _ = signal_hook::low_level::emulate_default_handler(SIGPIPE);
            } else {
                note(format_args!("labrys: error: {}", problem.text));
            }
            problem.status
        }
        Err(_) => {
            note("labrys: this is a bug in Labrys; please report it with the text above");
            status::INTERNAL
        }
    };
    ExitCode::from(code)
}

fn run() -> Result<u8, Problem> {
    match Arguments::try_parse() {
        Ok(arguments) => has_folder()
            .and_then(|()| has_room())
            .and_then(|()| arguments.command.run()),
        Err(answer) => tell_answer(&answer),
    }
}

/// Refuses to work with less than LLVM needs.
fn has_room() -> Result<(), Problem> {
    labrys_cc::limits::too_low().map_or(Ok(()), |limit| Err(Problem::program(limit)))
}

/// Refuses to work in a folder that is gone.
fn has_folder() -> Result<(), Problem> {
    match std::env::current_dir() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(Problem::usage(
            "the working directory was removed; change to one that is there",
        )),
        _ => Ok(()),
    }
}
