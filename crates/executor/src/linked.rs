//! Has a plain program call the functions that it is linked with, in a process of their own: see
//! [`labrys_abi::linked`].
//!
//! Invariant: each execution finds its libraries as they are when the program begins, and what
//! they keep from one call to the next they keep within an execution. A call that does not
//! return as it should is never taken for one that did.

use std::collections::{HashMap, HashSet};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use labrys_abi::linked::{
    Answer, Ask, ENV_LINKED, MOST_READ, MOST_WATCHED, MOST_WATCHED_BYTES, Message, WORDS,
};

use labrys_library::{Mark, functions};
use labrys_suite::StreamKind;

use crate::Launch;
use crate::helper_process::HelperProcess;
use crate::symbols::Definitions;
use labrys_scratch::TemporaryFolder;

/// Time of one call, and of any other request.
const PATIENCE: Duration = Duration::from_secs(1);
const STARTUP: Duration = Duration::from_secs(5);
/// Time of all calls between two calls of [`Linked::give_time`].
const MOST_TIME: Duration = Duration::from_secs(10);
/// Crashes after which a function is not called any more.
const MOST_CRASHES: u32 = 1000;
/// Servers that are started at most.
const MOST_SERVERS: u32 = 200;
/// Address space of the process.
const SPACE: u64 = 8 << 30;
/// Longest name that is looked for.
const LONGEST_NAME: usize = 500;
/// A symbol of the runtime whose address shows where the program is.
const LANDMARK: &str = "__labrys_init";

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallReply {
    /// It returned.
    Returned {
        /// The bits of its result.
        result: u64,
        /// Watched memory that is not as before: addresses and bytes.
        changes: Vec<(u64, Vec<u8>)>,
    },
    /// It ended the program.
    Ended,
    /// It crashed.
    Crashed,
    /// It cannot be called, or did not return in time.
    Refused,
}

/// The functions that a program is linked with. A process is started when the first is called.
#[derive(Debug)]
pub struct Linked {
    launch: Launch,
    /// Where the folders of processes are.
    folder: PathBuf,
    server: Option<Server>,
    servers: u32,
    /// Addresses of functions and variables by name.
    known: HashMap<String, Option<u64>>,
    /// Whether functions may call the program.
    calls: HashMap<String, bool>,
    /// Memory at the program's start.
    initial: HashMap<(u64, u64), Option<Vec<u8>>>,
    crashes: HashMap<String, u32>,
    /// Whether one crashed.
    crashed: bool,
    /// Functions that are not called.
    bad: HashSet<String>,
    /// Messages for the child that nobody waits for.
    waiting: Vec<u8>,
    /// Lengths of watched memory by number, `None` where a number is free.
    watched: Vec<Option<u64>>,
    bytes: u64,
    child: Child,
    spent: Duration,
}

/// The process in which this execution's functions are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Child {
    /// It is not there yet.
    None,
    There,
    /// It is gone, and with it what the functions kept.
    Gone,
}

#[derive(Debug)]
struct Server {
    process: HelperProcess,
    /// What the program's file defines.
    definitions: Definitions,
    _folder: TemporaryFolder,
}

impl Linked {
    /// The functions that a plain program is linked with which is called like this. It is started
    /// in folders that are in `folder`, whose owner removes it in the end.
    #[must_use]
    pub fn of(launch: Launch, folder: &Path) -> Self {
        Linked {
            folder: folder.to_path_buf(),
            server: None,
            servers: 0,
            known: HashMap::new(),
            calls: HashMap::new(),
            initial: HashMap::new(),
            crashes: HashMap::new(),
            crashed: false,
            bad: hidden(&launch),
            launch,
            waiting: Vec::new(),
            watched: Vec::new(),
            bytes: 0,
            child: Child::None,
            spent: Duration::ZERO,
        }
    }

    /// Another execution begins: nothing is watched, no function was called.
    pub fn begin(&mut self) {
        if self.child == Child::There {
            self.ask(Ask::End, 0, 0, 0);
            self.flush();
        }
        self.child = Child::None;
        self.waiting.clear();
        self.watched.clear();
        self.bytes = 0;
    }

    /// From now on calls may take their time again.
    pub fn give_time(&mut self) {
        self.spent = Duration::ZERO;
    }

    /// Whether a function crashed since this was asked last.
    pub fn take_crash(&mut self) -> bool {
        std::mem::take(&mut self.crashed)
    }

    /// The address of a function or variable.
    pub fn address(&mut self, name: &str) -> Option<u64> {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let address = self.find(name);
        self.known.insert(name.to_owned(), address);
        address
    }

    /// Whether libraries may use a function or variable of the program by its name.
    pub fn is_exported(&mut self, name: &str) -> bool {
        let server = self.server();
        server.is_some_and(|server| server.definitions.exported.contains(name))
    }

    /// Whether a function may call one of these functions of the program, by its name.
    pub fn calls<'n>(&mut self, name: &str, mut own: impl Iterator<Item = &'n str>) -> bool {
        if let Some(known) = self.calls.get(name) {
            return *known;
        }
        let Some(server) = self.server() else {
            return true;
        };
        let Definitions {
            addresses,
            exported,
        } = &server.definitions;
        // What is linked into the program can use all names.
        let inside = addresses.contains_key(name);
        let calls = own.any(|own| inside || exported.contains(own));
        self.calls.insert(name.to_owned(), calls);
        calls
    }

    /// Watches memory at an address; its number. `None` if that is too much.
    pub fn watch(&mut self, address: u64, length: u64) -> Option<u64> {
        if self.bytes + length > MOST_WATCHED_BYTES {
            return None;
        }
        let free = self.watched.iter().position(Option::is_none);
        let number = free.unwrap_or(self.watched.len());
        if number >= MOST_WATCHED {
            return None;
        }
        self.watched
            .resize(self.watched.len().max(number + 1), None);
        self.watched[number] = Some(length);
        self.bytes += length;
        self.ask(Ask::Watch, address, length, number as u64);
        Some(number as u64)
    }

    /// The memory of a number is not watched any more.
    pub fn forget(&mut self, number: u64) {
        let place = self.watched.get_mut(number as usize);
        if let Some(length) = place.and_then(Option::take) {
            self.bytes -= length;
            self.ask(Ask::Unwatch, 0, 0, number);
        }
    }

    /// Writes bytes within the memory of a number.
    pub fn write(&mut self, number: u64, address: u64, bytes: &[u8]) {
        self.ask(Ask::Write, address, bytes.len() as u64, number);
        self.waiting.extend(bytes);
    }

    /// The bytes at an address, if some are there.
    pub fn read(&mut self, address: u64, length: u64) -> Option<Vec<u8>> {
        match self.child {
            Child::Gone => None,
            Child::There => self.read_now(address, length),
            Child::None => {
                if let Some(known) = self.initial.get(&(address, length)) {
                    return known.clone();
                }
                // The server knows nothing of what is watched.
                let waiting = std::mem::take(&mut self.waiting);
                let bytes = match self.server() {
                    Some(_) => self.read_now(address, length),
                    None => None,
                };
                self.waiting = waiting;
                self.initial.insert((address, length), bytes.clone());
                bytes
            }
        }
    }

    /// Calls a function with words for the registers and the stack; the result is an integer or
    /// a float.
    pub fn call(&mut self, name: &str, words: &[u64; WORDS], float: bool) -> CallReply {
        let address = match self.address(name) {
            Some(address) if self.may_call(name) => address,
            _ => return CallReply::Refused,
        };
        let start = Instant::now();
        let called = self.try_call(name, address, words, float);
        self.spent += start.elapsed();
        called
    }

    fn may_call(&self, name: &str) -> bool {
        !self.bad.contains(name) && self.child != Child::Gone && self.spent < MOST_TIME
    }

    fn try_call(
        &mut self,
        name: &str,
        address: u64,
        words: &[u64; WORDS],
        float: bool,
    ) -> CallReply {
        if self.child == Child::None {
            if self.server().is_none() {
                return CallReply::Refused;
            }
            let message = Message {
                kind: Ask::Begin as u64,
                ..Message::default()
            };
            let begin = asked(&message, &[0; WORDS]);
            self.waiting.splice(0..0, begin);
            self.child = Child::There;
        }
        let message = Message {
            kind: Ask::Call as u64,
            address,
            length: 0,
            number: u64::from(float),
        };
        self.waiting.extend(asked(&message, words));
        self.flush();
        let Some(answer) = self.answer(PATIENCE) else {
            self.bad.insert(name.to_owned());
            self.give_up();
            return CallReply::Refused;
        };
        match answer.kind {
            kind if kind == Answer::Done as u64 => self.returned(&answer),
            kind if kind == Answer::Ended as u64 => self.ended(name, answer.address),
            kind if kind == Answer::Refused as u64 => CallReply::Refused,
            _ => {
                self.give_up();
                CallReply::Refused
            }
        }
    }

    fn returned(&mut self, answer: &Message) -> CallReply {
        let mut changes = Vec::new();
        for _ in 0..answer.length {
            let change = self.answer(PATIENCE).and_then(|head| {
                let deadline = Instant::now() + PATIENCE;
                let process = &mut self.server.as_mut()?.process;
                let length = head.length.min(MOST_WATCHED_BYTES) as usize;
                Some((head.address, process.receive(length, deadline)?))
            });
            let Some(change) = change else {
                self.give_up();
                return CallReply::Refused;
            };
            changes.push(change);
        }
        CallReply::Returned {
            result: answer.address,
            changes,
        }
    }

    /// The child ended in a call.
    fn ended(&mut self, name: &str, status: u64) -> CallReply {
        self.child = Child::Gone;
        let status = ExitStatus::from_raw(status as i32);
        match status.signal() {
            None => CallReply::Ended,
            Some(libc::SIGSYS) => {
                self.bad.insert(name.to_owned());
                CallReply::Refused
            }
            Some(_) => {
                self.crashed = true;
                let crashes = self.crashes.entry(name.to_owned()).or_default();
                *crashes += 1;
                if *crashes >= MOST_CRASHES {
                    self.bad.insert(name.to_owned());
                }
                CallReply::Crashed
            }
        }
    }

    fn read_now(&mut self, address: u64, length: u64) -> Option<Vec<u8>> {
        if length > MOST_READ {
            return None;
        }
        self.ask(Ask::Read, address, length, 0);
        self.flush();
        let answer = self.answer(PATIENCE);
        match answer {
            Some(answer) if answer.kind == Answer::Done as u64 => {
                let deadline = Instant::now() + PATIENCE;
                let process = &mut self.server.as_mut()?.process;
                process.receive(length as usize, deadline)
            }
            Some(answer) if answer.kind == Answer::Refused as u64 => None,
            _ => {
                self.give_up();
                None
            }
        }
    }

    fn find(&mut self, name: &str) -> Option<u64> {
        if name.len() > LONGEST_NAME {
            return None;
        }
        let server = self.server()?;
        if let Some(address) = server.definitions.addresses.get(name) {
            return Some(*address);
        }
        // The child need not be asked what the server knows; it answers the same.
        let waiting = std::mem::take(&mut self.waiting);
        self.ask(Ask::Find, 0, name.len() as u64, 0);
        self.waiting.extend(name.as_bytes());
        self.flush();
        self.waiting = waiting;
        let answer = self.answer(PATIENCE);
        if answer.is_none() {
            self.give_up();
        }
        let done = answer.filter(|answer| answer.kind == Answer::Done as u64);
        done.map(|answer| answer.address).filter(|at| *at != 0)
    }

    fn ask(&mut self, ask: Ask, address: u64, length: u64, number: u64) {
        let message = Message {
            kind: ask as u64,
            address,
            length,
            number,
        };
        self.waiting.extend(asked(&message, &[0; WORDS]));
    }

    /// Sends what waits.
    fn flush(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        if let Some(server) = &mut self.server {
            let _ = server.process.send(&waiting);
        }
    }

    fn answer(&mut self, patience: Duration) -> Option<Message> {
        let process = &mut self.server.as_mut()?.process;
        process.words(Instant::now() + patience).map(Message::of)
    }

    /// The process does not do what it should, and is left.
    fn give_up(&mut self) {
        self.server = None;
        if self.child == Child::There {
            self.child = Child::Gone;
        }
    }

    /// The server, which is started if there is none.
    fn server(&mut self) -> Option<&mut Server> {
        if self.server.is_none() && self.servers < MOST_SERVERS {
            self.servers += 1;
            // Where the system does not let addresses repeat, they are others.
            self.known.clear();
            self.initial.clear();
            self.server = Server::start(&self.launch, &self.folder);
            if self.server.is_none() {
                // It will not be better the next time.
                self.servers = MOST_SERVERS;
            }
        }
        self.server.as_mut()
    }
}

impl Server {
    fn start(launch: &Launch, folder: &Path) -> Option<Self> {
        let binary = launch.binary.canonicalize().ok()?;
        let folder = TemporaryFolder::new_in(folder).ok()?;
        let mut command = Command::new(&binary);
        if let Some(name) = launch.binary.file_name() {
            command.arg0(name);
        }
        command
            .args(launch.invocation.resolved_arguments(&launch.streams))
            .env_clear()
            .envs(launch.invocation.resolved_environment())
            .env(ENV_LINKED, "1")
            .current_dir(folder.path());
        let mut process = HelperProcess::start(&mut command, SPACE)?;
        let ready = Message::of(process.words(Instant::now() + STARTUP)?);
        if ready.kind != Answer::Ready as u64 {
            return None;
        }
        let mut definitions = Definitions::of(&binary);
        let addresses = &mut definitions.addresses;
        match addresses.get(LANDMARK).copied() {
            Some(landmark) => {
                let moved = ready.address.wrapping_sub(landmark);
                for address in addresses.values_mut() {
                    *address = address.wrapping_add(moved);
                }
            }
            None => addresses.clear(),
        }
        Some(Server {
            process,
            definitions,
            _folder: folder,
        })
    }
}

/// Functions that tell what an input says.
fn hidden(launch: &Launch) -> HashSet<String> {
    let mut streams = launch.streams.iter();
    let named = streams.any(|kind| matches!(kind, StreamKind::Environment { .. }));
    let rows = functions()
        .iter()
        .filter(|row| named && row.has(Mark::Environment));
    rows.map(|row| row.name().to_owned()).collect()
}

/// The bytes of a message.
fn asked(message: &Message, words: &[u64; WORDS]) -> Vec<u8> {
    let all = message.words().into_iter().chain(*words);
    all.flat_map(u64::to_ne_bytes).collect()
}
