//! The one thread whose work is recorded.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The one thread whose work is recorded, by its thread pointer; 0 if none is.
static TRACED: AtomicUsize = AtomicUsize::new(0);

/// Does code on this thread create labels?
#[inline(always)]
pub(crate) fn tracing() -> bool {
    TRACED.load(Relaxed) == thread_pointer()
}

/// From now on this thread is the one that is recorded, or none is.
pub(crate) fn set_tracing(on: bool) {
    TRACED.store(if on { thread_pointer() } else { 0 }, Relaxed);
}

/// A number that only this thread has; not 0. A thread-local variable would do, but in code
/// that may be linked anywhere each look at one is a call.
#[inline(always)]
fn thread_pointer() -> usize {
    let pointer;
    // SAFETY: the first word of the thread's block is its own address (System V ABI, x86-64
    // supplement: thread-local storage).
    unsafe {
        core::arch::asm!(
            "mov {}, fs:[0]",
            out(reg) pointer,
            options(pure, readonly, nostack, preserves_flags)
        );
    }
    pointer
}
