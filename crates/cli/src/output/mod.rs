//! Everything that a command prints, and where its results go.

pub(crate) mod closing;
pub(crate) mod console;
pub(crate) mod problem;
pub(crate) mod progress;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use labrys_solver::{Layers, QueryLog};
use labrys_suite::Config;
use labrys_suite::export::{self, EXPORTERS};

use self::problem::Problem;

/// Where results go.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct Output {
    /// Folder of the suite; must not exist or be empty
    #[arg(long, short, value_name = "DIR", default_value = "labrys-out")]
    pub(crate) out: PathBuf,

    /// Write the tests in a form for other tools too; may be given several times
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = exporters())]
    pub(crate) export: Vec<String>,

    /// Pack each exported folder into an archive at the end, such as test-suite.zip for Test-Comp
    #[arg(long)]
    pub(crate) zip: bool,

    /// Go on from the suite in the folder
    #[arg(long)]
    pub(crate) resume: bool,

    /// Write each query that no simple layer answers to this folder, as an SMT-LIB script for
    /// `labrys solve`
    #[arg(long, value_name = "DIR")]
    pub(crate) log_queries: Option<PathBuf>,

    /// Write no times and not the name of the suite's folder into it: the same program, seed and
    /// steps give the same folder, file by file
    #[arg(long)]
    pub(crate) reproducible: bool,

    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Print the summary as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

fn exporters() -> PossibleValuesParser {
    let value = |exporter: &&dyn export::Exporter| {
        PossibleValue::new(exporter.name()).help(exporter.summary())
    };
    PossibleValuesParser::new(EXPORTERS.iter().map(value))
}

fn no_log(folder: &Path, error: &io::Error) -> Problem {
    Problem::usage(format!(
        "--log-queries {}: no queries can be written there: {error}; name a folder that can be \
         made and written to",
        folder.display()
    ))
}

impl Output {
    /// Adds to the options in a suite's configuration what shapes its files.
    pub(crate) fn record(&self, options: &mut BTreeMap<String, String>) {
        if self.reproducible {
            options.insert(Config::REPRODUCIBLE.to_owned(), "true".to_owned());
        }
    }

    /// Refuses a folder that queries cannot be logged to, before anything is built or run.
    pub(crate) fn check_log(&self) -> Result<(), Problem> {
        let folder = self.log_queries.as_deref();
        folder.map_or(Ok(()), |folder| {
            QueryLog::check(folder).map_err(|error| no_log(folder, &error))
        })
    }

    /// Has a solver log its queries, if the user wants it; one that is not the only one to a folder
    /// of its own in there.
    pub(crate) fn log_to_folder(
        &self,
        name: Option<&str>,
        solver: &mut Layers,
    ) -> Result<(), Problem> {
        if let Some(folder) = &self.log_queries {
            let folder = &name.map_or_else(|| folder.clone(), |name| folder.join(name));
            let log = QueryLog::new(folder).map_err(|error| no_log(folder, &error))?;
            solver.set_log(log);
        }
        Ok(())
    }

    /// Packs what exporters wrote, if the user wants it.
    pub(crate) fn pack(&self, config: &Config) -> Result<(), Problem> {
        if self.zip && export::pack(&self.out, config)?.is_empty() {
            return Err(Problem::usage(
                "--zip packs the folders of --export, and there is none; name a form by --export",
            ));
        }
        Ok(())
    }
}
