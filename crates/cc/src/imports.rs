//! What the native code of a link says of the program: objects and archives without bitcode, and
//! shared libraries with all that they need. The libraries of the languages are left out: what their
//! functions do stands in rows.
//!
//! Law: a name is told where it may matter. A member of an archive that is not linked counts too.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectKind, ObjectSection, ObjectSymbol, SymbolFlags};

use crate::archive;
use crate::container::elf;
use crate::link_line::{Item, LinkLine};
use crate::object::Nature;

/// The libraries of C, C++ and their compilers, by their names in front of `.so` and `.a`.
const OF_LANGUAGES: &str = "ld-linux-x86-64 libanl libatomic libc libc++ libc++abi libc_nonshared libdl \
    libgcc libgcc_eh libgcc_s libm libmvec libpthread libresolv librt libstdc++ libsupc++ libunwind \
    libutil";

/// Where libraries that others need are looked for, behind the folders of the link.
const FOLDERS: [&str; 4] = [
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib64",
    "/usr/lib",
];

/// Linker scripts are shorter.
const LONGEST_SCRIPT: usize = 1 << 16;

/// Sections of native objects by which code runs before `main`.
const EARLY: [&str; 3] = [".init_array", ".preinit_array", ".ctors"];

/// Options whose value is a linker script.
const SCRIPTS: [&str; 5] = [
    "-T",
    "-dT",
    "--script",
    "--default-script",
    "--just-symbols",
];

/// What native code says.
#[derive(Debug, Default)]
pub(crate) struct Native {
    /// Symbols that it does not define itself.
    pub(crate) imports: BTreeSet<String>,
    /// Symbols that it defines.
    pub(crate) provides: BTreeSet<String>,
    /// Symbols that files name of which something runs before `main`.
    pub(crate) early: BTreeSet<String>,
    /// Whether a linker script defines symbols.
    pub(crate) renames: bool,
}

/// What the native code of a link says.
pub(crate) fn of(line: &LinkLine) -> Native {
    let mut reader = Reader::default();
    let mut words = Vec::new();
    for item in &line.items {
        match item {
            Item::Word(word) => words.push(word.to_string_lossy()),
            Item::Native { path, .. } | Item::WholeArchive { path, .. } => reader.file(path),
            Item::Carried(member) => reader.object(&member.bytes),
            Item::Archive { .. } | Item::Bitcode(_) | Item::Report(_) | Item::Wrap(_) => {}
        }
    }
    let mut libraries = Vec::new();
    let mut rest = words.iter().map(|word| &**word);
    while let Some(word) = rest.next() {
        let script = SCRIPTS.iter().find(|option| {
            let value = word.strip_prefix(**option);
            value.is_some_and(|value| value.is_empty() || value.starts_with('='))
        });
        if let Some(script) = script {
            let joined = word.strip_prefix(&format!("{script}="));
            if let Some(path) = joined.or_else(|| rest.next()) {
                reader.found.renames = true;
                reader.file(Path::new(path));
            }
        } else if let Some(folder) = value(word, "-L", &mut rest) {
            reader.folders.push(folder.into());
        } else if let Some(name) = value(word, "-l", &mut rest) {
            libraries.push(name);
        } else if !word.starts_with('-') && Path::new(word).is_file() {
            reader.file(Path::new(word));
        }
    }
    reader.folders.extend(FOLDERS.map(PathBuf::from));
    libraries.iter().for_each(|name| reader.library(name));
    reader.found
}

/// The value of an option, in its word or in the next one.
fn value<'w>(
    word: &'w str,
    option: &str,
    rest: &mut impl Iterator<Item = &'w str>,
) -> Option<&'w str> {
    match word.strip_prefix(option)? {
        "" => rest.next(),
        value => Some(value),
    }
}

#[derive(Default)]
struct Reader {
    folders: Vec<PathBuf>,
    seen: BTreeSet<PathBuf>,
    found: Native,
}

impl Reader {
    /// A library by the name that `-l` has.
    fn library(&mut self, name: &str) {
        match name.strip_prefix(':') {
            Some(exact) => self.named(exact),
            None => {
                self.named(&format!("lib{name}.so"));
                self.named(&format!("lib{name}.a"));
            }
        }
    }

    /// A file by its name in one of the folders, or by its path.
    fn named(&mut self, name: &str) {
        let folders = self.folders.iter();
        let mut paths = folders.map(|folder| folder.join(name));
        if let Some(path) = paths.find(|path| path.is_file()) {
            self.file(&path);
        }
    }

    fn file(&mut self, path: &Path) {
        if is_of_language(path) || !self.seen.insert(path.to_owned()) {
            return;
        }
        let bytes = fs::read(path).unwrap_or_default();
        match Nature::of_bytes(&bytes) {
            Nature::Native | Nature::PartiallyLinked => {
                self.folders.extend(path.parent().map(Path::to_owned));
                self.object(&bytes);
            }
            Nature::Archive => {
                for member in archive::members(&bytes, path) {
                    if !matches!(
                        Nature::of_bytes(&member.bytes),
                        Nature::Fat | Nature::Bitcode
                    ) {
                        self.object(&member.bytes);
                    }
                }
            }
            Nature::Other if bytes.len() < LONGEST_SCRIPT => {
                let script = String::from_utf8_lossy(&bytes).into_owned();
                // It gives places in memory further names.
                self.found.renames |= script.contains('=');
                let words =
                    script.split(|letter: char| letter.is_whitespace() || "(),".contains(letter));
                for word in words {
                    match word.strip_prefix("-l") {
                        Some(name) => self.library(name),
                        None if word.contains(".so") || word.ends_with(".a") => self.named(word),
                        None => {}
                    }
                }
            }
            Nature::Other | Nature::Bitcode | Nature::Fat => {}
        }
    }

    fn object(&mut self, bytes: &[u8]) {
        let Ok(file) = ElfFile64::<LittleEndian>::parse(bytes) else {
            return;
        };
        let is_early = runs_early(&file);
        for symbol in file.symbols().chain(file.dynamic_symbols()) {
            let (Ok(name), true) = (symbol.name(), symbol.is_undefined() || symbol.is_global())
            else {
                continue;
            };
            if is_early {
                self.found.early.insert(name.to_owned());
            }
            let names = match symbol.is_undefined() {
                true => &mut self.found.imports,
                false => &mut self.found.provides,
            };
            names.insert(name.to_owned());
        }
        elf::needed(bytes).iter().for_each(|name| self.named(name));
    }
}

/// Whether code of a file may run before `main`. Nearly every shared library has a function that does,
/// and does nothing: they are not told apart.
fn runs_early(file: &ElfFile64<'_, LittleEndian>) -> bool {
    let early = |name: &str| EARLY.iter().any(|start| name.starts_with(start));
    let mut sections = file.sections();
    let mut symbols = file.symbols();
    file.kind() == ObjectKind::Dynamic
        || sections.any(|section| section.name().is_ok_and(early))
        || symbols.any(|symbol| {
            matches!(symbol.flags(), SymbolFlags::Elf { st_info, .. }
                if st_info & 0xf == object::elf::STT_GNU_IFUNC)
        })
}

/// Whether a library is one of those of the languages.
fn is_of_language(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = match name.split_once(".so") {
        Some((stem, _)) => stem,
        None => name.strip_suffix(".a").unwrap_or(&name),
    };
    stem.starts_with("libclang_rt") || OF_LANGUAGES.split_whitespace().any(|one| one == stem)
}
