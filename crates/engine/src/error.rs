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
    /// A run recorded what is not true of it.
    #[error("what run {run} recorded is not true of it in {count} places, first {place}")]
    Recording {
        /// Number of the run.
        run: u64,
        /// Expressions and conditions that are wrong.
        count: usize,
        /// The first of them.
        place: String,
    },
    /// A run did what a monitor excluded.
    #[error("a monitor excluded that a run takes what run {run} took: {place}")]
    Excluded {
        /// Number of the run.
        run: u64,
        /// The flip that was pruned, and what it led to.
        place: String,
    },
}
