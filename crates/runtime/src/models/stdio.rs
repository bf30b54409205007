//! Reading input through `FILE`s.

use core::ffi::{c_char, c_int, c_void};

use labrys_abi::{Op, RuntimeSite};

use crate::memory::access::__labrys_slow_fill;
use crate::memory::shadow::is_concrete;
use crate::models::position::{Position, position_of, standard_input};
use crate::models::sink::read_back_file;
use crate::models::stream::request;
use crate::record::event::decision;
use crate::record::node::{Operand, binary, node, predicate, unary};
use crate::record::passing::{self, arguments, left_result, pass, redirect, result};
use crate::record::region::is_symbolic;

unsafe extern "C" {
    fn getdelim(to: *mut *mut c_char, size: *mut usize, end: c_int, f: *mut libc::FILE) -> isize;
    fn __uflow(f: *mut libc::FILE) -> c_int;
    fn __underflow(f: *mut libc::FILE) -> c_int;
    fn malloc_usable_size(p: *mut c_void) -> usize;
}

/// Bytes that came from elsewhere carry no labels.
fn unlabelled(to: *const u8, size: usize) {
    if is_symbolic() && !is_concrete(to, size) {
        __labrys_slow_fill(to, 0, size as u64, 0);
    }
}

/// `getc` and its kin: reads with `read`.
unsafe fn get(f: *mut libc::FILE, read: unsafe extern "C" fn(*mut libc::FILE) -> c_int) -> c_int {
    // SAFETY: the caller's FILE.
    let place = unsafe { position_of(f) };
    // SAFETY: as above.
    let c = unsafe { read(f) };
    if let Some(p) = place {
        let got = u64::from(c >= 0);
        let _ = p.request(0, 1, got);
        if c >= 0 {
            let label = p.byte(0, c as u8);
            result(unary(Op::ZExt, 32, 0, label, c as u64));
        }
    } else {
        // SAFETY: as above.
        unsafe { read_back_file(f, c"getc") };
    }
    c
}

macro_rules! getters {
    ($($name:ident),*) => {$(
        /// The function of the C library.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(f: *mut libc::FILE) -> c_int {
            let _ = arguments::<0>($name as *const () as usize);
            // SAFETY: as the caller's.
            unsafe { get(f, libc::fgetc) }
        }
    )*};
}

getters!(
    __labrys_w_fgetc,
    __labrys_w_getc,
    __labrys_w__IO_getc,
    __labrys_w_fgetc_unlocked,
    __labrys_w_getc_unlocked
);

macro_rules! stdin_getters {
    ($($name:ident),*) => {$(
        /// The function of the C library.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() -> c_int {
            let _ = arguments::<0>($name as *const () as usize);
            // SAFETY: the library's own FILE.
            unsafe { get(standard_input(), libc::fgetc) }
        }
    )*};
}

stdin_getters!(__labrys_w_getchar, __labrys_w_getchar_unlocked);

/// `ungetc`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_ungetc(c: c_int, f: *mut libc::FILE) -> c_int {
    let [label] = arguments::<1>(__labrys_w_ungetc as *const () as usize);
    // SAFETY: as the caller's.
    let back = unsafe { libc::ungetc(c, f) };
    if back == c && label != 0 && node(label).cv == u64::from(c as u32) {
        result(label);
    }
    back
}

/// For library models in C: does this `FILE` read an input of the run?
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_reads_input(f: *mut libc::FILE) -> c_int {
    result(0);
    // SAFETY: as the caller's.
    unsafe {
        let reads = position_of(f).is_some();
        if !reads {
            read_back_file(f, c"fscanf");
        }
        c_int::from(reads)
    }
}

/// The first words of glibc's `FILE`, which its macros have fixed for ever.
#[repr(C)]
struct Buffer {
    flags: c_int,
    read_next: *mut u8,
    read_end: *mut u8,
}

/// Labels what stands in the buffer of `f` behind its position.
unsafe fn label_buffer(f: *mut libc::FILE) {
    // SAFETY: the caller's FILE.
    unsafe {
        let Some(p) = position_of(f) else { return };
        let b = &*f.cast::<Buffer>();
        let size = b.read_end.offset_from(b.read_next).max(0) as u64;
        p.label_bytes(b.read_next, size);
    }
}

/// `__uflow`: refills the buffer and takes a byte; the macros read the rest directly.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w___uflow(f: *mut libc::FILE) -> c_int {
    let _ = arguments::<0>(__labrys_w___uflow as *const () as usize);
    // SAFETY: as the caller's.
    unsafe {
        let c = get(f, __uflow);
        let label = left_result();
        label_buffer(f);
        result(label);
        c
    }
}

/// `__underflow`: refills the buffer.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w___underflow(f: *mut libc::FILE) -> c_int {
    let _ = arguments::<0>(__labrys_w___underflow as *const () as usize);
    // SAFETY: as the caller's.
    unsafe {
        let c = get(f, __underflow);
        let label = left_result();
        label_buffer(f);
        result(label);
        c
    }
}

/// The product of the number of records and their size.
fn times(number: Operand, records: Operand, bytes: u64) -> Operand {
    let is_bytes = (records.label, records.value) == (0, 1);
    let label = if is_bytes {
        number.label
    } else {
        binary(Op::Mul, 64, 64, number, records, bytes)
    };
    Operand::new(label, bytes)
}

/// `fread`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_fread(
    to: *mut c_void,
    size: usize,
    count: usize,
    f: *mut libc::FILE,
) -> usize {
    let [_, size_label, count_label] = arguments::<3>(__labrys_w_fread as *const () as usize);
    // SAFETY: as the caller's.
    unsafe {
        let place = position_of(f);
        let got = libc::fread(to, size, count, f);
        // As the C library does.
        let wanted = size.wrapping_mul(count);
        let records = passing::size(size_label, size);
        let number = passing::size(count_label, count);
        match place {
            Some(p) => {
                let bytes = wanted.min(p.length.saturating_sub(p.position) as usize);
                p.label_bytes(to.cast(), bytes as u64);
                p.label_behind(to.cast(), wanted as u64, bytes as u64);
                let wanted = times(number, records, wanted as u64);
                let label = request(p.id, p.length, p.position, wanted, bytes as u64);
                let bytes = Operand::new(label, bytes as u64);
                result(match size {
                    0 => 0,
                    _ if got == count => number.label,
                    1 => label,
                    _ => binary(Op::UDiv, 64, 64, bytes, records, got as u64),
                });
            }
            None => {
                read_back_file(f, c"fread");
                unlabelled(to.cast(), size.wrapping_mul(got));
            }
        }
        got
    }
}

/// `fread_unlocked`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_fread_unlocked(
    to: *mut c_void,
    size: usize,
    count: usize,
    f: *mut libc::FILE,
) -> usize {
    redirect(
        __labrys_w_fread_unlocked as *const () as usize,
        __labrys_w_fread as *const () as usize,
    );
    // SAFETY: as the caller's.
    unsafe { __labrys_w_fread(to, size, count, f) }
}

/// `__fread_chk`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w___fread_chk(
    to: *mut c_void,
    _room: usize,
    size: usize,
    count: usize,
    f: *mut libc::FILE,
) -> usize {
    let [_, _, size_label, count_label] =
        arguments::<4>(__labrys_w___fread_chk as *const () as usize);
    pass(
        __labrys_w_fread as *const () as usize,
        &[0, size_label, count_label],
    );
    // SAFETY: as the caller's.
    unsafe { __labrys_w_fread(to, size, count, f) }
}

/// Records a line of `got` bytes at `to`: which byte ended it, or that the input did.
unsafe fn line(p: Position, to: *const u8, got: usize, end: u8, room: usize) {
    p.label_bytes(to, got as u64);
    for i in 0..got {
        let _ = p.request(i as u64, 1, 1);
        // SAFETY: the library has just written these bytes.
        let value = unsafe { *to.add(i) };
        let label = p.byte(i as u64, value);
        let x = Operand::new(label, u64::from(value));
        let is_end = value == end;
        let equal = predicate(Op::Eq, 8, x, Operand::concrete(u64::from(end)), is_end);
        decision(RuntimeSite::Library, equal, is_end);
    }
    // SAFETY: as above.
    let complete = got > 0 && unsafe { *to.add(got - 1) } == end;
    if !complete && got < room {
        let _ = p.request(got as u64, 1, 0);
    }
}

/// `fgets`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_fgets(
    to: *mut c_char,
    room: c_int,
    f: *mut libc::FILE,
) -> *mut c_char {
    let _ = arguments::<0>(__labrys_w_fgets as *const () as usize);
    // SAFETY: as the caller's.
    unsafe {
        let before = position_of(f);
        let line_read = libc::fgets(to, room, f);
        let room = usize::try_from(room - 1).unwrap_or(0);
        match (before, line_read.is_null()) {
            (Some(p), false) => {
                let after = position_of(f).map_or(p.position, |a| a.position);
                let got = (after.saturating_sub(p.position) as usize).min(room);
                unlabelled(to.cast(), got + 1);
                line(p, to.cast(), got, b'\n', room);
            }
            (Some(p), true) => {
                let _ = p.request(0, 1, 0);
            }
            (None, false) => {
                read_back_file(f, c"fgets");
                unlabelled(to.cast(), libc::strlen(to) + 1);
            }
            (None, true) => {}
        }
        line_read
    }
}

/// `fgets_unlocked`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_fgets_unlocked(
    to: *mut c_char,
    room: c_int,
    f: *mut libc::FILE,
) -> *mut c_char {
    // SAFETY: as the caller's.
    unsafe { __labrys_w_fgets(to, room, f) }
}

/// `__fgets_chk`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w___fgets_chk(
    to: *mut c_char,
    _size: usize,
    room: c_int,
    f: *mut libc::FILE,
) -> *mut c_char {
    // SAFETY: as the caller's.
    unsafe { __labrys_w_fgets(to, room, f) }
}

/// `getdelim`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_getdelim(
    to: *mut *mut c_char,
    size: *mut usize,
    end: c_int,
    f: *mut libc::FILE,
) -> isize {
    let _ = arguments::<0>(__labrys_w_getdelim as *const () as usize);
    // SAFETY: as the caller's.
    unsafe {
        let before = position_of(f);
        let got = getdelim(to, size, end, f);
        unlabelled(to.cast(), 8);
        unlabelled(size.cast(), 8);
        match (before, usize::try_from(got)) {
            (Some(p), Ok(got)) => {
                unlabelled((*to).cast(), malloc_usable_size((*to).cast()).min(got + 1));
                line(p, (*to).cast(), got, end as u8, usize::MAX);
            }
            (Some(p), Err(_)) => {
                let _ = p.request(0, 1, 0);
            }
            (None, Ok(got)) => {
                read_back_file(f, c"getdelim");
                unlabelled((*to).cast(), got + 1);
            }
            (None, Err(_)) => {}
        }
        got
    }
}

/// `getline`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_getline(
    to: *mut *mut c_char,
    size: *mut usize,
    f: *mut libc::FILE,
) -> isize {
    // SAFETY: as the caller's.
    unsafe { __labrys_w_getdelim(to, size, c_int::from(b'\n'), f) }
}
