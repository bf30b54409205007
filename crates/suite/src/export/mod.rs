//! The one list of exporters: forms of a suite for other tools. A new one is a file and a line
//! of [`EXPORTERS`].
//!
//! Law: an exporter writes from a suite's configuration and test alone, so that the same suite
//! has the same files.

mod c;
mod ktest;
mod testcomp;
mod units;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use labrys_program::Program;

pub(crate) use self::c::path as c_path;
pub use self::ktest::Ktest;
pub use self::testcomp::{Metadata, Property, read_test_comp};
use crate::{Config, Error, Failure, TestCase, files};

/// The exporters, in the order in which they are listed for users.
pub const EXPORTERS: &[&dyn Exporter] = &[
    &c::CFiles,
    &testcomp::TestComp,
    &ktest::Ktests,
    &units::UnitTests,
];

/// A form of a suite for another tool, written beside the suite's own while it grows.
pub trait Exporter: Sync {
    /// Name on the command line.
    fn name(&self) -> &'static str;

    /// What it writes, in one line.
    fn summary(&self) -> &'static str;

    /// Name of the folder that holds its files; none if they lie beside the inputs.
    fn folder(&self) -> Option<&'static str> {
        None
    }

    /// Notes in the configuration of a new suite what the exporter has to know of the program.
    fn prepare(&self, _config: &mut Config, _source: &Source<'_>) {}

    /// Why a suite cannot have this form; none if it can.
    fn unfit(&self, _config: &Config) -> Option<&'static str> {
        None
    }

    /// Whether a suite has this form.
    fn applies(&self, config: &Config) -> bool {
        config.asks_for(self.name())
    }

    /// Files that are there from the beginning.
    fn opening(&self, _config: &Config) -> Vec<ExportedFile> {
        Vec::new()
    }

    /// Files of a test.
    fn test(&self, config: &Config, case: &TestCase) -> Vec<ExportedFile>;

    /// Files of all tests so far, in the order of their ids; they are written anew with each test.
    fn whole(&self, _config: &Config, _cases: &[TestCase]) -> Vec<ExportedFile> {
        Vec::new()
    }

    /// Files of a failure.
    fn failure(&self, _config: &Config, _failure: &Failure) -> Vec<ExportedFile> {
        Vec::new()
    }
}

/// What a suite is made of.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    /// The program.
    pub program: &'s Program,
    /// The files that the user named: an executable, or sources.
    pub files: &'s [PathBuf],
}

/// A file that an exporter writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedFile {
    /// Its path in the suite folder.
    pub path: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

impl ExportedFile {
    /// A file with these contents.
    pub fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: bytes.into(),
        }
    }

    /// The last part of its path.
    pub(crate) fn name(&self) -> String {
        let name = self.path.rsplit('/').next();
        name.unwrap_or_default().to_owned()
    }
}

/// The exporters of a suite.
pub(crate) fn of(config: &Config) -> impl Iterator<Item = &'static dyn Exporter> + '_ {
    let all = EXPORTERS.iter().copied();
    all.filter(|exporter| exporter.applies(config))
}

/// Settles which forms a new suite has.
///
/// # Errors
/// If a form that the configuration asks for does not exist or does not fit the program.
pub fn prepare(config: &mut Config, source: &Source<'_>) -> Result<(), Error> {
    for exporter in EXPORTERS {
        exporter.prepare(config, source);
    }
    for name in &config.exports {
        let mut named = EXPORTERS.iter().filter(|exporter| exporter.name() == name);
        let reason = match named.next() {
            Some(exporter) => exporter.unfit(config),
            None => Some("there is no such form"),
        };
        if let Some(reason) = reason {
            return Err(Error::Unfit {
                name: name.clone(),
                reason,
            });
        }
    }
    Ok(())
}

/// Packs the folders of a suite's exporters, each into an archive of its name. Returns the paths
/// of the archives.
///
/// # Errors
/// If a file cannot be read or an archive not be written.
pub fn pack(folder: &Path, config: &Config) -> Result<Vec<PathBuf>, Error> {
    let folders = of(config).filter_map(Exporter::folder);
    let pack = |name: &str| {
        let path = folder.join(format!("{name}.zip"));
        files::write_with(&path, |file| zip_folder(&folder.join(name), file))?;
        Ok(path)
    };
    folders.map(pack).collect()
}

/// Packs the files of a folder, without the folder itself, in the order of their names.
fn zip_folder(folder: &Path, archive: &mut File) -> io::Result<()> {
    let mut names: Vec<_> = std::fs::read_dir(folder)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    let mut writer = zip::ZipWriter::new(archive);
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .last_modified_time(zip::DateTime::default());
    for name in names {
        writer.start_file(&*name, options)?;
        writer.write_all(&std::fs::read(folder.join(&name))?)?;
    }
    writer.finish()?;
    Ok(())
}
