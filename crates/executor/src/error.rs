//! Errors: a program that cannot be run, and limits of the machine.
//!
//! A run that crashes, hangs or uses too much memory is no error but an
//! [outcome](labrys_suite::Outcome).

use std::io;
use std::path::PathBuf;

/// Why there was no run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The executable cannot be started.
    #[error("cannot start {}: {source}{hint}", binary.display())]
    CannotStart {
        /// The executable.
        binary: PathBuf,
        /// The system's answer.
        source: io::Error,
        /// What to do about it.
        hint: &'static str,
    },
    /// The executable ran, but does not contain a fork server.
    #[error(
        "{} was not built by labrys-cc (no answer from its fork server{output}); build it with CC=labrys-cc",
        binary.display()
    )]
    NotInstrumented {
        /// The executable.
        binary: PathBuf,
        /// How it ended and what it printed instead.
        output: String,
    },
    /// The runtime in the executable says why it cannot start.
    #[error("{} cannot run here: {reason}", binary.display())]
    Refused {
        /// The executable.
        binary: PathBuf,
        /// What it printed, with the remedy.
        reason: String,
    },
    /// The executable was built by another version: one of both sides says so, the executable if
    /// it cannot read what the explorer wrote.
    #[error(
        "{} was built by another version of labrys-cc; build it again with the labrys-cc of this labrys",
        binary.display()
    )]
    Version {
        /// The executable.
        binary: PathBuf,
    },
    /// The fork server cannot go on.
    #[error("the fork server of {} failed: {source}", binary.display())]
    ServerFailed {
        /// The executable.
        binary: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The fork server ended again and again, and not by a signal.
    #[error("the fork server of {} ended during a run, twice on one input", binary.display())]
    ServerLost {
        /// The executable.
        binary: PathBuf,
    },
    /// The run was interrupted, see [`Launch::interrupt`](crate::Launch::interrupt).
    #[error("stopped, or out of time, while the program ran; there is nothing to keep")]
    Interrupted,
    /// The input does not fit the launch.
    #[error("the input does not fit: {reason}")]
    Input {
        /// What does not fit.
        reason: String,
    },
    /// The machine refuses something that every run needs.
    #[error("cannot {action}: {source}")]
    System {
        /// What was tried.
        action: &'static str,
        /// The system's answer.
        source: io::Error,
    },
}

impl Error {
    /// For `map_err`: an error of the system while doing something.
    pub(crate) fn system(action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Error::System { action, source }
    }
}
