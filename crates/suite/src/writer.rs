//! Writing a suite folder, so that it is valid whenever the process is killed.
//!
//! Invariants: a file appears under its name when it is complete (written under a name that
//! starts with a dot, then renamed); a test's input is there before its case; a line of
//! `events.jsonl` is one write, and an unfinished last line is ignored and cut off.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;

use crate::folder::{CaseRecord, FailureRecord, Layout, case_name};
use crate::{
    Config, Error, Event, Failure, Input, InputObject, StreamKind, Suite, Summary, TestCase,
    harness, replay, testcomp,
};

/// Writes a suite folder.
#[derive(Debug)]
pub struct SuiteWriter {
    folder: PathBuf,
    config: Config,
    layout: Layout,
    events: File,
}

impl SuiteWriter {
    /// Starts a suite in a folder that does not exist, is empty, or holds what a process left
    /// that was killed before the suite was begun.
    ///
    /// # Errors
    /// If the folder has something in it or cannot be written.
    pub fn create(folder: &Path, config: &Config) -> Result<Self, Error> {
        fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, error))?;
        let entries = fs::read_dir(folder).map_err(|error| Error::io("read", folder, error))?;
        if !entries.flatten().all(|entry| is_beginning(&entry)) {
            return Err(Error::Exists {
                path: folder.to_owned(),
            });
        }
        for name in FOLDERS {
            let path = folder.join(name);
            fs::create_dir_all(&path).map_err(|error| Error::io("create", &path, error))?;
        }
        let config = Config {
            format: Config::FORMAT,
            ..config.clone()
        };
        let replay = folder.join("replay.sh");
        write_file(&replay, replay::suite_script(&config).as_bytes(), true)?;
        if let Some(about) = &config.test_comp {
            let path = folder.join(testcomp::FOLDER);
            fs::create_dir_all(&path).map_err(|error| Error::io("create", &path, error))?;
            let text = testcomp::metadata(about, SystemTime::now());
            write_file(&path.join("metadata.xml"), text.as_bytes(), false)?;
        }
        write_json(&folder.join("config.json"), &config)?;
        Self::with(folder, config)
    }

    /// Goes on with the suite in a folder; what a killed process left unfinished is removed.
    ///
    /// # Errors
    /// If the suite cannot be read or written.
    pub fn resume(folder: &Path) -> Result<(Self, Suite), Error> {
        let suite = Suite::open(folder)?;
        for name in ["", "inputs", "cases", "failures", testcomp::FOLDER] {
            let path = folder.join(name);
            if path.is_dir() {
                remove_unfinished(&path)?;
            }
        }
        cut_last_line(&folder.join("events.jsonl"))?;
        Ok((Self::with(folder, suite.config.clone())?, suite))
    }

    fn with(folder: &Path, config: Config) -> Result<Self, Error> {
        let path = folder.join("events.jsonl");
        let events = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(|error| Error::io("create", &path, error))?;
        let layout = Layout::of(&config.streams);
        Ok(Self {
            folder: folder.to_owned(),
            config,
            layout,
            events,
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
        write_json(&self.folder.join("config.json"), &self.config)
    }

    /// Writes a test case. Returns the path of its input in the folder.
    ///
    /// # Errors
    /// If the input has other streams than the suite, or a file cannot be written.
    pub fn add(&mut self, case: &TestCase) -> Result<String, Error> {
        let relative = format!("inputs/{}", case_name(case.id));
        self.write_input(&relative, &case.input, &case.objects)?;
        if self.config.test_comp.is_some() {
            self.write_test_comp(case)?;
        }
        self.update(case)?;
        Ok(relative)
    }

    /// Writes the Test-Comp form of a test.
    fn write_test_comp(&self, case: &TestCase) -> Result<(), Error> {
        let mut streams = case.input.streams.iter();
        let objects = streams.find(|stream| stream.kind == StreamKind::Objects);
        let bytes = objects.map_or(&[][..], |stream| &stream.bytes);
        let path = self.folder.join(testcomp::FOLDER);
        let text = testcomp::case(case, bytes);
        write_file(
            &path.join(testcomp::case_file(case.id)),
            text.as_bytes(),
            false,
        )
    }

    /// Packs the Test-Comp form of the suite into `test-suite.zip`, if there is one. Returns the
    /// archive's path.
    ///
    /// # Errors
    /// If a file cannot be read or the archive not be written.
    pub fn pack(&self) -> Result<Option<PathBuf>, Error> {
        if self.config.test_comp.is_none() {
            return Ok(None);
        }
        let path = self.folder.join("test-suite.zip");
        let unfinished = unfinished(&path);
        testcomp::pack(&self.folder.join(testcomp::FOLDER), &unfinished)
            .and_then(|()| fs::rename(&unfinished, &path))
            .map_err(|error| Error::io("write", &path, error))?;
        Ok(Some(path))
    }

    /// Writes anew all about a test case but its input, for instance when it was confirmed.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn update(&mut self, case: &TestCase) -> Result<(), Error> {
        let path = self
            .folder
            .join(format!("cases/{}.json", case_name(case.id)));
        write_json(&path, &CaseRecord::of(case))
    }

    /// Writes a failure: its input, `failure.json` and `reproduce.sh`. Returns the path of the
    /// input in the folder.
    ///
    /// # Errors
    /// If the input has other streams than the suite, or a file cannot be written.
    pub fn add_failure(&mut self, failure: &Failure) -> Result<String, Error> {
        let relative = format!("failures/{}", case_name(failure.id));
        let path = self.folder.join(&relative);
        fs::create_dir_all(&path).map_err(|error| Error::io("create", &path, error))?;
        let input = format!("{relative}/input");
        self.write_input(&input, &failure.input, &failure.objects)?;
        let script = replay::failure_script(&self.config);
        write_file(&path.join("reproduce.sh"), script.as_bytes(), true)?;
        write_json(
            &path.join("failure.json"),
            &FailureRecord::of(failure, &input),
        )?;
        Ok(input)
    }

    /// Appends a line to `events.jsonl`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn event(&mut self, event: &Event) -> Result<(), Error> {
        let path = self.folder.join("events.jsonl");
        let failed = |error| Error::io("write", &path, error);
        let mut line = serde_json::to_vec(event).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let before = self.events.metadata().map_err(failed)?.len();
        self.events.write_all(&line).map_err(|error| {
            // A torn line must not spoil the one that comes after it.
            let _ = self.events.set_len(before);
            failed(error)
        })
    }

    /// Writes `summary.json`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn summary(&mut self, summary: &Summary) -> Result<(), Error> {
        write_json(&self.folder.join("summary.json"), summary)
    }

    fn write_input(
        &self,
        relative: &str,
        input: &Input,
        objects: &[InputObject],
    ) -> Result<(), Error> {
        if input.shape() != self.config.streams {
            let (expected, found) = (shape_text(&self.config.streams), shape_text(&input.shape()));
            return Err(Error::Shape { expected, found });
        }
        let path = self.folder.join(relative);
        let harness = |bytes: &[u8]| harness::source(&self.config, bytes, objects);
        match (&self.layout, &input.streams[..]) {
            (Layout::Objects | Layout::Bytes, [stream]) => {
                if self.layout == Layout::Bytes && !self.config.harness.fuzz_target {
                    return write_file(&path, &stream.bytes, false);
                }
                write_file(
                    &path.with_extension("c"),
                    harness(&stream.bytes).as_bytes(),
                    false,
                )?;
                write_file(&path, &stream.bytes, false)
            }
            _ => write_folder(&path, input, harness),
        }
    }
}

/// The folders of a suite.
const FOLDERS: [&str; 3] = ["inputs", "cases", "failures"];

/// Whether an entry of a folder may stand there before `config.json`, which comes last, does: a
/// folder with nothing of value in it, or a file that can be written again.
fn is_beginning(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    match entry.file_type() {
        Ok(kind) if kind.is_dir() && FOLDERS.contains(&&*name) => {
            fs::read_dir(entry.path()).is_ok_and(|mut inside| inside.next().is_none())
        }
        Ok(kind) if kind.is_dir() => name == testcomp::FOLDER,
        Ok(_) => name == "replay.sh" || name.ends_with(".unfinished"),
        Err(_) => false,
    }
}

fn shape_text(shape: &[StreamKind]) -> String {
    let names: Vec<_> = shape.iter().map(ToString::to_string).collect();
    format!("[{}]", names.join(", "))
}

/// Writes one file per stream into a folder that appears when it is complete.
fn write_folder(
    path: &Path,
    input: &Input,
    harness: impl Fn(&[u8]) -> String,
) -> Result<(), Error> {
    let unfinished = unfinished(path);
    let failed = |error| Error::io("write", path, error);
    let write = || {
        remove(&unfinished)?;
        fs::create_dir(&unfinished)?;
        for stream in &input.streams {
            fs::write(unfinished.join(stream.kind.to_string()), stream.visible())?;
            if stream.kind == StreamKind::Objects {
                fs::write(unfinished.join("objects.c"), harness(&stream.bytes))?;
            }
        }
        remove(path)?;
        fs::rename(&unfinished, path)
    };
    write().map_err(failed)
}

/// Writes a file that appears when it is complete.
fn write_file(path: &Path, bytes: &[u8], executable: bool) -> Result<(), Error> {
    let unfinished = unfinished(path);
    let write = || {
        let mut file = File::create(&unfinished)?;
        file.write_all(bytes)?;
        if executable {
            use std::os::unix::fs::PermissionsExt;
            let mode = file.metadata()?.permissions().mode();
            // Executable by those who may read it.
            file.set_permissions(fs::Permissions::from_mode(mode | (mode & 0o444) >> 2))?;
        }
        drop(file);
        fs::rename(&unfinished, path)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&unfinished);
        Error::io("write", path, error)
    })
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let mut bytes =
        serde_json::to_vec_pretty(value).map_err(|error| Error::io("write", path, error.into()))?;
    bytes.push(b'\n');
    write_file(path, &bytes, false)
}

/// Name of a file or folder while it is being written.
fn unfinished(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.unfinished"))
}

/// Removes a file or a folder, if it is there.
fn remove(path: &Path) -> io::Result<()> {
    let removed = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn remove_unfinished(folder: &Path) -> Result<(), Error> {
    let entries = fs::read_dir(folder).map_err(|error| Error::io("read", folder, error))?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') && name.ends_with(".unfinished") {
            remove(&entry.path()).map_err(|error| Error::io("remove", &entry.path(), error))?;
        }
    }
    Ok(())
}

/// Cuts off an unfinished last line.
fn cut_last_line(path: &Path) -> Result<(), Error> {
    let failed = |error| Error::io("write", path, error);
    let text = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        text => text.map_err(failed)?,
    };
    let end = text
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |last| last + 1);
    if end < text.len() {
        let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
        file.set_len(end as u64).map_err(failed)?;
    }
    Ok(())
}
