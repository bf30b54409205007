//! The program's own files, pipes and sockets that took labelled bytes: bytes that are read back
//! from them have no labels, and are counted as lost.
//!
//! A `FILE` without a descriptor writes to memory of the program: that is counted at once.

use core::ffi::{CStr, c_char, c_int};
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use labrys_abi::Cause;

use crate::models::unseen::{leads_to_labels, may_be_labelled, unseen};
use crate::record::tracing::tracing;

/// Places of this run that took labelled bytes, as device and inode.
static SINKS: [(AtomicU64, AtomicU64); 64] = [const { (AtomicU64::new(0), AtomicU64::new(0)) }; 64];

static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The sockets of all pairs count as one place: bytes that one takes come out of another.
const SOCKETS: (u64, u64) = (u64::MAX, u64::MAX);

/// What is behind a descriptor.
fn identity(fd: c_int) -> Option<(u64, u64)> {
    // SAFETY: `stat` is valid for writes; errno is restored.
    unsafe {
        let errno = *libc::__errno_location();
        let mut stat: libc::stat = core::mem::zeroed();
        let failed = libc::fstat(fd, &raw mut stat) != 0;
        *libc::__errno_location() = errno;
        match stat.st_mode & libc::S_IFMT {
            _ if failed => None,
            libc::S_IFSOCK => Some(SOCKETS),
            libc::S_IFREG | libc::S_IFIFO => Some((stat.st_dev, stat.st_ino)),
            _ => None,
        }
    }
}

fn is_sink((device, inode): (u64, u64)) -> bool {
    let known = &SINKS[..COUNT.load(Relaxed).min(SINKS.len())];
    known
        .iter()
        .any(|place| place.0.load(Relaxed) == device && place.1.load(Relaxed) == inode)
}

/// The program gives a function that writes to a `FILE` or a descriptor what may have labels: by
/// its address, or with its label.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_slow_written(
    function: *const c_char,
    is_file: u32,
    sink: u64,
    p: *const u8,
    label: u32,
) {
    if !tracing() {
        return;
    }
    // SAFETY: the caller's FILE; the pointer is looked behind only where that is safe; the name is
    // a constant of the program.
    unsafe {
        let fd = match is_file {
            0 => sink as c_int,
            _ if sink == 0 => return,
            _ => libc::fileno(sink as *mut libc::FILE),
        };
        if (0..=libc::STDERR_FILENO).contains(&fd) {
            return;
        }
        if label == 0 && !may_be_labelled(p) && !leads_to_labels(p) {
            return;
        }
        if fd < 0 && is_file != 0 {
            return unseen(Cause::External, CStr::from_ptr(function));
        }
        note(fd);
    }
}

fn note(fd: c_int) {
    let Some(place) = identity(fd).filter(|place| !is_sink(*place)) else {
        return;
    };
    let next = COUNT.load(Relaxed);
    if let Some((device, inode)) = SINKS.get(next) {
        device.store(place.0, Relaxed);
        inode.store(place.1, Relaxed);
        COUNT.store(next + 1, Relaxed);
    }
}

/// A function has read from a descriptor that is no input.
pub(crate) fn read_back(fd: c_int, function: &'static CStr) {
    if COUNT.load(Relaxed) != 0 && tracing() && identity(fd).is_some_and(is_sink) {
        unseen(Cause::External, function);
    }
}

/// As [`read_back`], through a `FILE`.
pub(crate) unsafe fn read_back_file(f: *mut libc::FILE, function: &'static CStr) {
    if COUNT.load(Relaxed) != 0 {
        // SAFETY: the caller's FILE.
        read_back(unsafe { libc::fileno(f) }, function);
    }
}
