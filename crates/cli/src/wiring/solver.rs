//! The solver stack that the options ask for.

use clap::Args;
use labrys_solver::walk::Options;
use labrys_solver::{Layers, NoBackend};

use crate::output::problem::Problem;

/// Which solvers answer queries.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Solver")]
pub(crate) struct SolverOptions {
    /// Which solvers answer hard queries
    #[arg(long = "solver", value_name = "NAME", value_enum, default_value_t)]
    pub(crate) which: Solvers,

    /// Leaves out a part of the concolic walk, or sets a parameter of it; comma-separated:
    /// paper, no-tabu, no-bisection, no-restarts, no-gradient, no-neighbors, no-settle, no-polish,
    /// no-compile, steps=N, neighbors=N, tabu=N
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = walk_option)]
    pub(crate) walk: Vec<String>,
}

/// An option of the walk.
fn walk_option(word: &str) -> Result<String, String> {
    let known = Options::new(0).set(word);
    known.map_err(|error| error.to_string())?;
    Ok(word.to_owned())
}

/// A choice of solvers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Solvers {
    /// The concolic walk and Bitwuzla
    #[default]
    Stack,
    /// The concolic walk alone: queries that it does not solve stay unknown
    Walk,
    /// Bitwuzla alone
    Bitwuzla,
}

/// The layers, their walk with this seed.
pub(crate) fn layers(options: &SolverOptions, seed: u64) -> Result<Layers, Problem> {
    let mut layers = match options.which {
        Solvers::Walk => Layers::new(Box::new(NoBackend)),
        _ => labrys_solver::solver().map_err(Problem::program)?,
    };
    let mut walk = Options::new(seed);
    for word in &options.walk {
        walk.set(word)
            .map_err(|error| Problem::usage(format!("--walk {word}: {error}")))?;
    }
    layers.set_walk((options.which != Solvers::Bitwuzla).then_some(walk));
    Ok(layers)
}
