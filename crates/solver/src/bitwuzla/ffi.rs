//! The table of functions of the C++ shim (`shim/bitwuzla.cpp`), and how it is found.
//!
//! The shim is a shared library of its own, opened at first use, so that a missing Bitwuzla is
//! an error that can be shown and not a program that does not start. It is looked for at the
//! path in `LABRYS_BITWUZLA`, beside the executable, in `../lib/labrys` from there, and where
//! the build left it.
//!
//! Invariant: the order of [`Table`] and of the numbers below is that of the shim; both change
//! together with [`VERSION`].

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_void};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Version of the table.
const VERSION: u32 = 3;
/// Name of the shared library.
const FILE: &str = "liblabrys_bitwuzla.so";

/// A solver with its terms; opaque.
#[repr(C)]
pub(super) struct Context {
    private: [u8; 0],
}

/// What a context is created with.
#[repr(C)]
pub(super) struct Settings {
    pub(super) seed: u64,
    pub(super) memory_bytes: u64,
    pub(super) interpolants: u32,
}

/// When to stop one check.
#[repr(C)]
pub(super) struct RawLimits {
    pub(super) steps: u64,
    pub(super) timeout_nanoseconds: u64,
    pub(super) cancel: *const u8,
}

/// Number of a term; 0 is none.
pub(super) type Handle = u32;

pub(super) const SORT_BOOL: u32 = 0;
pub(super) const SORT_BITS: u32 = 1;
pub(super) const SORT_FLOAT: u32 = 2;

pub(super) const SAT: i32 = 10;
pub(super) const UNSAT: i32 = 20;
pub(super) const STOP_NONE: i32 = 0;
pub(super) const STOP_DEADLINE: i32 = 1;
pub(super) const STOP_CANCELLED: i32 = 2;
pub(super) const STOP_MEMORY: i32 = 3;
pub(super) const STOP_STEPS: i32 = 4;

pub(super) const KIND_CONSTANT: u32 = 1000;
pub(super) const KIND_VALUE: u32 = 1001;

/// The functions of the shim. What each does is said there.
#[repr(C)]
pub(super) struct Table {
    pub(super) version: u32,
    pub(super) library_version: unsafe extern "C" fn() -> *const c_char,
    pub(super) create: unsafe extern "C" fn(*const Settings, *mut c_char, usize) -> *mut Context,
    pub(super) destroy: unsafe extern "C" fn(*mut Context),
    pub(super) error: unsafe extern "C" fn(*mut Context) -> *const c_char,
    pub(super) term_count: unsafe extern "C" fn(*mut Context) -> u32,
    pub(super) make_bits: unsafe extern "C" fn(*mut Context, u32, u64, u64) -> Handle,
    pub(super) make_bool: unsafe extern "C" fn(*mut Context, i32) -> Handle,
    pub(super) make_rounding: unsafe extern "C" fn(*mut Context, u32) -> Handle,
    pub(super) make_constant:
        unsafe extern "C" fn(*mut Context, u32, u32, u32, *const c_char) -> Handle,
    pub(super) make_term:
        unsafe extern "C" fn(*mut Context, u32, *const Handle, usize, *const u64, usize) -> Handle,
    pub(super) assert_formula: unsafe extern "C" fn(*mut Context, Handle) -> i32,
    pub(super) push: unsafe extern "C" fn(*mut Context) -> i32,
    pub(super) pop: unsafe extern "C" fn(*mut Context) -> i32,
    pub(super) reset: unsafe extern "C" fn(*mut Context) -> i32,
    pub(super) check:
        unsafe extern "C" fn(*mut Context, *const Handle, usize, *const RawLimits) -> i32,
    pub(super) steps: unsafe extern "C" fn(*mut Context) -> u64,
    pub(super) value: unsafe extern "C" fn(*mut Context, Handle, *mut u64, *mut u64) -> i32,
    pub(super) failed: unsafe extern "C" fn(*mut Context, *const Handle, usize, *mut u8) -> i32,
    pub(super) interpolant:
        unsafe extern "C" fn(*mut Context, *const Handle, usize, *const RawLimits) -> Handle,
    pub(super) kind: unsafe extern "C" fn(*mut Context, Handle) -> u32,
    pub(super) width: unsafe extern "C" fn(*mut Context, Handle) -> i32,
    pub(super) constant_value:
        unsafe extern "C" fn(*mut Context, Handle, *mut u64, *mut u64) -> i32,
    pub(super) children: unsafe extern "C" fn(*mut Context, Handle, *mut Handle, usize) -> i32,
    pub(super) indices: unsafe extern "C" fn(*mut Context, Handle, *mut u64, usize) -> i32,
    pub(super) text: unsafe extern "C" fn(*mut Context, Handle) -> *const c_char,
}

/// The table, opened once per process; else what to tell the user.
pub(super) fn table() -> Result<&'static Table, &'static str> {
    static TABLE: OnceLock<Result<&'static Table, String>> = OnceLock::new();
    match TABLE.get_or_init(|| open(&candidates())) {
        Ok(table) => Ok(table),
        Err(message) => Err(message),
    }
}

/// Files that may be the shim, in the order of trial.
fn candidates() -> Vec<PathBuf> {
    let mut files: Vec<_> = std::env::var_os("LABRYS_BITWUZLA")
        .map(PathBuf::from)
        .into_iter()
        .collect();
    let executable = std::env::current_exe().ok();
    if let Some(folder) = executable.as_deref().and_then(|file| file.parent()) {
        files.push(folder.join(FILE));
        files.push(folder.join("../lib/labrys").join(FILE));
    }
    files.push(PathBuf::from(env!("LABRYS_BITWUZLA_SHIM")));
    files
}

/// Opens the first of the files that can be opened. The library is never closed.
fn open(files: &[PathBuf]) -> Result<&'static Table, String> {
    let mut reason = String::from("it was not built");
    for file in files.iter().filter(|file| file.exists()) {
        match open_file(file.clone()) {
            Ok(table) => return Ok(table),
            Err(message) => reason = message,
        }
    }
    Err(format!(
        "the SMT solver Bitwuzla cannot be loaded ({reason}): run scripts/deps, then `make build`"
    ))
}

fn open_file(file: PathBuf) -> Result<&'static Table, String> {
    let path = CString::new(file.into_os_string().into_vec()).map_err(|error| error.to_string())?;
    // SAFETY: `path` is a C string; the library's initializers are those of the C++ runtime,
    // of Bitwuzla and of the shim, which only set up their own data.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        return Err(loader_message());
    }
    // SAFETY: `library` is open and the name is a C string.
    let symbol = unsafe { libc::dlsym(library, c"labrys_bitwuzla".as_ptr()) };
    if symbol.is_null() {
        return Err(loader_message());
    }
    check_version(symbol)
}

fn check_version(symbol: *mut c_void) -> Result<&'static Table, String> {
    // SAFETY: the symbol begins with a `u32` in every version of the shim.
    let version = unsafe { symbol.cast::<u32>().read() };
    if version != VERSION {
        return Err(format!(
            "its interface has version {version}, not {VERSION}"
        ));
    }
    // SAFETY: the version says that the symbol is such a table; the library stays open.
    Ok(unsafe { &*symbol.cast::<Table>() })
}

/// What the dynamic loader says about its last failure.
fn loader_message() -> String {
    // SAFETY: `dlerror` answers null or a C string that lives until this thread calls it again.
    unsafe {
        let message = libc::dlerror();
        if message.is_null() {
            return String::from("unknown reason");
        }
        CStr::from_ptr(message).to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{PathBuf, open};

    #[test]
    fn a_missing_library_is_an_error_that_says_what_to_do() {
        let message = open(&[PathBuf::from("no/such/file.so")]).err().unwrap();
        assert!(message.contains("run scripts/deps"), "{message}");
    }

    #[test]
    fn a_file_that_is_no_library_is_an_error_that_says_what_to_do() {
        let message = open(&[PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")]);
        let message = message.err().unwrap();
        assert!(message.contains("run scripts/deps"), "{message}");
        assert!(message.contains("Cargo.toml"), "{message}");
    }
}
