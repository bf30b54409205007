//! Start-up: the shadow, the shared region, the fork server.
//!
//! An initializer of the executable runs [`__labrys_init`] before the program's own code. In
//! an instrumented program it maps the shadow. If [`ENV_ACTIVE`](labrys_abi::ENV_ACTIVE) is
//! set, it maps the region and serves: for each `Run` command a child returns from the
//! initializer into the program, and the server reports how the child ended.

use core::ffi::{c_char, c_int, c_void};
use core::ptr::null_mut;
use core::sync::atomic::Ordering::Relaxed;

use labrys_abi::{
    CONTROL_FD, Command, FLAG_START, Header, MAGIC, Mode, PAGE_FLAG_END, REGION_FD, Region,
    SHADOW_END, SHADOW_START, STATUS_FD, Status, VERSION,
};

use crate::memory::{blocks, object, shadow};
use crate::process::arguments;
use crate::record::region::{
    __labrys_all_branches, __labrys_coverage, __labrys_instrumented, STATE, Table, all_branches,
    header,
};
use crate::record::tracing::set_tracing;
use crate::record::{control, node};

unsafe extern "C" {
    /// `c/thread.c`.
    fn __labrys_fork() -> libc::pid_t;
}

type Initializer = unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char);

#[used]
#[unsafe(link_section = ".init_array.00000")]
static INITIALIZER: Initializer = __labrys_init;

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
        if __labrys_instrumented != 0 {
            map_shadow(SHADOW_START, SHADOW_END);
            map_shadow(FLAG_START, PAGE_FLAG_END);
        }
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
        take_variable(environment, labrys_abi::SANITIZER_VARIABLE);
        if let Err(errno) = map_region() {
            send(Status::Failed, errno as u32);
            libc::_exit(126);
        }
        if __labrys_instrumented != 0 {
            blocks::prepare();
            object::prepare();
            node::share_cache();
        }
        libc::pthread_atfork(None, Some(count_child), Some(stop_recording));
        serve();
        start_run(argc, argv, environment);
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
            let text = b"labrys: cannot map the shadow memory: the address range is taken or \
                         the virtual memory limit (ulimit -v) is too low\n";
            libc::write(2, text.as_ptr().cast(), text.len());
            libc::_exit(126);
        }
        libc::madvise(wanted, size, libc::MADV_NOHUGEPAGE);
        libc::madvise(wanted, size, libc::MADV_DONTDUMP);
    }
}

unsafe fn errno() -> i32 {
    // SAFETY: always valid.
    unsafe { *libc::__errno_location() }
}

/// Maps the region and the coverage bytes.
unsafe fn map_region() -> Result<(), i32> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the header is checked before its offsets are used.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        if libc::fstat(REGION_FD, &raw mut stat) != 0 {
            return Err(errno());
        }
        let size = stat.st_size as usize;
        let base =
            libc::mmap(null_mut(), size, protection, libc::MAP_SHARED, REGION_FD, 0).cast::<u8>();
        if base.cast() == libc::MAP_FAILED {
            return Err(errno());
        }
        let h = base.cast::<Header>();
        if size < size_of::<Header>() || (*h).magic != MAGIC || (*h).version != VERSION {
            return Err(libc::EPROTO);
        }
        STATE.header = h;
        let most = shadow::MAX_LABEL;
        STATE.nodes = Table::new(base, (*h).nodes, most, &raw const (*h).node_count);
        STATE.events = Table::new(base, (*h).events, u32::MAX, &raw const (*h).event_count);
        STATE.data = Table::new(base, (*h).data, u32::MAX, &raw const (*h).data_used);
        STATE.input = base.add((*h).input.offset as usize);
        for (section, target, bytes) in coverage_pages(h) {
            let flags = libc::MAP_SHARED | libc::MAP_FIXED;
            let offset = section.offset as libc::off_t;
            if bytes > 0
                && libc::mmap(target, bytes, protection, flags, REGION_FD, offset) != target
            {
                return Err(errno());
            }
        }
    }
    Ok(())
}

/// The sections of the region that the program's coverage bytes and the words beside them are,
/// where those lie, and how many bytes of whole pages.
unsafe fn coverage_pages(header: *const Header) -> [(Region, *mut c_void, usize); 2] {
    // SAFETY: the header is mapped, and the program defines its coverage bytes.
    unsafe {
        let map = &raw const __labrys_coverage;
        let pages = |section: Region, bytes: u64| {
            let bytes = bytes.min(section.capacity) as usize;
            bytes.next_multiple_of(labrys_abi::PAGE)
        };
        let (coverage, near) = ((*header).coverage, (*header).near);
        let words = if (*map).near.is_null() {
            0
        } else {
            (*map).size
        };
        [
            (coverage, (*map).map.cast(), pages(coverage, (*map).size)),
            (near, (*map).near.cast(), pages(near, 4 * words)),
        ]
    }
}

unsafe fn send(status: Status, value: u32) {
    let message = [status as u32, value];
    // SAFETY: eight bytes.
    unsafe { libc::write(STATUS_FD, message.as_ptr().cast(), 8) };
}

/// Answers commands. Returns in the child that runs the program.
unsafe fn serve() {
    // SAFETY: plain system calls on descriptors that the explorer set up.
    unsafe {
        send(Status::Ready, VERSION);
        loop {
            let mut command = [0u32; 2];
            if libc::read(CONTROL_FD, command.as_mut_ptr().cast(), 8) != 8
                || command[0] != Command::Run as u32
            {
                libc::_exit(0);
            }
            let server = libc::getpid();
            let child = __labrys_fork();
            if child < 0 {
                send(Status::Failed, errno() as u32);
                continue;
            }
            if child == 0 {
                libc::setpgid(0, 0);
                // Whatever ends the server ends the run.
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                if libc::getppid() != server {
                    libc::_exit(0);
                }
                return;
            }
            let mut status = 0;
            while libc::waitpid(child, &raw mut status, 0) < 0 && errno() == libc::EINTR {}
            // The server is a subreaper: what a run leaves behind is its child.
            let strays = libc::waitpid(-1, null_mut(), libc::WNOHANG) >= 0;
            let end = if strays {
                Status::Littered
            } else {
                Status::Ended
            };
            send(end, status as u32);
        }
    }
}

/// In the child: takes up this run's mode and inputs.
unsafe fn start_run(argc: c_int, argv: *mut *mut c_char, environment: *mut *mut c_char) {
    // SAFETY: a new process with one thread, before the program's code.
    unsafe {
        for fd in [REGION_FD, CONTROL_FD, STATUS_FD] {
            libc::close(fd);
        }
        libc::lseek(0, 0, libc::SEEK_SET);
        STATE.active = true;
        STATE.symbolic = __labrys_instrumented != 0 && header().mode != Mode::Coverage as u32;
        if STATE.symbolic {
            node::clear_cache();
        }
        set_tracing(STATE.symbolic);
        __labrys_all_branches = u32::from(all_branches());
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
}

/// In a child of the program: the records are the parent's. Its coverage too: what a child does
/// before the parent's run is over is a matter of time.
unsafe extern "C" fn stop_recording() {
    // SAFETY: the child of a fork has one thread; its own coverage bytes are mapped anew.
    unsafe {
        for (_, target, bytes) in coverage_pages(STATE.header) {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
            if bytes > 0 {
                let _ = libc::mmap(target, bytes, protection, flags, -1, 0);
            }
        }
        STATE.symbolic = false;
        STATE.active = false;
        set_tracing(false);
        __labrys_all_branches = 0;
    }
}
