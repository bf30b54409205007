//! Library functions on strings and characters, as the machine executes them in the C locale.
//!
//! Comparisons give −1, 0 or 1, of which programs may only look at the sign.

use std::cmp::Ordering;

use labrys_expr::Value;
use labrys_library::Computes;
use labrys_program::{Function, Operand, Type};

use super::{ConcreteValue, Halt, Machine};
use crate::character::{CharacterTable, table_of};
use crate::value::IrValue;

/// Longest string.
const MAX_TEXT: u64 = 1 << 16;

fn sign(order: Ordering) -> u64 {
    (order as i64) as u64
}

/// Space, a sign, digits: as of `atol`.
fn number(text: &[u8]) -> u64 {
    let start = text
        .iter()
        .position(|byte| !matches!(byte, b'\t'..=b'\r' | b' '));
    let text = &text[start.unwrap_or(text.len())..];
    let negative = text.first() == Some(&b'-');
    let signed = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let digits = text[signed..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit());
    let value = digits.fold(0i64, |value, digit| {
        let digit = i64::from(digit - b'0');
        let next = value.saturating_mul(10);
        if negative {
            next.saturating_sub(digit)
        } else {
            next.saturating_add(digit)
        }
    });
    value as u64
}

fn lowered(text: &[u8]) -> Vec<u8> {
    text.to_ascii_lowercase()
}

impl Machine<'_> {
    /// Executes a function on strings; `None` if it is none, or is given what it cannot take.
    pub(super) fn string_call(
        &mut self,
        function: &Function,
        computes: Computes,
        arguments: &[Operand],
        ty: Type,
    ) -> Result<Option<ConcreteValue>, Halt> {
        let known = arguments.iter();
        let known = known.map(|argument| self.scalar(function, *argument));
        let Ok(values) = known.collect::<Result<Vec<Value>, Halt>>() else {
            return Ok(None);
        };
        let values: Vec<u64> = values.iter().map(|value| value.bits() as u64).collect();
        let width = ty.width().unwrap_or(64);
        let result = match table_of(computes) {
            Some(table) => Some(self.characters(computes, table)?),
            None => match self.read_only(computes, &values, width)? {
                Some(result) => Some(result),
                None => self.copied(computes, &values)?,
            },
        };
        Ok(result.map(|bits| IrValue::Scalar(Value::new(width, u128::from(bits)))))
    }

    /// The bytes of a string, without its end.
    fn text(&mut self, address: u64) -> Result<Vec<u8>, Halt> {
        let mut bytes = Vec::new();
        for at in 0..MAX_TEXT {
            match self.bytes(address.wrapping_add(at), 1).ok_or(Halt::Fault)?[0] {
                0 => return Ok(bytes),
                byte => bytes.push(byte),
            }
        }
        Err(Halt::Limit)
    }

    /// As `text`, up to so many bytes.
    fn text_within(&mut self, address: u64, most: u64) -> Result<Vec<u8>, Halt> {
        let mut bytes = Vec::new();
        for at in 0..most.min(MAX_TEXT) {
            match self.bytes(address.wrapping_add(at), 1).ok_or(Halt::Fault)?[0] {
                0 => break,
                byte => bytes.push(byte),
            }
        }
        Ok(bytes)
    }

    fn block(&mut self, address: u64, size: u64) -> Result<Vec<u8>, Halt> {
        Ok(self.bytes(address, size).ok_or(Halt::Fault)?.to_vec())
    }

    fn put(&mut self, address: u64, bytes: &[u8]) -> Result<(), Halt> {
        let place = self.bytes(address, bytes.len() as u64);
        place.ok_or(Halt::Fault)?.copy_from_slice(bytes);
        Ok(())
    }

    fn read_only(
        &mut self,
        computes: Computes,
        values: &[u64],
        width: u32,
    ) -> Result<Option<u64>, Halt> {
        let place = |at: Option<usize>, base: u64| at.map_or(0, |at| base + at as u64);
        Ok(Some(match (computes, values) {
            (Computes::Length, [s]) => self.text(*s)?.len() as u64,
            (Computes::LengthWithin, [s, n]) => self.text_within(*s, *n)?.len() as u64,
            (Computes::Compare, [a, b]) => sign(self.text(*a)?.cmp(&self.text(*b)?)),
            (Computes::CompareWithin, [a, b, n]) => {
                sign(self.text_within(*a, *n)?.cmp(&self.text_within(*b, *n)?))
            }
            (Computes::CompareFolded, [a, b]) => {
                sign(lowered(&self.text(*a)?).cmp(&lowered(&self.text(*b)?)))
            }
            (Computes::CompareFoldedWithin, [a, b, n]) => {
                let (a, b) = (self.text_within(*a, *n)?, self.text_within(*b, *n)?);
                sign(lowered(&a).cmp(&lowered(&b)))
            }
            (Computes::CompareBytes, [a, b, n]) => {
                sign(self.block(*a, *n)?.cmp(&self.block(*b, *n)?))
            }
            (Computes::Find | Computes::FindLast, [s, c]) => {
                let mut text = self.text(*s)?;
                text.push(0);
                let is_wanted = |byte: &u8| *byte == *c as u8;
                if computes == Computes::FindLast {
                    place(text.iter().rposition(is_wanted), *s)
                } else {
                    place(text.iter().position(is_wanted), *s)
                }
            }
            (Computes::FindByte, [s, c, n]) => {
                let block = self.block(*s, *n)?;
                place(block.iter().position(|byte| *byte == *c as u8), *s)
            }
            (Computes::FindText, [s, wanted]) => {
                let (text, wanted) = (self.text(*s)?, self.text(*wanted)?);
                let starts = |at: &usize| text[*at..].starts_with(&wanted);
                place((0..=text.len()).find(starts), *s)
            }
            (Computes::Span | Computes::SpanOutside | Computes::FindAny, [s, set]) => {
                let (text, set) = (self.text(*s)?, self.text(*set)?);
                let spans = computes == Computes::Span;
                let stops = |byte: &u8| set.contains(byte) != spans;
                let at = text.iter().position(stops);
                match computes {
                    Computes::FindAny => place(at, *s),
                    _ => at.unwrap_or(text.len()) as u64,
                }
            }
            (Computes::Number, [s]) => number(&self.text(*s)?),
            (Computes::Lower, [c]) if *c < 256 => u64::from((*c as u8).to_ascii_lowercase()),
            (Computes::Upper, [c]) if *c < 256 => u64::from((*c as u8).to_ascii_uppercase()),
            (Computes::Magnitude, [n]) if width == 32 => (*n as i32).unsigned_abs().into(),
            (Computes::Magnitude, [n]) => (*n as i64).unsigned_abs(),
            _ => return Ok(None),
        }))
    }

    fn copied(&mut self, computes: Computes, values: &[u64]) -> Result<Option<u64>, Halt> {
        match (computes, values) {
            (Computes::Copy | Computes::CopyToEnd | Computes::Append, [to, from]) => {
                let mut text = self.text(*from)?;
                let length = text.len() as u64;
                text.push(0);
                let start = match computes {
                    Computes::Append => *to + self.text(*to)?.len() as u64,
                    _ => *to,
                };
                self.put(start, &text)?;
                let gives_end = computes == Computes::CopyToEnd;
                Ok(Some(if gives_end { to + length } else { *to }))
            }
            (Computes::CopyPadded, [to, from, n]) => {
                let mut text = self.text_within(*from, *n)?;
                text.resize(usize::try_from(*n).map_err(|_| Halt::Fault)?, 0);
                self.put(*to, &text)?;
                Ok(Some(*to))
            }
            (Computes::AppendWithin, [to, from, n]) => {
                let mut text = self.text_within(*from, *n)?;
                text.push(0);
                let end = *to + self.text(*to)?.len() as u64;
                self.put(end, &text)?;
                Ok(Some(*to))
            }
            _ => Ok(None),
        }
    }

    /// Where the pointer to a table of characters is.
    fn characters(&mut self, computes: Computes, table: &CharacterTable) -> Result<u64, Halt> {
        let known = self.tables.iter().find(|(known, _)| *known == computes);
        if let Some((_, address)) = known {
            return Ok(*address);
        }
        let bytes = self.memory.allocate(table.bytes.len() as u64);
        let bytes = bytes.ok_or(Halt::Limit)?;
        self.put(bytes, &table.bytes)?;
        let pointer = self.memory.allocate(8).ok_or(Halt::Limit)?;
        self.put(pointer, &(bytes + table.zero).to_le_bytes())?;
        self.tables.push((computes, pointer));
        Ok(pointer)
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_in_text() {
        let of = |text: &str| number(text.as_bytes()) as i64;
        assert_eq!(of(" \t-42x"), -42);
        assert_eq!(of("+7"), 7);
        assert_eq!(of("- 7"), 0);
        assert_eq!(of(""), 0);
        assert_eq!(of("99999999999999999999"), i64::MAX);
    }
}
