//! Labels that go to library functions without a model: in arguments, in memory, in files that are
//! inputs. Each loss is counted under the name of the function.
//!
//! A function without a model gets a pointer: it may or may not read through it. So a count is an
//! upper bound of what was read.

use core::ffi::{CStr, c_char, c_int};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use labrys_abi::{Cause, Event, EventKind};

use crate::memory::object;
use crate::memory::shadow::holds_labels;
use crate::models::position::{position_of, standard_input};
use crate::models::stream::{stream_of, stream_with};
use crate::record::control::__labrys_slow_lost;
use crate::record::event;
use crate::record::passing::result;
use crate::record::region::{count, events};
use crate::record::tracing::tracing;

/// Bytes behind a pointer that are looked at.
const MOST_BYTES: usize = 256;

/// Words of an object that may be pointers.
const MOST_POINTERS: usize = 16;

/// End of the addresses of a process.
const USER_END: usize = 0x7fff_ffff_f000;

/// Functions with a count in this run.
const MOST_NAMES: usize = 64;

/// Names of functions that were counted, and their events.
static NAMES: [(AtomicUsize, AtomicU32); MOST_NAMES] =
    [const { (AtomicUsize::new(0), AtomicU32::new(0)) }; MOST_NAMES];

/// Counts what a function took.
pub(crate) fn unseen(cause: Cause, function: &'static CStr) {
    if tracing() {
        count(cause);
        count_named(cause, function);
    }
}

/// Counts for the function alone.
fn count_named(cause: Cause, function: &'static CStr) {
    let address = function.as_ptr() as usize;
    for (known, place) in &NAMES {
        if known.load(Relaxed) == address {
            // SAFETY: reserved when the name came first.
            unsafe { (*events().at(place.load(Relaxed))).a += 1 };
            return;
        }
        if known.load(Relaxed) == 0 {
            let bytes = function.to_bytes();
            let Some(offset) = event::copy_to_data(bytes) else {
                return;
            };
            let first = Event {
                kind: EventKind::Unseen as u8,
                aux: cause as u8,
                site: bytes.len() as u32,
                label: offset,
                a: 1,
                ..Event::default()
            };
            if let Some(index) = event::write(first) {
                place.store(index, Relaxed);
                known.store(address, Relaxed);
            }
            return;
        }
    }
}

/// A name that the program holds.
unsafe fn name(text: *const c_char) -> &'static CStr {
    // SAFETY: a constant string of the program.
    unsafe { CStr::from_ptr(text) }
}

/// For library models: the library makes of labelled text what has no label.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_unseen(function: *const c_char) {
    // SAFETY: as the caller's.
    unseen(Cause::LibraryArgument, unsafe { name(function) });
    result(0);
}

/// A function without a model gets a labelled argument.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_slow_taken(
    function: *const c_char,
    number: u32,
    label: u32,
    value: u64,
) {
    if tracing() {
        __labrys_slow_lost(Cause::External as u32, number, label, value);
        // SAFETY: as the caller's.
        count_named(Cause::External, unsafe { name(function) });
    }
}

/// A function without a model that reads an input, or may do so, is called.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_slow_reads(function: *const c_char) {
    // SAFETY: as the caller's.
    unseen(Cause::External, unsafe { name(function) });
}

/// A function without a model gets a file descriptor from which it reads.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_slow_descriptor(function: *const c_char, fd: u64) {
    if tracing() && stream_of(fd as c_int).is_some() {
        // SAFETY: as the caller's.
        unseen(Cause::External, unsafe { name(function) });
    }
}

/// A function without a model gets a pointer, which may lead to labels, to a `FILE` that reads an
/// input, or to the name of one.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_slow_given(function: *const c_char, p: *const u8) {
    if !tracing() || !is_address(p) {
        return;
    }
    // SAFETY: the pointer is looked behind only where that is safe.
    if unsafe { is_labelled(p) || leads_to_labels(p) || is_input(p) || names_input(p) } {
        // SAFETY: as the caller's.
        unseen(Cause::External, unsafe { name(function) });
    }
}

/// A function without a model gets a pointer to so many bytes, which it reads.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_slow_given_bytes(function: *const c_char, p: *const u8, n: u64) {
    // SAFETY: the function reads these bytes.
    if tracing() && is_address(p) && unsafe { holds_labels(p, n as usize) } {
        // SAFETY: as the caller's.
        unseen(Cause::External, unsafe { name(function) });
    }
}

/// A function without a model gets a pointer to the name of a file.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_slow_named(function: *const c_char, p: *const u8) {
    // SAFETY: as the caller's.
    if tracing() && is_address(p) && unsafe { is_labelled(p) } {
        // SAFETY: as the caller's.
        unseen(Cause::External, unsafe { name(function) });
    }
}

/// As [`is_labelled`], for any word.
pub(crate) unsafe fn may_be_labelled(p: *const u8) -> bool {
    // SAFETY: as there.
    is_address(p) && unsafe { is_labelled(p) }
}

fn is_address(p: *const u8) -> bool {
    (0x1000..USER_END).contains(&(p as usize))
}

/// A library function gets a path, which decides what it finds.
pub(crate) unsafe fn given_path(function: &'static CStr, path: *const c_char) {
    // SAFETY: as the caller's.
    if tracing() && !path.is_null() && unsafe { is_labelled(path.cast()) } {
        unseen(Cause::LibraryArgument, function);
    }
}

/// Is one of the bytes from `p` on labelled? Inside the object there, if that is known; else in
/// the same page.
unsafe fn is_labelled(p: *const u8) -> bool {
    let start = p as usize;
    let page = start.next_multiple_of(4096).max(start + 1);
    let end = object::find(start as u64, 1).map_or(page, |o| (o.address + o.size) as usize);
    // SAFETY: of an object of the program, or of the page around a pointer that it has.
    unsafe { holds_labels(p, (end - start).min(MOST_BYTES)) }
}

/// Does a word of the object at `p` point to labels in another object?
pub(crate) unsafe fn leads_to_labels(p: *const u8) -> bool {
    let Some(around) = object::find(p as u64, 1) else {
        return false;
    };
    let first = (p as u64).next_multiple_of(8);
    let words = ((around.address + around.size).saturating_sub(first) / 8) as usize;
    (0..words.min(MOST_POINTERS)).any(|index| {
        // SAFETY: inside the object.
        let target = unsafe { (first as *const u64).add(index).read() };
        let object = is_address(target as *const u8) && object::find(target, 1).is_some();
        // SAFETY: inside the other object.
        object && unsafe { is_labelled(target as *const u8) }
    })
}

/// `FILE`s that the program opened lately.
static FILES: [AtomicUsize; 32] = [const { AtomicUsize::new(0) }; 32];

static OPENED: AtomicUsize = AtomicUsize::new(0);

/// The program has opened a `FILE`.
pub(crate) fn opened(f: *mut libc::FILE) {
    if !f.is_null() && tracing() {
        let next = OPENED.fetch_add(1, Relaxed);
        FILES[next % FILES.len()].store(f as usize, Relaxed);
    }
}

/// Is this a `FILE` that reads an input?
unsafe fn is_input(p: *const u8) -> bool {
    let f = p.cast_mut().cast::<libc::FILE>();
    let known = f == standard_input() || FILES.iter().any(|k| k.load(Relaxed) == f as usize);
    // SAFETY: a `FILE` of the program.
    known && unsafe { position_of(f) }.is_some()
}

/// Where the arguments of the program stand.
static ARGUMENTS: (AtomicUsize, AtomicUsize) = (AtomicUsize::new(0), AtomicUsize::new(0));

/// At the start of a run, before arguments get other places.
pub(crate) unsafe fn note_arguments(argc: c_int, argv: *const *mut c_char) {
    // SAFETY: as the loader gave them.
    unsafe {
        let Some(last) = usize::try_from(argc).ok().and_then(|n| n.checked_sub(1)) else {
            return;
        };
        ARGUMENTS.0.store(*argv as usize, Relaxed);
        let last = *argv.add(last);
        ARGUMENTS
            .1
            .store(last as usize + libc::strlen(last), Relaxed);
    }
}

/// Is this an argument that names an input?
unsafe fn names_input(p: *const u8) -> bool {
    if !(ARGUMENTS.0.load(Relaxed)..ARGUMENTS.1.load(Relaxed)).contains(&(p as usize)) {
        return false;
    }
    // SAFETY: a string; `stat` is valid for writes; errno is restored.
    unsafe {
        let errno = *libc::__errno_location();
        let mut stat: libc::stat = core::mem::zeroed();
        let found = libc::stat(p.cast(), &raw mut stat) == 0;
        *libc::__errno_location() = errno;
        found && stream_with(stat.st_dev, stat.st_ino).is_some()
    }
}

macro_rules! openers {
    ($($name:ident $text:literal $function:ident($($argument:ident: $type:ty),*)),*) => {$(
        /// The function of the C library.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char $(, $argument: $type)*) -> *mut libc::FILE {
            let _ = crate::record::passing::arguments::<0>($name as *const () as usize);
            // SAFETY: as the caller's.
            unsafe {
                given_path($text, path);
                let f = libc::$function(path $(, $argument)*);
                opened(f);
                f
            }
        }
    )*};
}

openers!(
    __labrys_w_fopen c"fopen" fopen(mode: *const c_char),
    __labrys_w_fopen64 c"fopen" fopen(mode: *const c_char),
    __labrys_w_freopen c"freopen" freopen(mode: *const c_char, f: *mut libc::FILE),
    __labrys_w_freopen64 c"freopen" freopen(mode: *const c_char, f: *mut libc::FILE)
);

/// `fdopen`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_fdopen(fd: c_int, mode: *const c_char) -> *mut libc::FILE {
    let _ = crate::record::passing::arguments::<0>(__labrys_w_fdopen as *const () as usize);
    // SAFETY: as the caller's.
    let f = unsafe { libc::fdopen(fd, mode) };
    opened(f);
    f
}
