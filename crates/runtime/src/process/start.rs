//! Start-up: the shadow, the shared region, the fork server.
//!
//! An initializer of the executable maps the shadow of an instrumented program before anything of
//! the program or its libraries runs; resolvers of indirect functions, which the loader calls
//! earlier, are not instrumented. Another one runs [`__labrys_init`] before the program's
//! own initializers. If [`ENV_ACTIVE`](labrys_abi::ENV_ACTIVE) is
//! set, it maps the region and serves; what returns from the initializer into the program is a run.

use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::Relaxed;

use labrys_abi::{FLAG_START, PAGE_FLAG_END, SHADOW_END, SHADOW_START, Status, VERSION};

use crate::memory::{blocks, object, shadow};
use crate::process::server::{self, Next, send, serve};
use crate::process::{arguments, faults, snapshot, stacks};
use crate::record::region::{__labrys_instrumented, header};
use crate::record::tracing::set_tracing;
use crate::record::{called, control, node, region};

/// Whether the shadow is mapped.
static MAPPED: AtomicBool = AtomicBool::new(false);

type Initializer = unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char);

#[used]
#[unsafe(link_section = ".init_array.00000")]
static INITIALIZER: Initializer = __labrys_init;

/// Before all libraries: functions of the program may run before its initializers do.
#[used]
#[unsafe(link_section = ".preinit_array")]
static FIRST_INITIALIZER: unsafe extern "C" fn() = prepare_memory;

/// Behind the program's own initializers: the runtime is linked last.
#[used]
#[unsafe(link_section = ".init_array")]
static LAST_INITIALIZER: extern "C" fn() = answer_calls;

extern "C" fn answer_calls() {
    crate::process::marked::serve();
    crate::process::linked::serve();
}

/// Runs before the program's code. The linker is asked for this symbol by name.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_init(
    argc: c_int,
    argv: *mut *mut c_char,
    environment: *mut *mut c_char,
) {
    // SAFETY: called once by the loader, before other threads exist.
    unsafe {
        prepare_memory();
        if take_variable(environment, labrys_abi::marked::ENV_CALLS) {
            crate::process::marked::prepare();
            return;
        }
        if take_variable(environment, labrys_abi::linked::ENV_LINKED) {
            crate::process::linked::prepare();
            return;
        }
        if !take_variable(environment, labrys_abi::ENV_ACTIVE) {
            return;
        }
        for name in labrys_abi::SANITIZER_VARIABLES {
            take_variable(environment, name);
        }
        if let Err(errno) = region::map(shadow::MAX_LABEL) {
            send(Status::Failed, errno as u32);
            libc::_exit(126);
        }
        if __labrys_instrumented != 0 {
            blocks::prepare();
            object::prepare();
            node::share_cache();
        }
        faults::prepare();
        libc::pthread_atfork(None, Some(count_child), Some(stop_recording));
        server::prepare();
        send(Status::Ready, VERSION);
        let takes_snapshot = serve(Next::Wait, None);
        start_run(argc, argv, environment);
        if !takes_snapshot || !snapshot::begin() {
            server::close_descriptors();
        }
    }
}

/// Maps the shadow of an instrumented program, once.
unsafe extern "C" fn prepare_memory() {
    // SAFETY: before other threads exist, and nothing else is at these addresses.
    unsafe {
        if __labrys_instrumented != 0 && !MAPPED.swap(true, Relaxed) {
            stacks::raise_limit();
            map_shadow(SHADOW_START, SHADOW_END);
            map_shadow(FLAG_START, PAGE_FLAG_END);
        }
    }
}

/// Removes a variable from the environment; was it there?
unsafe fn take_variable(environment: *mut *mut c_char, name: &str) -> bool {
    let mut slot = environment;
    // SAFETY: the environment ends with a null pointer.
    unsafe {
        while !(*slot).is_null() {
            let text = *slot;
            let named = libc::strncmp(text, name.as_ptr().cast(), name.len()) == 0;
            if named && *text.add(name.len()) == b'=' as c_char {
                while !(*slot).is_null() {
                    *slot = *slot.add(1);
                    slot = slot.add(1);
                }
                return true;
            }
            slot = slot.add(1);
        }
    }
    false
}

unsafe fn map_shadow(start: u64, end: u64) {
    let size = (end - start) as usize;
    let flags =
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a fixed range that nothing occupies, or the call fails.
    unsafe {
        let wanted = start as *mut c_void;
        let got = libc::mmap(wanted, size, protection, flags, -1, 0);
        if got != wanted {
            let text = b"labrys: the shadow memory cannot be mapped: lift the limit of virtual \
                         memory (ulimit -v unlimited); without one, the address range is taken\n";
            libc::write(2, text.as_ptr().cast(), text.len());
            libc::_exit(126);
        }
        libc::madvise(wanted, size, libc::MADV_NOHUGEPAGE);
        libc::madvise(wanted, size, libc::MADV_DONTDUMP);
    }
}

/// In the child: takes up this run's mode and inputs.
unsafe fn start_run(argc: c_int, argv: *mut *mut c_char, environment: *mut *mut c_char) {
    // SAFETY: a new process with one thread, before the program's code.
    unsafe {
        let symbolic = region::start_run();
        server::prepare_input(symbolic);
        set_tracing(symbolic);
        control::prepare_limits();
        arguments::place_strings(argc, argv, environment);
        header().exit_kind.store(0, Relaxed);
        // As a program finds it that was just started.
        *libc::__errno_location() = 0;
    }
}

/// In a parent: what the child does with the input is not seen.
unsafe extern "C" fn count_child() {
    crate::models::unseen::unseen(labrys_abi::Cause::External, c"fork");
    called::lose();
}

/// In a child of the program: the records are the parent's. Its coverage too: what a child does
/// before the parent's run is over is a matter of time.
unsafe extern "C" fn stop_recording() {
    // SAFETY: the child of a fork has one thread.
    unsafe { region::end_run() };
    set_tracing(false);
}
