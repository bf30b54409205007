//! The sections by which an executable carries all that later commands need. A *whole* one is the
//! instrumented executable, with the static program model, the frozen bitcode, the plain and the
//! checked executable, how all are linked, and a mark if it is not optimized; a *deferred* one is what clang links, with the merged
//! bitcode and how the others will be linked.
//!
//! They are not loaded at run time, and `strip` keeps them. Executables and merged bitcode among
//! them are compressed (zstd). Invariant: what [`seal`] put in, [`Executable::open`] gets out, byte
//! for byte, or it refuses the file: a checksum is kept with them.

mod checksum;
pub(crate) mod elf;

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use labrys_abi::section;
use labrys_program::Program;

use checksum::Seal;
use elf::SectionTable;

/// How hard zstd tries: higher levels take several times as long for a few percent.
const LEVEL: i32 = 3;

/// What the sections of an executable hold.
#[derive(Clone, Copy, Debug)]
pub enum Contents<'a> {
    /// Of an instrumented executable.
    Whole {
        /// The static program model, serialized.
        program: &'a [u8],
        /// The frozen bitcode.
        bitcode: &'a [u8],
        /// The plain executable.
        plain: &'a [u8],
        /// The checked executable; none where it could not be linked.
        checked: Option<&'a [u8]>,
        /// The command of the linker.
        link: &'a [u8],
        /// Whether it is optimized.
        optimized: bool,
    },
    /// Of an executable of clang.
    Deferred {
        /// The merged bitcode.
        merged: &'a [u8],
        /// The command of the linker.
        link: &'a [u8],
    },
}

/// An executable linked by `labrys-cc`.
#[derive(Debug)]
pub enum Executable {
    /// The instrumented executable, with the others.
    Whole(Container),
    /// The executable of clang, with what the others are built from.
    Deferred(Deferred),
}

/// What an executable of clang carries.
#[derive(Debug)]
pub struct Deferred {
    merged: Vec<u8>,
    link: Vec<u8>,
}

/// A whole executable.
#[derive(Debug)]
pub struct Container {
    path: PathBuf,
    file: Vec<u8>,
    program: Range<usize>,
    bitcode: Range<usize>,
    plain: Vec<u8>,
    checked: Option<Vec<u8>>,
    link: Option<Range<usize>>,
    is_optimized: bool,
}

/// Why an executable cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ContainerError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The file is no ELF executable.
    #[error("{}: not an executable for this machine; give a program built by labrys-cc, or C sources", .0.display())]
    NotElf(PathBuf),
    /// The executable is deferred.
    #[error("{}: not built for Labrys yet; set LABRYS_WHOLE=1 for labrys-cc", .0.display())]
    Deferred(PathBuf),
    /// The executable lacks a section of Labrys.
    #[error("{}: built by a plain compiler, or stripped by llvm-strip; rebuild it with CC=labrys-cc (and CXX=labrys-c++)", .0.display())]
    NotLabrys(PathBuf),
    /// The file is what a compiler makes before the link.
    #[error("{}: an object file, not a program; link it with labrys-cc first", .0.display())]
    Object(PathBuf),
    /// The file is not what was built.
    #[error("{}: damaged: build it again ({reason})", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What shows it.
        reason: &'static str,
    },
    /// The file has no checksum, or a section of another form.
    #[error("{}: built by another version of Labrys: build it again", .0.display())]
    Version(PathBuf),
}

/// The sections under the seal, in its order.
const SECTIONS: [&str; 7] = [
    section::MERGED,
    section::PROGRAM,
    section::BITCODE,
    section::PLAIN,
    section::CHECKED,
    section::LINK,
    section::UNOPTIMIZED,
];

/// These sections with their names.
fn named<'a>(sections: &[Option<&'a [u8]>; 7]) -> [(&'static str, Option<&'a [u8]>); 7] {
    std::array::from_fn(|index| (SECTIONS[index], sections[index]))
}

/// What shows that an executable is damaged.
const OTHER_SUM: &str = "its bytes do not have the checksum that was stored with them";
const NO_SECTIONS: &str = "it is cut short, or its table of sections is overwritten";
const NO_SECTION: &str = "a section of Labrys is missing";
const STRIPPED: &str = "the sections of Labrys were removed, as llvm-strip does; strip keeps them";

fn damaged(path: PathBuf, reason: &'static str) -> ContainerError {
    ContainerError::Damaged { path, reason }
}

/// What a file is whose table of sections cannot be read.
fn unreadable(path: PathBuf, file: &[u8]) -> ContainerError {
    match elf::machine_kind(file) {
        Some(_) => damaged(path, NO_SECTIONS),
        None => ContainerError::NotElf(path),
    }
}

/// What an ELF file is that lacks a section of Labrys.
fn without_sections(path: PathBuf, file: &[u8], table: &SectionTable) -> ContainerError {
    match elf::machine_kind(file) {
        Some(object::elf::ET_REL) => ContainerError::Object(path),
        _ if table.has_prefix(section::PREFIX) => damaged(path, NO_SECTION),
        _ if has_runtime(file) => damaged(path, STRIPPED),
        _ => ContainerError::NotLabrys(path),
    }
}

/// Whether the runtime of Labrys is linked into an executable.
fn has_runtime(file: &[u8]) -> bool {
    let name = labrys_abi::ENV_ACTIVE.as_bytes();
    file.windows(name.len()).any(|bytes| bytes == name)
}

impl Deferred {
    /// The merged bitcode.
    #[must_use]
    pub fn merged(&self) -> &[u8] {
        &self.merged
    }

    /// The command of the linker.
    #[must_use]
    pub fn link(&self) -> &[u8] {
        &self.link
    }
}

impl Executable {
    /// Opens an executable.
    ///
    /// # Errors
    /// The file cannot be read, is no ELF file, or was not linked by `labrys-cc`.
    pub fn open(path: &Path) -> Result<Self, ContainerError> {
        let path = path.to_path_buf();
        match fs::read(&path) {
            Ok(file) => Self::read(path, file),
            Err(source) => Err(ContainerError::Io { path, source }),
        }
    }

    /// An executable with these bytes.
    ///
    /// # Errors
    /// It is no ELF file, or was not built by `labrys-cc`.
    pub fn read(path: PathBuf, file: Vec<u8>) -> Result<Self, ContainerError> {
        let damaged = |reason| damaged(path.clone(), reason);
        let table = match SectionTable::read(&file) {
            Some(table) => table,
            None => return Err(unreadable(path, &file)),
        };
        let find = |name| {
            let bytes = table.bytes(&file, table.find(name)?)?;
            let start = bytes.as_ptr() as usize - file.as_ptr() as usize;
            Some(start..start + bytes.len())
        };
        let Some(seal) = find(section::SEAL) else {
            return Err(match find(section::PROGRAM) {
                Some(_) => ContainerError::Version(path),
                None => without_sections(path, &file, &table),
            });
        };
        let kept = SECTIONS.map(find);
        let bytes = |range: &Option<Range<usize>>| range.clone().map(|range| &file[range]);
        let seal = Seal::from_bytes(&file[seal]).ok_or_else(|| damaged(OTHER_SUM))?;
        let [merged, program, bitcode, plain, checked, link, mark] = &kept;
        let sealed = named(&[merged, program, bitcode, plain, checked, link, mark].map(bytes));
        if !seal.fits(&file, &sealed) {
            return Err(damaged(OTHER_SUM));
        }
        let expand = |range: &Range<usize>| {
            zstd::decode_all(&file[range.clone()])
                .map_err(|_| ContainerError::Version(path.clone()))
        };
        if let (Some(merged), Some(link)) = (merged, link) {
            return Ok(Executable::Deferred(Deferred {
                merged: expand(merged)?,
                link: file[link.clone()].to_vec(),
            }));
        }
        let (Some(program), Some(bitcode), Some(plain)) = (program, bitcode, plain) else {
            return Err(damaged(NO_SECTION));
        };
        let (program, bitcode, link) = (program.clone(), bitcode.clone(), link.clone());
        let plain = expand(plain)?;
        let checked = checked.as_ref().map(expand).transpose()?;
        Ok(Executable::Whole(Container {
            path,
            checked,
            link,
            is_optimized: mark.is_none(),
            file,
            program,
            bitcode,
            plain,
        }))
    }
}

impl Container {
    /// Opens a whole executable.
    ///
    /// # Errors
    /// As [`Executable::open`]; or the executable is deferred.
    pub fn open(path: &Path) -> Result<Self, ContainerError> {
        match Executable::open(path)? {
            Executable::Whole(container) => Ok(container),
            Executable::Deferred(_) => Err(ContainerError::Deferred(path.to_path_buf())),
        }
    }

    /// The static program model, serialized.
    #[must_use]
    pub fn program_bytes(&self) -> &[u8] {
        &self.file[self.program.clone()]
    }

    /// The static program model.
    ///
    /// # Errors
    /// It was written by another version of Labrys.
    pub fn program(&self) -> Result<Program, ContainerError> {
        let program = Program::from_bytes(self.program_bytes());
        program.map_err(|_| ContainerError::Version(self.path.clone()))
    }

    /// The frozen bitcode.
    #[must_use]
    pub fn bitcode(&self) -> &[u8] {
        &self.file[self.bitcode.clone()]
    }

    /// The plain executable, as a file image.
    #[must_use]
    pub fn plain(&self) -> &[u8] {
        &self.plain
    }

    /// The checked executable, as a file image.
    #[must_use]
    pub fn checked(&self) -> Option<&[u8]> {
        self.checked.as_deref()
    }

    /// Whether it is optimized. If not, [`worker::Order::Whole`](crate::worker::Order::Whole) makes
    /// one that is.
    #[must_use]
    pub fn is_optimized(&self) -> bool {
        self.is_optimized
    }

    /// The command of the linker; executables of earlier versions have none.
    #[must_use]
    pub fn link(&self) -> Option<&[u8]> {
        self.link.clone().map(|range| &self.file[range])
    }

    /// Writes the plain executable to a file that can be run.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_plain(&self, to: &Path) -> Result<(), ContainerError> {
        write(to, self.plain())
    }

    /// Writes the checked executable, if there is one, to a file that can be run.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_checked(&self, to: &Path) -> Result<bool, ContainerError> {
        match self.checked() {
            Some(checked) => write(to, checked).map(|()| true),
            None => Ok(false),
        }
    }
}

/// Adds the sections to an executable and writes it to `to`.
///
/// # Errors
/// `executable` is no ELF file, or `to` cannot be written.
pub fn seal(executable: &Path, contents: &Contents<'_>, to: &Path) -> Result<(), ContainerError> {
    let mut file = fs::read(executable).map_err(|source| ContainerError::Io {
        path: executable.to_path_buf(),
        source,
    })?;
    let not_elf = || ContainerError::NotElf(executable.to_path_buf());
    let mut table = SectionTable::read(&file).ok_or_else(not_elf)?;
    let packed = |bytes| compressed(bytes).map(Some);
    let ((merged, plain, checked), [program, bitcode, link, mark]) = match *contents {
        Contents::Whole {
            program,
            bitcode,
            plain,
            checked,
            link,
            optimized,
        } => {
            let checked = checked.map(compressed).transpose()?;
            let mark = (!optimized).then_some(&[][..]);
            let all = [Some(program), Some(bitcode), Some(link), mark];
            ((None, packed(plain)?, checked), all)
        }
        Contents::Deferred { merged, link } => {
            let all = [None, None, Some(link), None];
            ((packed(merged)?, None, None), all)
        }
    };
    let (merged, plain, checked) = (merged.as_deref(), plain.as_deref(), checked.as_deref());
    let sections = named(&[merged, program, bitcode, plain, checked, link, mark]);
    let seal = Seal::of(&file, &sections).ok_or_else(not_elf)?.to_bytes();
    let seal = [(section::SEAL, Some(&seal[..]))];
    for (name, bytes) in sections.into_iter().chain(seal) {
        if let Some(bytes) = bytes {
            table.add(&mut file, name, bytes);
        }
    }
    let header = table.append_to(&mut file).ok_or_else(not_elf)?;
    file[..header.len()].copy_from_slice(&header);
    write(to, &file)
}

/// Bytes in the form in which they are kept.
fn compressed(bytes: &[u8]) -> Result<Vec<u8>, ContainerError> {
    zstd::encode_all(bytes, LEVEL).map_err(|source| ContainerError::Io {
        path: PathBuf::from("zstd"),
        source,
    })
}

fn write(to: &Path, bytes: &[u8]) -> Result<(), ContainerError> {
    write_executable(to, bytes).map_err(|source| ContainerError::Io {
        path: to.to_path_buf(),
        source,
    })
}

/// Writes an executable file; a regular file is replaced at once, never half written.
fn write_executable(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o777);
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return options.open(path)?.write_all(bytes);
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(OsStr::new(&format!(".labrys-{}", std::process::id())));
    let beside = path.with_file_name(name);
    let written = options
        .open(&beside)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// The shared libraries that an executable asks for.
///
/// # Errors
/// It cannot be read.
pub fn libraries(executable: &Path) -> Result<Vec<String>, ContainerError> {
    let bytes = fs::read(executable).map_err(|source| ContainerError::Io {
        path: executable.to_path_buf(),
        source,
    })?;
    Ok(elf::needed(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_come_out_as_they_went_in() {
        let folder = tempfile::tempdir().unwrap();
        let sealed = folder.path().join("sealed");
        let contents = |optimized| Contents::Whole {
            program: b"model",
            bitcode: b"BC",
            plain: b"\x7fELF...",
            checked: None,
            link: b"link",
            optimized,
        };
        let own = std::env::current_exe().unwrap();
        seal(&own, &contents(false), &sealed).unwrap();
        assert!(!Container::open(&sealed).unwrap().is_optimized());
        seal(&own, &contents(true), &sealed).unwrap();
        let container = Container::open(&sealed).unwrap();
        assert!(container.is_optimized());
        assert_eq!(container.link(), Some(&b"link"[..]));
        assert_eq!(container.program_bytes(), b"model");
        assert_eq!(container.bitcode(), b"BC");
        assert_eq!(container.plain(), b"\x7fELF...");
        assert_eq!(container.checked(), None);
        let listed = std::process::Command::new(&sealed)
            .arg("--list")
            .output()
            .unwrap();
        assert!(listed.status.success());

        let (merged, link) = (&b"BC"[..], &b"link"[..]);
        seal(&own, &Contents::Deferred { merged, link }, &sealed).unwrap();
        let Executable::Deferred(deferred) = Executable::open(&sealed).unwrap() else {
            panic!("a whole executable");
        };
        assert_eq!((deferred.merged(), deferred.link()), (merged, link));
        let error = Container::open(&sealed).unwrap_err();
        assert!(matches!(error, ContainerError::Deferred(_)));
    }

    #[test]
    fn errors_say_what_to_do() {
        let plain = Container::open(Path::new("/bin/true")).unwrap_err();
        assert!(plain.to_string().contains("rebuild it with CC=labrys-cc"));
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("text");
        fs::write(&text, "int main;").unwrap();
        assert!(matches!(
            Container::open(&text),
            Err(ContainerError::NotElf(_))
        ));
        let missing = Container::open(&folder.path().join("missing"));
        assert!(matches!(missing, Err(ContainerError::Io { .. })));
    }

    #[test]
    fn devices_are_written_through() {
        write_executable(Path::new("/dev/null"), b"x").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
