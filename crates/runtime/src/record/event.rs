//! The event log.

use core::cell::Cell;

use labrys_abi::{Cause, Event, EventKind, Op, PLACES, RUNTIME_SITE, RuntimeSite, SIZE_SITE, flag};

use crate::record::callers::place;
use crate::record::cell::SingleWriter;
use crate::record::node::node;
use crate::record::region::{Record, count, data, events};
use crate::record::tracing::tracing;

/// Appends an event if this thread is traced.
pub(crate) fn append(event: Event) {
    if tracing() {
        append_always(event);
    }
}

/// Appends an event of a run that may be concrete. Only to be called while active.
pub(crate) fn append_always(event: Event) {
    write(event);
}

/// Appends an event whatever is traced; its number.
pub(crate) fn write(event: Event) -> Option<u32> {
    let index = events().reserve(1)?;
    // SAFETY: reserved above; an event is four words without padding.
    unsafe { events().write(index, core::mem::transmute::<Event, Record>(event)) };
    Some(index)
}

/// A decision of the runtime itself on a one-bit condition.
pub(crate) fn decision(site: RuntimeSite, label: u32, holds: bool) {
    decision_at(RUNTIME_SITE + site as u32, label, holds);
}

pub(crate) fn decision_at(site: u32, label: u32, holds: bool) {
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

/// A symbolic value was fixed. Counted each time, but an event only where it follows from none
/// before: a program that reads through a labelled pointer does so at every step.
pub(crate) fn concretized(cause: Cause, label: u32, value: u64) {
    if label == 0 {
        return;
    }
    count(cause);
    let follows = is_fixed(label, value) || is_moved(label, value);
    fixed_slot(label).set((label, value));
    if !follows {
        append(Event {
            kind: EventKind::Concretize as u8,
            aux: cause as u8,
            label,
            a: value,
            ..Event::default()
        });
    }
}

/// Sizes of one place that get events in a run: each is a decision for the search.
const MOST_SIZES: u8 = 16;

/// The size of an allocation was fixed. The event names the place, as the search may ask for
/// another size there.
pub(crate) fn size_fixed(label: u32, size: u64) {
    static ASKED: SingleWriter<[Cell<u8>; PLACES as usize]> =
        SingleWriter::new([const { Cell::new(0) }; PLACES as usize]);
    if label == 0 || !tracing() {
        return;
    }
    let number = place() & (PLACES - 1);
    let asked = &ASKED[number as usize];
    if asked.get() == MOST_SIZES {
        return concretized(Cause::AllocationSize, label, size);
    }
    asked.set(asked.get() + 1);
    count(Cause::AllocationSize);
    append(Event {
        kind: EventKind::Concretize as u8,
        aux: Cause::AllocationSize as u8,
        site: SIZE_SITE + number,
        label,
        a: size,
        ..Event::default()
    });
}

const FIXED_SLOTS: usize = 256;

/// Labels that were fixed lately, with their values: direct-mapped.
static FIXED: SingleWriter<[Cell<(u32, u64)>; FIXED_SLOTS]> =
    SingleWriter::new([const { Cell::new((0, 0)) }; FIXED_SLOTS]);

fn fixed_slot(label: u32) -> &'static Cell<(u32, u64)> {
    &FIXED[label as usize % FIXED_SLOTS]
}

fn is_fixed(label: u32, value: u64) -> bool {
    fixed_slot(label).get() == (label, value)
}

/// A constant away from a value that was fixed.
fn is_moved(label: u32, value: u64) -> bool {
    let n = node(label);
    let moved = n.op == Op::Add as u8 && n.flags == flag::B_IMMEDIATE;
    moved && n.cv == value && is_fixed(n.a, node(n.a).cv)
}

/// Copies bytes into the data section; their offset, a multiple of 8.
pub(crate) fn copy_to_data(bytes: &[u8]) -> Option<u32> {
    let size = bytes.len().next_multiple_of(8) as u32;
    let offset = data().reserve(size)?;
    // SAFETY: reserved above.
    unsafe {
        core::ptr::copy_nonoverlapping(bytes.as_ptr(), data().at(offset), bytes.len());
    }
    Some(offset)
}
