//! The suites of functions as a store: a suite is what it was made from, by its key, and what has
//! the same key needs no search again. A suite that is made anew takes the place of the old one when
//! it is whole.
//!
//! Law: killing Labrys at any moment leaves the old suite or the new one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use labrys_suite::{Input, Suite};

use crate::output::problem::Problem;
use crate::wiring::inputs::shape;

/// The file with the key of a suite that is whole.
const KEY: &str = "key";

/// The place of one suite.
#[derive(Debug)]
pub(crate) struct Store {
    folder: PathBuf,
    key: String,
    /// What is there already.
    old: Option<Suite>,
    unchanged: bool,
}

impl Store {
    /// The place of a suite with this key.
    pub(crate) fn open(folder: &Path, key: String) -> Result<Self, Problem> {
        let mut store = Store {
            folder: folder.to_path_buf(),
            key,
            old: None,
            unchanged: false,
        };
        let (new, replaced) = (store.beside("new"), store.beside("old"));
        store.check(removed(&new))?;
        if folder.exists() {
            store.check(removed(&replaced))?;
        } else if replaced.exists() {
            store.check(fs::rename(&replaced, folder))?;
        }
        store.old = Suite::open(folder).ok();
        let key = fs::read_to_string(folder.join(KEY));
        store.unchanged = store.old.is_some() && key.is_ok_and(|key| key == store.key);
        Ok(store)
    }

    /// Whether the suite that is there has the same key.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.unchanged
    }

    /// The inputs of the suite that is there, if they have the streams of these.
    pub(crate) fn inputs(&self, initial: &[Input]) -> Vec<Input> {
        let Some(old) = &self.old else {
            return Vec::new();
        };
        let tests = old.cases.iter().map(|case| &case.input);
        let all = tests.chain(old.failures.iter().map(|failure| &failure.input));
        let alike = |input: &&Input| shape(std::slice::from_ref(*input)) == shape(initial);
        all.filter(alike).cloned().collect()
    }

    /// Where the suite is made.
    pub(crate) fn work(&self) -> PathBuf {
        match self.old {
            Some(_) => self.beside("new"),
            None => self.folder.clone(),
        }
    }

    /// The suite is made; one that is not whole takes no other's place.
    pub(crate) fn finish(&self, is_whole: bool) -> Result<(), Problem> {
        let work = self.work();
        if is_whole {
            let unfinished = work.join(format!("{KEY}.new"));
            self.check(fs::write(&unfinished, &self.key))?;
            self.check(fs::rename(&unfinished, work.join(KEY)))?;
        }
        match (&self.old, is_whole) {
            (None, _) => Ok(()),
            (Some(_), false) => self.check(removed(&work)),
            (Some(_), true) => {
                let replaced = self.beside("old");
                let moved = fs::rename(&self.folder, &replaced)
                    .and_then(|()| fs::rename(&work, &self.folder));
                self.check(moved.and_then(|()| removed(&replaced)))
            }
        }
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.folder.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{ending}~"));
        self.folder.with_file_name(name)
    }

    fn check(&self, result: io::Result<()>) -> Result<(), Problem> {
        result.map_err(|error| Problem::unwritten(&self.folder, &error))
    }
}

/// Removes a folder, if it is there.
fn removed(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}
