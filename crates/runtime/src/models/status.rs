//! Facts of the system about a file: the size of an input is its length.

use core::ffi::{c_char, c_int};

use crate::memory::access::__labrys_slow_fill;
use crate::memory::shadow::set;
use crate::models::stream::{length_label, stream_with};
use crate::models::unseen::given_path;
use crate::record::passing::arguments;
use crate::record::region::is_symbolic;
use crate::record::tracing::tracing;

/// Labels the size in a structure that the library has just filled.
unsafe fn describe(failed: c_int, to: *const libc::stat) -> c_int {
    if failed == 0 && is_symbolic() {
        __labrys_slow_fill(to.cast(), 0, size_of::<libc::stat>() as u64, 0);
        // SAFETY: filled by the library.
        let (device, inode) = unsafe { ((*to).st_dev, (*to).st_ino) };
        if let Some((id, length)) = stream_with(device, inode).filter(|_| tracing()) {
            // SAFETY: a field of the structure.
            let size = unsafe { (&raw const (*to).st_size).cast() };
            set(size, 8, length_label(id, length));
        }
    }
    failed
}

macro_rules! by_descriptor {
    ($($name:ident),*) => {$(
        /// The function of the C library.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(fd: c_int, to: *mut libc::stat) -> c_int {
            let _ = arguments::<0>($name as *const () as usize);
            // SAFETY: as the caller's.
            unsafe { describe(libc::fstat(fd, to), to) }
        }
    )*};
}

by_descriptor!(__labrys_w_fstat, __labrys_w_fstat64);

macro_rules! by_name {
    ($($name:ident $function:ident),*) => {$(
        /// The function of the C library.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char, to: *mut libc::stat) -> c_int {
            let _ = arguments::<0>($name as *const () as usize);
            // SAFETY: as the caller's.
            unsafe {
                given_path(c"stat", path);
                describe(libc::$function(path, to), to)
            }
        }
    )*};
}

by_name!(
    __labrys_w_stat stat,
    __labrys_w_stat64 stat,
    __labrys_w_lstat lstat,
    __labrys_w_lstat64 lstat
);

macro_rules! by_folder {
    ($($name:ident),*) => {$(
        /// The function of the C library.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            folder: c_int,
            path: *const c_char,
            to: *mut libc::stat,
            flags: c_int,
        ) -> c_int {
            let _ = arguments::<0>($name as *const () as usize);
            // SAFETY: as the caller's.
            unsafe {
                given_path(c"fstatat", path);
                describe(libc::fstatat(folder, path, to, flags), to)
            }
        }
    )*};
}

by_folder!(__labrys_w_fstatat, __labrys_w_fstatat64);
