//! Has an instrumented program compute its functions that the user marked as pure, in a process
//! of their own: a crash or a hang there harms nothing else. See [`labrys_abi::marked`].
//!
//! Invariant: the same call gives the same answer, as long as the functions keep what the mark
//! promises; an answer that is missing stays missing.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use labrys_abi::marked::{ENV_CALLS, MARK, MOST_PARAMETERS, Request, width};

use crate::helper_process::HelperProcess;

/// Time from the start to the table, and for one call.
const PATIENCE: Duration = Duration::from_secs(2);
/// Trouble after which functions are taken for broken: so many crashes, each of which costs the
/// start of a process.
const MOST_TROUBLE: u32 = 200;
/// Trouble of a call that hangs.
const HANGING: u32 = 10;
/// Answers that are remembered.
const MOST_ANSWERS: usize = 1 << 18;

/// The marked functions of a program. The process starts with the first request.
#[derive(Debug)]
pub struct MarkedFunctions {
    binary: PathBuf,
    /// Rows of the table by name, once it is known.
    rows: Option<HashMap<String, (u64, String)>>,
    process: Option<HelperProcess>,
    trouble: u32,
    answers: HashMap<(u64, [u64; MOST_PARAMETERS]), Option<u64>>,
}

impl MarkedFunctions {
    /// The functions of an instrumented program.
    #[must_use]
    pub fn of(binary: &Path) -> Self {
        MarkedFunctions {
            // A bare name would be looked for among the system's commands.
            binary: binary.canonicalize().unwrap_or_else(|_| binary.to_owned()),
            rows: None,
            process: None,
            trouble: 0,
            answers: HashMap::default(),
        }
    }

    /// The signature of a function, named as in expressions; `None` if there is no such function.
    pub fn signature(&mut self, name: &str) -> Option<String> {
        self.row(name).map(|(_, signature)| signature)
    }

    /// The bits of the result of a call; `None` if there is no such function, or it did not
    /// return.
    pub fn call(&mut self, name: &str, arguments: &[u64]) -> Option<u64> {
        let (row, signature) = self.row(name)?;
        if signature.len() != arguments.len() + 1 {
            return None;
        }
        let mut request = Request {
            function: row,
            ..Request::default()
        };
        request.arguments[..arguments.len()].copy_from_slice(arguments);
        let key = (row, request.arguments);
        if let Some(known) = self.answers.get(&key) {
            return *known;
        }
        if self.answers.len() >= MOST_ANSWERS {
            self.answers.retain(|_, answer| answer.is_none());
        }
        let answer = self.ask(&request);
        self.answers.insert(key, answer);
        answer
    }

    fn row(&mut self, name: &str) -> Option<(u64, String)> {
        let name = name.strip_prefix(MARK)?;
        if self.rows.is_none() {
            self.rows = Some(HashMap::default());
            self.start();
        }
        self.rows.as_ref()?.get(name).cloned()
    }

    /// The answer of the process, which is started if there is none.
    fn ask(&mut self, request: &Request) -> Option<u64> {
        if self.process.is_none() {
            self.start();
        }
        let started = Instant::now();
        let answer = call(self.process.as_mut()?, request);
        if answer.is_none() {
            self.process = None;
            let hung = started.elapsed() >= PATIENCE;
            self.trouble += if hung { HANGING } else { 1 };
        }
        answer
    }

    fn start(&mut self) {
        if self.trouble >= MOST_TROUBLE {
            return;
        }
        let process = start(&self.binary);
        let Some((process, rows)) = process.and_then(|mut process| {
            let rows = table(&mut process)?;
            Some((process, rows))
        }) else {
            self.trouble += HANGING;
            return;
        };
        self.rows = Some(rows);
        self.process = Some(process);
    }
}

/// A process that answers calls.
fn start(binary: &Path) -> Option<HelperProcess> {
    let mut command = Command::new(binary);
    command.env_clear().env(ENV_CALLS, "1");
    HelperProcess::start(&mut command, u64::MAX)
}

/// The table that the process sends: rows by name.
fn table(process: &mut HelperProcess) -> Option<HashMap<String, (u64, String)>> {
    let deadline = Instant::now() + PATIENCE;
    let mut text = Vec::new();
    while !(text.ends_with(b"\n\n") || text == b"\n") {
        text.extend(process.receive(1, deadline)?);
    }
    let text = String::from_utf8(text).ok()?;
    let rows = (0..).zip(text.lines()).filter_map(|(row, line)| {
        let (name, signature) = line.split_once(' ')?;
        let is_known = signature.chars().all(|letter| width(letter).is_some());
        is_known.then(|| (name.to_owned(), (row, signature.to_owned())))
    });
    Some(rows.collect())
}

fn call(process: &mut HelperProcess, request: &Request) -> Option<u64> {
    let mut message = request.function.to_ne_bytes().to_vec();
    for argument in request.arguments {
        message.extend(argument.to_ne_bytes());
    }
    process.send(&message)?;
    process
        .words::<1>(Instant::now() + PATIENCE)
        .map(|[result]| result)
}
