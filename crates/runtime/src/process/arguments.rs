//! Command line arguments and environment variables that are inputs.

use core::ffi::{c_char, c_int};

use labrys_abi::StreamKind;

use crate::memory::shadow::set_bytes;
use crate::models::stream::{section_bytes, streams};
use crate::record::node::append_input_bytes;
use crate::record::tracing::tracing;

/// Gives the arguments and environment variables of this run their bytes and labels.
pub(crate) fn place_strings(argc: c_int, argv: *mut *mut c_char, environment: *mut *mut c_char) {
    // SAFETY: as the loader gave them.
    unsafe { crate::models::unseen::note_arguments(argc, argv) };
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
            set_bytes(unsafe { copy.add(start) }, bytes.len() - start, label);
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
