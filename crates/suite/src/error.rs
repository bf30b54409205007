//! Errors of the suite folder: what is wrong, where, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

/// Why a suite folder cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder has something in it already.
    #[error(
        "{} is not empty; use --resume to go on from the suite in it, or name another folder with --out",
        path.display()
    )]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// There is no suite here.
    #[error("{} holds no suite: it has no config.json; name the folder that --out named", path.display())]
    Missing {
        /// The folder.
        path: PathBuf,
    },
    /// There are suites below.
    #[error("{} holds suites of several functions; name one of them, such as {}", path.display(), one.display())]
    Several {
        /// The folder.
        path: PathBuf,
        /// The folder of a suite in it.
        one: PathBuf,
    },
    /// No permission to write.
    #[error("cannot write {}: permission denied or read-only; name another folder with --out", path.display())]
    ReadOnly {
        /// The file or folder.
        path: PathBuf,
    },
    /// The disk or a quota is full.
    #[error(
        "cannot write {}: no space left; free some space, then go on with --resume",
        path.display()
    )]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// A file would be larger than the limit of the process.
    #[error(
        "cannot write {}: larger than files may be here; raise the limit (ulimit -f), then go on \
         with --resume",
        path.display()
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The folder was there and is not any more.
    #[error("cannot write {}: its folder is gone; start a new suite", path.display())]
    Gone {
        /// The file.
        path: PathBuf,
    },
    /// A file of the suite is missing.
    #[error("{} is missing, which the suite names; copy the whole folder again, or start a new suite", path.display())]
    Lost {
        /// The file.
        path: PathBuf,
    },
    /// Another input or output error.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A file of the suite is damaged.
    #[error("{} is damaged: {reason}; remove it, or start a new suite", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The suite was written by another version.
    #[error(
        "{} has format {found}, this version of Labrys reads {}; start a new suite",
        path.display(),
        crate::Config::FORMAT
    )]
    Format {
        /// `config.json`.
        path: PathBuf,
        /// Version found.
        found: u32,
    },
    /// A form that the user asked for does not fit the program.
    #[error("the suite has no form {name}: {reason}; leave it out of --export")]
    Unfit {
        /// The exporter's name.
        name: String,
        /// Why.
        reason: &'static str,
    },
    /// An input has other streams than the suite (a bug in Labrys).
    #[error(
        "an input of streams {found} does not fit the suite's {expected}; this is a bug in Labrys"
    )]
    Shape {
        /// The suite's streams.
        expected: String,
        /// The input's streams.
        found: String,
    },
}

impl Error {
    /// Sorts an error of the system by what the user can do about it.
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        use io::ErrorKind::{
            FileTooLarge, NotFound, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem,
            StorageFull,
        };
        let path = path.to_owned();
        match source.kind() {
            StorageFull | QuotaExceeded => Error::Full { path },
            FileTooLarge => Error::TooLarge { path },
            NotFound if action == "write" => Error::Gone { path },
            NotFound if action == "read" => Error::Lost { path },
            PermissionDenied | ReadOnlyFilesystem if action != "read" => Error::ReadOnly { path },
            _ => Error::Io {
                action,
                path,
                source,
            },
        }
    }

    pub(crate) fn damaged(path: &Path, reason: impl core::fmt::Display) -> Self {
        Error::Damaged {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_place_and_the_remedy() {
        let text = |action, kind: io::ErrorKind| {
            Error::io(action, Path::new("suite/inputs/000001"), kind.into()).to_string()
        };
        let full = text("write", io::ErrorKind::StorageFull);
        assert!(
            full.contains("suite/inputs/000001") && full.contains("--resume"),
            "{full}"
        );
        let denied = text("write", io::ErrorKind::ReadOnlyFilesystem);
        assert!(
            denied.contains("suite/inputs/000001") && denied.contains("--out"),
            "{denied}"
        );
        let lost = text("read", io::ErrorKind::NotFound);
        assert!(lost.starts_with("suite/inputs/000001 is missing"), "{lost}");
        let unread = text("read", io::ErrorKind::PermissionDenied);
        assert!(
            unread.starts_with("cannot read suite/inputs/000001"),
            "{unread}"
        );
    }
}
