//! Reading input through file descriptors and mappings.

use core::ffi::{c_int, c_void};

use crate::memory::access::__labrys_slow_fill;
use crate::memory::{poison, reserved};
use crate::models::sink::read_back;
use crate::models::stream::{label_behind, label_bytes, request, stream_of};
use crate::record::node::Operand;
use crate::record::passing::{self, arguments, redirect, result};
use crate::record::region::is_symbolic;

/// For library models: does this file descriptor read an input of the run?
#[unsafe(no_mangle)]
extern "C" fn __labrys_is_input(fd: c_int) -> c_int {
    result(0);
    let reads = stream_of(fd).is_some();
    if !reads {
        read_back(fd, c"read");
    }
    c_int::from(reads)
}

/// Labels what a read call delivered; `position` is where it read.
unsafe fn delivered(
    stream: Option<(u32, u64)>,
    fd: c_int,
    to: *mut c_void,
    wanted: Operand,
    got: isize,
    position: i64,
) {
    let Ok(size) = usize::try_from(got) else {
        return;
    };
    let stream = stream.filter(|_| position >= 0);
    let position = position as u64;
    arrived(stream, fd, to, size, position);
    if let Some((id, length)) = stream {
        let (end, rest) = (position + size as u64, to.cast::<u8>().wrapping_add(size));
        label_behind(id, length, end, rest, wanted.value - size as u64);
        result(request(id, length, position, wanted, got as u64));
    }
}

/// Labels bytes that came from `position` of a stream, or from elsewhere.
fn arrived(stream: Option<(u32, u64)>, fd: c_int, to: *mut c_void, size: usize, position: u64) {
    if let Some((id, length)) = stream {
        poison::access(to.cast(), size);
        label_bytes(id, length, fd, position, to.cast(), size as u64);
    } else if is_symbolic() {
        read_back(fd, c"read");
        __labrys_slow_fill(to.cast(), 0, size as u64, 0);
    }
}

/// `read`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_read(fd: c_int, to: *mut c_void, wanted: usize) -> isize {
    let [_, _, label] = arguments::<3>(__labrys_w_read as *const () as usize);
    let stream = stream_of(fd);
    // SAFETY: as the caller's.
    unsafe {
        let position = if stream.is_some() {
            libc::lseek(fd, 0, libc::SEEK_CUR)
        } else {
            0
        };
        let got = libc::read(fd, to, wanted);
        let wanted = passing::size(label, wanted);
        delivered(stream, fd, to, wanted, got, position);
        got
    }
}

/// `__read_chk`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w___read_chk(fd: c_int, to: *mut c_void, wanted: usize) -> isize {
    redirect(
        __labrys_w___read_chk as *const () as usize,
        __labrys_w_read as *const () as usize,
    );
    // SAFETY: as the caller's.
    unsafe { __labrys_w_read(fd, to, wanted) }
}

/// `pread`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_pread(
    fd: c_int,
    to: *mut c_void,
    wanted: usize,
    position: i64,
) -> isize {
    let [_, _, label] = arguments::<3>(__labrys_w_pread as *const () as usize);
    let stream = stream_of(fd);
    // SAFETY: as the caller's.
    unsafe {
        let got = libc::pread(fd, to, wanted, position);
        let wanted = passing::size(label, wanted);
        delivered(stream, fd, to, wanted, got, position);
        got
    }
}

/// `pread64`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_pread64(
    fd: c_int,
    to: *mut c_void,
    wanted: usize,
    position: i64,
) -> isize {
    redirect(
        __labrys_w_pread64 as *const () as usize,
        __labrys_w_pread as *const () as usize,
    );
    // SAFETY: as the caller's.
    unsafe { __labrys_w_pread(fd, to, wanted, position) }
}

/// `__pread_chk`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w___pread_chk(
    fd: c_int,
    to: *mut c_void,
    wanted: usize,
    position: i64,
) -> isize {
    redirect(
        __labrys_w___pread_chk as *const () as usize,
        __labrys_w_pread as *const () as usize,
    );
    // SAFETY: as the caller's.
    unsafe { __labrys_w_pread(fd, to, wanted, position) }
}

/// `readv`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_readv(fd: c_int, parts: *const libc::iovec, count: c_int) -> isize {
    let _ = arguments::<0>(__labrys_w_readv as *const () as usize);
    let stream = stream_of(fd);
    // SAFETY: as the caller's; the call has checked the parts.
    unsafe {
        let position = libc::lseek(fd, 0, libc::SEEK_CUR);
        let got = libc::readv(fd, parts, count);
        let (mut left, mut wanted) = (usize::try_from(got).unwrap_or(0), 0);
        for index in 0..usize::try_from(count).unwrap_or(0) {
            let part = &*parts.add(index);
            let size = part.iov_len.min(left);
            let at = u64::try_from(position).unwrap_or(0) + wanted as u64;
            arrived(stream, fd, part.iov_base, size, at);
            left -= size;
            wanted += part.iov_len;
        }
        if let (Some((id, length)), Ok(got), Ok(at)) =
            (stream, u64::try_from(got), u64::try_from(position))
        {
            let wanted = Operand::concrete(wanted as u64);
            result(request(id, length, at, wanted, got));
        }
        got
    }
}

/// `mmap`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_mmap(
    address: *mut c_void,
    size: usize,
    protection: c_int,
    flags: c_int,
    fd: c_int,
    offset: i64,
) -> *mut c_void {
    let _ = arguments::<0>(__labrys_w_mmap as *const () as usize);
    let stream = if flags & libc::MAP_ANONYMOUS == 0 {
        stream_of(fd)
    } else {
        None
    };
    let (address, flags) = reserved::wanted(address, size, flags);
    // SAFETY: as the caller's; what is reserved holds nothing.
    let map = unsafe { libc::mmap(address, size, protection, flags, fd, offset) };
    if map != libc::MAP_FAILED && offset >= 0 {
        if let Some((id, length)) = stream {
            label_bytes(id, length, fd, offset as u64, map.cast(), size as u64);
        } else if flags & libc::MAP_ANONYMOUS == 0 {
            read_back(fd, c"mmap");
        }
    }
    map
}

/// `mmap64`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_mmap64(
    address: *mut c_void,
    size: usize,
    protection: c_int,
    flags: c_int,
    fd: c_int,
    offset: i64,
) -> *mut c_void {
    // SAFETY: as the caller's.
    unsafe { __labrys_w_mmap(address, size, protection, flags, fd, offset) }
}
