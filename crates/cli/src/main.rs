//! The `labrys` command: parse, resolve, act.

mod commands;
mod output;
mod wiring;

use std::panic::catch_unwind;
use std::process::ExitCode;

use clap::Parser;
use commands::Arguments;
use output::problem::status;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = catch_unwind(|| arguments.command.run());
    let code = match outcome {
        Ok(Ok(code)) => code,
        Ok(Err(problem)) => {
            eprintln!("labrys: error: {}", problem.text);
            problem.status
        }
        Err(_) => {
            eprintln!("labrys: this is a bug in Labrys; please report it with the text above");
            status::INTERNAL
        }
    };
    ExitCode::from(code)
}
