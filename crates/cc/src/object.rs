//! Object files with bitcode inside.
//!
//! A source becomes a *fat* object: native code, and beside it, in a section that linkers leave
//! out of their result, the bitcode as the front end emits it, before any optimisation. So
//! `ar`, `ranlib`, `nm`, `strip` and foreign linkers take it for what it is, an ELF object,
//! while lld links the bitcode when it is asked to (`--fat-lto-objects`).

use std::fs;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use crate::container::elf::SectionTable;

use crate::bitcode::{self, SECTION};
use crate::symbols;

/// Where clang's `-fembed-bitcode` puts bitcode and command line.
const EMBEDDED: &str = ".llvmbc";
const EMBEDDED_COMMAND: &str = ".llvmcmd";
/// Of what type the section of bitcode must be for lld.
const SHT_LLVM_LTO: u32 = 0x6fff_4c0c;

/// What a file is to the linker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    /// LLVM bitcode and nothing else.
    Bitcode,
    /// An ELF object with the bitcode of all its code.
    Fat,
    /// An ELF object made of several, of which some have bitcode, or altered: see
    /// [`partially_linked`](crate::partially_linked).
    PartiallyLinked,
    /// Another ELF file.
    Native,
    /// An archive.
    Archive,
    /// Something else: linker script, text, missing.
    Other,
}

impl Nature {
    /// What a file is.
    pub(crate) fn of_file(path: &Path) -> Self {
        let regular = fs::metadata(path).is_ok_and(|found| found.is_file());
        match regular.then(|| fs::read(path)) {
            Some(Ok(bytes)) => Self::of_bytes(&bytes),
            _ => Nature::Other,
        }
    }

    /// What a file with this content is.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        match bytes {
            [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] => Nature::Bitcode,
            [0x7f, b'E', b'L', b'F', ..] => {
                match bitcode::of_object(bytes).map(|bitcode| bitcode::split(bitcode).len()) {
                    None => Nature::Native,
                    Some(1) if symbols::source_files(bytes) <= 1 && !symbols::is_altered(bytes) => {
                        Nature::Fat
                    }
                    Some(_) => Nature::PartiallyLinked,
                }
            }
            _ if bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n") => {
                Nature::Archive
            }
            _ => Nature::Other,
        }
    }

    /// Whether there is bitcode to be merged.
    pub(crate) fn has_bitcode(self) -> bool {
        matches!(
            self,
            Nature::Bitcode | Nature::Fat | Nature::PartiallyLinked
        )
    }
}

/// Turns an object of `clang -Xclang -fembed-bitcode=all` into a fat one. Other files stay as
/// they are.
pub(crate) fn fatten(path: &Path) -> io::Result<()> {
    if !fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return Ok(());
    }
    let bytes = fs::read(path)?;
    let Some(mut table) = SectionTable::read(&bytes) else {
        return Ok(());
    };
    let Some(embedded) = table.find(EMBEDDED) else {
        return Ok(());
    };
    let exclude = u64::from(object::elf::SHF_EXCLUDE);
    table.retag(embedded, SECTION, SHT_LLVM_LTO, exclude);
    let length = bytes.len();
    let mut bytes = bytes;
    symbols::note(&mut table, &mut bytes);
    if let Some(command) = table.find(EMBEDDED_COMMAND) {
        table.set_flags(command, exclude);
    }
    append(path, length, bytes, table)
}

/// Hides the bitcode of an object from lld.
pub(crate) fn drop_bitcode(path: &Path) -> io::Result<()> {
    let bytes = fs::read(path)?;
    let Some(mut table) = SectionTable::read(&bytes) else {
        return Ok(());
    };
    if let Some(old) = table.find(SECTION) {
        let exclude = u64::from(object::elf::SHF_EXCLUDE);
        table.retag(old, EMBEDDED, object::elf::SHT_PROGBITS, exclude);
    }
    append(path, bytes.len(), bytes, table)
}

/// Writes what lies after `start`, then the header that points to it.
fn append(path: &Path, start: usize, mut bytes: Vec<u8>, table: SectionTable) -> io::Result<()> {
    let header = table.append_to(&mut bytes);
    let header = header.ok_or_else(|| io::Error::other("not an ELF object"))?;
    let mut file = fs::OpenOptions::new().write(true).open(path)?;
    file.seek(SeekFrom::Start(start as u64))?;
    file.write_all(&bytes[start..])?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header)
}
