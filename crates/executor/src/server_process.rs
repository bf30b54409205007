//! The process of a fork server: in namespaces of its own, where the system allows that.
//!
//! Invariant: it is a child of this process, also where the one that was started made another one
//! and ended.

use std::io;
use std::path::Path;
use std::process::ExitStatus;

use crate::sandbox::Sandbox;
use crate::spawn::{self, Program};
use crate::sys::{self, Preparation};

/// See the module.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    id: libc::pid_t,
    is_isolated: bool,
    ended: Option<ExitStatus>,
}

impl ServerProcess {
    /// Starts a program; `folders`: the scratch folder and the working directory in it, if it is to
    /// have namespaces.
    pub(crate) fn start(
        program: &Program,
        preparation: Preparation,
        folders: Option<(&Path, &Path)>,
    ) -> io::Result<Self> {
        let sandbox = folders.and_then(|(scratch, work)| Sandbox::new(scratch, work));
        let started = spawn::start(program, sandbox.as_ref(), preparation)?;
        if started.isolated.is_some() {
            sys::wait(started.first, true);
        }
        let mut process = ServerProcess {
            id: started.isolated.unwrap_or(started.first),
            is_isolated: started.isolated.is_some(),
            ended: None,
        };
        match started.failed {
            Some(error) => {
                process.wait();
                Err(io::Error::from_raw_os_error(error))
            }
            None => Ok(process),
        }
    }

    /// Its number.
    pub(crate) fn id(&self) -> libc::pid_t {
        self.id
    }

    /// Whether it has namespaces of its own.
    pub(crate) fn is_isolated(&self) -> bool {
        self.is_isolated
    }

    /// How it ended, if it has.
    pub(crate) fn try_wait(&mut self) -> Option<ExitStatus> {
        if self.ended.is_none() {
            self.ended = sys::wait(self.id, false);
        }
        self.ended
    }

    /// Waits for its end.
    pub(crate) fn wait(&mut self) {
        if self.ended.is_none() {
            self.ended = sys::wait(self.id, true);
        }
    }
}
