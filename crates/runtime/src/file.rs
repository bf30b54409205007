//! Reading input through file descriptors and mappings.

use core::ffi::{c_int, c_void};

use crate::control::{arguments, result};
use crate::input::{label_bytes, request, stream_of};
use crate::shadow::{__labrys_slow_fill, is_concrete};
use crate::state::state;

/// Labels what a read call delivered; `position` is where it read.
unsafe fn delivered(
    stream: Option<(u32, u64)>,
    fd: c_int,
    to: *mut c_void,
    wanted: usize,
    got: isize,
    position: i64,
) {
    let Ok(size) = usize::try_from(got) else {
        return;
    };
    match stream {
        Some((id, length)) if position >= 0 => {
            let position = position as u64;
            label_bytes(id, length, fd, position, to.cast(), got as u64);
            result(request(id, length, position, wanted as u64, got as u64));
        }
        _ if state().symbolic && !is_concrete(to.cast(), size) => {
            __labrys_slow_fill(to.cast(), 0, size as u64, 0);
        }
        _ => {}
    }
}

/// `read`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_read(fd: c_int, to: *mut c_void, wanted: usize) -> isize {
    let _ = arguments::<0>(__labrys_w_read as *const () as usize);
    let stream = stream_of(fd);
    // SAFETY: as the caller's.
    unsafe {
        let position = if stream.is_some() {
            libc::lseek(fd, 0, libc::SEEK_CUR)
        } else {
            0
        };
        let got = libc::read(fd, to, wanted);
        delivered(stream, fd, to, wanted, got, position);
        got
    }
}

/// `__read_chk`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w___read_chk(fd: c_int, to: *mut c_void, wanted: usize) -> isize {
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
    let _ = arguments::<0>(__labrys_w_pread as *const () as usize);
    let stream = stream_of(fd);
    // SAFETY: as the caller's.
    unsafe {
        let got = libc::pread(fd, to, wanted, position);
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
    // SAFETY: as the caller's.
    unsafe { __labrys_w_pread(fd, to, wanted, position) }
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
    // SAFETY: as the caller's.
    let map = unsafe { libc::mmap(address, size, protection, flags, fd, offset) };
    if map != libc::MAP_FAILED && offset >= 0 {
        if let Some((id, length)) = stream {
            label_bytes(id, length, fd, offset as u64, map.cast(), size as u64);
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
