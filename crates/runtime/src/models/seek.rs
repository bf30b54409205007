//! Positions in input streams: the end of a stream is its length, which is symbolic.

use core::cell::Cell;
use core::ffi::c_int;

use labrys_abi::{Cause, Op};

use crate::models::position::position_of;
use crate::models::stream::{length_label, stream_of};
use crate::record::cell::SingleWriter;
use crate::record::event::concretized;
use crate::record::node::{Operand, binary};
use crate::record::passing::{arguments, result};

/// Label of a position that was found from the end of a stream.
fn from_end(id: u32, length: u64, position: u64) -> u32 {
    let end = Operand::new(length_label(id, length), length);
    let back = Operand::concrete(position.wrapping_sub(length));
    if back.value == 0 {
        end.label
    } else {
        binary(Op::Add, 64, 64, end, back, position)
    }
}

/// `lseek`: a position relative to the end is an expression over the length.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_lseek(fd: c_int, offset: i64, whence: c_int) -> i64 {
    let [_, label] = arguments::<2>(__labrys_w_lseek as *const () as usize);
    concretized(Cause::LibraryArgument, label, offset as u64);
    // SAFETY: as the caller's.
    let position = unsafe { libc::lseek(fd, offset, whence) };
    if whence == libc::SEEK_END {
        if let (Some((id, length)), Ok(position)) = (stream_of(fd), u64::try_from(position)) {
            result(from_end(id, length, position));
        }
    }
    position
}

/// `lseek64`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_lseek64(fd: c_int, offset: i64, whence: c_int) -> i64 {
    // SAFETY: as the caller's.
    unsafe { __labrys_w_lseek(fd, offset, whence) }
}

/// The last `FILE` that was moved relative to its end, and where to.
static FROM_END: SingleWriter<Cell<(usize, u64)>> = SingleWriter::new(Cell::new((0, 0)));

macro_rules! seekers {
    ($($name:ident),*) => {$(
        /// The function of the C library.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(f: *mut libc::FILE, offset: i64, whence: c_int) -> c_int {
            let [_, label] = arguments::<2>($name as *const () as usize);
            concretized(Cause::LibraryArgument, label, offset as u64);
            // SAFETY: as the caller's.
            unsafe {
                let failed = libc::fseeko(f, offset, whence);
                if let Some(p) = position_of(f) {
                    FROM_END.set(if failed == 0 && whence == libc::SEEK_END {
                        (f as usize, p.position)
                    } else {
                        (0, 0)
                    });
                }
                failed
            }
        }
    )*};
}

seekers!(__labrys_w_fseek, __labrys_w_fseeko, __labrys_w_fseeko64);

macro_rules! tellers {
    ($($name:ident),*) => {$(
        /// The function of the C library.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(f: *mut libc::FILE) -> i64 {
            let _ = arguments::<0>($name as *const () as usize);
            // SAFETY: as the caller's.
            unsafe {
                let position = libc::ftello(f);
                let moved = FROM_END.get() == (f as usize, position as u64);
                if let Some(p) = position_of(f).filter(|p| moved || p.position == p.length) {
                    result(from_end(p.id, p.length, p.position));
                }
                position
            }
        }
    )*};
}

tellers!(__labrys_w_ftell, __labrys_w_ftello, __labrys_w_ftello64);
