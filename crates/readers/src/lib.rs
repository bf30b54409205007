//! The readers of all formats that come from outside or may be damaged on disk, as one list.
//!
//! Law: a reader gives an error or a value for any bytes, within seconds and 2 GB; what it gives
//! can be asked for all that its callers ask for. `cargo xtask fuzz` searches for bytes that break
//! it.

mod foreign;
mod link;
mod program;
mod recording;
mod solver;
mod suite;

/// A reader with what it takes to fuzz it.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// Its name on the command line.
    pub name: &'static str,
    /// Reads bytes and uses what they give as callers do; whether they are of the format.
    pub read: fn(&[u8]) -> bool,
    /// Good examples.
    pub examples: fn() -> Vec<Vec<u8>>,
}

/// All readers.
pub const READERS: &[Reader] = &[
    link::EXECUTABLE,
    link::OBJECT,
    link::ARCHIVE,
    link::LINK_COMMAND,
    link::RESPONSE,
    link::COMMANDS,
    program::BINARY,
    program::TEXT,
    suite::FOLDER,
    suite::COVERAGE,
    foreign::KTEST,
    foreign::TEST_COMP,
    foreign::PROPERTY,
    foreign::NUMBERS,
    foreign::DICTIONARY,
    foreign::DIFF,
    foreign::EXPLORED,
    recording::RECORDING,
    solver::SCRIPT,
    solver::CERTIFICATE,
];

impl Reader {
    /// The reader of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        READERS.iter().find(|reader| reader.name == name)
    }
}
