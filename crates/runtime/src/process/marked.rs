//! Functions of the program that the user marked as pure, see [`labrys_abi::marked`].
//!
//! In a run, a call of one becomes a node. Started for that, the process runs nothing but these
//! functions, for the explorer.

use core::cell::Cell;
use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use labrys_abi::marked::{LONGEST_NAME, MARK, MOST_PARAMETERS, Marked, Request};
use labrys_abi::{CONTROL_FD, STATUS_FD};

use crate::record::cell::SingleWriter;
use crate::record::external::{Argument, external};
use crate::record::node::Operand;

unsafe extern "C" {
    static __labrys_marked: [Marked; 0];
    static __labrys_marked_count: u64;
}

/// The process answers calls.
static SERVING: AtomicBool = AtomicBool::new(false);

/// The arguments of the call under way, which only the traced thread writes.
static ARGUMENTS: SingleWriter<[Cell<Argument>; MOST_PARAMETERS]> =
    SingleWriter::new([const { Cell::new((0, Operand::new(0, 0))) }; MOST_PARAMETERS]);

static COUNT: SingleWriter<Cell<usize>> = SingleWriter::new(Cell::new(0));

fn table() -> &'static [Marked] {
    // SAFETY: the program defines as many rows as it says.
    unsafe {
        let rows = (&raw const __labrys_marked).cast::<Marked>();
        core::slice::from_raw_parts(rows, __labrys_marked_count as usize)
    }
}

/// An argument of a marked call that has returned.
#[unsafe(no_mangle)]
extern "C" fn __labrys_marked_argument(index: u32, width: u32, label: u32, value: u64) {
    let index = index as usize;
    if !crate::record::tracing::tracing() || index >= MOST_PARAMETERS {
        return;
    }
    ARGUMENTS[index].set((width, Operand::new(label, value)));
    COUNT.set(index + 1);
}

/// The label of the result of a marked call.
#[unsafe(no_mangle)]
extern "C" fn __labrys_marked_result(row: u32, width: u32, value: u64) -> u32 {
    if !crate::record::tracing::tracing() {
        return 0;
    }
    let Some(marked) = table().get(row as usize) else {
        return 0;
    };
    // SAFETY: names are C strings.
    let name = unsafe { CStr::from_ptr(marked.name).to_bytes() };
    let arguments = ARGUMENTS.each_ref().map(Cell::get);
    let mut text = [0u8; LONGEST_NAME];
    text[0] = MARK as u8;
    let Some(room) = text.get_mut(1..=name.len()) else {
        return 0;
    };
    room.copy_from_slice(name);
    match core::str::from_utf8(&text[..=name.len()]) {
        Ok(name) => external(name, &arguments[..COUNT.get()], width, value),
        Err(_) => 0,
    }
}

/// The process is to answer calls when the program's initializers have run.
pub(crate) fn prepare() {
    SERVING.store(true, Relaxed);
}

/// Answers calls, if that is what the process is for.
pub(crate) fn serve() {
    if !SERVING.load(Relaxed) {
        return;
    }
    for row in table() {
        for (text, end) in [(row.name, c" "), (row.signature, c"\n")] {
            write(text);
            write(end.as_ptr());
        }
    }
    write(c"\n".as_ptr());
    loop {
        let mut request = Request::default();
        let size = size_of::<Request>();
        // SAFETY: the request is as large as that, and any bytes are one.
        let got = unsafe { libc::read(CONTROL_FD, (&raw mut request).cast(), size) };
        if got != size as isize {
            // SAFETY: ends the process.
            unsafe { libc::_exit(0) };
        }
        let result = match table().get(request.function as usize) {
            Some(marked) => (marked.call)(request.arguments.as_ptr()),
            None => 0,
        };
        // SAFETY: eight bytes.
        unsafe { libc::write(STATUS_FD, (&raw const result).cast(), 8) };
    }
}

fn write(text: *const c_char) {
    // SAFETY: a C string.
    unsafe { libc::write(STATUS_FD, text.cast(), libc::strlen(text)) };
}
