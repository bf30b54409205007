//! A snapshot of the program where it first looks at what differs from run to run: later runs begin
//! there. What programs do before (tables that are built, a library that is compiled) is done once.
//!
//! The first run that may have a snapshot begins with each of its system calls dispatched to a
//! handler (`PR_SET_SYSCALL_USER_DISPATCH`, Linux 5.11). Those that are the same in every run are
//! made there: memory, files outside of the run's folder that are only read, and the like. At the
//! first other one the process becomes the server: it forks a child for this run and for each that
//! follows. A child goes on with the system call, without the handler.
//!
//! Law: a run from a snapshot records what it would record from its beginning. So what the
//! beginning recorded is kept and given to each run: branches, and how near it came to others,
//! whichever were wanted then; if there is more (an event, a label), there is no snapshot.
//! The handler has a stack of its own, since what is below the program's may be read.
//!
//! It costs a run a little to be forked from a process that is larger, so a short beginning is
//! no reason for a snapshot.

use core::ffi::{c_int, c_long, c_void};
use core::mem::{offset_of, zeroed};
use core::ptr::null_mut;
use core::sync::atomic::AtomicU8;
use core::sync::atomic::Ordering::Relaxed;

use labrys_abi::Status;

use crate::process::calls::{self, Call, Effect};
use crate::process::server::{self, Next, State, set_state};
use crate::record::beginning;
use crate::record::region::header;

/// A beginning that takes less time of the processor is done in each run, in nanoseconds.
const WORTH: i64 = 500_000;

/// `prctl(2)`, in no older header.
const PR_SET_SYSCALL_USER_DISPATCH: c_int = 59;
const OFF: c_long = 0;
const ON: c_long = 1;
/// `sigaltstack(2)`: in the handler there is no such stack, so that what returns from it can set another.
const SS_AUTODISARM: c_int = 1 << 31;
/// `sigaction(2)` of the kernel.
const SA_RESTORER: u64 = 0x0400_0000;

/// What the kernel looks at before each system call: 0 lets it through, 1 does not.
static SELECTOR: AtomicU8 = AtomicU8::new(0);

/// The stack of the handler; it takes the frame of a signal, of which the vector registers are
/// most, and what the server takes.
const STACK: usize = 256 << 10;

#[repr(align(64))]
struct HandlerStack(core::cell::UnsafeCell<[u8; STACK]>);

// SAFETY: the handler alone has it, and is never interrupted by itself.
unsafe impl Sync for HandlerStack {}

static HANDLER_STACK: HandlerStack = HandlerStack(core::cell::UnsafeCell::new([0; STACK]));

// What returns from the handler; its system call is never dispatched.
core::arch::global_asm!(
    ".pushsection .text",
    ".hidden __labrys_snapshot_return",
    ".globl __labrys_snapshot_return",
    "__labrys_snapshot_return:",
    "mov eax, 15",
    "syscall",
    "ud2",
    ".popsection",
);

/// Bytes of that code, and of nothing else that makes system calls.
const RETURN_SIZE: c_long = 9;

unsafe extern "C" {
    fn __labrys_snapshot_return();
}

/// `struct sigaction` of the kernel.
#[repr(C)]
struct Action {
    handler: usize,
    flags: u64,
    restorer: usize,
    mask: u64,
}

/// What was there before the handler.
static mut BEFORE: (Action, libc::stack_t) = (
    Action {
        handler: 0,
        flags: 0,
        restorer: 0,
        mask: 0,
    },
    libc::stack_t {
        ss_sp: null_mut(),
        ss_flags: libc::SS_DISABLE,
        ss_size: 0,
    },
);

unsafe fn set_action(new: *const Action, old: *mut Action) -> c_long {
    // SAFETY: as of `rt_sigaction`, whose mask has eight bytes.
    unsafe { libc::syscall(libc::SYS_rt_sigaction, libc::SIGSYS, new, old, 8) }
}

/// In a child, at the very start of the program's code: a snapshot is taken at the first system
/// call whose effect may be another in another run. False if that is not to be had.
pub(crate) unsafe fn begin() -> bool {
    let action = Action {
        handler: dispatched as *const () as usize,
        flags: (libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER) as u64 | SA_RESTORER,
        restorer: __labrys_snapshot_return as *const () as usize,
        mask: 0,
    };
    let stack = libc::stack_t {
        ss_sp: HANDLER_STACK.0.get().cast(),
        ss_flags: SS_AUTODISARM,
        ss_size: STACK,
    };
    // SAFETY: one thread; the handler and its stack are there for as long as they are registered.
    unsafe {
        let before = &raw mut BEFORE;
        let code = __labrys_snapshot_return as *const () as usize as c_long;
        libc::sigaltstack(&raw const stack, &raw mut (*before).1);
        set_action(&raw const action, &raw mut (*before).0);
        beginning::begin();
        SELECTOR.store(1, Relaxed);
        let selector = SELECTOR.as_ptr();
        let on = libc::prctl(
            PR_SET_SYSCALL_USER_DISPATCH,
            ON,
            code,
            RETURN_SIZE,
            selector,
        ) == 0;
        if !on {
            SELECTOR.store(0, Relaxed);
            libc::sigaltstack(&raw const (*before).1, null_mut());
            set_action(&raw const (*before).0, null_mut());
            beginning::end();
            set_state(State::Refused);
        }
        on
    }
}

/// The handler.
unsafe extern "C" fn dispatched(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    SELECTOR.store(0, Relaxed);
    // SAFETY: the context of a system call that was dispatched; its registers are as the program
    // had them, but for the next instruction, which is the one behind the call.
    unsafe {
        let errno = *libc::__errno_location();
        let context = &mut *context.cast::<libc::ucontext_t>();
        let registers = &mut context.uc_mcontext.gregs;
        let call = Call {
            number: registers[libc::REG_RAX as usize],
            arguments: [
                libc::REG_RDI,
                libc::REG_RSI,
                libc::REG_RDX,
                libc::REG_R10,
                libc::REG_R8,
                libc::REG_R9,
            ]
            .map(|register| registers[register as usize]),
        };
        if call.effect() == Effect::Same {
            registers[libc::REG_RAX as usize] = call.make();
            if call.number == libc::SYS_rt_sigprocmask {
                keep_mask(context);
            }
            *libc::__errno_location() = errno;
            SELECTOR.store(1, Relaxed);
            return;
        }
        // The instruction of the call is two bytes long. It is executed again.
        registers[libc::REG_RIP as usize] -= 2;
        end(context);
        *libc::__errno_location() = errno;
    }
}

/// The mask of signals is to be what it is now also behind the handler.
unsafe fn keep_mask(context: &mut libc::ucontext_t) {
    let mask = (&raw mut context.uc_sigmask).cast::<u64>();
    // SAFETY: the kernel's mask has eight bytes, those at the start of the library's.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            libc::SIG_BLOCK,
            null_mut::<u64>(),
            mask,
            8,
        );
    }
}

/// The beginning is over. Returns in the process that goes on with the run.
unsafe fn end(context: &mut libc::ucontext_t) {
    // SAFETY: one thread, on the handler's stack; the kernel takes the stack of handlers that it
    // restores from the context.
    unsafe {
        libc::prctl(PR_SET_SYSCALL_USER_DISPATCH, OFF, 0, 0, 0);
        let before = &raw const BEFORE;
        set_action(&raw const (*before).0, null_mut());
        context.uc_stack = (*before).1;
        let can_repeat = beginning::end() && calls::keep_positions();
        if !can_repeat || passed() < WORTH {
            set_state(State::Refused);
            server::close_descriptors();
            return;
        }
        let mode = header().mode;
        set_state(State::Taken);
        become_server();
        server::send(Status::Moved, 1);
        server::serve(Next::Due, Some(mode));
        server::resume_run();
        calls::restore_positions();
        beginning::give();
    }
}

/// What the server is beside its runs: what they leave behind is its child, and it gets none of the
/// signals that the program handles. Those that a run gets are in the context of the handler.
unsafe fn become_server() {
    // SAFETY: plain system calls.
    unsafe {
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        let mut all: libc::sigset_t = zeroed();
        libc::sigfillset(&raw mut all);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const all, null_mut());
    }
}

/// Time of the processor that this process had, in nanoseconds.
unsafe fn passed() -> i64 {
    // SAFETY: plain data.
    unsafe {
        let mut time: libc::timespec = zeroed();
        libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time);
        time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

const _: () = assert!(offset_of!(Action, mask) == 24);
