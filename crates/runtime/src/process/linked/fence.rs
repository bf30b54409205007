//! System calls that functions called from outside may make: for memory, the time, and reading
//! files. Any other call with an effect outside the process, or that reads an input, kills it.

use core::ffi::c_long;

use labrys_abi::STATUS_FD;
use libc::{sock_filter, sock_fprog};

/// Calls that have no effect outside the process.
const HARMLESS: &[c_long] = &[
    libc::SYS_brk,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_fstat,
    libc::SYS_futex,
    libc::SYS_getcwd,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_newfstatat,
    libc::SYS_pread64,
    libc::SYS_rt_sigprocmask,
    libc::SYS_sched_yield,
    libc::SYS_stat,
    libc::SYS_time,
    libc::SYS_uname,
];

/// Offsets in `seccomp_data`.
const NUMBER: u32 = 0;

const ARCHITECTURE: u32 = 4;

const ARGUMENTS: u32 = 16;

/// `AUDIT_ARCH_X86_64`.
const X86_64: u32 = 0xc000_003e;

/// Rules: at most so many.
const MOST: usize = 128;

struct Filter {
    rules: [sock_filter; MOST],
    length: usize,
}

impl Filter {
    fn push(&mut self, code: u32, k: u32, yes: u8, no: u8) {
        if let Some(rule) = self.rules.get_mut(self.length) {
            *rule = sock_filter {
                code: code as u16,
                jt: yes,
                jf: no,
                k,
            };
        }
        self.length += 1;
    }

    fn load(&mut self, offset: u32) {
        self.push(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset, 0, 0);
    }

    fn is(&mut self, value: u32, yes: u8, no: u8) {
        self.push(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value, yes, no);
    }

    fn answer(&mut self, action: u32) {
        self.push(libc::BPF_RET | libc::BPF_K, action, 0, 0);
    }

    /// Allows a call whose argument is one of these.
    fn where_argument(&mut self, call: c_long, argument: u32, values: &[u32]) {
        self.is(call as u32, 0, values.len() as u8 + 3);
        self.load(ARGUMENTS + 8 * argument);
        for (index, value) in values.iter().enumerate() {
            self.is(*value, (values.len() - index) as u8, 0);
        }
        self.answer(libc::SECCOMP_RET_KILL_PROCESS);
        self.answer(libc::SECCOMP_RET_ALLOW);
    }

    /// Allows a call whose argument has none of these bits.
    fn without_bits(&mut self, call: c_long, argument: u32, bits: u32) {
        self.is(call as u32, 0, 4);
        self.load(ARGUMENTS + 8 * argument);
        self.push(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, bits, 0, 1);
        self.answer(libc::SECCOMP_RET_KILL_PROCESS);
        self.answer(libc::SECCOMP_RET_ALLOW);
    }
}

/// From now on the process may do no more than that; `false` if the system cannot see to it.
pub(super) fn raise(guard: i32) -> bool {
    let nothing = sock_filter {
        code: 0,
        jt: 0,
        jf: 0,
        k: 0,
    };
    let mut filter = Filter {
        rules: [nothing; MOST],
        length: 0,
    };
    filter.load(ARCHITECTURE);
    filter.is(X86_64, 1, 0);
    filter.answer(libc::SECCOMP_RET_KILL_PROCESS);
    filter.load(NUMBER);
    for call in HARMLESS {
        filter.is(*call as u32, 0, 1);
        filter.answer(libc::SECCOMP_RET_ALLOW);
    }
    // Output goes nowhere.
    let sinks = [STATUS_FD as u32, guard as u32, 1, 2];
    filter.where_argument(libc::SYS_write, 0, &sinks);
    filter.where_argument(libc::SYS_writev, 0, &sinks[2..]);
    filter.where_argument(libc::SYS_tgkill, 2, &[libc::SIGABRT as u32]);
    let changes = (libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC) as u32;
    filter.without_bits(libc::SYS_openat, 2, changes);
    filter.without_bits(libc::SYS_open, 1, changes);
    // Standard input is the program's.
    filter.is(libc::SYS_read as u32, 0, 3);
    filter.load(ARGUMENTS);
    filter.is(0, 1, 0);
    filter.answer(libc::SECCOMP_RET_ALLOW);
    filter.answer(libc::SECCOMP_RET_KILL_PROCESS);
    let program = sock_fprog {
        len: filter.length as u16,
        filter: filter.rules.as_mut_ptr(),
    };
    // SAFETY: the rules live until the call is over.
    filter.length <= MOST
        && unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                && libc::prctl(
                    libc::PR_SET_SECCOMP,
                    libc::SECCOMP_MODE_FILTER,
                    &raw const program,
                ) == 0
        }
}
