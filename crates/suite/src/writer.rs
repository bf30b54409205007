//! Writing a suite folder, so that it is valid whenever the process is killed.
//!
//! Invariants: a file appears under its name when it is complete (`files.rs`); a test's input is
//! there before its case; a line of `events.jsonl` is one write, and an unfinished last line is
//! ignored and cut off.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::export::{self, EXPORTERS, ExportedFile};
use crate::folder::{CaseRecord, FailureRecord};
use crate::layout::{self, Layout};
use crate::{Config, Error, Event, Failure, Input, StreamKind, Suite, Summary, TestCase};
use crate::{files, replay};

/// Files of all tests lag behind by at most such a part of the tests.
const LAG: usize = 8;

/// Writes a suite folder.
#[derive(Debug)]
pub struct SuiteWriter {
    folder: PathBuf,
    config: Config,
    events: File,
    /// The tests, if an exporter writes files of all of them.
    cases: Vec<TestCase>,
    /// How many of them those files have.
    exported: usize,
}

impl SuiteWriter {
    /// Starts a suite in a folder that does not exist, is empty, or holds what a process left
    /// that was killed before the suite was begun.
    ///
    /// # Errors
    /// If the folder has something in it or cannot be written.
    pub fn create(folder: &Path, config: &Config) -> Result<Self, Error> {
        Self::check_free(folder)?;
        files::create_folder(folder)?;
        for name in layout::FOLDERS {
            files::create_folder(&folder.join(name))?;
        }
        let config = Config {
            format: Config::FORMAT,
            ..config.clone()
        };
        files::write_script(&folder.join(layout::REPLAY), &replay::suite_script(&config))?;
        for exporter in export::of(&config) {
            if let Some(name) = exporter.folder() {
                files::create_folder(&folder.join(name))?;
            }
            for file in exporter.opening(&config) {
                files::write(&folder.join(file.path), &file.bytes)?;
            }
        }
        files::write_json(&folder.join(layout::CONFIG), &config)?;
        Self::with(folder, config)
    }

    /// Whether a suite can be started in a folder, as far as its contents go.
    ///
    /// # Errors
    /// If the folder has something in it or cannot be read.
    pub fn check_free(folder: &Path) -> Result<(), Error> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(|error| Error::io("create", folder, error))?,
        };
        match entries.flatten().all(|entry| is_beginning(&entry)) {
            true => Ok(()),
            false => Err(Error::Exists {
                path: folder.to_owned(),
            }),
        }
    }

    /// Goes on with the suite in a folder; what a killed process left unfinished is removed.
    ///
    /// # Errors
    /// If the suite cannot be read or written.
    pub fn resume(folder: &Path) -> Result<(Self, Suite), Error> {
        let suite = Suite::open(folder)?;
        files::remove_unfinished(folder)?;
        let exported = EXPORTERS.iter().filter_map(|exporter| exporter.folder());
        let folders = layout::FOLDERS.into_iter();
        let folders = folders.chain([layout::PROOFS, layout::CONTRADICTIONS]);
        for name in folders.chain(exported) {
            files::remove_unfinished(&folder.join(name))?;
        }
        files::cut_last_line(&folder.join(layout::EVENTS))?;
        let mut writer = Self::with(folder, suite.config.clone())?;
        if writer.config.unit.is_some() {
            writer.cases.clone_from(&suite.cases);
        }
        Ok((writer, suite))
    }

    fn with(folder: &Path, config: Config) -> Result<Self, Error> {
        let path = folder.join(layout::EVENTS);
        let events = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(|error| Error::io("create", &path, error))?;
        Ok(Self {
            folder: folder.to_owned(),
            config,
            events,
            cases: Vec::new(),
            exported: 0,
        })
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What `config.json` holds.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The suite goes on with another strategy.
    ///
    /// # Errors
    /// If `config.json` cannot be written.
    pub fn set_strategy(&mut self, strategy: &str) -> Result<(), Error> {
        if self.config.strategy == strategy {
            return Ok(());
        }
        strategy.clone_into(&mut self.config.strategy);
        files::write_json(&self.folder.join(layout::CONFIG), &self.config)
    }

    /// Writes a test case. Returns the path of its input in the folder. Files of all test cases follow
    /// now and then, and with [`SuiteWriter::summary`].
    ///
    /// # Errors
    /// If the input has other streams than the suite, or a file cannot be written.
    pub fn add(&mut self, case: &TestCase) -> Result<String, Error> {
        let place = layout::input(case.id);
        let exported = export::of(&self.config).flat_map(|form| form.test(&self.config, case));
        let mut files: Vec<ExportedFile> = exported.collect();
        if self.config.unit.is_some() {
            self.cases.push(case.clone());
            // Written for each test, this would take time that grows as the square of their number.
            if self.cases.len() > self.exported + self.exported / LAG {
                files.extend(self.whole());
            }
        }
        self.write_input(&place, &case.input, files)?;
        self.update(case)?;
        Ok(place)
    }

    /// The files of all test cases.
    fn whole(&mut self) -> Vec<ExportedFile> {
        self.exported = self.cases.len();
        let forms = export::of(&self.config);
        forms
            .flat_map(|form| form.whole(&self.config, &self.cases))
            .collect()
    }

    /// Writes anew all about a test case but its input, for instance when it was confirmed.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn update(&mut self, case: &TestCase) -> Result<(), Error> {
        let path = self.folder.join(layout::case(case.id));
        files::write_json(&path, &CaseRecord::of(case))
    }

    /// Writes a failure: its input, `failure.json` and `reproduce.sh`. Returns the path of the
    /// input in the folder.
    ///
    /// # Errors
    /// If the input has other streams than the suite, or a file cannot be written.
    pub fn add_failure(&mut self, failure: &Failure) -> Result<String, Error> {
        let path = self.folder.join(layout::failure(failure.id));
        files::create_folder(&path)?;
        let place = layout::failure_input(failure.id);
        let exported =
            export::of(&self.config).flat_map(|form| form.failure(&self.config, failure));
        self.write_input(&place, &failure.input, exported.collect())?;
        let script = replay::failure_script(&self.config);
        files::write_script(&path.join(layout::REPRODUCE), &script)?;
        let record = FailureRecord::of(failure, &place);
        files::write_json(&path.join(layout::FAILURE), &record)?;
        Ok(place)
    }

    /// Writes a certificate for branches that no run takes. Returns its path in the folder.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add_proof(&mut self, text: &str) -> Result<String, Error> {
        let folder = self.folder.join(layout::PROOFS);
        files::create_folder(&folder)?;
        let is_free = |id: &u32| !self.folder.join(layout::proof(*id)).exists();
        let place = layout::proof((1..).find(is_free).unwrap_or(u32::MAX));
        files::write(&self.folder.join(&place), text.as_bytes())?;
        Ok(place)
    }

    /// Writes the input of a run that reached what was proved unreachable. Returns its path in the
    /// folder.
    ///
    /// # Errors
    /// If the input has other streams than the suite, or a file cannot be written.
    pub fn add_contradiction(&mut self, input: &Input) -> Result<String, Error> {
        files::create_folder(&self.folder.join(layout::CONTRADICTIONS))?;
        let is_free = |id: &u32| !self.folder.join(layout::contradiction(*id)).exists();
        let place = layout::contradiction((1..).find(is_free).unwrap_or(u32::MAX));
        self.write_input(&place, input, Vec::new())?;
        Ok(place)
    }

    /// Appends a line to `events.jsonl`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn event(&mut self, event: &Event) -> Result<(), Error> {
        let path = self.folder.join(layout::EVENTS);
        let failed = |error| Error::io("write", &path, error);
        let event = match self.config.is_reproducible() {
            true => event.without_time(),
            false => event.clone(),
        };
        let mut line = serde_json::to_vec(&event).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let before = self.events.metadata().map_err(failed)?.len();
        self.events.write_all(&line).map_err(|error| {
            // A torn line must not spoil the one that comes after it.
            let _ = self.events.set_len(before);
            failed(error)
        })
    }

    /// Writes `summary.json`, and files of all test cases if some are not in them.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn summary(&mut self, summary: &Summary) -> Result<(), Error> {
        if self.cases.len() > self.exported {
            for file in self.whole() {
                files::write(&self.folder.join(&file.path), &file.bytes)?;
            }
        }
        let summary = match self.config.is_reproducible() {
            true => summary.without_times(),
            false => summary.clone(),
        };
        files::write_json(&self.folder.join(layout::SUMMARY), &summary)
    }

    /// Writes an input at a place in the folder, and the files of exporters before it: where an
    /// input is, they are.
    fn write_input(
        &self,
        place: &str,
        input: &Input,
        exported: Vec<ExportedFile>,
    ) -> Result<(), Error> {
        if input.shape() != self.config.streams {
            let (expected, found) = (shape_text(&self.config.streams), shape_text(&input.shape()));
            return Err(Error::Shape { expected, found });
        }
        let inside = |file: &ExportedFile| Path::new(&file.path).parent() == Some(place.as_ref());
        let (inside, beside): (Vec<_>, Vec<_>) = exported.into_iter().partition(inside);
        for file in &beside {
            files::write(&self.folder.join(&file.path), &file.bytes)?;
        }
        let path = self.folder.join(place);
        match (Layout::of(&self.config.streams), &input.streams[..]) {
            (Layout::File, [stream]) => files::write(&path, &stream.bytes),
            _ => {
                let streams = input.streams.iter();
                let streams = streams.map(|stream| (stream.kind.to_string(), stream.visible()));
                let inside = inside.iter().map(|file| (file.name(), &file.bytes[..]));
                files::write_folder(&path, streams.chain(inside))
            }
        }
    }
}

/// Whether an entry of a folder may stand there before `config.json`, which comes last, does: a
/// folder with nothing of value in it, or a file that can be written again.
fn is_beginning(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    match entry.file_type() {
        Ok(kind) if kind.is_dir() && layout::FOLDERS.contains(&&*name) => {
            fs::read_dir(entry.path()).is_ok_and(|mut inside| inside.next().is_none())
        }
        Ok(kind) if kind.is_dir() => EXPORTERS
            .iter()
            .any(|exporter| exporter.folder() == Some(&*name)),
        Ok(_) => name == layout::REPLAY || files::is_unfinished(&name),
        Err(_) => false,
    }
}

fn shape_text(shape: &[StreamKind]) -> String {
    let names: Vec<_> = shape.iter().map(ToString::to_string).collect();
    format!("[{}]", names.join(", "))
}
