//! Which functions a run calls ([`Mode::Calls`](labrys_abi::Mode)), whatever thread calls them.
//!
//! Law: a run that is recorded without a full table has an event for each function that it called
//! since its first input, and for each that its beginning called. Those of the beginning are held,
//! so that a snapshot may be taken, and come with the first one behind it.

use core::sync::atomic::AtomicBool;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use labrys_abi::{Event, EventKind};

use crate::record::event;
use crate::record::region;

/// Places; functions that share one take it from each other.
const PLACES: usize = 4096;

/// The function that was noted last in each place, plus 1.
static NOTED: [AtomicU32; PLACES] = [const { AtomicU32::new(0) }; PLACES];

/// What is noted has no events yet.
static HELD: AtomicBool = AtomicBool::new(false);

/// A beginning begins.
pub(crate) fn hold() {
    HELD.store(true, Relaxed);
}

/// Whatever is held has events from now on.
pub(crate) fn release() {
    if HELD.swap(false, Relaxed) {
        let noted = NOTED.iter().map(|place| place.load(Relaxed));
        noted.filter(|one| *one != 0).for_each(write);
    }
}

/// A function is called.
pub(crate) fn note(function: u32) {
    let noted = function + 1;
    let place = &NOTED[function as usize % PLACES];
    let before = place.load(Relaxed);
    if before == noted && !HELD.load(Relaxed) {
        return;
    }
    if before != noted && before != 0 || !region::is_blank() {
        release();
    }
    place.store(noted, Relaxed);
    if !HELD.load(Relaxed) && before != noted {
        write(noted);
    }
}

/// A child of this process is not followed, if functions are noted.
pub(crate) fn lose() {
    if region::all_calls() {
        write(0);
    }
}

/// An event for what was noted, 0 for anything.
fn write(noted: u32) {
    let _ = event::write(Event {
        kind: EventKind::Called as u8,
        a: u64::from(noted).wrapping_sub(1),
        ..Event::default()
    });
}
