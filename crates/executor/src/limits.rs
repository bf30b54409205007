//! Limits of one run, and how a program is launched.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use labrys_abi::{Event, Node};
use labrys_suite::{Invocation, StreamKind};

/// What a run may use. Memory for records is taken when it is written, so that large
/// capacities cost nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// Wall-clock time of a run.
    pub timeout: Duration,
    /// Runs get less than that once those that are cut off take much of the time.
    pub hurries: bool,
    /// Private memory of the program in bytes, looked at some forty times a second.
    pub memory: u64,
    /// Size of a file that the program writes, in bytes.
    pub file: u64,
    /// Captured bytes of each of standard output and standard error.
    pub output: usize,
    /// Stack of the program in bytes.
    pub stack: u64,
    /// Nodes of a recording.
    pub nodes: u32,
    /// Events of a recording.
    pub events: u32,
    /// Bytes of a recording's data section.
    pub data: u32,
    /// Bytes of all streams that are not files.
    pub input: u32,
    /// Events per branch of the program; 0 for no limit.
    pub events_per_branch: u32,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(2),
            hurries: false,
            memory: 2 << 30,
            file: 64 << 20,
            output: 64 << 10,
            stack: 64 << 20,
            nodes: 8 << 20,
            events: 4 << 20,
            data: 64 << 20,
            input: 8 << 20,
            events_per_branch: 10_000,
        }
    }
}

impl RunLimits {
    /// Bytes that a recording takes at most.
    #[must_use]
    pub fn recording_bytes(&self) -> u64 {
        let (nodes, events) = (u64::from(self.nodes), u64::from(self.events));
        nodes * size_of::<Node>() as u64 + events * size_of::<Event>() as u64 + u64::from(self.data)
    }
}

/// A program and how it is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// Executable with a fork server: one that `labrys-cc` built, or the plain one within it.
    pub binary: PathBuf,
    /// Arguments and environment.
    pub invocation: Invocation,
    /// The streams of all inputs, in order.
    pub streams: Vec<StreamKind>,
    /// Number of branches of the program.
    pub branches: usize,
    /// Whether to keep what the program prints.
    pub capture: bool,
    /// Whether the executable is the checked one, whose reports are kept.
    pub sanitized: bool,
    /// Whether the checked executable looks for memory that is lost when the program ends.
    pub leaks: bool,
    /// Whether runs have the namespaces of this process, instead of ones of their own where the
    /// system allows that.
    pub shares_namespaces: bool,
    /// Whether every run begins at the program's start, also where a snapshot could be taken behind
    /// what is the same in all runs.
    pub begins_at_start: bool,
    /// Where an optimized executable of the same program may take the place of this one while runs
    /// are made: adds up how long they take.
    pub improves: Option<RunTime>,
    /// What ends a run that is under way.
    pub interrupt: Interrupt,
}

/// How long the runs of an executable took together, whoever makes them. Clones add to one sum.
#[derive(Clone, Debug, Default)]
pub struct RunTime(Arc<AtomicU64>);

impl RunTime {
    /// Wall-clock time of all runs so far.
    #[must_use]
    pub fn total(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }

    pub(crate) fn add(&self, run: Duration) {
        let micros = u64::try_from(run.as_micros()).unwrap_or(u64::MAX);
        self.0.fetch_add(micros, Ordering::Relaxed);
    }
}

/// All are equal: how long runs took is no part of how the program is launched.
impl PartialEq for RunTime {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for RunTime {}

/// What ends a run that is under way, and all that would come after it: a flag that somebody sets,
/// or a time. Such a run has no outcome.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    flag: Option<Arc<AtomicBool>>,
    at: Option<Instant>,
}

impl Interrupt {
    /// An interrupt by this flag, and at this time.
    #[must_use]
    pub fn new(flag: Arc<AtomicBool>, at: Option<Instant>) -> Self {
        Interrupt {
            flag: Some(flag),
            at,
        }
    }

    /// Whether it is time to end.
    pub(crate) fn is_due(&self) -> bool {
        let flag = self.flag.as_ref();
        flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.at.is_some_and(|at| Instant::now() >= at)
    }
}

/// All are equal: when a run is interrupted is no part of how the program is launched.
impl PartialEq for Interrupt {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Interrupt {}
