//! A process of a program that answers messages instead of running: a crash or a hang in it harms
//! nothing else.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use labrys_abi::{CONTROL_FD, STATUS_FD};

use crate::sys::{self, Preparation};

/// Bytes of answers that are taken at a time.
const BUFFER: usize = 1 << 16;

/// See the module. The process ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct HelperProcess {
    child: Child,
    control: File,
    status: File,
    /// Bytes that arrived, and how many of them were taken.
    arrived: Vec<u8>,
    taken: usize,
}

impl HelperProcess {
    /// Starts a command without input and output, with a limit to its address space.
    pub(crate) fn start(command: &mut Command, space: u64) -> Option<Self> {
        sys::reserve_descriptors();
        let (control_read, control) = sys::pipe().ok()?;
        let (status, status_write) = sys::pipe().ok()?;
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let (read, write) = (control_read.as_raw_fd(), status_write.as_raw_fd());
        let preparation = Preparation {
            descriptors: [(read, CONTROL_FD), (write, STATUS_FD), (write, STATUS_FD)],
            limits: [
                (libc::RLIMIT_CORE, 0),
                (libc::RLIMIT_FSIZE, 0),
                (libc::RLIMIT_STACK, 64 << 20),
                (libc::RLIMIT_NOFILE, 1024),
                (libc::RLIMIT_AS, space),
            ],
        };
        sys::prepare(command, preparation);
        Some(HelperProcess {
            child: command.spawn().ok()?,
            control: control.into(),
            status: status.into(),
            arrived: Vec::new(),
            taken: 0,
        })
    }

    /// Sends a message; `None` if nobody takes it.
    pub(crate) fn send(&mut self, message: &[u8]) -> Option<()> {
        self.control.write_all(message).ok()
    }

    /// So many bytes; `None` if they do not come in time, or at all.
    pub(crate) fn receive(&mut self, length: usize, deadline: Instant) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(length.min(BUFFER));
        while bytes.len() < length {
            if self.taken == self.arrived.len() {
                self.wait(deadline)?;
            }
            let end = self.arrived.len().min(self.taken + length - bytes.len());
            bytes.extend(&self.arrived[self.taken..end]);
            self.taken = end;
        }
        Some(bytes)
    }

    /// So many words.
    pub(crate) fn words<const N: usize>(&mut self, deadline: Instant) -> Option<[u64; N]> {
        let bytes = self.receive(8 * N, deadline)?;
        let mut words = [0; N];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_ne_bytes(bytes.try_into().ok()?);
        }
        Some(words)
    }

    /// Takes the bytes that have arrived, at least one.
    fn wait(&mut self, deadline: Instant) -> Option<()> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if sys::wait_readable(self.status.as_fd(), left).ok()? {
                break;
            }
            if Instant::now() >= deadline {
                return None;
            }
        }
        self.arrived.resize(BUFFER, 0);
        self.taken = 0;
        let count = self.status.read(&mut self.arrived).ok()?;
        self.arrived.truncate(count);
        (count > 0).then_some(())
    }
}

impl Drop for HelperProcess {
    fn drop(&mut self) {
        sys::kill(-libc::pid_t::try_from(self.child.id()).unwrap_or(0));
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
