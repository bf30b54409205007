//! Labels of variable arguments, as the x86-64 System V calling convention places them.

use crate::memory::access::__labrys_slow_fill;
use crate::memory::shadow::set;
use crate::record::passing::variadic;
use crate::record::region::is_symbolic;
use crate::record::tracing::tracing;

/// Offsets from here on lie in the part of the list that the caller put on the stack; smaller
/// ones in the part that the callee saved from registers.
const STACK: u32 = 0x1000;

/// Bytes of saved registers.
const SAVED: u64 = 176;

/// A `va_list`.
#[repr(C)]
struct List {
    general: u32,
    floating: u32,
    stack: *const u8,
    saved: *const u8,
}

/// After `va_start`: the list is new, and what it holds has the labels that the caller left
/// with this serial number (0: none).
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_slow_va_start(list: *const u8, serial: u64) {
    if !is_symbolic() {
        return;
    }
    __labrys_slow_fill(list, 0, size_of::<List>() as u64, 0);
    // SAFETY: the program has just filled the list.
    let List { stack, saved, .. } = unsafe { list.cast::<List>().read() };
    __labrys_slow_fill(saved, 0, SAVED, 0);
    if serial == 0 || !tracing() {
        return;
    }
    for argument in variadic(serial) {
        // SAFETY: inside the list's two parts.
        let at = unsafe {
            if argument.offset < STACK {
                saved.add(argument.offset as usize)
            } else {
                stack.add((argument.offset - STACK) as usize)
            }
        };
        let width = match argument.label {
            0 => 64,
            label => crate::record::node::node(label).width,
        };
        set(at, usize::from(width.div_ceil(8)).min(8), argument.label);
    }
}
