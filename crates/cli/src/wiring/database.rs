//! The `compile_commands.json` that `-p` names.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::output::problem::Problem;

/// The file in the folder of a build.
const NAME: &str = "compile_commands.json";

/// A file that was read.
#[derive(Debug)]
pub(crate) struct Database {
    path: PathBuf,
    commands: labrys_cc::Database,
}

impl Database {
    /// Reads the file in a folder.
    pub(crate) fn open(folder: &Path) -> Result<Self, Problem> {
        let path = folder.join(NAME);
        let text = std::fs::read_to_string(&path).map_err(|error| {
            Problem::usage(format!(
                "-p {}: cannot read {NAME} there: {error}; cmake writes it with \
                 -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, meson always, bear for other builds",
                folder.display()
            ))
        })?;
        let commands = labrys_cc::Database::read(&text)
            .map_err(|error| Problem::usage(format!("{}: {error}", path.display())))?;
        Ok(Database { path, commands })
    }

    /// The options that a source is compiled with.
    pub(crate) fn options(&self, source: &Path) -> Result<Vec<OsString>, Problem> {
        self.commands.options(source).ok_or_else(|| {
            Problem::usage(format!(
                "{} has no entry for {}; name a source of that build, or leave out -p",
                self.path.display(),
                source.display()
            ))
        })
    }
}
