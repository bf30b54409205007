//! The readers of all formats that come from outside or may be damaged on disk, as one list.
//!
//! Law: a reader gives an error or a value for any bytes, within seconds and 2 GB; what it gives
//! can be asked for all that its callers ask for. `cargo xtask fuzz` searches for bytes that break
//! it.

mod program;

/// A reader with what it takes to fuzz it.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// Its name on the command line.
    pub name: &'static str,
    /// Reads bytes and uses what they give as callers do.
    pub read: fn(&[u8]),
    /// Good examples.
    pub examples: fn() -> Vec<Vec<u8>>,
}

/// All readers.
pub const READERS: &[Reader] = &[program::BINARY, program::TEXT];

impl Reader {
    /// The reader of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        READERS.iter().find(|reader| reader.name == name)
    }
}
