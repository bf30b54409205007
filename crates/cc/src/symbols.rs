//! The symbols of an ELF object, compared with those that it had when it was compiled.
//!
//! `objcopy` renames, hides and weakens symbols of the native code alone. So compiling notes which
//! symbols an object defines, as one number, and `ld -r` puts the numbers of its objects in a
//! row: where their sum is another one than that of the symbols that are there, the bitcode is
//! not that of the code.

use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSymbol, SymbolKind};

use crate::container::elf::SectionTable;

/// The section of the number that [`symbol_sum`] was when the object was compiled, and its size.
const SYMBOLS: &str = ".labrys.symbols";
const SUM: usize = 8;

/// The number of source files that an object tells it came from.
pub(crate) fn source_files(bytes: &[u8]) -> usize {
    let Ok(file) = ElfFile64::<LittleEndian>::parse(bytes) else {
        return 0;
    };
    let symbols = file.symbols();
    symbols.filter(|s| s.kind() == SymbolKind::File).count()
}

/// Whether an object defines weak symbols other than those of C++, whose linkage is weak wherever a
/// definition may be in several objects.
pub(crate) fn has_weak(bytes: &[u8]) -> bool {
    ElfFile64::<LittleEndian>::parse(bytes).is_ok_and(|file| {
        let mut symbols = file.symbols();
        symbols.any(|symbol| {
            let is_mangled = symbol
                .name_bytes()
                .is_ok_and(|name| name.starts_with(b"_Z"));
            symbol.is_definition() && symbol.is_weak() && !is_mangled
        })
    })
}

/// Writes into an object which symbols it defines.
pub(crate) fn note(table: &mut SectionTable, bytes: &mut Vec<u8>) {
    let sum = symbol_sum(bytes).to_le_bytes();
    table.add(bytes, SYMBOLS, &sum);
    if let Some(section) = table.find(SYMBOLS) {
        table.set_flags(section, u64::from(object::elf::SHF_EXCLUDE));
    }
}

/// Whether an object defines other symbols than the compiler noted.
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
