//! What hunts found out about units, as files for later hunts: the inputs on which a unit was run, and
//! where it failed.
//!
//! Law: the name of a file is a number of all that the runs of the unit depend on, so files of several
//! programs, and of several machines, may lie in one folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use labrys_program::FunctionId;
use labrys_suite::{Error, Explored};

/// The folder, and the units of a program in it.
#[derive(Debug)]
pub(crate) struct Notebook {
    folder: PathBuf,
    /// What all units depend on, as text.
    options: String,
    names: BTreeMap<FunctionId, String>,
    known: BTreeMap<FunctionId, Explored>,
}

impl Notebook {
    /// The folder, which is made; `options` is what all units depend on.
    pub(crate) fn open(folder: &Path, options: String) -> Result<Self, std::io::Error> {
        fs::create_dir_all(folder)?;
        Ok(Notebook {
            folder: folder.to_path_buf(),
            options,
            names: BTreeMap::new(),
            known: BTreeMap::new(),
        })
    }

    /// A unit has this key. What is known of one that was cut off counts if units had at least half of the
    /// time that they have now, as `time` says.
    pub(crate) fn look_up(&mut self, function: FunctionId, key: &str, time: Option<Duration>) {
        let name = labrys_units::hash(&format!("{key}\n{}", self.options));
        let text = fs::read_to_string(self.folder.join(&name));
        let explored = text.ok().and_then(|text| Explored::read(&text));
        let is_enough = |had: Duration| time.is_some_and(|time| had >= time / 2);
        let enough = |explored: &Explored| explored.cut_after.is_none_or(is_enough);
        if let Some(explored) = explored.filter(enough) {
            self.known.insert(function, explored);
        }
        self.names.insert(function, name);
    }

    /// What is known of a unit.
    pub(crate) fn of(&self, function: FunctionId) -> Option<&Explored> {
        self.known.get(&function)
    }

    /// Keeps what was found out about a unit.
    pub(crate) fn keep(&self, function: FunctionId, explored: &Explored) -> Result<(), Error> {
        let (Some(name), Some(text)) = (self.names.get(&function), explored.text()) else {
            return Ok(());
        };
        // Others may read at the same time.
        let unfinished = self.folder.join(format!("{name}.{}~", std::process::id()));
        let path = self.folder.join(name);
        let written = fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, &path));
        written.map_err(|source| Error::Io {
            action: "write",
            path,
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use labrys_suite::{FailedLine, Input};

    use super::*;

    #[test]
    fn a_unit_is_found_again_by_what_it_depends_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let open =
            |options: &str| Notebook::open(folder.path(), options.to_owned()).expect("a folder");
        let explored = Explored {
            inputs: vec![Input::objects(""), Input::objects([0, 255, 7])],
            fails: true,
            lines: vec![FailedLine {
                function: "f".to_owned(),
                distance: 3,
                kind: "SIGSEGV".to_owned(),
                inputs: vec![Input::objects([0, 255, 7])],
            }],
            cut_after: None,
        };
        let function = FunctionId(3);
        let mut notebook = open("seed 1");
        notebook.look_up(function, "unit", None);
        assert_eq!(notebook.of(function), None);
        notebook.keep(function, &explored).expect("a file");
        let found = |options: &str, key: &str| {
            let mut notebook = open(options);
            notebook.look_up(FunctionId(5), key, None);
            notebook.of(FunctionId(5)).cloned()
        };
        assert_eq!(found("seed 1", "unit"), Some(explored));
        assert_eq!(found("seed 2", "unit"), None);
        assert_eq!(found("seed 1", "another unit"), None);
        // Half a file is none.
        for entry in fs::read_dir(folder.path()).expect("a folder").flatten() {
            fs::write(entry.path(), "{\"fails\": fal").expect("a file");
        }
        assert_eq!(found("seed 1", "unit"), None);
    }

    #[test]
    fn a_unit_that_was_cut_off_is_explored_again_where_there_is_more_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = || Notebook::open(folder.path(), String::new()).expect("a folder");
        let function = FunctionId(3);
        let mut notebook = open();
        notebook.look_up(function, "unit", None);
        let explored = Explored {
            inputs: vec![Input::objects("")],
            fails: false,
            lines: Vec::new(),
            cut_after: Some(Duration::from_millis(2500)),
        };
        notebook.keep(function, &explored).expect("a file");
        let is_known = |seconds: Option<u64>| {
            let mut notebook = open();
            notebook.look_up(function, "unit", seconds.map(Duration::from_secs));
            notebook.of(function) == Some(&explored)
        };
        let known = [Some(1), Some(5), Some(6), None].map(is_known);
        assert_eq!(known, [true, true, false, false]);
    }
}
