//! What hunts found out about units, as files for later hunts: the inputs on which a unit was run, and
//! where it failed.
//!
//! Law: the name of a file begins with a number of what the unit is called with, and the file says what
//! of the program its runs depend on, so files of several programs, and of several machines, may lie in
//! one folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use labrys_program::FunctionId;
use labrys_suite::{Error, Explored};
use labrys_units::{Key, Keys, Ran};

/// The folder, and the units of a program in it.
#[derive(Debug)]
pub(crate) struct Notebook {
    folder: PathBuf,
    /// What all units depend on, as text.
    options: String,
    /// What the units depend on beside that.
    keys: Keys,
    units: BTreeMap<FunctionId, Unit>,
    known: BTreeMap<FunctionId, Arc<Explored>>,
}

/// A unit of the program.
#[derive(Debug)]
struct Unit {
    /// The function that is called.
    function: String,
    /// How the names of its files begin.
    stem: String,
}

impl Notebook {
    /// The folder, which is made; `options` is what all units depend on.
    pub(crate) fn open(folder: &Path, options: String) -> Result<Self, std::io::Error> {
        fs::create_dir_all(folder)?;
        Ok(Notebook {
            folder: folder.to_path_buf(),
            options,
            keys: Keys::default(),
            units: BTreeMap::new(),
            known: BTreeMap::new(),
        })
    }

    /// The units have these keys. What is known of one that was cut off counts if units had at least half
    /// of the time that they have now, as `time` says.
    pub(crate) fn look_up(
        &mut self,
        keys: Keys,
        number: impl Fn(&str) -> Option<FunctionId>,
        time: Option<Duration>,
    ) {
        let files = self.files();
        let is_enough = |had: Duration| time.is_some_and(|time| had >= time / 2);
        let enough = |explored: &Explored| explored.cut_after.is_none_or(is_enough);
        for (name, Key { called, .. }) in &keys.units {
            let Some(function) = number(name) else {
                continue;
            };
            let stem = labrys_units::hash(&format!("{called}\n{}", self.options));
            let texts = files.get(&stem).into_iter().flatten();
            let texts = texts.filter_map(|file| fs::read_to_string(self.folder.join(file)).ok());
            let mut kept = texts.filter_map(|text| Explored::read(&text));
            let known = kept.find(|(one, needs)| enough(one) && keys.holds(name, needs));
            if let Some((explored, _)) = known {
                self.known.insert(function, Arc::new(explored));
            }
            let unit = Unit {
                function: name.clone(),
                stem,
            };
            self.units.insert(function, unit);
        }
        self.keys = keys;
    }

    /// The files of each unit, by how their names begin, in order.
    fn files(&self) -> BTreeMap<String, Vec<String>> {
        let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let names = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for name in names.filter_map(|entry| entry.file_name().into_string().ok()) {
            if let Some((stem, _)) = name.split_once('.').filter(|_| !name.ends_with('~')) {
                files.entry(stem.to_owned()).or_default().push(name);
            }
        }
        files.values_mut().for_each(|names| names.sort());
        files
    }

    /// What is known of a unit.
    pub(crate) fn of(&self, function: FunctionId) -> Option<Arc<Explored>> {
        self.known.get(&function).cloned()
    }

    /// Keeps what was found out about a unit whose runs called no other functions than these, if that is
    /// known.
    pub(crate) fn keep(
        &self,
        function: FunctionId,
        explored: &Explored,
        ran: Option<&Ran>,
    ) -> Result<(), Error> {
        let Some(unit) = self.units.get(&function) else {
            return Ok(());
        };
        let Some(needs) = self.keys.needs(&unit.function, ran) else {
            return Ok(());
        };
        let Some(text) = explored.text(&needs) else {
            return Ok(());
        };
        let name = format!(
            "{}.{}",
            unit.stem,
            labrys_units::hash(&format!("{needs:?}"))
        );
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
    use std::collections::BTreeSet;

    use labrys_suite::{FailedLine, Input};

    use super::*;

    fn names(names: &str) -> BTreeSet<String> {
        names.split_whitespace().map(str::to_owned).collect()
    }

    fn numbers(text: &str) -> BTreeMap<String, String> {
        let pairs = text
            .split_whitespace()
            .filter_map(|pair| pair.split_once('='));
        let pairs = pairs.map(|(name, number)| (name.to_owned(), number.to_owned()));
        pairs.collect()
    }

    /// The keys of a unit `f`, which can come to all of these functions.
    fn keys(functions: &str, stubs: &str) -> Keys {
        let unit = Key {
            called: "called".to_owned(),
            all: format!("{functions} {stubs}"),
            stubs: numbers(stubs).into_keys().collect(),
        };
        Keys {
            units: [("f".to_owned(), unit)].into(),
            functions: numbers(functions),
            stubs: numbers(stubs),
        }
    }

    fn explored(cut_after: Option<Duration>) -> Explored {
        Explored {
            inputs: vec![Input::objects(""), Input::objects([0, 255, 7])],
            fails: true,
            lines: vec![FailedLine {
                function: "f".to_owned(),
                distance: 3,
                kind: "SIGSEGV".to_owned(),
                inputs: vec![Input::objects([0, 255, 7])],
            }],
            cut_after,
        }
    }

    /// A notebook in which a unit of these keys was looked up.
    fn opened(folder: &Path, options: &str, keys: Keys, time: Option<Duration>) -> Notebook {
        let mut notebook = Notebook::open(folder, options.to_owned()).expect("a folder");
        notebook.look_up(keys, |name| (name == "f").then_some(FunctionId(3)), time);
        notebook
    }

    #[test]
    fn a_unit_is_found_again_by_what_it_depends_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = |options: &str, functions: &str, stubs: &str| {
            opened(folder.path(), options, keys(functions, stubs), None)
        };
        let (function, explored) = (FunctionId(3), explored(None));
        let first = open("seed 1", "f=1 g=2 h=3", "s=4 t=5");
        assert_eq!(first.of(function), None);
        let ran = Ran {
            functions: names("f g"),
            stubs: names("s"),
        };
        first.keep(function, &explored, Some(&ran)).expect("a file");
        let is_known = |options: &str, functions: &str, stubs: &str| {
            open(options, functions, stubs).of(function).as_deref() == Some(&explored)
        };
        assert!(is_known("seed 1", "f=1 g=2 h=3", "s=4 t=5"));
        assert!(!is_known("seed 2", "f=1 g=2 h=3", "s=4 t=5"));
        // What ran is another, or stands for itself.
        assert!(!is_known("seed 1", "f=1 g=7 h=3", "s=4 t=5"));
        assert!(!is_known("seed 1", "f=1 g=2 h=3", "s=7 t=5"));
        assert!(!is_known("seed 1", "f=1 g=2 h=3", "s=4 t=5 g=6"));
        assert!(!is_known("seed 1", "f=1 g=2 h=3", "t=5"));
        // What did not run may be anything.
        assert!(is_known("seed 1", "f=1 g=2 h=7", "s=4"));
        assert!(is_known("seed 1", "f=1 g=2", "s=4 t=7"));
        // Half a file is none.
        for entry in fs::read_dir(folder.path()).expect("a folder").flatten() {
            fs::write(entry.path(), "{\"fails\": fal").expect("a file");
        }
        assert!(!is_known("seed 1", "f=1 g=2 h=3", "s=4 t=5"));
    }

    #[test]
    fn where_it_is_not_known_what_ran_all_matters() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = |functions: &str| opened(folder.path(), "", keys(functions, "s=4"), None);
        let (function, explored) = (FunctionId(3), explored(None));
        let first = open("f=1 h=3");
        first.keep(function, &explored, None).expect("a file");
        assert_eq!(open("f=1 h=3").of(function).as_deref(), Some(&explored));
        let changed = open("f=1 h=7");
        assert_eq!(changed.of(function), None);
        // Both are kept.
        changed.keep(function, &explored, None).expect("a file");
        assert_eq!(open("f=1 h=3").of(function).as_deref(), Some(&explored));
        assert_eq!(open("f=1 h=7").of(function).as_deref(), Some(&explored));
        // A function that the program does not have is none that is known.
        let ran = Ran {
            functions: names("f other"),
            ..Ran::default()
        };
        let third = open("f=1 h=8");
        third.keep(function, &explored, Some(&ran)).expect("a file");
        assert_eq!(open("f=1 h=8").of(function).as_deref(), Some(&explored));
        assert_eq!(open("f=1 h=9").of(function), None);
    }

    #[test]
    fn a_unit_that_was_cut_off_is_explored_again_where_there_is_more_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = |time| opened(folder.path(), "", keys("f=1", ""), time);
        let explored = explored(Some(Duration::from_millis(2500)));
        let function = FunctionId(3);
        open(None).keep(function, &explored, None).expect("a file");
        let is_known = |seconds: Option<u64>| {
            open(seconds.map(Duration::from_secs))
                .of(function)
                .as_deref()
                == Some(&explored)
        };
        let known = [Some(1), Some(5), Some(6), None].map(is_known);
        assert_eq!(known, [true, true, false, false]);
    }
}
