//! Reading wide characters. Those of one byte keep their labels, which is all of them in the C
//! locale; the others are concrete.

use core::ffi::c_int;

use labrys_abi::{Op, RuntimeSite};

use crate::models::position::{position_of, standard_input};
use crate::record::event::decision;
use crate::record::node::{Operand, node, predicate, unary};
use crate::record::passing::{arguments, result};

unsafe extern "C" {
    fn fgetwc(f: *mut libc::FILE) -> u32;
    fn feof(f: *mut libc::FILE) -> c_int;
}

/// `WEOF`.
const END: u32 = u32::MAX;

unsafe fn get(f: *mut libc::FILE) -> u32 {
    // SAFETY: the caller's FILE.
    let (place, c) = unsafe { (position_of(f), fgetwc(f)) };
    if let Some(p) = place {
        // SAFETY: as above. Bytes that are no character end nothing.
        let ended = c == END && unsafe { feof(f) } != 0;
        let _ = p.request(0, 1, u64::from(!ended));
        // Whether it is a character of one byte is decided before what it is.
        let next = p.next();
        if next != 0 {
            let (byte, limit) = (Operand::new(next, node(next).cv), Operand::concrete(0x80));
            let single = byte.value < 0x80;
            let below = predicate(Op::Ult, 8, byte, limit, single);
            decision(RuntimeSite::Library, below, single);
        }
        if c < 0x80 {
            let label = p.byte(0, c as u8);
            result(unary(Op::ZExt, 32, 0, label, u64::from(c)));
        }
    } else {
        // SAFETY: as above.
        unsafe { crate::models::sink::read_back_file(f, c"fgetwc") };
    }
    c
}

/// `fgetwc`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_fgetwc(f: *mut libc::FILE) -> u32 {
    let _ = arguments::<0>(__labrys_w_fgetwc as *const () as usize);
    // SAFETY: as the caller's.
    unsafe { get(f) }
}

/// `getwc`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_getwc(f: *mut libc::FILE) -> u32 {
    let _ = arguments::<0>(__labrys_w_getwc as *const () as usize);
    // SAFETY: as the caller's.
    unsafe { get(f) }
}

/// `getwchar`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_getwchar() -> u32 {
    let _ = arguments::<0>(__labrys_w_getwchar as *const () as usize);
    // SAFETY: the library's own FILE.
    unsafe { get(standard_input()) }
}
