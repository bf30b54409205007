//! Library functions that read strings, as expressions over the bytes of the first pieces.
//!
//! What such a function finds in the first bytes is said exactly; if it does not find its end
//! there, its result is anything. The size of a difference that a comparison gives is anything,
//! too: only its sign is promised. So a step over such a function loses no run.

use labrys_expr::{ExprId, Op};
use labrys_program::FunctionId;
use labrys_semantics::{Meaning, Symbolic};

use crate::demand::Base;
use crate::objects::{Description, Kind};
use crate::state::{Known, Skip, State};

/// Bytes that are looked at in an object of known size, and elsewhere.
const KNOWN: u64 = 40;
const UNKNOWN: u64 = 12;
/// Digits of a number that cannot overflow.
const DIGITS: u64 = 16;

/// Bytes of memory from an address on.
struct Text {
    address: ExprId,
    /// Bytes that may be looked at.
    limit: u64,
}

impl Base<'_> {
    /// The result of a library function that reads strings, given its arguments; `None` if it is
    /// none of them.
    pub(crate) fn string_result(
        &mut self,
        state: &mut State,
        name: &str,
        arguments: &[ExprId],
        width: u32,
    ) -> Option<ExprId> {
        let value = match (name, arguments) {
            ("strlen", [s]) => self.length(state, *s, None),
            ("strnlen", [s, n]) => {
                let most = self.small(*n)?;
                self.length(state, *s, Some(most))
            }
            ("strcmp", [a, b]) => self.compare(state, *a, *b, None, true),
            ("strncmp", [a, b, n]) => {
                let most = self.small(*n)?;
                self.compare(state, *a, *b, Some(most), true)
            }
            ("memcmp" | "bcmp", [a, b, n]) => {
                let most = self.small(*n)?;
                self.compare(state, *a, *b, Some(most), false)
            }
            ("strchr" | "index", [s, c]) => self.find(state, *s, *c, None),
            ("memchr", [s, c, n]) => {
                let most = self.small(*n)?;
                self.find(state, *s, *c, Some(most))
            }
            ("strrchr" | "rindex", [s, c]) => self.find_last(state, *s, *c),
            ("strstr", [s, t]) => self.find_text(state, *s, *t)?,
            ("tolower" | "toupper", [c]) if !self.image.sets_locale() => self.other_case(name, *c),
            ("atoi" | "atol" | "atoll", [s]) if !self.image.sets_locale() => self.number(state, *s),
            _ => return None,
        };
        (self.pool.width(value) >= width).then(|| self.pool.extract(value, 0, width))
    }

    fn small(&self, number: ExprId) -> Option<u64> {
        u64::try_from(self.pool.bits(number)?)
            .ok()
            .filter(|n| *n <= KNOWN)
    }

    fn text(&mut self, address: ExprId) -> Text {
        let root = self.objects.root(&mut self.pool, address);
        let limit = match root {
            Some((object, offset)) => match (object.size, self.pool.bits(offset)) {
                (Some(size), Some(offset)) => {
                    let offset = u64::try_from(offset).unwrap_or(u64::MAX);
                    size.saturating_sub(offset).min(KNOWN)
                }
                (Some(size), None) => size.min(UNKNOWN),
                _ => UNKNOWN,
            },
            None => UNKNOWN,
        };
        Text { address, limit }
    }

    fn at(&mut self, text: &Text, index: u64) -> ExprId {
        let index = self.pool.constant(64, index.into());
        self.pool.add(text.address, index)
    }

    fn byte(&mut self, state: &mut State, text: &Text, index: u64) -> ExprId {
        let address = self.at(text, index);
        self.read(state, address, 1)
    }

    /// The bytes up to the limit, or to one that is certainly the last.
    fn bytes(&mut self, state: &mut State, text: &Text, most: Option<u64>) -> Vec<ExprId> {
        let mut bytes = Vec::new();
        for index in 0..text.limit.min(most.unwrap_or(u64::MAX)) {
            let byte = self.byte(state, text, index);
            bytes.push(byte);
            if most.is_none() && self.pool.bits(byte) == Some(0) {
                break;
            }
        }
        bytes
    }

    fn is_byte(&mut self, byte: ExprId, value: u8) -> ExprId {
        let value = self.pool.constant(8, value.into());
        self.pool.eq(byte, value)
    }

    /// What a function gives that saw no end in so many bytes: exactly `most` of them were to be
    /// looked at, or nobody knows.
    fn beyond(&mut self, seen: usize, most: Option<u64>, all: ExprId) -> ExprId {
        if most == Some(seen as u64) {
            all
        } else {
            let width = self.pool.width(all);
            self.fresh(width)
        }
    }

    fn length(&mut self, state: &mut State, s: ExprId, most: Option<u64>) -> ExprId {
        let text = self.text(s);
        let bytes = self.bytes(state, &text, most);
        let all = self.pool.constant(64, bytes.len() as u128);
        let mut value = self.beyond(bytes.len(), most, all);
        if most.is_none() && bytes.last().and_then(|one| self.pool.bits(*one)) != Some(0) {
            // A longer string is longer.
            let longer = self.pool.ule(all, value);
            state.require(&self.pool, longer);
        }
        for (index, byte) in bytes.into_iter().enumerate().rev() {
            let end = self.is_byte(byte, 0);
            let here = self.pool.constant(64, index as u128);
            value = self.pool.ite(end, here, value);
        }
        value
    }

    fn compare(
        &mut self,
        state: &mut State,
        a: ExprId,
        b: ExprId,
        most: Option<u64>,
        ends: bool,
    ) -> ExprId {
        let (a, b) = (self.text(a), self.text(b));
        let limit = a.limit.min(b.limit).min(most.unwrap_or(u64::MAX));
        let mut pairs = Vec::new();
        for index in 0..limit {
            let pair = [self.byte(state, &a, index), self.byte(state, &b, index)];
            pairs.push(pair);
            if ends && pair.iter().any(|one| self.pool.bits(*one) == Some(0)) {
                break;
            }
        }
        let zero = self.pool.constant(32, 0);
        let mut value = self.beyond(pairs.len(), most, zero);
        let size = self.fresh(30);
        let size = self.pool.zext(size, 32);
        let one = self.pool.constant(32, 1);
        let more = self.pool.add(size, one);
        let less = self.pool.sub(zero, more);
        for [x, y] in pairs.into_iter().rev() {
            if ends {
                let end = self.is_byte(x, 0);
                value = self.pool.ite(end, zero, value);
            }
            let below = self.pool.ult(x, y);
            let differ = self.pool.ite(below, less, more);
            let same = self.pool.eq(x, y);
            value = self.pool.ite(same, value, differ);
        }
        value
    }

    fn find(&mut self, state: &mut State, s: ExprId, c: ExprId, most: Option<u64>) -> ExprId {
        let text = self.text(s);
        let wanted = self.pool.extract(c, 0, 8);
        let bytes = self.bytes(state, &text, most);
        let null = self.pool.constant(64, 0);
        let mut value = self.beyond(bytes.len(), most, null);
        for (index, byte) in bytes.into_iter().enumerate().rev() {
            if most.is_none() {
                let end = self.is_byte(byte, 0);
                value = self.pool.ite(end, null, value);
            }
            let found = self.pool.eq(byte, wanted);
            let here = self.at(&text, index as u64);
            value = self.pool.ite(found, here, value);
        }
        value
    }

    fn find_last(&mut self, state: &mut State, s: ExprId, c: ExprId) -> ExprId {
        let text = self.text(s);
        let wanted = self.pool.extract(c, 0, 8);
        let bytes = self.bytes(state, &text, None);
        let null = self.pool.constant(64, 0);
        let mut value = self.beyond(bytes.len(), None, null);
        for (index, byte) in bytes.into_iter().enumerate().rev() {
            let end = self.is_byte(byte, 0);
            let found = self.pool.eq(byte, wanted);
            let here = self.at(&text, index as u64);
            let own = self.pool.ite(found, here, null);
            let later = self.pool.ne(value, null);
            let rest = self.pool.ite(later, value, own);
            value = self.pool.ite(end, own, rest);
        }
        value
    }

    /// A text that is known, in another.
    fn find_text(&mut self, state: &mut State, s: ExprId, wanted: ExprId) -> Option<ExprId> {
        let wanted = self.text(wanted);
        let wanted = self.bytes(state, &wanted, None);
        let known = wanted.iter().map(|one| self.pool.bits(*one));
        let mut wanted: Vec<u8> = known.map(|bits| Some(bits? as u8)).collect::<Option<_>>()?;
        if wanted.pop() != Some(0) {
            return None;
        }
        let text = self.text(s);
        let bytes = self.bytes(state, &text, None);
        let null = self.pool.constant(64, 0);
        let mut value = self.beyond(bytes.len(), None, null);
        for index in (0..bytes.len()).rev() {
            let end = self.is_byte(bytes[index], 0);
            let mut found = ExprId::TRUE;
            for (step, letter) in wanted.iter().enumerate() {
                let same = match bytes.get(index + step) {
                    Some(byte) => self.is_byte(*byte, *letter),
                    None => self.fresh(1),
                };
                found = self.pool.and(found, same);
            }
            let here = self.at(&text, index as u64);
            value = self.pool.ite(end, null, value);
            value = self.pool.ite(found, here, value);
        }
        Some(value)
    }

    /// Space, a sign, digits.
    fn number(&mut self, state: &mut State, s: ExprId) -> ExprId {
        let mut text = self.text(s);
        text.limit = text.limit.min(DIGITS);
        let bytes = self.bytes(state, &text, None);
        let (mut begun, mut done, mut negative) = (ExprId::FALSE, ExprId::FALSE, ExprId::FALSE);
        let mut value = self.pool.constant(64, 0);
        let ten = self.pool.constant(64, 10);
        for byte in bytes {
            let within = |base: &mut Self, low: u8, count: u128| {
                let low = base.pool.constant(8, low.into());
                let distance = base.pool.sub(byte, low);
                let count = base.pool.constant(8, count);
                base.pool.ult(distance, count)
            };
            let digit = within(self, b'0', 10);
            let control = within(self, b'\t', 5);
            let blank = self.is_byte(byte, b' ');
            let space = self.pool.or(control, blank);
            let minus = self.is_byte(byte, b'-');
            let plus = self.is_byte(byte, b'+');
            let sign = self.pool.or(minus, plus);
            let open = self.pool.not(done);
            let before = self.pool.not(begun);
            let ahead = self.pool.and(open, before);
            let sign = self.pool.and(sign, ahead);
            let space = self.pool.and(space, ahead);
            let digit = self.pool.and(digit, open);
            let low = self.pool.constant(8, b'0'.into());
            let worth = self.pool.sub(byte, low);
            let worth = self.pool.zext(worth, 64);
            let more = self.pool.binary(Op::Mul, value, ten);
            let more = self.pool.add(more, worth);
            value = self.pool.ite(digit, more, value);
            let minus = self.pool.and(sign, minus);
            negative = self.pool.or(negative, minus);
            let starts = self.pool.or(sign, digit);
            begun = self.pool.or(begun, starts);
            let goes_on = self.pool.or(starts, space);
            let stops = self.pool.not(goes_on);
            done = self.pool.or(done, stops);
        }
        let zero = self.pool.constant(64, 0);
        let opposite = self.pool.sub(zero, value);
        let value = self.pool.ite(negative, opposite, value);
        let any = self.fresh(64);
        self.pool.ite(done, value, any)
    }

    /// What a call like that of `__ctype_b_loc` points to: the address of character 0's element.
    pub(crate) fn character_pointer(
        &mut self,
        function: FunctionId,
        offset: ExprId,
        size: u32,
    ) -> ExprId {
        let name = &self.image.function(function).name;
        match self.image.character_table(name) {
            Some(table) if size == 8 && self.pool.bits(offset) == Some(0) => {
                let mut symbolic = Symbolic {
                    pool: &mut self.pool,
                    next: &mut self.next,
                };
                let kind = Kind::CharacterTable(function);
                let describe = || Description {
                    size: Some(table.bytes.len() as u64),
                    constant: true,
                    ..Description::default()
                };
                let base = self.objects.named(&mut symbolic, kind, describe);
                let zero = self.pool.constant(64, table.zero.into());
                self.pool.add(base, zero)
            }
            _ => self.fresh(8 * size),
        }
    }

    /// An element of a table of characters.
    pub(crate) fn character_entry(
        &mut self,
        function: FunctionId,
        offset: ExprId,
        size: u32,
    ) -> ExprId {
        let name = &self.image.function(function).name;
        match self.image.character_table(name) {
            Some(table) => {
                let table = self.pool.enter_table(&table.bytes, &[]);
                self.pool.table_read(table, offset, size)
            }
            None => self.fresh(8 * size),
        }
    }

    fn other_case(&mut self, name: &str, c: ExprId) -> ExprId {
        let (first, step) = if name == "tolower" {
            (b'A', 32)
        } else {
            (b'a', -32i32 as u32)
        };
        let constant = |base: &mut Self, value: u32| base.pool.constant(32, value.into());
        let (first, letters) = (constant(self, first.into()), constant(self, 26));
        let distance = self.pool.sub(c, first);
        let changes = self.pool.ult(distance, letters);
        let step = constant(self, step);
        let changed = self.pool.add(c, step);
        // Characters below −1 are those of their low bytes.
        let (least, most) = (constant(self, -128i32 as u32), constant(self, -1i32 as u32));
        let after = self.pool.ule(least, c);
        let before = self.pool.ult(c, most);
        let negative = self.pool.and(after, before);
        let around = constant(self, 256);
        let turned = self.pool.add(c, around);
        let other = self.pool.ite(negative, turned, c);
        self.pool.ite(changes, changed, other)
    }

    /// Gives the result of a library function that only reads to what the path uses of it.
    pub(crate) fn bind_read(
        &mut self,
        state: &mut State,
        used: &Known,
        name: &str,
        arguments: Option<Vec<ExprId>>,
    ) {
        if self.image.character_table(name).is_some() {
            // The address of a known object.
            return;
        }
        let width = used.scalar().map(|one| self.pool.width(one));
        let value = match (arguments, width) {
            (Some(arguments), Some(width)) => self.string_result(state, name, &arguments, width),
            _ => None,
        };
        if value.is_none() {
            state.skip(Skip::Opaque(name.to_owned()));
        }
        self.bind(state, used, value.map(Meaning::Scalar).as_ref());
    }
}
