//! Starting a program without a copy of this process.
//!
//! A fork copies the page tables of all that a search holds, only to tear them down when the copy
//! becomes another program, and each of a hundred functions has three servers. So the new process
//! runs in the memory of this one until it is another program, on a stack of its own, while this
//! thread waits.
//!
//! Law: what runs in the new process makes system calls, and writes nothing but locals and the
//! outcome.

#![allow(unsafe_code)]

use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null;

use crate::sandbox::Sandbox;
use crate::sys::Preparation;

/// Bytes of a stack on which a new process runs until it is another program.
const STACK: usize = 128 << 10;
/// The exit status of a process that did not become another program.
const FAILED: c_int = 127;

/// A program, and what it is started with.
#[derive(Debug)]
pub(crate) struct Program {
    file: CString,
    arguments: Vec<CString>,
    environment: Vec<CString>,
    folder: CString,
    /// Standard input, output and error.
    files: [File; 3],
}

impl Program {
    /// The program of a file, an absolute path, which is called by its name alone.
    pub(crate) fn new(
        file: &Path,
        arguments: impl IntoIterator<Item = OsString>,
        environment: &BTreeMap<OsString, OsString>,
        folder: &Path,
        files: [File; 3],
    ) -> io::Result<Self> {
        let text = |text: &OsStr| Ok::<_, io::Error>(CString::new(text.as_bytes())?);
        let name = text(file.file_name().unwrap_or(file.as_os_str()));
        let rest = arguments.into_iter().map(|argument| text(&argument));
        let variables = environment.iter().map(|(name, value)| {
            let both = [name.as_bytes(), value.as_bytes()].join(&b'=');
            Ok(CString::new(both)?)
        });
        Ok(Program {
            file: text(file.as_os_str())?,
            arguments: std::iter::once(name)
                .chain(rest)
                .collect::<io::Result<_>>()?,
            environment: variables.collect::<io::Result<_>>()?,
            folder: text(folder.as_os_str())?,
            files,
        })
    }
}

/// The processes that a start made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Started {
    /// The first one.
    pub(crate) first: libc::pid_t,
    /// The one in namespaces of its own that the program is, if there is one; the first has ended
    /// then.
    pub(crate) isolated: Option<libc::pid_t>,
    /// Why the program was not started.
    pub(crate) failed: Option<i32>,
}

/// Starts a program, in namespaces of its own if they are given and the system allows it.
pub(crate) fn start(
    program: &Program,
    sandbox: Option<&Sandbox>,
    preparation: Preparation,
) -> io::Result<Started> {
    let pointers = |texts: &[CString]| -> Vec<*const c_char> {
        let texts = texts.iter().map(|text| text.as_ptr());
        texts.chain([null()]).collect()
    };
    let plan = Plan {
        program,
        arguments: pointers(&program.arguments),
        environment: pointers(&program.environment),
        sandbox,
        preparation,
        has_users: false.into(),
        isolated: AtomicI32::new(0),
        failed: AtomicI32::new(0),
        inner: Stack::new(),
    };
    let first = without_signals(|| plan.run(&Stack::new(), 0, first_process))?;
    let (isolated, failed) = (plan.isolated.load(Relaxed), plan.failed.load(Relaxed));
    Ok(Started {
        first,
        isolated: (isolated > 0).then_some(isolated),
        failed: (failed != 0).then_some(failed),
    })
}

/// Memory on which a process runs.
struct Stack(Vec<u128>);

impl Stack {
    fn new() -> Self {
        Stack(Vec::with_capacity(STACK / size_of::<u128>()))
    }

    /// Its end: it grows downward.
    fn end(&self) -> *mut c_void {
        self.0
            .as_ptr()
            .wrapping_add(self.0.capacity())
            .cast_mut()
            .cast()
    }
}

/// What the new processes need, and what became of them.
struct Plan<'a> {
    program: &'a Program,
    arguments: Vec<*const c_char>,
    environment: Vec<*const c_char>,
    sandbox: Option<&'a Sandbox>,
    preparation: Preparation,
    /// Whether the namespaces have users of their own.
    has_users: core::sync::atomic::AtomicBool,
    /// The process in the namespaces.
    isolated: AtomicI32,
    /// The error number.
    failed: AtomicI32,
    /// The stack of that process.
    inner: Stack,
}

impl Plan<'_> {
    /// Runs a function in a new process, up to where it is another program or ends; its number.
    fn run(
        &self,
        stack: &Stack,
        flags: c_int,
        function: extern "C" fn(*mut c_void) -> c_int,
    ) -> io::Result<libc::pid_t> {
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD | flags;
        let plan: *const Self = self;
        // SAFETY: the stack is the function's alone, and this thread waits until the function has
        // done with it and with the plan.
        let process = unsafe { libc::clone(function, stack.end(), flags, plan.cast_mut().cast()) };
        match process {
            ..0 => Err(io::Error::last_os_error()),
            process => Ok(process),
        }
    }

    /// In the first process.
    fn begin(&self) -> io::Result<()> {
        for (file, number) in self.program.files.iter().zip(0..) {
            // SAFETY: no pointers.
            check(unsafe { libc::dup2(file.as_raw_fd(), number) })?;
        }
        // SAFETY: a string.
        check(unsafe { libc::chdir(self.program.folder.as_ptr()) })?;
        let Some(has_users) = self.sandbox.and_then(Sandbox::separate) else {
            return self.become_program();
        };
        self.has_users.store(has_users, Relaxed);
        // The process that goes on has our parent, who waits for it.
        let isolated = self.run(&self.inner, libc::CLONE_PARENT, isolated_process)?;
        self.isolated.store(isolated, Relaxed);
        Ok(())
    }

    /// In the process that has namespaces of its own.
    fn settle(&self) -> io::Result<()> {
        if let Some(sandbox) = self.sandbox {
            sandbox.settle(self.has_users.load(Relaxed));
        }
        self.become_program()
    }

    fn become_program(&self) -> io::Result<()> {
        self.preparation.apply()?;
        // SAFETY: an empty set of signals; strings, and lists of strings that null ends.
        unsafe {
            let mut none: libc::sigset_t = core::mem::zeroed();
            libc::sigemptyset(&raw mut none);
            libc::sigprocmask(libc::SIG_SETMASK, &raw const none, core::ptr::null_mut());
            let (arguments, environment) = (self.arguments.as_ptr(), self.environment.as_ptr());
            libc::execve(self.program.file.as_ptr(), arguments, environment);
        }
        Err(io::Error::last_os_error())
    }

    fn note(&self, ended: &io::Result<()>) -> c_int {
        let Err(error) = ended else { return 0 };
        let number = error.raw_os_error().unwrap_or(libc::EINVAL);
        self.failed.store(number, Relaxed);
        FAILED
    }
}

extern "C" fn first_process(plan: *mut c_void) -> c_int {
    // SAFETY: of the thread that waits in `Plan::run`.
    let plan = unsafe { &*plan.cast::<Plan<'_>>() };
    let status = plan.note(&plan.begin());
    // SAFETY: nothing of the thread that waits is to be undone.
    unsafe { libc::_exit(status) }
}

extern "C" fn isolated_process(plan: *mut c_void) -> c_int {
    // SAFETY: as above.
    let plan = unsafe { &*plan.cast::<Plan<'_>>() };
    let status = plan.note(&plan.settle());
    // SAFETY: as above.
    unsafe { libc::_exit(status) }
}

/// Does something while this thread gets no signals: a handler would run in the new process, too.
fn without_signals<T>(act: impl FnOnce() -> T) -> T {
    // SAFETY: sets of signals that are locals.
    unsafe {
        let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = core::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let result = act();
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, core::ptr::null_mut());
        result
    }
}

fn check(result: c_int) -> io::Result<()> {
    match result {
        ..0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
