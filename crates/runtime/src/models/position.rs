//! Where a `FILE` stands in an input of the run.
//!
//! The position is asked of the library before each call, so seeking, pushing back and code that
//! is not instrumented may be mixed in freely.

use core::ffi::c_int;

use crate::models::stream::{byte, label_behind, label_bytes, request, stream_of};
use crate::record::node::{Operand, node};

unsafe extern "C" {
    #[link_name = "stdin"]
    static STDIN: *mut libc::FILE;
}

/// The `FILE` of standard input.
pub(crate) fn standard_input() -> *mut libc::FILE {
    // SAFETY: the library's own variable.
    unsafe { STDIN }
}

/// Where a `FILE` stands in an input stream.
#[derive(Clone, Copy)]
pub(crate) struct Position {
    pub(crate) id: u32,
    pub(crate) length: u64,
    fd: c_int,
    pub(crate) position: u64,
}

impl Position {
    /// The byte `ahead` of the position; `None` behind the end of the stream, and where nothing has
    /// labels.
    pub(crate) fn at(&self, ahead: u64) -> Option<Operand> {
        let label = byte(self.id, self.length, self.fd, self.position + ahead);
        (label != 0).then(|| Operand::new(label, node(label).cv))
    }

    /// Label of the byte `ahead` of the position if it has this value: another byte may have been
    /// pushed back.
    pub(crate) fn byte(&self, ahead: u64, value: u8) -> u32 {
        let label = byte(self.id, self.length, self.fd, self.position + ahead);
        let same = label != 0 && node(label).cv == u64::from(value);
        if same { label } else { 0 }
    }

    /// Labels `size` bytes at `to`, which were read from here.
    pub(crate) fn label_bytes(&self, to: *const u8, size: u64) {
        label_bytes(self.id, self.length, self.fd, self.position, to, size);
    }

    /// Labels the bytes behind `got` at `to` that a longer stream would have put there.
    pub(crate) fn label_behind(&self, to: *const u8, wanted: u64, got: u64) {
        let (end, rest) = (self.position + got, to.wrapping_add(got as usize));
        label_behind(self.id, self.length, end, rest, wanted - got);
    }

    /// Records that a read `ahead` of the position asked for `wanted` bytes and got `got`; the
    /// label of the number of bytes got.
    pub(crate) fn request(&self, ahead: u64, wanted: u64, got: u64) -> u32 {
        let wanted = Operand::concrete(wanted);
        request(self.id, self.length, self.position + ahead, wanted, got)
    }
}

/// The position of `f`, if it reads an input stream.
pub(crate) unsafe fn position_of(f: *mut libc::FILE) -> Option<Position> {
    if !crate::record::tracing::tracing() {
        return None;
    }
    // SAFETY: the caller's FILE; errno is restored.
    unsafe {
        let errno = *libc::__errno_location();
        let fd = libc::fileno(f);
        let stream = stream_of(fd);
        let position = if stream.is_some() {
            libc::ftello(f)
        } else {
            -1
        };
        *libc::__errno_location() = errno;
        let (id, length) = stream?;
        (position >= 0).then_some(Position {
            id,
            length,
            fd,
            position: position as u64,
        })
    }
}
