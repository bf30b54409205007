//! Binders: what a real call of a unit's function passes in place of the inputs of its driver.
//!
//! A binder is called at the entry of a function and goes through the same places as the function's
//! driver; the snapshot of each place holds the labels of its bytes, which are expressions over the
//! inputs of the caller (function summaries of Kim, Hong and Kim, FSE 2019, sections 3.4 and 3.5.1).
//!
//! Law: a binder changes nothing that the program can see, whatever its pointers point to.

use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::null;

use labrys_abi::{Cause, Event, EventKind};

use crate::memory::access::load_value;
use crate::memory::object::{Object, find};
use crate::memory::table::snapshot;
use crate::record::cell::SingleWriter;
use crate::record::event::{append, concretized};
use crate::record::passing::{arguments, result};
use crate::record::tracing::tracing;

/// Functions of a unit that are told apart; calls of those beyond are not recorded.
const FUNCTIONS: usize = 4096;
/// Calls of one function in a run that are recorded.
const MOST_CALLS: u8 = 24;
/// Bytes of one place that are recorded.
const MOST_BYTES: usize = 4096;
/// Addresses below are a null pointer with an offset: binders go through what it would point to, and
/// to ask the system for each place may take longer than the rest of a run.
const FIRST_PAGE: usize = 4096;

/// Calls of each function so far.
static CALLS: SingleWriter<[Cell<u8>; FUNCTIONS]> =
    SingleWriter::new([const { Cell::new(0) }; FUNCTIONS]);

/// Whether the call that began last is recorded.
static RECORDED: SingleWriter<Cell<bool>> = SingleWriter::new(Cell::new(false));

/// A call of a function begins.
#[unsafe(no_mangle)]
extern "C" fn __labrys_bind_call(function: u32) {
    let _ = arguments::<0>(__labrys_bind_call as *const () as usize);
    let calls = CALLS.get(function as usize);
    let recorded = tracing() && calls.is_some_and(|calls| calls.get() < MOST_CALLS);
    RECORDED.set(recorded);
    let Some(calls) = calls.filter(|_| recorded) else {
        return;
    };
    calls.set(calls.get() + 1);
    append(Event {
        kind: EventKind::BindCall as u8,
        a: u64::from(function),
        ..Event::default()
    });
}

/// The call passes `size` bytes at `address` where the driver's input at `offset` would be.
#[unsafe(no_mangle)]
extern "C" fn __labrys_bind(offset: u64, address: *const u8, size: usize) {
    let [_, label] = arguments::<2>(__labrys_bind as *const () as usize);
    if !RECORDED.get() || !tracing() {
        return;
    }
    let size = readable(address, size.min(MOST_BYTES));
    if size == 0 {
        return;
    }
    concretized(Cause::LoadAddress, label, address as u64);
    let place = Object {
        address: address as u64,
        size: size as u64,
        constant: false,
    };
    if let Some(data) = snapshot(&place) {
        append(Event {
            kind: EventKind::Bind as u8,
            a: offset,
            b: u64::from(data),
            ..Event::default()
        });
    }
}

/// The pointer at `address`, null if there is none.
#[unsafe(no_mangle)]
extern "C" fn __labrys_bind_pointer(address: *const u8) -> *const c_void {
    let _ = arguments::<0>(__labrys_bind_pointer as *const () as usize);
    const SIZE: usize = size_of::<*const u8>();
    if !RECORDED.get() || readable(address, SIZE) < SIZE {
        return null();
    }
    let pointer = load_value(address, SIZE as u32);
    result(pointer.label);
    pointer.value as *const c_void
}

/// How many of `size` bytes at an address can be read: those up to the end of the object there, if
/// that is known, else all or none.
fn readable(address: *const u8, size: usize) -> usize {
    if size == 0 || (address as usize) < FIRST_PAGE {
        return 0;
    }
    if let Some(object) = find(address as u64, 1) {
        let room = object.address + object.size - address as u64;
        return size.min(room as usize);
    }
    let mut copy = [0u8; MOST_BYTES];
    let to = libc::iovec {
        iov_base: copy.as_mut_ptr().cast(),
        iov_len: size.min(MOST_BYTES),
    };
    let from = libc::iovec {
        iov_base: address.cast_mut().cast(),
        iov_len: to.iov_len,
    };
    // SAFETY: the kernel checks what it reads, and writes into the copy.
    let read = unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        let read = libc::process_vm_readv(libc::getpid(), &raw const to, 1, &raw const from, 1, 0);
        *errno = before;
        read
    };
    usize::try_from(read).unwrap_or(0)
}
