//! Where the compiler, the linker, the runtime library and the headers are.
//!
//! Installed, the runtime and the headers lie in `../lib/labrys` beside the folder of the
//! executable; in a build tree the runtime lies beside the executable. Headers that are not
//! installed are written to the user's cache folder.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use crate::jobs::Job;
use crate::{Error, Language};
use labrys_models::HEADERS;

/// The runtime library's file name.
const RUNTIME: &str = "liblabrys_runtime.a";

/// What clang 19 says of itself.
const VERSION: &str = "clang version 19.";

/// The first line of what a compiler says of itself.
fn version(compiler: &Path) -> Option<String> {
    let output = Command::new(compiler).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next().map(str::to_owned)
}

/// Paths of the tools that a build runs.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    /// clang 19.
    pub(crate) clang: PathBuf,
}

impl Tools {
    /// Finds clang: `LABRYS_CLANG`, else `clang-19`.
    pub(crate) fn find() -> Result<Self, Error> {
        if let Some(named) = variable("LABRYS_CLANG") {
            return match in_path(&named) {
                Some(clang) => match version(&clang) {
                    Some(text) if text.contains(VERSION) => Ok(Tools { clang }),
                    text => Err(Error::Usage(format!(
                        "LABRYS_CLANG is {}, which is not clang 19{}; name another one, or unset \
                         the variable",
                        named.display(),
                        text.map_or(String::new(), |text| format!(" (it says: {text})"))
                    ))),
                },
                None => Err(Error::Usage(format!(
                    "LABRYS_CLANG is {}, and there is no such program",
                    named.display()
                ))),
            };
        }
        let clang = in_path(Path::new("clang-19")).or_else(|| in_llvm("clang"));
        let clang = clang.ok_or(Error::MissingTool {
            tool: "clang-19",
            package: "clang-19",
        })?;
        Ok(Tools { clang })
    }

    /// The linker: lld of the same LLVM.
    pub(crate) fn linker(&self) -> Result<PathBuf, Error> {
        let beside = self
            .clang
            .canonicalize()
            .ok()
            .map(|path| path.with_file_name("ld.lld"));
        in_path(Path::new("ld.lld-19"))
            .or_else(|| in_llvm("ld.lld"))
            .or_else(|| beside.filter(|path| path.exists()))
            .ok_or(Error::MissingTool {
                tool: "ld.lld-19",
                package: "lld-19",
            })
    }
}

/// A sanitizer of clang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sanitizer {
    /// Errors of memory.
    Address,
    /// Reads of uninitialized memory.
    Memory,
}

impl Sanitizer {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Sanitizer::Address => "AddressSanitizer",
            Sanitizer::Memory => "MemorySanitizer",
        }
    }

    /// Its libraries, the last one for C++ alone.
    fn libraries(self) -> &'static [&'static str] {
        match self {
            Sanitizer::Address => &["asan_static", "asan-preinit", "asan", "asan_cxx"],
            Sanitizer::Memory => &["msan", "msan_cxx"],
        }
    }
}

impl Tools {
    /// The libraries of a sanitizer for a language, none if they are not installed.
    pub(crate) fn sanitizer(
        &self,
        sanitizer: Sanitizer,
        language: Language,
        scratch: &Path,
    ) -> Result<Option<Vec<PathBuf>>, Error> {
        let mut names = sanitizer.libraries().to_vec();
        if language == Language::C {
            names.pop();
        }
        let mut libraries = Vec::new();
        for name in names {
            let name = format!("-print-file-name=libclang_rt.{name}-x86_64.a");
            let program = self.clang.clone();
            let arguments = vec![name.into()];
            let found = Job { program, arguments }.run_captured(scratch)?.stdout;
            let library = PathBuf::from(String::from_utf8_lossy(&found).trim());
            // A library that clang does not find is printed as its name.
            if !library.is_absolute() || !library.is_file() {
                return Ok(None);
            }
            libraries.push(library);
        }
        Ok(Some(libraries))
    }
}

/// The runtime library: in `LABRYS_RUNTIME_DIR`, else installed, else beside the executable.
pub(crate) fn runtime() -> Result<PathBuf, Error> {
    let mut folders = Vec::new();
    match variable("LABRYS_RUNTIME_DIR") {
        Some(named) => folders.push(named),
        None => {
            folders.extend(library_folder());
            folders.extend(executable_folders());
        }
    }
    let found = folders
        .iter()
        .map(|folder| folder.join(RUNTIME))
        .find(|path| path.is_file());
    found.ok_or(Error::MissingRuntime {
        name: RUNTIME,
        folders,
    })
}

/// The folder in which Labrys keeps what it can make again: `LABRYS_CACHE`, else a folder where
/// programs keep such things.
#[must_use]
pub fn cache() -> Option<PathBuf> {
    let of_user = || {
        let home = || variable("HOME").map(|home| home.join(".cache"));
        let folder = variable("XDG_CACHE_HOME").or_else(home);
        folder.map(|folder| folder.join("labrys"))
    };
    let folder = variable("LABRYS_CACHE").or_else(of_user);
    folder.filter(|folder| folder.is_absolute())
}

/// This version of Labrys, in hexadecimal digits: the sources of what decides how a program is
/// built, and when the runtime library was written. All commands of one build have the same.
#[must_use]
pub fn own_version() -> String {
    let mut hash = Sha256::new();
    hash.update(env!("LABRYS_SOURCES"));
    if let Ok(runtime) = runtime() {
        hash.update(written(&runtime).to_le_bytes());
    }
    digits(&hash.finalize()[..16])
}

/// When a file was written, in nanoseconds; 0 if it is not there.
fn written(file: &Path) -> u128 {
    let written = fs::metadata(file).and_then(|about| about.modified());
    let since = written.map(|time| time.duration_since(SystemTime::UNIX_EPOCH));
    since.map_or(0, |since| since.unwrap_or_default().as_nanos())
}

/// Bytes in hexadecimal digits.
pub(crate) fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The folder with `labrys.h`.
pub(crate) fn headers() -> Result<PathBuf, Error> {
    let installed = library_folder().map(|folder| folder.join("include"));
    if let Some(installed) = installed.filter(|folder| folder.join(HEADERS[0].0).is_file()) {
        return Ok(installed);
    }
    let cache = cache().map(|folder| folder.join("include"));
    if let Some(cache) = cache.filter(|folder| write_headers(folder).is_ok()) {
        return Ok(cache);
    }
    let folder = std::env::temp_dir().join("labrys-include");
    match write_headers(&folder) {
        Ok(()) => Ok(folder),
        Err(source) => Err(Error::Io {
            path: folder,
            source,
        }),
    }
}

/// Writes those headers that differ from ours; other builds may do so at the same time.
fn write_headers(folder: &Path) -> io::Result<()> {
    for (name, text) in HEADERS {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        if fs::read(&path).is_ok_and(|found| found == text.as_bytes()) {
            continue;
        }
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        io::Write::write_all(&mut file, text.as_bytes())?;
        let readable = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        file.as_file().set_permissions(readable)?;
        file.persist(&path)?;
    }
    Ok(())
}

/// `../lib/labrys` beside the folder of the running executable.
fn library_folder() -> Option<PathBuf> {
    let executable = std::env::current_exe().ok()?;
    Some(executable.parent()?.parent()?.join("lib/labrys"))
}

/// The folder of the executable and the one above (test programs lie in `deps`).
fn executable_folders() -> Vec<PathBuf> {
    let executable = std::env::current_exe().unwrap_or_default();
    executable
        .ancestors()
        .skip(1)
        .take(2)
        .map(Path::to_path_buf)
        .collect()
}

/// An environment variable that is set and not empty.
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// A tool in the folder of Debian's LLVM packages.
fn in_llvm(tool: &str) -> Option<PathBuf> {
    let path = Path::new("/usr/lib/llvm-19/bin").join(tool);
    path.exists().then_some(path)
}

/// Looks a program up as a shell does.
fn in_path(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.is_file().then(|| program.to_path_buf());
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let program: &OsStr = program.as_os_str();
    std::env::split_paths(&folders)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}
