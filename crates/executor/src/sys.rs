//! System calls that the standard library does not have, as safe functions.

#![allow(unsafe_code)]

use core::ffi::CStr;
use core::ptr::NonNull;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

/// Descriptors of this crate lie above those that the fork server uses.
const FIRST_DESCRIPTOR: RawFd = 200;

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// Takes ownership of a descriptor that a call has just opened.
fn owned(descriptor: RawFd) -> io::Result<OwnedFd> {
    let descriptor = check(descriptor)?;
    // SAFETY: the caller has just got it from the system and gives it to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// What is wrong where a descriptor cannot have such a number.
const TOO_FEW: &str = "the limit of open files is too low; raise it (ulimit -n 1024)";

/// A copy of a descriptor with a number of at least `first`, closed on exec.
fn duplicate(descriptor: BorrowedFd<'_>, first: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: no pointers.
    let copy = unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_DUPFD_CLOEXEC, first) };
    owned(copy).map_err(|error| match error.raw_os_error() {
        Some(libc::EINVAL) => io::Error::other(TOO_FEW),
        _ => error,
    })
}

/// Occupies the descriptors of the fork server in this process, for good, so that no descriptor
/// that the start of a process needs gets one of these numbers.
pub(crate) fn reserve_descriptors() {
    static RESERVED: std::sync::Once = std::sync::Once::new();
    RESERVED.call_once(|| {
        let Ok(null) = std::fs::File::open("/dev/null") else {
            return;
        };
        for _ in labrys_abi::REGION_FD..=labrys_abi::STATUS_FD {
            let copy = duplicate(std::os::fd::AsFd::as_fd(&null), labrys_abi::REGION_FD);
            if let Ok(copy) = copy
                && copy.as_raw_fd() < FIRST_DESCRIPTOR
            {
                std::mem::forget(copy);
            }
        }
    });
}

/// An anonymous file in memory; pages are allocated when they are written.
pub(crate) fn memory_file(name: &CStr, size: u64) -> io::Result<OwnedFd> {
    // SAFETY: the name is a C string.
    let low = owned(unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) })?;
    let file = std::fs::File::from(duplicate(std::os::fd::AsFd::as_fd(&low), FIRST_DESCRIPTOR)?);
    file.set_len(size)?;
    Ok(file.into())
}

/// Maps a file, shared with other processes.
pub(crate) fn map_shared(file: BorrowedFd<'_>, size: usize) -> io::Result<NonNull<u8>> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at a place of the system's choice.
    let base = unsafe {
        libc::mmap(
            core::ptr::null_mut(),
            size,
            protection,
            flags,
            file.as_raw_fd(),
            0,
        )
    };
    if base == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(base.cast()).ok_or_else(|| io::Error::other("mapped at address 0"))
}

/// Removes a mapping made by [`map_shared`], which its owner does not use any more.
pub(crate) fn unmap(base: NonNull<u8>, size: usize) {
    // SAFETY: by the contract above nobody uses the mapping after this.
    unsafe { libc::munmap(base.as_ptr().cast(), size) };
}

/// Frees the memory of a part of a memory file; it reads as zeros afterwards.
pub(crate) fn punch_hole(file: BorrowedFd<'_>, offset: u64, length: u64) {
    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    // SAFETY: no pointers. Failure means that the memory is kept, nothing else.
    unsafe { libc::fallocate(file.as_raw_fd(), mode, offset as i64, length as i64) };
}

/// A pipe: its reading and its writing end.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [-1; 2];
    // SAFETY: the array has room for two descriptors.
    check(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    let (read, write) = (owned(ends[0])?, owned(ends[1])?);
    let raise = |end: &OwnedFd| duplicate(std::os::fd::AsFd::as_fd(end), FIRST_DESCRIPTOR);
    Ok((raise(&read)?, raise(&write)?))
}

/// Waits until there is something to read (or the other end was closed).
pub(crate) fn wait_readable(file: BorrowedFd<'_>, timeout: Duration) -> io::Result<bool> {
    let mut poll = libc::pollfd {
        fd: file.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    let timeout = libc::timespec {
        tv_sec: timeout.as_secs().min(1 << 30) as libc::time_t,
        tv_nsec: libc::c_long::from(timeout.subsec_nanos() as i32),
    };
    // SAFETY: one `pollfd`, and a time; no signal mask.
    match check(unsafe { libc::ppoll(&raw mut poll, 1, &raw const timeout, core::ptr::null()) }) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(false),
        ready => ready.map(|count| count > 0),
    }
}

/// Kills a process, or with a negative number a process group. That it is gone is no error.
pub(crate) fn kill(process: libc::pid_t) {
    if process == 0 || process == -1 || process == 1 {
        return; // Never the own group, everything, or init.
    }
    // SAFETY: no pointers.
    unsafe { libc::kill(process, libc::SIGKILL) };
}

/// Sends a process a signal.
pub(crate) fn signal(process: libc::pid_t, signal: libc::c_int) {
    if process <= 1 {
        return; // Never a group, or init.
    }
    // SAFETY: no pointers.
    unsafe { libc::kill(process, signal) };
}

/// Has a process go on that was stopped; it makes no difference to others.
pub(crate) fn wake(process: libc::pid_t) {
    if process > 1 {
        // SAFETY: no pointers.
        unsafe { libc::kill(process, libc::SIGCONT) };
    }
}

/// What a new process does before it becomes the fork server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Preparation {
    /// Descriptors by the numbers that the server expects, as `(own, expected)`.
    pub(crate) descriptors: [(RawFd, RawFd); 3],
    /// Resource limits: soft and hard are the same.
    pub(crate) limits: [(libc::__rlimit_resource_t, u64); 5],
}

impl Preparation {
    /// Runs in the new process, maybe in our memory. Only system calls.
    pub(crate) fn apply(&self) -> io::Result<()> {
        // SAFETY: no pointers but to locals. A session of its own keeps signals of the terminal
        // away and lets all processes of the program be killed at once; as a subreaper the
        // server becomes the parent of processes whose parents ended.
        unsafe {
            check(libc::setsid())?;
            libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
            // If Labrys is killed, nobody is left to read what runs record.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            let old = libc::personality(0xffff_ffff);
            if old >= 0 {
                // Where this is forbidden, runs still work; their addresses vary.
                let old = libc::c_ulong::from(old as u32);
                libc::personality(old | libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
            }
        }
        neutral();
        for (resource, most) in self.limits {
            lower_limit(resource, most)?;
        }
        // Nothing that the user's shell left open reaches the program.
        close_on_exec_from(3);
        for (own, expected) in self.descriptors {
            // SAFETY: no pointers. The numbers differ, so the copy is not closed on exec.
            check(unsafe { libc::dup2(own, expected) })?;
        }
        Ok(())
    }
}

/// Takes back what the user's shell hands on and a program can ask for: signals that it ignores (as
/// for commands in the background), and rights of new files.
fn neutral() {
    for signal in 1..=libc::SIGRTMAX() {
        // SAFETY: no pointers. Those that cannot be changed are as they should be.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: no pointers.
    unsafe { libc::umask(0o022) };
}

fn lower_limit(resource: libc::__rlimit_resource_t, most: u64) -> io::Result<()> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: a pointer to a local.
    unsafe {
        check(libc::getrlimit(resource, &raw mut limit))?;
        limit.rlim_max = limit.rlim_max.min(most);
        limit.rlim_cur = limit.rlim_max;
        check(libc::setrlimit(resource, &raw const limit)).map(|_| ())
    }
}

fn close_on_exec_from(first: libc::c_uint) {
    // SAFETY: no pointers. Where the call is missing, descriptors stay as they are.
    unsafe {
        libc::syscall(
            libc::SYS_close_range,
            first,
            libc::c_uint::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        );
    }
}

/// Has a command prepare itself before it becomes another program.
pub(crate) fn prepare(command: &mut std::process::Command, preparation: Preparation) {
    use std::os::unix::process::CommandExt;
    // SAFETY: it allocates nothing and makes only calls that are safe after a fork.
    unsafe { command.pre_exec(move || preparation.apply()) };
}

/// How a child ended; `None` if it has not, or is none.
pub(crate) fn wait(process: libc::pid_t, patiently: bool) -> Option<std::process::ExitStatus> {
    use std::os::unix::process::ExitStatusExt;
    let flags = if patiently { 0 } else { libc::WNOHANG };
    let mut status = 0;
    loop {
        // SAFETY: a pointer to a local.
        match check(unsafe { libc::waitpid(process, &raw mut status, flags) }) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(ended) if ended > 0 => return Some(ExitStatusExt::from_raw(status)),
            _ => return None,
        }
    }
}

/// Has a command start as programs under Labrys do, as far as it can ask.
pub(crate) fn make_neutral(command: &mut std::process::Command) {
    use std::os::unix::process::CommandExt;
    let apply = || {
        neutral();
        Ok(())
    };
    // SAFETY: `neutral` makes only calls that are safe after a fork.
    unsafe { command.pre_exec(apply) };
}
