//! Everything that a command prints, and where its results go.

pub(crate) mod closing;
pub(crate) mod problem;
pub(crate) mod progress;

use std::path::PathBuf;

use clap::Args;

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
