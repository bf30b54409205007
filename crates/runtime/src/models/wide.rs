//! Reading wide characters, those of the C and the UTF-8 locales: which bytes are a character is
//! decided here, as `decode` of the models in C does it. What the library reads otherwise is
//! concrete, and counted as lost.

use core::ffi::{CStr, c_int};

use labrys_abi::{Cause, Op, RuntimeSite};

use crate::models::position::{Position, position_of, standard_input};
use crate::models::unseen::unseen;
use crate::record::event::decision;
use crate::record::node::{Operand, binary, predicate, unary};
use crate::record::passing::{arguments, result};

unsafe extern "C" {
    fn fgetwc(f: *mut libc::FILE) -> u32;
    fn feof(f: *mut libc::FILE) -> c_int;
}

/// `WEOF`.
const END: u32 = u32::MAX;

unsafe fn get(f: *mut libc::FILE) -> u32 {
    // SAFETY: the caller's FILE.
    let (place, c) = unsafe { (position_of(f), fgetwc(f)) };
    if let Some(p) = place {
        // The last bytes of a stream may be the first ones of a character.
        let got = p.position < p.length;
        // SAFETY: as above. A character may have been pushed back there.
        if got || (c == END && unsafe { feof(f) } != 0) {
            let _ = p.request(0, 1, u64::from(got));
        }
        result(p.at(0).map_or(0, |first| character(p, first, c)));
    } else {
        // SAFETY: as above.
        unsafe { crate::models::sink::read_back_file(f, c"fgetwc") };
    }
    c
}

/// The label of the character that the library read at a place.
fn character(p: Position, first: Operand, c: u32) -> u32 {
    if is_below(first, 8, 0x80) {
        return read(widened(first), c);
    }
    // SAFETY: the library's own text, until the locale is another one.
    let encoding = unsafe { CStr::from_ptr(libc::nl_langinfo(libc::CODESET)) };
    match encoding.to_bytes() {
        b"UTF-8" => multibyte(p, first, c),
        b"ANSI_X3.4-1968" => invalid(c),
        _ => lost(),
    }
}

/// A character of several bytes in UTF-8.
fn multibyte(p: Position, first: Operand, c: u32) -> u32 {
    if is_below(first, 8, 0xc2) || !is_below(first, 8, 0xf5) {
        return invalid(c);
    }
    let more: u32 = match () {
        () if is_below(first, 8, 0xe0) => 1,
        () if is_below(first, 8, 0xf0) => 2,
        () => 3,
    };
    let mut value = bits(Op::And, widened(first), 0x3f >> more);
    for i in 1..=u64::from(more) {
        let next = p.at(i);
        let _ = p.request(i, 1, u64::from(next.is_some()));
        let Some(next) = next else {
            return invalid(c);
        };
        if is_below(next, 8, 0x80) || !is_below(next, 8, 0xc0) {
            return invalid(c);
        }
        let (upper, lower) = (bits(Op::Shl, value, 6), bits(Op::And, widened(next), 0x3f));
        let sum = upper.value | lower.value;
        value = Operand::new(binary(Op::Or, 32, 32, upper, lower, sum), sum);
    }
    let is_valid = match more {
        1 => true,
        2 => {
            let is_short = is_below(value, 32, 0x800);
            !is_short && (is_below(value, 32, 0xd800) || !is_below(value, 32, 0xe000))
        }
        _ => !is_below(value, 32, 0x1_0000) && is_below(value, 32, 0x11_0000),
    };
    match is_valid {
        true => read(value, c),
        false => invalid(c),
    }
}

/// The label of a character, if it is the one that the library read: another one may have been
/// pushed back.
fn read(character: Operand, c: u32) -> u32 {
    match character.value == u64::from(c) {
        true => character.label,
        false => lost(),
    }
}

/// Bytes that are no character, of which the library says so.
fn invalid(c: u32) -> u32 {
    if c == END { 0 } else { lost() }
}

/// The library reads something else than is known here.
fn lost() -> u32 {
    unseen(Cause::LibraryArgument, c"fgetwc");
    0
}

/// A decision: is a value of so many bits below a constant?
fn is_below(value: Operand, width: u32, end: u64) -> bool {
    let is_below = value.value < end;
    let below = predicate(Op::Ult, width, value, Operand::concrete(end), is_below);
    decision(RuntimeSite::Library, below, is_below);
    is_below
}

/// A byte as a wide character.
fn widened(byte: Operand) -> Operand {
    let label = unary(Op::ZExt, 32, 0, byte.label, byte.value);
    Operand::new(label, byte.value)
}

/// An operation on a wide character and a constant.
fn bits(op: Op, value: Operand, by: u64) -> Operand {
    let new = match op {
        Op::And => value.value & by,
        _ => value.value << by,
    };
    let label = binary(op, 32, 32, value, Operand::concrete(by), new);
    Operand::new(label, new)
}

/// `fgetwc`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_fgetwc(f: *mut libc::FILE) -> u32 {
    let _ = arguments::<0>(__labrys_w_fgetwc as *const () as usize);
    // SAFETY: as the caller's.
    unsafe { get(f) }
}

/// `getwc`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_getwc(f: *mut libc::FILE) -> u32 {
    let _ = arguments::<0>(__labrys_w_getwc as *const () as usize);
    // SAFETY: as the caller's.
    unsafe { get(f) }
}

/// `getwchar`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __labrys_w_getwchar() -> u32 {
    let _ = arguments::<0>(__labrys_w_getwchar as *const () as usize);
    // SAFETY: the library's own FILE.
    unsafe { get(standard_input()) }
}
