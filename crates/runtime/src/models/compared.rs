//! Texts of the input that a run compared with others: what a fuzzer may put in their place.

use core::cell::Cell;
use core::ffi::c_char;
use core::slice::from_raw_parts;

use labrys_abi::{Event, EventKind, LONGEST_COMPARED, MOST_COMPARED};

use crate::memory::shadow::is_concrete;
use crate::record::cell::SingleWriter;
use crate::record::event;
use crate::record::tracing::tracing;

const SLOTS: usize = 1024;

/// Hashes of the pairs that were told of: direct-mapped.
static TOLD: SingleWriter<[Cell<u64>; SLOTS]> = SingleWriter::new([const { Cell::new(0) }; SLOTS]);
static COUNT: SingleWriter<Cell<usize>> = SingleWriter::new(Cell::new(0));

/// Tells of two texts that differ, if one of them is input and the other one is not.
pub(crate) fn compared(a: &[u8], b: &[u8]) {
    let fits = |text: &[u8]| (1..=LONGEST_COMPARED).contains(&text.len());
    if !tracing() || !fits(a) || !fits(b) || a == b || COUNT.get() == MOST_COMPARED {
        return;
    }
    let concrete = [a, b].map(|text| is_concrete(text.as_ptr(), text.len()));
    let (input, other) = match concrete {
        [false, true] => (a, b),
        [true, false] => (b, a),
        _ => return,
    };
    let hash = hash(input, other);
    let slot = &TOLD[hash as usize % SLOTS];
    if slot.replace(hash) == hash {
        return;
    }
    COUNT.set(COUNT.get() + 1);
    if let (Some(seen), Some(wanted)) = (event::copy_to_data(input), event::copy_to_data(other)) {
        event::append(Event {
            kind: EventKind::Compared as u8,
            site: input.len() as u32,
            label: seen,
            a: u64::from(wanted),
            b: other.len() as u64,
            ..Event::default()
        });
    }
}

/// FNV-1a of both, with something between them.
fn hash(a: &[u8], b: &[u8]) -> u64 {
    let bytes = a.iter().chain(&[0]).chain(b);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// For library models: two strings are compared.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_compared(a: *const c_char, b: *const c_char, n: usize) {
    // SAFETY: strings, or `n` bytes, as the caller's.
    let [a, b] = [a, b].map(|p| unsafe { from_raw_parts(p.cast(), libc::strnlen(p, n)) });
    compared(a, b);
}
