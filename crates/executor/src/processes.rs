//! Processes below the fork server, found through `/proc`.
//!
//! The server is a subreaper: a process whose parent ended becomes the server's child. So
//! after a run, all children of the server are strays of that run, whatever sessions and
//! groups they moved to.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use crate::sys;

/// The children of one process, and what is below them.
#[derive(Debug)]
pub(crate) struct Descendants {
    process: libc::pid_t,
    /// `/proc/PID/task/PID/children`, where the system has it.
    children: Option<File>,
}

impl Descendants {
    /// Those of a process with a single thread.
    pub(crate) fn of(process: libc::pid_t) -> Self {
        let children = File::open(format!("/proc/{process}/task/{process}/children")).ok();
        Self { process, children }
    }

    /// The oldest child.
    pub(crate) fn first(&self) -> Option<libc::pid_t> {
        self.list().first().copied()
    }

    /// Bytes of memory that the children share with no other process, the largest of them.
    pub(crate) fn private_memory(&self) -> u64 {
        let children = self.list().into_iter().map(private_memory);
        children.max().unwrap_or(0)
    }

    /// Sends the children a signal.
    pub(crate) fn signal_children(&self, signal: libc::c_int) {
        for child in self.list() {
            sys::signal(child, signal);
        }
    }

    /// Whether a child that wants to run had less than this time of a processor.
    pub(crate) fn starve(&self, time: Duration) -> bool {
        let starves = |child| times(child).is_some_and(|(state, used)| state == "R" && used < time);
        self.list().into_iter().any(starves)
    }

    /// Kills the children and their groups, once.
    pub(crate) fn kill_children(&self) {
        for child in self.list() {
            sys::kill(child);
            sys::kill(-child);
        }
    }

    /// Kills all descendants: again and again, since those that a killed parent leaves behind
    /// become children of the process. It is over when two looks in a row find the same
    /// children, all of them dead: what those left behind would have shown in the second.
    pub(crate) fn kill(&self) {
        let mut dead = None;
        for round in 0..400 {
            let children = self.list();
            let alive: Vec<_> = children
                .iter()
                .copied()
                .filter(|id| is_alive(*id))
                .collect();
            if alive.is_empty() {
                if children.is_empty() || dead.as_ref() == Some(&children) {
                    return;
                }
                dead = Some(children);
                continue;
            }
            dead = None;
            alive.into_iter().for_each(sys::kill);
            std::thread::sleep(Duration::from_millis(u64::from(round > 2)));
        }
    }

    fn list(&self) -> Vec<libc::pid_t> {
        let Some(file) = &self.children else {
            return children_by_parent(self.process);
        };
        let mut text = vec![0; 1 << 16];
        let count = file.read_at(&mut text, 0).unwrap_or(0);
        String::from_utf8_lossy(&text[..count])
            .split_ascii_whitespace()
            .filter_map(|id| id.parse().ok())
            .collect()
    }
}

/// The children of a process, by a look at every process.
fn children_by_parent(parent: libc::pid_t) -> Vec<libc::pid_t> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|id| stat(*id).is_some_and(|(_, of)| of == parent))
        .collect()
}

fn is_alive(process: libc::pid_t) -> bool {
    stat(process).is_some_and(|(state, _)| state != "Z" && state != "X")
}

/// State and parent of a process.
fn stat(process: libc::pid_t) -> Option<(String, libc::pid_t)> {
    let fields = fields(process)?;
    Some((fields.first()?.clone(), fields.get(1)?.parse().ok()?))
}

/// State of a process, and the processor time that its threads used.
fn times(process: libc::pid_t) -> Option<(String, Duration)> {
    // Of a clock that the system shows to every program with 100 ticks a second.
    const TICK: Duration = Duration::from_millis(10);
    let fields = fields(process)?;
    let ticks = |index: usize| fields.get(index)?.parse::<u32>().ok();
    let used = ticks(11)?.saturating_add(ticks(12)?);
    Some((fields.first()?.clone(), TICK * used))
}

/// What `/proc` says of a process, from its state on.
fn fields(process: libc::pid_t) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may itself hold parentheses and spaces.
    let (_, fields) = text.rsplit_once(") ")?;
    Some(fields.split(' ').map(str::to_owned).collect())
}

/// Bytes of memory that a process shares with no other, as far as the system reports it cheaply.
fn private_memory(process: libc::pid_t) -> u64 {
    let pages = || {
        let text = fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
        let mut fields = text
            .split(' ')
            .skip(1)
            .map(|field| field.trim().parse::<u64>().ok());
        let (resident, shared) = (fields.next()??, fields.next()??);
        Some(resident.saturating_sub(shared))
    };
    pages().unwrap_or(0) * labrys_abi::PAGE as u64
}

/// Processes and threads of the machine, 0 where the system does not report them.
pub(crate) fn count() -> u64 {
    let tasks = || {
        let text = fs::read_to_string("/proc/loadavg").ok()?;
        let (_, all) = text.split(' ').nth(3)?.split_once('/')?;
        all.parse().ok()
    };
    tasks().unwrap_or(0)
}
