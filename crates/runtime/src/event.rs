//! The event log.

use labrys_abi::{Cause, Event, EventKind, OBJECT_SITE, RUNTIME_SITE, RuntimeSite};

use crate::state::{count, header, reserve, state, tracing};

/// Appends an event if this thread is traced.
pub(crate) fn append(event: Event) {
    if tracing() {
        append_always(event);
    }
}

/// Appends an event of a run that may be concrete. Only to be called while active.
pub(crate) fn append_always(event: Event) {
    if let Some(index) = reserve(&header().event_count, 1, state().event_capacity) {
        // SAFETY: reserved above.
        unsafe { state().events.add(index as usize).write(event) };
    }
}

/// A decision of the runtime itself on a one-bit condition.
pub(crate) fn decision(site: RuntimeSite, label: u32, holds: bool) {
    decision_at(RUNTIME_SITE + site as u32, label, holds);
}

/// Whether a symbolic address is inside the object at `start`.
pub(crate) fn object_decision(start: u64, label: u32, holds: bool) {
    // Objects are aligned; neighbours shall differ.
    let number = (start >> 3 ^ start >> 18) as u32 & 0x7fff;
    decision_at(OBJECT_SITE + number, label, holds);
}

fn decision_at(site: u32, label: u32, holds: bool) {
    if label != 0 {
        append(Event {
            kind: EventKind::Runtime as u8,
            site,
            label,
            direction: u32::from(holds),
            ..Event::default()
        });
    }
}

/// A symbolic value was fixed.
pub(crate) fn concretized(cause: Cause, label: u32, value: u64) {
    if label != 0 {
        count(cause);
        append(Event {
            kind: EventKind::Concretize as u8,
            aux: cause as u8,
            label,
            a: value,
            ..Event::default()
        });
    }
}

/// Copies bytes into the data section; their offset, a multiple of 8.
pub(crate) fn data(bytes: &[u8]) -> Option<u32> {
    let size = bytes.len().next_multiple_of(8) as u32;
    let offset = reserve(&header().data_used, size, state().data_capacity)?;
    // SAFETY: reserved above.
    unsafe {
        core::ptr::copy_nonoverlapping(
            bytes.as_ptr(),
            state().data.add(offset as usize),
            bytes.len(),
        );
    }
    Some(offset)
}
