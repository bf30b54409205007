//! Errors that end a session.

/// Why a session cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The program cannot be run any more.
    #[error(transparent)]
    Executor(#[from] labrys_executor::Error),
    /// The suite cannot be written.
    #[error(transparent)]
    Suite(#[from] labrys_suite::Error),
}
