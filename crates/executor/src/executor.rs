//! The executor: runs inputs one after the other.

use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use labrys_abi::{Header, Mode, Stream, StreamKind as AbiKind};
use labrys_suite::{Coverage, Input, InputObject, InputStream, ObjectKind, Outcome, StreamKind};
use labrys_trace::{Exit, Recording};

use crate::pace::Pace;
use crate::region::SharedRegion;
use crate::scratch::{Identity, Scratch, identity};
use crate::server::{CutOff, End, Loss, Server, check_version};
use crate::{Error, Launch, RunLimits};

/// Recordings with more memory than this are not kept for later runs, in bytes.
const KEPT: usize = 64 << 20;
/// Streams in the input section start at multiples of this many bytes.
const ALIGNMENT: usize = 16;
/// Bytes of a sanitizer's report that are read: many checks may stand before the error.
const REPORT: usize = 1 << 20;
/// What messages of the runtime begin with.
const RUNTIME_SAYS: &str = "labrys: ";
/// Where the input objects of a run end that is bounded and has fewer: so many 32-bit values show
/// what a loop does, and a run stays short.
const OBJECTS_END: u64 = 128 * 4;

/// Runs one program on one input after another, each in a process of its own.
///
/// Runs repeat: address randomization is off, environment and working directory are always the
/// same. It is one executor's work to run one program at a time; for parallel runs make more.
///
/// The fork server ends with the thread that started it. An executor that goes on in another
/// thread starts a new one. It also starts a new one when an executable that
/// [improves](Launch::improves) has done so.
#[derive(Debug)]
pub struct Executor {
    // Declared first: the server ends before its folder and region go.
    server: Option<Server>,
    /// The file that the server was started from, if it improves.
    binary: Option<Identity>,
    launch: Launch,
    limits: RunLimits,
    region: SharedRegion,
    scratch: Scratch,
    spare: Recording,
    restarts: u64,
    /// Whether runs end with their input objects.
    bounded: bool,
    pace: Pace,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// What it recorded.
    pub recording: Recording,
    /// Wall-clock time in seconds.
    pub seconds: f64,
    /// What it printed; empty unless [`Launch::capture`] is set.
    pub stdout: Vec<u8>,
    /// What it printed to standard error.
    pub stderr: Vec<u8>,
    /// The sanitizer's report; empty unless [`Launch::sanitized`] is set and the run failed.
    pub report: Vec<u8>,
}

impl Executor {
    /// Starts a program up to its fork server.
    ///
    /// # Errors
    /// If the program cannot be started or has no fork server of this version, or the machine
    /// refuses memory or files.
    pub fn start(mut launch: Launch, limits: RunLimits) -> Result<Self, Error> {
        // The server has another working directory.
        launch.binary = std::path::absolute(&launch.binary)
            .map_err(Error::system("find the working directory"))?;
        let region = SharedRegion::new(launch.branches, &limits)
            .map_err(Error::system("make the shared region"))?;
        let scratch = Scratch::new().map_err(Error::system("make the scratch folder"))?;
        let mut executor = Self {
            server: None,
            binary: None,
            launch,
            limits,
            region,
            scratch,
            spare: Recording::default(),
            restarts: 0,
            bounded: false,
            pace: Pace::new(),
        };
        executor.ready()?;
        executor.restarts = 0;
        Ok(executor)
    }

    /// How the program is called.
    #[must_use]
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// The limits of every run.
    #[must_use]
    pub fn limits(&self) -> &RunLimits {
        &self.limits
    }

    /// Whether runs are in namespaces of their own.
    #[must_use]
    pub fn is_isolated(&self) -> bool {
        self.server.as_ref().is_some_and(Server::is_isolated)
    }

    /// How often the fork server had to be started again: after runs that left processes behind
    /// or killed it.
    #[must_use]
    pub fn restarts(&self) -> u64 {
        self.restarts
    }

    /// Runs the program on an input.
    ///
    /// # Errors
    /// If the input does not fit the launch or the limits, or the fork server cannot be kept
    /// alive.
    pub fn run(&mut self, input: &Input, mode: Mode) -> Result<Run, Error> {
        let mut limits = self.limits.clone();
        if limits.hurries {
            limits.timeout = self.pace.limit(limits.timeout);
        }
        let run = self.run_until(input, mode, &limits, CutOff::default())?;
        let taken = Duration::from_secs_f64(run.seconds);
        self.pace.book(taken, run.outcome == Outcome::Timeout);
        Ok(run)
    }

    /// Runs the program on an input with so many times the time of other runs, and more where the
    /// machine had little of the processor for it.
    ///
    /// # Errors
    /// As [`Executor::run`].
    pub fn run_longer(&mut self, input: &Input, mode: Mode, times: u32) -> Result<Run, Error> {
        let limits = RunLimits {
            timeout: self.limits.timeout * times,
            ..self.limits.clone()
        };
        let cut_off = CutOff {
            is_fair: true,
            ..CutOff::default()
        };
        self.run_until(input, mode, &limits, cut_off)
    }

    /// Runs the program on an input within other limits of time and memory.
    pub(crate) fn run_until(
        &mut self,
        input: &Input,
        mode: Mode,
        limits: &RunLimits,
        cut_off: CutOff,
    ) -> Result<Run, Error> {
        for attempt in 0..2 {
            self.ready()?;
            self.prepare(input, mode)?;
            let start = Instant::now();
            let snapshot = self.may_have_snapshot(input);
            let Some(server) = &mut self.server else {
                continue;
            };
            let end = server.run(limits, cut_off, snapshot);
            let taken = start.elapsed();
            if let Some(time) = &self.launch.improves {
                time.add(taken);
            }
            let end = match end {
                Ok(End::Interrupted) => return Err(Error::Interrupted),
                Ok(end) => end,
                Err(loss) => {
                    self.server = None;
                    match loss {
                        Loss::Ended(status) if attempt > 0 && status.signal().is_some() => {
                            // The program kills its whole process group.
                            End::Status(status)
                        }
                        Loss::Failed(source) => {
                            let binary = self.launch.binary.clone();
                            return Err(Error::ServerFailed { binary, source });
                        }
                        _ => continue,
                    }
                }
            };
            if self.server.as_ref().is_some_and(Server::has_strays) {
                self.server = None;
            }
            return self.finish(end, taken.as_secs_f64());
        }
        Err(Error::ServerLost {
            binary: self.launch.binary.clone(),
        })
    }

    /// From now on runs record how near they come to these branches, and to no others; none is
    /// recorded before the first call.
    pub fn want(&mut self, branches: &Coverage) {
        self.region.want(branches.iter().map(|branch| branch.0));
    }

    /// From now on a run ends where the program asks for an object behind the end of its input, or
    /// behind a short prefix if that is longer; before the first call it gets zeros.
    pub fn bound_objects(&mut self) {
        self.bounded = true;
    }

    /// Whether runs may begin at a snapshot: the program gets what differs from run to run by system
    /// calls alone. What ended a server before might end a snapshot's again.
    fn may_have_snapshot(&self, input: &Input) -> bool {
        let is_file = |stream: &InputStream| {
            matches!(stream.kind, StreamKind::Stdin | StreamKind::File { .. })
        };
        !self.launch.begins_at_start && self.restarts == 0 && input.streams.iter().all(is_file)
    }

    /// Gives back a recording, so that its memory is used for a later run.
    pub fn recycle(&mut self, recording: Recording) {
        if is_kept(&recording) {
            self.spare = recording;
        }
    }

    /// Makes sure that there is a fork server, of the file that is there.
    fn ready(&mut self) -> Result<(), Error> {
        let has_improved = self.launch.improves.is_some() && self.has_improved();
        if self.server.is_some() && !has_improved {
            return Ok(());
        }
        if self.server.take().is_none() {
            self.restarts += 1;
        }
        let mut server = self.server(self.launch.capture)?;
        let version = match server.greet() {
            Ok(version) => version,
            Err(loss) => {
                drop(server);
                return Err(self.diagnose(loss));
            }
        };
        check_version(&self.launch, version)?;
        self.server = Some(server);
        Ok(())
    }

    /// Whether another file is the executable since the last call.
    fn has_improved(&mut self) -> bool {
        let Ok(now) = std::fs::metadata(&self.launch.binary) else {
            return false;
        };
        let before = self.binary.replace(identity(&now));
        before != self.binary
    }

    fn server(&self, capture: bool) -> Result<Server, Error> {
        Server::start(
            &self.launch,
            &self.limits,
            &self.region,
            &self.scratch,
            capture,
        )
    }

    /// Says why there was no greeting, after a second try whose output is looked at.
    fn diagnose(&self, loss: Loss) -> Error {
        let binary = self.launch.binary.clone();
        let status = match loss {
            Loss::Failed(source) if source.raw_os_error() == Some(libc::EPROTO) => {
                return Error::Version { binary };
            }
            Loss::Failed(source) => return Error::ServerFailed { binary, source },
            Loss::Ended(status) => format!("; it ended with {status}"),
            Loss::Silent => "; it went on running".to_owned(),
        };
        let again = self.server(true).map(|mut server| server.greet());
        let text = self.scratch.take_output("stderr", 400).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        if let Some(reason) = text.trim().strip_prefix(RUNTIME_SAYS) {
            let reason = reason.to_owned();
            return Error::Refused { binary, reason };
        }
        let output = match (again, text.trim()) {
            (Err(error), _) => return error,
            (Ok(_), "") => status,
            (Ok(_), text) => format!("{status} and printed: {text}"),
        };
        Error::NotInstrumented { binary, output }
    }

    /// Puts the streams where the program finds them.
    fn prepare(&mut self, input: &Input, mode: Mode) -> Result<(), Error> {
        if input.streams.len() > Header::MAX_STREAMS {
            let reason = format!("more than {} streams", Header::MAX_STREAMS);
            return Err(Error::Input { reason });
        }
        let kinds = || input.streams.iter().map(|stream| &stream.kind);
        let files: Vec<_> = kinds().filter_map(file_name).collect();
        let cleaned = self.scratch.clean(&files);
        if cleaned.map_err(Error::system("clean the scratch folder"))? {
            // The server is still in the old one.
            self.server = None;
            self.ready()?;
        }
        let mut streams = Vec::with_capacity(input.streams.len());
        let mut used = 0;
        for stream in &input.streams {
            streams.push(self.place(stream, &mut used)?);
        }
        if !kinds().any(|kind| *kind == StreamKind::Stdin) {
            self.write_stdin(b"")?;
        }
        let objects = streams.iter().find(|s| s.kind == AbiKind::Objects as u32);
        let end = objects.map_or(0, |objects| objects.length.max(OBJECTS_END));
        let end = if self.bounded { end } else { 0 };
        self.region.prepare(&streams, mode, end);
        Ok(())
    }

    /// Puts one stream in its place; `used` is the end of what lies in the input section.
    fn place(&mut self, stream: &InputStream, used: &mut usize) -> Result<Stream, Error> {
        let bytes = &stream.bytes[..];
        let mut index = 0;
        let kind = match &stream.kind {
            StreamKind::Stdin => return self.write_stdin(bytes).map(|file| of_file(bytes, file)),
            StreamKind::File { name } => {
                let file = self.scratch.write_file(name, bytes);
                let file = file.map_err(Error::system("write an input file to the scratch folder, in /dev/shm or where temporary files are"))?;
                return Ok(of_file(bytes, file));
            }
            StreamKind::Argument { index: position } => {
                index = *position;
                AbiKind::Argument
            }
            StreamKind::Environment { .. } => AbiKind::Environment,
            StreamKind::Objects => AbiKind::Objects,
        };
        let (start, end) = (*used, *used + bytes.len());
        let capacity = self.region.input_capacity();
        // A zero after the bytes, for those that read them as a string.
        if end >= capacity {
            let reason = format!("more than {capacity} bytes that are not in files");
            return Err(Error::Input { reason });
        }
        self.region.write_input(start, bytes);
        self.region.write_input(end, &[0]);
        *used = (end + 1).next_multiple_of(ALIGNMENT).min(capacity);
        let (length, offset) = (bytes.len() as u64, start as u64);
        let kind = kind as u32;
        Ok(Stream {
            kind,
            index,
            length,
            offset,
            ..Stream::default()
        })
    }

    fn write_stdin(&mut self, bytes: &[u8]) -> Result<Identity, Error> {
        let written = self.scratch.write_stdin(bytes);
        written.map_err(Error::system("write standard input"))
    }

    fn finish(&mut self, end: End, seconds: f64) -> Result<Run, Error> {
        let mut recording = std::mem::take(&mut self.spare);
        self.region.copy(&mut recording);
        let outcome = outcome(end, &recording);
        let take = |name| {
            if !self.launch.capture {
                return Ok(Vec::new());
            }
            let taken = self.scratch.take_output(name, self.limits.output);
            taken.map_err(Error::system("read captured output"))
        };
        let (stdout, stderr) = (take("stdout")?, take("stderr")?);
        let report = match self.launch.sanitized {
            true => self.scratch.take_report(REPORT),
            false => Ok(Vec::new()),
        };
        let report = report.map_err(Error::system("read the sanitizer's report"))?;
        Ok(Run {
            report,
            outcome,
            recording,
            seconds,
            stdout,
            stderr,
        })
    }
}

/// Whether the memory of a recording is worth keeping for a later run.
pub(crate) fn is_kept(recording: &Recording) -> bool {
    let Recording {
        nodes,
        events,
        data,
        ..
    } = recording;
    size_of_val(&nodes[..]) + size_of_val(&events[..]) + data.capacity() <= KEPT
}

/// A stream that is a file.
fn of_file(bytes: &[u8], (device, inode): Identity) -> Stream {
    let (kind, length) = (AbiKind::File as u32, bytes.len() as u64);
    Stream {
        kind,
        length,
        device,
        inode,
        ..Stream::default()
    }
}

fn file_name(kind: &StreamKind) -> Option<&str> {
    match kind {
        StreamKind::File { name } => Some(name),
        _ => None,
    }
}

fn outcome(end: End, recording: &Recording) -> Outcome {
    let status = match end {
        End::Timeout | End::Interrupted => return Outcome::Timeout,
        End::MemoryLimit => return Outcome::MemoryLimit,
        End::Status(status) => status,
    };
    match recording.exit {
        Exit::AssumptionFailed => Outcome::AssumptionFailed,
        Exit::Failure => Outcome::Failure(recording.failure().unwrap_or_default()),
        Exit::Endless => Outcome::Timeout,
        Exit::InputEnded => Outcome::InputEnded,
        Exit::Plain => match status.signal() {
            Some(signal) => Outcome::Signal(signal),
            None => Outcome::Exit(status.code().unwrap_or(0)),
        },
    }
}

/// The input objects of a run, as a suite keeps them.
#[must_use]
pub fn input_objects(recording: &Recording) -> Vec<InputObject> {
    let object = |object: labrys_trace::Object| InputObject {
        kind: ObjectKind::from_u8(object.kind).unwrap_or_default(),
        name: object.name,
        offset: object.offset,
        size: object.size,
    };
    recording.objects().into_iter().map(object).collect()
}
