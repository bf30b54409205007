//! The sections by which an executable carries all that later commands need: the static
//! program model, the frozen bitcode, the plain and the checked executable.
//!
//! They are not loaded at run time, and `strip` keeps them. The executables among them are
//! compressed (zstd), since each has the runtime in it. Invariant: what [`seal`] put in,
//! [`Container::open`] gets out, byte for byte, or it refuses the file: a checksum is kept with
//! them.

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
pub struct Contents<'a> {
    /// The static program model, serialized.
    pub program: &'a [u8],
    /// The frozen bitcode.
    pub bitcode: &'a [u8],
    /// The plain executable.
    pub plain: &'a [u8],
    /// The checked executable; none where it could not be linked.
    pub checked: Option<&'a [u8]>,
    /// The command of the linker.
    pub link: &'a [u8],
}

/// An executable built by `labrys-cc`.
#[derive(Debug)]
pub struct Container {
    path: PathBuf,
    file: Vec<u8>,
    program: Range<usize>,
    bitcode: Range<usize>,
    plain: Vec<u8>,
    checked: Option<Vec<u8>>,
    link: Option<Range<usize>>,
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
    /// The executable lacks a section of Labrys.
    #[error("{}: built by a plain compiler; rebuild it with CC=labrys-cc (and CXX=labrys-c++)", .0.display())]
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

impl Container {
    /// Opens an executable.
    ///
    /// # Errors
    /// The file cannot be read, is no ELF file, or was not built by `labrys-cc`.
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
        let sections = (
            find(section::PROGRAM),
            find(section::BITCODE),
            find(section::PLAIN),
        );
        let (Some(program), Some(bitcode), Some(plain)) = sections else {
            return Err(without_sections(path, &file, &table));
        };
        let (checked, link) = (find(section::CHECKED), find(section::LINK));
        let Some(seal) = find(section::SEAL) else {
            return Err(ContainerError::Version(path));
        };
        let seal = Seal::from_bytes(&file[seal]).ok_or_else(|| damaged(OTHER_SUM))?;
        let kept = |range: &Range<usize>| &file[range.clone()];
        let sealed = [
            (section::PROGRAM, Some(kept(&program))),
            (section::BITCODE, Some(kept(&bitcode))),
            (section::PLAIN, Some(kept(&plain))),
            (section::CHECKED, checked.as_ref().map(kept)),
            (section::LINK, link.as_ref().map(kept)),
        ];
        if !seal.fits(&file, &sealed) {
            return Err(damaged(OTHER_SUM));
        }
        let expand = |range: Range<usize>| {
            zstd::decode_all(&file[range]).map_err(|_| ContainerError::Version(path.clone()))
        };
        let plain = expand(plain)?;
        let checked = checked.map(expand).transpose()?;
        Ok(Container {
            path,
            checked,
            link,
            file,
            program,
            bitcode,
            plain,
        })
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

    /// The command of the linker; executables of earlier versions have none.
    #[must_use]
    pub(crate) fn link(&self) -> Option<&[u8]> {
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
    let plain = compressed(contents.plain)?;
    let checked = contents.checked.map(compressed).transpose()?;
    let sections = [
        (section::PROGRAM, Some(contents.program)),
        (section::BITCODE, Some(contents.bitcode)),
        (section::PLAIN, Some(&plain)),
        (section::CHECKED, checked.as_deref()),
        (section::LINK, Some(contents.link)),
    ];
    let seal = Seal::of(&file, &sections).ok_or_else(not_elf)?.to_bytes();
    for (name, bytes) in sections
        .into_iter()
        .chain([(section::SEAL, Some(&seal[..]))])
    {
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
        let contents = Contents {
            program: b"model",
            bitcode: b"BC",
            plain: b"\x7fELF...",
            checked: None,
            link: b"link",
        };
        let own = std::env::current_exe().unwrap();
        seal(&own, &contents, &sealed).unwrap();
        let container = Container::open(&sealed).unwrap();
        assert_eq!(container.link(), Some(&b"link"[..]));
        assert_eq!(container.program_bytes(), contents.program);
        assert_eq!(container.bitcode(), contents.bitcode);
        assert_eq!(container.plain(), contents.plain);
        assert_eq!(container.checked(), None);
        let listed = std::process::Command::new(&sealed)
            .arg("--list")
            .output()
            .unwrap();
        assert!(listed.status.success());
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
