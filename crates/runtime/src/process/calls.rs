//! System calls of a program's beginning: whether their effect is the same in every run.
//!
//! Invariant: a call that is called the same neither depends on an input, on the process or on the
//! time, nor does anything that children of this process would share.

use core::ffi::{c_int, c_long, c_void};
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};

/// A system call, as the kernel gets it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) number: c_long,
    pub(crate) arguments: [c_long; 6],
}

/// What is known of the effect of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It is the same in every run, and each child of the process has it for itself.
    Same,
    /// Nothing.
    Other,
}

/// Files with smaller numbers are kept account of.
const FILES: usize = 64;

/// Files that are open for reading, a bit for each: the same ones in every run.
static OPEN: AtomicU64 = AtomicU64::new(0);

/// One more was opened than there is room for.
static TOO_MANY: AtomicBool = AtomicBool::new(false);

/// Where they were read to, when the beginning was over: children share the position with their
/// parent.
static POSITIONS: [AtomicI64; FILES] = [const { AtomicI64::new(0) }; FILES];

/// The longest path that is looked at.
const PATH: usize = 512;

/// What is below these is of the process, or may be written by other runs.
const VARIABLE: [&[u8]; 7] = [
    b"/proc/",
    b"/dev/",
    b"/sys/",
    b"/tmp/",
    b"/var/tmp/",
    b"/run/",
    b"/var/run/",
];

/// Requests of `ioctl(2)` by which a program asks whether a file is a terminal: inputs are none, and
/// outputs are the same in every run.
const TERMINAL: [c_long; 2] = [libc::TCGETS as c_long, libc::TIOCGWINSZ as c_long];

impl Call {
    /// What is known of its effect.
    pub(crate) fn effect(&self) -> Effect {
        let [first, second, third, fourth, ..] = self.arguments;
        let is_same = match self.number {
            libc::SYS_brk
            | libc::SYS_munmap
            | libc::SYS_mremap
            | libc::SYS_mprotect
            | libc::SYS_uname
            | libc::SYS_umask
            | libc::SYS_getcwd
            | libc::SYS_getrlimit
            | libc::SYS_sched_getaffinity
            | libc::SYS_getuid
            | libc::SYS_geteuid
            | libc::SYS_getgid
            | libc::SYS_getegid => true,
            libc::SYS_mmap => self.maps_private(),
            libc::SYS_madvise => ![libc::MADV_DONTFORK, libc::MADV_WIPEONFORK]
                .iter()
                .any(|advice| c_long::from(*advice) == third),
            libc::SYS_prlimit64 => third == 0,
            libc::SYS_getrandom => third & c_long::from(libc::GRND_NONBLOCK) != 0,
            libc::SYS_futex => second & 0x7f == c_long::from(libc::FUTEX_WAKE),
            libc::SYS_rt_sigaction => {
                // One is for the handler, the other for the ends of runs.
                ![libc::SIGSYS, libc::SIGCHLD]
                    .iter()
                    .any(|one| c_long::from(*one) == first)
            }
            libc::SYS_rt_sigprocmask => !blocks(first, second, libc::SIGSYS),
            libc::SYS_ioctl => (is_standard(first) || is_open(first)) && TERMINAL.contains(&second),
            libc::SYS_open => only_reads(second) && is_constant(first),
            libc::SYS_openat => only_reads(third) && is_constant(second),
            libc::SYS_stat | libc::SYS_lstat | libc::SYS_access | libc::SYS_readlink => {
                is_constant(first)
            }
            libc::SYS_newfstatat if fourth & c_long::from(libc::AT_EMPTY_PATH) != 0 => {
                is_output(first) || is_open(first)
            }
            libc::SYS_newfstatat
            | libc::SYS_faccessat
            | libc::SYS_faccessat2
            | libc::SYS_readlinkat => is_constant(second),
            libc::SYS_fstat => is_output(first) || is_open(first),
            libc::SYS_fcntl => is_open(first) && !duplicates(second),
            libc::SYS_read
            | libc::SYS_pread64
            | libc::SYS_readv
            | libc::SYS_lseek
            | libc::SYS_fadvise64
            | libc::SYS_close => is_open(first),
            _ => false,
        };
        if is_same { Effect::Same } else { Effect::Other }
    }

    /// Makes the call; its result as the kernel gives it.
    pub(crate) unsafe fn make(&self) -> c_long {
        let [a, b, c, d, e, f] = self.arguments;
        let mut result = self.number;
        // SAFETY: the program asked for it.
        unsafe {
            core::arch::asm!(
                "syscall", inlateout("rax") result, in("rdi") a, in("rsi") b, in("rdx") c,
                in("r10") d, in("r8") e, in("r9") f, out("rcx") _, out("r11") _,
            );
        }
        match self.number {
            libc::SYS_open | libc::SYS_openat if result >= 0 => match bit(result) {
                Some(bit) => _ = OPEN.fetch_or(bit, Relaxed),
                None => TOO_MANY.store(true, Relaxed),
            },
            libc::SYS_close => {
                OPEN.fetch_and(!bit(self.arguments[0]).unwrap_or(0), Relaxed);
            }
            _ => {}
        }
        result
    }

    fn maps_private(&self) -> bool {
        let [_, _, _, flags, file, _] = self.arguments;
        let has = |flag: c_int| flags & c_long::from(flag) != 0;
        has(libc::MAP_PRIVATE) && (has(libc::MAP_ANONYMOUS) || is_open(file))
    }
}

/// Keeps where the open files were read to; whether all are known.
pub(crate) fn keep_positions() -> bool {
    for (file, position) in (0..).zip(&POSITIONS) {
        if is_open(file) {
            // SAFETY: without conditions.
            position.store(
                unsafe { libc::lseek(file as c_int, 0, libc::SEEK_CUR) },
                Relaxed,
            );
        }
    }
    !TOO_MANY.load(Relaxed)
}

/// Puts the open files where the beginning had read them to.
pub(crate) fn restore_positions() {
    for (file, position) in (0..).zip(&POSITIONS) {
        if is_open(file) {
            // SAFETY: without conditions.
            unsafe { libc::lseek(file as c_int, position.load(Relaxed), libc::SEEK_SET) };
        }
    }
}

fn bit(file: c_long) -> Option<u64> {
    (0..FILES as c_long).contains(&file).then(|| 1 << file)
}

fn is_open(file: c_long) -> bool {
    bit(file).is_some_and(|bit| OPEN.load(Relaxed) & bit != 0)
}

fn is_output(file: c_long) -> bool {
    file == 1 || file == 2
}

fn is_standard(file: c_long) -> bool {
    (0..3).contains(&file)
}

/// Whether a file that is opened so is neither written nor made.
fn only_reads(flags: c_long) -> bool {
    let changes =
        libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | libc::O_TMPFILE & !libc::O_DIRECTORY;
    flags & c_long::from(changes) == c_long::from(libc::O_RDONLY)
}

fn duplicates(command: c_long) -> bool {
    let harmless = [libc::F_GETFD, libc::F_SETFD, libc::F_GETFL];
    !harmless.iter().any(|one| c_long::from(*one) == command)
}

/// Whether `sigprocmask(2)` with these arguments blocks a signal.
fn blocks(how: c_long, set: c_long, signal: c_int) -> bool {
    let mut bytes = [0; 8];
    let unblocks = set == 0 || how == c_long::from(libc::SIG_UNBLOCK);
    !unblocks && (peek(set, &mut bytes) < 8 || u64::from_ne_bytes(bytes) >> (signal - 1) & 1 == 1)
}

/// Whether a path leads to what is the same in every run: it is absolute, not below the run's
/// working directory, and not of the process.
fn is_constant(path: c_long) -> bool {
    let (mut text, mut folder) = ([0; PATH], [0; PATH]);
    let size = peek(path, &mut text);
    let Some(end) = text[..size].iter().position(|byte| *byte == 0) else {
        return false;
    };
    let text = &text[..end];
    // SAFETY: as long as it says.
    let found = unsafe { !libc::getcwd(folder.as_mut_ptr().cast(), PATH).is_null() };
    let length = folder.iter().position(|byte| *byte == 0).unwrap_or(PATH);
    let leads_up = text.windows(3).any(|part| part == b"/..");
    found
        && text.starts_with(b"/")
        && !leads_up
        && !text.starts_with(&folder[..length])
        && !VARIABLE.iter().any(|folder| text.starts_with(folder))
}

/// Copies bytes of this process that may not be there; how many there are.
fn peek(from: c_long, to: &mut [u8]) -> usize {
    let local = libc::iovec {
        iov_base: to.as_mut_ptr().cast(),
        iov_len: to.len(),
    };
    let remote = libc::iovec {
        iov_base: from as *mut c_void,
        iov_len: to.len(),
    };
    // SAFETY: the kernel looks at what is not there.
    let got = unsafe {
        let own = libc::getpid();
        libc::process_vm_readv(own, &raw const local, 1, &raw const remote, 1, 0)
    };
    usize::try_from(got).unwrap_or(0)
}
