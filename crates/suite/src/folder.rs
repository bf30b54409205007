//! Reading a suite folder, and the records that its JSON files hold.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files::{listing, read_json};
use crate::layout::{self, Layout};
use crate::{
    Config, Confirmation, Coverage, Error, Event, Failure, Input, InputObject, InputStream,
    Observed, Origin, Outcome, StreamKind, Summary, TestCase,
};

/// No argument and no variable of the environment is longer than this many bytes.
const LONGEST_STRING: usize = 1 << 20;

/// The objects of an input have no more bytes than this together: as many as those of a run.
const MOST_OBJECT_BYTES: u64 = 4 << 20;

/// A suite folder, read back.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The folder.
    pub folder: PathBuf,
    /// What `config.json` holds.
    pub config: Config,
    /// What `summary.json` holds; none if Labrys was killed before it wrote one.
    pub summary: Option<Summary>,
    /// The test cases in the order of their ids.
    pub cases: Vec<TestCase>,
    /// The failures in the order of their ids.
    pub failures: Vec<Failure>,
    /// The lines of `events.jsonl`.
    pub events: Vec<Event>,
    /// The certificates: path in the folder and text, in the order of their numbers.
    pub proofs: Vec<(String, String)>,
}

/// Why there is no suite in a folder.
fn missing(folder: &Path) -> Error {
    let path = folder.to_owned();
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let suites = entries.map(|entry| entry.path());
    let first = suites
        .filter(|path| path.join(layout::CONFIG).is_file())
        .min();
    match first {
        Some(one) => Error::Several { path, one },
        None => Error::Missing { path },
    }
}

impl Suite {
    /// Reads a suite folder. Unfinished files are passed over.
    ///
    /// # Errors
    /// If the folder holds no suite, a file cannot be read or is damaged.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(layout::CONFIG);
        let config: Config = read_json(&path)?.ok_or_else(|| missing(folder))?;
        if config.format != Config::FORMAT {
            return Err(Error::Format {
                path,
                found: config.format,
            });
        }
        let events = read_events(&folder.join(layout::EVENTS))?;
        Ok(Self {
            folder: folder.to_owned(),
            cases: read_cases(folder, &config, &events)?,
            failures: read_failures(folder, &config)?,
            summary: read_json(&folder.join(layout::SUMMARY))?,
            config,
            events,
            proofs: read_proofs(folder)?,
        })
    }

    /// The branches taken by confirmed test cases.
    #[must_use]
    pub fn confirmed_coverage(&self) -> Coverage {
        let mut coverage = Coverage::default();
        for case in &self.cases {
            if case.confirmed == Confirmation::Confirmed {
                coverage.union(&case.coverage);
            }
        }
        coverage
    }
}

/// What `cases/ID.json` holds.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CaseRecord {
    id: u32,
    outcome: Outcome,
    confirmed: Confirmation,
    origin: Origin,
    run: u64,
    /// Lengths of the streams: a string's capacity does not show in its file.
    lengths: Vec<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    objects: Vec<InputObject>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    results: Vec<Observed>,
    coverage: Coverage,
}

impl CaseRecord {
    pub(crate) fn of(case: &TestCase) -> Self {
        Self {
            id: case.id,
            outcome: case.outcome.clone(),
            confirmed: case.confirmed,
            origin: case.origin.clone(),
            run: case.run,
            lengths: lengths(&case.input),
            objects: case.objects.clone(),
            results: case.results.clone(),
            coverage: case.coverage.clone(),
        }
    }
}

/// What `failures/ID/failure.json` holds.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FailureRecord {
    id: u32,
    kind: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    detail: String,
    location: Option<String>,
    stack: Vec<String>,
    input: String,
    confirmed: bool,
    outcome: Outcome,
    run: u64,
    lengths: Vec<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    objects: Vec<InputObject>,
}

impl FailureRecord {
    pub(crate) fn of(failure: &Failure, input: &str) -> Self {
        Self {
            id: failure.id,
            kind: failure.kind.clone(),
            detail: failure.detail.clone(),
            location: failure.location.clone(),
            stack: failure.stack.clone(),
            input: input.to_owned(),
            confirmed: failure.confirmed,
            outcome: failure.outcome.clone(),
            run: failure.run,
            lengths: lengths(&failure.input),
            objects: failure.objects.clone(),
        }
    }
}

fn lengths(input: &Input) -> Vec<usize> {
    input
        .streams
        .iter()
        .map(|stream| stream.bytes.len())
        .collect()
}

fn read_cases(folder: &Path, config: &Config, events: &[Event]) -> Result<Vec<TestCase>, Error> {
    let times: HashMap<u32, f64> = events
        .iter()
        .filter_map(|event| match event {
            Event::Coverage { case, seconds, .. } => Some((*case, *seconds)),
            _ => None,
        })
        .collect();
    let mut cases = Vec::new();
    for path in listing(&folder.join(layout::CASES))? {
        let Some(record) = read_json::<CaseRecord>(&path)? else {
            continue;
        };
        is_named(&path, &folder.join(layout::case(record.id)))?;
        are_small(&path, &record.objects)?;
        let input = folder.join(layout::input(record.id));
        cases.push(TestCase {
            id: record.id,
            input: read_input(&input, config, &record.lengths)?,
            outcome: record.outcome,
            coverage: record.coverage,
            confirmed: record.confirmed,
            origin: record.origin,
            objects: record.objects,
            results: record.results,
            run: record.run,
            seconds: times.get(&record.id).copied().unwrap_or(0.0),
        });
    }
    cases.sort_by_key(|case| case.id);
    Ok(cases)
}

fn read_proofs(folder: &Path) -> Result<Vec<(String, String)>, Error> {
    let mut proofs = Vec::new();
    if !folder.join(layout::PROOFS).is_dir() {
        return Ok(proofs);
    }
    for path in listing(&folder.join(layout::PROOFS))? {
        // What is no text is read as text that says nothing of the program.
        let bytes = fs::read(&path).map_err(|error| Error::io("read", &path, error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        proofs.push((format!("{}/{name}", layout::PROOFS), text));
    }
    proofs.sort();
    Ok(proofs)
}

fn read_failures(folder: &Path, config: &Config) -> Result<Vec<Failure>, Error> {
    let mut failures = Vec::new();
    for path in listing(&folder.join(layout::FAILURES))? {
        // A folder without its record is one that a killed process was still writing.
        let Some(record) = read_json::<FailureRecord>(&path.join(layout::FAILURE))? else {
            continue;
        };
        is_named(&path, &folder.join(layout::failure(record.id)))?;
        are_small(&path, &record.objects)?;
        failures.push(Failure {
            id: record.id,
            input: read_input(&path.join("input"), config, &record.lengths)?,
            objects: record.objects,
            outcome: record.outcome,
            kind: record.kind,
            detail: record.detail,
            location: record.location,
            stack: record.stack,
            confirmed: record.confirmed,
            run: record.run,
        });
    }
    failures.sort_by_key(|failure| failure.id);
    Ok(failures)
}

/// Refuses a record whose number is not the one of its file, as a suite would write over others.
fn is_named(path: &Path, named: &Path) -> Result<(), Error> {
    match path == named {
        true => Ok(()),
        false => Err(Error::damaged(path, "it has the number of another one")),
    }
}

/// Refuses objects whose values would fill the memory: behind the end of the input they are zeros.
fn are_small(path: &Path, objects: &[InputObject]) -> Result<(), Error> {
    let bytes = objects.iter().map(|object| object.size);
    match bytes.fold(0, u64::saturating_add) > MOST_OBJECT_BYTES {
        true => Err(Error::damaged(path, "its objects are larger than an input")),
        false => Ok(()),
    }
}

fn read_input(path: &Path, config: &Config, lengths: &[usize]) -> Result<Input, Error> {
    if lengths.len() != config.streams.len() {
        return Err(Error::damaged(
            path,
            "its case has other streams than the suite",
        ));
    }
    let layout = Layout::of(&config.streams);
    let stream = |(kind, &length): (&StreamKind, &usize)| {
        let file = match layout {
            Layout::File => path.to_owned(),
            Layout::Folder => path.join(kind.to_string()),
        };
        let mut bytes = fs::read(&file).map_err(|error| Error::io("read", &file, error))?;
        if kind.is_string() && bytes.len() < length && length <= LONGEST_STRING {
            bytes.resize(length, 0);
        }
        if bytes.len() != length {
            let reason = format!("it has {} bytes, its case says {length}", bytes.len());
            return Err(Error::damaged(&file, reason));
        }
        Ok(InputStream {
            kind: kind.clone(),
            bytes,
        })
    };
    config
        .streams
        .iter()
        .zip(lengths)
        .map(stream)
        .collect::<Result<_, _>>()
        .map(Input::new)
}

fn read_events(path: &Path) -> Result<Vec<Event>, Error> {
    let text = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text.map_err(|error| Error::io("read", path, error))?,
    };
    let finished = text.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
    text[..finished]
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).map_err(|error| Error::damaged(path, error)))
        .collect()
}
