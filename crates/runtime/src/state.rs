//! The mapped region and whether this run records anything.

use core::ptr::null_mut;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use labrys_abi::{Cause, Event, Header, Mode, Node};

use crate::table::Table;

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

/// A row of the program's table of global objects.
#[repr(C)]
pub(crate) struct GlobalObject {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) constant: u64,
}

/// Where the program's coverage bytes are.
#[repr(C)]
pub(crate) struct CoverageMap {
    pub(crate) map: *mut u8,
    pub(crate) size: u64,
    /// As many words, or null.
    pub(crate) near: *mut u32,
}

/// An array on the stack.
#[repr(C)]
pub(crate) struct StackObject {
    pub(crate) address: u64,
    pub(crate) size: u64,
}

unsafe extern "C" {
    pub(crate) fn __labrys_thread_state() -> *mut Thread;
    pub(crate) static __labrys_coverage: CoverageMap;
    pub(crate) static __labrys_instrumented: u32;
    pub(crate) static __labrys_globals: [GlobalObject; 0];
    pub(crate) static __labrys_globals_count: u64;
    pub(crate) static mut __labrys_stack: [StackObject; 4096];
    pub(crate) static mut __labrys_stack_top: u32;
    pub(crate) static mut __labrys_all_branches: u32;
}

/// The region as this process sees it. Written at start-up only, before the program's code
/// runs; counters in the header are atomic.
pub(crate) struct State {
    pub(crate) header: *mut Header,
    pub(crate) nodes: Table<Node>,
    pub(crate) events: Table<Event>,
    pub(crate) data: Table<u8>,
    pub(crate) input: *mut u8,
    /// Labels are created.
    pub(crate) symbolic: bool,
    /// A run of the fork server, symbolic or not.
    pub(crate) active: bool,
}

pub(crate) static mut STATE: State = State {
    header: null_mut(),
    nodes: Table::empty(),
    events: Table::empty(),
    data: Table::empty(),
    input: null_mut(),
    symbolic: false,
    active: false,
};

/// The state.
#[inline]
pub(crate) fn state() -> &'static State {
    // SAFETY: written only before the program's code runs and in the child of a fork.
    unsafe { &*(&raw const STATE).cast::<State>() }
}

/// The header of the region; only to be called while [`State::active`].
#[inline]
pub(crate) fn header() -> &'static Header {
    // SAFETY: mapped for the life of the process; the explorer's part is not written meanwhile.
    unsafe { &*state().header }
}

/// This thread's labels in flight.
#[inline]
pub(crate) fn thread() -> &'static mut Thread {
    // SAFETY: thread-local, and never borrowed across a call that takes it again.
    unsafe { &mut *__labrys_thread_state() }
}

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

/// What tells this thread from all others; not 0. A thread-local variable would do, but in code
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

/// Is every branch recorded, symbolic or not?
pub(crate) fn all_branches() -> bool {
    state().symbolic && header().mode == Mode::AllBranches as u32
}

/// Counts a symbolic value that became concrete. Two threads that count at once may count one.
pub(crate) fn count(cause: Cause) {
    if state().active {
        let counter = &header().concretizations[cause as usize];
        counter.store(counter.load(Relaxed) + 1, Relaxed);
    }
}
