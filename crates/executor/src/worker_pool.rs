//! Executors in threads of their own: a program runs while its explorer computes, and several of
//! its runs are under way at once.
//!
//! Law: runs end in the order in which they were begun, and the record of a run depends only on the
//! calls before it was begun, never on time. So an explorer with a pool repeats itself.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use labrys_abi::Mode;
use labrys_suite::{Coverage, Input};
use labrys_trace::Recording;

use crate::executor::is_kept;
use crate::{Error, Executor, Launch, Run, RunLimits};

/// Recordings that are reused for later runs, at most.
const SPARES: usize = 8;

/// See the module.
#[derive(Debug)]
pub struct WorkerPool {
    launch: Launch,
    workers: Vec<Worker>,
    /// The workers of the runs that were begun, in their order.
    begun: VecDeque<usize>,
    /// The worker of the next run.
    next: usize,
    wanted: Arc<Coverage>,
    bounded: bool,
    spares: Vec<Recording>,
}

/// A run to be made.
struct RunJob {
    input: Input,
    mode: Mode,
    wanted: Arc<Coverage>,
    bounded: bool,
    spare: Option<Recording>,
}

/// An executor in its thread, which ends when the channel of its jobs is closed.
#[derive(Debug)]
struct Worker {
    jobs: Option<Sender<RunJob>>,
    runs: Receiver<Result<Run, Error>>,
    thread: Option<JoinHandle<()>>,
}

impl WorkerPool {
    /// A pool of so many workers. Each starts the program for its first run.
    ///
    /// # Errors
    /// If the system allows no more threads.
    pub fn new(launch: &Launch, limits: &RunLimits, workers: usize) -> Result<Self, Error> {
        let worker = |_| Worker::start(launch.clone(), limits.clone());
        let workers: io::Result<_> = (0..workers).map(worker).collect();
        Ok(WorkerPool {
            launch: launch.clone(),
            workers: workers.map_err(Error::system(
                "start a thread (raise the limit of processes by ulimit -u, or ask for fewer --jobs)",
            ))?,
            begun: VecDeque::new(),
            next: 0,
            wanted: Arc::default(),
            bounded: false,
            spares: Vec::new(),
        })
    }

    /// The number of workers.
    #[must_use]
    pub fn size(&self) -> usize {
        self.workers.len()
    }

    /// Begins a run, after those that its worker has still to make.
    pub fn begin(&mut self, input: &Input, mode: Mode) {
        let job = RunJob {
            input: input.clone(),
            mode,
            wanted: Arc::clone(&self.wanted),
            bounded: self.bounded,
            spare: self.spares.pop(),
        };
        if let Some(jobs) = &self.workers[self.next].jobs {
            // The end of the run reports a worker that is gone.
            let _ = jobs.send(job);
        }
        self.begun.push_back(self.next);
        self.next = (self.next + 1) % self.workers.len();
    }

    /// Waits for the run that was begun first; `None` if there is none.
    ///
    /// # Errors
    /// Those of [`Executor::start`] and [`Executor::run`].
    pub fn end(&mut self) -> Option<Result<Run, Error>> {
        let worker = self.begun.pop_front()?;
        let run = self.workers[worker].runs.recv();
        Some(run.unwrap_or_else(|_| {
            let binary = self.launch.binary.clone();
            Err(Error::ServerLost { binary })
        }))
    }

    /// As [`Executor::want`], for the runs that are begun from now on.
    pub fn want(&mut self, branches: &Coverage) {
        self.wanted = Arc::new(branches.clone());
    }

    /// As [`Executor::bound_objects`], for the runs that are begun from now on.
    pub fn bound_objects(&mut self) {
        self.bounded = true;
    }

    /// As [`Executor::recycle`].
    pub fn recycle(&mut self, recording: Recording) {
        if self.spares.len() < SPARES && is_kept(&recording) {
            self.spares.push(recording);
        }
    }
}

impl Worker {
    fn start(launch: Launch, limits: RunLimits) -> io::Result<Self> {
        let (jobs, to_do) = channel::<RunJob>();
        let (done, runs) = channel();
        let thread = thread::Builder::new().spawn(move || {
            let mut executor = None;
            let mut wanted = Arc::default();
            for job in to_do {
                let run = work(&mut executor, &mut wanted, &launch, &limits, job);
                if done.send(run).is_err() {
                    return;
                }
            }
        })?;
        Ok(Worker {
            jobs: Some(jobs),
            runs,
            thread: Some(thread),
        })
    }
}

/// Makes a run, with an executor that is started if there is none.
fn work(
    executor: &mut Option<Executor>,
    wanted: &mut Arc<Coverage>,
    launch: &Launch,
    limits: &RunLimits,
    job: RunJob,
) -> Result<Run, Error> {
    let executor = match executor {
        Some(executor) => executor,
        None => executor.insert(Executor::start(launch.clone(), limits.clone())?),
    };
    if !Arc::ptr_eq(wanted, &job.wanted) {
        *wanted = job.wanted;
        executor.want(wanted);
    }
    if job.bounded {
        executor.bound_objects();
    }
    job.spare
        .into_iter()
        .for_each(|spare| executor.recycle(spare));
    executor.run(&job.input, job.mode)
}

impl Drop for Worker {
    /// Waits for the run that is under way: its executor takes its processes and files with it.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // The end of the run has reported a panic.
            let _ = thread.join();
        }
    }
}
