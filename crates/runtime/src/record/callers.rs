//! Where the program is: a number for the innermost calls.
//!
//! The same calls have the same number in every run, since address randomization is off.

use core::ffi::{c_int, c_void};

/// Calls that make a place.
const FRAMES: u32 = 6;

/// The hash of the calls so far.
#[repr(C)]
struct Frames {
    hash: u32,
    left: u32,
}

unsafe extern "C" {
    // Of the compiler's library.
    fn _Unwind_Backtrace(
        visit: unsafe extern "C" fn(*mut c_void, *mut Frames) -> c_int,
        frames: *mut Frames,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

/// A number for the innermost calls that run now, not 0.
pub(crate) fn place() -> u32 {
    let mut frames = Frames {
        hash: 0,
        left: FRAMES,
    };
    // SAFETY: the visitor gets what is handed over here.
    unsafe { _Unwind_Backtrace(visit, &raw mut frames) };
    frames.hash | 1
}

/// Adds one call.
unsafe extern "C" fn visit(context: *mut c_void, frames: *mut Frames) -> c_int {
    const GO_ON: c_int = 0;
    const STOP: c_int = 4;
    // SAFETY: called by the unwinder during `place`.
    unsafe {
        let frames = &mut *frames;
        let address = _Unwind_GetIP(context) as u32;
        frames.hash = (frames.hash.rotate_left(5) ^ address).wrapping_mul(0x9e37_79b1);
        frames.left -= 1;
        if frames.left == 0 { STOP } else { GO_ON }
    }
}
