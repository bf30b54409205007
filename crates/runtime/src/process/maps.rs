//! `/proc/self/maps` that is the same in every run of either build.
//!
//! Programs that look for their stack read it (gnulib's `sigsegv` does). Labrys's own memory and
//! executables are in it, so that its length, and with it how often a program reads, would differ
//! from build to build. In runs of the fork server it has the lines of shared libraries and of
//! what the system names, such as the stack.

use core::cell::Cell;
use core::ffi::{CStr, c_char, c_int, c_void};

use crate::models::unseen::given_path;
use crate::record::cell::SingleWriter;
use crate::record::region::is_active;

/// More than there is of it.
const ROOM: usize = 1 << 16;

static TEXT: SingleWriter<Cell<[u8; ROOM]>> = SingleWriter::new(Cell::new([0; ROOM]));

/// `open`; the mode is there if the flags ask for it.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn __labrys_w_open(
    path: *const c_char,
    flags: c_int,
    mode: c_int,
) -> c_int {
    // SAFETY: as the caller's; the library reads the mode only where there is one.
    unsafe {
        given_path(c"open", path);
        let fd = libc::open(path, flags, mode);
        if fd >= 0 && is_active() && CStr::from_ptr(path) == c"/proc/self/maps" {
            filtered(fd, flags)
        } else {
            fd
        }
    }
}

/// `open64`, which is the same where files are large anyway.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn __labrys_w_open64(
    path: *const c_char,
    flags: c_int,
    mode: c_int,
) -> c_int {
    // SAFETY: as the caller's.
    unsafe { __labrys_w_open(path, flags, mode) }
}

/// A file with the lines that count, in place of the one that is open.
unsafe fn filtered(fd: c_int, flags: c_int) -> c_int {
    // SAFETY: bounded by the buffer, which one thread uses between an open and its return.
    unsafe {
        let text = TEXT.as_ptr().cast::<u8>();
        let mut size = 0;
        loop {
            let got = libc::read(fd, text.add(size).cast::<c_void>(), ROOM - size);
            if got <= 0 {
                break;
            }
            size += got as usize;
        }
        let close = if flags & libc::O_CLOEXEC == 0 {
            0
        } else {
            libc::MFD_CLOEXEC
        };
        let new = libc::memfd_create(c"maps".as_ptr(), close);
        if new < 0 {
            return fd;
        }
        let text = core::slice::from_raw_parts(text, size);
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            if counts(line) {
                libc::write(new, line.as_ptr().cast(), line.len());
            }
        }
        libc::lseek(new, 0, libc::SEEK_SET);
        // The number is the one that the real file had.
        libc::dup3(new, fd, flags & libc::O_CLOEXEC);
        libc::close(new);
        fd
    }
}

/// Whether a line is of a shared library or of something that the system names.
fn counts(line: &[u8]) -> bool {
    let has = |word: &[u8]| line.windows(word.len()).any(|window| window == word);
    has(b".so") || has(b"[stack") || has(b"[v")
}
