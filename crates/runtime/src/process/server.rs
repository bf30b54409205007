//! The fork server: for each `Run` command a child returns into the program, and the server reports
//! how the child ended. The server stands in front of the program's code; its child can take its
//! place, at a snapshot.

use core::ffi::c_int;
use core::ptr::null_mut;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicPtr, AtomicU32};

use labrys_abi::{CONTROL_FD, Command, Mode, REGION_FD, STATUS_FD, Status};

use crate::memory::pick;
use crate::record::region::header;
use crate::record::{beginning, node, region};

unsafe extern "C" {
    /// `c/thread.c`.
    fn __labrys_fork() -> libc::pid_t;
    fn __labrys_fork_as_it_is() -> libc::pid_t;
}

/// What the server and its first child know of the snapshot.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The next run that may have one tries.
    None = 0,
    /// The child is the server now.
    Taken = 1,
    /// The child was the server; it has ended, and the run that is due is not begun.
    GivenUp = 2,
    /// There will be none.
    Refused = 3,
}

/// A page that this process and its children share.
static STATE: AtomicPtr<AtomicU32> = AtomicPtr::new(null_mut());

/// Makes room for what is known of the snapshot. In the server, so that all runs have the same
/// addresses, with a snapshot and without.
pub(super) unsafe fn prepare() {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
    // SAFETY: new memory.
    unsafe {
        let page = libc::mmap(null_mut(), size_of::<u32>(), protection, flags, -1, 0);
        if page != libc::MAP_FAILED {
            STATE.store(page.cast(), Relaxed);
            if !beginning::prepare() {
                set_state(State::Refused);
            }
        }
    }
}

/// What is known of the snapshot.
fn state() -> State {
    // SAFETY: null, or a page that stays.
    match unsafe { STATE.load(Relaxed).as_ref() }.map(|state| state.load(Relaxed)) {
        Some(0) => State::None,
        Some(1) => State::Taken,
        Some(2) => State::GivenUp,
        _ => State::Refused,
    }
}

/// From now on this is known of it.
pub(super) fn set_state(state: State) {
    // SAFETY: as above.
    if let Some(place) = unsafe { STATE.load(Relaxed).as_ref() } {
        place.store(state as u32, Relaxed);
    }
}

/// Whether runs of this mode can begin at a snapshot: not those that record every decision, nor
/// those in which clock and memory are to differ.
fn suits(mode: u32) -> bool {
    mode == Mode::Symbolic as u32 || mode == Mode::Coverage as u32
}

unsafe fn errno() -> i32 {
    // SAFETY: always valid.
    unsafe { *libc::__errno_location() }
}

/// Tells the explorer something.
pub(super) unsafe fn send(status: Status, value: u32) {
    let message = [status as u32, value];
    // SAFETY: eight bytes.
    unsafe { libc::write(STATUS_FD, message.as_ptr().cast(), 8) };
}

/// What a server does first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It waits for a command.
    Wait,
    /// It begins the run that is due.
    Due,
}

/// Answers commands. Returns in the child that runs the program: whether it may take a snapshot.
/// A server whose runs begin at one of this mode ends when others are asked for.
pub(super) unsafe fn serve(mut next: Next, snapshot: Option<u32>) -> bool {
    let mut allowed = true;
    // SAFETY: plain system calls on descriptors that the explorer set up.
    unsafe {
        loop {
            if next == Next::Wait {
                allowed = receive();
            }
            next = Next::Wait;
            let mode = header().mode;
            if snapshot.is_some_and(|of| !allowed || of != mode) {
                set_state(State::GivenUp);
                libc::_exit(0);
            }
            let server = libc::getpid();
            let child = match snapshot {
                Some(_) => __labrys_fork_as_it_is(),
                None => __labrys_fork(),
            };
            if child < 0 {
                send(Status::Failed, errno() as u32);
                continue;
            }
            if child == 0 {
                begin_child(server);
                let is_first = snapshot.is_none() && state() == State::None;
                return allowed && is_first && suits(mode);
            }
            let mut status = 0;
            while libc::waitpid(child, &raw mut status, 0) < 0 && errno() == libc::EINTR {}
            match state() {
                State::Taken if snapshot.is_none() => libc::_exit(0),
                State::GivenUp => {
                    set_state(State::None);
                    send(Status::Moved, 0);
                    (next, allowed) = (Next::Due, false);
                }
                _ => report(status),
            }
        }
    }
}

/// Waits for the next run; whether it may begin at a snapshot.
unsafe fn receive() -> bool {
    let mut command = [0u32; 2];
    // SAFETY: eight bytes.
    unsafe {
        if libc::read(CONTROL_FD, command.as_mut_ptr().cast(), 8) != 8
            || command[0] != Command::Run as u32
        {
            libc::_exit(0);
        }
    }
    command[1] != 0
}

/// In a child: whatever ends the server ends the run.
unsafe fn begin_child(server: libc::pid_t) {
    // SAFETY: plain system calls.
    unsafe {
        libc::setpgid(0, 0);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != server {
            libc::_exit(0);
        }
    }
}

/// Tells how a run ended.
unsafe fn report(status: c_int) {
    // SAFETY: plain system calls.
    unsafe {
        let faulted = libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGSEGV;
        if faulted && region::is_recording() {
            pick::decide_nulls();
        }
        // The server is a subreaper: what a run leaves behind is its child.
        let strays = libc::waitpid(-1, null_mut(), libc::WNOHANG) >= 0;
        let end = if strays && !end_all() {
            Status::Littered
        } else {
            Status::Ended
        };
        send(end, status as u32);
    }
}

/// Ends all other processes of this namespace, which are all that runs left behind; false if the
/// server is not the first of a namespace.
unsafe fn end_all() -> bool {
    // SAFETY: plain system calls. The first process of a namespace sees no others.
    unsafe {
        if libc::getpid() != 1 {
            return false;
        }
        libc::kill(-1, libc::SIGKILL);
        while libc::waitpid(-1, null_mut(), 0) > 0 || errno() == libc::EINTR {}
        true
    }
}

/// In a child that begins at a snapshot: what the beginning does not know of this run.
pub(super) unsafe fn resume_run() {
    // SAFETY: a new process with one thread.
    unsafe { prepare_input(region::is_symbolic()) };
    close_descriptors();
}

pub(super) unsafe fn prepare_input(symbolic: bool) {
    // SAFETY: without conditions.
    unsafe { libc::lseek(0, 0, libc::SEEK_SET) };
    if symbolic {
        node::clear_cache();
    }
}

/// What the program is not to find.
pub(super) fn close_descriptors() {
    for fd in [REGION_FD, CONTROL_FD, STATUS_FD] {
        // SAFETY: descriptors of the runtime.
        unsafe { libc::close(fd) };
    }
}
