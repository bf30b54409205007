//! Slow paths of control flow: decisions, calls, lost labels.

use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use labrys_abi::{Cause, Event, EventKind};

use crate::memory::pick::decide_pick;
use crate::record::called;
use crate::record::cell::cells;
use crate::record::entry::decide_target;
use crate::record::event;
use crate::record::region::{__labrys_coverage, all_branches, all_calls, count, header};
use crate::record::tracing::tracing;

/// Events written per branch, allocated when a run limits them.
static LIMITS: AtomicPtr<u32> = AtomicPtr::new(core::ptr::null_mut());

/// Allocates the per-branch counters if this run wants them.
pub(crate) fn prepare_limits() {
    if header().events_per_branch == 0 {
        return;
    }
    // SAFETY: fresh anonymous memory; untouched pages cost nothing.
    let counters = unsafe {
        libc::mmap(
            core::ptr::null_mut(),
            __labrys_coverage.size as usize * 4,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if counters != libc::MAP_FAILED {
        LIMITS.store(counters.cast(), Relaxed);
    }
}

/// May another event of this branch be written?
#[inline(always)]
fn within_limit(branch: u32, direction: u32) -> bool {
    let counters = LIMITS.load(Relaxed);
    let Some(branch) = branch.checked_add(direction) else {
        return true;
    };
    // SAFETY: the size is only read.
    if counters.is_null() || u64::from(branch) >= unsafe { __labrys_coverage.size } {
        return true;
    }
    // SAFETY: in range; only the traced thread gets here.
    let counter = unsafe { &cells(counters.add(branch as usize), 1)[0] };
    counter.set(counter.get() + 1);
    counter.get() <= header().events_per_branch
}

#[inline(always)]
fn decide(mut event: Event, branch: u32) {
    if !tracing() {
        return;
    }
    let counts = event.label == 0 || within_limit(branch, event.direction);
    if !counts {
        // The path constraint is the same, however much is recorded.
        event.label = 0;
    }
    if counts || all_branches() {
        event::append(event);
    }
}

/// A two-way decision.
#[inline(always)]
fn decide_two_way(kind: EventKind, site: u32, label: u32, direction: u32, branch: u32, frame: u64) {
    let event = Event {
        kind: kind as u8,
        site,
        label,
        direction,
        b: frame,
        ..Event::default()
    };
    decide(event, branch);
}

/// Conditional branch.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_branch(site: u32, label: u32, direction: u32, branch: u32, frame: u64) {
    decide_two_way(EventKind::Branch, site, label, direction, branch, frame);
}

/// A difference of real numbers as a distance: the bits of positive numbers are ordered as they
/// are, and those of NaN come last.
fn real(difference: f64) -> u64 {
    difference.abs().to_bits() >> 32
}

/// Of a decision that compares these two: how near it is to its other side, a branch about which
/// the explorer asks.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_near(branch: u32, kind: u32, a: u64, b: u64) {
    // SAFETY: the table is only looked up.
    let (words, size) = unsafe { (__labrys_coverage.near, __labrys_coverage.size) };
    if !tracing() || words.is_null() || u64::from(branch) >= size {
        return;
    }
    let distance = match kind {
        0 => a.abs_diff(b),
        1 => (a as i64).abs_diff(b as i64),
        2 => real(f64::from_bits(a) - f64::from_bits(b)),
        _ => real(f64::from(f32::from_bits(a as u32)) - f64::from(f32::from_bits(b as u32))),
    };
    let distance = distance.min(u64::from(u32::MAX) - 2) as u32 + 1;
    // SAFETY: in range; only the traced thread writes.
    unsafe {
        let least = words.add(branch as usize);
        least.write(distance.min(least.read()));
    }
}

/// Select.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_select(site: u32, label: u32, direction: u32, branch: u32, frame: u64) {
    decide_two_way(EventKind::Select, site, label, direction, branch, frame);
}

/// Switch.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_switch(
    site: u32,
    label: u32,
    direction: u32,
    value: u64,
    branch: u32,
    frame: u64,
) {
    let event = Event {
        kind: EventKind::Switch as u8,
        site,
        label,
        direction,
        a: value,
        b: frame,
        ..Event::default()
    };
    decide(event, branch);
}

/// Call or return of a function of the program.
#[unsafe(no_mangle)]
extern "C" fn __labrys_slow_call(function: u32, leave: u32) {
    if function == u32::MAX {
        return;
    }
    if leave == 0 && all_calls() {
        called::note(function);
    }
    if all_branches() {
        let kind = if leave == 0 {
            EventKind::Call
        } else {
            EventKind::Return
        };
        event::append(Event {
            kind: kind as u8,
            a: u64::from(function),
            ..Event::default()
        });
    }
}

/// A labelled value goes where nothing follows it.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __labrys_slow_lost(cause: u32, function: u32, label: u32, value: u64) {
    let Some(cause) = Cause::ALL.get(cause as usize).copied() else {
        return;
    };
    if !tracing()
        || (cause == Cause::CallTarget && (decide_pick(label) || decide_target(label, value)))
    {
        return;
    }
    // Functions that are called often have the same address again and again.
    if let Cause::LoadAddress | Cause::StoreAddress | Cause::LibraryArgument = cause {
        if !decide_pick(label) {
            event::concretized(cause, label, value);
        }
        return;
    }
    count(cause);
    event::append(Event {
        kind: EventKind::Concretize as u8,
        aux: cause as u8,
        label,
        a: value,
        b: u64::from(function),
        ..Event::default()
    });
}
