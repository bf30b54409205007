//! The fork server: a process of the program that waits in front of `main` and forks a child
//! for every run; or its child, a snapshot of the program where it first looks at its input.
//!
//! Invariant: when this value is dropped, neither the server nor anything that a run started
//! is alive.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use labrys_abi::{
    CONTROL_FD, Command, ENV_ACTIVE, REGION_FD, SANITIZER_VARIABLES, STATUS_FD, Status, VERSION,
};
use labrys_suite::StreamKind;

use crate::processes::{self, Descendants};
use crate::region::SharedRegion;
use crate::scratch::Scratch;
use crate::server_process::ServerProcess;
use crate::spawn::Program;
use crate::sys::{self, Preparation};
use crate::{Error, Interrupt, Launch, RunLimits};

/// Time that a program has from its start to the fork server's first message.
const STARTUP: Duration = Duration::from_secs(10);
/// Time that a killed child has to be reported.
const BURIAL: Duration = Duration::from_secs(5);
/// Time that a run has to say where it is.
const ANSWER: Duration = Duration::from_secs(3);
/// How often a run gets half of its time again that had less than that of the processor.
const EXTENSIONS: u32 = 3;
/// How often the memory of a run is looked at.
const WATCH: Duration = Duration::from_millis(25);
/// More processes than this, beyond those of the machine, are a fork bomb. The system's own limit
/// counts per user, and not at all for root.
const MOST_PROCESSES: u64 = 2000;
/// Processor time beyond the timeout after which the system kills what we could not.
const SPARE_SECONDS: u64 = 3600;

/// The statuses of a child that ended.
const ENDS: [u32; 2] = [Status::Ended as u32, Status::Littered as u32];

/// A running fork server.
#[derive(Debug)]
pub(crate) struct Server {
    process: ServerProcess,
    control: File,
    status: File,
    descendants: Descendants,
    /// What it runs, if a child of it makes the runs: that child's.
    moved: Option<Descendants>,
    interrupt: Interrupt,
    /// Processes of the machine when this one was started.
    others: u64,
    /// A run left processes behind.
    littered: bool,
}

/// How a child of the server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By itself.
    Status(ExitStatus),
    /// It ran for too long and was killed.
    Timeout,
    /// It used too much memory and was killed.
    MemoryLimit,
    /// It was to end before it was over, and was killed.
    Interrupted,
}

/// What happens to a run that reaches a limit before it is killed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CutOff {
    /// It is sent SIGABRT, and has some time to report where it is.
    pub(crate) asks: bool,
    /// It gets more time if it had less than half of its time of a processor.
    pub(crate) is_fair: bool,
}

/// Why a server gave no answer.
#[derive(Debug)]
pub(crate) enum Loss {
    /// It ended.
    Ended(ExitStatus),
    /// It does not answer, or nonsense.
    Silent,
    /// It reports that it cannot go on, for this reason.
    Failed(io::Error),
}

impl Server {
    /// Starts the program up to its fork server.
    pub(crate) fn start(
        launch: &Launch,
        limits: &RunLimits,
        region: &SharedRegion,
        scratch: &Scratch,
        capture: bool,
    ) -> Result<Self, Error> {
        sys::reserve_descriptors();
        let pipe = || sys::pipe().map_err(Error::system("make a pipe"));
        let ((control_read, control), (status, status_write)) = (pipe()?, pipe()?);
        let program = program(launch, scratch, capture)?;
        let descriptors = [
            (region.raw(), REGION_FD),
            (control_read.as_raw_fd(), CONTROL_FD),
            (status_write.as_raw_fd(), STATUS_FD),
        ];
        let limits = resource_limits(limits);
        let preparation = Preparation {
            descriptors,
            limits,
        };
        let (folder, work) = (scratch.path(), scratch.work());
        let folders = (!launch.shares_namespaces).then_some((folder, &*work));
        let process = ServerProcess::start(&program, preparation, folders)
            .map_err(|source| cannot_start(launch, source))?;
        let descendants = Descendants::of(process.id());
        let (control, status) = (File::from(control), File::from(status));
        Ok(Self {
            process,
            control,
            status,
            descendants,
            moved: None,
            interrupt: launch.interrupt.clone(),
            others: processes::count(),
            littered: false,
        })
    }

    /// Waits for the server's first message and returns its version of the contract.
    pub(crate) fn greet(&mut self) -> Result<u32, Loss> {
        match self.receive(Instant::now() + STARTUP)? {
            Some((status, value)) if status == Status::Ready as u32 => Ok(value),
            Some((status, value)) if status == Status::Failed as u32 => {
                Err(Loss::Failed(io::Error::from_raw_os_error(value as i32)))
            }
            Some(_) => Err(Loss::Silent),
            None => Err(self.lost()),
        }
    }

    /// Has the server fork a child, and waits for its end. The child may begin at a snapshot.
    pub(crate) fn run(
        &mut self,
        limits: &RunLimits,
        cut_off: CutOff,
        snapshot: bool,
    ) -> Result<End, Loss> {
        let mut message = [0; 8];
        message[..4].copy_from_slice(&(Command::Run as u32).to_ne_bytes());
        message[4..].copy_from_slice(&u32::from(snapshot).to_ne_bytes());
        if self.control.write_all(&message).is_err() {
            return Err(self.lost());
        }
        let mut deadline = Instant::now() + limits.timeout;
        let mut extensions = if cut_off.is_fair { EXTENSIONS } else { 0 };
        let (mut cut, mut asks, mut is_killed) = (None, cut_off.asks, false);
        let mut until = deadline.min(Instant::now() + WATCH);
        loop {
            match self.receive(until)? {
                Some((status, value)) if ENDS.contains(&status) => {
                    self.littered = status == Status::Littered as u32;
                    let status = ExitStatus::from_raw(value as i32);
                    return Ok(cut.unwrap_or(End::Status(status)));
                }
                Some((status, value)) if status == Status::Failed as u32 => {
                    return Err(Loss::Failed(io::Error::from_raw_os_error(value as i32)));
                }
                Some((status, value)) if status == Status::Moved as u32 => {
                    let child = (value != 0).then(|| self.descendants.first());
                    self.moved = child.flatten().map(Descendants::of);
                    continue;
                }
                Some(_) => return Err(self.lost()),
                None if is_killed => return Err(self.lost()),
                None => {}
            }
            let now = Instant::now();
            let half = limits.timeout / 2;
            if cut.is_none() && now >= deadline && extensions > 0 && self.runs().starve(half) {
                extensions -= 1;
                deadline = now + half;
            }
            cut = cut.or_else(|| self.limit(limits, now >= deadline));
            until = deadline.min(now + WATCH);
            if cut.is_some_and(|cut| cut != End::Interrupted) && asks {
                asks = false;
                self.runs().signal_children(libc::SIGABRT);
                until = now + ANSWER;
            } else if cut.is_some() {
                is_killed = true;
                self.runs().kill_children();
                // The program may have stopped the server, which could not report an end.
                if self.moved.is_some() {
                    self.descendants.signal_children(libc::SIGCONT);
                }
                sys::wake(self.process.id());
                until = now + BURIAL;
            }
        }
    }

    /// The limit that a run has reached.
    fn limit(&self, limits: &RunLimits, is_late: bool) -> Option<End> {
        if self.interrupt.is_due() {
            return Some(End::Interrupted);
        }
        if is_late || processes::count() > self.others + MOST_PROCESSES {
            return Some(End::Timeout);
        }
        let memory = self.runs().private_memory();
        (memory > limits.memory).then_some(End::MemoryLimit)
    }

    /// The processes of the run that is under way.
    fn runs(&self) -> &Descendants {
        self.moved.as_ref().unwrap_or(&self.descendants)
    }

    /// Whether the program has namespaces of its own.
    pub(crate) fn is_isolated(&self) -> bool {
        self.process.is_isolated()
    }

    /// Whether the last run left processes behind.
    pub(crate) fn has_strays(&self) -> bool {
        self.littered
    }

    /// The next message, or none if there is none in time.
    fn receive(&mut self, deadline: Instant) -> Result<Option<(u32, u32)>, Loss> {
        let mut message = [0; 8];
        let mut length = 0;
        while length < message.len() {
            let left = deadline.saturating_duration_since(Instant::now());
            match sys::wait_readable(self.status.as_fd(), left) {
                Ok(false) if Instant::now() >= deadline => return Ok(None),
                Ok(false) => continue,
                Ok(true) => {}
                Err(_) => return Err(Loss::Silent),
            }
            match self.status.read(&mut message[length..]) {
                Ok(0) => return Err(self.lost()),
                Ok(count) => length += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Loss::Silent),
            }
        }
        let [a, b, c, d, e, f, g, h] = message;
        Ok(Some((
            u32::from_ne_bytes([a, b, c, d]),
            u32::from_ne_bytes([e, f, g, h]),
        )))
    }

    /// What became of a server that does not answer as it should.
    fn lost(&mut self) -> Loss {
        // Its end of the pipe closes a moment before it can be waited for.
        for _ in 0..100 {
            if let Some(status) = self.process.try_wait() {
                return Loss::Ended(status);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Loss::Silent
    }
}

/// The program with its arguments, environment and files.
fn program(launch: &Launch, scratch: &Scratch, capture: bool) -> Result<Program, Error> {
    let output = |name| match capture {
        true => scratch.open_output(name),
        false => File::options().write(true).open("/dev/null"),
    };
    let output = |name| output(name).map_err(Error::system("write to the scratch folder"));
    let stdin = scratch
        .open_stdin()
        .map_err(Error::system("read the scratch folder"))?;
    let files = [stdin, output("stdout")?, output("stderr")?];
    let mut environment: BTreeMap<OsString, OsString> = BTreeMap::new();
    let mut set = |name: &str, value: OsString| environment.insert(name.into(), value);
    for (name, value) in environment_streams(launch) {
        set(name, value.into());
    }
    for (name, value) in launch.invocation.resolved_environment() {
        set(name.as_ref(), value.into());
    }
    for (name, value) in sanitizer_options(launch, scratch) {
        set(name, value);
    }
    set(ENV_ACTIVE, "1".into());
    // Programs may act by their names, never by where they are.
    let arguments = launch.invocation.resolved_arguments(&launch.streams);
    let arguments = arguments.into_iter().map(OsString::from);
    let (binary, work) = (&launch.binary, scratch.work());
    Program::new(binary, arguments, &environment, &work, files)
        .map_err(|source| cannot_start(launch, source))
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runs) = &self.moved {
            runs.kill();
        }
        self.descendants.kill();
        if self.process.try_wait().is_none() {
            sys::kill(-self.process.id());
            sys::kill(self.process.id());
            self.process.wait();
        }
    }
}

/// Variables that a stream gives a value before the program sees them.
fn environment_streams(launch: &Launch) -> impl Iterator<Item = (&str, &str)> {
    launch.streams.iter().filter_map(|kind| match kind {
        StreamKind::Environment { name } => Some((name.as_str(), "")),
        _ => None,
    })
}

/// The variables that make a sanitizer take every failure and write reports without names to the
/// scratch folder: [`SANITIZER_OPTIONS`] for both, and what is AddressSanitizer's own. The
/// runtime takes them out before the program sees them.
fn sanitizer_options(
    launch: &Launch,
    scratch: &Scratch,
) -> impl Iterator<Item = (&'static str, OsString)> {
    // The stack of an allocation is of use where it is what leaks.
    let leaks = match launch.leaks {
        true => "print_legend=0:quarantine_size_mb=64:detect_leaks=1:malloc_context_size=30:",
        false => "print_legend=0:quarantine_size_mb=64:detect_leaks=0:malloc_context_size=1:",
    };
    let path = scratch.report();
    let variables = SANITIZER_VARIABLES.into_iter().zip([leaks, ""]);
    variables
        .filter(|_| launch.sanitized)
        .map(move |(name, own)| {
            let mut options = OsString::from(SANITIZER_OPTIONS);
            options.push(own);
            options.push("log_path=");
            options.push(&path);
            (name, options)
        })
}

/// Options of each sanitizer.
const SANITIZER_OPTIONS: &str = "symbolize=0:allocator_may_return_null=1:\
    handle_abort=1:handle_sigill=1:handle_sigtrap=1:handle_sigbus=1:handle_sigfpe=1:\
    dump_instruction_bytes=1:dump_registers=0:print_summary=0:";

/// Core dumps off; file size, stack, open files and, as a last resort, processor time bounded.
/// Address space is not: the shadow takes 64 TiB of it.
fn resource_limits(limits: &RunLimits) -> [(libc::__rlimit_resource_t, u64); 5] {
    [
        (libc::RLIMIT_CORE, 0),
        (libc::RLIMIT_FSIZE, limits.file),
        (libc::RLIMIT_STACK, limits.stack),
        (libc::RLIMIT_NOFILE, 1024),
        (libc::RLIMIT_CPU, limits.timeout.as_secs() + SPARE_SECONDS),
    ]
}

fn cannot_start(launch: &Launch, source: io::Error) -> Error {
    let hint = match source.kind() {
        ErrorKind::NotFound if launch.binary.exists() => "; its interpreter or loader is missing",
        ErrorKind::NotFound => "; build it with CC=labrys-cc first",
        ErrorKind::WouldBlock => "; raise the limit of processes (ulimit -u)",
        ErrorKind::PermissionDenied => "; it must be an executable file (chmod +x)",
        _ => "; it must be an executable for this machine",
    };
    Error::CannotStart {
        binary: launch.binary.clone(),
        source,
        hint,
    }
}

/// Judges the version that a server greeted with.
pub(crate) fn check_version(launch: &Launch, found: u32) -> Result<(), Error> {
    if found == VERSION {
        return Ok(());
    }
    Err(Error::Version {
        binary: launch.binary.clone(),
    })
}
