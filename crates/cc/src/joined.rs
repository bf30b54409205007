//! Objects that `ld -r` made from several.
//!
//! `ld` puts the bitcode of fat objects into one section, module after module, and the native
//! code of all objects together, also that of objects without bitcode. If all the code of the
//! result has bitcode, the modules are linked one by one; otherwise the object counts as
//! native.
//!
//! `objcopy` renames, hides and weakens symbols of the native code alone. So compiling notes which
//! symbols an object defines, as one number, and `ld -r` puts the numbers of its objects in a
//! row: where their sum is another one than that of the symbols that are there, the bitcode is
//! not what was meant, and the object counts as native.

use std::fs;
use std::path::{Path, PathBuf};

use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSymbol, SymbolKind};

use crate::container::elf::SectionTable;
use labrys_llvm::Module;

use crate::Error;
use crate::object as objects;

/// The section of what [`symbol_sum`] said when the object was compiled, and its size.
const SYMBOLS: &str = ".labrys.symbols";
const SUM: usize = 8;
/// First bytes of bitcode.
const MAGIC: &[u8] = b"BC\xc0\xde";

/// What stands for a joined object in a link.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    /// Files with its modules, one each.
    Modules(Vec<PathBuf>),
    /// A copy without bitcode.
    Native(PathBuf),
}

/// Takes a joined object apart; files are laid down in `scratch`.
pub(crate) fn take_apart(path: &Path, scratch: &Path) -> Result<Parts, Error> {
    let io = |source| Error::Io {
        path: path.to_path_buf(),
        source,
    };
    let bytes = fs::read(path).map_err(io)?;
    let modules = split(objects::bitcode(&bytes).unwrap_or_default());
    let folder = tempfile::tempdir_in(scratch).map_err(io)?.keep();
    let name = Path::new(path.file_name().unwrap_or_default());
    if is_altered(&bytes) || !is_complete(&bytes, &modules) {
        let copy = folder.join(name);
        fs::write(&copy, &bytes)
            .and_then(|()| objects::drop_bitcode(&copy))
            .map_err(io)?;
        return Ok(Parts::Native(copy));
    }
    let mut files = Vec::new();
    for (index, module) in modules.iter().enumerate() {
        let file = folder.join(name.with_extension(format!("{index}.o")));
        fs::write(&file, module).map_err(io)?;
        files.push(file);
    }
    Ok(Parts::Modules(files))
}

/// The number of source files that an object tells it came from.
pub(crate) fn source_files(bytes: &[u8]) -> usize {
    let Ok(file) = ElfFile64::<LittleEndian>::parse(bytes) else {
        return 0;
    };
    let symbols = file.symbols();
    symbols.filter(|s| s.kind() == SymbolKind::File).count()
}

/// Writes into an object which symbols it defines.
pub(crate) fn note_symbols(table: &mut SectionTable, bytes: &mut Vec<u8>) {
    let sum = symbol_sum(bytes).to_le_bytes();
    table.add(bytes, SYMBOLS, &sum);
    if let Some(section) = table.find(SYMBOLS) {
        table.set_flags(section, u64::from(object::elf::SHF_EXCLUDE));
    }
}

/// Does an object define other symbols than the compiler noted?
pub(crate) fn is_altered(bytes: &[u8]) -> bool {
    let noted = SectionTable::read(bytes).and_then(|table| {
        let noted = table.bytes(bytes, table.find(SYMBOLS)?)?;
        let sums = noted.chunks(SUM).filter_map(|sum| sum.try_into().ok());
        Some(sums.fold(0, |all: u64, sum| all.wrapping_add(u64::from_le_bytes(sum))))
    });
    noted.is_some_and(|noted| noted != symbol_sum(bytes))
}

/// A number for the names of the symbols that an object defines, strong ones only: `ld -r` keeps
/// one of several weak or common ones.
fn symbol_sum(bytes: &[u8]) -> u64 {
    let Ok(file) = ElfFile64::<LittleEndian>::parse(bytes) else {
        return 0;
    };
    let hash = |name: &[u8]| {
        name.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        })
    };
    file.symbols()
        .filter(|s| s.is_definition() && s.is_global() && !s.is_weak() && !s.is_common())
        .filter_map(|symbol| symbol.name_bytes().ok())
        .fold(0, |sum, name| sum.wrapping_add(hash(name)))
}

/// Cuts bitcode into its modules: a module is a magic number and blocks, each with its length.
pub(crate) fn split(bitcode: &[u8]) -> Vec<&[u8]> {
    let mut modules = Vec::new();
    let (mut start, mut position) = (0, 0);
    while let Some(word) = bitcode.get(position..position + 4) {
        if word == MAGIC {
            if position > start {
                modules.push(&bitcode[start..position]);
            }
            (start, position) = (position, position + 4);
            continue;
        }
        // Block header: 2 bits "enter", 8 bits block id, 4 bits width, filled up to 32 bits;
        // then the number of words.
        let Some(length) = bitcode.get(position + 4..position + 8) else {
            break;
        };
        let words = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
        position += 8 + 4 * words;
    }
    let end = position.min(bitcode.len());
    if end > start {
        modules.push(&bitcode[start..end]);
    }
    modules
}

/// Whether each global symbol that the object defines is defined in one of the modules.
fn is_complete(bytes: &[u8], modules: &[&[u8]]) -> bool {
    let parsed: Result<Vec<Module>, _> = modules
        .iter()
        .map(|module| Module::from_bytes(module, "joined object"))
        .collect();
    let (Ok(parsed), Ok(file)) = (parsed, ElfFile64::<LittleEndian>::parse(bytes)) else {
        return false;
    };
    let defines = |module: &Module, name: &str| {
        let found = module.function(name).or_else(|| module.global(name));
        found.is_some_and(|symbol| !symbol.is_declaration())
    };
    file.symbols()
        .filter(|symbol| symbol.is_definition() && symbol.is_global())
        .all(|symbol| {
            let name = symbol.name().unwrap_or_default();
            parsed.iter().any(|module| defines(module, name))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(words: &[u32]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([0x35, 0x14, 0, 0]);
        bytes.extend((words.len() as u32).to_le_bytes());
        words
            .iter()
            .for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes
    }

    #[test]
    fn modules_are_found_by_the_lengths_of_their_blocks() {
        // The magic number inside a block is no begin of a module.
        let first = module(&[7, u32::from_le_bytes([b'B', b'C', 0xc0, 0xde])]);
        let second = module(&[]);
        let joined = [first.clone(), second.clone()].concat();
        assert_eq!(split(&joined), [&first[..], &second[..]]);
        assert_eq!(split(&first), [&first[..]]);
        assert!(split(&[]).is_empty());
    }
}
