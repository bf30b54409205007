//! Stacks that suffice for instrumented functions.
//!
//! A frame of an instrumented function holds labels beside values, so a recursion that just fits
//! into the stack of the plain program would not fit here. The stacks are larger by that much: a
//! program that overflows its own overflows this one too, if it goes on.

use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use core::ptr::null_mut;

use labrys_abi::Cause;

use crate::memory::shadow::has_shadow;
use crate::models::unseen::unseen;
use crate::record::passing::arguments;

/// By how much frames of instrumented functions are larger, at most.
const FACTOR: usize = 4;

/// What the runtime itself takes of a stack.
const OWN: usize = 128 << 10;

/// The kernel leaves so much room below the main stack, whatever its limit is.
const ROOM: u64 = 96 << 20;

/// Raises the limit of the main stack, which counts when the stack grows. Before the program's code
/// runs.
pub(crate) unsafe fn raise_limit() {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: a limit of the process; nothing else runs.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) == 0 && limit.rlim_cur < ROOM {
            let wanted = limit.rlim_cur.saturating_mul(FACTOR as u64).min(ROOM);
            limit.rlim_cur = wanted.min(limit.rlim_max);
            libc::setrlimit(libc::RLIMIT_STACK, &raw const limit);
        }
    }
}

type Attributes = libc::pthread_attr_t;

unsafe extern "C" {
    fn pthread_getattr_default_np(to: *mut Attributes) -> c_int;
}

/// `pthread_create`: a thread of the program, which runs without labels.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_pthread_create(
    to: *mut libc::pthread_t,
    attributes: *const Attributes,
    start: extern "C" fn(*mut c_void) -> *mut c_void,
    passed: *mut c_void,
) -> c_int {
    let _ = arguments::<0>(__labrys_w_pthread_create as *const () as usize);
    unseen(Cause::External, c"pthread_create");
    let mut larger = MaybeUninit::<Attributes>::uninit();
    // SAFETY: as the caller's; the attributes are initialized if they are used.
    unsafe {
        let enlarged = has_shadow() && enlarge(attributes, larger.as_mut_ptr());
        let used = if enlarged {
            larger.as_ptr()
        } else {
            attributes
        };
        let result = libc::pthread_create(to, used, start, passed);
        if enlarged && attributes.is_null() {
            libc::pthread_attr_destroy(larger.as_mut_ptr());
        }
        result
    }
}

/// Copies attributes, with a larger stack. Not those of a thread whose stack the program made: it
/// may look for the thread there.
unsafe fn enlarge(attributes: *const Attributes, copy: *mut Attributes) -> bool {
    // SAFETY: valid attributes, of which a copy holds the same pointers.
    unsafe {
        if attributes.is_null() {
            if pthread_getattr_default_np(copy) != 0 {
                return false;
            }
        } else {
            copy.copy_from_nonoverlapping(attributes, 1);
            let (mut address, mut size) = (null_mut(), 0);
            libc::pthread_attr_getstack(copy, &raw mut address, &raw mut size);
            // The end of no stack is 0.
            if (address as usize).wrapping_add(size) != 0 {
                return false;
            }
        }
        let mut size = 0;
        let known = libc::pthread_attr_getstacksize(copy, &raw mut size) == 0;
        let size = size.saturating_mul(FACTOR).saturating_add(OWN);
        known && libc::pthread_attr_setstacksize(copy, size) == 0
    }
}
