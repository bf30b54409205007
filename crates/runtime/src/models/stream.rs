//! Input streams: which bytes are symbolic, and how long a stream is.

use core::cell::Cell;
use core::ffi::c_int;

use labrys_abi::{Cause, Header, Node, Op, RuntimeSite, Stream, StreamKind};

use crate::memory::object::find;
use crate::memory::shadow::{load_byte, set_bytes};
use crate::record::cell::SingleWriter;
use crate::record::event::{concretized, decision};
use crate::record::node::{
    Operand, append, append_input_bytes, binary, choose, constant, predicate, reify,
};
use crate::record::region::{header, input, is_active};
use crate::record::tracing::tracing;

/// What a run has learned about a stream so far.
struct Progress {
    /// Label of byte 0 (0: not yet labelled).
    first: Cell<u32>,
    /// The stream is known to have at least this many bytes.
    at_least: Cell<u64>,
    /// Its end has been seen.
    ended: Cell<bool>,
    /// Where the read that last saw it stopped.
    ended_at: Cell<u64>,
}

static PROGRESS: SingleWriter<[Progress; Header::MAX_STREAMS]> = SingleWriter::new(
    [const {
        Progress {
            first: Cell::new(0),
            at_least: Cell::new(0),
            ended: Cell::new(false),
            ended_at: Cell::new(0),
        }
    }; Header::MAX_STREAMS],
);

/// The streams of this run.
pub(crate) fn streams() -> &'static [Stream] {
    if !is_active() {
        return &[];
    }
    let count = (header().stream_count as usize).min(Header::MAX_STREAMS);
    &header().streams[..count]
}

/// Bytes of a stream that lies in the input section.
pub(crate) fn section_bytes(stream: &Stream) -> &'static [u8] {
    // SAFETY: the explorer keeps streams inside the input section.
    unsafe {
        let start = input().add(stream.offset as usize);
        core::slice::from_raw_parts(start, stream.length as usize)
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

/// The stream that is this file, with its length.
pub(crate) fn stream_with(device: u64, inode: u64) -> Option<(u32, u64)> {
    (0..).zip(streams()).find_map(|(id, s)| {
        let file = s.kind == StreamKind::File as u32;
        (file && s.device == device && s.inode == inode).then_some((id, s.length))
    })
}

/// Label of byte 0 of a file stream; labels of its bytes are consecutive.
fn first_label(id: u32, length: u64, fd: c_int) -> u32 {
    let known = &PROGRESS[id as usize];
    if known.first.get() == 0 && length > 0 {
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
            let bytes = core::slice::from_raw_parts(map.cast(), size);
            known.first.set(append_input_bytes(id, bytes));
            libc::munmap(map, size);
        }
    }
    known.first.get()
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
    set_bytes(to, (end - position) as usize, label);
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
/// number of bytes got. How many were wanted is fixed: so many lie behind the position now.
pub(crate) fn request(id: u32, length: u64, position: u64, wanted: Operand, got: u64) -> u32 {
    let known = &PROGRESS[id as usize];
    let Some(end) = position.checked_add(wanted.value) else {
        return 0;
    };
    let full = got >= wanted.value;
    let label = length_label(id, length);
    let l = Operand::new(label, length);
    let news = if full {
        end > known.at_least.get()
    } else {
        !known.ended.get()
    };
    if news || wanted.label != 0 {
        let start = Operand::concrete(position);
        let end = Operand::new(binary(Op::Add, 64, 64, wanted, start, end), end);
        decision(
            RuntimeSite::InputLength,
            predicate(Op::Ule, 64, end, l, full),
            full,
        );
    }
    concretized(Cause::LibraryArgument, wanted.label, wanted.value);
    if full {
        known.at_least.set(known.at_least.get().max(end));
        return wanted.label;
    }
    let again = known.ended.get() && position == known.ended_at.get();
    known.ended.set(true);
    known.ended_at.set(position + got);
    if again || label == 0 || got != length.saturating_sub(position) {
        return 0;
    }
    rest(l, position, position <= known.at_least.get())
}

/// Bytes behind the end of a stream that are known to be other ones if it is longer.
const BEHIND_END: u64 = 32;

/// Labels what a read up to the end of a stream left as it was, from `to` on: of the `left` bytes
/// that it asked for in vain, a longer stream has the next from `end` on. Before [`request`].
pub(crate) fn label_behind(id: u32, length: u64, end: u64, to: *const u8, left: u64) {
    if end != length || left == 0 || PROGRESS[id as usize].ended.get() {
        return;
    }
    let known = Operand::new(length_label(id, length), length);
    for (offset, at) in (end..).zip(0..left.min(room(to)).min(BEHIND_END)) {
        let byte = to.wrapping_add(at as usize);
        // SAFETY: inside an object.
        let old = u64::from(unsafe { *byte });
        let stays = predicate(Op::Ule, 64, known, Operand::concrete(offset), true);
        let kept = reify(Operand::new(load_byte(byte), old), 8);
        let new = append(Node {
            op: Op::Input as u8,
            width: 8,
            imm: u64::from(id) << 32 | offset,
            ..Node::default()
        });
        set_bytes(byte, 1, choose(stays, kept, new, old));
    }
}

/// Bytes from an address to the end of the known object that it points into.
fn room(to: *const u8) -> u64 {
    let object = find(to as u64, 1);
    object.map_or(0, |object| object.address + object.size - to as u64)
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
