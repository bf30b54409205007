//! The solver stack that the options ask for.

use labrys_solver::walk::Options;
use labrys_solver::{Layers, NoBackend};

use crate::arguments::{SolverOptions, Solvers};
use crate::problem::Problem;

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
