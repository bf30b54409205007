//! Calls of what is no code, such as a null pointer to a function.
//!
//! A sanitizer's report begins where the processor stopped, which says nothing then, and goes on with
//! the frame that the caller's frame pointer names: the caller itself is missing. So the call is taken
//! back before the sanitizer looks: the address behind it is what the processor pushed last.

use core::ffi::{c_int, c_void};
use core::mem::{transmute, zeroed};
use core::ptr::{null, null_mut};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// The sanitizer's handler.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Goes before the handler of a sanitizer, if there is one.
pub(crate) fn prepare() {
    // SAFETY: before the program's code; the structures are those of the system.
    unsafe {
        let mut before: libc::sigaction = zeroed();
        let known = libc::sigaction(libc::SIGSEGV, null(), &raw mut before) == 0;
        let informed = before.sa_flags & libc::SA_SIGINFO != 0;
        if known && informed && before.sa_sigaction != libc::SIG_DFL {
            NEXT.store(before.sa_sigaction, Relaxed);
            before.sa_sigaction = take_back as *const () as usize;
            libc::sigaction(libc::SIGSEGV, &raw const before, null_mut());
        }
    }
}

/// The sanitizer's handler gets what was before a call.
extern "C" fn take_back(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system gives both; where it could not run what a register names, the last thing
    // that the program did was to go there, by a call that pushed the address behind it.
    unsafe {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let [at, stack] = [libc::REG_RIP, libc::REG_RSP].map(|register| register as usize);
        if registers[at] as usize == (*info).si_addr() as usize {
            let pushed = registers[stack] as *const i64;
            registers[at] = pushed.read_volatile() - 1;
            registers[stack] += 8;
        }
        let next = NEXT.load(Relaxed);
        transmute::<usize, Handler>(next)(signal, info, context);
    }
}
