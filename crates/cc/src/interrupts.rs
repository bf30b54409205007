//! Signals that end a build: what it started ends, its folder is removed, and then the signal does
//! what it does to every program.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::scratch::Scratch;

/// The signals by which people and other programs end a command, but those that it was started to
/// ignore (by `nohup`, or in the background of a shell).
#[must_use]
pub fn ending_signals() -> Vec<i32> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = ignored(&status);
    let mut signals = vec![SIGHUP, SIGINT, SIGTERM];
    signals.retain(|signal| ignored >> (signal - 1) & 1 == 0);
    signals
}

/// The signals that a process ignores, as bits, by its status.
fn ignored(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

/// How often the end is looked for.
const LOOK: Duration = Duration::from_millis(5);

/// Watches for signals.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Whether one has come.
    ending: Arc<AtomicBool>,
}

impl Watch {
    /// Waits for the end where a signal has come: a tool that it ended looks like one that failed,
    /// and nothing is to be said of that.
    pub(crate) fn leave(&self) {
        while self.ending.load(Ordering::Acquire) {
            thread::sleep(LOOK);
        }
    }
}

/// From now on signals end this process in order; where they cannot be watched, as ever.
pub(crate) fn watch(scratch: &Scratch) -> Watch {
    start(scratch).unwrap_or_default()
}

fn start(scratch: &Scratch) -> io::Result<Watch> {
    let mut signals = Signals::new(ending_signals())?;
    let scratch = scratch.clone();
    let watch = Watch::default();
    let ending = Arc::clone(&watch.ending);
    thread::Builder::new().spawn(move || {
        if let Some(signal) = signals.forever().next() {
            ending.store(true, Ordering::Release);
            // clang and lld remove what they have begun to write.
            for child in descendants() {
                let _ = kill_process(child, Signal::TERM);
            }
            scratch.clear();
            // Returns only where the signal cannot be raised.
            let _ = emulate_default_handler(signal);
            ending.store(false, Ordering::Release);
        }
    })?;
    Ok(watch)
}

/// The processes that this one started and that are still there, and theirs: clang's driver does not
/// end what it runs.
fn descendants() -> Vec<Pid> {
    let mut found = children("self");
    let mut next = 0;
    while let Some(process) = found.get(next) {
        found.extend(children(&process.as_raw_nonzero().to_string()));
        next += 1;
    }
    found
}

/// The processes that one started and that are still there.
fn children(process: &str) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{process}/task"));
    let lists = threads
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let of_list = |list: String| {
        let words = list.split_ascii_whitespace();
        let numbers = words.map_while(|word| word.parse().ok());
        numbers.filter_map(Pid::from_raw).collect::<Vec<_>>()
    };
    lists.flat_map(of_list).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read_from_the_status() {
        let status = "Name:\tsh\nSigBlk:\t0000000000000004\nSigIgn:\t0000000000001007\n";
        assert_eq!(ignored(status), 0x1007);
        assert_eq!(ignored(""), 0);
    }
}
