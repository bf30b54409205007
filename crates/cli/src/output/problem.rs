//! Errors as the user sees them: a sentence with cause and remedy, and the exit status.

use std::path::Path;
use std::{fmt, io};

/// Exit statuses of the command.
pub(crate) mod status {
    /// Done, no failure found.
    pub(crate) const DONE: u8 = 0;
    /// Failures of the program were found, or tests of a suite diverged.
    pub(crate) const FAILURES: u8 = 1;
    /// The command line is wrong.
    pub(crate) const USAGE: u8 = 2;
    /// The program could not be built or run.
    pub(crate) const PROGRAM: u8 = 3;
    /// A bug in Labrys.
    pub(crate) const INTERNAL: u8 = 4;
    /// Results cannot be written: the disk is full, or the folder is gone.
    pub(crate) const UNWRITABLE: u8 = 5;
    /// Nobody reads standard output: 128 and the number of SIGPIPE.
    pub(crate) const UNREAD: u8 = 141;
}

/// An error that ends the command.
#[derive(Debug)]
pub(crate) struct Problem {
    /// What is wrong and what to do.
    pub(crate) text: String,
    /// The exit status.
    pub(crate) status: u8,
}

impl Problem {
    /// The user asked for something that cannot be done.
    pub(crate) fn usage(text: impl fmt::Display) -> Self {
        Problem {
            text: text.to_string(),
            status: status::USAGE,
        }
    }

    /// The program could not be built or run.
    pub(crate) fn program(text: impl fmt::Display) -> Self {
        Problem {
            text: text.to_string(),
            status: status::PROGRAM,
        }
    }

    /// Results cannot be written.
    pub(crate) fn unwritable(text: impl fmt::Display) -> Self {
        Problem {
            text: text.to_string(),
            status: status::UNWRITABLE,
        }
    }

    /// Why a file cannot be written, and what to do.
    pub(crate) fn unwritten(path: &Path, error: &io::Error) -> Self {
        let remedy = labrys_cc::remedy(error);
        Problem::unwritable(format!("cannot write {}: {error}{remedy}", path.display()))
    }

    /// Nobody reads standard output; nothing is said of it.
    pub(crate) fn unread() -> Self {
        Problem {
            text: String::new(),
            status: status::UNREAD,
        }
    }

    /// A bug in Labrys.
    pub(crate) fn internal(text: impl fmt::Display) -> Self {
        Problem {
            text: text.to_string(),
            status: status::INTERNAL,
        }
    }
}

impl From<labrys_executor::Error> for Problem {
    fn from(error: labrys_executor::Error) -> Self {
        Problem::program(error)
    }
}

impl From<labrys_suite::Error> for Problem {
    fn from(error: labrys_suite::Error) -> Self {
        match error {
            labrys_suite::Error::Shape { .. } => Problem::internal(error),
            labrys_suite::Error::Full { .. }
            | labrys_suite::Error::Gone { .. }
            | labrys_suite::Error::TooLarge { .. } => Problem::unwritable(error),
            error => Problem::usage(error),
        }
    }
}

impl From<labrys_engine::Error> for Problem {
    fn from(error: labrys_engine::Error) -> Self {
        match error {
            labrys_engine::Error::Executor(error) => error.into(),
            labrys_engine::Error::Suite(error) => error.into(),
            error @ (labrys_engine::Error::Recording { .. }
            | labrys_engine::Error::Excluded { .. }) => Problem::internal(error),
        }
    }
}
