//! The mapped region and whether this run records anything.

use core::ptr::null_mut;
use core::sync::atomic::AtomicU32;

use labrys_abi::{Cause, Event, Header, Mode, Node};

/// Labels on their way between caller and callee (`c/thread.c`).
#[repr(C)]
pub(crate) struct Thread {
    pub(crate) tag: u64,
    pub(crate) copy_tag: u64,
    pub(crate) copies: [*const u8; 8],
    pub(crate) args: [u32; 64],
    pub(crate) results: [u32; 8],
    /// Not 0 on the one thread that is traced.
    pub(crate) traced: u32,
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
    pub(crate) nodes: *mut Node,
    pub(crate) node_capacity: u32,
    pub(crate) events: *mut Event,
    pub(crate) event_capacity: u32,
    pub(crate) data: *mut u8,
    pub(crate) data_capacity: u32,
    pub(crate) input: *mut u8,
    /// Labels are created.
    pub(crate) symbolic: bool,
    /// A run of the fork server, symbolic or not.
    pub(crate) active: bool,
}

pub(crate) static mut STATE: State = State {
    header: null_mut(),
    nodes: null_mut(),
    node_capacity: 0,
    events: null_mut(),
    event_capacity: 0,
    data: null_mut(),
    data_capacity: 0,
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

/// Does code on this thread create labels?
#[inline]
pub(crate) fn tracing() -> bool {
    state().symbolic && thread().traced != 0
}

/// Is every branch recorded, symbolic or not?
pub(crate) fn all_branches() -> bool {
    state().symbolic && header().mode == Mode::AllBranches as u32
}

/// Counts a symbolic value that became concrete.
pub(crate) fn count(cause: Cause) {
    if state().active {
        header().concretizations[cause as usize]
            .fetch_add(1, core::sync::atomic::Ordering::Relaxed);
    }
}

/// Reserves `amount` of a counter's `capacity`; `None` when it is full, which is recorded.
pub(crate) fn reserve(counter: &AtomicU32, amount: u32, capacity: u32) -> Option<u32> {
    use core::sync::atomic::Ordering::Relaxed;
    let start = counter.load(Relaxed);
    if amount > capacity || start > capacity - amount {
        header().overflow.store(1, Relaxed);
        count(Cause::TableFull);
        return None;
    }
    counter.store(start + amount, Relaxed);
    Some(start)
}
