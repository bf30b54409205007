//! The parts of harnesses of all kinds: objects with a type, checks, failures, and the
//! loop of a fuzz target.
//!
//! Functions of KLEE, Test-Comp, CREST and CBMC are plain C over these (`c/foreign.c` of the front
//! end).

use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use labrys_abi::{
    Cause, Event, EventKind, ExitKind, MAX_OBJECTS, Mode, Node, Op, RuntimeSite, Stream, StreamKind,
};

use crate::memory::access::__labrys_slow_fill;
use crate::memory::shadow::set_bytes;
use crate::models::stream::{
    label_bytes, length_label, request, section_bytes, stream_of, streams,
};
use crate::process::repeat::written;
use crate::record::event;
use crate::record::event::decision;
use crate::record::node::{Operand, append, not, predicate};
use crate::record::passing::{arguments, pass};
use crate::record::region::{count, header, is_active, is_symbolic};
use crate::record::tracing::tracing;

/// A run that requests so many more objects than the stream has room for is in an endless loop, and
/// ends.
const MOST_REFUSED: u32 = 1 << 20;

/// Objects that found no room in the stream. From the first of them on all are zeros that no input
/// changes.
static REFUSED: AtomicU32 = AtomicU32::new(0);

/// Has an object of `size` bytes room behind `used` bytes of the stream? A run whose input has an
/// end ends there, by a decision: a longer input goes on.
fn has_room(used: usize, size: usize) -> bool {
    let end = header().objects_end;
    let needed = used.saturating_add(size);
    if end != 0 && size > 0 && used as u64 >= end {
        if let Some((id, _)) = objects().filter(|_| tracing()) {
            let size = Operand::concrete(size as u64);
            request(id, used as u64, used as u64, size, 0);
        }
        end_run(ExitKind::InputEnded);
    }
    let fits = needed <= MAX_OBJECTS as usize;
    if fits && REFUSED.load(Relaxed) == 0 {
        return true;
    }
    count(Cause::TableFull);
    if REFUSED.fetch_add(1, Relaxed) == MOST_REFUSED {
        end_run(ExitKind::Endless);
    }
    false
}

/// The stream of input objects.
fn objects() -> Option<(u32, &'static Stream)> {
    let mut streams = (0u32..).zip(streams());
    streams.find(|(_, s)| s.kind == StreamKind::Objects as u32)
}

/// Ends the run, which is no failure.
fn end_run(kind: ExitKind) -> ! {
    if is_active() {
        header().exit_kind.store(kind as u32, Relaxed);
    }
    // SAFETY: ends the process without running the program's handlers.
    unsafe { libc::_exit(0) }
}

/// Gives `size` bytes at `to` the next bytes of the objects stream.
pub(crate) fn create_object(to: *mut u8, size: usize, name: &[u8], kind: u8) {
    // SAFETY: the caller's object has `size` bytes.
    let object = unsafe { core::slice::from_raw_parts_mut(to, size) };
    object.fill(0);
    written(to, size);
    if !is_active() {
        return;
    }
    let used = header().objects_used.load(Relaxed) as usize;
    if !has_room(used, size) {
        if is_symbolic() {
            __labrys_slow_fill(to, 0, size as u64, 0);
        }
        return;
    }
    header().objects_used.store((used + size) as u32, Relaxed);
    let objects = objects();
    let available = objects.map_or(&[][..], |(_, s)| section_bytes(s));
    let rest = available.get(used..).unwrap_or(&[]);
    let given = rest.len().min(size);
    object[..given].copy_from_slice(&rest[..given]);
    let Some((id, _)) = objects.filter(|_| tracing()) else {
        return;
    };
    for (i, byte) in object.iter().enumerate() {
        let label = append(Node {
            op: Op::Input as u8,
            width: 8,
            imm: u64::from(id) << 32 | (used + i) as u64,
            cv: u64::from(*byte),
            ..Node::default()
        });
        // SAFETY: inside the object.
        set_bytes(unsafe { to.add(i) }, 1, label);
    }
    let text = event::copy_to_data(name).unwrap_or(0);
    event::append(Event {
        kind: EventKind::Input as u8,
        aux: kind,
        site: name.len() as u32,
        label: text,
        a: used as u64,
        b: size as u64,
        ..Event::default()
    });
}

/// Bytes of a C string, empty for a null pointer.
pub(crate) fn c_bytes(text: *const c_char) -> &'static [u8] {
    if text.is_null() {
        return &[];
    }
    // SAFETY: the caller passes a string.
    unsafe { core::ffi::CStr::from_ptr(text).to_bytes() }
}

/// `labrys_symbolic(object, size, name)`.
#[unsafe(no_mangle)]
extern "C" fn labrys_symbolic(to: *mut c_void, size: usize, name: *const c_char) {
    let _ = arguments::<0>(labrys_symbolic as *const () as usize);
    create_object(to.cast(), size, c_bytes(name), 0);
}

/// `labrys_assume(condition)`: ends the run if it does not hold.
#[unsafe(no_mangle)]
extern "C" fn labrys_assume(condition: c_int) {
    let [label] = arguments::<1>(labrys_assume as *const () as usize);
    if label != 0 && tracing() {
        let zero = Operand::concrete(0);
        let value = Operand::new(label, condition as u32 as u64);
        let equal = predicate(Op::Eq, 32, value, zero, condition == 0);
        event::append(Event {
            kind: EventKind::Assume as u8,
            label: not(equal),
            direction: u32::from(condition != 0),
            ..Event::default()
        });
    }
    if condition == 0 {
        end_run(ExitKind::AssumptionFailed);
    }
}

/// `labrys_target(name)`: the run has reached a target.
#[unsafe(no_mangle)]
extern "C" fn labrys_target(name: *const c_char) {
    let _ = arguments::<0>(labrys_target as *const () as usize);
    if !is_active() {
        return;
    }
    let bytes = c_bytes(name);
    if let Some(offset) = event::copy_to_data(bytes) {
        event::append_always(Event {
            kind: EventKind::Target as u8,
            a: u64::from(offset),
            b: bytes.len() as u64,
            ..Event::default()
        });
    }
}

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

/// Bytes of the stack that change, below this function.
const STACK: usize = 16 * 1024;
/// What they hold then, and what fresh blocks hold.
const OTHER: u8 = 0xA5;

/// What the call to come finds where nobody wrote: where memory is elsewhere ([`Mode::ELSEWHERE`])
/// something else, on the stack and in fresh blocks of the heap.
#[unsafe(no_mangle)]
extern "C" fn __labrys_unwritten() {
    let _ = arguments::<0>(__labrys_unwritten as *const () as usize);
    if is_active() && Mode::is_elsewhere(header().mode) {
        change_unwritten();
    }
}

#[inline(never)]
fn change_unwritten() {
    // SAFETY: sets what fresh blocks hold.
    unsafe { libc::mallopt(libc::M_PERTURB, c_int::from(OTHER)) };
    let mut below = [0_u8; STACK];
    for byte in &mut below {
        // SAFETY: a variable of this function.
        unsafe { core::ptr::from_mut(byte).write_volatile(OTHER) };
    }
}

/// What a call of a driver left at a place. The memory may have been freed, so it is copied without
/// a function that a sanitizer watches.
#[unsafe(no_mangle)]
extern "C" fn __labrys_observe(place: c_int, address: *const u8, size: usize) {
    let _ = arguments::<0>(__labrys_observe as *const () as usize);
    if !is_active() {
        return;
    }
    // SAFETY: the driver's object has `size` bytes.
    let read = |index| unsafe { address.add(index).read_volatile() };
    let bytes: Vec<u8> = (0..size).map(read).collect();
    if let Some(offset) = event::copy_to_data(&bytes) {
        event::append_always(Event {
            kind: EventKind::Result as u8,
            site: place as u32,
            a: u64::from(offset),
            b: size as u64,
            ..Event::default()
        });
    }
}

/// What a call lost is reported before its caller returns, under AddressSanitizer if that looks for
/// it; nothing elsewhere.
#[unsafe(no_mangle)]
extern "C" fn __labrys_leaks() {
    let _ = arguments::<0>(__labrys_leaks as *const () as usize);
    let address: usize;
    // SAFETY: reads the address of a function; 0 where nobody defines it.
    unsafe {
        core::arch::asm!(
            ".weak __lsan_do_leak_check",
            "mov {}, qword ptr [rip + __lsan_do_leak_check@GOTPCREL]",
            out(reg) address,
            options(pure, readonly, nostack, preserves_flags)
        );
    }
    // SAFETY: the function has no parameters and no result, and null is none.
    let check = unsafe { core::mem::transmute::<usize, Option<extern "C" fn()>>(address) };
    if let Some(check) = check {
        check();
    }
}

/// The program found a failure of its own.
#[unsafe(no_mangle)]
extern "C" fn __labrys_failure(text: *const c_char) {
    let _ = arguments::<0>(__labrys_failure as *const () as usize);
    let bytes = c_bytes(text);
    if is_active() {
        let offset = event::copy_to_data(bytes).unwrap_or(0);
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
        if argc < 2 || is_active() {
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
        pass(__labrys_w_malloc as *const () as usize, &[length]);
        let data = __labrys_w_malloc(size).cast::<u8>();
        if data.is_null() && size > 0 {
            return 1;
        }
        core::ptr::copy_nonoverlapping(bytes, data, size);
        libc::free(bytes.cast());
        if let Some((id, bytes)) = stream {
            label_bytes(id, bytes, fd, 0, data, bytes);
            pass(target as usize, &[0, length]);
        }
        target(data, size);
        __labrys_w_free(data.cast());
    }
    0
}
