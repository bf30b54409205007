//! Source positions of instructions and functions.

use std::collections::HashMap;

use labrys_program::{FileId, Location, Tables};

use labrys_llvm::Value;

/// Files seen so far, by the strings of the debug information, which are unique per module.
#[derive(Debug, Default)]
pub(super) struct Locations<'m> {
    files: HashMap<(&'m [u8], &'m [u8]), FileId>,
}

impl<'m> Locations<'m> {
    /// The position of an instruction or function; `None` without debug information and for
    /// code that the compiler made (line 0).
    pub(super) fn of(&mut self, value: Value<'m>, tables: &mut Tables) -> Option<Location> {
        let place = value.debug_place()?;
        let key = (place.directory, place.file);
        let file = *self
            .files
            .entry(key)
            .or_insert_with(|| tables.file(&path(key.0, key.1)));
        Some(Location {
            file,
            line: place.line,
            column: place.column,
        })
    }
}

/// The path of a file as seen from a directory.
fn path(directory: &[u8], file: &[u8]) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if file.starts_with(b"/") || directory.is_empty() {
        return text(file);
    }
    let file = file.strip_prefix(b"./").unwrap_or(file);
    let directory = text(directory);
    format!("{}/{}", directory.trim_end_matches('/'), text(file))
}
