//! What harnesses of all flavours are made of: objects with a type, checks, failures, and the
//! loop of a fuzz target.
//!
//! `labrys_symbolic`, `labrys_assume` and `labrys_target` are in `input`; functions of KLEE,
//! Test-Comp, CREST and CBMC are plain C over these (`c/foreign.c` of the front end).

use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::Ordering::Relaxed;

use labrys_abi::{Event, EventKind, ExitKind, Op, RuntimeSite};

use crate::control::arguments;
use crate::event::{self, decision};
use crate::input::{c_bytes, create_object, label_bytes, length_label, stream_of};
use crate::node::{Operand, not, predicate};
use crate::state::{header, state, thread, tracing};

unsafe extern "C" {
    #[link_name = "stderr"]
    static STDERR: *mut libc::FILE;
    // Of `heap`: blocks that the search knows.
    fn __labrys_w_malloc(size: usize) -> *mut c_void;
    fn __labrys_w_free(block: *mut c_void);
}

/// `labrys_symbolic` with the number of a type, see [`Event::aux`].
#[unsafe(no_mangle)]
extern "C" fn __labrys_object(to: *mut c_void, size: usize, name: *const c_char, kind: c_int) {
    let _ = arguments::<0>(__labrys_object as *const () as usize);
    create_object(to.cast(), size, c_bytes(name), kind as u8);
}

/// A new object for a driver of `labrys reach`, which is never null.
#[unsafe(no_mangle)]
extern "C" fn __labrys_new(size: usize) -> *mut c_void {
    let _ = arguments::<0>(__labrys_new as *const () as usize);
    // SAFETY: the block is the caller's.
    let object = unsafe { __labrys_w_malloc(size) };
    if object.is_null() {
        // SAFETY: ends the process.
        unsafe { libc::abort() }
    }
    object
}

/// The program found a failure of its own.
#[unsafe(no_mangle)]
extern "C" fn __labrys_failure(text: *const c_char) {
    let _ = arguments::<0>(__labrys_failure as *const () as usize);
    let bytes = c_bytes(text);
    if state().active {
        let offset = event::data(bytes).unwrap_or(0);
        event::append_always(Event {
            kind: EventKind::Failure as u8,
            a: u64::from(offset),
            b: bytes.len() as u64,
            ..Event::default()
        });
        header().exit_kind.store(ExitKind::Failure as u32, Relaxed);
    } else {
        // SAFETY: a format and its string; a null text prints as nothing.
        unsafe {
            libc::fprintf(
                STDERR,
                c"failure: %.*s\n".as_ptr(),
                bytes.len() as c_int,
                bytes.as_ptr(),
            )
        };
    }
    // SAFETY: ends the process.
    unsafe { libc::abort() }
}

/// An assertion: a decision that the search can flip, and a failure if it does not hold.
#[unsafe(no_mangle)]
extern "C" fn __labrys_check(condition: c_int, text: *const c_char) {
    let [label] = arguments::<1>(__labrys_check as *const () as usize);
    let holds = condition != 0;
    if label != 0 && tracing() {
        let value = Operand::new(label, u64::from(condition as u32));
        let equal = predicate(Op::Eq, 32, value, Operand::concrete(0), !holds);
        decision(RuntimeSite::Library, not(equal), holds);
    }
    if !holds {
        __labrys_failure(text);
    }
}

/// A fuzz target of libFuzzer.
type FuzzTarget = unsafe extern "C" fn(*const u8, usize) -> c_int;
/// Its optional start-up function.
type Initialize = unsafe extern "C" fn(*mut c_int, *mut *mut *mut c_char) -> c_int;

/// The `main` of a fuzz target: calls it with standard input, or, when it is run by hand with
/// arguments, with each file that they name.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_fuzz(
    mut argc: c_int,
    mut argv: *mut *mut c_char,
    target: FuzzTarget,
    initialize: Option<Initialize>,
) -> c_int {
    let _ = arguments::<0>(__labrys_fuzz as *const () as usize);
    // SAFETY: argv has argc strings; descriptors are opened here.
    unsafe {
        if let Some(initialize) = initialize {
            initialize(&raw mut argc, &raw mut argv);
        }
        if argc < 2 || state().active {
            return feed(0, target);
        }
        for index in 1..argc {
            let path = *argv.add(index as usize);
            let fd = libc::open(path, libc::O_RDONLY);
            if fd < 0 || feed(fd, target) != 0 {
                libc::perror(path);
                return 1;
            }
            libc::close(fd);
        }
    }
    0
}

/// Calls a fuzz target with all that a descriptor gives, in memory of just that size.
unsafe fn feed(fd: c_int, target: FuzzTarget) -> c_int {
    const PIECE: usize = 1 << 16;
    let (mut bytes, mut size) = (core::ptr::null_mut::<u8>(), 0);
    let mut room = 0;
    // SAFETY: the buffer has `room` bytes, of which `size` are read.
    unsafe {
        loop {
            if room - size < PIECE {
                room += PIECE.max(room);
                bytes = libc::realloc(bytes.cast(), room).cast();
                if bytes.is_null() {
                    return 1;
                }
            }
            match libc::read(fd, bytes.add(size).cast(), room - size) {
                0 => break,
                got if got < 0 => return 1,
                got => size += got as usize,
            }
        }
        let stream = stream_of(fd);
        let length = stream.map_or(0, |(id, length)| length_label(id, length));
        let thread = thread();
        thread.tag = __labrys_w_malloc as *const () as u64;
        thread.args[0] = length;
        let data = __labrys_w_malloc(size).cast::<u8>();
        if data.is_null() && size > 0 {
            return 1;
        }
        core::ptr::copy_nonoverlapping(bytes, data, size);
        libc::free(bytes.cast());
        if let Some((id, bytes)) = stream {
            label_bytes(id, bytes, fd, 0, data, bytes);
            thread.tag = target as usize as u64;
            thread.args[0] = 0;
            thread.args[1] = length;
        }
        target(data, size);
        __labrys_w_free(data.cast());
    }
    0
}
