//! Library functions that read strings, as expressions over the first bytes of the strings.
//!
//! Each function is a scanner: it looks at one byte after the other until it stops. The result is
//! built from the last byte back to the first, as a choice between stopping at a byte and going
//! on. If a scanner does not stop in the bytes that are looked at, its result is havocked. The
//! size of a difference that a comparison gives is havocked, too: only its sign is promised. So a
//! step over such a function loses no run.

use labrys_expr::{ExprId, Op, Pool};
use labrys_library::{Computes, function};

/// Bytes that are looked at in an object of known size, and elsewhere.
const MAX_KNOWN: u64 = 40;
const MAX_UNKNOWN: u64 = 12;
/// Digits of a number that cannot overflow.
const MAX_DIGITS: u64 = 16;

/// Memory that strings are read from.
pub trait Texts {
    /// The expressions.
    fn pool(&mut self) -> &mut Pool;
    /// Any value of so many bits.
    fn fresh(&mut self, width: u32) -> ExprId;
    /// The byte at an address.
    fn byte(&mut self, address: ExprId) -> ExprId;
    /// Of the object that an address is in: its size, if that is known, and the offset of the
    /// address. `None` if the object is not known.
    fn place(&mut self, address: ExprId) -> Option<(Option<u64>, ExprId)>;
    /// What every run satisfies.
    fn require(&mut self, condition: ExprId);
    /// Whether the program may be in another locale than C.
    fn sets_locale(&self) -> bool;
    /// The largest number of bytes that a function is given and that is followed, in bytes.
    fn longest_count(&self) -> u64 {
        MAX_KNOWN
    }
}

/// The result of a library function that reads strings or computes with integers, given its
/// arguments; `None` if it is none of them.
pub fn string_result(
    texts: &mut dyn Texts,
    name: &str,
    arguments: &[ExprId],
    width: u32,
) -> Option<ExprId> {
    let computes = function(name)?.computes()?;
    let mut scanner = Scanner { texts };
    let value = match (computes, arguments) {
        (Computes::Length, [s]) => scanner.length(*s, Bound::AtZero),
        (Computes::LengthWithin, [s, n]) => {
            let bound = scanner.count(*n)?;
            scanner.length(*s, bound)
        }
        (Computes::Compare, [a, b]) => scanner.compare([*a, *b], Bound::AtZero, true),
        (Computes::CompareWithin, [a, b, n]) => {
            let bound = scanner.count(*n)?;
            scanner.compare([*a, *b], bound, true)
        }
        (Computes::CompareBytes, [a, b, n]) => {
            let bound = scanner.count(*n)?;
            scanner.compare([*a, *b], bound, false)
        }
        (Computes::Find, [s, c]) => scanner.find(*s, *c, Bound::AtZero),
        (Computes::FindByte, [s, c, n]) => {
            let bound = scanner.count(*n)?;
            scanner.find(*s, *c, bound)
        }
        (Computes::FindLast, [s, c]) => scanner.find_last(*s, *c),
        (Computes::FindText, [s, t]) => scanner.find_text(*s, *t)?,
        (Computes::Lower, [c]) if !scanner.sets_locale() => scanner.other_case(*c, b'A', 32),
        (Computes::Upper, [c]) if !scanner.sets_locale() => scanner.other_case(*c, b'a', -32),
        (Computes::Number, [s]) if !scanner.sets_locale() => scanner.decimal(*s),
        (Computes::Magnitude, [n]) => magnitude(texts.pool(), *n),
        _ => return None,
    };
    let pool = texts.pool();
    (pool.width(value) >= width).then(|| pool.extract(value, 0, width))
}

/// The number without its sign.
fn magnitude(pool: &mut Pool, number: ExprId) -> ExprId {
    let zero = pool.constant(pool.width(number), 0);
    let negative = pool.slt(number, zero);
    let opposite = pool.sub(zero, number);
    pool.ite(negative, opposite, number)
}

/// Where a scanner stops at the latest.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// Behind the zero that ends the string.
    AtZero,
    /// Behind so many bytes.
    Count(u64),
}

impl Bound {
    fn count(self) -> u64 {
        match self {
            Bound::AtZero => u64::MAX,
            Bound::Count(count) => count,
        }
    }
}

/// Bytes of memory from an address on.
struct Text {
    address: ExprId,
    /// Bytes that may be looked at.
    limit: u64,
}

/// Where `atoi` is in a string: blanks, then a sign, then digits. Each is a condition.
struct DecimalState {
    /// A sign or a digit was seen: no blank and no sign may follow.
    started: ExprId,
    /// A byte was seen that is no part of the number: nothing counts any more.
    stopped: ExprId,
    /// The sign was a minus.
    negative: ExprId,
    /// The number of the digits so far.
    value: ExprId,
}

/// What it borrows to read strings.
struct Scanner<'a> {
    texts: &'a mut dyn Texts,
}

impl Scanner<'_> {
    fn sets_locale(&self) -> bool {
        self.texts.sets_locale()
    }

    fn bits(&mut self, id: ExprId) -> Option<u128> {
        self.texts.pool().bits(id)
    }

    fn constant(&mut self, width: u32, bits: u128) -> ExprId {
        self.texts.pool().constant(width, bits)
    }

    /// A small number of bytes.
    fn count(&mut self, number: ExprId) -> Option<Bound> {
        let count = u64::try_from(self.bits(number)?).ok();
        let longest = self.texts.longest_count();
        count.filter(|count| *count <= longest).map(Bound::Count)
    }

    fn text(&mut self, address: ExprId) -> Text {
        let limit = match self.texts.place(address) {
            Some((size, offset)) => match (size, self.bits(offset)) {
                (Some(size), Some(offset)) => {
                    let offset = u64::try_from(offset).unwrap_or(u64::MAX);
                    size.saturating_sub(offset).min(MAX_KNOWN)
                }
                (Some(size), None) => size.min(MAX_UNKNOWN),
                _ => MAX_UNKNOWN,
            },
            None => MAX_UNKNOWN,
        };
        Text { address, limit }
    }

    fn address_of(&mut self, text: &Text, index: u64) -> ExprId {
        let index = self.constant(64, index.into());
        self.texts.pool().add(text.address, index)
    }

    fn byte(&mut self, text: &Text, index: u64) -> ExprId {
        let address = self.address_of(text, index);
        self.texts.byte(address)
    }

    /// The bytes up to the limit, or to one that is certainly the last.
    fn bytes(&mut self, text: &Text, bound: Bound) -> Vec<ExprId> {
        let mut bytes = Vec::new();
        for index in 0..text.limit.min(bound.count()) {
            let byte = self.byte(text, index);
            bytes.push(byte);
            if bound == Bound::AtZero && self.bits(byte) == Some(0) {
                break;
            }
        }
        bytes
    }

    fn is_byte(&mut self, byte: ExprId, value: u8) -> ExprId {
        let value = self.constant(8, value.into());
        self.texts.pool().eq(byte, value)
    }

    fn ite(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        self.texts.pool().ite(condition, then, otherwise)
    }

    /// The result of a scanner that did not stop in the bytes that it saw: `all`, if they are all
    /// that it looks at; otherwise it is not known.
    fn after_all(&mut self, seen: usize, bound: Bound, all: ExprId) -> ExprId {
        if bound == Bound::Count(seen as u64) {
            all
        } else {
            let width = self.texts.pool().width(all);
            self.texts.fresh(width)
        }
    }

    fn length(&mut self, s: ExprId, bound: Bound) -> ExprId {
        let text = self.text(s);
        let bytes = self.bytes(&text, bound);
        let all = self.constant(64, bytes.len() as u128);
        let mut value = self.after_all(bytes.len(), bound, all);
        let last = bytes.last().and_then(|byte| self.bits(*byte));
        if bound == Bound::AtZero && last != Some(0) {
            // A longer string is longer.
            let longer = self.texts.pool().ule(all, value);
            self.texts.require(longer);
        }
        for (index, byte) in bytes.into_iter().enumerate().rev() {
            let end = self.is_byte(byte, 0);
            let here = self.constant(64, index as u128);
            value = self.ite(end, here, value);
        }
        value
    }

    fn compare(&mut self, [a, b]: [ExprId; 2], bound: Bound, ends_at_zero: bool) -> ExprId {
        let (a, b) = (self.text(a), self.text(b));
        let limit = a.limit.min(b.limit).min(bound.count());
        let mut pairs = Vec::new();
        for index in 0..limit {
            let pair = [self.byte(&a, index), self.byte(&b, index)];
            pairs.push(pair);
            let ends = pair.iter().any(|byte| self.bits(*byte) == Some(0));
            if ends_at_zero && ends {
                break;
            }
        }
        let zero = self.constant(32, 0);
        let mut value = self.after_all(pairs.len(), bound, zero);
        let size = self.texts.fresh(30);
        let pool = self.texts.pool();
        let size = pool.zext(size, 32);
        let one = pool.constant(32, 1);
        let more = pool.add(size, one);
        let less = pool.sub(zero, more);
        for [x, y] in pairs.into_iter().rev() {
            if ends_at_zero {
                let end = self.is_byte(x, 0);
                value = self.ite(end, zero, value);
            }
            let pool = self.texts.pool();
            let below = pool.ult(x, y);
            let differ = pool.ite(below, less, more);
            let same = pool.eq(x, y);
            value = pool.ite(same, value, differ);
        }
        value
    }

    fn find(&mut self, s: ExprId, c: ExprId, bound: Bound) -> ExprId {
        let text = self.text(s);
        let wanted = self.texts.pool().extract(c, 0, 8);
        let bytes = self.bytes(&text, bound);
        let null = self.constant(64, 0);
        let mut value = self.after_all(bytes.len(), bound, null);
        for (index, byte) in bytes.into_iter().enumerate().rev() {
            if bound == Bound::AtZero {
                let end = self.is_byte(byte, 0);
                value = self.ite(end, null, value);
            }
            let found = self.texts.pool().eq(byte, wanted);
            let here = self.address_of(&text, index as u64);
            value = self.ite(found, here, value);
        }
        value
    }

    fn find_last(&mut self, s: ExprId, c: ExprId) -> ExprId {
        let text = self.text(s);
        let wanted = self.texts.pool().extract(c, 0, 8);
        let bytes = self.bytes(&text, Bound::AtZero);
        let null = self.constant(64, 0);
        let mut value = self.after_all(bytes.len(), Bound::AtZero, null);
        for (index, byte) in bytes.into_iter().enumerate().rev() {
            let end = self.is_byte(byte, 0);
            let found = self.texts.pool().eq(byte, wanted);
            let here = self.address_of(&text, index as u64);
            let pool = self.texts.pool();
            let own = pool.ite(found, here, null);
            let later = pool.ne(value, null);
            let rest = pool.ite(later, value, own);
            value = pool.ite(end, own, rest);
        }
        value
    }

    /// A constant text, in another.
    fn find_text(&mut self, s: ExprId, wanted: ExprId) -> Option<ExprId> {
        let wanted = self.text(wanted);
        let wanted = self.bytes(&wanted, Bound::AtZero);
        let letters = wanted.iter().map(|byte| self.bits(*byte));
        let mut letters: Vec<u8> = letters
            .map(|bits| Some(bits? as u8))
            .collect::<Option<_>>()?;
        if letters.pop() != Some(0) {
            return None;
        }
        let text = self.text(s);
        let bytes = self.bytes(&text, Bound::AtZero);
        let null = self.constant(64, 0);
        let mut value = self.after_all(bytes.len(), Bound::AtZero, null);
        for index in (0..bytes.len()).rev() {
            let end = self.is_byte(bytes[index], 0);
            let mut found = ExprId::TRUE;
            for (step, letter) in letters.iter().enumerate() {
                let same = match bytes.get(index + step) {
                    Some(byte) => self.is_byte(*byte, *letter),
                    None => self.texts.fresh(1),
                };
                found = self.texts.pool().and(found, same);
            }
            let here = self.address_of(&text, index as u64);
            value = self.ite(end, null, value);
            value = self.ite(found, here, value);
        }
        Some(value)
    }

    /// The number that a string begins with: blanks, a sign, digits.
    fn decimal(&mut self, s: ExprId) -> ExprId {
        let mut text = self.text(s);
        text.limit = text.limit.min(MAX_DIGITS);
        let bytes = self.bytes(&text, Bound::AtZero);
        let mut scan = DecimalState {
            started: ExprId::FALSE,
            stopped: ExprId::FALSE,
            negative: ExprId::FALSE,
            value: self.constant(64, 0),
        };
        let ten = self.constant(64, 10);
        for byte in bytes {
            self.scan_digit(&mut scan, byte, ten);
        }
        let zero = self.constant(64, 0);
        let opposite = self.texts.pool().sub(zero, scan.value);
        let value = self.ite(scan.negative, opposite, scan.value);
        let unknown = self.texts.fresh(64);
        self.ite(scan.stopped, value, unknown)
    }

    /// The state behind one more byte.
    fn scan_digit(&mut self, scan: &mut DecimalState, byte: ExprId, ten: ExprId) {
        let digit = self.is_between(byte, b'0', 10);
        let control = self.is_between(byte, b'\t', 5);
        let space = self.is_byte(byte, b' ');
        let blank = self.texts.pool().or(control, space);
        let minus = self.is_byte(byte, b'-');
        let plus = self.is_byte(byte, b'+');
        let pool = self.texts.pool();
        let sign = pool.or(minus, plus);
        let active = pool.not(scan.stopped);
        let before_number = pool.not(scan.started);
        let at_start = pool.and(active, before_number);
        let sign = pool.and(sign, at_start);
        let blank = pool.and(blank, at_start);
        let digit = pool.and(digit, active);
        let low = pool.constant(8, b'0'.into());
        let worth = pool.sub(byte, low);
        let worth = pool.zext(worth, 64);
        let shifted = pool.binary(Op::Mul, scan.value, ten);
        let appended = pool.add(shifted, worth);
        scan.value = pool.ite(digit, appended, scan.value);
        let minus = pool.and(sign, minus);
        scan.negative = pool.or(scan.negative, minus);
        let in_number = pool.or(sign, digit);
        scan.started = pool.or(scan.started, in_number);
        let goes_on = pool.or(in_number, blank);
        let stops = pool.not(goes_on);
        scan.stopped = pool.or(scan.stopped, stops);
    }

    /// Whether a byte is one of so many from the first.
    fn is_between(&mut self, byte: ExprId, first: u8, count: u128) -> ExprId {
        let pool = self.texts.pool();
        let first = pool.constant(8, first.into());
        let distance = pool.sub(byte, first);
        let count = pool.constant(8, count);
        pool.ult(distance, count)
    }

    /// A letter of the other case: from `first` on, they are so far from their others.
    fn other_case(&mut self, c: ExprId, first: u8, distance: i32) -> ExprId {
        let pool = self.texts.pool();
        let first = pool.constant(32, first.into());
        let letters = pool.constant(32, 26);
        let position = pool.sub(c, first);
        let is_letter = pool.ult(position, letters);
        let distance = pool.constant(32, (distance as u32).into());
        let changed = pool.add(c, distance);
        // Characters below −1 are those of their low bytes.
        let least = pool.constant(32, (-128i32 as u32).into());
        let most = pool.constant(32, (-1i32 as u32).into());
        let after = pool.ule(least, c);
        let before = pool.ult(c, most);
        let is_negative = pool.and(after, before);
        let all = pool.constant(32, 256);
        let wrapped = pool.add(c, all);
        let other = pool.ite(is_negative, wrapped, c);
        pool.ite(is_letter, changed, other)
    }
}
