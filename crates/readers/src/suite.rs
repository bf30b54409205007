//! The files of a suite.

#[path = "../../suite/tests/sample/mod.rs"]
mod sample;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use labrys_suite::export::EXPORTERS;
use labrys_suite::{Coverage, Suite};
use tempfile::TempDir;

use crate::Reader;

/// A suite in which one file is another: the first byte says which.
pub(crate) const FOLDER: Reader = Reader {
    name: "suite",
    read: |bytes| {
        let Some((number, content)) = bytes.split_first() else {
            return false;
        };
        let Ok(sample) = SAMPLE.lock() else {
            return false;
        };
        let Sample { folder, files } = &*sample;
        let (path, good) = &files[usize::from(*number) % files.len()];
        let written = fs::write(path, content);
        let read = Suite::open(&folder.path().join(NAME)).is_ok_and(|suite| judged(&suite));
        // Full disks and the like are not the reader's matter.
        written.is_ok() && fs::write(path, good).is_ok() && read
    },
    examples: || {
        let sample = SAMPLE.lock();
        let files = sample.iter().flat_map(|sample| &sample.files);
        (0..)
            .zip(files)
            .map(|(number, (_, good))| [&[number], &good[..]].concat())
            .collect()
    },
};

/// A list of branches.
pub(crate) const COVERAGE: Reader = Reader {
    name: "coverage",
    read: |bytes| {
        let coverage = String::from_utf8_lossy(bytes).parse::<Coverage>();
        coverage.is_ok_and(|coverage| {
            assert_eq!(coverage.to_string().parse(), Ok(coverage));
            true
        })
    },
    examples: || vec![b"2-3,100".to_vec(), b"0-4000,5000,7000-7001".to_vec()],
};

/// The suite's folder in the temporary one.
const NAME: &str = "suite";

/// A suite, and its files with what they hold.
struct Sample {
    folder: TempDir,
    files: Vec<(PathBuf, Vec<u8>)>,
}

static SAMPLE: LazyLock<Mutex<Sample>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let suite = folder.path().join(NAME);
    sample::write(&suite);
    let content = |path: PathBuf| {
        let bytes = fs::read(&path).expect("a file of the suite");
        (path, bytes)
    };
    let is_read = |path: &PathBuf| path.extension() != Some("sh".as_ref());
    let files = sample::files(Path::new(&suite)).into_iter();
    let files = files.filter(is_read).map(content).collect();
    Mutex::new(Sample { folder, files })
});

/// Asks a suite for all that commands ask for.
fn judged(suite: &Suite) -> bool {
    let _ = suite.confirmed_coverage().count();
    for case in &suite.cases {
        for exporter in EXPORTERS {
            if exporter.applies(&suite.config) && exporter.unfit(&suite.config).is_none() {
                let _ = exporter.opening(&suite.config);
            }
            let _ = exporter.test(&suite.config, case);
        }
    }
    true
}
