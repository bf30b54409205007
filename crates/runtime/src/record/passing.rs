//! Labels on their way between caller and callee: arguments and results.
//!
//! Law: a label that arrives names a node with the value that arrived; else it is dropped.

use core::cell::Cell;

use labrys_abi::{Cause, MAX_ARGUMENT_LABELS, MAX_RESULT_LABELS, Op};

use crate::record::node::{Operand, mask, node, signed, unary};
use crate::record::region::count;
use crate::record::tracing::tracing;

/// Labels on their way between caller and callee (`c/thread.c`).
#[repr(C)]
struct Thread {
    tag: Cell<u64>,
    _copy_tag: u64,
    _copies: [*const u8; 8],
    args: [Cell<u32>; MAX_ARGUMENT_LABELS],
    results: [Cell<u32>; MAX_RESULT_LABELS],
    variadic_count: Cell<u32>,
    _variadic_tag: u64,
    variadic_serial: Cell<u64>,
    variadic: [Cell<VariadicArgument>; 32],
}

/// A variable argument on its way.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct VariadicArgument {
    /// Byte offset in the list, see `memory::variadic`.
    pub(crate) offset: u32,
    pub(crate) label: u32,
}

unsafe extern "C" {
    fn __labrys_thread_state() -> *const Thread;
}

/// A label of the value of this width, or 0. What is passed may be declared with another width where
/// it is taken: a truth value as `int`, and anything where no prototype says what it is.
fn checked(label: u32, width: u32, value: u64) -> u32 {
    if label == 0 || !tracing() {
        return 0;
    }
    let (known, cv) = (u32::from(node(label).width), node(label).cv);
    if known == width && cv == value {
        return label;
    }
    if known.max(width) <= u64::BITS {
        if known > width && mask(cv, width) == value {
            return unary(Op::Extract, width, 0, label, value);
        }
        if known < width && cv == value {
            return unary(Op::ZExt, width, 0, label, value);
        }
        if known < width && mask(signed(cv, known) as u64, width) == value {
            return unary(Op::SExt, width, 0, label, value);
        }
    }
    count(Cause::Mismatch);
    0
}

/// Label of parameter `index`.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_param(index: u32, width: u32, value: u64) -> u32 {
    checked(thread().args[index as usize].take(), width, value)
}

/// A size with its label, if that is true of it.
pub(crate) fn size(label: u32, value: usize) -> Operand {
    let value = value as u64;
    Operand::new(checked(label, 64, value), value)
}

/// Label of a result.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_result(label: u32, width: u32, value: u64) -> u32 {
    checked(label, width, value)
}

/// This thread's labels on their way. Instrumented code writes them between calls.
#[inline]
fn thread() -> &'static Thread {
    // SAFETY: thread-local, and the runtime keeps no reference from one call to the next.
    unsafe { &*__labrys_thread_state() }
}

/// The argument labels of a runtime function: taken if the call was meant for `callee`.
pub(crate) fn arguments<const N: usize>(callee: usize) -> [u32; N] {
    let thread = thread();
    let mut labels = [0; N];
    if thread.tag.get() == callee as u64 {
        thread.tag.set(0);
        for (label, argument) in labels.iter_mut().zip(&thread.args) {
            *label = argument.take();
        }
    }
    thread.results[0].set(0);
    labels
}

/// The next call of `callee` has these labels as its first arguments.
pub(crate) fn pass(callee: usize, labels: &[u32]) {
    let thread = thread();
    thread.tag.set(callee as u64);
    for (argument, label) in thread.args.iter().zip(labels) {
        argument.set(*label);
    }
}

/// Arguments that were meant for one runtime function are another's.
pub(crate) fn redirect(from: usize, to: usize) {
    let thread = thread();
    if thread.tag.get() == from as u64 {
        thread.tag.set(to as u64);
    }
}

/// Leaves the label of a runtime function's result.
pub(crate) fn result(label: u32) {
    thread().results[0].set(label);
}

/// The label that [`result`] left last.
pub(crate) fn left_result() -> u32 {
    thread().results[0].get()
}

/// The variable arguments that a caller left with this serial number, if they are the last.
pub(crate) fn variadic(serial: u64) -> impl Iterator<Item = VariadicArgument> {
    let thread = thread();
    let count = if serial == thread.variadic_serial.get() {
        thread.variadic_count.get() as usize
    } else {
        0
    };
    thread.variadic[..count].iter().map(Cell::get)
}
