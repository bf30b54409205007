//! The command line, as it is written: commands, options, help. Nothing is looked up here.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use labrys_search::STRATEGIES;

use crate::values::{
    SymbolicArgument, SymbolicName, duration, size, symbolic_argument, symbolic_name,
};

const ABOUT: &str = "Finds inputs for C programs by running them symbolically and concretely.";

const EXAMPLES: &str = "\
Examples:
  labrys cover parser.c --time 60s           explore a C file; its standard input is symbolic
  CC=labrys-cc ./configure && make           build a package for Labrys
  labrys cover src/grep --sym-arg 1 -- pattern @@
                                             explore it: first argument and input file symbolic
  labrys reach parser.c --target parser.c:120
                                             an input that gets to the line, or why there is none
  labrys replay labrys-out --program ./plain run the suite on another build
  labrys sites src/grep                      list the places where the program decides
  labrys solve query.smt2                    decide a script

Exit status: 0 done, 1 failures found, 2 wrong use, 3 the program could not be built or run,
4 a bug in Labrys.";

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

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Explore a program and write a suite of tests
    Cover(Box<Cover>),
    /// Find an input that reaches a place of the program, or prove that there is none
    Reach(Box<crate::reach::Reach>),
    /// Run the tests of a suite again and compare
    Replay(Replay),
    /// List the decisions of a program with their places in the source
    Sites(Sites),
    /// Print the control flow as a graph for Graphviz, covered branches marked
    Cfg(Cfg),
    /// Decide an SMT-LIB script (QF_BV, QF_FP) with the solver that the search uses
    Solve(Solve),
}

/// Options of `labrys solve`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit status: 0 every check was decided, 1 some check is unknown, 3 the script \
                  cannot be read."
)]
pub(crate) struct Solve {
    /// The script; - is standard input
    #[arg(value_name = "FILE.smt2")]
    pub(crate) script: PathBuf,
    /// A check that takes longer is unknown
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub(crate) timeout_solver: Duration,

    #[command(flatten)]
    pub(crate) solver: SolverOptions,
}

/// Which solvers answer queries.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Solver")]
pub(crate) struct SolverOptions {
    /// Which solvers answer hard queries
    #[arg(long = "solver", value_name = "NAME", value_enum, default_value_t)]
    pub(crate) which: Solvers,

    /// The concolic walk without a part of it, or with other parameters; comma-separated:
    /// paper, no-tabu, no-bisection, no-restarts, no-gradient, no-neighbors, no-settle, no-polish,
    /// no-compile, steps=N, neighbors=N, tabu=N
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) walk: Vec<String>,
}

/// A choice of solvers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Solvers {
    /// The concolic walk and Bitwuzla
    #[default]
    Stack,
    /// The concolic walk alone: what it does not solve stays unknown
    Walk,
    /// Bitwuzla alone
    Bitwuzla,
}

const COVER: &str = "\
Explores a program and writes a suite of tests that covers as many branches as it can.

PROGRAM is an executable built by labrys-cc, or C sources, which are built on the fly. Its input
is what it asks for with labrys.h or another harness; the file that stands for @@ in ARGS; else
its standard input. --sym-arg, --sym-file and --sym-env make arguments, further files and
environment variables symbolic, --stdin adds standard input.

Without --time, --runs or --steps the search goes on until nothing is left to try or Ctrl-C.";

const COVER_EXAMPLES: &str = "\
Examples:
  labrys cover magic.c                       small programs are explored to the end
  labrys cover xmlwf --time 2m --input a.xml -- @@
  labrys cover grep --sym-arg 1:8 --time 60s -- 'a*b' @@
  labrys cover xmlwf --resume --time 10m -- @@";

/// Options of `labrys cover`.
#[derive(Args, Debug)]
#[command(long_about = COVER, after_help = COVER_EXAMPLES)]
pub(crate) struct Cover {
    /// Executable built by labrys-cc, or C sources
    #[arg(required = true, value_name = "PROGRAM|FILE.c")]
    pub(crate) program: Vec<PathBuf>,

    /// Arguments of the program; @@ stands for a symbolic input file
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,

    #[command(flatten)]
    pub(crate) build: BuildOptions,

    /// What a Test-Comp task asks for: coverage of branches, or a call of reach_error, at which
    /// the search then ends
    #[arg(long, value_name = "FILE.prp")]
    pub(crate) property: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) search: SearchOptions,

    #[command(flatten)]
    pub(crate) input: InputOptions,

    #[command(flatten)]
    pub(crate) limits: Limits,

    #[command(flatten)]
    pub(crate) solver: SolverOptions,

    #[command(flatten)]
    pub(crate) output: Output,
}

/// How C sources are built.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Build")]
pub(crate) struct BuildOptions {
    /// Option of the compiler for C sources, such as -Iinclude; may be given several times
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    pub(crate) cc_flag: Vec<String>,

    /// Do not check C sources for undefined behavior, nor runs for errors of memory
    #[arg(long)]
    pub(crate) no_oracles: bool,

    /// Check C sources for overflow of signed numbers too
    #[arg(long, conflicts_with = "no_oracles")]
    pub(crate) check_overflow: bool,
}

/// How to search.
#[derive(Args, Debug)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchOptions {
    /// Which branch to flip next
    #[arg(long, value_name = "NAME[,NAME...]", help = strategies())]
    pub(crate) strategy: Option<String>,

    /// Do not flip decisions deeper than this (dfs)
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<u32>,

    /// Keep contexts at this length (context-guided)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) fixed_k: Option<u32>,

    /// Do not leave dominating branches out of contexts (context-guided)
    #[arg(long)]
    pub(crate) no_dominators: bool,

    /// Make contexts of what the calls decided that have not returned, not of all that was decided
    /// before (context-guided)
    #[arg(long)]
    pub(crate) call_contexts: bool,

    /// Fuzz the program too: its runs are cheap and need no conditions. Both share what they find,
    /// and the one that covers more gets more of the work
    #[arg(long)]
    pub(crate) fuzz: bool,

    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Where a query is not decided, try its last condition alone
    #[arg(long)]
    pub(crate) optimistic: bool,

    /// Check that what each run recorded is true of it: slow, to find bugs of Labrys
    #[arg(long)]
    pub(crate) audit: bool,
}

fn strategies() -> String {
    let line = |entry: &labrys_search::Entry| format!("{}: {}", entry.name, entry.summary);
    let lines: Vec<String> = STRATEGIES.iter().map(line).collect();
    format!(
        "Which branch to flip next; several take turns [default: {}, with --resume that of the \
         suite]\n{}",
        STRATEGIES[0].name,
        lines.join("\n")
    )
}

/// What is symbolic, and where the search starts.
#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputOptions {
    /// Start from this file (standard input or @@); may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Vec<PathBuf>,

    /// Make argument N symbolic, with room for BYTES bytes (1 is the first of ARGS)
    #[arg(long, value_name = "N[:BYTES]", value_parser = symbolic_argument)]
    pub(crate) sym_arg: Vec<SymbolicArgument>,

    /// Make a file of this name in the working directory symbolic, at first BYTES bytes long; may
    /// be given several times
    #[arg(long, value_name = "NAME[:BYTES]", value_parser = symbolic_name)]
    pub(crate) sym_file: Vec<SymbolicName>,

    /// Make an environment variable symbolic, with room for BYTES bytes; may be given several times
    #[arg(long, value_name = "NAME[:BYTES]", value_parser = symbolic_name)]
    pub(crate) sym_env: Vec<SymbolicName>,

    /// Make standard input symbolic beside the other inputs
    #[arg(long)]
    pub(crate) stdin: bool,

    /// Inputs grow to at most this many bytes
    #[arg(long, alias = "max-len", value_name = "BYTES", default_value = "65536", value_parser = size)]
    pub(crate) max_input: usize,
}

/// When to stop, and limits of runs and queries.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub(crate) struct Limits {
    /// Stop after this time: 90, 90s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) time: Option<Duration>,

    /// Stop after this many runs
    #[arg(long, value_name = "N")]
    pub(crate) runs: Option<u64>,

    /// Stop after this many steps; the same steps give the same suite everywhere
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<u64>,

    /// Work on so many things at a time: the search, and N - 1 runs beside it; another N may give
    /// another suite, the same N gives the same one
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) jobs: u8,

    /// Stop when all targets that the program names by labrys_target are reached
    #[arg(long)]
    pub(crate) until_targets: bool,

    /// A run that takes longer is cut off
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration)]
    pub(crate) timeout_run: Duration,

    /// A query that takes the solver more steps is given up; a second has about 20000 of them
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) steps_solver: u64,

    /// A query that takes longer is given up, whatever its steps
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub(crate) timeout_solver: Duration,
}

/// Where results go.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct Output {
    /// Folder of the suite; must not exist or be empty
    #[arg(long, value_name = "DIR", default_value = "labrys-out")]
    pub(crate) out: PathBuf,

    /// Pack test-suite/ into test-suite.zip at the end (Test-Comp)
    #[arg(long)]
    pub(crate) zip: bool,

    /// Go on from the suite in the folder
    #[arg(long)]
    pub(crate) resume: bool,

    /// Write each query that no simple layer answers to this folder, as an SMT-LIB script for
    /// `labrys solve`
    #[arg(long, value_name = "DIR")]
    pub(crate) log_queries: Option<PathBuf>,

    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Print the summary as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

const REPLAY: &str = "\
Runs every test of a suite and compares outcome and coverage with what the suite says.

Without --program the plain build inside the program of the suite is run: outcome and coverage
are compared. With --program the tests run on any executable: outcomes are compared.";

/// Options of `labrys replay`.
#[derive(Args, Debug)]
#[command(long_about = REPLAY)]
pub(crate) struct Replay {
    /// Folder of the suite
    #[arg(value_name = "SUITE")]
    pub(crate) suite: PathBuf,

    /// Run this executable instead
    #[arg(long, value_name = "PLAIN")]
    pub(crate) program: Option<PathBuf>,

    /// Show failure N again with its stack, and nothing else
    #[arg(long, value_name = "N", conflicts_with = "program")]
    pub(crate) failure: Option<u32>,

    /// A run that takes longer is cut off
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    pub(crate) timeout_run: Duration,

    /// Print only the numbers
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `labrys sites`.
#[derive(Args, Debug)]
pub(crate) struct Sites {
    /// Executable built by labrys-cc, or C sources
    #[arg(required = true, value_name = "PROGRAM|FILE.c")]
    pub(crate) program: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) build: BuildOptions,

    /// Print one JSON object per site
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `labrys cfg`.
#[derive(Args, Debug)]
#[command(
    after_help = "Example: labrys cfg src/grep main --suite labrys-out | dot -Tsvg > main.svg"
)]
pub(crate) struct Cfg {
    /// Executable built by labrys-cc, or a C source
    #[arg(value_name = "PROGRAM|FILE.c")]
    pub(crate) program: PathBuf,

    /// Only this function
    #[arg(value_name = "FUNCTION")]
    pub(crate) function: Option<String>,

    /// Mark what the suite in this folder covers
    #[arg(long, value_name = "DIR")]
    pub(crate) suite: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) build: BuildOptions,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

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
