//! The command line: one module for each command, with its options and what it does.

mod cfg;
mod cover;
mod hunt;
mod reach;
mod replay;
mod sites;
mod solve;
mod unit;
mod verify_proof;

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use crate::output::problem::Problem;
use crate::wiring::build;

const ABOUT: &str = "Finds inputs for C programs by running them symbolically and concretely.";

const EXAMPLES: &str = "\
Examples:
  labrys cover parser.c --time 60s           explore a C file; its standard input is symbolic
  CC=labrys-cc ./configure && make           build a package for Labrys
  labrys cover src/grep --sym-arg 1 -- pattern @@
                                             explore it: first argument and input file symbolic
  labrys reach parser.c --target parser.c:120
                                             an input that gets to the line, or why there is none
  labrys hunt tool --seeds examples -- @@    failures of units, each shown by an input of the tool
  labrys replay labrys-out --program ./plain run the suite on another build
  labrys sites src/grep                      list the places where the program decides
  labrys solve query.smt2                    decide a script
  labrys verify-proof labrys-out             check what was proved unreachable by a second solver

Exit status: 0 done, 1 failures found, 2 wrong use, 3 the program could not be built or run,
4 a bug in Labrys, 5 results cannot be written (a full disk).";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "labrys", version, about = ABOUT, after_help = EXAMPLES)]
#[command(
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands; each says in its module what it is for.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Cover(Box<cover::Cover>),
    Reach(Box<reach::Reach>),
    Hunt(Box<hunt::Hunt>),
    Replay(replay::Replay),
    Sites(sites::Sites),
    Cfg(cfg::Cfg),
    Solve(solve::Solve),
    Unit(Box<unit::Unit>),
    VerifyProof(verify_proof::VerifyProof),
    /// A build for another process of Labrys
    #[command(name = build::COMMAND, hide = true)]
    BuildWorker {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<OsString>,
    },
}

impl Command {
    /// Does what the command says; the exit status.
    pub(crate) fn run(&self) -> Result<u8, Problem> {
        match self {
            Command::Cover(options) => cover::cover(options),
            Command::Reach(options) => reach::reach(options),
            Command::Hunt(options) => hunt::hunt(options),
            Command::Replay(options) => replay::replay(options),
            Command::Sites(options) => sites::sites(options),
            Command::Cfg(options) => cfg::cfg(options),
            Command::Solve(options) => solve::solve(options),
            Command::Unit(options) => unit::unit(options),
            Command::VerifyProof(options) => verify_proof::verify_proof(options),
            Command::BuildWorker { words } => Ok(labrys_cc::worker::serve(words.clone()) as u8),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::wiring::values::SymbolicArgument;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn arguments_of_the_program_stand_after_the_dashes() {
        let line = [
            "labrys",
            "cover",
            "grep",
            "--sym-arg",
            "1:8",
            "--",
            "-e",
            "@@",
        ];
        let Command::Cover(cover) = Arguments::parse_from(line).command else {
            panic!("not cover");
        };
        assert_eq!(cover.arguments, ["-e", "@@"]);
        let expected = SymbolicArgument {
            index: 1,
            bytes: Some(8),
        };
        assert_eq!(cover.input.sym_arg, [expected]);
        assert_eq!(cover.search.strategy, None);
    }
}
