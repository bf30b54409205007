//! Inputs that the user gave: files, tests of other tools, folders of them.
//!
//! What a file is, its content says: KTEST of KLEE, XML of Test-Comp, or, for a program that asks
//! for input objects and reads no file, CREST's list of numbers; else bytes.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use labrys_suite::{Input, InputStream, Ktest, StreamKind, read_numbers, read_test_comp};

use crate::output::problem::Problem;

/// Folders in which AFL++ keeps its corpus, inside of the one that it was told to write to.
const QUEUES: &[&str] = &["default/queue", "queue"];

/// Lays values out as the objects that the program asks for.
pub(crate) type Lay<'a> = &'a mut dyn FnMut(&Input, &[String]) -> Result<Input, Problem>;

/// The streams that are filled from files.
pub(super) struct Places<'a> {
    /// The option that names files.
    pub(super) option: &'static str,
    /// An input with all streams, empty but for the strings.
    pub(super) like: &'a Input,
    /// The stream that takes the bytes of a file.
    pub(super) main: Option<usize>,
    pub(super) max_input: usize,
    pub(super) lay: Lay<'a>,
}

impl Places<'_> {
    /// The input of a file, or the inputs of all files in a folder, short ones first.
    pub(super) fn read(&mut self, path: &Path) -> Result<Vec<Input>, Problem> {
        if !path.is_dir() {
            return Ok(vec![self.file(path)?]);
        }
        let inputs: Vec<Input> = files(self.option, path)?
            .iter()
            .map(|file| self.file(file))
            .collect::<Result<_, _>>()?;
        if inputs.is_empty() {
            let text = "the folder has no file; name one with inputs";
            return Err(wrong(self.option, path, &text));
        }
        Ok(inputs)
    }

    fn file(&mut self, path: &Path) -> Result<Input, Problem> {
        let bytes = std::fs::read(path).map_err(|error| {
            let (option, path) = (self.option, path.display());
            Problem::usage(format!("cannot read {option} {path}: {error}"))
        })?;
        let input = self.content(path, bytes)?;
        let streams = input.streams.iter();
        let files = streams.filter(|stream| !stream.kind.is_string());
        match files.map(|stream| stream.bytes.len()).max() {
            Some(length) if length > self.max_input => Err(Problem::usage(format!(
                "{} {} has {length} bytes; raise --max-input to at least that",
                self.option,
                path.display(),
            ))),
            _ => Ok(input),
        }
    }

    fn content(&mut self, path: &Path, bytes: Vec<u8>) -> Result<Input, Problem> {
        let named = path.extension().is_some_and(|ending| ending == "ktest");
        if Ktest::is_one(&bytes) || named && self.main.is_none() {
            let test = Ktest::read(&bytes).map_err(|error| wrong(self.option, path, &error))?;
            return Ok(test.input(self.like));
        }
        let objects = |stream: &InputStream| stream.kind == StreamKind::Objects;
        let objects = self.like.streams.iter().position(objects);
        let text = std::str::from_utf8(&bytes)
            .ok()
            .filter(|_| objects.is_some());
        let values = text.and_then(read_test_comp);
        let values = values.or_else(|| text.filter(|_| self.main.is_none()).and_then(read_numbers));
        if let Some(values) = values {
            return (self.lay)(self.like, &values);
        }
        let Some(main) = self.main.or(objects) else {
            let text = "the program has no file to put it in; write @@ in its arguments, or use \
                        --stdin";
            return Err(wrong(self.option, path, &text));
        };
        let mut input = self.like.clone();
        input.streams[main].bytes = bytes;
        Ok(input)
    }
}

fn wrong(option: &str, path: &Path, text: &dyn Display) -> Problem {
    Problem::usage(format!("{option} {}: {text}", path.display()))
}

/// The files of a folder, or of the queue in it, by size and name. Hidden files and what tools write
/// beside inputs are none.
fn files(option: &str, folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let queue = QUEUES
        .iter()
        .map(|queue| folder.join(queue))
        .find(|queue| queue.is_dir());
    let folder = queue.as_deref().unwrap_or(folder);
    let unreadable = |error| wrong(option, folder, &error as &dyn Display);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let aside = name.starts_with('.') || name == "README.txt" || name == "metadata.xml";
        if path.is_file() && !aside {
            let length = path.metadata().map_err(unreadable)?.len();
            files.push((length, name, path));
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(_, _, path)| path).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_gives_its_queue_short_files_first() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let queue = folder.path().join("default/queue");
        std::fs::create_dir_all(queue.join(".state")).expect("a folder");
        for (name, bytes) in [
            ("id:1", "long"),
            ("id:2", "s"),
            (".hidden", "x"),
            ("README.txt", ""),
        ] {
            std::fs::write(queue.join(name), bytes).expect("a file");
        }
        let like = Input::stdin("");
        let mut places = Places {
            option: "--input",
            like: &like,
            main: Some(0),
            max_input: 10,
            lay: &mut |_, _| Err(Problem::usage("no values")),
        };
        let inputs = places.read(folder.path()).expect("inputs");
        assert_eq!(inputs, [Input::stdin(*b"s"), Input::stdin(*b"long")]);
        let empty = tempfile::tempdir().expect("a temporary folder");
        assert!(places.read(empty.path()).is_err());
    }
}
