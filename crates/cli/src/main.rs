//! The `labrys` command: parse, resolve, act. Each command is a module of its name.

mod arguments;
mod both_ways;
mod cfg;
mod closing;
mod cover;
mod problem;
mod progress;
mod reach;
mod reach_entry;
mod reach_output;
mod reach_targets;
mod replay;
mod reproduce;
mod sites;
mod solve;
mod solvers;
mod sources;
mod stop;
mod subject;
mod testcomp;
mod values;

use std::panic::catch_unwind;
use std::process::ExitCode;

use arguments::{Arguments, Command};
use clap::Parser;
use problem::{Problem, status};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = catch_unwind(|| act(&arguments.command));
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

fn act(command: &Command) -> Result<u8, Problem> {
    match command {
        Command::Cover(options) => cover::cover(options),
        Command::Reach(options) => reach::reach(options),
        Command::Replay(options) => replay::replay(options),
        Command::Sites(options) => sites::sites(options),
        Command::Cfg(options) => cfg::cfg(options),
        Command::Solve(options) => solve::solve(options),
    }
}
