//! The `labrys` command: parse, resolve, act.

// Printing may fail: `output::console` prints.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod commands;
mod output;
mod wiring;

use std::panic::catch_unwind;
use std::process::ExitCode;

use clap::Parser;
use commands::Arguments;
use output::console::note;
use output::problem::status;
use signal_hook::consts::SIGPIPE;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = catch_unwind(|| arguments.command.run());
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
