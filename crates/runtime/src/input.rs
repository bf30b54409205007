//! Input streams: which bytes are symbolic, how long a stream is, and the intrinsics.

use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use labrys_abi::{
    Cause, Event, EventKind, ExitKind, Header, Node, Op, RuntimeSite, Stream, StreamKind,
};

use crate::control::{arguments, result};
use crate::event::{self, decision};
use crate::node::{Operand, append, append_input_bytes, binary, choose, constant, predicate};
use crate::shadow;
use crate::sink;
use crate::state::{count, header, state, tracing};

/// What a run has learned about a stream so far.
#[derive(Clone, Copy)]
struct Progress {
    /// Label of byte 0 (0: not yet labelled).
    first: u32,
    /// The stream is known to have at least this many bytes.
    at_least: u64,
    /// Its end has been seen.
    ended: bool,
    /// Where the read that last saw it stopped.
    ended_at: u64,
}

static mut PROGRESS: [Progress; Header::MAX_STREAMS] = [Progress {
    first: 0,
    at_least: 0,
    ended: false,
    ended_at: 0,
}; Header::MAX_STREAMS];

fn progress(stream: u32) -> &'static mut Progress {
    // SAFETY: stream numbers are below the maximum; only the traced thread gets here.
    unsafe { &mut *(&raw mut PROGRESS).cast::<Progress>().add(stream as usize) }
}

/// The streams of this run.
pub(crate) fn streams() -> &'static [Stream] {
    if !state().active {
        return &[];
    }
    let count = (header().stream_count as usize).min(Header::MAX_STREAMS);
    &header().streams[..count]
}

/// Bytes of a stream that lies in the input section.
fn section_bytes(stream: &Stream) -> &'static mut [u8] {
    // SAFETY: the explorer keeps streams inside the input section.
    unsafe {
        let start = state().input.add(stream.offset as usize);
        core::slice::from_raw_parts_mut(start, stream.length as usize)
    }
}

/// The stream that an open file descriptor reads, with its length.
pub(crate) fn stream_of(fd: c_int) -> Option<(u32, u64)> {
    if !tracing() || fd < 0 {
        return None;
    }
    // SAFETY: `stat` is valid for writes; errno is restored.
    unsafe {
        let errno = *libc::__errno_location();
        let mut stat: libc::stat = core::mem::zeroed();
        let failed = libc::fstat(fd, &raw mut stat) != 0;
        *libc::__errno_location() = errno;
        if failed {
            return None;
        }
        stream_with(stat.st_dev, stat.st_ino)
    }
}

/// For library models: does this file descriptor read an input of the run?
#[unsafe(no_mangle)]
extern "C" fn __labrys_is_input(fd: c_int) -> c_int {
    result(0);
    let reads = stream_of(fd).is_some();
    if !reads {
        sink::read_back(fd, c"read");
    }
    c_int::from(reads)
}

/// The stream that is this file, with its length.
pub(crate) fn stream_with(device: u64, inode: u64) -> Option<(u32, u64)> {
    (0..).zip(streams()).find_map(|(id, s)| {
        let file = s.kind == StreamKind::File as u32;
        (file && s.device == device && s.inode == inode).then_some((id, s.length))
    })
}

/// Label of byte 0 of a file stream; labels of its bytes are consecutive.
fn first_label(id: u32, length: u64, fd: c_int) -> u32 {
    let known = progress(id);
    if known.first == 0 && length > 0 {
        // SAFETY: a private mapping of a regular file of that length, gone at the end.
        unsafe {
            let size = length as usize;
            let map = libc::mmap(
                core::ptr::null_mut(),
                size,
                libc::PROT_READ,
                libc::MAP_PRIVATE,
                fd,
                0,
            );
            if map == libc::MAP_FAILED {
                return 0;
            }
            known.first = append_input_bytes(id, core::slice::from_raw_parts(map.cast(), size));
            libc::munmap(map, size);
        }
    }
    known.first
}

/// Labels `got` bytes at `to`, which were read from `position` of a stream.
pub(crate) fn label_bytes(id: u32, length: u64, fd: c_int, position: u64, to: *const u8, got: u64) {
    let end = position.saturating_add(got).min(length);
    if position >= end {
        return;
    }
    let first = first_label(id, length, fd);
    let label = if first == 0 {
        0
    } else {
        first + position as u32
    };
    shadow::set_bytes(to, (end - position) as usize, label);
}

/// Label of the byte at `position`.
pub(crate) fn byte(id: u32, length: u64, fd: c_int, position: u64) -> u32 {
    let first = first_label(id, length, fd);
    if first == 0 || position >= length {
        0
    } else {
        first + position as u32
    }
}

/// Label of a stream's length, 64 bits.
pub(crate) fn length_label(id: u32, length: u64) -> u32 {
    append(Node {
        op: Op::Length as u8,
        width: 64,
        imm: u64::from(id),
        cv: length,
        ..Node::default()
    })
}

/// Records that a read at `position` asked for `wanted` bytes and got `got`; the label of the
/// number of bytes got.
pub(crate) fn request(id: u32, length: u64, position: u64, wanted: u64, got: u64) -> u32 {
    let known = progress(id);
    let Some(end) = position.checked_add(wanted) else {
        return 0;
    };
    let full = got >= wanted;
    let label = length_label(id, length);
    let l = Operand::new(label, length);
    let news = if full {
        end > known.at_least
    } else {
        !known.ended
    };
    if news {
        let end = Operand::concrete(end);
        decision(
            RuntimeSite::InputLength,
            predicate(Op::Ule, 64, end, l, full),
            full,
        );
    }
    if full {
        known.at_least = known.at_least.max(end);
        return 0;
    }
    let again = known.ended && position == known.ended_at;
    (known.ended, known.ended_at) = (true, position + got);
    if again || label == 0 || got != length.saturating_sub(position) {
        return 0;
    }
    rest(l, position, position <= known.at_least)
}

/// Label of the bytes from `position` to the end of a stream of this length; behind the end,
/// wherever that is, there is nothing.
fn rest(length: Operand, position: u64, inside: bool) -> u32 {
    let at = Operand::concrete(position);
    let value = length.value.wrapping_sub(position);
    let rest = binary(Op::Sub, 64, 64, length, at, value);
    if inside {
        return rest;
    }
    let behind = predicate(Op::Ule, 64, length, at, length.value <= position);
    let value = length.value.saturating_sub(position);
    choose(behind, constant(64, 0), rest, value)
}

/// Gives the arguments and environment variables of this run their bytes and labels.
pub(crate) fn place_strings(argc: c_int, argv: *mut *mut c_char, environment: *mut *mut c_char) {
    // SAFETY: as the loader gave them.
    unsafe { crate::unseen::note_arguments(argc, argv) };
    for (id, stream) in (0..).zip(streams()) {
        let argument = stream.kind == StreamKind::Argument as u32;
        if !argument && stream.kind != StreamKind::Environment as u32 {
            continue;
        }
        let bytes = section_bytes(stream);
        // SAFETY: fresh memory, one byte longer than the string, zeroed.
        let copy = unsafe { libc::calloc(bytes.len() + 1, 1).cast::<u8>() };
        if copy.is_null() {
            continue;
        }
        // SAFETY: the copy has room; slots of argv and the environment are writable.
        unsafe {
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), copy, bytes.len());
            let slot = if argument {
                ((stream.index as c_int) < argc).then(|| argv.add(stream.index as usize))
            } else {
                variable(environment, bytes)
            };
            let Some(slot) = slot else { continue };
            *slot = copy.cast();
        }
        let start = if argument {
            0
        } else {
            bytes
                .iter()
                .position(|b| *b == b'=')
                .map_or(bytes.len(), |i| i + 1)
        };
        if tracing() {
            let first = append_input_bytes(id, bytes);
            let label = if first == 0 { 0 } else { first + start as u32 };
            // SAFETY: `start` is at most the length.
            shadow::set_bytes(unsafe { copy.add(start) }, bytes.len() - start, label);
        }
    }
}

/// The slot of the environment that holds the variable of `assignment`.
unsafe fn variable(environment: *mut *mut c_char, assignment: &[u8]) -> Option<*mut *mut c_char> {
    let name = assignment.split_inclusive(|b| *b == b'=').next()?;
    let mut slot = environment;
    // SAFETY: the environment ends with a null pointer; strings end with a zero byte.
    unsafe {
        while !(*slot).is_null() {
            if libc::strncmp(*slot, name.as_ptr().cast(), name.len()) == 0 {
                return Some(slot);
            }
            slot = slot.add(1);
        }
    }
    None
}

/// No object begins behind this byte of the objects stream: an endless loop that asks for one
/// value in each round makes no endless input.
const LAST_OBJECT: usize = 32 << 10;

/// A run ends when so many more objects than the stream has room for were asked for: it does so in
/// an endless loop.
const MOST_REFUSED: u32 = 1 << 20;

/// Objects that found no room in the stream. From the first of them on all are zeros that no input
/// changes.
static REFUSED: AtomicU32 = AtomicU32::new(0);

/// Has an object of `size` bytes room behind `used` bytes of the stream?
fn has_room(used: usize, size: usize) -> bool {
    let most = header().input.capacity as usize / 2;
    let fits = used < LAST_OBJECT && used.saturating_add(size) <= most;
    if fits && REFUSED.load(Relaxed) == 0 {
        return true;
    }
    count(Cause::TableFull);
    if REFUSED.fetch_add(1, Relaxed) == MOST_REFUSED {
        end(ExitKind::Endless);
    }
    false
}

/// Ends the run, which is no failure.
fn end(kind: ExitKind) -> ! {
    if state().active {
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
    if !state().active {
        return;
    }
    let used = header().objects_used.load(Relaxed) as usize;
    if !has_room(used, size) {
        if state().symbolic {
            shadow::__labrys_slow_fill(to, 0, size as u64, 0);
        }
        return;
    }
    header().objects_used.store((used + size) as u32, Relaxed);
    let objects = (0u32..)
        .zip(streams())
        .find(|(_, s)| s.kind == StreamKind::Objects as u32);
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
        shadow::set_bytes(unsafe { to.add(i) }, 1, label);
    }
    let text = event::data(name).unwrap_or(0);
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
            label: crate::node::not(equal),
            direction: u32::from(condition != 0),
            ..Event::default()
        });
    }
    if condition == 0 {
        end(ExitKind::AssumptionFailed);
    }
}

/// `labrys_target(name)`: the run has reached a target.
#[unsafe(no_mangle)]
extern "C" fn labrys_target(name: *const c_char) {
    let _ = arguments::<0>(labrys_target as *const () as usize);
    if !state().active {
        return;
    }
    let bytes = c_bytes(name);
    if let Some(offset) = event::data(bytes) {
        event::append_always(Event {
            kind: EventKind::Target as u8,
            a: u64::from(offset),
            b: bytes.len() as u64,
            ..Event::default()
        });
    }
}
