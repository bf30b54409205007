//! A build that a command waits for: it shows how far it is, and ends when the command ends.
//!
//! A command that can begin with an executable that is not optimized has an optimized one built
//! beside it when the runs have taken as long as that will: whatever runs follow, this costs at most
//! twice what the best choice would have (the break-even rule of the ski rental problem). Runs of
//! small inputs gain nothing from optimizing; loops without symbolic values run up to ten times as
//! fast.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use labrys_cc::container::Executable;
use labrys_cc::worker::{News, Order, Pace, Worker};
use labrys_executor::RunTime;

use crate::output::problem::Problem;
use crate::output::progress::Doing;
use crate::wiring::ending::Ending;

/// How often is looked whether the command ends.
const LOOK: Duration = Duration::from_millis(20);

/// Wall-clock seconds to optimize an executable, for each byte of the one that is not behind
/// [`BYTES_OF_ALL`]: five programs took 7 to 9 s of a processor for a megabyte, part of it on two.
const SECONDS_PER_BYTE: f64 = 5e-6;
/// The bytes of an executable that does nothing.
const BYTES_OF_ALL: u64 = 1_400_000;

/// How builds are made.
#[derive(Clone, Debug)]
pub(crate) struct Builder {
    /// Nothing but errors is shown.
    pub(crate) quiet: bool,
    pub(crate) ending: Ending,
    /// Whether a program whose optimizing takes long is used before it is optimized. What such a
    /// search finds depends on the clock where the program's behavior depends on its addresses.
    pub(crate) early: bool,
}

/// Why there is no executable.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A tool said why.
    Reported,
    /// The linker said why; the symbols that nobody defines.
    Unlinked(Vec<String>),
    Problem(Problem),
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Reported => Problem::program("the build failed, see the messages above"),
            Failure::Unlinked(undefined) => Problem::program(unlinked(&undefined)),
            Failure::Problem(problem) => problem,
        }
    }
}

impl Builder {
    /// Builds for few runs, that end as the command itself ends.
    pub(crate) fn waiting(quiet: bool) -> Self {
        Builder {
            quiet,
            ending: Ending::at_once(),
            early: true,
        }
    }

    /// Builds in a process of its own, with a folder for its files.
    pub(crate) fn build(&self, order: &Order, folder: &Path) -> Result<(), Failure> {
        self.work(order, Pace::Whole, folder).map(drop)
    }

    /// Begins a build that goes on beside what the command does, until [`Builder::finish`].
    pub(crate) fn begin_beside(order: &Order, folder: &Path) -> Result<Beside, Failure> {
        worker(order, Pace::Whole, folder).map(Beside)
    }

    /// Waits for a build that went on beside other things.
    pub(crate) fn finish(&self, Beside(worker): Beside) -> Result<(), Failure> {
        self.wait(worker).map(drop)
    }

    /// Builds until there is an executable that works; what is left to do, if there is anything.
    /// `done` is called when the build is at its end.
    pub(crate) fn begin(
        &self,
        order: &Order,
        folder: &Path,
        done: impl FnOnce() + Send + 'static,
    ) -> Result<Option<Rest>, Failure> {
        let pace = if self.early { Pace::Early } else { Pace::Whole };
        match self.work(order, pace, folder)? {
            Some(worker) => Ok(Rest::start(worker, order.out(), done)),
            None => {
                done();
                Ok(None)
            }
        }
    }

    /// Stands by for a build of which an executable that works is there already; `None` where the
    /// system has no process for it. `done` is called when it is at its end.
    pub(crate) fn stand_by(
        order: &Order,
        folder: &Path,
        done: impl FnOnce() + Send + 'static,
    ) -> Option<Rest> {
        let worker = Worker::start(itself(), order, Pace::Aside, folder).ok()?;
        Rest::start(worker, order.out(), done)
    }

    /// Builds; the worker, if it has more to do.
    fn work(&self, order: &Order, pace: Pace, folder: &Path) -> Result<Option<Worker>, Failure> {
        self.wait(worker(order, pace, folder)?)
    }

    /// Waits for a build; the worker, if it has more to do.
    fn wait(&self, mut worker: Worker) -> Result<Option<Worker>, Failure> {
        let mut shown = Doing::new(self.quiet, "building");
        loop {
            if let Some(problem) = self.ending.ended_build() {
                return Err(Failure::Problem(problem));
            }
            match worker.next(LOOK) {
                None => shown.wait(),
                Some(News::Doing(text)) => shown.show(&text),
                Some(News::Usable) => return Ok(Some(worker)),
                Some(News::Done) => return Ok(None),
                Some(News::Reported) => return Err(Failure::Reported),
                Some(News::Unlinked(undefined)) => return Err(Failure::Unlinked(undefined)),
                Some(News::Full(text)) => {
                    return Err(Failure::Problem(Problem::unwritable(text)));
                }
                Some(News::Failed(text)) => {
                    return Err(Failure::Problem(Problem::program(text)));
                }
            }
        }
    }
}

/// A build that goes on beside what the command does. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Beside(Worker);

fn worker(order: &Order, pace: Pace, folder: &Path) -> Result<Worker, Failure> {
    Worker::start(itself(), order, pace, folder).map_err(|error| {
        let remedy = labrys_cc::remedy(&error);
        let text = format!("cannot start a process for the build: {error}{remedy}");
        Failure::Problem(Problem::program(text))
    })
}

/// The command that serves as a worker: this file itself, also if another one has its name by now.
fn itself() -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg(COMMAND);
    command
}

/// What is left to do of a build: its executable is replaced by an optimized one, when its runs have
/// taken long enough. Dropping this ends it. If it fails, the executable stays as it is.
#[derive(Debug)]
pub(crate) struct Rest {
    is_over: Arc<AtomicBool>,
    runs: RunTime,
    thread: Option<JoinHandle<()>>,
}

impl Rest {
    /// Waits in a thread; `None` where the system has none, which ends the build.
    fn start(
        mut worker: Worker,
        executable: &Path,
        done: impl FnOnce() + Send + 'static,
    ) -> Option<Self> {
        let (is_over, runs) = (Arc::new(AtomicBool::new(false)), RunTime::default());
        let (over, taken) = (Arc::clone(&is_over), runs.clone());
        let price = price(executable);
        let wait = move || {
            while !over.load(Ordering::Relaxed) {
                if taken.total() >= price {
                    worker.go_on();
                }
                match worker.next(LOOK) {
                    None | Some(News::Doing(_)) => {}
                    Some(News::Done) => return done(),
                    Some(_) => return,
                }
            }
        };
        let thread = thread::Builder::new().spawn(wait).ok()?;
        Some(Rest {
            is_over,
            runs,
            thread: Some(thread),
        })
    }

    /// Where runs of the executable add up how long they take.
    pub(crate) fn runs(&self) -> &RunTime {
        &self.runs
    }
}

/// About how long it takes to optimize an executable, by the size of the one that is not.
fn price(executable: &Path) -> Duration {
    let bytes = std::fs::metadata(executable).map_or(0, |about| about.len());
    Duration::from_secs_f64(bytes.saturating_sub(BYTES_OF_ALL) as f64 * SECONDS_PER_BYTE)
}

impl Drop for Rest {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Why a program does not link, and what to do.
fn unlinked(undefined: &[String]) -> String {
    const PARTS: &str = "`labrys cover --entry FUNCTION` and `--all-functions` cover functions of a \
                         part of a program";
    if undefined.iter().any(|symbol| symbol == "main") {
        return format!("there is no main function; name the source that has it: {PARTS}");
    }
    let Some(first) = undefined.first() else {
        return "the link failed, see the messages above".to_owned();
    };
    let more = match undefined.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "nobody defines {first}{more}; name the sources that do, or the library \
         (--cc-flag=-lNAME): {PARTS}"
    )
}

/// The command that is the other side.
pub(crate) const COMMAND: &str = "build-worker";
/// Whether a build with these options of the user's made a program: with `-c` or `--version` the compiler
/// is content with less.
pub(crate) fn made_a_program(out: &Path, flags: &[String]) -> Result<(), Problem> {
    match Executable::open(out) {
        Err(_) if !flags.is_empty() => Err(Problem::usage(format!(
            "with --cc-flag {} the compiler makes no program of the sources; leave out what keeps it \
             from that, as -c or -E do",
            flags.join(" --cc-flag ")
        ))),
        _ => Ok(()),
    }
}
