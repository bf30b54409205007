//! Watched memory, and what is sent of it.

use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::Relaxed};

use labrys_abi::PAGE;
use labrys_abi::linked::{Answer, MOST_WATCHED, MOST_WATCHED_BYTES, Message};

/// A stretch of memory.
#[repr(C)]
struct Watched {
    address: Cell<*mut u8>,
    /// 0 if nothing is watched.
    length: Cell<usize>,
    copy: Cell<*mut u8>,
    /// Bytes that the copy has room for.
    room: Cell<usize>,
}

/// Bytes for copies: also of what is not watched any more.
const ROOM: usize = 8 * MOST_WATCHED_BYTES as usize;

/// Bytes of answers that are sent together.
const BUFFER: usize = 1 << 16;

static TABLE: AtomicPtr<Watched> = AtomicPtr::new(null_mut());

/// The number behind the largest that was used.
static USED: AtomicUsize = AtomicUsize::new(0);

static COPIES: AtomicPtr<u8> = AtomicPtr::new(null_mut());

static COPIED: AtomicUsize = AtomicUsize::new(0);

static ANSWER: AtomicPtr<u8> = AtomicPtr::new(null_mut());

static ANSWERED: AtomicUsize = AtomicUsize::new(0);

/// Maps memory of zeros; where nothing was, if an address is given.
pub(super) fn map(address: *mut u8, size: usize, flags: i32) -> Option<*mut u8> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let mut flags = flags | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    if !address.is_null() {
        flags |= libc::MAP_FIXED_NOREPLACE;
    }
    // SAFETY: nothing that is there is replaced.
    unsafe {
        let got = libc::mmap(address.cast(), size, protection, flags, -1, 0);
        if got == libc::MAP_FAILED {
            return None;
        }
        if !address.is_null() && got != address.cast::<c_void>() {
            libc::munmap(got, size);
            return None;
        }
        Some(got.cast())
    }
}

/// Makes room for all that follows.
pub(super) fn prepare() -> Option<()> {
    let private = |size| map(null_mut(), size, libc::MAP_PRIVATE);
    TABLE.store(
        private(MOST_WATCHED * size_of::<Watched>())?.cast(),
        Relaxed,
    );
    COPIES.store(private(ROOM)?, Relaxed);
    ANSWER.store(private(BUFFER)?, Relaxed);
    Some(())
}

fn row(number: usize) -> Option<&'static Watched> {
    // SAFETY: the table has so many rows, of zeros at first.
    (number < MOST_WATCHED).then(|| unsafe { &*TABLE.load(Relaxed).add(number) })
}

/// Watches the memory at an address, which is mapped where nothing is.
pub(super) fn watch(number: usize, address: u64, length: usize) -> bool {
    let Some(row) = row(number) else {
        return false;
    };
    if !cover(address, length) {
        return false;
    }
    if row.room.get() < length {
        let start = COPIED.load(Relaxed);
        if length > ROOM - start {
            return false;
        }
        COPIED.store(start + length, Relaxed);
        row.copy.set(COPIES.load(Relaxed).wrapping_add(start));
        row.room.set(length);
    }
    row.address.set(address as *mut u8);
    row.length.set(length);
    USED.fetch_max(number + 1, Relaxed);
    true
}

/// Maps the pages of a stretch where nothing is mapped.
fn cover(address: u64, length: usize) -> bool {
    let page = PAGE as u64;
    let Some(end) = address.checked_add(length as u64) else {
        return false;
    };
    let (mut at, end) = (address & !(page - 1), end.next_multiple_of(page));
    if length == 0 || map(at as *mut u8, (end - at) as usize, libc::MAP_PRIVATE).is_some() {
        return true;
    }
    while at < end {
        let mapped = map(at as *mut u8, PAGE, libc::MAP_PRIVATE).is_some();
        // SAFETY: `errno` of the call above.
        if !mapped && unsafe { *libc::__errno_location() } != libc::EEXIST {
            return false;
        }
        at += page;
    }
    true
}

pub(super) fn unwatch(number: usize) {
    if let Some(row) = row(number) {
        row.length.set(0);
    }
}

/// Whether a stretch is within watched memory.
pub(super) fn holds(number: usize, address: u64, length: usize) -> bool {
    let Some(row) = row(number) else {
        return false;
    };
    let Some(start) = address.checked_sub(row.address.get() as u64) else {
        return false;
    };
    let watched = row.length.get() as u64;
    start <= watched && length as u64 <= watched - start
}

/// Copies all that is watched.
pub(super) fn copy() -> bool {
    for number in 0..USED.load(Relaxed) {
        if let Some(row) = row(number) {
            // SAFETY: mapped when it was first watched, or read before.
            unsafe {
                libc::memcpy(
                    row.copy.get().cast(),
                    row.address.get().cast(),
                    row.length.get(),
                )
            };
        }
    }
    true
}

/// Answers a call: the result, and what is not as it was copied.
pub(super) fn answer(result: u64) {
    let all = || (0..USED.load(Relaxed)).filter_map(|number| changed(row(number)?));
    head(Answer::Done as u64, result, all().count() as u64);
    for (address, length) in all() {
        head(0, address as u64, length as u64);
        send(address, length);
    }
    flush();
}

/// From the first to the last byte that changed.
fn changed(row: &Watched) -> Option<(*const u8, usize)> {
    let (address, copy, length) = (row.address.get(), row.copy.get(), row.length.get());
    if length == 0 {
        return None;
    }
    // SAFETY: both are mapped; nobody writes to them meanwhile.
    let (now, before) = unsafe {
        if libc::memcmp(address.cast(), copy.cast(), length) == 0 {
            return None;
        }
        (
            core::slice::from_raw_parts(address, length),
            core::slice::from_raw_parts(copy, length),
        )
    };
    let differs = |(now, before): (&u8, &u8)| now != before;
    let first = now.iter().zip(before).position(differs)?;
    let last = now.iter().zip(before).rposition(differs)?;
    Some((now[first..].as_ptr(), last - first + 1))
}

fn head(kind: u64, address: u64, length: u64) {
    let message = Message {
        kind,
        address,
        length,
        number: 0,
    };
    let words = message.words();
    send((&raw const words).cast(), size_of_val(&words));
}

/// Sends bytes with those that were sent before and are not on their way.
pub(super) fn send(bytes: *const u8, length: usize) {
    let used = ANSWERED.load(Relaxed);
    if length > BUFFER - used {
        flush();
        if length > BUFFER {
            super::write(bytes, length);
            return;
        }
    }
    let used = ANSWERED.load(Relaxed);
    // SAFETY: there is room.
    unsafe {
        let to = ANSWER.load(Relaxed).add(used);
        libc::memcpy(to.cast(), bytes.cast(), length);
    }
    ANSWERED.store(used + length, Relaxed);
}

pub(super) fn flush() {
    super::write(ANSWER.load(Relaxed), ANSWERED.swap(0, Relaxed));
}
