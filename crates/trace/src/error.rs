//! Errors: a recording that makes no sense.

/// Why a recording is no trace of the program.
///
/// The usual causes are a program that overwrote its records and an executable of another
/// version of Labrys.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A node is malformed.
    #[error("malformed recording: node {label}: {reason}")]
    Node {
        /// Its label.
        label: u32,
        /// What is wrong.
        reason: &'static str,
    },
    /// An event is malformed.
    #[error("malformed recording: event {index}: {reason}")]
    Event {
        /// Its position.
        index: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// More events or nodes than labels can count.
    #[error("malformed recording: more than 2^32 records")]
    TooLong,
}
