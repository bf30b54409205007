//! Functions that the program is linked with, called from outside: see [`labrys_abi::linked`].
//!
//! The server forks a child for each execution. Watched memory is known by its number; a copy
//! of it says after a call what the function wrote. What a child may ask the system for is
//! bounded by [`fence`].

use core::ffi::{c_char, c_int, c_void};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use labrys_abi::linked::{Answer, Ask, MOST_READ, Message, WORDS};
use labrys_abi::{CONTROL_FD, STATUS_FD};

mod fence;

mod watch;

use crate::process::repeat;

unsafe extern "C" {
    /// `c/thread.c`.
    fn __labrys_fork() -> libc::pid_t;
    fn __labrys_find(name: *const c_char) -> *mut c_void;
    fn __labrys_init(argc: c_int, argv: *mut *mut c_char, environment: *mut *mut c_char);
}

/// The process calls functions.
static SERVING: AtomicBool = AtomicBool::new(false);

/// Longest name of a function.
const LONGEST_NAME: usize = 512;

/// What a child does, as the server sees it when the child has ended.
const WAITING: u32 = 0;

const CALLING: u32 = 1;

const FINISHED: u32 = 2;

/// A request as it is read.
#[repr(C)]
#[derive(Default)]
struct Request {
    message: Message,
    words: [u64; WORDS],
}

/// The state of one of the two processes.
struct Process {
    /// Shared by server and child: what the child does.
    does: *const AtomicU32,
    /// A pipe through which memory is read that may not be there.
    guard: [c_int; 2],
    /// The child, not the server.
    child: bool,
    /// A request without an answer failed.
    broken: bool,
    /// `errno` between calls.
    errno: c_int,
}

/// The process is to call functions when the program's initializers have run.
pub(crate) fn prepare() {
    SERVING.store(true, Relaxed);
    repeat::always();
}

/// Answers messages, if that is what the process is for.
pub(crate) fn serve() {
    if !SERVING.load(Relaxed) {
        return;
    }
    let Some(mut process) = Process::new() else {
        end(1);
    };
    answer(Answer::Ready, __labrys_init as *const () as u64, 0);
    loop {
        let mut request = Request::default();
        if !receive((&raw mut request).cast(), size_of::<Request>()) {
            end(0);
        }
        process.act(&request);
    }
}

impl Process {
    fn new() -> Option<Self> {
        let mut guard = [-1; 2];
        // SAFETY: room for two descriptors.
        if unsafe { libc::pipe(guard.as_mut_ptr()) } != 0 {
            return None;
        }
        watch::prepare()?;
        Some(Process {
            does: watch::map(null_mut(), labrys_abi::PAGE, libc::MAP_SHARED)?.cast(),
            guard,
            child: false,
            broken: false,
            errno: 0,
        })
    }

    fn act(&mut self, request: &Request) {
        let message = request.message;
        let is = |ask: Ask| message.kind == ask as u64;
        let (address, length) = (message.address, message.length);
        if is(Ask::Find) {
            find(length as usize);
        } else if is(Ask::Read) {
            self.read(address, length.min(MOST_READ) as usize);
        } else if is(Ask::Begin) && !self.child {
            self.begin();
        } else if !self.child {
            end(1);
        } else if is(Ask::Watch) {
            self.broken |= !watch::watch(message.number as usize, address, length as usize);
        } else if is(Ask::Unwatch) {
            watch::unwatch(message.number as usize);
        } else if is(Ask::Write) {
            self.broken |= !receive_at(message.number as usize, address, length as usize);
        } else if is(Ask::Call) {
            self.call(address, &request.words, message.number == 1);
        } else {
            self.set(FINISHED);
            end(0);
        }
    }

    fn set(&self, does: u32) {
        // SAFETY: a mapped page.
        unsafe { (*self.does).store(does, Relaxed) };
    }

    /// Forks a child and waits for its end. Returns in the child, too.
    fn begin(&mut self) {
        self.set(WAITING);
        // SAFETY: plain system calls.
        unsafe {
            let server = libc::getpid();
            let child = __labrys_fork();
            if child == 0 {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                if libc::getppid() != server || !fence::raise(self.guard[1]) {
                    end(1);
                }
                self.child = true;
                return;
            }
            let mut status = 0;
            while child > 0
                && libc::waitpid(child, &raw mut status, 0) < 0
                && *libc::__errno_location() == libc::EINTR
            {}
            match (*self.does).load(Relaxed) {
                FINISHED => {}
                CALLING => answer(Answer::Ended, status as u64, 0),
                _ => {
                    answer(Answer::Lost, status as u64, 0);
                    end(1);
                }
            }
        }
    }

    /// The bytes at an address, if there are some.
    fn read(&self, address: u64, length: usize) {
        let mut bytes = [0u8; MOST_READ as usize];
        // SAFETY: the system looks whether the memory is there; the pipe takes a page.
        let read = unsafe {
            let given = libc::write(self.guard[1], address as *const c_void, length);
            if given > 0 {
                libc::read(self.guard[0], bytes.as_mut_ptr().cast(), given as usize);
            }
            given == length as isize
        };
        if read {
            answer(Answer::Done, 0, length as u64);
            watch::send(bytes.as_ptr(), length);
            watch::flush();
        } else {
            answer(Answer::Refused, 0, 0);
        }
    }

    fn call(&mut self, function: u64, words: &[u64; WORDS], float: bool) {
        if self.broken || !watch::copy() {
            answer(Answer::Refused, 0, 0);
            return;
        }
        self.set(CALLING);
        // SAFETY: whatever happens in the function happens in this process.
        let result = unsafe {
            *libc::__errno_location() = self.errno;
            let result = call(function, words, float);
            self.errno = *libc::__errno_location();
            result
        };
        self.set(WAITING);
        watch::answer(result);
    }
}

/// Calls a function with all words in place, of which it takes those that it has parameters for.
unsafe fn call(function: u64, words: &[u64; WORDS], float: bool) -> u64 {
    type Integer = unsafe extern "C" fn(u64, ...) -> u64;
    type Float = unsafe extern "C" fn(u64, ...) -> f64;
    let f = |index: usize| f64::from_bits(words[6 + index]);
    macro_rules! with_words {
        ($function:expr) => {
            $function(
                words[0],
                words[1],
                words[2],
                words[3],
                words[4],
                words[5],
                f(0),
                f(1),
                f(2),
                f(3),
                f(4),
                f(5),
                f(6),
                f(7),
                words[14],
                words[15],
                words[16],
                words[17],
                words[18],
                words[19],
                words[20],
                words[21],
            )
        };
    }
    // SAFETY: the caller's.
    unsafe {
        if float {
            let function = core::mem::transmute::<*const (), Float>(function as *const ());
            with_words!(function).to_bits()
        } else {
            let function = core::mem::transmute::<*const (), Integer>(function as *const ());
            with_words!(function)
        }
    }
}

/// Looks for a symbol by name.
fn find(length: usize) {
    let mut name = [0u8; LONGEST_NAME];
    if length >= LONGEST_NAME || !receive(name.as_mut_ptr().cast(), length) {
        end(1);
    }
    let repeats = core::str::from_utf8(&name[..length])
        .ok()
        .and_then(repeat::wrapper);
    // SAFETY: a C string.
    let address = repeats.unwrap_or_else(|| unsafe { __labrys_find(name.as_ptr().cast()) } as u64);
    answer(Answer::Done, address, 0);
}

fn answer(kind: Answer, address: u64, length: u64) {
    let message = Message {
        kind: kind as u64,
        address,
        length,
        number: 0,
    };
    let words = message.words();
    watch::send((&raw const words).cast(), size_of_val(&words));
    watch::flush();
}

/// Takes so many bytes from the explorer; `false` if it is gone, or there is no such place.
fn receive(to: *mut u8, length: usize) -> bool {
    let mut got = 0;
    while got < length {
        // SAFETY: the system looks whether the memory is there.
        let count = unsafe { libc::read(CONTROL_FD, to.wrapping_add(got).cast(), length - got) };
        if count <= 0 {
            return false;
        }
        got += count as usize;
    }
    true
}

/// Takes bytes for watched memory.
fn receive_at(number: usize, address: u64, length: usize) -> bool {
    if watch::holds(number, address, length) && receive(address as *mut u8, length) {
        return true;
    }
    // The bytes that follow cannot be distinguished from the next message.
    answer(Answer::Refused, 0, 0);
    end(1)
}

fn write(bytes: *const u8, length: usize) {
    let mut sent = 0;
    while sent < length {
        // SAFETY: the caller's bytes.
        let count =
            unsafe { libc::write(STATUS_FD, bytes.wrapping_add(sent).cast(), length - sent) };
        if count <= 0 {
            end(1);
        }
        sent += count as usize;
    }
}

fn end(status: c_int) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(status) }
}
