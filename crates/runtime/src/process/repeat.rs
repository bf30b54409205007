//! Clock and randomness that repeat: in runs of the fork server the clock starts at a fixed time
//! and moves by a microsecond whenever it is read, sleeping only moves it, and random bytes come
//! from a generator with a fixed seed. Started by hand, a program has the real ones.
//!
//! Both builds of a program use these, the plain one too: else hash tables with random seeds
//! would make its runs differ from the instrumented ones, and from themselves.

use core::ffi::{c_int, c_long, c_uint, c_void};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::maps::{__labrys_w_open, __labrys_w_open64};
use crate::record::region::{header, is_active};
use labrys_abi::Mode;

unsafe extern "C" {
    fn clock() -> libc::clock_t;
    /// `c/thread.c`.
    fn __labrys_defined(at: *const c_void, size: usize);
}

/// The runtime has written memory of the program: to MemorySanitizer it is initialized now.
pub(crate) fn written<T>(at: *const T, size: usize) {
    // SAFETY: nothing is accessed but what the sanitizer keeps.
    unsafe { __labrys_defined(at.cast(), size) };
}

/// Microseconds since 1970 at the start: 2026-11-24 00:00:00 UTC, a time at which this runtime may
/// have been built. Programs refuse times long before they were written.
const START: u64 = labrys_abi::CLOCK_START * SECOND;

const SECOND: u64 = 1_000_000;

/// Clock and randomness repeat although the process is no run.
static ALWAYS: AtomicBool = AtomicBool::new(false);

/// From now on clock and randomness repeat in this process.
pub(crate) fn always() {
    ALWAYS.store(true, Relaxed);
}

fn repeats() -> bool {
    is_active() && !Mode::is_real(header().mode) || ALWAYS.load(Relaxed)
}

macro_rules! wrapper {
    ($($name:literal $wrapper:ident;)*) => {
        /// What is called instead of a function of this name.
        pub(crate) fn wrapper(name: &str) -> Option<u64> {
            match name {
                $($name => Some($wrapper as *const () as u64),)*
                _ => None,
            }
        }
    };
}

labrys_library::repeatable_functions!(wrapper);

static PASSED: AtomicU64 = AtomicU64::new(0);

static RANDOM: AtomicU64 = AtomicU64::new(0);

/// Reads the clock, in microseconds since the start of the run.
fn passed() -> u64 {
    PASSED.fetch_add(1, Relaxed) + 1
}

fn sleep_for(microseconds: u64) {
    PASSED.fetch_add(microseconds, Relaxed);
}

/// `SplitMix64` (Steele, Lea, Flood 2014).
fn random() -> u64 {
    let step = 0x9e37_79b9_7f4a_7c15_u64;
    let mut z = RANDOM.fetch_add(step, Relaxed).wrapping_add(step);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Fills `length` bytes at `to`.
unsafe fn fill(to: *mut c_void, length: usize) {
    for index in 0..length {
        // SAFETY: the caller's memory.
        unsafe { to.cast::<u8>().add(index).write(random() as u8) };
    }
    written(to, length);
}

/// `time`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_time(to: *mut libc::time_t) -> libc::time_t {
    // SAFETY: as the caller's.
    unsafe {
        if !repeats() {
            return libc::time(to);
        }
        let now = ((START + passed()) / SECOND) as libc::time_t;
        if !to.is_null() {
            to.write(now);
            written(to, size_of_val(&now));
        }
        now
    }
}

/// `clock`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_clock() -> libc::clock_t {
    if repeats() {
        return passed() as libc::clock_t;
    }
    // SAFETY: without conditions.
    unsafe { clock() }
}

/// `clock_gettime`: all clocks show the same time.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_clock_gettime(
    clock: libc::clockid_t,
    to: *mut libc::timespec,
) -> c_int {
    // SAFETY: as the caller's.
    unsafe {
        if !repeats() {
            return libc::clock_gettime(clock, to);
        }
        let now = START + passed();
        (*to).tv_sec = (now / SECOND) as libc::time_t;
        (*to).tv_nsec = (now % SECOND * 1000) as c_long;
        written(to, size_of::<libc::timespec>());
        0
    }
}

/// `gettimeofday`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_gettimeofday(to: *mut libc::timeval, zone: *mut c_void) -> c_int {
    // SAFETY: as the caller's.
    unsafe {
        if !repeats() || to.is_null() {
            return libc::gettimeofday(to, zone.cast());
        }
        let now = START + passed();
        (*to).tv_sec = (now / SECOND) as libc::time_t;
        (*to).tv_usec = (now % SECOND) as libc::suseconds_t;
        written(to, size_of::<libc::timeval>());
        0
    }
}

/// `sleep`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_sleep(seconds: c_uint) -> c_uint {
    if repeats() {
        sleep_for(u64::from(seconds) * SECOND);
        return 0;
    }
    // SAFETY: without conditions.
    unsafe { libc::sleep(seconds) }
}

/// `usleep`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_usleep(microseconds: libc::useconds_t) -> c_int {
    if repeats() {
        sleep_for(u64::from(microseconds));
        return 0;
    }
    // SAFETY: without conditions.
    unsafe { libc::usleep(microseconds) }
}

/// `nanosleep`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_nanosleep(
    request: *const libc::timespec,
    left: *mut libc::timespec,
) -> c_int {
    // SAFETY: as the caller's.
    unsafe {
        let valid = !request.is_null() && (*request).tv_sec >= 0;
        if !repeats() || !valid || !(0..1_000_000_000).contains(&(*request).tv_nsec) {
            return libc::nanosleep(request, left);
        }
        let seconds = (*request).tv_sec as u64;
        sleep_for(seconds.saturating_mul(SECOND) + (*request).tv_nsec as u64 / 1000);
        0
    }
}

/// `getrandom`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_getrandom(to: *mut c_void, length: usize, flags: c_uint) -> isize {
    // SAFETY: as the caller's.
    unsafe {
        if !repeats() {
            return libc::getrandom(to, length, flags);
        }
        fill(to, length);
    }
    length as isize
}

/// `getentropy`: at most 256 bytes, as the manual says.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_getentropy(to: *mut c_void, length: usize) -> c_int {
    // SAFETY: as the caller's.
    unsafe {
        if !repeats() || length > 256 {
            return libc::getentropy(to, length);
        }
        fill(to, length);
    }
    0
}

/// `arc4random_buf`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_arc4random_buf(to: *mut c_void, length: usize) {
    // SAFETY: as the caller's.
    unsafe {
        if repeats() {
            return fill(to, length);
        }
        // The library may be older than arc4random; getrandom gives at most 256 bytes at once.
        for start in (0..length).step_by(256) {
            let some = (length - start).min(256);
            libc::getrandom(to.cast::<u8>().add(start).cast(), some, 0);
        }
    }
}

/// `arc4random`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_arc4random() -> u32 {
    let mut word = 0_u32;
    // SAFETY: memory of this function.
    unsafe { __labrys_w_arc4random_buf((&raw mut word).cast(), 4) };
    word
}

/// `arc4random_uniform`: below `bound`; 0 if that is 0 or 1.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_arc4random_uniform(bound: u32) -> u32 {
    let mut word = 0_u64;
    // SAFETY: memory of this function.
    unsafe { __labrys_w_arc4random_buf((&raw mut word).cast(), 8) };
    // With 64 bits the bias is below 2^-32.
    word.checked_rem(u64::from(bound)).unwrap_or(0) as u32
}
