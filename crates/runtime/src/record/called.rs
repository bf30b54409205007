//! Which functions a run calls ([`Mode::Calls`](labrys_abi::Mode)).
//!
//! Law: a run that is recorded without a full table has an event for each function that it called, or
//! its header says that there are others.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use labrys_abi::{Event, EventKind};

use crate::record::event;
use crate::record::region::{all_calls, header};
use crate::record::tracing::tracing;

/// Places; functions that share one take it from each other.
const PLACES: usize = 4096;

/// The function that was noted last in each place, plus 1.
static NOTED: [AtomicU32; PLACES] = [const { AtomicU32::new(0) }; PLACES];

/// A function is called.
pub(crate) fn note(function: u32) {
    if !tracing() {
        return lose();
    }
    let noted = function + 1;
    if NOTED[function as usize % PLACES].swap(noted, Relaxed) != noted {
        event::append(Event {
            kind: EventKind::Called as u8,
            a: u64::from(function),
            ..Event::default()
        });
    }
}

/// A child of this process, or a thread that is not traced, calls what is not noted.
pub(crate) fn lose() {
    if all_calls() {
        header().untold_calls.store(1, Relaxed);
    }
}
