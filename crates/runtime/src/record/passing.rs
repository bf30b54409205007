//! Labels on their way between caller and callee: arguments and results.
//!
//! Law: a label that arrives names a node with the value that arrived; else it is dropped.

use labrys_abi::{Cause, Op};

use crate::record::node::{node, unary};
use crate::record::region::count;
use crate::record::tracing::tracing;

/// Labels on their way between caller and callee (`c/thread.c`).
#[repr(C)]
pub(crate) struct Thread {
    pub(crate) tag: u64,
    pub(crate) copy_tag: u64,
    pub(crate) copies: [*const u8; 8],
    pub(crate) args: [u32; 64],
    pub(crate) results: [u32; 8],
    pub(crate) variadic_count: u32,
    pub(crate) variadic_tag: u64,
    pub(crate) variadic_serial: u64,
    pub(crate) variadic: [VariadicArgument; 32],
}

/// A variable argument on its way.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct VariadicArgument {
    /// Byte offset in the list, see `variadic`.
    pub(crate) place: u32,
    pub(crate) label: u32,
}

unsafe extern "C" {
    pub(crate) fn __labrys_thread_state() -> *mut Thread;
}

/// This thread's labels in flight.
#[inline]
pub(crate) fn thread() -> &'static mut Thread {
    // SAFETY: thread-local, and never borrowed across a call that takes it again.
    unsafe { &mut *__labrys_thread_state() }
}

/// A label that is still true of the value of this width, or 0. A truth value may be declared as
/// `_Bool` where it is passed and as `int` where it is taken.
fn checked(label: u32, width: u32, value: u64) -> u32 {
    if label == 0 || !tracing() {
        return 0;
    }
    if node(label).cv == value {
        match u32::from(node(label).width) {
            known if known == width => return label,
            1 => return unary(Op::ZExt, width, 0, label, value),
            _ => {}
        }
    }
    count(Cause::Mismatch);
    0
}

/// Label of parameter `index`.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_param(index: u32, width: u32, value: u64) -> u32 {
    let slot = &mut thread().args[index as usize];
    let label = *slot;
    *slot = 0;
    checked(label, width, value)
}

/// Label of a result.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_result(label: u32, width: u32, value: u64) -> u32 {
    checked(label, width, value)
}

/// The argument labels of a runtime function: taken if the call was meant for `callee`.
pub(crate) fn arguments<const N: usize>(callee: usize) -> [u32; N] {
    let thread = thread();
    let mut labels = [0; N];
    if thread.tag == callee as u64 {
        thread.tag = 0;
        labels.copy_from_slice(&thread.args[..N]);
        thread.args[..N].fill(0);
    }
    thread.results[0] = 0;
    labels
}

/// Leaves the label of a runtime function's result.
pub(crate) fn result(label: u32) {
    thread().results[0] = label;
}
