//! The process of a fork server: in namespaces of its own, where the system allows that.
//!
//! Invariant: it is a child of this process, also where the one that was started made another one
//! and ended.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::{Command, ExitStatus};

use crate::sandbox::Sandbox;
use crate::sys::{self, Preparation};

/// See the module.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    id: libc::pid_t,
    is_isolated: bool,
    ended: Option<ExitStatus>,
}

impl ServerProcess {
    /// Starts a command; `folders`: the scratch folder and the working directory in it, if it is to
    /// have namespaces.
    pub(crate) fn start(
        command: &mut Command,
        preparation: Preparation,
        folders: Option<(&Path, &Path)>,
    ) -> io::Result<Self> {
        let (report, writer) = sys::pipe()?;
        let sandbox =
            folders.and_then(|(scratch, work)| Sandbox::new(scratch, work, writer.as_raw_fd()));
        sys::prepare(command, sandbox, preparation);
        let started = command.spawn();
        drop(writer);
        let mut id = [0; size_of::<libc::pid_t>()];
        let is_isolated = File::from(report).read_exact(&mut id).is_ok();
        let mut process = ServerProcess {
            id: libc::pid_t::from_ne_bytes(id),
            is_isolated,
            ended: None,
        };
        match started {
            Ok(mut started) if is_isolated => {
                started.wait()?;
            }
            Ok(started) => process.id = libc::pid_t::try_from(started.id()).unwrap_or(0),
            Err(error) => {
                if is_isolated {
                    process.wait();
                }
                return Err(error);
            }
        }
        Ok(process)
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
